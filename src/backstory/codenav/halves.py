"""Lines that somebody seems to be writing just now, told by how they end."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from backstory.codenav.edits import Edit
from backstory.codenav.lexis import Lexis, Row, rows_of

Region = tuple[int, int]  # first and last line, from 1, of what cannot be read

_HALF = re.compile(  # an end that leads on, a condition without its body, a bracket < alone
    rb"(?:[\w)\]?!]\s*(?:\.|->|::|==|!=|&&|\|\||<<|\s\?|\?\?|\?:|=|\+|-)"
    rb"|^\s*(?:if|elif|elsif|else if|while|for|foreach|switch|match|guard|case|when|unless|until"
    rb"|let|var|val|const|def|class|import|throw|new|await|try|begin|lambda)\b[^{};:]*"
    rb"|^\s*(?:let|var|val|const|private|public|protected)\s[\w ]+:"
    rb"|^\s*[@&$*]|^[^<>;]*\w<[\w, ]*|\b(?:new|if)|=>)\s*\{?\s*$"
)
_CLOSES = (b")", b"]", b"}", b"{", b".", b"?", b":", b"&", b"|", b"+", b"-", b"*", b"/", b"=", b"<")
_DEPTHS = {b"{": 1, b"(": 1, b"[": 1, b"do": 1, b"}": -1, b")": -1, b"]": -1, b"end": -1}
_FEW_LINES = 3
_NEAR = 4  # rows above a place that cannot be read
_MOST = 40


def blanked(
    text: bytes,
    lexis: Lexis,
    regions: Sequence[Region],
    mended: Collection[int],
    done: Collection[int],
) -> tuple[list[Edit], list[int]]:
    """The lines to take out so that some regions may be read: (edits, their lines from 1).

    `mended` are lines that were closed already, `done` those that are not looked at again.
    """
    rows = rows_of(text, lexis)
    at_line = {row.number + 1: at for at, row in enumerate(rows)}
    chosen: dict[int, int] = {}
    for first, last in regions:
        for line in _lines(text, lexis, rows, at_line, (first, last), mended, done):
            if len(chosen) < _MOST:
                chosen[line] = at_line[line]
    edits = [_blank(text, lexis, rows, at) for at in sorted(chosen.values())]
    return [edit for edit in edits if edit], sorted(chosen)


def _lines(
    text: bytes,
    lexis: Lexis,
    rows: Sequence[Row],
    at_line: dict[int, int],
    region: Region,
    mended: Collection[int],
    done: Collection[int],
) -> list[int]:
    first, last = region
    near = [line for line in range(first - _NEAR, last + 1) if line in at_line and line not in done]
    found = [line for line in near if line in mended]
    if not found or last - first > _FEW_LINES:
        found += [line for line in near if _is_half(text, lexis, rows, at_line[line])]
    if found or last - first > _FEW_LINES:
        return found
    for line in (*range(first, last + 1), first - 1):
        if line in near and not lexis.head.match(text, rows[at_line[line]].start):
            return [line]
    return []


def _is_half(text: bytes, lexis: Lexis, rows: Sequence[Row], at: int) -> bool:
    row = rows[at]
    said = text[row.start : row.end]
    if not row.whole or lexis.head.match(said) or not _HALF.search(said):
        return False
    if at + 1 == len(rows):
        return True
    below = rows[at + 1]
    if below.indent > row.indent:
        return False
    return not (below.indent == row.indent and text.startswith(_CLOSES, below.first)) and not _ends(
        text, below
    )


def _ends(text: bytes, row: Row) -> bool:
    return bool(re.match(rb"end\b", text[row.first : row.end]))


def _blank(text: bytes, lexis: Lexis, rows: Sequence[Row], at: int) -> Edit | None:
    row = rows[at]
    said = text[row.first : row.end]
    is_head = at + 1 < len(rows) and rows[at + 1].indent > row.indent
    if any(token.end() > row.end for token in row.tokens):
        return None
    depth = sum(
        _DEPTHS.get((token.lastgroup == "open" and b"do") or token[0], 0) for token in row.tokens
    )
    kept = b""
    if lexis.indented:
        kept = b"if 1:" if said.endswith(b":") and is_head else b"pass"
        if depth:
            return None
    elif depth == 1 and said.endswith(b"{"):
        kept = b"{"
    elif depth:
        return None
    return (row.first, row.end, kept)
