"""The index of a workspace: one SQLite file in the data directory, which may be lost at any time.

One process at a time writes it, under a lock file; everyone else reads. What was made by another
version of the engine, or is damaged, is thrown away and made anew.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b, sha256
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from backstory import paths
from backstory.codenav.outline import Outline
from backstory.codenav.sift import Look
from backstory.codenav.symbols import Symbol
from backstory.codenav.words import stem
from backstory.storage import sql, sqlite
from backstory.storage.tokens import MAX_TEXT, index_text

FOLDER = paths.CODE
ENGINE = 6  # raise it where other code would write other rows
PATIENCE_S = 0.15  # of a call, with a lock of another program
IN_PART = "in part"  # the state of a file of which not all symbols are known
FILE = "file"  # the kind of the row that stands for a file as a whole
WHOLE = (1 << 20) - 1  # its place
_MOST_SYMBOLS = 20_000
_WORD = 80  # characters; longer ones are no words
_BODY = 60_000  # characters of a symbol's own lines whose words are kept
_DETAILS = frozenset({"field", "constant", "variable"})
SQL = sql.load("code")


@dataclass(frozen=True, slots=True)
class Known:
    """What the index holds of a file."""

    id: int
    mtime_ns: int  # the later of the times of its content and of its entry
    size: int
    digest: bytes
    language: str
    lines: int
    state: str  # "", IN_PART, or why it was left out

    @property
    def reason(self) -> str:
        """Why it was left out; "" for one that answers."""
        return "" if self.state == IN_PART else self.state


@dataclass(frozen=True, slots=True)
class Row:
    """One symbol of the index."""

    id: int
    parent: int  # an id; -1 at the top of the file
    folded: str
    name: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    line: int
    signature: str
    doc: str

    @property
    def file(self) -> int:
        """The id of its file."""
        return self.id >> 20

    @property
    def stands_in(self) -> str:
        """The qualified name of what it stands in; "" at the top."""
        return self.qualified[: -len(self.name)].rstrip(" >.") if self.parent >= 0 else ""


def path_of(root: str, home: Path) -> Path:
    """Where the index of a workspace lies."""
    return home / FOLDER / f"{sha256(os.fsencode(root)).hexdigest()[:32]}.db"


@cache
def version() -> str:
    """What decides which rows a file becomes."""
    total = blake2b(f"{ENGINE} {SQL['schema']}".encode(), digest_size=12)
    folder = files("backstory.codenav")
    data = [folder.joinpath(name) for name in ("languages.toml", "vocabulary.toml")]
    queries = sorted(folder.joinpath("queries").iterdir(), key=lambda one: one.name)
    for one in (*data, *(query for query in queries if query.name.endswith(".scm"))):
        total.update(one.read_bytes())
    return total.hexdigest()


def folded(name: str) -> str:
    """A name without case and joints: getUser and get_user are one."""
    return "".join(char for char in name.casefold() if char not in "_-$.#&@ ")


def open_reader(path: Path) -> sqlite3.Connection | None:
    """A connection that only reads; None where there is no index of this version.

    Raises sqlite3.OperationalError where another program keeps it locked.
    """
    if not path.exists():
        return None
    try:
        db = sqlite3.connect(
            f"file:{quote(str(path))}?mode=ro",
            uri=True,
            timeout=PATIENCE_S,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error:
        return None
    try:
        if meta(db).get("version") == version():
            return db
    except sqlite3.Error as error:
        if is_locked(error):
            db.close()
            raise
        # being made, or damaged: whoever writes next finds out which
    db.close()
    return None


def is_locked(error: BaseException) -> bool:
    """Whether it is another program that keeps an index to itself."""
    code = getattr(error, "sqlite_errorcode", None)  # its lowest byte is the plain code
    return isinstance(code, int) and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def writer(
    root: str, home: Path, wait: bool = False, patience_s: float = 5.0
) -> Iterator[sqlite3.Connection | None]:
    """The one writing connection, made new where it cannot be used; None while another has it.

    Of what is no part of this program, a lock is waited for `patience_s` seconds.
    """
    path = path_of(root, home)
    paths.make_private_dir(str(path.parent))
    lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield None
            return
        db = _usable(path, patience_s) or _made(path, root, patience_s)
        try:
            yield db
        finally:
            db.close()
    finally:
        os.close(lock)


def drop(path: Path) -> None:
    """Removes an index; its lock file stays, since another process may hold it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def meta(db: sqlite3.Connection) -> dict[str, str]:
    """What the index says about itself."""
    return dict(db.execute(SQL["get_meta"]).fetchall())


def known_files(db: sqlite3.Connection) -> dict[str, Known]:
    """Every file that the index knows, by relative path."""
    rows = db.execute(SQL["known_files"]).fetchall()
    return {os.fsdecode(row[0]): Known(*row[1:]) for row in rows}


