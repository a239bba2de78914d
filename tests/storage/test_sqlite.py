"""Opening the database: once for writing, in its newest shape, and never on top of damage."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from backstory.errors import StorageError, Unavailable
from backstory.storage import sql, sqlite


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database will be."""
    return tmp_path / "backstory.db"


def fill(path: Path, name: str = "shop") -> None:
    """A database with one project."""
    db = sqlite.open_writer(path)
    db.execute("INSERT INTO projects (name, root, created_at) VALUES (?, '/r', 1)", (name,))
    db.close()


def names(path: Path) -> list[str]:
    """The projects in it."""
    db = sqlite.open_reader(path)
    found = [name for (name,) in db.execute("SELECT name FROM projects")]
    db.close()
    return found


def test_a_new_database_forgets_for_good_and_shrinks(path: Path) -> None:
    """D8: both must be set before the first table; only the user may read it."""
    db = sqlite.open_writer(path)
    assert db.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    assert db.execute("PRAGMA secure_delete").fetchone() == (1,)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert db.execute("PRAGMA busy_timeout").fetchone()[0] >= 5_000
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file
    db.close()


def test_a_creation_that_was_cut_short_is_finished(path: Path) -> None:
    """kill -9 between the first page and the first table."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    db.execute("PRAGMA journal_mode = WAL")
    db.close()
    fill(path)
    assert names(path) == ["shop"]
    db = sqlite.open_writer(path)
    assert db.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    db.close()


def test_pages_of_what_was_deleted_go_back_to_the_disk(path: Path) -> None:
    """D8: without a VACUUM of the whole file."""
    db = sqlite.open_writer(path)
    insert = "INSERT INTO projects (name, root, created_at) VALUES (?, '', 1)"
    db.executemany(insert, [("x" * 10_000,)] * 300)
    large = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute("DELETE FROM projects")
    sqlite.purge(db)
    assert db.execute("PRAGMA page_count").fetchone()[0] < large // 4
    assert Path(f"{path}-wal").stat().st_size == 0
    db.close()


def test_a_reader_cannot_write_and_needs_a_database(path: Path) -> None:
    """Exactly one connection writes."""
    with pytest.raises(Unavailable, match="nothing is stored yet"):
        sqlite.open_reader(path)
    fill(path)
    db = sqlite.open_reader(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("DELETE FROM projects")
    db.close()


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    """B10: spaces, accents, and what URIs give a meaning to."""
    folder = tmp_path / "Ünï dir %20?#&"
    folder.mkdir()
    fill(folder / "backstory.db")
    assert names(folder / "backstory.db") == ["shop"]
    assert os.listdir(folder)[0].startswith("backstory.db")


def test_older_code_refuses_a_newer_database_and_leaves_it_alone(path: Path) -> None:
    """And says what to do."""
    fill(path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA user_version = {sqlite.SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(StorageError, match=f"schema {sqlite.SCHEMA_VERSION + 1}") as caught:
        sqlite.open_writer(path)
    assert "update the plugin" in caught.value.hint
    assert names(path) == ["shop"]
    assert sqlite.damaged_files(path) == []


def scribble(path: Path, start: int) -> None:
    """Overwrites a file from an offset on."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xde\xad" * ((size - start) // 2))


@pytest.mark.parametrize("start", [0, 4096])
def test_a_damaged_base_file_is_set_aside_and_a_new_one_begun(path: Path, start: int) -> None:
    """D7: whether its first page is hit or a later one; nothing is deleted."""
    fill(path)
    scribble(path, start)
    damaged = path.read_bytes()
    fill(path, "anew")
    assert names(path) == ["anew"]
    aside = sqlite.damaged_files(path)
    assert len(aside) == 1
    assert (path.parent / aside[0]).read_bytes() == damaged


def unclean(path: Path) -> None:
    """A database as kill -9 leaves it: its newest commits in the WAL only."""
    fill(path)
    db = sqlite.open_writer(path)
    db.execute("INSERT INTO projects (name, root, created_at) VALUES ('newest', '/r', 1)")
    copies = {p.name: p.read_bytes() for p in path.parent.iterdir()}
    db.close()
    for name, data in copies.items():
        (path.parent / name).write_bytes(data)


def test_what_a_killed_worker_committed_is_there(path: Path) -> None:
    """D1: the WAL is read."""
    unclean(path)
    fill(path, "after")
    assert names(path) == ["shop", "newest", "after"]
    assert sqlite.damaged_files(path) == []


@pytest.mark.parametrize("start", [0, 24, 40, 200])
def test_a_damaged_wal_costs_its_commits_and_not_the_base(path: Path, start: int) -> None:
    """D7: the base file is fine, the WAL is not."""
    unclean(path)
    scribble(Path(f"{path}-wal"), start)
    fill(path, "after")
    assert names(path)[0] == "shop"
    assert names(path)[-1] == "after"


def test_a_wal_that_does_not_fit_its_base_is_set_aside(path: Path) -> None:
    """D7: a restored backup with another day's WAL beside it."""
    fill(path)
    base = path.read_bytes()
    path.unlink()
    db = sqlite.open_writer(path)
    insert = "INSERT INTO projects (name, root, created_at) VALUES (?, '', 1)"
    db.executemany(insert, [("x" * 900,)] * 400)
    wal = Path(f"{path}-wal").read_bytes()
    db.close()
    for file in path.parent.iterdir():
        file.unlink()
    path.write_bytes(base)
    # whole pages of another database, under a header that is in order
    Path(f"{path}-wal").write_bytes(wal)
    fill(path, "after")
    assert names(path)[-1] == "after"
    db = sqlite.open_writer(path)
    assert sqlite.is_sound(db)
    db.close()


def test_an_error_that_is_no_damage_sets_nothing_aside(path: Path) -> None:
    """A folder in its place, for one."""
    path.mkdir()
    (path / "x").touch()
    with pytest.raises(StorageError, match="cannot be opened"):
        sqlite.open_writer(path)
    assert path.is_dir()


def test_a_transaction_is_whole_or_nothing(path: Path) -> None:
    """Whatever ends it; and the connection can go on."""
    db = sqlite.open_writer(path)
    insert = "INSERT INTO projects (name, root, created_at) VALUES ('a', '', 1)"

    def half(second: str) -> None:
        with sqlite.transaction(db):
            db.execute(insert)
            db.execute(second)

    with pytest.raises(sqlite3.OperationalError):
        half("nonsense")
    with pytest.raises(sqlite3.IntegrityError):
        half("INSERT INTO project_keys VALUES ('k', 99, 1)")
    assert not db.in_transaction
    with sqlite.transaction(db):
        db.execute(insert)
    assert db.execute("SELECT count(*) FROM projects").fetchone() == (1,)
    db.close()


def test_statements_are_split_where_they_end() -> None:
    """Not at a semicolon in a comment, a text or a trigger."""
    text = (
        "CREATE TABLE a (x); -- no; end\n"
        "INSERT INTO a VALUES ('one;\n two');\n"
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n SELECT 1;\n SELECT 2;\nEND;\n"
    )
    statements = sqlite.split(text)
    assert len(statements) == 3
    db = sqlite3.connect(":memory:")
    for statement in statements:
        db.execute(statement)
    assert db.execute("SELECT x FROM a").fetchone() == ("one;\n two",)
    db.close()


def test_which_errors_blame_the_database() -> None:
    """And which the row that was to be stored."""
    assert sqlite.blames_database(sqlite3.OperationalError("database is locked"))
    assert sqlite.blames_database(sqlite3.DatabaseError("database disk image is malformed"))
    for kind in (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.ProgrammingError):
        assert not sqlite.blames_database(kind("x"))
    assert not sqlite.blames_database(ValueError("x"))
    assert not sqlite.tells_damage(sqlite3.OperationalError("database or disk is full"))


def test_every_named_query_can_be_prepared(path: Path) -> None:
    """A misspelt column shows here, not in a user's log."""
    memory = sqlite.open_writer(path)
    code = sqlite3.connect(":memory:")  # the index of a workspace is a database of its own
    code.executescript(sql.load("code")["schema"])
    code.create_function("wanted", 1, bool)
    code.create_function("of_kind", 1, bool)
    few = sqlite3.connect(":memory:")  # and so are the few texts that are read like the index
    few.executescript(sql.load("cues")["schema"])
    checked = 0
    for file in sorted((Path(sql.__file__).parent / "sql").glob("*.sql")):
        if file.stem == "schema":
            continue
        db = {"code": code, "cues": few}.get(file.stem, memory)
        for name, query in sql.load(file.stem).items():
            if name in ("schema", "forget index", "create index"):
                continue  # for an empty database, and for a damaged one
            if "{" in query:
                continue  # completed by the module that uses it
            try:
                db.execute("EXPLAIN " + query, dict.fromkeys(range(20)))
            except sqlite3.ProgrammingError:
                pass  # the arguments; the statement itself was understood
            except sqlite3.OperationalError as error:
                raise AssertionError(f"{file.name}, {name}: {error}") from error
            checked += 1
    assert checked > 60
    for db in (memory, code, few):
        db.close()


def test_a_large_database_is_not_checked_at_open_unless_it_is_suspect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D7: the check of a large file must not hold up the start; damage seen by a worker does."""
    path = tmp_path / "m.db"
    sqlite.open_writer(path).close()
    assert sqlite.is_checked_at_open(path)
    monkeypatch.setattr(sqlite, "CHECKED_AT_OPEN", 0)
    assert not sqlite.is_checked_at_open(path)
    data = path.read_bytes()
    path.write_bytes(data[:8192] + b"x" * 8192 + data[16384:])
    sqlite.open_writer(path).close()
    assert sqlite.damaged_files(path) == []
    sqlite.suspect(path).touch()
    sqlite.open_writer(path).close()
    assert len(sqlite.damaged_files(path)) == 1
    assert not sqlite.suspect(path).exists()
