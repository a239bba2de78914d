"""What says the same is one row, and what was replaced stands below what replaced it.

Both move rows, and a later page is found by a wider question than the first. So the order is made
in steps of fixed width, each of which leaves what came before it as it is: a page shows the same
rows however far the question behind it went.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from backstory.recall.lexical import QUERIES
from backstory.recall.rows import load_rows, parse_id
from backstory.records import Row
from backstory.storage.filters import FILTER, Filters
from backstory.storage.text_index import rowid

WINDOWS = (100, 400, 1_600, 6_400, 25_600)  # hits that are asked for, until a page is full
# words that two records may differ by and say the same; "A" may be a name
_FILLERS = frozenset(("a", "an", "the", "An", "The"))
_QUOTES = "'\"`“”‘’"


def arranged(
    db: sqlite3.Connection, rows: Sequence[Row], filters: Filters, fold: bool
) -> list[Row]:
    """The rows, the best first, with those that say the same folded and successors put first.

    Of what says the same only the newest of a step is kept: the same words in the same order but
    for articles, quotes, case and the ends of sentences, of the same files, as well founded. Others
    that are folded into it are in `extra["alike"]`, by id, the newest first. A successor that is
    not among the rows is fetched, unless the filters keep it out.
    """
    answer = _Answer(db, filters, fold)
    for first, last in itertools.pairwise((0, *WINDOWS)):
        if step := rows[first:last]:
            answer.take(step)
    return answer.rows()


class _Answer:
    """The rows that have their place."""

    def __init__(self, db: sqlite3.Connection, filters: Filters, fold: bool) -> None:
        self.db = db
        self.filters = filters
        self.fold = fold
        self._placed: dict[str, Row] = {}
        self._alike: dict[str, list[Row]] = {}  # by the id of the row that stands for them
        self._shown: dict[str, Row] = {}  # id of a row: the one that stands for it
        self._by_text: dict[Hashable, Row] = {}

    def take(self, step: Sequence[Row]) -> None:
        """Gives the next rows their places."""
        new = [row for row in step if row.id not in self._shown]
        self._fold(new)
        standing = [self._shown[row.id] for row in new]
        found = standing
        while absent := [id_ for id_ in _successors(found) if id_ not in self._shown]:
            fetched = _passing(self.db, absent, self.filters)
            self._fold(fetched)
            found = [self._shown[row.id] for row in fetched]
        for row in standing:
            chain = [row]
            while (next_ := self._successor(chain[-1])) and next_ not in chain:
                chain.append(next_)
            for one in reversed(chain):
                self._placed.setdefault(one.id, one)

    def rows(self) -> list[Row]:
        """All in their order."""
        return [self._with_alike(row) for row in self._placed.values()]

    def _fold(self, rows: Sequence[Row]) -> None:
        """Lets each row stand for itself or another stand for it."""
        texts = _texts(self.db, rows) if self.fold else {}
        groups: dict[Hashable, list[Row]] = {}
        for row in rows:
            groups.setdefault(texts.get(row.id, row.id), []).append(row)
        for text, group in groups.items():
            newest, *others = sorted(group, key=_time, reverse=True)
            stands = self._by_text.setdefault(text, newest)
            if stands is not newest:
                others = group
            self._alike.setdefault(stands.id, []).extend(others)
            self._shown |= {row.id: stands for row in (newest, *others)}

    def _successor(self, row: Row) -> Row | None:
        return self._shown.get(str(row.extra.get("superseded_by")))

    def _with_alike(self, row: Row) -> Row:
        others = sorted(self._alike[row.id], key=_time, reverse=True)
        if not others:
            return row
        return replace(row, extra={**row.extra, "alike": [one.id for one in others]})


def _time(row: Row) -> tuple[int, tuple[str, int]]:
    return (row.at, parse_id(row.id))


def _successors(rows: Iterable[Row]) -> list[str]:
    found = (row.extra.get("superseded_by") for row in rows)
    return list(dict.fromkeys(str(id_) for id_ in found if id_ is not None))


def _passing(db: sqlite3.Connection, ids: Sequence[str], filters: Filters) -> list[Row]:
    statement = QUERIES["observations passing of"].replace(FILTER, filters.condition("observation"))
    asked = {**filters.arguments(), "ids": json.dumps([int(id_) for id_ in ids])}
    passing = [row[0] for row in db.execute(statement, asked)]
    return load_rows(db, [("observation", id_) for id_ in passing])


def _texts(db: sqlite3.Connection, rows: Sequence[Row]) -> dict[str, Hashable]:
    """What each row says, by id; of two that say the same it is equal."""
    heads = {row.id: _head(row) for row in rows}
    numbers = {rowid(*parse_id(row.id)): row.id for row in rows}
    bodies = db.execute(QUERIES["said"], {"rows": json.dumps(list(numbers))})
    texts: dict[str, Hashable] = {}
    for number, body, files in bodies:
        head, said = heads[numbers[number]], _words(body)
        if head[-1] or said:
            texts[numbers[number]] = (*head, said, files)
    return texts


def _head(row: Row) -> tuple[Hashable, ...]:
    founded = bool(row.extra.get("verified")), bool(row.extra.get("tainted"))
    return (row.kind, row.type, row.extra.get("project_id"), founded, _words(row.title))


def _words(text: str) -> tuple[str, ...]:
    """The words of a text; a sign beside a word is part of it."""
    words = (word.strip(_QUOTES).rstrip(".,;") for word in text.split())
    return tuple(word.casefold() for word in words if word and word not in _FILLERS)
