"""What the query of a language finds in a source: definitions, before they are put in order.

The captures of the query files are described in `queries/README.md`. Everything here goes by
positions: asking a node for its parent or its neighbour takes time that grows with the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import tree_sitter

from backstory.codenav.parse import Match

_NAME_LENGTH = 120  # of a name that is a text
_LONG_NAME = 1_000
_IMPORT_LENGTH = 200
_STATEMENT_ENDS = b" \t\r\n;,"
# whose head is the beginning of its statement: nothing in it is a body
DETAILS = frozenset({"constant", "variable", "field"})
_OTHERS = frozenset({"comment", "local", "doc", "wrapper", "leading", "import"})
TEXTS = frozenset({"test", "section"})  # their names are sentences, not paths
_FUNCTIONS = frozenset({"function", "method", "constructor", "property", "test", "macro"})


@dataclass(slots=True)
class Definition:
    """One definition. Positions are bytes."""

    start: int
    end: int
    at: int  # where its name stands
    pattern: int
    plan: Plan
    captures: Mapping[str, list[tree_sitter.Node]]
    head: int  # where its signature begins
    body: int = -1  # where its signature ends; -1 where nothing says so
    docs: tuple[tuple[int, int], ...] = ()  # the ranges of its documentation

    @property
    def kind(self) -> str:
        """One of the kind words; "" for an import."""
        return self.plan.kind

    def name(self, text: bytes) -> str:
        """Its name, white space in it collapsed."""
        name = self.plan.word or _text(self.captures["name"][0], text)
        return name[:_NAME_LENGTH] if self.plan.kind in TEXTS else name

    def scope(self, text: bytes) -> str:
        """What the source puts before the name elsewhere, such as a Go receiver."""
        return " ".join(_text(part, text) for part in self.captures.get("scope", ()))


@dataclass(frozen=True, slots=True)
class Plan:
    """What the names of the captures of a match say."""

    node: str = ""  # the capture that holds the definition; "" where there is none
    kind: str = ""  # "" for an import
    word: str = ""  # a name that does not stand in the source
    level: int = 0  # of a heading-like definition, which goes on to the next one
    is_global: bool = False  # no symbol where it stands in a function
    nested: bool = False  # no symbol where it stands in no other one
    upper: bool = False  # a constant when its name is upper case
    others: bool = False  # there is more to note than the definition


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
    locals: list[tuple[int, int]] = field(default_factory=list)  # functions without a name


def definitions(matches: Iterable[Match], text: bytes, doc_marks: Sequence[str]) -> Found:
    """What stands in a source. A comment before a definition belongs to it when the comment
    begins with one of `doc_marks` ("" for any)."""
    marks = _Marks()
    for pattern, captures in matches:
        _note(pattern, captures, text, marks)
    comments = _outermost(marks.comments)
    pieces = [_Piece(start, end, True) for start, end in comments] + marks.leading
    by_end = {last_of(text, piece.end, piece.start): piece for piece in pieces}
    by_start = {piece.start: piece for piece in pieces}
    wanted = tuple(mark.encode() for mark in doc_marks)
    found = [one for one in marks.best.values() if one.plan.kind]
    found.sort(key=_order)
    result = list(_without_locals(found, marks.locals))
    for one in result:
        one.body = _body(one)
        if one.body in marks.docs and not one.docs:
            one.docs = (marks.docs[one.body],)
        if marks.wrappers:
            _unwrap(one, marks.wrappers, text)
        while one.head in by_start and by_start[one.head].end < one.end:
            one.head = _next(text, by_start[one.head].end)
        if by_end:
            _take_in(one, by_end, text, wanted)
            _let_go(one, by_end, text)
    result.sort(key=_order)
    _close_headings(result, len(text))
    imports = sorted(marks.imports.values(), key=lambda one: one.start)
    return Found(result, imports, comments)


def _order(one: Definition) -> tuple[int, int, int, int]:
    return one.start, -one.end, one.at, one.pattern


def _without_locals(
    found: Iterable[Definition], functions: list[tuple[int, int]]
) -> Iterator[Definition]:
    """The definitions, in order, that are none of a function's own, and stand where they must."""
    functions.sort(reverse=True)
    around: list[tuple[int, bool]] = []  # where what is around ends, and whether it is a function
    for one in found:
        # a function that begins where a definition does is that definition
        while functions and functions[-1][0] < one.start:
            start, end = functions.pop()
            _leave(around, start)
            around.append((end, True))
        _leave(around, one.start)
        plan = one.plan
        if plan.is_global and around and around[-1][1] and one.end <= around[-1][0]:
            continue
        if plan.nested and not around:
            continue
        around.append((one.end, plan.kind in _FUNCTIONS))
        yield one


