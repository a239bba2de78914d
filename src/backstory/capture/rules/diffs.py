"""A change put in words: which value became which, what was renamed, what is new."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass, field

from backstory.capture.rules.wordlist import wordlist

_PAIRED_LINES = 40
_WORDS = 120
_LINE = 160

_TOKEN = re.compile(
    r"[A-Za-z_$][\w$]*|\d[\w]*(?:\.\w+)*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\s+|."
)
_LITERAL = re.compile(
    r"^(?:[\"'`].*[\"'`]|[-\d.]*\d[\w.%]*|true|false|True|False|None|null|nil)$", re.DOTALL
)
_IDENTIFIER = re.compile(r"^[A-Za-z_$][\w$]*$")
_NAME_BEFORE = re.compile(
    r"([A-Za-z_$@][\w.$/@-]*)(?:\[[\w,]*\])?[\"']?\s*(?:\]?\s*(?:[:=~<>^!]+|:=|=>|\(|\s|>|@|"
    r",)\s*[\"'\[({^~>=v]*)$"
)
_IMPORTED = re.compile(r"(?:\bfrom|\bimport|\brequire\()\s*$")
_CLEAN = re.compile(r"^[\w$@\"'-][^\s,;]{0,50}[\w\"')\]]$")  # a piece that can stand by itself
_FIRST_NAME = re.compile(r"[A-Za-z_][\w.-]{2,}")
_COMMON = wordlist(
    "return const let var def if else for while in is not and or the a self this new public "
    "private static final int str string bool float void await async from import export "
    "default type"
)


@dataclass(slots=True)
class Words:
    """One file's change in words."""

    values: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> old, new
    renames: dict[str, str] = field(default_factory=dict)
    swaps: list[tuple[str, str]] = field(default_factory=list)  # short pieces, old -> new
    added: list[str] = field(default_factory=list)  # whole lines
    removed: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)  # changed lines that hold other values, too


def describe(pairs: list[tuple[list[str], list[str]]]) -> Words:
    """What pairs of removed and added lines come to, in the order of the edits."""
    words = Words()
    swapped: Counter[tuple[str, str]] = Counter()
    for removed, added in pairs:
        _pair(removed, added, words, swapped)
    for (old, new), times in swapped.items():
        if _IDENTIFIER.match(old) and _IDENTIFIER.match(new) and times > 1 and len(old) > 2:
            words.renames[old] = new
    words.swaps = [
        swap
        for swap in words.swaps
        if not any(old in swap[0] and new in swap[1] for old, new in words.renames.items())
    ]
    words.added = [line for line in words.added if line not in words.removed]
    return words


def _pair(
    removed: list[str], added: list[str], words: Words, swapped: Counter[tuple[str, str]]
) -> None:
    if len(removed) > _PAIRED_LINES or len(added) > _PAIRED_LINES:
        words.removed += removed
        words.added += added
        return
    rest = list(added)
    for index, old in enumerate(removed):
        beside = added[index] if len(removed) == len(added) else ""
        new = beside if beside in rest and _akin(old, beside) else _closest(old, rest)
        if new is None:
            words.removed.append(old)
            continue
        rest.remove(new)
        if old.strip() != new.strip() and not _line(old, new, words, swapped):
            words.removed.append(old)
            words.added.append(new)
    words.added += rest


def _closest(old: str, lines: list[str]) -> str | None:
    best = difflib.get_close_matches(old.strip(), [line.strip() for line in lines], 1, 0.6)
    return next(line for line in lines if line.strip() == best[0]) if best else None


def _akin(old: str, new: str) -> bool:
    """Whether a line in the same place is the same line, changed."""
    before, after = set(_TOKEN.findall(old.strip())), set(_TOKEN.findall(new.strip()))
    return len(before & after) * 2 >= min(len(before), len(after))


def _line(old: str, new: str, words: Words, swapped: Counter[tuple[str, str]]) -> bool:
    """Tells one line's change from its tokens; False when it is a different line."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(before) > _WORDS or len(after) > _WORDS:
        return False
    codes = [
        code
        for code in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if code[0] != "equal"
    ]
    if not codes or len(codes) > 4:
        return False
    found = False
    for tag, i1, i2, j1, j2 in codes:
        was, now = "".join(before[i1:i2]).strip(), "".join(after[j1:j2]).strip()
        if tag == "replace" and _IMPORTED.search("".join(before[:i1])):
            found = True  # where a module lies now is told by the file that moved
        elif tag == "replace" and _LITERAL.match(was) and _LITERAL.match(now):
            name = _name("".join(before[:i1]), old)
            first = words.values.get(name, (was, ""))[0]
            words.values[name] = (first, now)
            found = True
            literals = [token for token in after if _LITERAL.match(token)]
            if len(literals) > 1 and len(new) <= _LINE:
                words.beside.append(new.strip())
        else:
            swapped[was, now] += 1
            swap = (_around(before, i1, i2), _around(after, j1, j2))
            whole = not all(_stands(part) for part in swap) or len(codes) > 2
            words.swaps.append((old.strip(), new.strip()) if whole else swap)
            found = True
    words.swaps = list(dict.fromkeys(words.swaps))
    return found


def _stands(piece: str) -> bool:
    return bool(_CLEAN.match(piece)) and piece.count("(") == piece.count(")")


def _name(text: str, line: str) -> str:
    """What a changed value belongs to: the word before it, or the line's first name."""
    if (found := _NAME_BEFORE.search(text)) and found[1] not in _COMMON:
        return found[1].strip("-.")
    for name in _FIRST_NAME.findall(line):
        if name.lower() not in _COMMON:
            return str(name)
    return line.strip()[:40]


def _around(words: list[str], start: int, end: int) -> str:
    """A piece with what it is glued to, so that `line` reads as `cart.line`."""
    while start > 0 and end - start < 12 and re.match(r"[\w.$@-]$|\w+$", words[start - 1]):
        start -= 1
    while end < len(words) and end - start < 12 and re.match(r"[\w.$(-]$|\w+$", words[end]):
        end += 1
    return "".join(words[start:end]).strip()


def phrases(words: Words) -> list[str]:
    """The change as facts, the most telling first."""
    lines = [f"Renamed {old} to {new}" for old, new in words.renames.items()]
    for name, (old, new) in words.values.items():
        if old != new:
            lines.append(f"{name} changed from {_bare(old)} to {_bare(new)}")
    lines += [f"Now: {line}" for line in words.beside[-2:]]
    for old, new in words.swaps[:4]:
        if len(old) <= 60 and len(new) <= 90:
            lines.append(f"{old} → {new}")
        elif len(new) <= 160:
            lines.append(f"Now: {new}")
    return list(dict.fromkeys(lines))


def _bare(literal: str) -> str:
    return literal.strip("\"'`") or "an empty string"
