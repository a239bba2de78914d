"""Keeping an index true: what changed on disk is read again, much of it by a child of its own.

The child is short-lived and polite: parsing holds the interpreter's lock, and a worker's other
callers must not feel it.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from backstory import paths
from backstory.codenav import index, sift
from backstory.codenav.index import Known
from backstory.codenav.outline import outline_of
from backstory.codenav.permissions import rules_for
from backstory.codenav.walk import Stamp, files_below, is_vendored
from backstory.storage import sqlite

AT_ONCE_FILES = 40  # so many changes are read within a call
AT_ONCE_BYTES = 400_000
_BATCH_S = 0.5  # between two commits of the child
_FILE_S = 10.0
_NICE = 10
_MEMORY = 2_000_000_000  # bytes of address space that the child may take
_MEMORY_KEPT = 110_000_000  # bytes of memory, over which it begins again as a new process
_SOURCES = str(Path(__file__).resolve().parents[2])
_CHILD = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from backstory.codenav.indexing import main; main(*sys.argv[2:])"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """What the index does not know yet, and what it should forget."""

    changed: Mapping[str, Stamp]
    gone: tuple[str, ...]

    @property
    def is_small(self) -> bool:
        """Whether it can be read within a call."""
        size = sum(size for _, size in self.changed.values() if size < sift.MOST_DATA)
        return len(self.changed) <= AT_ONCE_FILES and size <= AT_ONCE_BYTES

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


_AGAIN_S = 60.0  # after which an indexing that failed is tried again


def difference(known: Mapping[str, Known], there: Mapping[str, Stamp]) -> Difference:
    """What an index lacks of the files that are there."""
    changed = {}
    for path, stamp in there.items():
        have = known.get(path)
        if have is None or (have.mtime_ns, have.size) != stamp:
            changed[path] = stamp
    return Difference(changed, tuple(path for path in known if path not in there))


def update(
    db: sqlite3.Connection,
    root: str,
    known: Mapping[str, Known],
    found: Difference,
    deadline: float,
) -> int:
    """Brings the index up to date in one transaction; how many files were left at `deadline`."""
    left = len(found.changed)
    with sqlite.transaction(db):
        for path in found.gone:
            index.forget_file(db, path)
        for path, stamp in found.changed.items():
            if time.monotonic() > deadline:
                break
            _renew(db, root, path, stamp, known.get(path))
            left -= 1
    return left


def start_child(root: str, home: Path) -> None:
    """Starts the indexing of a workspace in a process of its own, which nobody waits for.

    Starting it too often is harmless: the second one finds the lock taken and ends.
    """
    # those that have ended are taken off the system's list
    for ended in [one for one, child in list(_started.items()) if child.poll() is not None]:
        child = _started.pop(ended, None)
        if child is not None and child.returncode:
            _failed[ended] = time.monotonic()
    if (root, str(home)) in _started or has_failed(root, home):
        return
    keep = ("HOME", "LANG", "LC_ALL", "TMPDIR", "PATH", "CLAUDE_CONFIG_DIR")
    env = {name: os.environ[name] for name in keep if name in os.environ}
    # every process that we start carries the mark, so that nothing observes it
    env |= {paths.CHILD: "1", "OPENBLAS_NUM_THREADS": "1"}
    prefix = f"pycache_prefix={sys.pycache_prefix or paths.base_dir() + '/pycache'}"
    command = [sys.executable, "-I", "-X", prefix, "-c", _CHILD, _SOURCES, root, str(home)]
    with suppress(OSError):
        _started[root, str(home)] = subprocess.Popen(
            command,
            env=env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def has_failed(root: str, home: Path) -> bool:
    """Whether the last indexing ended in an error, a minute ago at most."""
    at = _failed.get((root, str(home)))
    return at is not None and time.monotonic() - at < _AGAIN_S


_started: dict[tuple[str, str], subprocess.Popen[bytes]] = {}
_failed: dict[tuple[str, str], float] = {}


def main(root: str, home: str) -> None:
    """The child: brings one index up to date, in batches, and ends."""
    _be_polite()
    with index.writer(root, Path(home)) as db:
        if db is None or build(db, root, _MEMORY_KEPT):
            return
    # parsers keep what they once needed: a new process goes on with little
    os.execv(sys.executable, sys.orig_argv)


def build(db: sqlite3.Connection, root: str, most: float = math.inf) -> bool:
    """Makes an index complete, with a commit and a note of the progress now and then.

    Whether it is: with more than `most` bytes of memory in use, it stops after a commit.
    """
    listing = files_below(root, rules_for((root,), root))
    known = index.known_files(db)
    found = difference(known, listing.files)
    if not found and index.meta(db).get("complete"):
        return True
    # what is likely to be asked for comes first
    waiting = sorted(found.changed, key=lambda path: (is_vendored(path), path.count("/"), path))
    started = time.monotonic()
    at = 0
    _note(db, listing.skipped, 0, len(waiting))
    while at < len(waiting) or at == 0:
        until = time.monotonic() + _BATCH_S
        with sqlite.transaction(db):
            if at == 0:
                for path in found.gone:
                    index.forget_file(db, path)
            for path in waiting[at:]:
                _renew(db, root, path, found.changed[path], known.get(path))
                at += 1  # one at least, however little time there is
                if time.monotonic() > until:
                    break
        _note(db, listing.skipped, at, len(waiting))
        if not waiting:
            break
        if at < len(waiting) and _resident() > most:
            return False
    index.set_meta(db, {"complete": 1, "seconds": round(time.monotonic() - started, 1)})
    with suppress(sqlite3.Error):
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return True


def _resident() -> int:
    """Bytes of memory that this process holds; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _note(db: sqlite3.Connection, skipped: Mapping[str, int], done: int, total: int) -> None:
    index.set_meta(db, {"done": done, "total": total, "skipped": json.dumps(skipped)})


