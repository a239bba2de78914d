"""Whose name is used: of `Cart.total`, the uses that are likely Cart's come first.

No types are known. What counts is what stands before the name, what that was made of in the same
file, and in which class the use stands.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice

from backstory.codenav.index import folded

LIKELY, POSSIBLE, DOUBTFUL, UNLIKELY = range(4)
_BEFORE = re.compile(
    rb"([\w$]+)\s*(?:\([^()]*\)|\[[^\[\]]*\])?\s*(?:\?\.|!\.|\.|::|->|\\|#|&\.)\s*[*&@]*$"
)
_OWN = frozenset((b"self", b"this", b"cls", b"super", b"Self", b"static", b"parent", b"base"))
_ASSIGNED = re.compile(rb"\s*(?::=|[:=])\s*(?:new\s+|await\s+|&\s*)?(?:[\w$]+(?:\.|::))*([A-Z]\w*)")
_DECLARED = re.compile(rb"(?<![\w$])([A-Z]\w*)(?:<[^<>;(){}]*>)?[ \t]*[*&]?[ \t]+[*&]?$")
_ENDS = re.compile(rb"\s*[=,;)]")
_WORD_BYTES = frozenset(
    bytes((one,)) for one in (string.ascii_letters + string.digits + "_$").encode()
)
_MOST_PLACES = 300  # of a variable in a file
_HEAD = 200  # bytes before a name that are looked at
_SHORT = 3  # letters of an owner's name that say nothing at the end of another


@dataclass(frozen=True)
class Owner:
    """What a name stands in, for which uses are looked for."""

    name: str
    spans: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)  # by file
    others: frozenset[str] = frozenset()  # folded names of what else has such a name in it

    @cached_property
    def word(self) -> re.Pattern[bytes]:
        """Its name, in the bytes of a file."""
        return re.compile(rb"(?<![\w$])" + re.escape(self._spelled) + rb"(?![\w$])")

    @cached_property
    def _spelled(self) -> bytes:
        return self.name.encode("utf-8", "replace")

    @cached_property
    def _folded(self) -> str:
        return folded(self.name)

    def likelihood(self, path: str, data: bytes, place: int, line: int) -> int:
        """How likely the name at a place of a file is its own, LIKELY to UNLIKELY."""
        start = data.rfind(b"\n", 0, place) + 1
        end = data.find(b"\n", place)
        inside = any(first <= line <= last for first, last in self.spans.get(path, ()))
        receiver = _BEFORE.search(data, max(start, place - _HEAD), place)
        elsewhere = POSSIBLE if self.word.search(data) else DOUBTFUL
        if receiver is None:
            names_it = self.word.search(data, start, end if end >= 0 else len(data))
            return LIKELY if inside or names_it else elsewhere
        said = receiver[1]
        if said in _OWN:
            # one of a class below it, perhaps
            return LIKELY if inside else max(elsewhere, DOUBTFUL) if self.others else elsewhere
        called = folded(said.decode("utf-8", "replace"))
        if called == self._folded:
            return LIKELY
        made = _made_of(said, data)
        if made:
            return LIKELY if self._spelled in made else UNLIKELY
        if called in self.others:
            return UNLIKELY
        if len(self._folded) >= _SHORT and called.endswith(self._folded):
            return LIKELY
        return elsewhere


def places_of(name: bytes, data: bytes) -> Iterator[int]:
    """Where a name stands as a word of its own. An expression takes ten times as long for it."""
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        if not (data[at - 1 : at] in _WORD_BYTES or data[end : end + 1] in _WORD_BYTES):
            yield at
        at = data.find(name, at + 1)


@lru_cache(maxsize=32)
def _made_of(name: bytes, data: bytes) -> set[bytes]:
    """The types that a file names beside a variable: `x = Cart(`, `x: Cart`, `Cart x`."""
    found = set()
    for at in islice(places_of(name, data), _MOST_PLACES):
        end = at + len(name)
        if data[at - 1 : at] != b"." and (assigned := _ASSIGNED.match(data, end)):
            found.add(assigned[1])
        declared = _DECLARED.search(data, max(at - _HEAD, 0), at)
        if declared and _ENDS.match(data, end):
            found.add(declared[1])
    return found
