"""Keys of data files, as many as a reader can use: of many that are alike the first few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from backstory.codenav.symbols import Symbol

MOST_KEYS = 3_000
_FEWEST = 5  # of the keys of one parent


def bounded(symbols: Sequence[Symbol], most: int = MOST_KEYS) -> tuple[Symbol, ...]:
    """At most about `most` symbols, outer ones first; what is left out is counted.

    Where the symbols of one level are too many, the first ones of each parent stay, and one
    symbol stands for the others.
    """
    if len(symbols) <= most:
        return tuple(symbols)
    children: dict[int, list[int]] = {}
    for index, one in enumerate(symbols):
        children.setdefault(one.parent, []).append(index)
    kept: dict[int, int] = {}  # the last index that a symbol stands for
    level = [-1]
    while level:
        parents = [index for index in level if index in children]
        found = sum(len(children[index]) for index in parents)
        room = most - len(kept)
        share = found if found <= room else room // max(len(parents), 1) - 1
        if share < _FEWEST and found > room:
            break
        level = []
        for parent in parents:
            own = children[parent]
            few = own if len(own) <= share + 1 else own[:share]
            level += few
            kept.update((index, index) for index in few)
            if len(few) < len(own):
                kept[own[len(few)]] = own[-1]
    return _rebuilt(symbols, kept, children)


def _rebuilt(
    symbols: Sequence[Symbol], kept: dict[int, int], children: dict[int, list[int]]
) -> tuple[Symbol, ...]:
    places: dict[int, int] = {-1: -1}
    result: list[Symbol] = []
    for index in sorted(kept):
        one, last = symbols[index], symbols[kept[index]]
        parent = places[one.parent]
        if last is one:
            places[index] = len(result)
            result.append(replace(one, parent=parent))
            continue
        own = children[one.parent]
        said = f"… {len(own) - own.index(index):,} more"
        path = one.qualified_name.removesuffix(one.name) + said
        end = max(last.end_line, one.end_line)
        result.append(Symbol(said, path, one.kind, one.start_line, end, parent, said, "", one.line))
    return tuple(result)
