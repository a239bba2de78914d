"""The order of what full text and vectors found: one score, then what says the same folded.

The formula was tuned on development sets of eleven kinds (benchmarks/retrieval.py measures it):
words count by the square of how well they cover the question, so that full text decides where it
knows the words and leaves paraphrases to the vectors; a record gains from what its neighbours in
the session are worth, since one thing is seldom told in one record.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from backstory.recall.lexical import POOL, QUERIES
from backstory.recall.rows import load_rows, parse_id
from backstory.records import Row
from backstory.storage.filters import FILTER, Filters
from backstory.storage.text_index import record_of, rowid
from backstory.storage.tokens import plain_words

WORDS = 2.0  # what full coverage of the words is worth beside the best vector
BEFORE, AFTER = 0.2, 0.1  # of the score of the record before and after in the same session
SHORT = 80  # tokens: a record of more tells its thing by itself, the less so its neighbours
LIKE = 0.12  # cosine: what is less near is not near at all
LIKE_BEST = 0.5  # of the best cosine: what a row found by its meaning alone must reach
SPREAD = 0.2  # of cosines: where they lie closer together, they tell less
PLACE = 100  # the cosine at this place counts as none
# words that two records may differ by and say the same
_FILLERS = frozenset(("a", "an", "the", "is", "was", "are", "were", "be", "been", "this", "that"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One record that was found, by words or by meaning."""

    row: int  # of the index
    record: Row
    strength: float  # of its words: see lexical.Hits
    cosine: float  # 0 where no vector found it


def candidates(
    db: sqlite3.Connection,
    strength: Mapping[int, float],
    cosines: Mapping[int, float],
    projects: Collection[int] = (),
) -> list[Candidate]:
    """The records behind the rows, those by words first; what no longer exists is left out.

    projects: () = all. What is in memory may not know yet that a record changed its project.
    """
    best = max(cosines.values(), default=0.0)
    likely = max(LIKE, LIKE_BEST * best)
    by_meaning = [row for row, at in list(cosines.items())[:POOL] if at >= likely]
    rows = list(dict.fromkeys([*strength, *by_meaning]))
    loaded = load_rows(db, map(record_of, rows))
    records = {
        rowid(*parse_id(record.id)): record
        for record in loaded
        if not projects or record.extra["project_id"] in projects
    }
    return [
        Candidate(row, records[row], strength.get(row, 0.0), cosines.get(row, 0.0))
        for row in rows
        if row in records
    ]


def ranked(found: Sequence[Candidate], cosines: Mapping[int, float], text: str) -> list[Candidate]:
    """The best first; of equal ones the newest. text: the question."""
    nearness = _nearness(cosines)
    own = {one.row: WORDS * one.strength**2 + nearness.get(one.row, 0.0) for one in found}
    by_place = {
        (one.record.session, one.row): own[one.row]
        for one in found
        if one.record.session and one.row & 3 == 0
    }
    best = max(own.values(), default=0.0)
    asked = _folded(text)
    scores: dict[int, float] = {}
    for one in found:
        session = one.record.session
        around = BEFORE * by_place.get((session, one.row - 4), 0.0)
        around += AFTER * by_place.get((session, one.row + 4), 0.0)
        around *= min(1.0, SHORT / max(one.record.tokens, 1))
        # an exact hit is not overtaken by what stands beside one
        around = min(around, max(best - own[one.row], 0.0) + 0.1)
        scores[one.row] = own[one.row] + around + _bonus(one.record, asked) * max(best, 1.0)
    return sorted(found, key=lambda one: (scores[one.row], one.record.at), reverse=True)


def _nearness(cosines: Mapping[int, float]) -> dict[int, float]:
    """Cosines on a scale from 0, at the hundredth, to at most 1, at the best."""
    ordered = sorted(cosines.values(), reverse=True)
    if not ordered or ordered[0] < LIKE:
        return {}
    least = ordered[min(PLACE, len(ordered) - 1)] if len(ordered) > 1 else 0.0
    span = max(ordered[0] - least, SPREAD)
    return {row: max(0.0, (at - least) / span) for row, at in cosines.items()}


