"""The named parts of a source text, and which of them an edit touched."""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from backstory.codenav import parse
from backstory.codenav.definitions import Definition, definitions, last_of
from backstory.codenav.languages import Language, detect

KINDS = (
    *("module", "namespace", "class", "interface", "trait", "impl", "struct", "enum"),
    *("function", "method", "property", "constructor", "constant", "variable", "type"),
    *("macro", "field", "test", "section"),
)
_CONTAINERS = frozenset({"class", "interface", "trait", "impl", "struct", "enum"})
_INSIDE = {"function": "method", "variable": "field"}  # their kinds directly in a container
_SCOPES = frozenset({"module", "namespace"})
_DETAILS = frozenset({"field", "constant", "variable"})  # part of what they stand in
_TEXTS = frozenset({"test", "section"})  # their names are sentences, not paths
_GENERICS = re.compile(r"<[^<>]*>|\[[^][]*\]")
_HEAD = 200  # characters that may hold a #! line


@dataclass(frozen=True, slots=True)
class Symbol:
    """One named part of a source. Lines count from 1; both ends belong to it."""

    name: str  # "total"
    qualified_name: str  # "Cart.total"
    kind: str  # one of KINDS
    start_line: int
    end_line: int
    parent: int = -1  # index in the same tuple; -1 at the top