def _leave(around: list[tuple[int, bool]], position: int) -> None:
    while around and around[-1][0] <= position:
        around.pop()


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
def _plan(captures: tuple[str, ...]) -> Plan:
    node = kind = word = ""
    level, flags = 0, list[str]()
    for capture in captures:
        role, _, words = capture.partition(".")
        if role == "def":
            node, (kind, *flags) = capture, words.split(".")
        elif role == "name":
            word = words
        elif role == "open":
            level = int(words)
    if not node and "import" in captures and "name" in captures:
        node = "import"
    others = bool(_OTHERS.intersection(captures))
    return Plan(
        node, kind, word, level, "global" in flags, "nested" in flags, "upper" in flags, others
    )


def _note(
    pattern: int, captures: Mapping[str, list[tree_sitter.Node]], text: bytes, marks: _Marks
) -> None:
    plan = _plan(tuple(captures))
    doc = None
    if plan.others:
        if "comment" in captures:
            marks.comments += [_range(node) for node in captures["comment"]]
            return
        if "local" in captures:
            marks.locals += [_range(node) for node in captures["local"]]
            return
        if "doc" in captures:
            doc = _range(captures["doc"][0])
        if "wrapper" in captures:
            outer, inner = captures["wrapper"][0], captures["wrapped"][0]
            head = captures["head"][0] if "head" in captures else outer
            marks.wrappers[_range(inner)] = (*_range(outer), head.start_byte)
        if "leading" in captures:
            marks.leading += [_Piece(*_range(node), False, doc) for node in captures["leading"]]
        elif "import" in captures:
            _note_import(captures, text, marks)
        elif doc and not plan.node:
            marks.docs[doc[0]] = doc
    if not plan.node:
        return
    node = captures[plan.node][0]
    start = node.start_byte
    at = captures["name"][0].start_byte if "name" in captures else start
    other = marks.best.get(at)
    if other and (pattern, not doc) >= (other.pattern, not other.docs):
        return
    end = node.end_byte
    if "extend" in captures:
        end = max(end, *(last.end_byte for last in captures["extend"]))
    marks.best[at] = Definition(
        start, end, at, pattern, plan, captures, start, docs=(doc,) if doc else ()
    )


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


def _body(one: Definition) -> int:
    if "body" in one.captures:
        return one.captures["body"][0].start_byte
    if one.kind in DETAILS:
        return -1
    body = one.captures[one.plan.node][0].child_by_field_name("body")
    return body.start_byte if body else -1


def _text(node: tree_sitter.Node, text: bytes) -> str:
    raw = text[node.start_byte : node.end_byte].decode("utf-8", "replace").strip("\"'` \t\r\n")
    if not raw.isidentifier():
        raw = " ".join(raw.split())[:_NAME_LENGTH]
    return raw[:_LONG_NAME]


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


def _let_go(one: Definition, by_end: Mapping[int, _Piece], text: bytes) -> None:
    """Let a definition end before the comments at its end, which some grammars count in."""
    end = last_of(text, one.end, one.at)
    piece = by_end.get(end)
    while piece and piece.comment and piece.start > max(one.at, one.body) and piece.end >= end:
        one.end = end = last_of(text, piece.start, one.at)
        piece = by_end.get(end)


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
        if one.plan.level:
            while waiting and waiting[-1].plan.level >= one.plan.level:
                waiting.pop().end = one.start
            waiting.append(one)
    for one in waiting:
        one.end = size
