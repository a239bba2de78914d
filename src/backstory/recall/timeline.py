"""What happened around a point: prompts, observations and summaries in one order of time."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from backstory.errors import BadInput, Forbidden, NotFound
from backstory.recall.query import SearchQuery, parse_date, relative_text, whole_number
from backstory.recall.rows import LATEST, Place, find_place, load_rows, parse_id, reading, walk
from backstory.recall.search import Nearest, search
from backstory.records import Row
from backstory.storage.filters import Filters

MAX_DEPTH = 20
_DATE = re.compile(r"\d{4}-\d\d.*", re.DOTALL)  # what no id looks like


@dataclass(frozen=True, slots=True)
class Timeline:
    """Rows from the oldest to the newest; anchor is the id of the one in the middle."""

    rows: tuple[Row, ...]
    anchor: str = ""  # "" where nothing is stored yet
    degraded: str = ""
    note: str = ""  # what the reader should know about how the query's best hit was found


def timeline(
    db: sqlite3.Connection,
    *,
    anchor: object = None,
    query: str | None = None,
    before: object = 3,
    after: object = 3,
    project_ids: tuple[int, ...] = (),
    roots: tuple[str, ...] = (),
    nearest: Nearest | None = None,
) -> Timeline:
    """The records around an id or a time, around a query's best hit, or before the newest.

    anchor: an id, or an ISO date or time: then the record nearest to it. before and after count
    records of every kind, across sessions. Raises BadInput, NotFound where nothing is at the id or
    matches the query, Forbidden for another project's record.
    """
    depth_before = whole_number("depth_before", before, 0, MAX_DEPTH)
    depth_after = whole_number("depth_after", after, 0, MAX_DEPTH)
    wanted = "" if anchor is None else str(anchor).strip()
    text = relative_text(query or "", roots).strip()
    if wanted and text:
        raise BadInput("got an anchor and a query", hint="give one of the two")
    degraded = note = ""
    if not wanted and text:
        found = search(db, SearchQuery(text, project_ids=project_ids, limit=1), nearest)
        degraded, note = found.degraded, found.note
        if not found.rows:
            raise NotFound(f"nothing matches {text[:80]!r}", hint="try fewer or other words")
        wanted = found.rows[0].id
        if found.how == "meaning" or found.rows[0].extra.get("by_meaning"):
            alone = f"#{wanted} may mean the same, without the query's words"
            note = f"{alone}; {note}" if note else alone
    with reading():
        if _DATE.fullmatch(wanted):
            middle = _nearest(db, wanted, project_ids)
        else:
            middle = _anchor(db, wanted, project_ids) if wanted else _newest(db, project_ids)
        if middle is None:
            return Timeline(())
        rows = around(db, [middle], depth_before, depth_after, project_ids)
    return Timeline(tuple(rows), middle.shown_id, degraded, note)


def around(
    db: sqlite3.Connection,
    anchors: Iterable[Place],
    before: int,
    after: int,
    project_ids: tuple[int, ...],
) -> list[Row]:
    """The anchors with their neighbours, oldest first, each row once."""
    places: dict[tuple[int, int, int], Place] = {}
    for anchor in anchors:
        earlier = walk(db, "before", anchor.key, before, Filters(project_ids=project_ids))
        later = walk(db, "after", anchor.key, after, Filters(project_ids=project_ids))
        places |= {place.key: place for place in (*earlier, anchor, *later)}
    return load_rows(db, ((places[key].kind, places[key].id) for key in sorted(places)))


def _anchor(db: sqlite3.Connection, wanted: str, project_ids: tuple[int, ...]) -> Place:
    try:
        kind, id_ = parse_id(wanted)
    except BadInput as error:
        raise BadInput(
            f"anchor: {error.message}", hint=f"{error.hint}; or an ISO date or time"
        ) from None
    found = find_place(db, kind, id_)
    if found is None:
        raise NotFound(f"there is no record {wanted}", hint="search for it by words")
    place, project = found
    if project_ids and project not in project_ids:
        raise Forbidden(
            f"record {wanted} belongs to another project", hint="name that project to see it"
        )
    return place


def _nearest(db: sqlite3.Connection, wanted: str, project_ids: tuple[int, ...]) -> Place | None:
    """The first record of a day, or what is nearest to a day or a moment."""
    start = parse_date(wanted, "anchor")
    # a date means the whole day, a time one moment
    end = parse_date(wanted, "anchor", end=True) if ":" not in wanted else start
    earlier = walk(db, "before", (start, -1, 0), 1, Filters(project_ids=project_ids))
    later = walk(db, "after", (start, -1, -1), 1, Filters(project_ids=project_ids))
    if not earlier or not later:
        return next(iter(earlier or later), None)
    ahead, behind = max(0, later[0].at - end), start - earlier[0].at
    return later[0] if ahead <= behind else earlier[0]


def _newest(db: sqlite3.Connection, project_ids: tuple[int, ...]) -> Place | None:
    places = walk(db, "before", (LATEST, 0, 0), 1, Filters(project_ids=project_ids))
    return places[0] if places else None
