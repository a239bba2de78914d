"""From bytes to a syntax tree, within a time limit; grammars are loaded on first use and kept.

tree-sitter holds the interpreter lock for as long as one call takes. It reads through a callback
here, in small pieces, and asks now and then whether to go on: then other threads run, and a parse
can be given up. A query is asked for one stretch of a source after the other, for the same reason.

Four faults of the binding, tree-sitter 0.26.1, shape this module: it never lets go of an object
that the read callback returned, a progress callback of a query crashes the process, so does
`#set!` behind another predicate, and an empty answer to a query that compares words hangs it.
"""

from __future__ import annotations

import math
import re
import threading
import time
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import tree_sitter
import tree_sitter_language_pack

from backstory.codenav.languages import Language

LIMITED = True  # False in the process that is there for what is too large or too deep
MAX_BYTES = 1_000_000  # larger sources are not parsed in this process
_PIECE = 8192
_WORD = 128
_STRETCH = 65_536  # bytes that a query looks at without a break

# The scanners of these grammars crash or hang on nesting that nobody writes: a line that opens
# some 170 blocks, a string in a string in a string. What looks like it is not parsed.
_TOO_DEEP = {
    "yaml": re.compile(rb"(?:^|\r)[ \t?:>*+-]{240}", re.MULTILINE),
    "markdown": re.compile(rb"(?:^|\r)[ \t?:>*+\-0-9.)]{240}", re.MULTILINE),
    "kotlin": re.compile(rb"(?:@\w+\s+){200}"),  # annotations: takes the square of the time
}
_MOST_ANNOTATIONS = 200
_EDGES = {  # what opens and closes a level: comments in comments, code in strings in code
    "swift": (re.compile(rb"/\*|\*/"), b"/*"),
    "perl": (re.compile(rb"[{}]"), b"{"),
    "kotlin": (re.compile(rb"\$\{|\}"), b"${"),
}
_MOST_LEVELS = 50
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_MOST_UNCLOSED = 2_000
# What takes the square of its number where it does not end: pipes, arrows that the language lacks.
_OFTEN = {"bash": (re.compile(rb"(?<!\|)\|(?!\|)"), 2_000), "objc": (re.compile(rb"=>"), 300)}
_UNCLOSED_TYPES = frozenset({"typescript", "tsx"})  # "<" that is not closed, the same
_LARGE = {"haskell": 200_000}  # bytes; its scanner stalls the process
MOST_PROBLEMS = 20
_MOST_DEPTH = 1_500  # levels of a tree; a level of a source makes up to ten
# Matches that are begun and not done at one time: real files need some 100. Thousands of attributes
# on one function would take minutes.
_MOST_OPEN = 512
_MOST_NODES = 5_000
_MOST_CHILDREN = 1_000
_MOST_LOOSE = 10_000
_SAMPLE = 8_192
_SHORT = 4_096
_SOON, _PLACE = 2_048, 24
_PART, _PART_SHRUNK = 512, 180
_SHRINKS = (
    40  # times; code shrinks to a third or a tenth, one phrase again and again to a hundredth
)
_MOST_PARTS = 500_000  # nodes; a megabyte of code has some 350,000

# the kinds of nodes that are comments; not the pieces that some grammars cut them into
_COMMENT = re.compile(r"^(?:\w+_)?comment$|^haddock$|^pod$")
_PIECE_MARK = "outer_doc_comment_marker"

