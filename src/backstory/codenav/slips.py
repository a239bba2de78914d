"""Slips of the pen: how many letters are between two names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_LONGEST = 48  # letters; of longer names nobody types more by hand


def neighbours(name: str) -> Iterator[str]:
    """The names that are one slip away: a letter too few, too many, wrong, or two exchanged."""
    if len(name) > _LONGEST:
        return
    for at in range(len(name) + 1):
        head, tail = name[:at], name[at:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in _LETTERS:
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]


@lru_cache(maxsize=1_024)
def distance(one: str, other: str) -> int:
    """How many such slips lead from one name to the other."""
    if one == other:
        return 0
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        above, before, row = before, row, [at]
        for to, wanted in enumerate(other, 1):
            cost = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == wanted:
                cost = min(cost, above[to - 2] + 1)
            row.append(cost)
    return row[-1]
