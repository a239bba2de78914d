"""One document a record, found within its scope and gone with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from backstory.storage import sqlite, text_index


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """An empty database."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    sqlite.migrate(connection)
    yield connection
    connection.close()


def rows(db: sqlite3.Connection, query: str) -> list[int]:
    """The documents that match."""
    match = "SELECT rowid FROM search_text WHERE search_text MATCH ? ORDER BY rowid"
    return [row for (row,) in db.execute(match, (query,))]


def test_kinds_share_numbers_without_meeting() -> None:
    """A record, a summary and a prompt may all be number 7."""
    found = {text_index.rowid(kind, 7) for kind in text_index.KINDS}
    assert len(found) == 3
    for kind in text_index.KINDS:
        assert text_index.record_of(text_index.rowid(kind, 7)) == (kind, 7)


def test_a_document_replaces_the_one_before(db: sqlite3.Connection) -> None:
    """And can be dropped, more than once."""
    text_index.put(db, "observation", 1, project=1, title="apple", body="x", files=("a/b.py",))
    text_index.put(db, "observation", 1, project=1, title="banana")
    assert rows(db, "apple") == []
    assert rows(db, "banana") == [4]
    text_index.drop(db, "observation", 1)
    text_index.drop(db, "observation", 1)
    assert rows(db, "banana") == []


@pytest.mark.parametrize(
    ("projects", "kinds", "types", "found"),
    [
        ((1,), (), (), [4, 5, 8]),
        ((2,), (), (), [12]),
        ((1, 2), (), (), [4, 5, 8, 12]),
        ((1,), ("observation",), (), [4, 8]),
        ((1,), ("observation", "summary"), (), [4, 5, 8]),
        ((), (), ("security_alert",), [8]),
        ((1,), (), ("bugfix", "security_alert"), [4, 8]),
        ((11,), (), (), []),
        ((), (), (), []),
    ],
)
def test_the_scope_keeps_a_search_where_it_belongs(
    db: sqlite3.Connection,
    projects: tuple[int, ...],
    kinds: tuple[str, ...],
    types: tuple[str, ...],
    found: list[int],
) -> None:
    """F10: project 1 is not project 11, and an empty scope is no filter at all."""
    text_index.put(db, "observation", 1, project=1, type="bugfix", title="word")
    text_index.put(db, "summary", 1, project=1, title="word")
    text_index.put(db, "observation", 2, project=1, type="security_alert", title="word")
    text_index.put(db, "observation", 3, project=2, type="discovery", title="word")
    filtered = text_index.scope_filter(projects, kinds, types)
    assert (rows(db, f"{filtered} AND word") if filtered else []) == found


def test_words_of_the_scope_are_not_found_as_text(db: sqlite3.Connection) -> None:
    """`kobservation` in a text is no kind, and a scope word ranks nowhere else."""
    text_index.put(db, "prompt", 1, project=1, body="p2 kobservation tbugfix")
    assert rows(db, text_index.scope_filter((2,), (), ())) == []
    assert rows(db, text_index.scope_filter((), ("observation",), ())) == []


def test_a_document_that_changes_waits_for_a_new_vector(db: sqlite3.Connection) -> None:
    """Its old vector, which tells what the old text meant, goes in the same step."""
    db.execute("INSERT INTO embedders (id, name, dimensions) VALUES (1, 'one', 2)")
    for record in (1, 2):
        text_index.put(db, "observation", record, project=1, title="apple")
        db.execute("INSERT INTO vectors VALUES (?, 1, x'0102')", (record * 4,))
    db.execute("DELETE FROM unembedded")
    text_index.put(db, "observation", 1, project=1, title="banana")
    text_index.drop(db, "observation", 2)
    assert db.execute("SELECT row FROM unembedded").fetchall() == [(4,)]
    assert db.execute("SELECT row FROM vectors").fetchall() == []
    text_index.drop(db, "observation", 1)
    assert db.execute("SELECT row FROM unembedded").fetchall() == []


def test_what_keeps_the_check_from_being_made_is_no_damage(tmp_path: Path) -> None:
    """A database that is being written, or may not be, says nothing of its index."""
    path = tmp_path / "backstory.db"
    with closing(sqlite.open_writer(path)) as writer:
        text_index.put(writer, "observation", 1, project=1, title="apple")
        with closing(sqlite.open_reader(path)) as reader:
            assert text_index.is_readable(reader)
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                text_index.is_sound(reader)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writer.execute("PRAGMA busy_timeout = 0")
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                text_index.is_sound(writer)
        assert not text_index.is_sound(writer)  # no record says what it holds
        text_index.drop(writer, "observation", 1)
        assert text_index.is_sound(writer)