Match = tuple[int, dict[str, list[tree_sitter.Node]]]


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar and its compiled query."""

    language: tree_sitter.Language
    query: tree_sitter.Query


@dataclass(slots=True)
class _Reader:
    """What one parse at a time may use: parsers keep state between calls."""

    # every piece is handed over in this one object, since the binding keeps what it is given
    piece: bytearray = field(default_factory=lambda: bytearray(_PIECE))
    parsers: dict[str, tree_sitter.Parser] = field(default_factory=dict)


_lock = threading.Lock()
_grammars: dict[tuple[str, str], Grammar] = {}
_idle: list[_Reader] = []


def grammar(language: Language) -> Grammar:
    """The grammar of a language, loaded and compiled once a process.

    Raises LookupError when the installed grammars lack it, tree_sitter.QueryError when the query
    does not fit the grammar.
    """
    key = (language.grammar, language.query)
    with _lock:
        found = _grammars.get(key)
        if found is None:
            name = cast("tree_sitter_language_pack.SupportedLanguage", language.grammar)
            loaded = tree_sitter_language_pack.get_language(name)
            query = tree_sitter.Query(loaded, language.query_text() + _comments(loaded))
            found = _grammars[key] = Grammar(loaded, query)
    return found


def parse(
    source: bytes, language: Language, deadline: float, old: tree_sitter.Tree | None = None
) -> tree_sitter.Tree | None:
    """The syntax tree, or None when the source is too large or too deep, or `deadline` passes.

    `deadline` is a value of `time.monotonic()`. `old` is the tree of a text that hardly differs,
    told where: parts of it are used again.
    """
    if LIMITED and (
        language.apart or len(source) > MAX_BYTES or _is_too_deep(source, language.grammar)
    ):
        return None
    parsed = False
    reader = _idle.pop() if _idle else _Reader()
    piece = reader.piece

    def read(offset: int, _point: tree_sitter.Point) -> bytes | bytearray:
        if parsed:
            # the tree asks for a word that the query compares; this goes to no parser
            return source[offset : offset + _WORD]
        # the end of the text, when it is late: a scanner that skips what it cannot read asks for
        # more, and is asked nothing
        piece[:] = b"" if time.monotonic() > deadline else source[offset : offset + _PIECE]
        return piece

    parser = reader.parsers.get(language.grammar)
    if parser is None:
        parser = reader.parsers[language.grammar] = tree_sitter.Parser(grammar(language).language)
    try:
        # it is asked while errors are mended, too, which can take longer than all the rest
        tree = (
            parser.parse(read, old, progress_callback=lambda *_: time.monotonic() > deadline)
            if old
            else parser.parse(read, progress_callback=lambda *_: time.monotonic() > deadline)
        )
    except ValueError:  # given up
        parser.reset()
        return None
    finally:
        parsed = True
        _idle.append(reader)
    return None if time.monotonic() > deadline else tree


def matches(tree: tree_sitter.Tree, language: Language, deadline: float = math.inf) -> list[Match]:
    """What the query of the language finds in a tree: (pattern, captured nodes by name).

    After `deadline`, a value of `time.monotonic()`, nothing more is looked for.
    """
    root = tree.root_node
    cursor = tree_sitter.QueryCursor(grammar(language).query, match_limit=_MOST_OPEN)
    # each level keeps matches open that each node below is held against: 100,000 take minutes
    cursor.set_max_start_depth(_MOST_DEPTH)
    if root.end_byte <= 2 * _STRETCH:
        return cursor.matches(root)
    found: list[Match] = []
    for start in range(0, root.end_byte, _STRETCH):
        if time.monotonic() > deadline:
            break
        end = start + _STRETCH
        cursor.set_byte_range(start, end)
        # what goes beyond a stretch is found in each that it touches: it belongs to the first
        found += [one for one in cursor.matches(root) if start <= _start(one) < end]
    return found


def _start(match: Match) -> int:
    return min(nodes[0].start_byte for nodes in match[1].values())


def is_monotonous(source: bytes) -> bool:
    """Whether a stretch of a text is one phrase again and again, as nobody writes code.

    Some grammars do not come back from what 3,000 times begins and never ends, and nothing runs
    beside them.
    """
    return any(
        len(zlib.compress(piece, 1)) * _SHRINKS < len(piece)
        for at in range(0, len(source), _SAMPLE)
        if len(piece := source[at : at + _SAMPLE]) >= _SHORT and _may_be_monotonous(piece)
    )


def _may_be_monotonous(piece: bytes) -> bool:
    """Whether it is worth to see how far a piece shrinks: seen in no time of most."""
    # what shrinks so far has hardly a place that is not soon there again, blanks left aside
    for at in (len(piece) // 3, len(piece) // 2):
        rest = piece[at : at + _SOON].lstrip()
        if not rest or rest.find(rest[:_PLACE], 1) > 0:
            # a part of it would shrink nearly as far
            half, small = len(piece) // 2, zlib.compressobj(1, zlib.DEFLATED, -10, 1)
            shrunk = small.compress(piece[half : half + _PART]) + small.flush()
            return len(shrunk) < _PART_SHRUNK
    return False


def is_tangled(tree: tree_sitter.Tree) -> bool:
    """Whether the tree has an unreadable part on which a query would not come back, or so many
    parts that it would stall this process.

    For each child, a query looks for the next one that is no mere punctuation: 200,000 open
    brackets take minutes. For each stretch it goes through all parts.
    """
    if LIMITED and tree.root_node.descendant_count > _MOST_PARTS:
        return True
    for node in _unreadable(tree):
        if node.child_count - node.named_child_count > _MOST_LOOSE:
            return True
    return False


def problems(tree: tree_sitter.Tree, ends: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The first and last lines of what could not be read, from 1, in order; at most 20.

    `ends` are the ends of the lines: a line break that was painted over begins no row of a node.
    """
    if not tree.root_node.has_error:
        return ()
    found: list[tuple[int, int]] = []
    for node in _unreadable(tree):
        if node.is_missing or (node.is_error and not _has_problem_inside(node)):
            first = _line_of(ends, node.start_byte)
            last = _line_of(ends, max(node.start_byte, node.end_byte - 1))
            if found and first <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(last, found[-1][1]))
            elif len(found) == MOST_PROBLEMS:
                break
            else:
                found.append((first, last))
    return tuple(found)


