"""Symbols of files that no query describes: put together from names, lines and nesting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from backstory.codenav.symbols import Reading, Symbol

NAME_LENGTH = 120
_MOST_PROBLEMS = 20
_PATH_LENGTH = 2_000


@dataclass(slots=True)
class Part:
    """One part of a file, before it is a symbol. Lines count from 1."""

    name: str
    kind: str
    start: int
    end: int = 0
    parent: int = -1  # index among the parts; parents come first
    path: str = ""  # what is added to the parent's qualified name (default: the name)
    joined: str = " > "  # how it is added
    signature: str = ""
    doc: str = ""
    line: int = 0  # where its name stands (default: its first line)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: of two, the one with the smaller rank goes on over the other."""

    rank: tuple[Any, ...]
    name: str
    line: int
    at: int = 0  # the line that the section begins with, when that is an earlier one
    said: str = ""  # how it is shown (default: its name)


class Comment:
    """The comment on lines of its own that may stand right above something."""

    def __init__(self, marks: str) -> None:
        self._marks = marks
        self.clear()

    def clear(self) -> None:
        """What follows does not belong to it."""
        self._start, self._words = 0, ""

    def take(self, line: int, text: str) -> bool:
        """Take in a line, when it is a comment."""
        if text[:1] not in tuple(self._marks):
            return False
        self._start = self._start or line
        self._words = self._words or text.lstrip(self._marks + "!-=* \t")
        return True

    def leave(self, line: int) -> tuple[int, str]:
        """(the first line, the documentation) of what stands on a line."""
        result = self._start or line, shown(self._words)
        self.clear()
        return result


def shown(text: str, length: int = NAME_LENGTH) -> str:
    """A text in one line, shortened."""
    plain = " ".join(text[: length * 8].split())
    return plain if len(plain) <= length else plain[: length - 1].rstrip() + "…"


def placed(parts: Sequence[Part]) -> tuple[Symbol, ...]:
    """The symbols of parts that are in the order of the file, parents before what is in them."""
    result: list[Symbol] = []
    for part in reversed(parts):
        part.end = max(part.end, part.start)
        if part.parent >= 0:  # two may share a line, the end of one and the beginning of another
            parts[part.parent].end = max(parts[part.parent].end, part.end)
    for part in parts:
        path = part.path or part.name
        if part.parent >= 0:
            before = result[part.parent].qualified_name
            if len(before) < _PATH_LENGTH:
                path = before + part.joined + path
        result.append(
            Symbol(
                part.name,
                path,
                part.kind,
                part.start,
                part.end,
                part.parent,
                part.signature or part.name,
                part.doc,
                part.line or part.start,
            )
        )
    return tuple(result)


def sections(headings: Iterable[Heading], lines: Sequence[str]) -> tuple[Symbol, ...]:
    """The sections that headings begin; empty lines at the end of one are no part of it."""
    parts: list[Part] = []
    ranks: list[tuple[Any, ...]] = []
    waiting: list[int] = []

    def end(last: int) -> None:
        while last > 1 and not lines[last - 1].strip():
            last -= 1
        parts[waiting.pop()].end = last

    for one in headings:
        start = one.at or one.line
        while waiting and ranks[waiting[-1]] >= one.rank:
            end(start - 1)
        parent = waiting[-1] if waiting else -1
        waiting.append(len(parts))
        ranks.append(one.rank)
        parts.append(Part(one.name, "section", start, 0, parent, signature=one.said, line=one.line))
    while waiting:
        end(len(lines))
    return placed(parts)


@dataclass(frozen=True, slots=True)
class Inset:
    """What was read in a part that is written in another language."""

    found: Reading
    line: Callable[[int], int]  # from a line of the part to one of the file


def spliced(outer: Reading, insets: Mapping[int, Inset]) -> Reading:
    """A reading with what was read inside some of its symbols, given by their indexes."""
    symbols: list[Symbol] = []
    places: dict[int, int] = {-1: -1}
    for index, one in enumerate(outer.symbols):
        place = places[index] = len(symbols)
        symbols.append(replace(one, parent=places[one.parent]))
        if index in insets:
            symbols += _moved(insets[index], one, place)
    found = [(inset.found, inset.line) for inset in insets.values()]
    imports = [(names, at(a), at(b)) for one, at in found for names, a, b in one.imports]
    problems = [(at(a), at(b)) for one, at in found for a, b in one.problems]
    return Reading(
        tuple(symbols),
        tuple(sorted([*outer.imports, *imports], key=lambda one: one[1])),
        tuple(sorted([*outer.problems, *problems])[:_MOST_PROBLEMS]),
        outer.cut or any(one.cut for one, _ in found),
    )


def _moved(inset: Inset, around: Symbol, place: int) -> Iterator[Symbol]:
    joined = "."
    for one in inset.found.symbols:
        if one.parent < 0:
            joined = " > " if one.kind in ("section", "test") else "."
        start, end = inset.line(one.start_line), inset.line(one.end_line)
        yield Symbol(
            one.name,
            f"{around.qualified_name}{joined}{one.qualified_name}",
            one.kind,
            min(max(start, around.start_line), around.end_line),
            min(max(end, around.start_line), around.end_line),
            place + 1 + one.parent,
            one.signature,
            one.doc,
            inset.line(one.line),
        )
