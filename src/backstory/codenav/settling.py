"""A text whose brackets and quotes are made to agree wherever its indents say that they should.

What is indented below a line belongs to that line. So each block has to close all that it opens:
one that does not is gone into until a single statement is left that is to blame, and that one is
closed. However many places are broken, each is mended where it stands, in one walk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backstory.codenav.edits import Edit, edited, merged
from backstory.codenav.lexis import CLOSERS, OPENERS
from backstory.codenav.pages import Page, depth_of, mark_of
from backstory.codenav.quotes import lost_holes, lost_quotes
from backstory.codenav.units import Unit, Work

_BARE = re.compile(rb"\b(?:fn|func|fun|function)\s+\w+$")
_HEAD = re.compile(  # of Python, without its colon
    rb"(?:async\s+)?(def|class)\s+\w+(\((?:(?!\)\s*(?:->[^:]*)?:).)*\)(?:\s*->[^:]*)?)?", re.DOTALL
)
_BLOCKS = (b"}", b"end")
_MOST_EDITS = 24
_FEW_EDITS = 8  # in a text whose brackets agree
_MOST_LEVELS = 200
_PASSES = 40  # that all rows are looked at


@dataclass(frozen=True, slots=True)
class Settled:
    """What has to be put in and taken out."""

    edits: tuple[Edit, ...]
    lines: tuple[int, ...]  # from 1: of single statements that were mended


def settled(page: Page) -> Settled:
    """What makes each block of a text close what it opens; no edits where all do, or where its
    indents say something else in so many places that they say nothing."""
    text, whole = page.text, page
    quotes: Sequence[Edit] = lost_quotes(page)
    if quotes:
        whole = Page(edited(text, quotes), page.lexis)
    if holes := lost_holes(whole):
        quotes = merged(quotes, holes)
        whole = Page(edited(text, quotes), page.lexis)
    work = Work(whole.text, whole.lexis, whole.rows)
    work.left = _PASSES * len(work.rows)
    _level(work, 0, len(work.rows), [])
    if len(work.edits) > (_FEW_EDITS if page.agrees else _MOST_EDITS):
        return Settled((), ())
    lines = {*work.lines, *(text.count(b"\n", 0, at) + 1 for at, _, _ in quotes)}
    return Settled(merged(quotes, work.edits), tuple(sorted(lines)))


def _level(work: Work, low: int, high: int, around: list[Unit]) -> None:
    """Goes through some rows that stand below the same one, in what is `around` them."""
    if low >= high or len(work.edits) > _MOST_EDITS or len(around) > _MOST_LEVELS:
        return
    if _is_balanced(work, low, high):
        _begin_blocks(work, low, high)
        return
    flat: list[Unit] = []  # what opens a block that is not indented, or is half typed
    before: Unit | None = None
    at = low
    while at < high:
        unit = Unit(work, at, high, is_awaited=bool(flat))
        at = unit.end
        if unit.strays and before is not None and _takes(work, before, unit, flat):
            continue
        if before is not None:
            _mend_all(before.pending)
        if _is_balanced(work, unit.start, unit.end):
            _begin_blocks(work, unit.start, unit.end)
        else:
            if around:
                around[-1].take_back(unit)
            for start, end in unit.inner:
                _level(work, start, end, [*around, unit])
            if unit.is_flat:
                flat.append(unit)
            else:
                unit.mend()
        before = unit
    if before is not None:
        _mend_all(before.pending)
    if around:
        around[-1].pending += flat
    else:
        _mend_all(flat)


def _mend_all(units: list[Unit]) -> None:
    for unit in units:
        unit.mend()


def _begin_blocks(work: Work, low: int, high: int) -> None:
    """Where blocks are indents: a colon above what is indented, and something below a colon."""
    if not work.lexis.indented:
        return
    depth, start = 0, low
    for at in range(low, high):
        depth += depth_of(work.rows[at].tokens)
        below = work.rows[at + 1] if at + 1 < len(work.rows) else None
        if depth or (below is not None and not below.whole):
            continue
        row, end = work.rows[start], work.rows[at].end
        start = at + 1
        holds = below is not None and below.indent > row.indent
        ending = work.text[end - 1 : end]
        if holds and ending not in (b":", b"\\"):
            work.put(end, b":")
        elif not holds and ending == b":":
            work.put(end, b" pass")
        elif not holds and (head := _HEAD.fullmatch(work.text, row.first, end)):
            work.put(end, b"(): pass" if head[1] == b"def" and not head[2] else b": pass")


def _takes(work: Work, before: Unit, unit: Unit, flat: list[Unit]) -> bool:
    """Whether what closes nothing closes something further up."""
    token, at = unit.strays[0]
    if len(unit.strays) > 1 or token.start() != work.rows[unit.start].first or at != unit.start:
        return False
    mark = OPENERS[token[0]]
    if unit.opened or unit.inner:
        return False
    if flat and flat[-1].opened[-1].mark == mark:
        flat.pop()
        return True
    if mark == b"{" and before.pending:
        before.pending.pop(0)  # its end stands further left
        return True
    if mark not in (b"{", b"do") or not before.inner or before.opened:
        return False
    head = work.rows[before.inner[0][0] - 1]  # where what it closes should be
    if work.text.startswith(b"{", head.end - 1):
        return False
    is_bare = mark == b"{" and _BARE.search(work.text, head.first, head.end)
    work.put(head.end, b"() {" if is_bare else b" " + mark)
    return True


def _is_balanced(work: Work, low: int, high: int) -> bool:
    """Whether some rows close all that they open, at no deeper indent, or are not looked at."""
    work.left -= high - low
    if work.left < 0:
        return True
    expected: list[tuple[bytes, int]] = []
    for row in work.rows[low:high]:
        for token in row.tokens:
            mark = mark_of(token)
            if mark is None:
                if token.lastgroup == "quote":
                    return False
            elif mark in CLOSERS:
                column = row.indent
                if mark == b"do":  # what closes it may stand below the word
                    column += token.end() - len(token[0].split()[-1]) - row.first
                expected.append((CLOSERS[mark], column))
            elif not expected:
                return False
            else:
                closer, column = expected.pop()
                begins = row.whole and token.start() == row.first
                if closer != mark or (begins and mark in _BLOCKS and row.indent > column):
                    return False
    return not expected
