"""A text as its tokens and its lines; each is found once, and only where it is asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from backstory.codenav.lexis import CLOSERS, OPENERS, Lexis, width, without_hidden

_COMMENT = re.compile(rb"[ \t]*(?://|/\*|#(?!#*\")|--|=begin|\?>)|.*<\?(?:php|=)\Z", re.DOTALL)
_KINDS = frozenset({"quote", "bracket", "end", "open"})
_CODE = re.compile(rb"^[^\S\n]*(\S(?:.*\S)?)", re.MULTILINE)


@dataclass(slots=True)
class Row:
    """A line with code."""

    number: int  # from 0
    start: int
    first: int  # where its code begins
    end: int  # where its code ends
    indent: int
    whole: bool  # it begins in no string
    tokens: list[re.Match[bytes]] = field(default_factory=list)


class Page:
    """A text of one language."""

    def __init__(self, text: bytes, lexis: Lexis) -> None:
        self.text = text
        self.lexis = lexis

    @cached_property
    def hidden(self) -> bytes:
        """The text with blanks where it is no code, apart from its beginning."""
        return without_hidden(self.text, self.lexis)

    @cached_property
    def tokens(self) -> list[re.Match[bytes]]:
        """Its brackets, quotes, strings and comments."""
        return list(self.lexis.token.finditer(self.hidden))

    @cached_property
    def agrees(self) -> bool:
        """Whether each of its brackets and blocks has its other end, and each quote."""
        expected: list[bytes] = []
        for token in self.tokens:
            mark = mark_of(token)
            if mark is None:
                if token.lastgroup == "quote":
                    return False
            elif mark in CLOSERS:
                expected.append(CLOSERS[mark])
            elif not expected or expected.pop() != mark:
                return False
        return not expected

    @cached_property
    def rows(self) -> list[Row]:
        """The lines that hold code, with their brackets and quotes."""
        starts = [0, *(found.end() for found in re.finditer(rb"\n", self.text))]
        inside, comments, tokens = self._by_line(starts)
        rows: list[Row] = []
        number = 0
        for code in _CODE.finditer(self.hidden):
            first, end = code.span(1)
            number = bisect_right(starts, first, number) - 1
            start = starts[number]
            is_inside = number in inside
            if is_inside and number not in tokens:
                continue
            if number in comments and comments[number] < end:
                end = comments[number]
                end -= end - start - len(self.hidden[start:end].rstrip())
                if end <= first:
                    continue
            indent = first - start
            if b"\t" in self.hidden[start:first]:
                indent = width(self.hidden[start:first])
            rows.append(
                Row(number, start, first, end, indent, not is_inside, tokens.get(number, []))
            )
        return rows

    def _by_line(
        self, starts: list[int]
    ) -> tuple[set[int], dict[int, int], dict[int, list[re.Match[bytes]]]]:
        """The lines that begin in a string or comment, where a comment begins that ends a line,
        and the tokens of each line."""
        text, most = self.text, len(starts)
        inside: set[int] = set()
        comments: dict[int, int] = {}
        tokens: dict[int, list[re.Match[bytes]]] = {}
        first = 0
        for token in self.tokens:
            start, end = token.span()
            while first + 1 < most and starts[first + 1] <= start:
                first += 1
            if token.lastgroup is None or token.lastgroup not in _KINDS:
                stop = starts[first + 1] if first + 1 < most else len(text)
                if _COMMENT.match(token[0]) and not text[end:stop].strip():
                    comments.setdefault(first, start)
                if end <= stop:
                    continue
                last = bisect_right(starts, max(start, end - 1)) - 1
                inside.update(range(first + 1, last + 1))
            tokens.setdefault(first, []).append(token)
        return inside, comments, tokens


def mark_of(token: re.Match[bytes]) -> bytes | None:
    """The bracket that a token is; None for what is none."""
    kind = token.lastgroup
    if kind == "open":
        return b"do"
    return token[0] if kind in ("bracket", "end") else None


def depth_of(tokens: Iterable[re.Match[bytes]]) -> int:
    """How many more brackets some tokens open than they close."""
    marks = [mark_of(token) for token in tokens]
    return sum((mark in CLOSERS) - (mark in OPENERS) for mark in marks)
