"""Which steps of a turn prove that its work does what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from backstory.capture.rules.draft import Draft
from backstory.capture.rules.results import Run
from backstory.capture.rules.story import Story

_FORM = ("lint", "types")  # say how code is written, nothing of what it does
_OF_FORM = re.compile(
    r"(?i)\b(?:lint\w*|type[ds]?|typing|type-?check\w*|format\w*|style|unused|import(?:s|ed)?|"
    r"annotat\w*)\b"
)
_FAILS = re.compile(
    r"(?i)\b(?:still|remains?|yet) (?:\w+ )?(?:fail\w*|broken|red|open|wrong|crash\w*)"
    r"|\b(?:keeps?|continues? to|goes on) (?:fail|failing|crashing)\b"
    r"|\b(?:tests?|checks?|build|ci|suite|it|they|pytest) (?:\w+ )?"
    r"(?:fails?|(?:is|are) (?:failing|red|broken))\b"
    r"(?! (?:when|if|unless|before|without|because|since|for|on|with|under)\b)"
    r"|\b(?:did|does|do) ?n[o']t (?:help|work|fix|mend|solve|pass)\b"
    r"|\b(?:not|never) (?:yet )?(?:fixed|resolved|solved|mended|verified|tested|passing)\b"
    r"|\bun(?:resolved|solved|tested|verified)\b"
    r"|\b(?:immer noch|weiterhin|nach wie vor|noch) (?:\w+ )?(?:rot|kaputt|fehl\w*|offen|nicht)"
    r"|\b(?:schlägt|schlagen) (?:\w+ ){0,3}fehl\b"
    r"|\b(?:sigue[n]?|continúa[n]?|todavía|aún) (?:\w+ )?(?:fall\w*|rot[oa]|sin)"
    r"|\b(?:échoue(?:nt)?|plante(?:nt)?) (?:toujours|encore)\b|\btoujours (?:cassée?|rouge)"
    r"|(?:всё|все) ?ещё (?:\w+ )?(?:падает|падают|сломан\w*|не )|по-прежнему (?:падает|падают|не )"
    r"|(?:仍然|仍|还是|依然|依旧).{0,6}(?:失败|报错|不通过|有问题)|(?:未|没有?)(?:解决|修复|通过)"
    r"|(?:まだ|依然|いまだに).{0,12}(?:失敗|落ち|壊れ|直って)|(?:아직|여전히).{0,12}(?:실패|깨)"
)


def proving(runs: list[Run], commits: Iterable[int]) -> frozenset[int]:
    """The places of the steps that prove behaviour: tests and builds that passed and did not fail
    again, and commits (given by place) of what no check has failed on."""
    found = {
        run.step.index
        for run in runs
        if run.ok and run.kind not in _FORM and not _fails_again(run, runs)
    }
    return frozenset({*found, *(at for at in commits if not _is_red(at, runs))})


def passing_form(runs: list[Run], at: int, text: str) -> bool:
    """Whether a linter or type checker that passed in that step proves a text: one on form, or on
    what the same tool had found."""
    mine = [run for run in runs if run.step.index == at and run.ok and run.kind in _FORM]
    return any(
        not _fails_again(run, runs)
        and (
            run.tool.casefold() in text.casefold()
            or _OF_FORM.search(text)
            or any(one.tool == run.tool and not one.ok for one in runs if one.step.index < at)
        )
        for run in mine
    )


def admits_failure(text: str) -> bool:
    """Whether a text itself says that what it tells of does not work yet."""
    return bool(_FAILS.search(text))


def _fails_again(run: Run, runs: list[Run]) -> bool:
    return any(
        one.tool == run.tool and not one.ok and one.step.index > run.step.index for one in runs
    )


def _is_red(at: int, runs: list[Run]) -> bool:
    """Whether a check had failed before that step, and none of its kind has passed since."""
    before = [run for run in runs if run.step.index <= at]
    return any(
        not run.ok
        and not any(
            one.ok
            and one.step.index >= run.step.index
            and (one.tool == run.tool or one.kind == run.kind)
            for one in before
        )
        for run in before
    )


def verify(story: Story, rows: list[Draft]) -> None:
    """Marks changes that a later passing check or a commit backs, and says which; takes the mark
    from what was written again since, and from commits of what fails."""
    told = False
    proofs = proving(story.runs, [commit.step.index for commit in story.commits])
    for row in rows:
        if row.evidence == "verified":
            row.evidence = "verified" if _holds(row, story, proofs) else "stated"
            continue
        if not row.files_modified:
            continue
        last = max((s.index for s in row.steps if s.kind in ("edit", "shell")), default=-1)
        checks = [
            r
            for r in story.runs
            if r.ok
            and r.step.index >= last
            and not any(
                f.tool == r.tool and not f.ok and f.step.index > max(last, r.step.index)
                for f in story.runs
            )
        ]
        if any(at >= last for at in proofs):
            row.evidence = "verified"
        if checks and not told:
            counted = [f"{r.tool} passed{': ' + r.counts if r.counts else ''}" for r in checks[-2:]]
            row.narrative.append(f"{'; '.join(dict.fromkeys(counted))}.")
            row.steps += [r.step for r in checks[-2:] if r.step not in row.steps]
            told = True


def _holds(row: Draft, story: Story, proofs: frozenset[int]) -> bool:
    """Whether what made a row verified still does at the turn's end."""
    if row.key.startswith("commit:"):  # it was made, whatever came later
        return any(step.index in proofs for step in row.steps)
    changes = (story.changes[path] for path in row.files_modified if path in story.changes)
    last = max((step.index for change in changes for step in change.steps), default=-1)
    worked = (step.index for step in row.steps if step.kind == "shell" and step.ok)
    return any(at >= last for at in (*worked, *proofs))
