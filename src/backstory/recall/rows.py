"""The lines of an index: ids as people see them, rows by id, and walking through time."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, cast

from backstory.errors import BadInput, StorageError
from backstory.records import Row
from backstory.storage import sql
from backstory.storage.filters import FILTER, Filters
from backstory.storage.text_index import KINDS, Kind

LATEST = 2**62  # a time and an id after all others

_QUERIES = sql.load("rows")
_PREFIX: dict[Kind, str] = {"observation": "", "summary": "s", "prompt": "p"}
_KIND: dict[str, Kind] = {prefix: kind for kind, prefix in _PREFIX.items()}
_TABLE: dict[Kind, str] = {
    "observation": "observations",
    "summary": "summaries",
    "prompt": "prompts",
}
# what comes first at one and the same time: the question, what was found, what it came to
_RANK: dict[Kind, int] = {"prompt": 0, "observation": 1, "summary": 2}
_ID = re.compile(r"#?([sSpP]?)([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class Place:
    """A record's place in time."""

    kind: Kind
    id: int
    at: int

    @property
    def shown_id(self) -> str:
        """The id as it is shown."""
        return format_id(self.kind, self.id)

    @property
    def key(self) -> tuple[int, int, int]:
        """What places are ordered by."""
        return (self.at, _RANK[self.kind], self.id)


def parse_id(text: object) -> tuple[Kind, int]:
    """(kind, id) of "12", "#12", 12, "s5" or "p7". Raises BadInput."""
    found = _ID.fullmatch(str(text).strip()) if not isinstance(text, bool) else None
    if found is None:
        raise BadInput(
            f"got {str(text)[:40]!r} as an id",
            hint="ids are 12 for an observation, s5 for a summary, p7 for a prompt",
        )
    return _KIND[found.group(1).lower()], int(found.group(2))


def format_id(kind: Kind, id_: int) -> str:
    """The id as it is shown: "12", "s5", "p7"."""
    return f"{_PREFIX[kind]}{id_}"


@contextmanager
def reading() -> Iterator[None]:
    """Turns what SQLite raises into StorageError, so that a failure is never taken for no hits."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(
            f"the memory could not be read: {error}", hint="run: backstory doctor"
        ) from error


def load_rows(db: sqlite3.Connection, wanted: Iterable[tuple[Kind, int]]) -> list[Row]:
    """The rows of these records, in the order asked for; what no longer exists is left out."""
    wanted = list(wanted)
    found: dict[tuple[Kind, int], Row] = {}
    for kind in KINDS:
        ids = [id_ for kind_, id_ in wanted if kind_ == kind]
        if ids:
            for values in db.execute(_QUERIES[f"{kind} rows"], {"ids": json.dumps(ids)}):
                found[kind, values[0]] = _row(kind, values)
    return [found[key] for key in wanted if key in found]


def _row(kind: Kind, values: tuple[object, ...]) -> Row:
    id_, type_, title, at, tokens, project, session, *rest = values
    evidence, importance, tainted, superseded_by, agent_type, project_id = rest
    extra: dict[str, object] = {"project_id": project_id, "importance": importance}
    if evidence == "verified":
        extra["verified"] = True
    if tainted:
        extra["tainted"] = True
    if superseded_by is not None:
        extra["superseded_by"] = superseded_by
    if agent_type:
        extra["agent_type"] = agent_type
    return Row(
        id=format_id(kind, cast("int", id_)),
        kind=kind,
        type=str(type_),
        title=str(title),
        at=cast("int", at),
        tokens=cast("int", tokens),
        project=str(project),
        session=str(session),
        extra=extra,
    )


def find_place(db: sqlite3.Connection, kind: Kind, id_: int) -> tuple[Place, int] | None:
    """A record's place in time and its project; None where there is none."""
    row = db.execute(_QUERIES[f"{kind} place"], {"id": id_}).fetchone()
    return None if row is None else (Place(kind, id_, row[0]), row[1])


def walk(
    db: sqlite3.Connection,
    direction: Literal["before", "after"],
    start: tuple[int, int, int],
    limit: int,
    filters: Filters,
    *,
    bound: int | None = None,
) -> list[Place]:
    """The next places before or after a point (a Place.key), the nearest first.

    bound: the earliest time to go back to, or the latest to go on to.
    """
    if limit <= 0:
        return []
    at, rank, id_ = start
    backwards = direction == "before"
    if bound is None:
        bound = 0 if backwards else LATEST
    places: list[Place] = []
    given = filters.arguments()
    # one project at a time: so each query is a walk along an index, however large the table
    for project in filters.project_ids or [row[0] for row in db.execute(_QUERIES["projects"])]:
        for kind in filters.asked_kinds:
            # among equal times, kinds before this one lie behind it and kinds after it ahead
            below = {-1: LATEST, 0: id_, 1: -1}[(_RANK[kind] > rank) - (_RANK[kind] < rank)]
            arguments = {
                **given,
                "project": project,
                "at": at,
                "id": below,
                "bound": bound,
                "limit": limit,
            }
            query = _QUERIES[f"{_TABLE[kind]} {direction}"]
            found = db.execute(query.replace(FILTER, filters.condition(kind)), arguments)
            places += (Place(kind, *row) for row in found)
    places.sort(key=lambda place: place.key, reverse=backwards)
    return places[:limit]
