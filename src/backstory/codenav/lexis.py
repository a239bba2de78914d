"""What texts are made of that cannot be parsed: data of `lexis.toml`."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

_REST = rb"|(?P<quote>\"\"\"|'''|[\"'`])|(?P<bracket>[()\[\]{}])"
_OTHERS = {b"(": b")", b"[": b"]", b"{": b"}"}
_COMMENT = re.compile(rb"[ \t]*(?://|/\*|#(?!#*\")|--|=begin|\?>)|.*<\?(?:php|=)\Z", re.DOTALL)
_ENDS = rb"|(?P<end>\bend\b(?![?!:]))|(?P<open>%s)"


@dataclass(frozen=True, slots=True)
class Lexis:
    """What a text of one language is made of."""

    token: re.Pattern[bytes]  # groups: quote, bracket, end, open; no group for what is skipped
    head: re.Pattern[bytes]  # what defines something, at the beginning of a line
    long: tuple[bytes, ...] = ()  # what opens a string over several lines
    ends: bool = False  # blocks end with a word
    indented: bool = False  # blocks are indents
    semicolons: bool = False  # statements end with one
    terminated: bool = False  # no statement ends with a word
    hole: bytes = b""  # what begins code in a string
    hidden: re.Pattern[bytes] | None = None  # its last group is no code, where a token goes on


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


def lexis_of(name: str) -> Lexis | None:
    """The lexis of a language, None where there is none."""
    return _all().get(name)


@cache
def _all() -> Mapping[str, Lexis]:
    text = files(__package__ or "backstory.codenav").joinpath("lexis.toml").read_text("utf-8")
    result: dict[str, Lexis] = {}
    for name, row in tomllib.loads(text).items():
        rest = _REST
        if row.get("ends"):
            rest += _ENDS % row["opens"].encode()
        one = Lexis(
            re.compile(row["skip"].encode() + rest, re.MULTILINE | re.DOTALL),
            re.compile(rb"^[ \t]*(?:" + row["head"].encode() + rb")", re.MULTILINE),
            tuple(mark.encode() for mark in row.get("long", ())),
            row.get("ends", False),
            row.get("indented", False),
            row.get("semicolons", False),
            row.get("terminated", False),
            row.get("hole", "").encode(),
            re.compile(row["hidden"].encode(), re.MULTILINE | re.DOTALL)
            if "hidden" in row
            else None,
        )
        result |= dict.fromkeys([name, *row.get("like", ())], one)
    return result


def agree(text: bytes, lexis: Lexis) -> bool:
    """Whether each bracket of a text has its other one, and each quote."""
    hidden = without_hidden(text, lexis)
    expected: list[bytes] = []
    for token in lexis.token.finditer(hidden):
        kind = token.lastgroup
        if kind == "bracket":
            mark = token[0]
            if mark in _OTHERS:
                expected.append(_OTHERS[mark])
            elif not expected or expected.pop() != mark:
                return False
        elif kind == "quote":
            return False
    return not expected


def rows_of(text: bytes, lexis: Lexis) -> list[Row]:
    """The lines of a text that hold code, with their brackets and quotes."""
    starts = [0, *(found.end() for found in re.finditer(rb"\n", text))]
    inside: set[int] = set()
    comments: dict[int, int] = {}
    tokens: dict[int, list[re.Match[bytes]]] = {}
    hidden = without_hidden(text, lexis)
    for token in lexis.token.finditer(hidden):
        start, end = token.span()
        first = bisect_right(starts, start) - 1
        if token.lastgroup not in ("quote", "bracket", "end", "open"):
            stop = starts[first + 1] if first + 1 < len(starts) else len(text)
            if _COMMENT.match(token[0]) and not text[end:stop].strip():
                comments.setdefault(first, start)
            last = bisect_right(starts, max(start, end - 1)) - 1
            if last == first:
                continue
            inside.update(range(first + 1, last + 1))
        tokens.setdefault(first, []).append(token)
    rows: list[Row] = []
    for number, start in enumerate(starts):
        end = starts[number + 1] - 1 if number + 1 < len(starts) else len(text)
        code = hidden[start : min(end, comments.get(number, end))].rstrip()
        first = start + len(blanks(code))
        if not code.strip() or (number in inside and number not in tokens):
            continue
        indent = width(hidden[start:first])
        rows.append(
            Row(
                number,
                start,
                first,
                start + len(code),
                indent,
                number not in inside,
                tokens.get(number, []),
            )
        )
    return rows


def without_hidden(text: bytes, lexis: Lexis) -> bytes:
    """A text of the same length with blanks where it is no code, apart from its beginning."""
    if not lexis.hidden:
        return text
    painted = bytearray(text)
    for found in lexis.hidden.finditer(text):
        start, end = found.span(found.re.groups)
        painted[start:end] = re.sub(rb"[^\n]", b" ", text[start:end])
    return bytes(painted)


def blanks(text: bytes) -> bytes:
    """What a line is indented with."""
    return text[: len(text) - len(text.lstrip(b" \t"))]


def width(indent: bytes) -> int:
    """The columns of an indent."""
    return len(indent.expandtabs(4))
