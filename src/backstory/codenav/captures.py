"""What the captures of a query say about a source, match by match.

They are described in `queries/README.md`. Names and texts are cut from the true source; the
parser may have seen one that is painted over in places, of the same length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

import tree_sitter

from backstory.codenav.parse import Match

_NAME_LENGTH = 120  # of a name that is a text
_LONG_NAME = 1_000
_IMPORT_LENGTH = 200
_QUOTES = frozenset("\"'`")
# whose head is the beginning of its statement: nothing in it is a body
DETAILS = frozenset({"constant", "variable", "field"})
TEXTS = frozenset({"test", "section"})  # their names are sentences, not paths
_OTHERS = frozenset({"doc", "wrapper", "leading", "import"})
_FUNCTIONS = frozenset({"function", "method", "constructor", "property", "test", "macro"})

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the names of the captures of a match say."""

    node: str = ""  # the capture that holds the definition; "" where there is none
    kind: str = ""  # "" for what claims a name and is no symbol
    word: str = ""  # a name, or the beginning of one, that does not stand in the source
    level: int = 0  # of a heading-like definition, which goes on to the next one
    is_global: bool = False  # no symbol where it stands in a function
    nested: bool = False  # no symbol where it stands in no other one
    upper: bool = False  # a constant when its name is upper case
    whole: bool = False  # its signature is all of it
    others: bool = False  # there is more to note than the definition
    ranges: str = ""  # the capture of which nothing but the ranges is noted
    is_named: bool = False
    is_function: bool = False
    is_extended: bool = False
    root: str = ""  # the capture that must begin where the node captured as "first" does


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
    name: str = ""
    docs: tuple[Range, ...] = ()  # the ranges of its documentation

    @property
    def kind(self) -> str:
        """One of the kind words."""
        return self.plan.kind

    def read(self, text: bytes) -> bool:
        """Finds its name and its body. Whether it has a name."""
        captures, plan = self.captures, self.plan
        self.name = plan.word
        if plan.is_named:
            if "selector" in captures:
                said = "".join(text_of(part, text) for part in captures["selector"])
            else:
                said = text_of(captures["name"][0], text)
            if "until" in captures:
                until = captures["until"][0].start_byte
                said = text[self.at : until].decode("utf-8", "replace")
                said = " ".join(said.split())[:_LONG_NAME]
            self.name = f"{plan.word} {said}" if plan.word else said
        if plan.kind in TEXTS:
            self.name = self.name[:_NAME_LENGTH].rstrip()
        if "body" in captures:
            self.body = captures["body"][0].start_byte
        elif plan.kind not in DETAILS:
            body = _body(captures[plan.node][0])
            self.body = body.start_byte if body else -1
        return bool(self.name)

    def scope(self, text: bytes) -> str:
        """What the source puts before the name elsewhere, such as a Go receiver."""
        return " ".join(text_of(part, text) for part in self.captures.get("scope", ()))


@dataclass(slots=True)
class ImportRange:
    """One import statement: its names as the source has them, and its range in bytes."""

    start: int
    end: int
    names: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class Piece:
    """What is no comment, may stand before a definition and belong to it."""

    start: int
    end: int
    doc: Range | None = None


@dataclass(slots=True)
class Wrapper:
    """A node around a definition that is written as a part of it."""

    range: Range
    head: int  # where the signature begins


@dataclass(slots=True)
class Marks:
    """Everything that was captured in a source."""

    best: dict[int, Definition] = field(default_factory=dict)  # by where their names stand
    leading: list[Piece] = field(default_factory=list)
    docs: dict[int, Range] = field(default_factory=dict)  # by where they begin
    wrappers: dict[Range, Wrapper] = field(default_factory=dict)
    imports: dict[int, ImportRange] = field(default_factory=dict)
    comments: list[Range] = field(default_factory=list)
    locals: list[Range] = field(default_factory=list)  # functions without a name


