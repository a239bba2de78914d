"""Which named things in a file an edit touched."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backstory.codenav.touched import defined, touched

_SOURCE_LIMIT = 300_000
_DEADLINE = 1.0  # seconds a file; a busy machine must not change what is found

# For files whose language has no grammar here, and for pieces that don't parse.
_DEFINITION = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|pub"
    r"(?:\([a-z]+\))?|override|open|data|sealed|unsafe|const|inline|local)\s+)*"
    r"(?:def|class|function\*?|func|fn|interface|trait|struct|enum|type|module|object|impl|sub|"
    r"proc|record)"
    r"\s+(?:\([^)\n]*\)\s*)?([A-Za-z_$][\w$]*)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Symbols:
    """Qualified names, by what happened to them."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Every name, what is new first."""
        return (*self.added, *self.changed, *self.removed)


def compare(path: str, before: str, after: str) -> Symbols:
    """What changed between two whole texts of a file."""
    if len(before) > _SOURCE_LIMIT or len(after) > _SOURCE_LIMIT:
        return Symbols()
    if not before:
        return Symbols(added=defined(path, after, _DEADLINE) or _names(after))
    found = touched(path, before, after, _DEADLINE)
    if found.changed or found.added or found.removed:
        return Symbols(found.changed, found.added, found.removed)
    return by_pattern(before, after)


def by_pattern(before: str, after: str) -> Symbols:
    """What two pieces of code define, when that is all there is to go by."""
    old, new = _names(before), _names(after)
    return Symbols(
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
    )


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_DEFINITION.findall(text[:_SOURCE_LIMIT])))[:40]