def _bonus(row: Row, asked: str) -> float:
    """What a row deserves beyond its words, as a part of the best score."""
    if row.kind != "observation":
        # a question asked before is seldom the answer; a summary repeats the question
        return -0.2 if row.kind == "prompt" else -0.1
    bonus = 0.01 * int(row.extra.get("importance", 1))
    # else there is no need to look closer; beyond ASCII the same word has many spellings
    if not row.title.isascii() or asked.split(maxsplit=1)[0] in row.title.casefold():
        title = _folded(row.title)
        bonus += 1.0 if title == asked else 0.2 if asked in title else 0.0
    if row.extra.get("verified"):
        bonus += 0.02
    if "superseded_by" in row.extra:
        bonus -= 0.3
    return bonus


def _folded(text: str) -> str:
    return f" {plain_words(text)} "


def folded(db: sqlite3.Connection, rows: Sequence[Row]) -> list[Row]:
    """The records in their order; of those that say the same only the newest.

    The same is: the same words but for articles and the like, of the same files, as well founded.
    Others that are folded into it are in `extra["alike"]`, by id, the newest first.
    """
    numbers = {rowid(*parse_id(row.id)): row for row in rows}
    words = _words(db, numbers)
    groups: dict[object, list[Row]] = {}
    for number, row in numbers.items():
        said = words.get(number)
        founded = (bool(row.extra.get("verified")), bool(row.extra.get("tainted")))
        key = (row.kind, row.type, row.project, founded, said) if said else number
        groups.setdefault(key, []).append(row)
    kept: list[Row] = []
    for group in groups.values():
        newest, *others = sorted(group, key=lambda row: (row.at, parse_id(row.id)), reverse=True)
        if others:
            newest = replace(newest, extra={**newest.extra, "alike": [row.id for row in others]})
        kept.append(newest)
    return kept


def _words(db: sqlite3.Connection, rows: Iterable[int]) -> dict[int, frozenset[str]]:
    found = db.execute(QUERIES["documents"], {"rows": json.dumps(list(rows))})
    return {
        row: frozenset(f"{title} {body}".split()) - _FILLERS | frozenset((f"/{files}",))
        for row, title, body, files in found
    }


def successors_first(db: sqlite3.Connection, rows: Sequence[Row], filters: Filters) -> list[Row]:
    """The rows with each superseded one below what replaced it, which is fetched where needed.

    One that the filters keep out is not.
    """
    replaced = _replaced(rows)
    if not replaced:
        return list(rows)
    known = {row.id: row for row in rows}
    asked: set[str] = set()
    while absent := [id_ for id_ in replaced.values() if id_ not in known and id_ not in asked]:
        asked.update(absent)
        fetched = _passing(db, list(dict.fromkeys(absent)), filters)
        known |= {row.id: row for row in fetched}
        replaced |= _replaced(fetched)  # what replaced one may be replaced itself
    ordered: dict[str, Row] = {}
    for row in rows:
        chain = [row]
        while (next_ := known.get(replaced.get(chain[-1].id, ""))) and next_ not in chain:
            chain.append(next_)
        for one in reversed(chain):
            ordered.setdefault(one.id, one)
    return list(ordered.values())


def _replaced(rows: Iterable[Row]) -> dict[str, str]:
    return {row.id: str(row.extra["superseded_by"]) for row in rows if "superseded_by" in row.extra}


def _passing(db: sqlite3.Connection, ids: Sequence[str], filters: Filters) -> list[Row]:
    if not ids:
        return []
    statement = QUERIES["observations passing of"].replace(FILTER, filters.condition("observation"))
    asked = {**filters.arguments(), "ids": json.dumps([int(id_) for id_ in ids])}
    passing = [row[0] for row in db.execute(statement, asked)]
    return load_rows(db, [("observation", id_) for id_ in passing])
