"""From the spool into the database: sanitised, each event once, files deleted after the commit."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from backstory import paths
from backstory.capture import events, recording
from backstory.config import Config
from backstory.sanitize.door import clean_text
from backstory.storage import spool, sqlite

BATCH = 200  # events a transaction
BATCH_S = 0.1  # or this long, so that a reader never waits
SEEN_KEPT_S = 30 * 86_400
PLENTY = 10  # times the ballast's size must be free before it is set aside


@dataclass(slots=True)
class Tally:
    """What one pass over the spool did."""

    events: int = 0
    bad: int = 0
    left: int = 0
    prompts: set[int] = field(default_factory=set)  # turns that got something new


def ingest(
    db: sqlite3.Connection, config: Config, recorder: recording.Recorder, deadline: float
) -> Tally:
    """Takes in waiting events until the spool is empty or the deadline (monotonic) has come.

    Raises sqlite3.DatabaseError where the database cannot be written: the files stay, and the next
    pass takes them again.
    """
    tally = Tally()
    names = spool.pending(str(config.spool))
    at = 0
    while at < len(names) and (at == 0 or time.monotonic() < deadline):
        done: list[Path] = []
        bad: list[Path] = []
        started = time.monotonic()
        with sqlite.transaction(db):
            recorder.begin()
            while at < len(names) and len(done) < BATCH:
                path = config.spool / names[at]
                at += 1
                (done if take(db, recorder, path) else bad).append(path)
                if time.monotonic() - started > BATCH_S:
                    break
            tally.prompts |= recorder.finish()
        for path in done:
            path.unlink(missing_ok=True)
        for path in bad:
            quarantine(config.spool, path)
        tally.events += len(done)
        tally.bad += len(bad)
    tally.left = len(names) - at
    return tally


def take(db: sqlite3.Connection, recorder: recording.Recorder, path: Path) -> bool:
    """Records one file; False where it holds nothing that can be understood."""
    try:
        data = read_file(path)
    except FileNotFoundError:
        return True
    except (PermissionError, IsADirectoryError):
        return False  # somebody else's: the others must not wait for it
    db.execute("SAVEPOINT event")
    try:
        recorder.record(events.parse(data))
    except Exception as error:
        if sqlite.blames_database(error):
            raise
        # one odd event must not hold up the others
        db.execute("ROLLBACK TO event")
        db.execute("RELEASE event")
        return False
    db.execute("RELEASE event")
    return True


def read_file(path: Path) -> bytes:
    """The bytes of a regular file: reading a pipe or a device could wait for ever.

    Raises OSError, IsADirectoryError for whatever is no file.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise IsADirectoryError(path)
    return path.read_bytes()


def quarantine(folder: Path, path: Path) -> None:
    """Moves a file that cannot be read aside, sanitised; it is kept for a day."""
    bad = folder / spool.BAD
    bad.mkdir(mode=0o700, exist_ok=True)
    try:
        text = clean_text(read_file(path).decode("utf-8", "replace"))
        target = bad / path.name
        target.touch(mode=0o600)
        target.write_text(text, encoding="utf-8")
    except FileNotFoundError:
        return
    except (PermissionError, IsADirectoryError):
        path.rename(bad / path.name)
        return
    path.unlink(missing_ok=True)


def tidy(folder: Path) -> None:
    """Removes what is overdue: bad files after a day, abandoned temporary files after an hour.

    Also which files a session has seen, a month after it saw a new one.
    """
    now = time.time()
    for session in (folder.parent / paths.SEEN).glob("*"):
        with suppress(OSError):
            if now - session.stat().st_mtime > SEEN_KEPT_S:
                shutil.rmtree(session)
    for pattern, kept in ((f"{spool.BAD}/*", spool.BAD_KEPT_S), ("*.part", 3600)):
        for path in folder.glob(pattern):
            try:
                if now - path.stat().st_mtime > kept:
                    path.unlink()
            except OSError:
                continue


def ensure_ballast(folder: Path) -> None:
    """Sets room aside that the hooks give up when the disk is full, while there is plenty."""
    path = folder / spool.BALLAST
    if path.exists() and path.stat().st_size == spool.BALLAST_SIZE:
        return
    if shutil.disk_usage(folder).free < PLENTY * spool.BALLAST_SIZE:
        return  # a disk that is full must not be filled again
    try:
        with path.open("wb") as file:
            path.chmod(0o600)
            block = b"\0" * 1_000_000
            for _ in range(spool.BALLAST_SIZE // len(block)):
                file.write(block)
    except OSError:
        path.unlink(missing_ok=True)
        raise
