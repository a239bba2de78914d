"""Which symbols of a file an edit touched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backstory.codenav.languages import detect
from backstory.codenav.shapes import reading_of
from backstory.codenav.symbols import Reading, Symbol

_SCOPES = frozenset({"module", "namespace"})
_DETAILS = frozenset({"field", "constant", "variable"})  # part of what they stand in
_HEAD = 20_000  # characters that may hold a #! line, or tell languages with one ending apart


@dataclass(frozen=True, slots=True)
class Touched:
    """What an edit did, as qualified names in the order of the source."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def defined(path: str, content: str, deadline_s: float = 0.25) -> tuple[str, ...]:
    """The qualified names at the top level of a file; () where the language is unknown."""
    language = detect(path, content[:_HEAD])
    if language is None:
        return ()
    found = reading_of(content, language, deadline_s)
    return _outermost(found.symbols) if found and not found.cut else ()


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
    old = reading_of(before, language, deadline_s)
    new = reading_of(after, language, deadline_s)
    if old is None or new is None or old.cut or new.cut:
        return Touched()
    had, has = _own_lines(old, before), _own_lines(new, after)
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


def _own_lines(found: Reading, source: str) -> dict[str, list[str]]:
    """The lines of each symbol that are not lines of a symbol inside it, by qualified name."""
    lines = source.removeprefix("\ufeff").split("\n")
    owner = [-1] * (len(lines) + 1)
    result: dict[str, list[str]] = {}
    for index, symbol in enumerate(found.symbols):
        if _is_detail(symbol, found.symbols):
            continue
        result.setdefault(symbol.qualified_name, [])
        for line in range(symbol.start_line, symbol.end_line + 1):
            owner[line] = index
    for number, text in enumerate(lines, 1):
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
