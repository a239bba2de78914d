"""What is planted in sessions is found again by natural questions, and nothing is invented."""

from __future__ import annotations

import re
import sqlite3

import pytest

from backstory.capture.rules import distill
from backstory.capture.rules.titles import tokens
from backstory.capture.rules.wordlist import wordlist
from backstory.records import Observation, Turn
from tests.capture.rules.sessions import Told, everything
from tests.support.invented import invented
from tests.support.turns import recorded

_WIDE = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")
_STOP = wordlist(
    "why what which where how when who is are was were do did does the a an in on of for to we our "
    "with and by it i be at from not should have has that this there"
)
RECORDED = ("bugfix", "feature", "investigation-zh")


def _spaced(text: str) -> str:
    """CJK text a character a word: what a plain tokeniser needs."""
    return _WIDE.sub(r" \1 ", text)


class _Index:
    """A plain FTS5 table over the rows' text, as every SQLite has it."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, Observation]] = []
        self.db = sqlite3.connect(":memory:")
        self.db.execute(
            "create virtual table rows using fts5"
            "(title, facts, narrative, files, tokenize='porter unicode61')"
        )

    def add(self, session: str, row: Observation) -> None:
        self.rows.append((session, row))
        texts = (
            row.title,
            "\n".join(row.facts),
            row.narrative,
            " ".join(row.files_read + row.files_modified),
        )
        self.db.execute(
            "insert into rows(rowid, title, facts, narrative, files) values (?, ?, ?, ?, ?)",
            (len(self.rows), *(_spaced(text) for text in texts)),
        )

    def top(self, query: str) -> list[tuple[str, Observation]]:
        words = [w for w in re.findall(r"\w+", _spaced(query)) if w.lower() not in _STOP]
        found = self.db.execute(
            "select rowid from rows where rows match ? order by bm25(rows, 3, 2, 1, 1) limit 5",
            (" OR ".join(f'"{word}"' for word in words),),
        )
        return [self.rows[number - 1] for (number,) in found]


def _turns() -> list[tuple[str, Turn]]:
    told = [(session.name, turn) for session in everything() for turn in session.turns]
    return told + [(name, turn) for name in RECORDED for turn in recorded(name)]


def _text(row: Observation) -> str:
    return " ".join([row.title, row.narrative, *row.facts, *row.files_read, *row.files_modified])


def test_planted_facts_are_found_by_natural_questions_in_the_first_five() -> None:
    """At least 85 % of the facts, over the rows of all sessions together."""
    index = _Index()
    sessions = everything()
    for session in sessions:
        for turn in session.turns:
            for row in distill(turn).observations:
                index.add(session.name, row)
    missed: list[str] = []
    total = 0
    for session in sessions:
        for fact in session.facts:
            total += 1
            hits = [
                _text(row).lower() for name, row in index.top(fact.query) if name == session.name
            ]
            if not any(all(n.lower() in text for n in fact.needles) for text in hits):
                missed.append(f"{session.name}: {fact.query}")
    assert total >= 60
    assert len(missed) <= total * 0.15, missed


@pytest.mark.parametrize("session", everything(), ids=lambda session: session.name)
def test_rows_hold_only_paths_hashes_and_numbers_from_the_turn(session: Told) -> None:
    """Nothing is invented; a path joined from a folder and a name of the events is none."""
    for turn in session.turns:
        new = invented(turn, distill(turn))
        assert not {item for item in new if item.rsplit("/", 1)[-1] not in str(turn)}


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_session_invents_nothing(name: str) -> None:
    """Every path, hash and number of the rows is in the recorded events."""
    for turn in recorded(name):
        assert invented(turn, distill(turn)) == set()


def test_a_turn_gives_at_most_eight_short_rows() -> None:
    """Eight rows of about 250 tokens, titles of at most 100 characters in one line."""
    for _, turn in _turns():
        rows = distill(turn).observations
        assert len(rows) <= 8
        assert len({row.key for row in rows}) == len(rows)
        for row in rows:
            assert 0 < len(row.title) <= 100
            assert "\n" not in row.title
            assert not re.search(r"[<>]|https?://", row.title)
            assert tokens(" ".join([row.title, row.narrative, *row.facts])) <= 320


def test_every_row_links_to_tool_uses_of_its_turn() -> None:
    """Rows rest on tool uses of the turn; modified files on writes that succeeded."""
    for _, turn in _turns():
        known = {use.tool_use_id for use in turn.tool_uses}
        for row in distill(turn).observations:
            assert set(row.tool_use_ids) <= known
            if row.files_modified:
                assert row.tool_use_ids


def test_the_same_turn_always_gives_the_same_rows() -> None:
    """Distilling is deterministic."""
    for _, turn in _turns():
        assert distill(turn) == distill(turn)
