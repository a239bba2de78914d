"""Search, the one engine behind every door: full text and vectors, filtered first, then ranked.

Three answers are kept apart: no hits (`rows` is empty), a failure (StorageError), and a degraded
search (`degraded` says what was missing).
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from backstory.errors import describe
from backstory.recall import lexical, ranking
from backstory.recall.folding import WINDOWS, arranged
from backstory.recall.lexical import POOL, QUERIES, Hits, How
from backstory.recall.meaning import Near
from backstory.recall.query import Question, SearchQuery, question
from backstory.recall.rows import LATEST, load_rows, reading, walk
from backstory.records import Row
from backstory.storage import text_index
from backstory.storage.filters import FILTER, Filters, of_any_kind
from backstory.storage.text_index import record_of
from backstory.storage.tokens import MAX_QUERY

log = logging.getLogger(__name__)

# Who finds by meaning: (connection, text, project ids, only these rows or None) -> what is near.
Nearest = Callable[[sqlite3.Connection, str, Sequence[int], Sequence[int] | None], Near]

_SELECTIVE = 20_000  # rows that pass the filters: fewer are compared one by one
_WANTED = 20  # near rows that must be left after filtering; else all that pass are compared


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search came to."""

    rows: tuple[Row, ...]
    more: bool = False  # there are rows after these
    how: How = "recent"
    backends: tuple[str, ...] = ("full text",)
    degraded: str = ""  # what did not work, "" when all did
    note: str = ""  # what the reader should know about how it was answered


def search(
    db: sqlite3.Connection, query: SearchQuery, nearest: Nearest | None = None
) -> SearchResult:
    """The records that match, best first. Raises StorageError where they cannot be read.

    nearest: finds by meaning; without it words alone are searched.
    """
    asked = question(query.text)
    needed = query.offset + query.limit
    with reading():
        if asked is None:
            return _recent(db, query)
        near = Near()
        for most in WINDOWS:
            try:
                hits = lexical.find(db, query, asked, most)
                if not hits.strength and not text_index.finds_any(db):
                    return _without_index(db, query, "the full-text index finds nothing at all")
            except sqlite3.DatabaseError as error:
                if not lexical.is_damaged(db, error):
                    raise
                return _without_index(db, query, f"the full-text index cannot be used ({error})")
            if most == WINDOWS[0] and nearest and _asks_for_meaning(query, asked, hits):
                near = _near(db, query, asked, nearest)
            is_all = len(hits.strength) < most
            rows = _ordered(db, query, hits, near)
            if query.order == "relevance" and hits.how != "newest":
                rows = arranged(db, rows if is_all else rows[:most], query, query.fold)
            # where nearly all that was found said the same, there may be other things behind it
            if is_all or len(rows) > needed:
                break
        return _page(query, rows, hits, near, is_all)


def _recent(db: sqlite3.Connection, query: SearchQuery) -> SearchResult:
    backwards = query.order != "date_asc"
    start = LATEST if query.end is None else query.end
    places = walk(
        db,
        "before" if backwards else "after",
        (start, -1, 0) if backwards else (query.start or 0, -1, -1),
        query.offset + query.limit + 1,
        query,
        bound=query.start or 0 if backwards else start - 1,
    )
    rows = load_rows(db, [(place.kind, place.id) for place in places[query.offset :]])
    note = "the query holds no word, so these are the newest" if query.text.strip() else ""
    return SearchResult(tuple(rows[: query.limit]), len(rows) > query.limit, "recent", (), "", note)


def _asks_for_meaning(query: SearchQuery, asked: Question, hits: Hits) -> bool:
    """Whether near records add to these hits: not to an order by time, nor to a name found."""
    if query.order != "relevance" or hits.how == "newest":
        return False
    return not (asked.is_name and hits.strength)


def _near(db: sqlite3.Connection, query: SearchQuery, asked: Question, nearest: Nearest) -> Near:
    """The near records that pass the filters, as many as ranking looks at."""
    near = _ask(nearest, db, asked.plain, query.project_ids, None)
    rows = list(near.rows)
    if query.kinds or query.is_of_observations or query.is_narrow:
        rows = _passing(db, query, rows)
        if len(rows) < _WANTED:
            allowed = _all_passing(db, query)
            if allowed is not None:
                near = _ask(nearest, db, asked.plain, query.project_ids, allowed)
                rows = list(near.rows)
    return Near({row: near.rows[row] for row in rows[: ranking.PLACE + 1]}, near.missing)


