"""The numbered migrations and the schema that people read are the same."""

from __future__ import annotations

import re
import sqlite3

import pytest

from backstory.errors import StorageError
from backstory.storage import sql, sqlite


def shape(db: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Every object of a database with its definition, comments and spacing aside."""
    rows = db.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {(kind, name): spaced(re.sub(r"--[^\n]*", " ", text)) for kind, name, text in rows}


def spaced(text: str) -> str:
    """A definition with the same spacing, however it came about."""
    return re.sub(r" ?([(),]) ?", r"\1", " ".join(text.split()))


def migrated(upto: int = sqlite.SCHEMA_VERSION) -> sqlite3.Connection:
    """A database that was migrated so far."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    sqlite.migrate(db, upto)
    return db


def test_migrations_reach_the_schema() -> None:
    """schema.sql is what is read, the numbered files are what runs."""
    declared = sqlite3.connect(":memory:", isolation_level=None)
    for statement in sqlite.split(sql.read("schema")):
        declared.execute(statement)
    done = migrated()
    assert shape(done) == shape(declared)
    assert len(shape(done)) > 20
    declared.close()
    done.close()


def test_each_step_is_recorded_once_and_in_order() -> None:
    """The record is in the step's own transaction."""
    db = migrated()
    sqlite.migrate(db)
    numbers = [
        number for (number,) in db.execute("SELECT version FROM migrations ORDER BY version")
    ]
    assert numbers == list(range(1, sqlite.SCHEMA_VERSION + 1))
    assert [number for number, _, _ in sql.migration_files()] == numbers
    assert sqlite.version(db) == sqlite.SCHEMA_VERSION
    db.close()


def test_a_step_that_fails_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database stays in the version before."""
    broken = (2, "broken", "CREATE TABLE extra (x);\nCREATE TABLE projects (x);\n")
    files = [*sql.migration_files()[:1], broken]
    db = migrated(1)
    before = shape(db)
    monkeypatch.setattr(sql, "migration_files", lambda: files)
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        sqlite.migrate(db, 2)
    assert shape(db) == before
    assert sqlite.version(db) == 1
    assert not db.in_transaction
    db.close()


def test_a_database_from_the_future_is_refused() -> None:
    """Older code must not write what it does not know."""
    db = migrated()
    db.execute("PRAGMA user_version = 999")
    with pytest.raises(StorageError, match="schema 999"):
        sqlite.migrate(db)
    db.close()


def leading(db: sqlite3.Connection, table: str) -> set[str]:
    """The columns that an index or the key of a table begins with."""
    columns = {row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[5] == 1}
    for row in db.execute(f"PRAGMA index_list({table})").fetchall():
        columns.add(db.execute(f"PRAGMA index_info({row[1]})").fetchone()[2])
    return columns


def referring(db: sqlite3.Connection, table: str) -> set[str]:
    """The columns that refer to rows that can be forgotten."""
    rows = db.execute(f"PRAGMA foreign_key_list({table})").fetchall()
    return {row[3] for row in rows if row[2] != "projects"}


def test_every_reference_to_what_can_go_has_an_index() -> None:
    """Else each deletion reads a whole table, for every row that goes."""
    db = migrated()
    missing = [
        f"{table}.{column}"
        for kind, table in shape(db)
        if kind == "table"
        for column in referring(db, table) - leading(db, table)
    ]
    assert missing == []
    db.close()
