"""Search: every word first, then words by their parts and beginnings, then any of them, ranked.

Three answers are kept apart: no hits (`rows` is empty), a failure (StorageError), and a degraded
search (`degraded` says what was missing).
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, Literal, cast

from backstory.recall.query import Question, SearchQuery, question
from backstory.recall.rows import LATEST, load_rows, parse_id, reading, walk
from backstory.records import Row
from backstory.storage import sql
from backstory.storage.text_index import KINDS, Kind, record_of, rowid, scope_filter
from backstory.storage.tokens import MAX_QUERY, index_text

How = Literal["recent", "all words", "some words", "newest"]

COMMON = 50_000  # hits: ranking this many takes longer than anyone looks at them
_RANKED = 20_000  # hits of all words together that are ranked by how many they hold
_MANY = 5_000  # hits: from here on a filter is cheaper inside full text than beside it
_FEW = 3  # fewer exact hits than this are filled up with looser ones
_POOL = 60  # hits of a stage that are looked at one by one; the rest keep the order of bm25
_NEAR = 0.3  # of the best score: what a row that holds only some of the words must reach

_QUERIES = sql.load("search")
_COLUMNS = "{title body files}"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search came to."""

    rows: tuple[Row, ...]
    more: bool = False  # there are rows after these
    how: How = "recent"
    backends: tuple[str, ...] = ("full text",)
    degraded: str = ""  # what did not work, "" when all did
    note: str = ""  # what the reader should know about how it was answered


def search(db: sqlite3.Connection, query: SearchQuery) -> SearchResult:
    """The records that match, best first. Raises StorageError where they cannot be read."""
    asked = question(query.text)
    with reading():
        if asked is None:
            return _recent(db, query)
        try:
            return _by_words(db, query, asked)
        except sqlite3.DatabaseError as error:
            if not _index_is_damaged(db):
                raise
            return _without_index(db, query, f"the full-text index cannot be used ({error})")


def _recent(db: sqlite3.Connection, query: SearchQuery) -> SearchResult:
    kinds = cast("tuple[Kind, ...]", ("observation",) if query.types else query.kinds or KINDS)
    backwards = query.order != "date_asc"
    start = LATEST if query.end is None else query.end
    places = walk(
        db,
        "before" if backwards else "after",
        (start, -1, 0) if backwards else (query.start or 0, -1, -1),
        query.offset + query.limit + 1,
        project_ids=query.project_ids,
        kinds=kinds,
        types=query.types,
        bound=query.start or 0 if backwards else start - 1,
        platform=query.platform,
    )
    rows = load_rows(db, [(place.kind, place.id) for place in places[query.offset :]])
    note = "the query holds no word, so these are the newest" if query.text.strip() else ""
    return SearchResult(tuple(rows[: query.limit]), len(rows) > query.limit, "recent", (), "", note)


def _by_words(db: sqlite3.Connection, query: SearchQuery, asked: Question) -> SearchResult:
    index = _Index(db, query)
    rows: dict[int, Row] = {}
    how: How = "all words"
    enough = 1 if asked.single or query.order != "relevance" else _FEW
    for stage in ("all", "loose", "any"):
        if len(rows) >= enough:
            break
        match = {"all": asked.all_words, "loose": asked.loose}.get(stage, "")
        hits = index.hits(match) if stage != "any" else index.hits_of_any(asked.any_word)
        if hits and not rows:
            how = "newest" if index.unranked else "some words" if stage == "any" else "all words"
        for row, record in _reranked(db, query, hits):
            rows.setdefault(row, record)
    page = list(rows.values())[query.offset : query.offset + query.limit]
    note = ""
    if how == "newest":
        note = "these words are in so many records that the newest are shown"
    elif len(query.text) > MAX_QUERY:
        note = f"only the first {MAX_QUERY} characters of the query were looked for"
    return SearchResult(tuple(page), len(rows) > query.offset + query.limit, how, note=note)


