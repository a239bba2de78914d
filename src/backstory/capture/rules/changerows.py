"""Rows for what changed: one a file or a rename, with tests and documents at their side."""

from __future__ import annotations

import re
from collections import Counter

from backstory.capture.rules.draft import Draft
from backstory.capture.rules.edits import FileChange
from backstory.capture.rules.packages import Install
from backstory.capture.rules.paths import is_config, is_doc, is_scratch, is_test, name
from backstory.capture.rules.titles import shorten

_HEAVY = 6  # the weight of a change that tells more than that a file was touched
_OWN_ROWS = 4  # files with a row of their own; the rest share one
_FACTS = 9
_LONG_VALUE = 90
_STYLE = re.compile(r"(?:class|className|style|id|key|d|href|src|alt)\b")
_MATCHED = 1_500  # characters of a diff by whose words sentences find its row
_TOLD = re.compile(
    r" changed from |^(?:Endpoint|Creates|ALTER|Renamed|Moved|Removed|Command-line|Reads env)"
)
_DECLARED = (
    "Endpoint",
    "Command-line",
    "Creates",
    "ALTER",
    "Add column",
    "Model field",
    "Reads env",
)


def rows(changes: list[FileChange], intent: str) -> list[Draft]:
    """The rows of a turn's changes, the weightiest files first."""
    kept = [c for c in changes if not is_scratch(c.path)] or changes
    main = [c for c in kept if not is_test(c.path) and not is_doc(c.path)]
    side = [c for c in kept if c not in main] if main else []
    main = main or kept
    drafts, main = _renames(main)
    alike, main = _alike(main)
    drafts += alike
    main.sort(key=_weight, reverse=True)
    gone = [change for change in main if change.removed]
    if len(main) > len(gone) or drafts:
        # That a file is gone is part of the other work.
        main, side = [change for change in main if not change.removed], [*side, *gone]
    own = main
    if len(main) > _OWN_ROWS:
        own = [change for change in main if _weight(change) >= _HEAVY][: _OWN_ROWS - 1]
    drafts += [_row(change, intent) for change in own]
    if rest := [change for change in main if change not in own]:
        drafts.append(_shared(rest, intent))
    for change in side:
        _beside(change, drafts)
    return drafts


def fill(draft: Draft, change: FileChange) -> None:
    """Puts a file's change on a row."""
    draft.steps += [step for step in change.steps if step not in draft.steps]
    if change.path not in draft.files_modified:
        draft.files_modified.append(change.path)
    if change.source and change.moved:
        draft.files_modified.append(change.source)
    draft.symbols += [symbol for symbol in change.symbols.all if symbol not in draft.symbols]
    for line in _facts(change):
        draft.add_fact(line)
    lines = [line for pair in change.pairs[:20] for side in pair for line in side[:20]]
    draft.words = f"{draft.words} {' '.join(lines)[:_MATCHED]}"
    agents = {step.use.agent_type for step in change.steps}
    if len(agents) == 1:
        draft.agent_type = agents.pop()


def _facts(change: FileChange) -> list[str]:
    facts: list[str] = []
    found = change.symbols
    if found.added and not change.created:
        facts.append(f"Added {', '.join(found.added[:6])} in {change.path}")
    elif found.added:
        facts.append(f"{change.path} defines {', '.join(found.added[:8])}")
    if found.removed and not change.renames:
        facts.append(f"Removed {', '.join(found.removed[:6])} from {change.path}")
    facts += [line for line in change.facts if _TOLD.search(line)][:_FACTS]
    if found.changed:
        facts.append(f"Changed {', '.join(found.changed[:6])} in {change.path}")
    facts += [line for line in change.facts[:_FACTS] if line not in facts]
    if change.imports and len(facts) < _FACTS:
        facts.append(f"Imports {', '.join(change.imports[:4])}")
    return facts


def _weight(change: FileChange) -> int:
    return len(change.symbols.all) * 2 + len(change.facts) + 2 * (change.created or change.moved)


def kind(change: FileChange, intent: str) -> str:
    """The observation type of a change without a failed test behind it."""
    code = not is_config(change.path) and not is_doc(change.path)
    if change.moved or change.renames or (intent == "reshape" and code):
        return "refactor"
    if code and intent == "fix" and not change.created:
        return "bugfix"
    if code and (change.created or change.symbols.added or intent == "add"):
        return "feature"
    return "change"


def headline(change: FileChange) -> str:
    """A change as a title, from its structure alone."""
    path, found = change.path, change.symbols
    first = next((f for f in change.facts if not f.startswith("Comment:")), "")
    if change.removed:
        return f"Removed {path} (deleted)"
    if change.moved:
        return f"Moved {change.source} to {path}"
    if change.created:
        what = ", ".join(found.added[:4]) or first
        return f"Added {path}: {what}" if what else f"Added {path}"
    if change.renames:
        old, new = next(iter(change.renames.items()))
        return f"Renamed {old} to {new} ({path})"
    if change.values:
        told = [f for f in change.facts if " changed from " in f and len(f) < _LONG_VALUE]
        told = [f for f in told if not _STYLE.match(f)] if found.added else told
        if told:
            return f"{'; '.join(told[:2])} ({path})" if len(told[0]) < 50 else f"{told[0]} ({path})"
    declared = next((f for f in change.facts if f.startswith(_DECLARED)), "")
    if found.added:
        names = f"Added {', '.join(found.added[:3])} in {path}"
        return f"{names}: {declared}" if declared else names
    if found.changed:
        first = declared or next((f for f in change.facts if "→" in f and len(f) < 60), "")
        if not first and is_config(path):
            first = next((f for f in change.facts if re.search(r": .*\d", f) and len(f) < 60), "")
        return f"Changed {', '.join(found.changed[:3])} in {path}{': ' + first if first else ''}"
    if found.removed:
        return f"Removed {', '.join(found.removed[:3])} from {path}"
    return f"Changed {path}: {first}" if first else f"Changed {path}"


