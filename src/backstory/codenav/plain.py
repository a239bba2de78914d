"""The shape of a text that is in no known language: headings, else indents, else blocks.

Standard library only, and no recursion: whatever crashed a parser can be shown by this.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Sequence

from backstory.codenav import tables
from backstory.codenav.headings import headings
from backstory.codenav.parts import Heading, Part, placed, sections, shown
from backstory.codenav.symbols import Symbol

MOST_SECTIONS = 400
_MOST_LINES = 200_000  # of which headings are looked for
_FIRST_WORDS = 80
_LINE_LENGTH = 400
_PIECES = 20  # of a text without any gap
_LONG = 60  # lines of a block that is worth cutting into pieces
_TAB = 4
_LEVELS = 3
_MARK = re.compile(r"^\s*(?:#+|//+|/\*+|\*|;+|--|<!--|\")\s+")  # of a comment


def plain_outline(
    text: str, path: str = "", deadline: float = math.inf
) -> tuple[str, tuple[Symbol, ...]]:
    """What a text is ("text", "csv", "tsv" or "log") and its sections.

    At most a few hundred, and at least one where any line has something on it. `deadline` is a
    value of `time.monotonic()`; after it, the text is cut into pieces without being understood.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    kind = tables.table_kind(lines, path)
    if kind and (found := tables.table(lines, kind)):
        return kind, found
    lines = [line[:_LINE_LENGTH].replace("\0", " ") for line in lines]
    if tables.is_log(lines):
        return "log", tables.log(lines)
    last = len(lines)
    if last <= _MOST_LINES and time.monotonic() < deadline:
        titles = _few(headings(lines, path))
        if titles and _tells_enough(titles, last):
            return "text", sections(_with_beginning(titles, lines), lines)
        indents = _indents(lines)
        if indents:
            return "text", sections(_few(indents), lines)
    return "text", _blocks(lines)


def _few(found: Sequence[Heading]) -> list[Heading]:
    """The outer ones of too many."""
    result = list(found)
    while len(result) > MOST_SECTIONS:
        deepest = max(one.rank for one in result)
        fewer = [one for one in result if one.rank < deepest]
        if not fewer:
            return _thinned(result)
        result = fewer
    return result


def _thinned(found: Sequence[Heading]) -> list[Heading]:
    """Every n-th one: its section goes on over those left out, and says how many they are."""
    step = math.ceil(len(found) / MOST_SECTIONS)
    return [
        Heading(
            one.rank,
            f"{shown(one.name, 60)} (and {len(found[at : at + step]) - 1} more)",
            one.line,
            one.at,
        )
        for at, one in list(enumerate(found))[::step]
    ]


def _tells_enough(titles: Sequence[Heading], last: int) -> bool:
    """Whether headings say more of the text than its blocks would."""
    return len(titles) >= max(2, last // 2_000) or last - titles[0].line < 40


def _with_beginning(titles: Sequence[Heading], lines: Sequence[str]) -> list[Heading]:
    """What stands before the first heading is a section too."""
    first = titles[0].at or titles[0].line
    at = next((at for at, line in enumerate(lines[: first - 1], 1) if line.strip()), 0)
    if not at:
        return list(titles)
    lowest = max(one.rank for one in titles)
    return [Heading(lowest, shown(lines[at - 1], _FIRST_WORDS), at), *titles]


def _indents(lines: Sequence[str]) -> list[Heading]:
    """The lines that deeper indented ones follow, where a text is written in that way."""
    result: list[Heading] = []
    filled = indented = 0
    above, above_at = -1, -1  # the depth and the place of the last line that says anything
    outer: list[int] = []
    for at, line in enumerate(lines):
        plain = line.strip()
        if not plain or not any(one.isalnum() for one in plain):
            continue
        depth = len(line.expandtabs(_TAB)) - len(line.expandtabs(_TAB).lstrip())
        filled += 1
        indented += depth > 0
        while outer and outer[-1] >= depth:
            outer.pop()
        if above >= 0 and depth > above and len(outer) < _LEVELS:
            while outer and outer[-1] >= above:
                outer.pop()
            result.append(
                Heading((len(outer),), shown(lines[above_at], _FIRST_WORDS), above_at + 1)
            )
            outer.append(above)
        above, above_at = depth, at
    many = len(result) >= 2 and 0.25 * filled <= indented <= 0.97 * filled
    return result if many else []


def _blocks(lines: Sequence[str]) -> tuple[Symbol, ...]:
    """What blank lines separate, by their first words."""
    blocks: list[tuple[int, int]] = []
    start = -1
    for at, line in enumerate(lines):
        if line.strip():
            start = at if start < 0 else start
        elif start >= 0:
            blocks.append((start, at - 1))
            start = -1
    if start >= 0:
        blocks.append((start, len(lines) - 1))
    if len(blocks) > MOST_SECTIONS:
        step = math.ceil(len(blocks) / MOST_SECTIONS)
        blocks = [
            (blocks[at][0], blocks[min(at + step, len(blocks)) - 1][1])
            for at in range(0, len(blocks), step)
        ]
    elif len(blocks) < _PIECES:
        blocks = [piece for block in blocks for piece in _pieces(*block)]
    return placed(list(_worded(blocks, lines)))


def _pieces(start: int, end: int) -> Iterable[tuple[int, int]]:
    """A long block in pieces of one length."""
    count = end - start + 1
    step = math.ceil(count / _PIECES) if count > _LONG else count
    for at in range(start, end + 1, step):
        yield at, min(at + step - 1, end)


def _worded(blocks: Iterable[tuple[int, int]], lines: Sequence[str]) -> Iterable[Part]:
    for start, end in blocks:
        filled = [line for line in lines[start : start + 50] if line.strip()] or lines[
            start : end + 1
        ]
        first = next((line for line in filled if any(one.isalnum() for one in line)), filled[0])
        first = _MARK.sub("", first, count=1).strip() or first
        yield Part(shown(first, _FIRST_WORDS), "section", start + 1, end + 1)
