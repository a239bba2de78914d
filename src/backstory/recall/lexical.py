"""Full text: every word first, then words by their parts and beginnings, then any of them."""

from __future__ import annotations

import json
import math
import sqlite3
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from backstory.recall.query import Question, SearchQuery
from backstory.storage import filters, sql, sqlite, text_index
from backstory.storage.text_index import scope_filter

How = Literal["recent", "all words", "some words", "newest", "meaning"]

COMMON = 4_000  # hits: ranking more takes above 5 ms; then those with the words in their title
POOL = 60  # hits of a stage that are looked at one by one; the rest keep the order of bm25
_RANKED = 4_000  # hits of all words together that are ranked by how many they hold
COUNTED = 10_000  # how far the hits of a word are counted, to tell how rare it is
_HEAVY = 150_000  # hits of a question's words, each counted: bm25 reads that far for each answer
_MANY = 3_000  # hits: from here on a filter is cheaper inside full text than beside it
_WHOLE = 200  # hits: a word of more is not taken for the beginning of others
_FEW = 3  # fewer exact hits than this are filled up with looser ones
_NEAR = 0.3  # of the best score: what a row that holds only some of the words must reach
_ALL_WORDS = 1.0, 0.6  # strength of a hit that holds every word: at least, and by its score
_MOST = 1.6  # strength of any hit

QUERIES = sql.load("search")
_COLUMNS, _TITLE = "{title body files}", "{title}"


@dataclass(slots=True)
class Hits:
    """What full text found: rows of the index, the best first."""

    strength: dict[int, float] = field(default_factory=dict)
    # of a row: 1 and more holds every word; below, about the share of the question's weight
    how: How = "all words"


def find(db: sqlite3.Connection, query: SearchQuery, asked: Question, most: int) -> Hits:
    """The hits of a question within its filters, at most so many of each stage."""
    index = _Index(db, query, most)
    found = Hits()
    enough = 1 if asked.single or query.order != "relevance" else _FEW
    rarest = min(index.frequency(term) for term in asked.terms)
    # a last word that is in many records is no beginning of another; looking for those takes long
    is_whole = index.frequency(asked.terms[-1]) >= _WHOLE
    loose = asked.parts if is_whole else asked.loose
    heavy = sum(map(index.extent, asked.terms)) >= _HEAVY
    for stage, match in (("all", asked.all_words), ("loose", loose)):
        if stage == "all" and not rarest:
            continue
        if match and len(found.strength) < enough:
            hits = index.hits(match, few=stage == "all" and rarest < _MANY, heavy=heavy)
            if hits and not found.strength and index.unranked:
                found.how = "newest"
            best = max(hits.values(), default=0.0) or 1.0
            least, more = _ALL_WORDS if stage == "all" else (_ALL_WORDS[0] * 0.9, _ALL_WORDS[1])
            for row, score in hits.items():
                found.strength.setdefault(row, least + more * score / best)
    if len(found.strength) < enough:
        hits, weight = index.hits_of_any(asked.any_word)
        if hits and not found.strength:
            found.how = "newest" if index.unranked else "some words"
        for row, score in hits.items():
            found.strength.setdefault(row, min(score / weight, _MOST))
    return found


