"""Opening the database: the one writer, the readers, migrations, and what to do when it is broken.

Exactly one writing connection exists, in the worker: SQLite before 3.51.3 can corrupt a WAL when
two connections checkpoint and commit at once. Everyone else opens it read-only.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from backstory.errors import StorageError, Unavailable
from backstory.storage import sql

SCHEMA_VERSION = max(version for version, _, _ in sql.migration_files())
BUSY_MS = 10_000
CHECKED_AT_OPEN = 64_000_000  # bytes


def open_writer(path: Path) -> sqlite3.Connection:
    """The writing connection, with the schema brought up to date.

    Raises StorageError where the database is newer than this code, or cannot be opened. A damaged
    database is moved aside, with its WAL, and a new one is begun: see `set_aside`.
    """
    try:
        return _open_writer(path)
    except sqlite3.DatabaseError as error:
        if not tells_damage(error):
            raise StorageError(
                f"the database cannot be opened: {error}",
                hint=f"check the disk and the permissions of {path}",
            ) from error
        set_aside(path)
        return _open_writer(path)


def tells_damage(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is damaged, and not the disk full or the call wrong."""
    return any(words in str(error) for words in ("malformed", "not a database", "corrupt"))


def tells_no_room(error: BaseException) -> bool:
    """Whether a write failed for the disk: it is full, or only reading is allowed."""
    told = ("disk is full", "readonly", "disk I/O error")
    return isinstance(error, sqlite3.Error) and any(words in str(error) for words in told)


NO_ROOM = "the memory cannot be written now: the disk is full, or may only be read"
NO_ROOM_HINT = "make room and do the same again; what was captured meanwhile waits and is not lost"


def blames_database(error: Exception) -> bool:
    """Whether the database or its disk is at fault, and not what was to be stored."""
    own = (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.ProgrammingError)
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, own)


def is_sound(db: sqlite3.Connection) -> bool:
    """Whether the database passes SQLite's own quick check."""
    try:
        return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError:
        return False


def is_file_sound(path: Path) -> bool:
    """The same of a file, over a connection of its own that only reads."""
    db = open_reader(path)
    try:
        return is_sound(db)
    finally:
        db.close()


def is_checked_at_open(path: Path) -> bool:
    """Whether opening includes SQLite's check: of a large file it takes seconds, from a cold disk
    ten a gigabyte, so that one is checked once the worker runs, unless it is under suspicion."""
    return suspect(path).exists() or path.stat().st_size < CHECKED_AT_OPEN


def suspect(path: Path) -> Path:
    """The mark of a database that looked damaged to the worker before."""
    return path.with_name(f"{path.name}.suspect")


def damaged_files(path: Path) -> list[str]:
    """The names of what was set aside next to this database."""
    return [found.name for found in path.parent.glob(f"{path.name}*.damaged-*")]


def _open_writer(path: Path) -> sqlite3.Connection:
    fresh = not path.exists() or path.stat().st_size == 0
    if fresh:
        path.touch(mode=0o600)
    db = sqlite3.connect(
        path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
    )
    try:
        if fresh:
            # only before the first table does this take effect
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        if not fresh and is_checked_at_open(path):
            if not is_sound(db):
                raise sqlite3.DatabaseError("quick_check failed: malformed")
            suspect(path).unlink(missing_ok=True)
        migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def open_reader(path: Path) -> sqlite3.Connection:
    """A read-only connection. Raises Unavailable where nothing was stored yet."""
    if not path.exists():
        raise Unavailable("nothing is stored yet", hint="memory begins with the next session")
    db = sqlite3.connect(
        f"file:{quote(str(path))}?mode=ro",
        uri=True,
        timeout=BUSY_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
    )
    db.execute("PRAGMA query_only = ON")
    return db


def migrate(db: sqlite3.Connection, upto: int = SCHEMA_VERSION) -> None:
    """Applies what is missing, each step and its record in one transaction.

    Raises StorageError where the database was written by a newer version.
    """
    have = version(db)
    if have > SCHEMA_VERSION:
        raise StorageError(
            f"the database has schema {have}; this version of Backstory knows {SCHEMA_VERSION}",
            hint="update the plugin: /plugin marketplace update, then /plugin update backstory",
        )
    for number, name, text in sql.migration_files():
        if have < number <= upto:
            statements = [*split(text), f"PRAGMA user_version = {number}"]
            with transaction(db):
                for statement in statements:
                    db.execute(statement)
                db.execute(
                    "INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)",
                    (number, name, now_ms()),
                )


def version(db: sqlite3.Connection) -> int:
    """The schema version of an open database; 0 for an empty one."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def split(text: str) -> list[str]:
    """The statements of an SQL text, comments and triggers respected."""
    statements: list[str] = []
    buffer = ""
    for line in text.splitlines(keepends=True):
        buffer += line
        if ";" in line and sqlite3.complete_statement(buffer):
            statements.append(buffer.strip())
            buffer = ""
    return statements


class transaction:  # noqa: N801  reads as a statement
    """`with transaction(db):` commits at the end, rolls back on any exception."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def __enter__(self) -> sqlite3.Connection:
        self.db.execute("BEGIN IMMEDIATE")
        return self.db

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            try:
                self.db.execute("COMMIT")
            except sqlite3.Error:
                # a full disk fails here: without this the connection stays in the transaction
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
        elif self.db.in_transaction:
            self.db.execute("ROLLBACK")


def set_aside(path: Path) -> Path:
    """Renames a damaged database and its companions; returns where the base file went.

    A broken WAL on a sound base is the common case: then only the WAL goes, and the base stays.
    """
    suspect(path).unlink(missing_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    companions = [Path(f"{path}{suffix}") for suffix in ("-wal", "-shm")]
    for companion in companions:
        if companion.exists():
            companion.rename(f"{companion}.damaged-{stamp}")
    target = Path(f"{path}.damaged-{stamp}")
    if path.exists() and not is_file_sound(path):
        path.rename(target)
    return target


def purge(db: sqlite3.Connection) -> None:
    """Leaves no trace of deleted text: merges the index, empties the WAL, gives pages back."""
    db.execute("INSERT INTO search_text (search_text) VALUES ('optimize')")
    shrink(db, 50_000)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def shrink(db: sqlite3.Connection, pages: int) -> None:
    """Gives at most so many unused pages back to the disk; not within a transaction."""
    # `execute` stops after the first step of this statement, and each step frees one page
    db.executescript(f"PRAGMA incremental_vacuum({pages})")


def now_ms() -> int:
    """The time in Unix milliseconds."""
    return time.time_ns() // 1_000_000