def _unreadable(tree: tree_sitter.Tree) -> Iterator[tree_sitter.Node]:
    """The nodes in which something could not be read, outer ones first; at most 5,000."""
    cursor = tree.walk()
    for _ in range(_MOST_NODES):
        node = cursor.node
        if node is not None and (node.has_error or node.is_missing):
            yield node
            if cursor.goto_first_child():
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _line_of(ends: Sequence[int], position: int) -> int:
    return min(bisect_right(ends, position) + 1, max(len(ends), 1))


def _has_problem_inside(node: tree_sitter.Node) -> bool:
    return any(child.has_error for child in node.children[:_MOST_CHILDREN])


def _comments(language: tree_sitter.Language) -> str:
    """A pattern for the comments of a grammar, whatever it calls them."""
    kinds = {
        language.node_kind_for_id(index)
        for index in range(language.node_kind_count)
        if language.node_kind_is_named(index)
        and language.node_kind_is_visible(index)  # node_kind_is_supertype says the same: a fault
    }
    names = sorted(kind for kind in kinds if kind and _COMMENT.search(kind))
    if _PIECE_MARK in kinds:  # Rust's are pieces of others
        names.remove("doc_comment")
    return f"\n[{' '.join(f'({name})' for name in names)}] @comment\n" if names else ""


def _is_too_deep(source: bytes, name: str) -> bool:
    """Whether the scanner of this grammar would crash on the source, or the parser not come back:
    at the end of a text it reads nothing any more, and closes what is open one by one."""
    if any(source.count(a) - source.count(b) > _MOST_UNCLOSED for a, b in _BRACKETS):
        return True
    if name in _UNCLOSED_TYPES and source.count(b"<") - source.count(b">") > _MOST_UNCLOSED:
        return True
    if len(source) > _LARGE.get(name, MAX_BYTES):
        return True
    if name in _OFTEN:
        often, most = _OFTEN[name]
        if sum(1 for _ in often.finditer(source)) > most:
            return True
    if name in _EDGES and source.count(_EDGES[name][1]) > _MOST_LEVELS:
        edges, opening = _EDGES[name]
        depth = 0
        for edge in edges.finditer(source):
            depth = depth + 1 if edge[0] == opening else max(depth - 1, 0)
            if depth > _MOST_LEVELS:
                return True
    pattern = _TOO_DEEP.get(name)
    if pattern is None or (name == "kotlin" and source.count(b"@") < _MOST_ANNOTATIONS):
        return False
    return bool(pattern.search(source))
