"""What `#else` calls a thing whose body follows the condition: of two heads only one is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from backstory.codenav.captures import Definition

_OTHERWISE = re.compile(rb"^[ \t]*#[ \t]*el", re.MULTILINE)
_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|el(?:se|if|ifdef|ifndef)|endif)\b[^\n]*", re.MULTILINE
)
# a type, or a function with a type before its name
_HEAD = re.compile(
    rb"(?:\w[\w\s]*\s)?(?:class|struct|union|enum|interface|record|namespace)\s+(\w+)\b[^(){};]*"
    rb"|[\w\[~][\w\s:<>,*&~\[\]?]*?[\s*&]((?:\w+::)*~?\w+)\s*\([^{};]*\)[\w\s]*(?::[^{};]*)?"
)
_NO_NAMES = frozenset(
    (b"if", b"while", b"for", b"switch", b"return", b"catch", b"else", b"foreach", b"lock")
)
_MOST = 200  # conditions of a file that are looked at
_LONGEST = 600  # bytes of a branch that is no more than a head


@dataclass(frozen=True, slots=True)
class _Head:
    """A head in a branch that is not read. Positions are bytes."""

    start: int
    end: int
    at: int  # where its name stands
    name: str


def add_other_heads(found: list[Definition], code: bytes, painted: bytes) -> None:
    """Puts such names beside the definitions that are read in their place, with the same lines.

    `painted` is what the parser saw: without the branches that are not read.
    """
    if painted is code or not _OTHERWISE.search(code):
        return
    for read, others in islice(_choices(code, painted), _MOST):
        owners = (n for n, one in enumerate(found) if read[0] <= one.at < read[1] < one.end)
        place = max(owners, key=lambda n: found[n].at, default=-1)
        if place < 0:
            continue
        one = found[place]
        for head in filter(None, (_head(code, *branch) for branch in reversed(others))):
            if head.name != one.name:
                made = replace(one, at=head.at, name=head.name, head=head.start, body=head.end)
                found.insert(place + 1, made)


def _choices(
    code: bytes, painted: bytes
) -> Iterator[tuple[tuple[int, int], list[tuple[int, int]]]]:
    """(the one branch of a condition that is read, those that are not)."""
    around: list[list[int]] = []  # where the branches of the conditions around begin and end
    for line in _DIRECTIVE.finditer(code):
        if line[1].startswith(b"if"):
            around.append([line.end()])
            continue
        if not around:
            continue
        around[-1] += [line.start(), line.end()]
        if line[1] != b"endif":
            continue
        places = around.pop()[:-1]
        branches = list(zip(places[::2], places[1::2], strict=True))
        read = [one for one in branches if painted[slice(*one)].strip()]
        if len(read) == 1 and len(branches) > 1:
            yield read[0], [one for one in branches if one is not read[0]]


def _head(code: bytes, start: int, end: int) -> _Head | None:
    """The head that a branch ends with, if it does."""
    if end - start > _LONGEST:
        return None
    text = code[start:end].rstrip().removesuffix(b"{").rstrip()
    first = max(text.rfind(mark) for mark in (b";", b"}", b"{")) + 1
    first += len(text[first:]) - len(text[first:].lstrip())
    found = _HEAD.fullmatch(text, first)
    number = found.lastindex if found else 0
    if not found or not number or found[number].rpartition(b"::")[2] in _NO_NAMES:
        return None
    name = found[number].decode("utf-8", "replace")
    return _Head(start + first, start + len(text), start + found.start(number), name)