def _ask(
    nearest: Nearest,
    db: sqlite3.Connection,
    text: str,
    projects: Sequence[int],
    allowed: Sequence[int] | None,
) -> Near:
    try:
        return nearest(db, text, projects, allowed)
    except Exception as error:  # whatever it is, words alone are an answer
        if isinstance(error, sqlite3.OperationalError) and "interrupted" in str(error):
            raise  # the call's time is over
        # its kind and place alone: a message may quote what is stored
        log.error("vectors failed: %s", describe(error))
        return Near(missing="the vectors cannot be used; run: backstory doctor")


def _passing(db: sqlite3.Connection, filters: Filters, rows: Sequence[int]) -> list[int]:
    statement = QUERIES["passing"].replace(FILTER, of_any_kind(filters, "r.value"))
    asked = {**filters.arguments(), "rows": json.dumps(list(rows))}
    passing = {row for (row,) in db.execute(statement, asked)}
    return [row for row in rows if row in passing]


def _all_passing(db: sqlite3.Connection, filters: Filters) -> list[int] | None:
    """All rows that pass the filters; None where they are too many to be listed."""
    names = {"observation": "observations", "summary": "summaries", "prompt": "prompts"}
    found: list[int] = []
    for kind in filters.asked_kinds:
        statement = QUERIES[f"{names[kind]} passing"].replace(FILTER, filters.condition(kind))
        asked = {**filters.arguments(), "limit": _SELECTIVE + 1 - len(found)}
        found += [row for (row,) in db.execute(statement, asked)]
        if len(found) > _SELECTIVE:
            return None
    return found


def _ordered(db: sqlite3.Connection, query: SearchQuery, hits: Hits, near: Near) -> list[Row]:
    pool = dict(list(hits.strength.items())[:POOL])
    rest = list(hits.strength)[POOL:]
    found = ranking.candidates(db, pool, near.rows, query.project_ids)
    if query.order == "relevance" and hits.how != "newest":
        found = ranking.ranked(found, near.rows, query.text)
    rows = [one.record for one in found]
    seen = {row.id for row in rows}
    rows += [row for row in load_rows(db, map(record_of, rest)) if row.id not in seen]
    if near.rows or not hits.strength:
        alone = {one.record.id for one in found if not one.strength}
        rows = [_by_meaning(row) if row.id in alone else row for row in rows]
    return rows


def _by_meaning(row: Row) -> Row:
    return replace(row, extra={**row.extra, "by_meaning": True})


def _with_more_alike(row: Row) -> Row:
    return replace(row, extra={**row.extra, "more_alike": True})


def _page(
    query: SearchQuery, rows: list[Row], hits: Hits, near: Near, is_all: bool
) -> SearchResult:
    how: How = hits.how if hits.strength or not rows else "meaning"
    notes = []
    if how == "newest":
        notes.append("these words are in so many records that the newest are shown")
    elif len(query.text) > MAX_QUERY:
        notes.append(f"only the first {MAX_QUERY} characters of the query were looked for")
    if near.missing:
        notes.append(f"found by words alone: {near.missing}" if not near.rows else near.missing)
    shown = rows[query.offset : query.offset + query.limit]
    if not is_all:
        shown = [_with_more_alike(row) if "alike" in row.extra else row for row in shown]
    return SearchResult(
        tuple(shown),
        len(rows) > query.offset + query.limit,
        how,
        ("full text", "vectors") if near.rows else ("full text",),
        note="; ".join(notes),
    )


def _without_index(db: sqlite3.Connection, query: SearchQuery, why: str) -> SearchResult:
    ids = lexical.find_without_index(db, query)
    if "observation" not in query.asked_kinds:
        return SearchResult((), degraded=why, backends=())
    rows = load_rows(db, [("observation", id_) for id_ in ids[query.offset :]])
    more = len(rows) > query.limit
    return SearchResult(
        tuple(rows[: query.limit]), more, "newest", ("substring",), why, "observations only"
    )