class _Index:
    """The full-text table, asked within the bounds of one query."""

    def __init__(self, db: sqlite3.Connection, query: SearchQuery, most: int) -> None:
        self.db = db
        self._frequencies: dict[str, int] = {}
        self.unranked = False  # the last answer was in order of time, for want of telling words
        self.scope = scope_filter(query.project_ids, query.kinds, query.types)
        self.is_beside = query.is_narrow or query.order != "relevance"
        self.within = QUERIES["hits within"].replace(
            filters.FILTER, filters.of_any_kind(query, "search_text.rowid")
        )
        self.arguments: dict[str, Any] = {
            **query.arguments(),
            "limit": most,
            "order": query.order,
            "direction": 1 if query.order == "date_asc" else -1,
        }

    def hits(self, match: str, *, few: bool = False, heavy: bool = False) -> dict[int, float]:
        """Row: score, the best first.

        few: there are not many, which need not be counted. heavy: bm25 would take long.
        """
        self.unranked = False
        is_bounded = bool(self.scope) or self.is_beside
        if is_bounded and (few or self.count(match, _MANY, scoped=False) < _MANY):
            if heavy and not self.is_beside:
                found = self._ask(self.within, match, scoped=False, order="date_desc", limit=_MANY)
                return self._titles_first(found, match)
            return self._ask(self.within, match, scoped=False)
        if self.is_beside:
            return self._ask(self.within, match)
        if heavy:
            found = self._ask(QUERIES["newest hits"], match, limit=COMMON)
            if len(found) < COMMON:
                return self._titles_first(found, match)
        elif few or self._is_small or self.count(match, COMMON) < COMMON:
            return self._ask(QUERIES["hits"], match)
        titled = self._titled(match)
        self.unranked = not 0 < len(titled) < COMMON
        best = {} if self.unranked else dict.fromkeys(titled[:POOL], 1.0)
        newest = self._ask(QUERIES["newest hits"], match)
        return best | {row: 0.0 for row in newest if row not in best}

    def _titles_first(self, found: dict[int, float], match: str) -> dict[int, float]:
        """The rows with every word in their title before the others, each by time."""
        titled = set(self._titled(match))
        ordered = sorted(found, key=lambda row: row not in titled)  # keeps the order of time
        return {row: float(row in titled) for row in ordered[: self.arguments["limit"]]}

    def _titled(self, match: str) -> list[int]:
        """The rows with every word in their title, newest first; COMMON at most."""
        asked = {"match": self._scoped(match, True, _TITLE), "most": COMMON}
        rows = [row for (row,) in self.db.execute(QUERIES["some hits"], asked)]
        return sorted(rows, reverse=True)

    def count(self, match: str, most: int, *, scoped: bool = True) -> int:
        """How many hits there are, counted no further than needed."""
        arguments = {"match": self._scoped(match, scoped), "most": most}
        return int(self.db.execute(QUERIES["count"], arguments).fetchone()[0])

    def extent(self, word: str) -> float:
        """In how many records a word is, about: beyond COUNTED, by how soon so many were met."""
        frequency = self.frequency(word)
        if frequency < COUNTED:
            return frequency
        asked = {"match": self._scoped(word, False), "most": COUNTED}
        reached, last = self.db.execute(QUERIES["reached"], asked).fetchone()
        return float(frequency * last / max(reached, 1))

    def frequency(self, word: str) -> int:
        """In how many records a word is, counted no further than COUNTED."""
        if word not in self._frequencies:
            self._frequencies[word] = self.count(word, COUNTED, scoped=False)
        return self._frequencies[word]

    @cached_property
    def _is_small(self) -> bool:
        """Whether all that may be found can be ranked: then counting costs more than it saves."""
        if not self.scope:
            return False
        asked = {"match": self.scope, "most": COUNTED}
        return int(self.db.execute(QUERIES["count"], asked).fetchone()[0]) < COUNTED

    def hits_of_any(self, words: tuple[str, ...]) -> tuple[dict[int, float], float]:
        """Hits of the words that are rare enough to rank by, without those far behind the best.

        And the weight of the whole question: the sum of its words' inverse document frequencies,
        as bm25 takes them (Robertson and Zaragoza, 2009), which a row that holds each once reaches.
        """
        if len(words) < 2:
            return {}, 1.0
        records = max(int(self.db.execute(QUERIES["records"]).fetchone()[0]), 1)
        counts = {word: self.frequency(word) for word in words}
        weight = sum(
            max(math.log((records - count + 0.5) / (count + 0.5)), 0.01)
            for count in counts.values()
        )
        total = 0
        kept: list[str] = []
        for word in sorted(filter(counts.get, words), key=lambda word: counts[word]):
            total += counts[word]
            if kept and total >= _RANKED:
                break
            kept.append(word)
        hits = self.hits(" OR ".join(kept)) if kept else {}
        floor = _NEAR * max(hits.values(), default=0.0)
        return {row: score for row, score in hits.items() if score >= floor}, weight

    def _ask(
        self, statement: str, match: str, *, scoped: bool = True, **other: str | int
    ) -> dict[int, float]:
        arguments = {**self.arguments, "match": self._scoped(match, scoped), **other}
        return dict(self.db.execute(statement, arguments).fetchall())

    def _scoped(self, match: str, scoped: bool, columns: str = _COLUMNS) -> str:
        asked = f"{columns} : ({match})"
        return f"{asked} AND {self.scope}" if scoped and self.scope else asked


def is_damaged(db: sqlite3.Connection, error: sqlite3.Error) -> bool:
    """Whether a question failed for the index and not for itself.

    The index may be damaged in one place alone, which only some questions come to.
    """
    return sqlite.tells_damage(error) or not text_index.is_readable(db)


def find_without_index(db: sqlite3.Connection, query: SearchQuery) -> list[int]:
    """Ids of observations that hold every word as it is written, by time."""
    words = [word for word in query.text.replace('"', " ").split() if word.isprintable()]
    if "observation" not in query.asked_kinds:
        return []
    arguments: dict[str, Any] = {
        **query.arguments(),
        "patterns": json.dumps([f"%{_escape_like(word)}%" for word in words]),
        "limit": query.offset + query.limit + 1,
    }
    statement = QUERIES["without the index"]
    statement = statement.replace(filters.FILTER, query.condition("observation"))
    direction = "ASC" if query.order == "date_asc" else "DESC"
    statement = statement.replace("{direction}", direction)
    return [row[0] for row in db.execute(statement, arguments)]


def _escape_like(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
