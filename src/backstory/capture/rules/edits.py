"""Every file that the turn changed, each once, from write events that succeeded."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backstory.capture.rules import diffs, symbols
from backstory.capture.rules.declared import declarations, imports
from backstory.capture.rules.shellfiles import FileEffect, effects
from backstory.capture.rules.steps import Step
from backstory.capture.rules.steps import field as text_field

_PARSED = 500_000  # characters of a turn's files that are parsed; beyond, patterns must do
_DIFF_LINES = 4_000

Pair = tuple[list[str], list[str]]  # removed and added lines of one place


@dataclass(slots=True)
class FileChange:
    """What one turn did to one file."""

    path: str
    actions: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    before: str | None = None  # whole text before the first edit, None = not known
    after: str | None = None  # whole text after the last one, None = not known
    pairs: list[Pair] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)  # for each pair, the step that made it
    notes: list[str] = field(default_factory=list)
    source: str = ""  # the path that it was moved or copied from
    symbols: symbols.Symbols = field(default_factory=symbols.Symbols)
    facts: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    values: dict[str, tuple[str, str]] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)

    def during(self, first: int, last: int) -> list[str]:
        """What the edits between two steps of the turn came to, in words."""
        pairs = [
            pair for pair, at in zip(self.pairs, self.owners, strict=False) if first < at < last
        ]
        return diffs.phrases(diffs.describe(pairs))

    @property
    def created(self) -> bool:
        """Whether the file was not there before."""
        return bool(self.actions) and self.actions[0] == "create" and not self.before

    @property
    def removed(self) -> bool:
        """Whether the file is gone at the end."""
        return bool(self.actions) and self.actions[-1] == "remove"

    @property
    def moved(self) -> bool:
        """Whether the file came from another path."""
        return "move" in self.actions


def collect(steps: list[Step], root: str) -> dict[str, FileChange]:
    """The changed files of the turn by path, in the order of their first change."""
    changes: dict[str, FileChange] = {}
    for step in steps:
        if not step.ok:
            continue
        if step.kind == "edit" and step.path:
            change = changes.setdefault(step.path, FileChange(step.path))
            change.steps.append(step)
            _apply(change, step)
            _own(change, step)
        elif step.kind == "shell":
            for effect in effects(step, root):
                _effect(changes, effect, step)
    left = _PARSED
    for change in changes.values():
        left -= len(change.before or "") + len(change.after or "")
        _tell(change, parse=left >= 0)
    return changes


def change_by(step: Step) -> FileChange:
    """What one write event did to its file, in lines; not put in words."""
    change = FileChange(step.path)
    _apply(change, step)
    return change


def _own(change: FileChange, step: Step) -> None:
    change.owners += [step.index] * (len(change.pairs) - len(change.owners))


def _apply(change: FileChange, step: Step) -> None:
    given: Mapping[str, Any] = step.use.input
    out = step.output
    if step.use.name == "Write":
        content = text_field(out, "content") or text_field(given, "content")
        known = text_field(out, "originalFile") or change.after
        created = not known and text_field(out, "type") != "update"
        change.actions.append("create" if created else "modify")
        if change.before is None:
            change.before = known or ("" if created else None)
        change.pairs += _between(known or "", content)
        change.after = content
    elif step.use.name == "NotebookEdit":
        change.actions.append("modify")
        change.pairs.append(([], text_field(given, "new_source").splitlines()))
    else:
        change.actions.append("modify")
        whole = text_field(out, "originalFile") or change.after
        if change.before is None and whole:
            change.before = whole
        patch = _patch(out)
        change.pairs += patch
        for old, new, everywhere in _replacements(given, out):
            pairs, whole = _replace(whole, old, new, everywhere)
            change.pairs += [] if patch else pairs
        change.after = whole


def _replacements(given: Mapping[str, Any], out: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    edits = given.get("edits")
    if isinstance(edits, list):
        return [
            (text_field(e, "old_string"), text_field(e, "new_string"), bool(e.get("replace_all")))
            for e in edits
            if isinstance(e, Mapping)
        ]
    old = text_field(out, "oldString") or text_field(given, "old_string")
    new = text_field(out, "newString") or text_field(given, "new_string")
    return [(old, new, bool(given.get("replace_all") or out.get("replaceAll")))]


def _replace(
    whole: str | None, old: str, new: str, everywhere: bool
) -> tuple[list[Pair], str | None]:
    """The lines that a replacement changes, and the text after it, where that is known."""
    if whole and old and old in whole:
        edited = whole.replace(old, new) if everywhere else whole.replace(old, new, 1)
        # Whole lines tell more than the piece that was sent: `x` alone has no name before it.
        return _around(whole, old, new, everywhere), edited
    # An empty old text creates the file; otherwise the text known so far does not fit.
    return _between(old, new), new if not old and not whole else None


def _patch(out: Mapping[str, Any]) -> list[Pair]:
    hunks = out.get("structuredPatch")
    pairs: list[Pair] = []
    for hunk in hunks[:60] if isinstance(hunks, list) else []:
        lines = hunk.get("lines") if isinstance(hunk, Mapping) else None
        removed: list[str] = []
        added: list[str] = []
        for line in [*lines, " "] if isinstance(lines, list) else []:
            if not isinstance(line, str):
                continue
            if line.startswith("-"):
                removed.append(line[1:])
            elif line.startswith("+"):
                added.append(line[1:])
            elif removed or added:
                pairs.append((removed, added))
                removed, added = [], []
    return pairs


def _around(whole: str, old: str, new: str, everywhere: bool) -> list[Pair]:
    pairs: list[Pair] = []
    at = whole.find(old)
    while at >= 0 and len(pairs) < 20:
        start = whole.rfind("\n", 0, at) + 1
        end = whole.find("\n", at + len(old))
        end = len(whole) if end < 0 else end
        pairs += _between(whole[start:end], whole[start:at] + new + whole[at + len(old) : end])
        at = whole.find(old, at + len(old)) if everywhere else -1
    return pairs


def _between(old: str, new: str) -> list[Pair]:
    before, after = old.splitlines(), new.splitlines()
    if not before or not after or len(before) + len(after) > _DIFF_LINES:
        return [(before, after)] if before or after else []
    codes = difflib.SequenceMatcher(None, before, after, autojunk=True).get_opcodes()
    return [(before[i1:i2], after[j1:j2]) for tag, i1, i2, j1, j2 in codes if tag != "equal"]


def _effect(changes: dict[str, FileChange], effect: FileEffect, step: Step) -> None:
    if effect.action == "folder":
        return
    change = changes.setdefault(effect.path, FileChange(effect.path))
    change.steps.append(step)
    action = effect.action
    if action == "create" and change.actions:
        action = "modify"
    change.actions.append("create" if action == "download" else action)
    if effect.swap is not None:
        change.pairs.append(([effect.swap[0]], [effect.swap[1]]))
        _own(change, step)
    elif effect.note:
        change.notes.append(effect.note)
    if effect.source:
        change.source = effect.source
        if effect.action == "move" and (old := changes.pop(effect.source, None)):
            change.steps = old.steps + change.steps
            change.pairs, change.owners = old.pairs, old.owners
            change.before, change.after = old.before, old.after
    elif effect.content is not None:
        lines = effect.content.splitlines()
        change.pairs.append(([], lines))
        _own(change, step)
        if effect.action == "create":
            change.before = change.before if change.before is not None else ""
            change.after = effect.content
    elif effect.action != "remove":
        change.after = None


def _tell(change: FileChange, *, parse: bool) -> None:
    words = diffs.describe(change.pairs)
    final = change.after
    change.renames = words.renames = {
        old: new
        for old, new in words.renames.items()
        # a name that is still in use was replaced in places, not renamed
        if final is None or not re.search(rf"\b{re.escape(old)}\b", final)
    }
    change.values = {
        name: value for name, value in words.values.items() if final is None or value[1] in final
    }
    words.values = change.values
    if change.before is not None and final is not None and parse:
        change.symbols = symbols.compare(change.path, change.before, final)
    else:
        added = "\n".join(line for _, lines in change.pairs for line in lines)
        removed = "\n".join(line for lines, _ in change.pairs for line in lines)
        change.symbols = symbols.by_pattern(removed, added)
    still = [line for line in words.added if final is None or line in final]
    change.imports = imports(still)
    facts = change.notes + diffs.phrases(words) + declarations(change.path, still)
    if not change.created and not change.removed:
        gone = [line.strip() for line in words.removed if line.strip()]
        if gone and not still and not words.values:
            facts.append(f"Removed: {gone[0]}")
    change.facts = list(dict.fromkeys(facts))
