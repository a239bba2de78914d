"""Rows for tests, builds and commands that failed, and what made them pass."""

from __future__ import annotations

from backstory.capture.rules import changerows
from backstory.capture.rules.draft import Draft
from backstory.capture.rules.edits import FileChange
from backstory.capture.rules.failures import acts
from backstory.capture.rules.paths import is_doc, is_test, relative
from backstory.capture.rules.problems import Failure
from backstory.capture.rules.results import Run, show
from backstory.capture.rules.steps import Step
from backstory.capture.rules.story import Story
from backstory.capture.rules.titles import TITLE_LIMIT, is_order, mark, shorten

_NAMED = 3


def run_rows(story: Story) -> list[Draft]:
    """A row for each tool that failed: a fix when it passed later, else an open failure."""
    rows: list[Draft] = []
    runs, root = story.runs, story.turn.root
    for tool in dict.fromkeys(run.tool for run in runs):
        mine = [run for run in runs if run.tool == tool]
        failed = [run for run in mine if not run.ok]
        if not failed:
            continue
        passed = next(
            (
                r
                for r in runs
                if r.ok
                and (r.tool == tool or r.command == failed[-1].command)
                and r.step.index > failed[-1].step.index
                and _covers(r, failed[-1])
            ),
            None,
        )
        rows.append(_fixed(failed, passed, story) if passed else _open(failed, root))
    return rows


def _targets(run: Run) -> list[str]:
    return [
        w.strip("'")
        for w in run.command.split()[1:]
        if not w.startswith("-") and ("/" in w or "." in w or "::" in w)
    ]


def _covers(passed: Run, failed: Run) -> bool:
    """Whether a passing run says anything about what failed."""
    wanted, seen = _targets(failed), _targets(passed)
    if not seen or passed.kind != "test" or any(target in seen for target in wanted):
        return True
    about = " ".join([*wanted, *(f"{f.name} {f.where}" for f in failed.failures)])
    return any(
        target.split("::")[0].strip("./") in about or target.replace(".", "/") in about
        for target in seen
    )


def _failures(runs: list[Run], root: str) -> list[Failure]:
    found: dict[str, Failure] = {}
    for run in runs:
        for one in run.failures:
            if is_order(one.message) or is_order(one.name):
                continue
            path, colon, line = one.where.partition(":")
            where = relative(path, root, run.step.cwd) + colon + line
            key = one.name or one.message
            if key not in found or (one.message and not found[key].message):
                found[key] = Failure(one.name, one.message, where if one.where else "")
    return list(found.values())


def _fixed(failed: list[Run], passed: Run, story: Story) -> Draft:
    tool, failures = failed[0].tool, _failures(failed, story.turn.root)
    first, last = failed[0].step.index, passed.step.index
    row = Draft(f"{failed[0].kind}:{tool}", "bugfix", "", importance=3, evidence="verified")
    row.concepts, row.covered = ["problem-solution", "what-changed"], True
    between = [
        change
        for change in story.changes.values()
        if any(first < step.index < last for step in change.steps)
    ]
    code = [c for c in between if not is_test(c.path) and not is_doc(c.path)] or between
    row.steps = [run.step for run in failed] + [passed.step]
    named = "; ".join(shorten(f.text(), 150) for f in failures[:_NAMED])
    counts = f" ({failed[0].counts})" if failed[0].counts else ""
    row.narrative.append(f"{tool} failed{counts}{': ' + named.rstrip('.') if named else ''}.")
    then = f"passed{': ' + passed.counts if passed.counts else ''}."
    checked = {run.step.index for run in story.runs}
    done = acts([s for s in story.steps[first + 1 : last] if s.ok and s.index not in checked])
    if not between and done:
        helped = "; ".join(f"`{shorten(act, 80)}`" for act in done[:3])
        row.title = f"Fixed {_headline(failures, failed[0])}: {helped}"
        row.narrative.append(f"What was done: {helped}. Then {tool} {then}")
        row.steps += [s for s in story.steps[first + 1 : last] if s.kind == "shell" and s.ok]
        return row
    if not between:
        row.type, row.concepts, row.importance = "discovery", ["gotcha"], 2
        row.title = f"{tool} failed, then passed without a change: {_headline(failures, failed[0])}"
        row.narrative.append(f"The next run {then}")
        return row
    where = ", ".join(c.path for c in code[:2])
    parts = [s for change in code for s in (change.symbols.changed or change.symbols.added)][:2]
    what = f"Fixed {_headline(failures, failed[0])} in "
    row.title = what + ", ".join([*parts, where])
    if len(row.title) > TITLE_LIMIT:
        row.title = what + where
    row.narrative.append(f"Changed {', '.join(c.path for c in between[:5])}.")
    row.narrative.append(f"Then {tool} {then}")
    for change in sorted(between, key=lambda c: c not in code):
        _fill(row, change, first, last)
    row.steps.sort(key=lambda step: step.index)
    return row


