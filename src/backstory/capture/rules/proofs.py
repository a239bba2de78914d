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
# Only what says that it goes on: symptoms are told in the past, and in the present too.
_FAILS = re.compile(
    r"(?i)\b(?:still|remains?|yet) (?:\w+ )?"
    r"(?:fail\w*|broken|red|wrong|crash\w*|un(?:resolved|solved|fixed|tested|verified))\b"
    r"|\b(?:keeps?|continues? to|goes on) (?:fail|failing|crashing)\b"
    r"|\bstill (?:(?:does|do|is|are) ?n[o']t|cannot) (?:\w+ )?"
    r"(?:help|work|fix|mend|solve|pass|fixed|resolved|solved|mended|verified|tested|passing)"
    r"|\b(?:does|do) ?n[o']t (?:help|work|pass) yet\b"
    r"|\bnot yet (?:fixed|resolved|solved|mended|verified|tested|passing)\b"
    r"|\b(?:immer noch|weiterhin|nach wie vor) (?:\w+ ){0,2}(?:rot|kaputt|fehl)\b"
    r"|\bnoch nicht (?:behoben|gelöst|repariert|getestet|geprüft)\b"
    r"|\b(?:sigue[n]?|continúa[n]?|todavía|aún) (?:\w+ )?(?:fall\w*|rot[oa])"
    r"|\b(?:échoue(?:nt)?|plante(?:nt)?) (?:toujours|encore)\b|\btoujours (?:cassée?|rouge)"
    r"|(?:(?:всё|все) ?ещё|по-прежнему) (?:\w+ )?(?:падает|падают|сломан\w*|не (?:работа|проход))"
    r"|(?:仍然|仍|还是|依然|依旧).{0,6}(?:失败|报错|不通过)|(?:尚未|还没有?|仍未)(?:解决|修复|通过)"
    r"|(?:まだ|依然|いまだに).{0,12}(?:失敗|落ち|壊れ|直って)|(?:아직|여전히).{0,12}(?:실패|깨)"
)
_TESTS_FAIL = re.compile(
    r"(?i)\b(?:tests?|checks?|build|ci|suite|pytest) (?:fails?|(?:is|are) (?:failing|red|broken))"
    r"(?=\s*(?:[.;!]|$))"
)
_CONDITION = re.compile(
    r"(?i)\b(?:when|if|unless|before|without|until|ohne|wenn|bevor|otherwise)\b"
)
_MENDED = re.compile(
    r"(?i)\b(?:now|no longer|any ?more|passes|jetzt|nun|nicht mehr|ahora|ya|maintenant|désormais|"
    r"теперь)\b|现在|如今|已(?:经)?(?:修复|解决|通过)|今は|今では|이제"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")


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
    """Whether a text itself says that what it tells of does not work yet, and nothing after that
    says that it does."""
    found = [match.end() for match in _FAILS.finditer(text)]
    if found and not _MENDED.search(text, found[-1]):
        return True
    told = (one for one in _SENTENCE.split(text) if not _CONDITION.search(one))
    return any(_TESTS_FAIL.search(one) for one in told) and not _MENDED.search(text)


def _fails_again(run: Run, runs: list[Run]) -> bool:
    """Whether the last run of the same tool behind it failed."""
    later = [one for one in runs if one.tool == run.tool and one.step.index > run.step.index]
    return bool(later) and not max(later, key=lambda one: one.step.index).ok


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
            if r.ok and r.step.index >= last and not _fails_again(r, story.runs)
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
