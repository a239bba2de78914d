"""Small changes of a text, by their places in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

Edit = tuple[int, int, bytes]  # start, end, what stands there instead: with the same line breaks


def edited(text: bytes, edits: Iterable[Edit]) -> bytes:
    """A text with some edits, none of which overlap."""
    parts, at = [], 0
    for start, end, new in sorted(edits):
        parts += [text[at:start], new]
        at = end
    return b"".join([*parts, text[at:]])


def merged(first: Sequence[Edit], then: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits of a text that put something in, and edits of what it then is, as edits of the text."""
    starts: list[int] = []  # of what the first ones put in, in what the text then is
    shift = 0
    for at, _, new in first:
        starts.append(at + shift)
        shift += len(new)
    result: dict[tuple[int, int], list[bytes]] = {(at, end): [b"", new] for at, end, new in first}

    def before(position: int) -> tuple[int, bool]:
        """A place in the text, and whether it is behind what was put in there."""
        near = bisect_right(starts, position - 1) - 1
        if near < 0:
            return position, False
        at, _, new = first[near]
        if position <= starts[near] + len(new):
            return at, True
        return position - (starts[near] + len(new)) + at, False

    for start, end, new in then:
        (place, is_behind), (stop, _) = before(start), before(end)
        parts = result.setdefault((place, stop), [b"", b""])
        parts[is_behind or not first] += new
    kept, last = [], -1
    for (start, end), parts in sorted(result.items()):
        if start >= last and (any(parts) or end > start):
            kept.append((start, end, b"".join(parts)))
            last = end
    return tuple(kept)
