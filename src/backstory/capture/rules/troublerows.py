"""Rows for commands that failed, and what made them work."""

from __future__ import annotations

from backstory.capture.rules import changerows
from backstory.capture.rules.draft import Draft
from backstory.capture.rules.edits import FileChange
from backstory.capture.rules.failures import Trouble, acts
from backstory.capture.rules.packages import Install
from backstory.capture.rules.results import show
from backstory.capture.rules.shell import Command
from backstory.capture.rules.steps import Step
from backstory.capture.rules.terms import overlap, terms
from backstory.capture.rules.titles import is_order, mark, shorten


def trouble_rows(
    troubles: list[Trouble], changes: dict[str, FileChange], installs: list[Install], said: str
) -> list[Draft]:
    """Rows for failed commands; a file that was not there counts only when it was spoken of."""
    rows: list[Draft] = []
    spoken = terms(said)
    for trouble in troubles:
        if is_order(trouble.error):
            continue
        if trouble.fixed is not None and not (trouble.trivial and not trouble.between):
            rows.append(_mended(trouble, changes, installs))
        elif trouble.fixed is None and (install := _installed(trouble, installs)):
            trouble.fixed, trouble.between = install.step, [install.step]
            rows.append(_mended(trouble, changes, installs))
        elif not trouble.trivial and trouble.error:
            rows.append(_unsolved(trouble))
        elif (
            trouble.trivial
            and trouble.error
            and overlap(terms(trouble.error) & spoken, terms(trouble.error)) > 0.3
        ):
            row = _unsolved(trouble)
            row.title, row.importance = trouble.error, 1
            rows.append(row)
    return rows


def _installed(trouble: Trouble, installs: list[Install]) -> Install | None:
    missing = trouble.missing.lower().replace("_", "-").split(".")[0]
    for install in installs:
        later = install.step.index > trouble.steps[-1].index
        names = (name.lower().replace("_", "-") for name in install.names)
        if missing and later and any(missing in name for name in names):
            return install
    return None


def _mended(trouble: Trouble, changes: dict[str, FileChange], installs: list[Install]) -> Draft:
    row = Draft(f"error:{mark(trouble.shown)}", "bugfix", "", importance=3, evidence="verified")
    row.concepts, row.covered = ["problem-solution"], True
    between = {step.index for step in trouble.between}
    files = [c for c in changes.values() if any(step.index in between for step in c.steps)]
    helped = [i.text() for i in installs if i.step.index in between]
    done = acts(trouble.between)
    ways = helped + [f"changed {c.path}" for c in files[:3]]
    if not ways:
        ways = [f"`{shorten(act, 80)}`" for act in done][:2]
    if not ways and trouble.fixed is not None:
        ways = _other_way(trouble.command, trouble.fixed)
    error = (trouble.error or f"`{trouble.shown}` failed").rstrip(". ")
    row.title = (
        f"Fixed {shorten(error, 62)}: {'; '.join(ways)}"
        if ways
        else f"{shorten(error, 70)} went away on retry"
    )
    if not files and not helped:
        row.type = "discovery" if not done and not ways else "bugfix"
    code = f" with exit code {trouble.code}" if trouble.code else ""
    row.narrative = [f"`{shorten(trouble.shown, 90)}` failed{code}: {error}."]
    for line in trouble.more:
        row.add_fact(line)
    if ways:
        row.narrative.append(f"What helped: {'; '.join(ways)}. Then it succeeded.")
    row.steps = sorted(
        {s.index: s for s in (*trouble.steps, *trouble.between, trouble.fixed) if s}.values(),
        key=_place,
    )
    for change in files:
        changerows.fill(row, change)
    if trouble.fixed is not None and 0 < trouble.fixed.text.strip().count("\n") + 1 <= 3:
        lines = [line.strip() for line in trouble.fixed.text.splitlines() if line.strip()]
        row.add_fact(f"Output then: {'; '.join(lines)}")
    return row


def _place(step: Step) -> int:
    return step.index


def _other_way(failed: Command, fixed: Step) -> list[str]:
    """How the command that worked was called, when it was called differently."""
    ways = [
        f"`{shorten(' '.join([*command.env, show(command)]), 90)}`"
        for command in fixed.commands
        if command.program == failed.program and command != failed
    ]
    return ways[:1] if ways and ways[0] != f"`{show(failed)}`" else []


def _unsolved(trouble: Trouble) -> Draft:
    row = Draft(f"error:{mark(trouble.shown)}", "discovery", "", importance=2, covered=True)
    row.concepts = ["gotcha"]
    row.title = f"`{shorten(trouble.shown, 40)}` fails: {trouble.error}"
    code = f" with exit code {trouble.code}" if trouble.code else ""
    row.narrative = [f"`{shorten(trouble.shown, 100)}` failed{code}: {trouble.error.rstrip('. ')}."]
    for line in trouble.more:
        row.add_fact(line)
    row.steps = trouble.steps
    return row
