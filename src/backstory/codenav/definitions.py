"""What the query of a language finds in a source: definitions, before they are put in order.

The captures of the query files are described in `queries/README.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import tree_sitter

from backstory.codenav.parse import Match

_SPACES = re.compile(r"\s+")
_NAME_LENGTH = 120


@dataclass(slots=True)
class Definition:
    """One definition. Positions are bytes."""

    start: int
    end: int
    at: int  # where its name stands
    pattern: int
    kind: str  # "" for an import
    name: str
    scope: str = ""  # what the source puts before the name elsewhere: a Go receiver
    level: int = 0  # of a heading-like definition, which goes on to the next one


def definitions(matches: Iterable[Match], text: bytes) -> list[Definition]:
    """The definitions of a source, outer ones before inner ones."""
    best: dict[int, Definition] = {}
    leading: dict[int, int] = {}  # end -> start of what belongs to the next definition
    for pattern, captures in matches:
        for node in captures.get("leading", ()):
            leading[node.end_byte] = node.start_byte
        one = _definition(pattern, captures, text)
        if one and (one.at not in best or pattern < best[one.at].pattern):
            best[one.at] = one
    result = [one for one in best.values() if one.kind]
    if leading:
        for one in result:
            _take_in_leading(one, leading, text)
    result.sort(key=lambda one: (one.start, -one.end, one.at))
    _close_headings(result, len(text))
    return result


def last_of(text: bytes, end: int, start: int = 0) -> int:
    """The position after the last byte before `end` that is no white space."""
    while end > start and text[end - 1] in b" \t\r\n":
        end -= 1
    return end


def _definition(
    pattern: int, captures: Mapping[str, list[tree_sitter.Node]], text: bytes
) -> Definition | None:
    kind, name, level, nodes = "", "", 0, captures.get("import", [])
    for capture, captured in captures.items():
        prefix, _, word = capture.partition(".")
        if prefix == "def":
            kind, nodes = word, captured
        elif prefix == "name":
            name = word or _text(captured[0], text)
        elif prefix == "open":
            level = int(word)
    if not nodes or (kind and not name):
        return None
    node = nodes[0]
    return Definition(
        start=node.start_byte,
        end=max(last.end_byte for last in (node, *captures.get("extend", ()))),
        at=captures.get("name", nodes)[0].start_byte,
        pattern=pattern,
        kind=kind,
        name=name,
        scope=" ".join(_text(part, text) for part in captures.get("scope", ())),
        level=level,
    )


def _text(node: tree_sitter.Node, text: bytes) -> str:
    raw = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
    return _SPACES.sub(" ", raw).strip("\"'` ")[:_NAME_LENGTH]


def _take_in_leading(one: Definition, leading: Mapping[int, int], text: bytes) -> None:
    start = leading.get(last_of(text, one.start))
    while start is not None:
        one.start = start
        start = leading.get(last_of(text, start))


def _close_headings(found: Iterable[Definition], size: int) -> None:
    """Let each heading end where the next one of its level, or of a higher one, begins."""
    waiting: list[Definition] = []
    for one in found:
        if one.level:
            while waiting and waiting[-1].level >= one.level:
                waiting.pop().end = one.start
            waiting.append(one)
    for one in waiting:
        one.end = size