@dataclass(frozen=True, slots=True)
class Touched:
    """What an edit did, as qualified names in the order of the source."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Outline:
    symbols: tuple[Symbol, ...]
    lines: tuple[str, ...]
    broken: bool  # the parser met syntax that it could not read


def symbols(source: str, language: Language, deadline_s: float = 0.25) -> tuple[Symbol, ...]:
    """The symbols of a source, outer ones before inner ones.

    () when the source is over 1 MB or takes longer than `deadline_s` seconds. Of broken syntax,
    what can still be recognised.
    """
    found = _outline(source, language, _deadline(language, deadline_s))
    return found.symbols if found else ()


def defined(path: str, content: str, deadline_s: float = 0.25) -> tuple[str, ...]:
    """The qualified names at the top level of a file; () where the language is unknown."""
    language = detect(path, content[:_HEAD])
    if language is None:
        return ()
    return _outermost(symbols(content, language, deadline_s))


def touched(path: str, before: str, after: str, deadline_s: float = 0.25) -> Touched:
    """The symbols that differ between two versions of a file.

    A symbol has changed when its own lines have, those of the symbols inside it not counted;
    fields and constants count as lines of what they stand in. Blank lines and white space at the
    end of a line don't count. Nothing is reported where the language is unknown, a version is over
    1 MB, or `deadline_s` seconds are over.
    """
    language = detect(path, after[:_HEAD] or before[:_HEAD])
    if language is None or before == after:
        return Touched()
    deadline = _deadline(language, deadline_s)
    old, new = _outline(before, language, deadline), _outline(after, language, deadline)
    if old is None or new is None:
        return Touched()
    had, has = _own_lines(old), _own_lines(new)
    added, removed = has.keys() - had.keys(), had.keys() - has.keys()
    if old.broken or new.broken:
        # an unreadable part hides symbols that are still there: believe the words instead
        added = {name for name in added if not _mentions(before, name)}
        removed = {name for name in removed if not _mentions(after, name)}
    return Touched(
        changed=tuple(name for name in has if name in had and had[name] != has[name]),
        added=_outermost(new.symbols, added),
        removed=_outermost(old.symbols, removed),
    )


def touched_by_patch(
    path: str, source: str, hunks: Sequence[Mapping[str, Any]], deadline_s: float = 0.25
) -> Touched:
    """The symbols that a structured patch touches; `source` is the file before or after it.

    A hunk has `oldStart`, `newStart` and `lines` with " ", "+" or "-" before each. Nothing is
    reported for a patch that does not fit the source.
    """
    after = _patched(source, hunks, "oldStart", "-", "+")
    if after is not None:
        return touched(path, source, after, deadline_s)
    before = _patched(source, hunks, "newStart", "+", "-")
    return Touched() if before is None else touched(path, before, source, deadline_s)


def _deadline(language: Language, seconds: float) -> float:
    parse.grammar(language)  # the first use of a language takes its time: not counted
    return time.monotonic() + seconds


def _outline(source: str, language: Language, deadline: float) -> _Outline | None:
    # a NUL ends the text for some grammars; a blank of the same length keeps every position
    text = source.removeprefix("\ufeff").replace("\0", " ")
    code = text.encode("utf-8", "replace")
    tree = parse.parse(code, language, deadline)
    if tree is None:
        return None
    matches = parse.matches(tree, language)
    if time.monotonic() > deadline:
        return None
    found = definitions(matches, code)
    return _Outline(
        tuple(_placed(found, code, language)), tuple(text.split("\n")), tree.root_node.has_error
    )


def _placed(found: Sequence[Definition], code: bytes, language: Language) -> Iterator[Symbol]:
    breaks = [match.start() for match in re.finditer(b"\n", code)]
    result: list[Symbol] = []
    around: list[tuple[Definition, int]] = []  # the definitions that the next one may stand in
    last_child: dict[int, int] = {}
    for one in found:
        while around and not _contains(around[-1][0], one):
            around.pop()
        parent = around[-1][1] if around else -1
        made = _symbol(one, result[parent] if around else None, language)
        made = replace(
            made,
            start_line=bisect_left(breaks, one.start) + 1,
            end_line=bisect_left(breaks, last_of(code, one.end, one.start + 1) - 1) + 1,
            parent=parent,
        )
        before = last_child.get(parent, -1)
        if language.clauses and before >= 0 and _same(result[before], made):
            result[before] = replace(result[before], end_line=made.end_line)
            around.append((one, before))
            continue
        last_child[parent] = len(result)
        around.append((one, len(result)))
        result.append(made)
    yield from result


def _contains(outer: Definition, inner: Definition) -> bool:
    # one node may define several names (int a, b): they stand beside each other
    same = outer.start == inner.start and outer.end == inner.end
    return not same and outer.start <= inner.start and inner.end <= outer.end


def _same(one: Symbol, other: Symbol) -> bool:
    return (one.qualified_name, one.kind) == (other.qualified_name, other.kind)


def _symbol(one: Definition, parent: Symbol | None, language: Language) -> Symbol:
    path, kind = one.name, one.kind
    separators = () if kind in _TEXTS else language.separators
    if any(separator in path for separator in separators) and "operator" not in path:
        shorter = _GENERICS.sub("", path)
        while shorter != path:
            path, shorter = shorter, _GENERICS.sub("", shorter)
    for separator in separators:
        path = path.replace(separator, ".")
    path = ".".join(filter(None, path.split("."))) if separators else path
    name = path.rpartition(".")[2] if separators else path
    if parent and parent.kind in _CONTAINERS:
        kind = _INSIDE.get(kind, kind)
    own = " ".join if kind in _TEXTS else ".".join
    path = own(filter(None, (one.scope, path)))
    if parent:
        sentence = kind in _TEXTS and (kind == "section" or parent.kind in _TEXTS)
        path = parent.qualified_name + (" > " if sentence else ".") + path
    return Symbol(name or one.name, path, kind, 0, 0)


def _own_lines(found: _Outline) -> dict[str, list[str]]:
    """The lines of each symbol that are not lines of a symbol inside it, by qualified name."""
    owner = [-1] * (len(found.lines) + 1)
    result: dict[str, list[str]] = {}
    for index, symbol in enumerate(found.symbols):
        if _is_detail(symbol, found.symbols):
            continue
        result[symbol.qualified_name] = []
        for line in range(symbol.start_line, symbol.end_line + 1):
            owner[line] = index
    for number, text in enumerate(found.lines, 1):
        own = text.rstrip()
        if own and owner[number] >= 0:
            result[found.symbols[owner[number]].qualified_name].append(own)
    return result


def _is_detail(symbol: Symbol, among: Sequence[Symbol]) -> bool:
    parent = among[symbol.parent] if symbol.parent >= 0 else None
    return parent is not None and symbol.kind in _DETAILS and parent.kind not in _SCOPES


def _outermost(found: Sequence[Symbol], wanted: set[str] | None = None) -> tuple[str, ...]:
    """The names that stand in no other wanted one. A module stands for its members."""
    names: dict[str, None] = {}
    inside: list[bool] = []
    parents = {symbol.parent for symbol in found}
    for index, symbol in enumerate(found):
        covered = symbol.parent >= 0 and inside[symbol.parent]
        chosen = wanted is None or symbol.qualified_name in wanted
        opens = symbol.kind in _SCOPES and index in parents
        inside.append(covered or (chosen and not opens))
        if chosen and not covered and not opens:
            names[symbol.qualified_name] = None
    return tuple(names)


def _mentions(text: str, qualified_name: str) -> bool:
    return re.split(r" > |\.", qualified_name)[-1] in text


def _patched(
    source: str, hunks: Sequence[Mapping[str, Any]], start: str, taken: str, given: str
) -> str | None:
    """The source with every hunk applied, or None where one does not fit."""
    lines = source.split("\n")
    result: list[str] = []
    position = 0
    for hunk in hunks:
        first, changes = hunk.get(start), hunk.get("lines")
        if not isinstance(first, int) or not isinstance(changes, list | tuple):
            return None
        begin = max(first - 1, 0)
        if not position <= begin <= len(lines):
            return None
        result += lines[position:begin]
        position = begin
        for change in changes:
            mark, line = str(change)[:1], str(change)[1:]
            if mark in (" ", "", taken):
                if position >= len(lines) or lines[position].rstrip("\r") != line.rstrip("\r"):
                    return None
                position += 1
            if mark in (" ", "", given):
                result.append(line)
    return "\n".join(result + lines[position:])
