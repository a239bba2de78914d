"""From bytes to a syntax tree, within a time limit; grammars are loaded on first use and kept.

tree-sitter holds the interpreter lock for as long as one call takes. It reads through a callback
here, in small pieces: between two of them other threads run, and a parse can be given up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import tree_sitter
import tree_sitter_language_pack

from backstory.codenav.languages import Language

MAX_BYTES = 1_000_000  # larger sources are not parsed in this process
_PIECE = 8192
_WORD = 128

Match = tuple[int, dict[str, list[tree_sitter.Node]]]

_lock = threading.Lock()
_grammars: dict[tuple[str, str], Grammar] = {}
_of_thread = threading.local()


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar and its compiled query."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    settings: tuple[Mapping[str, str | None], ...]  # of each pattern: its #set! directives


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
            query = tree_sitter.Query(loaded, language.query_text())
            settings = tuple(query.pattern_settings(i) for i in range(query.pattern_count))
            found = _grammars[key] = Grammar(loaded, query, settings)
    return found


def parse(source: bytes, language: Language, deadline: float) -> tree_sitter.Tree | None:
    """The syntax tree, or None when the source is too large or `deadline` passes.

    `deadline` is a value of `time.monotonic()`.
    """
    if len(source) > MAX_BYTES:
        return None
    late = parsed = False

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        nonlocal late
        if parsed:
            # the tree asks for the words that a query compares; an empty answer would hang it
            return source[offset : offset + _WORD]
        late = late or time.monotonic() > deadline
        # an empty piece means the end of the text: the parser stops by itself
        return b"" if late else source[offset : offset + _PIECE]

    tree = _parser(language).parse(read)
    parsed = True
    return None if late else tree


def matches(tree: tree_sitter.Tree, language: Language) -> list[Match]:
    """What the query of the language finds in a tree: (pattern, captured nodes by name)."""
    # no progress callback: in tree-sitter 0.26.1 one crashes the process
    return tree_sitter.QueryCursor(grammar(language).query).matches(tree.root_node)


def _parser(language: Language) -> tree_sitter.Parser:
    # a parser keeps state between calls, so each thread has its own
    parsers: dict[str, tree_sitter.Parser] = _of_thread.__dict__.setdefault("parsers", {})
    found = parsers.get(language.grammar)
    if found is None:
        found = parsers[language.grammar] = tree_sitter.Parser(grammar(language).language)
    return found