def _row(change: FileChange, intent: str) -> Draft:
    draft = Draft(f"file:{change.path}", kind(change, intent), headline(change), importance=2)
    fill(draft, change)
    draft.concepts = ["what-changed"]
    return draft


def _shared(changes: list[FileChange], intent: str) -> Draft:
    folders = list(
        dict.fromkeys(change.path.split("/")[0] for change in changes if "/" in change.path)
    )
    names = list(dict.fromkeys(name(change.path) for change in changes))
    where = f"files in {', '.join(folders[:4])}: " if folders else ""
    draft = Draft(f"files:{changes[0].path}", "change", f"Changed {where}{', '.join(names)}")
    draft.concepts, draft.covered = ["what-changed"], True
    for verb, group in (
        ("Added", [c for c in changes if c.created]),
        ("Changed", [c for c in changes if not c.created]),
    ):
        paths = [change.path for change in group]
        for at in range(0, len(paths), 6):
            draft.add_fact(f"{verb} {', '.join(paths[at : at + 6])}")
    for change in changes:
        for line in change.facts[:3]:
            draft.add_fact(f"{line} ({change.path})" if len(line) < 120 else line)
        draft.steps += [step for step in change.steps if step not in draft.steps]
        draft.files_modified.append(change.path)
        draft.symbols += change.symbols.all[:4]
    kinds = {kind(change, intent) for change in changes}
    draft.type = kinds.pop() if len(kinds) == 1 else "refactor" if intent == "reshape" else "change"
    return draft


def _renames(changes: list[FileChange]) -> tuple[list[Draft], list[FileChange]]:
    """A rename across several files is one thing, not one a file."""
    counts = Counter(pair for change in changes for pair in change.renames.items())
    drafts: list[Draft] = []
    taken: list[FileChange] = []
    for (old, new), times in counts.most_common(2):
        files = [c for c in changes if c.renames.get(old) == new and c not in taken]
        if times < 2 or len(files) < 2:
            continue
        where = ", ".join(change.path for change in files)
        draft = Draft(
            f"rename:{old}",
            "refactor",
            shorten(f"Renamed {old} to {new} in {where}", 100),
            importance=2,
        )
        for change in files:
            fill(draft, change)
        draft.concepts = ["what-changed"]
        drafts.append(draft)
        taken += files
    return drafts, [change for change in changes if change not in taken]


def _alike(changes: list[FileChange]) -> tuple[list[Draft], list[FileChange]]:
    """The same value changed in several files is one thing, too."""
    groups: dict[str, list[FileChange]] = {}
    for change in changes:
        told = [fact for fact in change.facts if " changed from " in fact]
        if told and not change.created:
            groups.setdefault("; ".join(told[:2]), []).append(change)
    drafts: list[Draft] = []
    for told_first, files in groups.items():
        if len(files) < 2:
            continue
        where = ", ".join(change.path for change in files)
        draft = Draft(
            f"value:{files[0].path}",
            kind(files[0], ""),
            shorten(f"{told_first} in {where}", 100),
            importance=2,
        )
        for change in files:
            fill(draft, change)
        draft.concepts = ["what-changed"]
        drafts.append(draft)
    taken = {
        change.path for draft in drafts for change in changes if change.path in draft.files_modified
    }
    return drafts, [change for change in changes if change.path not in taken]


def _beside(change: FileChange, drafts: list[Draft]) -> None:
    """Puts a test or a document on the row of what it belongs to."""
    if not drafts:
        return
    stem = re.sub(
        r"^test_|(?:_test|_spec|\.test|\.spec|Tests?)$",
        "",
        name(change.path).split(".")[0] or change.path,
    )
    stem = re.sub(r"(?:\.test|\.spec)$", "", stem).lower()
    match = next(
        (d for d in drafts if any(stem and stem in f.lower() for f in d.files_modified)), drafts[0]
    )
    match.files_modified.append(change.path)
    match.steps += [step for step in change.steps if step not in match.steps]
    if change.removed or change.moved:
        match.add_fact(headline(change))
    elif change.symbols.all:
        verb = "Tests" if is_test(change.path) else "Updated"
        match.add_fact(f"{verb}: {', '.join(change.symbols.all[:6])} in {change.path}")
        match.symbols += change.symbols.all[:6]
    else:
        match.add_fact(f"{'Added' if change.created else 'Updated'} {change.path}")
    for line in change.facts[:2]:
        if " changed from " in line or is_doc(change.path):
            match.add_fact(line)


def install_rows(found: list[Install]) -> list[Draft]:
    """A row for what was installed."""
    if not found:
        return []
    first = found[0]
    text = "; ".join(dict.fromkeys(install.text() for install in found))
    row = Draft(
        f"install:{first.names[0]}", "change", text, importance=2, concepts=["what-changed"]
    )
    for install in found:
        row.add_fact(install.text())
        if install.step not in row.steps:
            row.steps.append(install.step)
    return [row]
