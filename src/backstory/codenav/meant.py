"""What a pasted signature tells beside a name: the kind of symbol, and how it is written."""

from __future__ import annotations

from backstory.codenav.query import Query
from backstory.codenav.ranking import Candidate

_AS_MEANT = 12.0  # for a symbol of the kind that is meant
_AS_WRITTEN = 8.0  # for one whose signature is the one that was pasted
_TYPES = ("class", "struct", "interface", "trait", "enum", "type", "module", "namespace", "macro")
_CALLED = ("function", "method", "constructor", "macro")
_MEANT = {
    "type": _TYPES,
    "callable": _CALLED,
    "code": (*_TYPES, *_CALLED),
    "value": ("constant", "variable", "field", "property"),
    "impl": ("impl",),
}


def as_meant(query: Query, named: list[Candidate]) -> list[Candidate]:
    """The candidates, best first, with what a signature tells beside its name."""
    if not query.kinds:
        return named
    kinds = _MEANT[query.kinds]
    pasted = _squeezed(query.text)
    for one in named:
        one.score += _AS_MEANT * (one.kind in kinds)
        shown = _squeezed(one.signature)
        if shown and (shown in pasted or pasted in shown):
            one.score += _AS_WRITTEN * min(len(shown), len(pasted)) / len(pasted)
    return sorted(named, key=lambda one: -one.score)


def _squeezed(text: str) -> str:
    return "".join(text.split()).rstrip("{:;,(=")
