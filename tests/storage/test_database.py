"""Many readers, one writer, from any thread."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.errors import Busy, Unavailable
from backstory.storage.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A database with its writer."""
    found = Database(tmp_path / "backstory.db")
    found.start_writer()
    yield found
    found.close()


def add(db: sqlite3.Connection) -> int:
    """Adds a project; how many there are."""
    db.execute("INSERT INTO projects (name, root, created_at) VALUES ('a', '', 1)")
    return count(db)


def count(db: sqlite3.Connection) -> int:
    """How many projects there are."""
    return int(db.execute("SELECT count(*) FROM projects").fetchone()[0])


def test_what_is_written_is_read_at_once(database: Database) -> None:
    """From whichever thread."""
    assert database.write(add) == 1
    assert database.read(count) == 1
    threads = [threading.Thread(target=database.write, args=(add,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert database.read(count) == 9


def test_a_function_that_fails_fails_alone(database: Database) -> None:
    """An open transaction of its own is rolled back."""

    def half(db: sqlite3.Connection) -> None:
        db.execute("BEGIN")
        add(db)
        raise KeyError("x")

    def worse(db: sqlite3.Connection) -> None:
        db.execute("BEGIN")
        db.execute("ROLLBACK")
        raise SystemExit

    with pytest.raises(KeyError):
        database.write(half)
    with pytest.raises(SystemExit):
        database.write(worse)
    assert database.writer_alive
    assert database.write(add) == 1


def test_a_reader_is_told_when_the_database_stays_locked(
    tmp_path: Path, database: Database
) -> None:
    """Busy, so that it may try again."""

    def locked(_: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError("database is locked")

    with pytest.raises(Busy):
        database.read(locked)
    with pytest.raises(sqlite3.OperationalError):
        database.read(lambda db: db.execute("SELECT nothing FROM nowhere"))


def test_a_writer_that_is_busy_says_so(database: Database) -> None:
    """The function runs all the same, later."""
    gate = threading.Event()
    database.submit(lambda _: gate.wait(10))
    with pytest.raises(Busy):
        database.write(add, timeout=0.05)
    gate.set()
    assert database.write(count) == 1


def test_without_a_writer_nothing_is_written(tmp_path: Path) -> None:
    """Every process but the worker."""
    other = Database(tmp_path / "none.db")
    with pytest.raises(Unavailable, match="does not write"):
        other.write(add)
    with pytest.raises(Unavailable, match="nothing is stored"):
        other.read(count)
    other.close()


def test_closing_lets_what_was_given_finish(tmp_path: Path) -> None:
    """And then refuses more."""
    found = Database(tmp_path / "backstory.db")
    found.start_writer()
    futures = [found.submit(add) for _ in range(20)]
    found.close()
    assert [future.result(0) for future in futures][-1] == 20
    assert not found.writer_alive
    with pytest.raises(Unavailable):
        found.submit(add)
