"""Files in the middle of a merge: git's markers, and the sides between them.

The markers are as `git merge` writes them, also with the common ancestor between (`diff3`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKER = re.compile(r"^(?:<{7}|\|{7}|>{7})(?: [^\n]*)?$|^={7}$", re.MULTILINE)
_START = "<<<<<<<"


@dataclass(frozen=True, slots=True)
class Merged:
    """A text without its markers; each line keeps its number."""

    both: str  # with both sides, one after the other
    ours: str  # with the first side alone
    conflicts: tuple[tuple[int, int], ...]  # first and last line of each, with its markers


def merged(text: str) -> Merged | None:
    """What a text in the middle of a merge comes to; None for one that is in none."""
    if _START not in text or not _MARKER.search(text):
        return None
    both, ours = text.split("\n"), text.split("\n")
    found: list[tuple[int, int]] = []
    start, side = -1, ""
    for at, raw in enumerate(text.split("\n")):
        line = raw.rstrip("\r")
        mark = line[:7] if _MARKER.fullmatch(line) else ""
        if mark == _START:
            start, side = at, "ours"
        elif start < 0:
            continue
        elif mark == "|||||||" and side == "ours":
            side = "base"
        elif mark == "=======" and side in ("ours", "base"):
            side = "theirs"
        elif mark == ">>>>>>>" and side == "theirs":
            found.append((start + 1, at + 1))
            start, side = -1, ""
    for first, last in found:
        _clear(both, ours, first - 1, last - 1)
    return Merged("\n".join(both), "\n".join(ours), tuple(found)) if found else None


def _clear(both: list[str], ours: list[str], first: int, last: int) -> None:
    """Empties the markers of one conflict, its ancestor, and in `ours` the other side."""
    side = "ours"
    for at in range(first, last + 1):
        line = both[at].rstrip("\r")
        mark = line[:7] if _MARKER.fullmatch(line) else ""
        side = {"|||||||": "base", "=======": "theirs"}.get(mark, side)
        if mark or side == "base":
            both[at] = ours[at] = ""
        elif side == "theirs":
            ours[at] = ""
