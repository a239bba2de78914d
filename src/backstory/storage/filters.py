"""What a question is limited to, as one condition in SQL: the same behind every door.

Empty tuples and None do not filter. What only observations have (a type, files, …) leaves the
other kinds out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from backstory.storage import sql
from backstory.storage.text_index import KINDS, Kind

FILTER = "{filter}"  # where a named query takes the condition
ALIASES: dict[Kind, str] = {"observation": "o", "summary": "u", "prompt": "q"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Times are Unix milliseconds, UTC; the end is exclusive."""

    project_ids: tuple[int, ...] = ()  # () = every project: the caller decides who may
    kinds: tuple[str, ...] = ()  # of KINDS
    types: tuple[str, ...] = ()  # of an observation
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # a path, its end behind a "/", or a folder
    agents: tuple[str, ...] = ()  # types of subagents; "main" is none of them
    saved: bool = False  # only what a person or Claude saved word for word
    branches: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()  # the host's ids, or their beginnings
    platforms: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None

    @property
    def is_of_observations(self) -> bool:
        """Whether only observations can pass."""
        return bool(self.types or self.concepts or self.files or self.agents or self.saved)

    @property
    def is_narrow(self) -> bool:
        """Whether anything but projects, kinds and types is asked for."""
        known = ("project_ids", "kinds", "types")
        return any(
            _is_set(getattr(self, field.name))
            for field in fields(Filters)
            if field.name not in known
        )

    @property
    def asked_kinds(self) -> tuple[Kind, ...]:
        """The kinds that can pass."""
        possible = KINDS[:1] if self.is_of_observations else KINDS
        return tuple(kind for kind in possible if not self.kinds or kind in self.kinds)

    def condition(self, kind: Kind) -> str:
        """What a record of this kind must fulfil, over its table under the alias of ALIASES."""
        if kind not in self.asked_kinds:
            return "0"
        alias = ALIASES[kind]
        parts = [text for name, text in _CONDITIONS.items() if self._is_given(name, kind)]
        return " AND ".join(f"({text})" for text in parts).replace("{r}", alias) or "1"

    def arguments(self) -> dict[str, Any]:
        """The values behind the names in the conditions."""
        lists = {
            f"f_{field.name}": json.dumps(getattr(self, field.name))
            for field in fields(Filters)
            if isinstance(getattr(self, field.name), tuple)
        }
        return {
            **lists,
            "f_files": json.dumps([path.strip("/") for path in self.files]),
            "f_start": self.start,
            "f_end": self.end,
        }

    def _is_given(self, name: str, kind: Kind) -> bool:
        field, _, only = name.partition(" ")
        is_fitting = not only or (only == "observation") == (kind == "observation")
        return is_fitting and _is_set(getattr(self, field))


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value != ()  # a time may be 0


_CONDITIONS = {
    # without its comment: it stands within another statement
    name: "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    for name, text in sql.load("filters").items()
}


def of_any_kind(filters: Filters, row: str) -> str:
    """The condition over a row number of the index, its records joined under o, u and q."""
    cases = [f"WHEN {n} THEN {filters.condition(kind)}" for n, kind in enumerate(KINDS[:-1])]
    return f"CASE {row} & 3 {' '.join(cases)} ELSE {filters.condition(KINDS[-1])} END"