def _fill(row: Draft, change: FileChange, first: int, last: int) -> None:
    """Puts on the row what mended it; a file that was being written keeps a row of its own."""
    if not change.created or change.steps[0].index > first:
        changerows.fill(row, change)
        return
    for line in change.during(first, last)[:4]:
        row.add_fact(line)
    row.files_modified.append(change.path)
    row.steps += [s for s in change.steps if first < s.index < last]


def _headline(failures: list[Failure], run: Run) -> str:
    if not failures:
        return f"{run.tool} {run.counts}".strip()
    # What a runner prints beside a name ("-- Time elapsed") is no message.
    failures = [
        Failure(f.name, "" if f.message.startswith("--") else f.message, f.where) for f in failures
    ]
    first = next((f for f in failures if f.name and f.message), failures[0])
    names = [first.name] if first.name else []
    names += [f.name for f in failures if f.name and not _part_of(f.name, names)]
    if len(names) > 1 and not (first.message and len(names) == 1):
        return ", ".join(names[:2]) + (f" ({shorten(first.message, 50)})" if first.message else "")
    if first.name and first.message:
        return f"{shorten(first.name, 60)} ({shorten(first.message, 60)})"
    return shorten(first.name or first.message, 80)


def _part_of(name: str, names: list[str]) -> bool:
    """Whether a failure is named already, with or without its package and line."""
    bare = name.rsplit(":", 1)[0] if name.rsplit(":", 1)[-1].isdigit() else name
    return any(bare in one or one.rsplit(":", 1)[0].endswith(bare) for one in names)


def _open(failed: list[Run], root: str) -> Draft:
    last = failed[-1]
    failures = _failures(failed[-1:], root) or _failures(failed, root)
    row = Draft(f"{last.kind}:{last.tool}", "discovery", "", importance=2, covered=True)
    row.concepts = ["gotcha"]
    counts = f" ({last.counts})" if last.counts else ""
    what = _headline(failures, last) if failures else last.counts or last.command
    row.title = f"{last.tool} fails: {what}"
    row.narrative = [f"`{shorten(last.command, 80)}` fails{counts}. Not resolved in this turn."]
    for one in failures[:8]:
        row.add_fact(one.text())
    row.steps = [run.step for run in failed]
    return row


def earlier_rows(story: Story) -> list[Draft]:
    """A fix of a failure that an earlier turn left open, known by the title of its row."""
    for title in story.turn.earlier_errors[:20]:
        what, _, rest = title.partition(" fails: ")
        passed = _passes(what, story) if rest else None
        if passed is None:
            continue
        before = [
            change
            for change in story.changes.values()
            if any(step.index < passed.index for step in change.steps)
        ]
        done = acts([step for step in story.steps[: passed.index] if step.ok])
        if not before and not done:
            continue
        helped = f"in {before[0].path}" if before else f"by `{shorten(done[-1], 60)}`"
        row = Draft(f"earlier:{mark(what)}", "bugfix", f"Fixed {rest} {helped}", importance=3)
        row.narrative = [f"An earlier turn left open: {title}.", f"{what} works now."]
        row.evidence, row.concepts = "verified", ["problem-solution", "what-changed"]
        for change in before:
            changerows.fill(row, change)
        row.steps.append(passed)
        return [row]
    return []


def _passes(what: str, story: Story) -> Step | None:
    """The step in which a check or a command that once failed succeeded, the last word of it."""
    runs = [run for run in story.runs if run.tool == what]
    if runs:
        return runs[-1].step if runs[-1].ok else None
    shown = what.strip("`").rstrip("…")
    failed = {step.index for trouble in story.troubles for step in trouble.steps}
    tries = [
        step
        for step in story.steps
        if step.kind == "shell" and any(show(c).startswith(shown) for c in step.commands if c.words)
    ]
    last = tries[-1] if tries and what.startswith("`") else None
    return last if last is not None and last.ok and last.index not in failed else None
