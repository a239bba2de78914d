"""Of too many symbols those that a reader can use: outer ones, and the first of many alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from backstory.codenav.parts import Part, placed
from backstory.codenav.symbols import Symbol

MOST_KEYS = 3_000
_FEWEST = 5  # of the keys of one parent


@dataclass(frozen=True, slots=True)
class Shown:
    """A symbol that is shown, for itself or for all from it to its last brother."""

    index: int
    last: int
    count: int

    @property
    def name(self) -> str:
        """What it is called where it stands for others."""
        return f"… {self.count:,} more" if self.count > 1 else ""


def chosen(parents: Sequence[int], most: int = MOST_KEYS) -> list[Shown]:
    """Which of some symbols to show, in order, given the index of the parent of each (-1: none).

    At most about `most`. Where the symbols of one level are too many, the first ones of each
    parent stay, and the next one stands for the others.
    """
    if len(parents) <= most:
        return [Shown(index, index, 1) for index in range(len(parents))]
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(parents):
        children.setdefault(parent, []).append(index)
    kept: list[Shown] = []
    level = [-1]
    while level:
        around = [index for index in level if index in children]
        found = sum(len(children[index]) for index in around)
        room = most - len(kept)
        share = found if found <= room else room // max(len(around), 1) - 1
        if share < _FEWEST and found > room:
            break
        level = []
        for parent in around:
            own = children[parent]
            few = own if len(own) <= share + 1 else own[:share]
            level += few
            kept += [Shown(index, index, 1) for index in few]
            if len(few) < len(own):
                kept.append(Shown(own[len(few)], own[-1], len(own) - len(few)))
    return sorted(kept, key=lambda one: one.index)


def placed_few(parts: Sequence[Part]) -> tuple[Symbol, ...]:
    """The symbols of parts, at most about MOST_KEYS; what is left out is counted."""
    if len(parts) <= MOST_KEYS:
        return placed(parts)
    places: dict[int, int] = {-1: -1}
    result: list[Part] = []
    for one in chosen([part.parent for part in parts]):
        part = parts[one.index]
        part.parent = places[part.parent]
        if one.count == 1:
            places[one.index] = len(result)
        else:
            part.name = part.path = part.signature = one.name
            part.end, part.doc = parts[one.last].end, ""
        result.append(part)
    return placed(result)


def bounded(symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """At most about MOST_KEYS of some symbols; what is left out is counted."""
    if len(symbols) <= MOST_KEYS:
        return tuple(symbols)
    places: dict[int, int] = {-1: -1}
    result: list[Symbol] = []
    for one in chosen([symbol.parent for symbol in symbols]):
        symbol = replace(symbols[one.index], parent=places[symbols[one.index].parent])
        if one.count == 1:
            places[one.index] = len(result)
        else:
            path = symbol.qualified_name.removesuffix(symbol.name) + one.name
            end = symbols[one.last].end_line
            symbol = replace(
                symbol, name=one.name, qualified_name=path, signature=one.name, doc="", end_line=end
            )
        result.append(symbol)
    return tuple(result)