class _Index:
    """The full-text table, asked within the bounds of one query."""

    def __init__(self, db: sqlite3.Connection, query: SearchQuery) -> None:
        self.db = db
        self.query = query
        self.unranked = False  # the last answer was in order of time, for want of telling words
        self.scope = scope_filter(query.project_ids, query.kinds, query.types)
        self.timed = bool(query.platform) or query.order != "relevance"
        self.timed = self.timed or (query.start, query.end) != (None, None)
        self.arguments = {
            "limit": max(query.offset + query.limit + 1, _POOL),
            "projects": f" {' '.join(map(str, query.project_ids))} " if query.project_ids else "",
            "kinds": "".join(str(KINDS.index(cast("Kind", kind))) for kind in query.kinds),
            "types": f" {' '.join(query.types)} " if query.types else "",
            "start": query.start or 0,
            "end": LATEST if query.end is None else query.end,
            "platform": query.platform,
            "order": query.order,
            "direction": 1 if query.order == "date_asc" else -1,
        }

    def hits(self, match: str) -> dict[int, float]:
        """Row id: score, the best first."""
        if not match:
            return {}
        self.unranked = False
        if self.count(match, _MANY, scoped=False) < _MANY:
            return self._ask("hits within", match, scoped=False)
        if self.timed:
            return self._ask("hits within", match)
        self.unranked = self.count(match, COMMON) >= COMMON
        return self._ask("newest hits" if self.unranked else "hits", match)

    def count(self, match: str, most: int, *, scoped: bool = True) -> int:
        """How many hits there are, counted no further than needed."""
        arguments = {"match": self._within(match, scoped), "most": most}
        return int(self.db.execute(_QUERIES["count"], arguments).fetchone()[0])

    def _ask(self, name: str, match: str, *, scoped: bool = True) -> dict[int, float]:
        arguments = {**self.arguments, "match": self._within(match, scoped)}
        return dict(self.db.execute(_QUERIES[name], arguments).fetchall())

    def hits_of_any(self, words: tuple[str, ...]) -> dict[int, float]:
        """Hits of the words that are rare enough to rank by, without those far behind the best."""
        if len(words) < 2:
            return {}
        counts = {word: self.count(word, _RANKED) for word in words}
        total = 0
        kept: list[str] = []
        for word in sorted(filter(counts.get, words), key=lambda word: counts[word]):
            total += counts[word]
            if kept and total >= _RANKED:
                break
            kept.append(word)
        hits = self.hits(" OR ".join(kept))
        floor = _NEAR * max(hits.values(), default=0.0)
        return {row: score for row, score in hits.items() if score >= floor}

    def _within(self, match: str, scoped: bool) -> str:
        asked = f"{_COLUMNS} : ({match})"
        return f"{asked} AND {self.scope}" if scoped and self.scope else asked


def _reranked(
    db: sqlite3.Connection, query: SearchQuery, hits: dict[int, float]
) -> list[tuple[int, Row]]:
    """Hits with their records, the first of them in an order that looks nearer."""
    loaded = load_rows(db, map(record_of, hits))
    records = {rowid(*parse_id(record.id)): record for record in loaded}
    pairs = [(row, records[row]) for row in hits if row in records]
    if query.order != "relevance":
        return pairs
    best = max(hits.values(), default=0.0) or 1.0
    asked = _folded(query.text)

    def merit(pair: tuple[int, Row]) -> tuple[float, int]:
        row, record = pair
        return (hits[row] / best + _bonus(record, asked), record.at)

    return sorted(pairs[:_POOL], key=merit, reverse=True) + pairs[_POOL:]


def _bonus(row: Row, asked: str) -> float:
    """What a row deserves beyond its words, as a part of the best score."""
    if row.kind != "observation":
        # a question asked before is seldom the answer; a summary repeats the question
        return -0.2 if row.kind == "prompt" else -0.1
    title = _folded(row.title)
    bonus = 0.02 * int(row.extra.get("importance", 1))
    if title == asked:
        bonus += 1.0
    elif asked in title:
        bonus += 0.2
    if row.extra.get("verified"):
        bonus += 0.04
    if "superseded_by" in row.extra:
        bonus -= 0.3
    return bonus


def _folded(text: str) -> str:
    return f" {index_text(text)} "


def _index_is_damaged(db: sqlite3.Connection) -> bool:
    """Whether full text fails at the simplest question."""
    try:
        db.execute(_QUERIES["count"], {"match": '"a"', "most": 1}).fetchone()
    except sqlite3.DatabaseError:
        return True
    return False


def _without_index(db: sqlite3.Connection, query: SearchQuery, why: str) -> SearchResult:
    words = [word for word in query.text.replace('"', " ").split() if word.isprintable()]
    if query.kinds and "observation" not in query.kinds:
        return SearchResult((), degraded=why, backends=())
    arguments: dict[str, Any] = {
        "all_projects": not query.project_ids,
        "projects": json.dumps(list(query.project_ids)),
        "types": json.dumps(list(query.types)),
        "start": query.start or 0,
        "end": LATEST if query.end is None else query.end,
        "patterns": json.dumps([f"%{_escape_like(word)}%" for word in words]),
        "limit": query.offset + query.limit + 1,
    }
    ids = [row[0] for row in db.execute(_QUERIES["without the index"], arguments)]
    rows = load_rows(db, [("observation", id_) for id_ in ids[query.offset :]])
    more = len(rows) > query.limit
    return SearchResult(
        tuple(rows[: query.limit]), more, "newest", ("substring",), why, "observations only"
    )


def _escape_like(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
