"""What the query of a language finds in a source: definitions, before they are put in order.

The captures of the query files are described in `queries/README.md`. Everything here goes by
positions: asking a node for its parent or its neighbour takes time that grows with the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import tree_sitter

from backstory.codenav.parse import Match

_SPACES = re.compile(r"\s+")
_NAME_LENGTH = 120
_IMPORT_LENGTH = 200
_STATEMENT_ENDS = b" \t\r\n;,"
# whose head is the beginning of its statement: nothing in it is a body
DETAILS = frozenset({"constant", "variable", "field"})


@dataclass(slots=True)
class Definition:
    """One definition. Positions are bytes."""

    start: int
    end: int
    at: int  # where its name stands
    pattern: int
    kind: str  # "" for an import
    name: str
    head: int  # where its signature begins
    body: int = -1  # where its signature ends; -1 where nothing says so
    scope: str = ""  # what the source puts before the name elsewhere: a Go receiver
    level: int = 0  # of a heading-like definition, which goes on to the next one
    docs: tuple[tuple[int, int], ...] = ()  # the ranges of its documentation


@dataclass(slots=True)
class ImportRange:
    """One import statement: its names as the source has them, and its range in bytes."""

    start: int
    end: int
    names: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class Found:
    """What a query found."""

    definitions: list[Definition] = field(default_factory=list)  # outer ones before inner ones
    imports: list[ImportRange] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)  # in order, none in another


@dataclass(slots=True)
class _Piece:
    """What may stand before a definition and belong to it."""

    start: int
    end: int
    comment: bool
    doc: tuple[int, int] | None = None


@dataclass(slots=True)
class _Marks:
    """Everything that was captured beside definitions."""

    best: dict[int, Definition] = field(default_factory=dict)
    leading: list[_Piece] = field(default_factory=list)
    docs: dict[int, tuple[int, int]] = field(default_factory=dict)  # by where they begin
    wrappers: dict[tuple[int, int], tuple[int, int, int]] = field(default_factory=dict)
    imports: dict[int, ImportRange] = field(default_factory=dict)
    comments: list[tuple[int, int]] = field(default_factory=list)


def definitions(matches: Iterable[Match], text: bytes, doc_marks: Sequence[str]) -> Found:
    """What stands in a source. A comment before a definition belongs to it when the comment
    begins with one of `doc_marks` ("" for any)."""
    marks = _Marks()
    for pattern, captures in matches:
        _note(pattern, captures, text, marks)
    comments = _outermost(marks.comments)
    result = [one for one in marks.best.values() if one.kind]
    pieces = [_Piece(start, end, True) for start, end in comments] + marks.leading
    by_end = {last_of(text, piece.end, piece.start): piece for piece in pieces}
    by_start = {piece.start: piece for piece in pieces}
    wanted = tuple(mark.encode() for mark in doc_marks)
    for one in result:
        if one.body in marks.docs and not one.docs:
            one.docs = (marks.docs[one.body],)
        _unwrap(one, marks.wrappers, text)
        while one.head in by_start and by_start[one.head].end < one.end:
            one.head = _next(text, by_start[one.head].end)
        if by_end:
            _take_in(one, by_end, text, wanted)
    result.sort(key=lambda one: (one.start, -one.end, one.at))
    _close_headings(result, len(text))
    imports = sorted(marks.imports.values(), key=lambda one: one.start)
    return Found(result, imports, comments)


def last_of(text: bytes, end: int, start: int = 0) -> int:
    """The position after the last byte before `end` that is no white space."""
    while end > start and text[end - 1] in b" \t\r\n":
        end -= 1
    return end


def _next(text: bytes, position: int) -> int:
    while position < len(text) and text[position] in b" \t\r\n":
        position += 1
    return position


@cache
def _role(capture: str) -> tuple[str, str]:
    prefix, _, word = capture.partition(".")
    return prefix, word


def _note(
    pattern: int, captures: Mapping[str, list[tree_sitter.Node]], text: bytes, marks: _Marks
) -> None:
    if "comment" in captures:
        for node in captures["comment"]:
            marks.comments.append((node.start_byte, node.end_byte))
        return
    doc = _range(captures["doc"][0]) if "doc" in captures else None
    if "wrapper" in captures:
        outer, inner = captures["wrapper"][0], captures["wrapped"][0]
        head = captures["head"][0] if "head" in captures else outer
        marks.wrappers[_range(inner)] = (*_range(outer), head.start_byte)
    if "leading" in captures:
        marks.leading += [_Piece(*_range(node), False, doc) for node in captures["leading"]]
    elif "import" in captures:
        _note_import(captures, text, marks)
    one = _definition(pattern, captures, text)
    if one is None:
        if doc and "leading" not in captures:
            marks.docs[doc[0]] = doc
        return
    if doc:
        one.docs = (doc,)
    other = marks.best.get(one.at)
    if other is None or (pattern, not one.docs) < (other.pattern, not other.docs):
        marks.best[one.at] = one


def _range(node: tree_sitter.Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def _note_import(
    captures: Mapping[str, list[tree_sitter.Node]], text: bytes, marks: _Marks
) -> None:
    start, end = _range(captures["import"][0])
    known = marks.imports.setdefault(start, ImportRange(start, end))
    known.end = max(known.end, end)
    before = "".join(_text(node, text) for node in captures.get("import.from", ()))
    names = captures.get("import.name", ())
    for node in names:
        known.names[(before + _text(node, text))[:_IMPORT_LENGTH]] = None
    if before and not names:
        known.names[before[:_IMPORT_LENGTH]] = None


def _definition(
    pattern: int, captures: Mapping[str, list[tree_sitter.Node]], text: bytes
) -> Definition | None:
    kind, name, level, nodes = "", "", 0, captures.get("import", [])
    for capture, captured in captures.items():
        role, word = _role(capture)
        if role == "def":
            kind, nodes = word, captured
        elif role == "name":
            name = word or _text(captured[0], text)
        elif role == "open":
            level = int(word)
    if not nodes or not name:
        return None
    node = nodes[0]
    body: tree_sitter.Node | None = None
    if "body" in captures:
        body = captures["body"][0]
    elif kind not in DETAILS:
        body = node.child_by_field_name("body")
    return Definition(
        start=node.start_byte,
        end=max(last.end_byte for last in (node, *captures["extend"]))
        if "extend" in captures
        else node.end_byte,
        at=captures.get("name", nodes)[0].start_byte,
        pattern=pattern,
        kind=kind,
        name=name,
        head=node.start_byte,
        body=body.start_byte if body else -1,
        scope=" ".join(_text(part, text) for part in captures["scope"])
        if "scope" in captures
        else "",
        level=level,
    )


def _text(node: tree_sitter.Node, text: bytes) -> str:
    raw = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
    return _SPACES.sub(" ", raw).strip("\"'` ")[:_NAME_LENGTH]


def _outermost(comments: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The comments in order, without those that are a part of another."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(comments, key=lambda one: (one[0], -one[1])):
        if not result or end > result[-1][1]:
            result.append((start, end))
    return result


def _unwrap(
    one: Definition, wrappers: Mapping[tuple[int, int], tuple[int, int, int]], text: bytes
) -> None:
    """Let a definition begin, and end, where the statement around it does."""
    inner = (one.start, one.end)
    while inner in wrappers:
        start, end, head = wrappers[inner]
        if (start, end) == inner:
            return
        one.head = min(head, one.head)
        one.start = min(one.start, start)
        rest = text[one.end : end] if end - one.end < 100 else b"?"
        if not rest.strip(_STATEMENT_ENDS):
            one.end = max(one.end, end)
        inner = (start, end)


def _take_in(
    one: Definition, by_end: Mapping[int, _Piece], text: bytes, wanted: tuple[bytes, ...]
) -> None:
    """Let a definition begin with the attributes and the doc comment before it."""
    start, docs = one.start, []
    while True:
        end = last_of(text, start)
        piece = by_end.get(end)
        if piece is None:
            break
        is_doc = False
        if piece.comment:
            if text.count(b"\n", end, start) > 1 or not _begins_line(text, piece.start):
                break
            is_doc = _is_doc(text, piece, wanted)
        start = piece.start
        # a comment of another kind counts when it stands below something that does
        if is_doc or not piece.comment:
            one.start = start
        if is_doc:
            docs.append((piece.start, piece.end))
        elif piece.doc:
            docs.append(piece.doc)
    if docs:
        one.docs = tuple(reversed(docs))


def _is_doc(text: bytes, piece: _Piece, wanted: tuple[bytes, ...]) -> bool:
    is_first_line = piece.start == 0 and text.startswith(b"#!")
    return text.startswith(wanted, piece.start) and not is_first_line


def _begins_line(text: bytes, position: int) -> bool:
    while position > 0 and text[position - 1] in b" \t":
        position -= 1
    return position == 0 or text[position - 1] == 10


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
