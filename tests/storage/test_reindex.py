"""The full-text index is made anew from the records, whatever happened to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from backstory.recall.query import SearchQuery, search_query
from backstory.recall.search import search
from backstory.storage import reindex, sqlite, text_index
from tests.recall.conftest import Store

DAMAGE = {
    "sizes": "DELETE FROM search_text_docsize WHERE id % 8 = 0",
    "texts": "DELETE FROM search_text_content WHERE id % 8 = 0",
    "a list of words": (
        "UPDATE search_text_data SET block = zeroblob(length(block)) WHERE id > 10"
    ),
    "lists of words gone": "DELETE FROM search_text_data WHERE id > 10",
    "the version": "UPDATE search_text_config SET v = 99 WHERE k = 'version'",
    "no version": "DELETE FROM search_text_config",
    "no pages": "DROP TABLE search_text_idx",
    "no sizes": "DROP TABLE search_text_docsize",
    "no texts": "DROP TABLE search_text_content",
    "no index": "DROP TABLE search_text",
    "one record missing": "DELETE FROM search_text WHERE rowid = 24",
    "one too many": (
        "INSERT INTO search_text (rowid, scope, title, body, files)"
        " VALUES (40004, 'p1 kobservation', 'kestrel', '', '')"
    ),
    "what there is": "UPDATE search_text_data SET block = x'ffffffffffffffff' WHERE id = 10",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with records of every kind, some with a vector; closed."""
    with closing(sqlite.open_writer(tmp_path / "backstory.db")) as db:
        store = Store(db)
        project = store.project()
        session = store.session(project, "s")
        prompt = store.prompt(project, session, "Why does the kestrel sing?")
        store.summary(project, session, prompt, request="The kestrel sings")
        for n in range(20):
            store.observation(project, f"Kestrel {n} sings", "In the nest.", files=(f"k{n}.py",))
        db.execute("INSERT INTO embedders (name, dimensions) VALUES ('hashed', 1)")
        db.execute("INSERT INTO vectors (row, embedder, vector) VALUES (4, 1, x'01')")
        db.execute("DELETE FROM unembedded WHERE row = 4")
    return tmp_path / "backstory.db"


@pytest.fixture
def damaged(path: Path, request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    """The same, damaged by somebody else, and opened by the writer."""
    with closing(sqlite3.connect(path)) as other:
        other.execute(request.param)
        other.commit()
    with closing(sqlite.open_writer(path)) as db:
        yield db


def states(db: sqlite3.Connection) -> list[object]:
    """What there is beside full text."""
    return [db.execute(f"SELECT * FROM {name}").fetchall() for name in ("vectors", "unembedded")]


@pytest.mark.parametrize("damaged", DAMAGE.values(), ids=DAMAGE, indirect=True)
def test_an_index_is_made_anew_from_the_records(damaged: sqlite3.Connection) -> None:
    """D7: every record is found again, and no vector is lost."""
    before = states(damaged)
    assert not text_index.is_sound(damaged)
    assert reindex.rebuild(damaged) == 22
    assert text_index.is_sound(damaged)
    assert text_index.is_readable(damaged)
    found = search(damaged, SearchQuery("kestrel", limit=100, fold=False))
    assert (len(found.rows), found.degraded) == (22, "")
    assert search(damaged, search_query({"query": "k7.py"})).rows[0].title == "Kestrel 7 sings"
    assert states(damaged) == before
    assert text_index.is_sound(damaged)


@pytest.mark.parametrize("stored", ["[broken", "null", "{}", '[1, "two"]'])
def test_a_record_whose_lists_are_broken_is_found_by_the_rest(path: Path, stored: str) -> None:
    """It does not keep the others out either."""
    with closing(sqlite.open_writer(path)) as db:
        db.execute("UPDATE observations SET facts = ?, symbols = ? WHERE id = 5", (stored, stored))
        assert reindex.rebuild(db) == 22
        assert len(search(db, SearchQuery("kestrel nest", limit=100, fold=False)).rows) == 20


def test_an_index_is_created_as_in_the_schema(path: Path) -> None:
    """Made anew, it is the same table."""
    asked = "SELECT sql FROM sqlite_master WHERE name = 'search_text'"
    with closing(sqlite.open_writer(path)) as db:
        before = db.execute(asked).fetchone()
        reindex.rebuild(db)
        assert db.execute(asked).fetchone() == before
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_an_index_that_finds_nothing_at_all_is_searched_without(path: Path) -> None:
    """F11: the silence of a damaged index is no answer."""
    with closing(sqlite.open_writer(path)) as db:
        store = Store(db)
        project = store.project("swifts")
        for n in range(300):
            words = " ".join(f"word{n * 10 + k}" for k in range(10))
            store.observation(project, f"Swift {n}", words)
        db.execute("INSERT INTO search_text (search_text) VALUES ('optimize')")
    with closing(sqlite3.connect(path)) as other:
        other.execute("DELETE FROM search_text_idx")
        other.commit()
    with closing(sqlite.open_writer(path)) as db:
        found = search(db, SearchQuery("swift word77", limit=100))
        assert found.degraded
        assert [row.title for row in found.rows] == ["Swift 77", "Swift 7"]
        assert not text_index.is_sound(db)
        assert reindex.rebuild(db) == 322
        assert text_index.is_sound(db)


@pytest.mark.parametrize("damaged", [DAMAGE["sizes"]], indirect=True)
def test_an_index_damaged_in_part_is_searched_without(damaged: sqlite3.Connection) -> None:
    """F12: what one question comes to is damaged, though the simplest one is answered."""
    found = search(damaged, SearchQuery("kestrel sings", limit=100))
    assert found.degraded
    titles = [row.title for row in found.rows]
    assert (len(titles), titles[0]) == (20, "Kestrel 19 sings")


@pytest.mark.parametrize("damaged", [DAMAGE["what there is"]], indirect=True)
def test_without_the_index_the_order_that_was_asked_for_holds(damaged: sqlite3.Connection) -> None:
    """The oldest first, where that was asked for."""
    asked = {"query": "kestrel sings", "limit": 5, "offset": 1}
    for order, first in (("date_asc", 1), ("date_desc", 18), ("relevance", 18)):
        found = search(damaged, search_query({**asked, "orderBy": order}))
        assert found.degraded
        assert (found.rows[0].title, found.more) == (f"Kestrel {first} sings", True)