def forget_file(db: sqlite3.Connection, path: str) -> bool:
    """Takes a file out; whether it was there. What the word tables hold of it finds nothing."""
    row = db.execute(SQL["drop_file"], (os.fsencode(path),)).fetchone()
    if row is None:
        return False
    db.execute(SQL["drop_symbols"], (row[0], row[0]))
    return True


def put_file(
    db: sqlite3.Connection, path: str, stamp: tuple[int, int], seen: Look, outline: Outline | None
) -> None:
    """Writes a file as it is now, in place of what was known of it."""
    forget_file(db, path)
    lines = outline.lines if outline else 0
    language = outline.language if outline else seen.language
    is_whole = outline is None or _is_whole(outline)
    state = seen.reason or ("" if is_whole else IN_PART)
    values = (os.fsencode(path), *stamp, seen.digest, language, lines, state)
    base = db.execute(SQL["put_file"], values).fetchone()[0] << 20
    if outline is None:
        return
    # blocks of a text that could not be parsed in time are no symbols
    is_blocks = outline.how == "cut" and all(one.kind == "section" for one in outline.symbols)
    found = () if is_blocks else outline.symbols[:_MOST_SYMBOLS]
    bodies, rest = own_texts(seen.text, found)
    db.executemany(SQL["put_symbol"], (_row(base, at, one) for at, one in enumerate(found)))
    whole = (base | WHOLE, -1, "", path.rpartition("/")[2], path, FILE, 1, max(lines, 1), 1, "", "")
    db.execute(SQL["put_symbol"], _clean(whole))
    documents = [
        (base | at, one.name, one.doc, bodies[at] or one.signature) for at, one in enumerate(found)
    ]
    documents.append((base | WHOLE, path, "", rest))
    every: set[str] = set()
    for row, *texts in documents:
        written = [index_text(text).split() for text in texts]
        every.update(*written)
        # once each: ranking counts them in the file itself, and the index is half as large
        columns = (" ".join(dict.fromkeys(map(stem, one))) for one in written)
        db.execute(SQL["put_words"], (row, *columns))
    if any(len(part) == _BODY for part in (rest, *bodies)):
        every.update(*map(str.split, map(index_text, _pieces(seen.text))))
    db.execute(SQL["put_text"], (base >> 20, " ".join(every)))
    db.executemany(SQL["put_text_word"], ((word,) for word in every if len(word) < _WORD))


def _is_whole(outline: Outline) -> bool:
    return outline.how != "cut" and len(outline.symbols) <= _MOST_SYMBOLS


def own_texts(text: str, symbols: Iterable[Symbol]) -> tuple[list[str], str]:
    """The lines of each symbol that belong to none inside it, and those of no symbol.

    Fields and constants have none: their signature says it all, and whom they stand in has theirs.
    """
    lines = text.split("\n")
    owner = [-1] * (len(lines) + 1)
    found = list(symbols)
    for at, one in enumerate(found):
        if one.kind not in _DETAILS:
            first, last = one.start_line, min(one.end_line, len(lines))
            owner[first : last + 1] = [at] * (last + 1 - first)
    parts: list[list[str]] = [[] for _ in found]
    rest: list[str] = []
    for number, line in enumerate(lines, 1):
        (parts[owner[number]] if owner[number] >= 0 else rest).append(line)
    return ["\n".join(part)[:_BODY] for part in parts], "\n".join(rest)[:_BODY]


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces of which all words are taken, cut at ends of lines where there are any."""
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + MAX_TEXT) + 1 or start + MAX_TEXT
        yield text[start:end]
        start = end


def _row(base: int, at: int, one: Symbol) -> tuple[object, ...]:
    parent = base | one.parent if one.parent >= 0 else -1
    names = (folded(one.name), one.name, one.qualified_name, one.kind)
    lines = (one.start_line, one.end_line, one.line or one.start_line)
    return _clean((base | at, parent, *names, *lines, one.signature, one.doc))


def _clean(values: tuple[object, ...]) -> tuple[object, ...]:
    """SQLite takes no lone surrogates."""
    return tuple(
        value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for value in values
    )


def set_meta(db: sqlite3.Connection, values: Mapping[str, object]) -> None:
    """Notes something about the index."""
    db.executemany(SQL["set_meta"], [(name, str(value)) for name, value in values.items()])


def _usable(path: Path, patience_s: float) -> sqlite3.Connection | None:
    if not path.exists():
        return None
    try:
        db = _connect(path, patience_s)
        if meta(db).get("version") == version():
            return db
        db.close()
    except sqlite3.Error as error:
        with suppress(UnboundLocalError):
            db.close()
        if is_locked(error):
            raise
    return None


def _made(path: Path, root: str, patience_s: float) -> sqlite3.Connection:
    drop(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    db = _connect(path, patience_s)
    try:
        with sqlite.transaction(db):
            for statement in sqlite.split(SQL["schema"]):
                db.execute(statement)
            set_meta(db, {"version": version(), "root": root.encode("utf-8", "replace").decode()})
    except BaseException:
        db.close()
        raise
    return db


def _connect(path: Path, patience_s: float) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=patience_s, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        db.close()
        raise
    return db
