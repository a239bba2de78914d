"""What happened around a point: prompts, observations and summaries in one order of time."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from backstory.errors import BadInput, Forbidden, NotFound
from backstory.recall.query import SearchQuery, relative_text, whole_number
from backstory.recall.rows import LATEST, Place, find_place, load_rows, parse_id, reading, walk
from backstory.recall.search import search
from backstory.records import Row

MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Timeline:
    """Rows from the oldest to the newest; anchor is the id of the one in the middle."""

    rows: tuple[Row, ...]
    anchor: str = ""  # "" where nothing is stored yet
    degraded: str = ""


def timeline(
    db: sqlite3.Connection,
    *,
    anchor: object = None,
    query: str | None = None,
    before: object = 3,
    after: object = 3,
    project_ids: tuple[int, ...] = (),
    roots: tuple[str, ...] = (),
) -> Timeline:
    """The records around an id, around a query's best hit, or before the newest.

    before and after count records of every kind, across sessions. Raises BadInput, NotFound where
    nothing is at the id or matches the query, Forbidden for another project's record.
    """
    depth_before = whole_number("depth_before", before, 0, MAX_DEPTH)
    depth_after = whole_number("depth_after", after, 0, MAX_DEPTH)
    wanted = "" if anchor is None else str(anchor).strip()
    text = relative_text(query or "", roots).strip()
    if wanted and text:
        raise BadInput("got an anchor and a query", hint="give one of the two")
    degraded = ""
    if not wanted and text:
        found = search(db, SearchQuery(text=text, project_ids=project_ids, limit=1))
        degraded = found.degraded
        if not found.rows:
            raise NotFound(f"nothing matches {text[:80]!r}", hint="try fewer or other words")
        wanted = found.rows[0].id
    with reading():
        middle = _anchor(db, wanted, project_ids) if wanted else _newest(db, project_ids)
        if middle is None:
            return Timeline(())
        earlier = walk(db, "before", middle.key, depth_before, project_ids=project_ids)
        later = walk(db, "after", middle.key, depth_after, project_ids=project_ids)
        places = [*reversed(earlier), middle, *later]
        rows = load_rows(db, ((place.kind, place.id) for place in places))
    return Timeline(tuple(rows), middle.shown_id, degraded)


def _anchor(db: sqlite3.Connection, wanted: str, project_ids: tuple[int, ...]) -> Place:
    kind, id_ = parse_id(wanted)
    found = find_place(db, kind, id_)
    if found is None:
        raise NotFound(f"there is no record {wanted}", hint="search for it by words")
    place, project = found
    if project_ids and project not in project_ids:
        raise Forbidden(
            f"record {wanted} belongs to another project", hint="name that project to see it"
        )
    return place


def _newest(db: sqlite3.Connection, project_ids: tuple[int, ...]) -> Place | None:
    places = walk(db, "before", (LATEST, 0, 0), 1, project_ids=project_ids)
    return places[0] if places else None