def _renew(db: sqlite3.Connection, root: str, path: str, stamp: Stamp, have: Known | None) -> None:
    """Reads one file again. One that cannot be read is known as such, and no error."""
    full = f"{root}/{path}"
    reason = sift.refused_by_name(path, stamp[1])
    if reason:
        index.put_file(db, path, stamp, sift.Look(reason=reason), None)
        return
    try:
        data = read_bytes(full)
    except FileNotFoundError:
        index.forget_file(db, path)
        return
    except OSError:
        index.put_file(db, path, stamp, sift.Look(reason="unreadable"), None)
        return
    seen = sift.look(path, data)
    if have is not None and have.digest == seen.digest and not have.state:
        # touched, or another branch and back: the same as it was
        db.execute(index.SQL["same_file"], (*stamp, os.fsencode(path)))
        return
    outline = None if seen.reason else outline_of(seen.text, full, _FILE_S)
    index.put_file(db, path, stamp, seen, outline)


def read_bytes(path: str) -> bytes:
    """A file's bytes, at most MOST_BYTES and one; links are not followed. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(sift.MOST_BYTES + 1)


def drop_unused(home: Path, days: float, keep: Iterable[str] = ()) -> int:
    """Removes the indexes that nobody asked for so many days, or whose workspace is gone."""
    count = 0
    for path in (home / index.FOLDER).glob("*.db"):
        try:
            is_old = time.time() - _used_at(path) > days * 86_400
            root = "" if is_old else _root_of(path)
        except (OSError, sqlite3.Error):
            continue  # gone, or in use by another program
        if root not in keep and (not root or not Path(root).is_dir()):
            index.drop(path)
            path.with_suffix(".lock").unlink(missing_ok=True)
            path.with_suffix(".used").unlink(missing_ok=True)
            count += 1
    return count


def mark_used(path: Path) -> None:
    """Notes that an index was asked today."""
    mark = path.with_suffix(".used")
    with suppress(OSError):
        if not mark.exists() or time.time() - mark.stat().st_mtime > 3_600:
            os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
            os.utime(mark)


def _used_at(path: Path) -> float:
    marks = [one for one in (path.with_suffix(".used"), path) if one.exists()]
    return max(one.stat().st_mtime for one in marks)


def _root_of(path: Path) -> str:
    db = index.open_reader(path)
    if db is None:
        return ""  # of another version, or damaged: of no use to anyone
    try:
        return index.meta(db).get("root", "")
    finally:
        db.close()


def _be_polite() -> None:
    import resource  # noqa: PLC0415  only the child sets limits

    with suppress(OSError, ValueError):
        os.nice(_NICE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
