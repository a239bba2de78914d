"""The order of what full text and vectors found: by one score.

The formula was tuned on development sets of eleven kinds (benchmarks/retrieval.py measures it):
words count by the square of how well they cover the question, so that full text decides where it
knows the words and leaves paraphrases to the vectors; a record gains from what its neighbours in
the session are worth, since one thing is seldom told in one record.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from backstory.recall.lexical import POOL
from backstory.recall.rows import load_rows, parse_id
from backstory.records import Row
from backstory.storage.text_index import record_of, rowid
from backstory.storage.tokens import plain_words

WORDS = 2.0  # what full coverage of the words is worth beside the best vector
BEFORE, AFTER = 0.2, 0.1  # of the score of the record before and after in the same session
SHORT = 80  # tokens: a record of more tells its thing by itself, the less so its neighbours
LIKE = 0.12  # cosine: what is less near is not near at all
LIKE_BEST = 0.5  # of the best cosine: what a row found by its meaning alone must reach
SPREAD = 0.2  # of cosines: where they lie closer together, they tell less
PLACE = 100  # the cosine at this place counts as none


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