def marks_of(matches: Iterable[Match], text: bytes) -> Marks:
    """What was captured. Of several definitions of one name the topmost pattern's is kept."""
    marks = Marks()
    best, ranges = marks.best, {"comment": marks.comments, "local": marks.locals}
    for pattern, captures in matches:
        plan = _plan(tuple(captures))
        if plan.root and captures["first"][0].start_byte != captures[plan.root][0].start_byte:
            continue
        if plan.ranges:
            ranges[plan.ranges] += [node.byte_range for node in captures[plan.ranges]]
            continue
        doc = _note(plan, captures, text, marks) if plan.others else None
        if not plan.node:
            continue
        start, end = captures[plan.node][0].byte_range
        at = captures["name"][0].start_byte if plan.is_named else start
        other = best.get(at)
        if other and (pattern, not doc) >= (other.pattern, not other.docs):
            continue
        if plan.is_extended:
            end = max(end, *(last.end_byte for last in captures["extend"]))
        docs = (doc,) if doc else ()
        best[at] = Definition(start, end, at, pattern, plan, captures, start, docs=docs)
    return marks


def text_of(node: tree_sitter.Node, text: bytes) -> str:
    """The text of a node in one line, without the quotes around it."""
    start, end = node.byte_range
    raw = text[start:end].decode("utf-8", "replace")
    if raw.isidentifier():  # nearly always
        return raw[:_LONG_NAME]
    raw = raw.strip()
    while len(raw) > 1 and raw[0] == raw[-1] and raw[0] in _QUOTES:
        raw = raw[1:-1].strip()
    if not raw.isidentifier():
        raw = " ".join(raw.split())
    return raw[:_LONG_NAME]


def _body(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The body of a node, or of the function or class that it gives a name to."""
    body = node.child_by_field_name("body")
    if body:
        return body
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return value.child_by_field_name("body") if value else None


@cache
def _plan(captures: tuple[str, ...]) -> Plan:
    node = kind = word = ""
    level, flags, other = 0, list[str](), ""
    for capture in captures:
        role, _, words = capture.partition(".")
        if role == "def":
            node, (kind, *flags) = capture, words.split(".")
        elif role == "name":
            word = word or words
        elif role == "open":
            level = int(words)
        elif role == "as":
            other = words
    if other:
        kind, *flags = other.split(".")
    if not node and "name" in captures:
        node = next((name for name in ("import", "skip") if name in captures), "")
    root = node or ("leading" if "leading" in captures else "import")
    return Plan(
        node,
        kind,
        word,
        level,
        is_global="global" in flags,
        nested="nested" in flags,
        upper="upper" in flags,
        whole="whole" in flags or kind == "type",
        others=bool(_OTHERS.intersection(captures)),
        root=root if "first" in captures else "",
        ranges=next((one for one in ("comment", "local") if one in captures), ""),
        is_named="name" in captures,
        is_function=kind in _FUNCTIONS,
        is_extended="extend" in captures,
    )


def _note(
    plan: Plan, captures: Mapping[str, list[tree_sitter.Node]], text: bytes, marks: Marks
) -> Range | None:
    """Notes what is no definition. The documentation of the definition beside it."""
    doc = captures["doc"][0].byte_range if "doc" in captures else None
    if "wrapper" in captures:
        outer, inner = captures["wrapper"][0], captures["wrapped"][0]
        head = captures["head"][0] if "head" in captures else outer
        marks.wrappers[inner.byte_range] = Wrapper(outer.byte_range, head.start_byte)
    if "leading" in captures:
        marks.leading += [Piece(*node.byte_range, doc) for node in captures["leading"]]
    elif "import" in captures:
        _note_import(captures, text, marks)
    elif doc and not plan.node:
        marks.docs[doc[0]] = doc
    return doc


def _note_import(captures: Mapping[str, list[tree_sitter.Node]], text: bytes, marks: Marks) -> None:
    start, end = captures["import"][0].byte_range
    known = marks.imports.setdefault(start, ImportRange(start, end))
    known.end = max(known.end, end)
    before = "".join(text_of(node, text) for node in captures.get("import.from", ()))
    names = captures.get("import.name", ())
    for node in names:
        known.names[(before + text_of(node, text))[:_IMPORT_LENGTH]] = None
    if before and not names:
        known.names[before[:_IMPORT_LENGTH]] = None
