"""The forms that an outline may be rendered in, from everything to very little."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

ALL_LEVELS = 1_000
NEWLINE = 1.4  # what the estimate takes the end of a line for
_PER_LETTER = 0.22  # tokens that a letter of a signature costs at the very least
_LONGEST_NAME = 40  # characters, among others on one line


@dataclass(frozen=True, slots=True)
class Fold:
    """What a rendering leaves out."""

    docs: int = ALL_LEVELS  # levels that show the first line of their documentation
    details: Literal["rows", "names", "count"] = "rows"  # fields, constants, variables
    width: int = 160  # characters of a signature
    rows: int = ALL_LEVELS  # levels with a row for each symbol
    packed: Literal["lines", "names", ""] = ""  # the level below the rows; "": a count

    def within(self, depth: int) -> Fold:
        """The same, of at most so many levels (0: any)."""
        if depth <= 0 or depth > self.rows:
            return self
        return replace(self, rows=depth, packed="")

    def deeper(self, levels: int) -> Fold:
        """The same, of so many levels more."""
        docs = self.docs + levels if self.docs else 0
        return replace(self, docs=docs, rows=self.rows + levels)


# From everything to very little: documentation goes first, then fields and constants, then the
# middle of signatures, then deeper levels, and last the rows themselves.
FOLDS = (
    Fold(),
    Fold(docs=2, width=140),
    Fold(docs=1, width=140),
    Fold(docs=1, details="names", width=120),
    Fold(docs=0, details="names", width=100),
    Fold(docs=0, details="names", width=72, rows=3),
    Fold(docs=0, details="names", width=56, rows=2),
    Fold(docs=0, details="count", width=40, rows=2),
    Fold(docs=0, details="names", width=72, rows=1, packed="lines"),
    Fold(docs=0, details="count", width=56, rows=1, packed="lines"),
    Fold(docs=0, details="names", width=72, rows=1, packed="names"),
    Fold(docs=0, details="count", width=56, rows=1, packed="names"),
    Fold(docs=0, details="count", width=40, rows=1, packed="names"),
    Fold(docs=0, details="names", width=56, rows=1),
    Fold(docs=0, details="count", width=40, rows=1),
    Fold(docs=0, details="count", rows=0, packed="lines"),
    Fold(docs=0, details="count", rows=0, packed="names"),
)


class Size(NamedTuple):
    """How long the parts of a row are, in characters."""

    is_detail: bool
    digits: int  # of its lines
    name: int
    signature: int
    doc: int


def least(one: Size, fold: Fold, *, is_packed: bool, has_doc: bool) -> float:
    """What a symbol adds to a rendering, in tokens, at the very least."""
    if one.is_detail and fold.details != "rows":
        return one.name * _PER_LETTER / 4 if fold.details == "names" else 0.0
    if is_packed:
        lines = one.digits if fold.packed == "lines" else 0
        return min(one.name, _LONGEST_NAME) * _PER_LETTER + lines
    doc = one.doc * _PER_LETTER if has_doc else 0.0
    return NEWLINE + one.digits + min(one.signature, fold.width) * _PER_LETTER + doc
