"""What texts are made of that cannot be parsed: data of `lexis.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CLOSERS = {b"(": b")", b"[": b"]", b"{": b"}", b"do": b"end"}
OPENERS = {closer: opener for opener, closer in CLOSERS.items()}
# what may follow a string at the end of its line, and bytes before that end it is looked for in
PUNCTUATION = re.compile(rb"[ \t]*[)\]}:;,{ \t]*(?:do)?(?:[ \t]*\|[^|\n]*\|)?$")
REACH = 200
_REST = rb"|(?P<quote>\"\"\"|'''|[\"'`])|(?P<bracket>[()\[\]{}])"
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
