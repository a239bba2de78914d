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
    ends, shifts, shift = [], [], 0
    for at, _, new in first:
        ends.append(at + shift)
        shift += len(new)
        shifts.append(shift)

    def before(position: int) -> int:
        near = bisect_right(ends, position - 1) - 1
        if near < 0:
            return position
        return max(position - shifts[near], first[near][0])

    result: dict[tuple[int, int], bytes] = {(at, end): new for at, end, new in first}
    for start, end, new in then:
        key = (before(start), before(end))
        result[key] = result.get(key, b"") + new
    kept, last = [], -1
    for (start, end), new in sorted(result.items()):
        if start >= last and (new or end > start):
            kept.append((start, end, new))
            last = end
    return tuple(kept)
