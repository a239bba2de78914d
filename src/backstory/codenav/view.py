"""A workspace as this process sees it: what is on disk now, and what of it the index holds."""

from __future__ import annotations

import math
import os
import sqlite3
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from backstory.codenav import guard, index, indexing
from backstory.codenav.index import Known
from backstory.codenav.permissions import NO_RULES, Rules
from backstory.codenav.walk import Kept, Listing, Stamp, files_below, stamp_of
from backstory.errors import describe

_KEPT = 8  # workspaces whose connection stays open
_UPDATE_S = 1.0
_WALK_SHARE = 1 / 3  # of the time that a call has


@dataclass(slots=True)
class View:
    """One workspace and its index; used by one call at a time."""

    root: str
    home: Path
    lock: threading.RLock = field(default_factory=threading.RLock)
    db: sqlite3.Connection | None = None
    known: Mapping[str, Known] = field(default_factory=dict)
    listing: Listing = field(default_factory=lambda: Listing(""))
    unread: Mapping[str, Stamp] = field(default_factory=dict)  # what the index does not hold as is
    fresh: Mapping[str, Known] = field(default_factory=dict)  # what it does, without the left out
    by_id: Mapping[int, str] = field(default_factory=dict)  # the paths of those
    in_part: tuple[str, ...] = ()  # of these, whose symbols are not all known
    symbols: int = 0
    progress: tuple[int, int] = (0, 0)  # files read by the first indexing, and to be read
    is_complete: bool = False
    note: str = ""
    is_locked: bool = False  # the index, by another program
    _rules: Rules = NO_RULES
    _kept: Kept = field(default_factory=Kept)
    _chosen: tuple[object, ...] = ()
    _inode: int = 0
    _looked_at: float = -math.inf
    _seen: int = -1
    _readings: int = 0

    def refresh(self, rules: Rules, deadline: float, asked_at: float = math.inf) -> None:
        """Looks at the disk, and brings the index up to date where little has changed.

        Much is left to a child, and to `unread`. Both times are values of `time.monotonic()`: what
        another call saw after `asked_at`, while this one waited, is new enough.
        """
        if rules is self._rules and self._looked_at > asked_at and not self.note:
            return
        self.note = ""
        if rules is not self._rules:
            self._rules, self._kept = rules, Kept()
        now = self._looked_at = time.monotonic()
        until = now + (deadline - now) * _WALK_SHARE
        self.listing = files_below(self.root, rules, self._kept, until)
        self._open()
        found = self._difference()
        if found or not self.is_complete or self.listing.is_cut:
            if self.is_complete and found.is_small:
                self._update(found, min(deadline, time.monotonic() + _UPDATE_S))
                found = self._difference()
            is_behind = found.changed or not self.is_complete or self.listing.is_cut
            if is_behind and not self.is_locked:
                indexing.start_child(self.root, self.home)
        self.unread = found.changed
        there = len(self.listing.files) if self.listing.is_cut else -1
        state = (self._readings, tuple(found.changed), found.gone, there)
        if state != self._chosen or not self.known:
            self._chosen = state
            self.fresh = {
                path: one
                for path, one in self.known.items()
                if not (one.state and one.reason)
                and path not in found.changed
                and self._may_answer(path)
            }
            self.by_id = {one.id: path for path, one in self.fresh.items()}
            self.in_part = tuple(path for path, one in self.fresh.items() if one.state)
        indexing.mark_used(index.path_of(self.root, self.home))

    def _difference(self) -> indexing.Difference:
        found = indexing.difference(self.known, self.listing.files)
        # what a cut listing does not name may be there all the same
        return indexing.Difference(found.changed, ()) if self.listing.is_cut else found

    def _may_answer(self, path: str) -> bool:
        """Whether a file that the index holds is there, as far as is known, and may be read."""
        if path in self.listing.files:
            return True
        if not self.listing.is_cut:
            return False
        reason = self._kept.refusals.get(path)
        if reason is None:
            reason = self._kept.refusals[path] = guard.refusal(f"{self.root}/{path}", self._rules)
        return not reason

    def renew(self, path: str) -> None:
        """Reads one file again, where an index holds this workspace."""
        self._open()
        if not self.is_complete:
            return
        try:
            there: dict[str, Stamp] = {path: stamp_of(os.lstat(f"{self.root}/{path}"))}
        except OSError:
            there = {}
        known = {path: self.known[path]} if path in self.known else {}
        self._update(indexing.difference(known, there), time.monotonic() + _UPDATE_S)

    def ask(self, question: Callable[[sqlite3.Connection], None]) -> bool:
        """Puts a question to the index; whether it could be answered.

        A damaged index is dropped: it is made anew.
        """
        if self.db is None:
            return False
        try:
            question(self.db)
        except sqlite3.Error as error:
            self._distrust(error)
            return False
        return True

    def close(self) -> None:
        """Closes the connection."""
        if self.db is not None:
            self.db.close()
        self.db, self.known, self.is_complete, self._seen = None, {}, False, -1

    def _distrust(self, error: sqlite3.Error) -> None:
        if index.is_locked(error):
            self.is_locked = True
            self.note = "another program keeps the index locked: files are looked through instead"
            self.close()
            return
        self.note = f"the index cannot be used ({describe(error)}); it is made anew"
        self.close()
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.OperationalError
        ):
            with suppress(OSError):
                index.drop(index.path_of(self.root, self.home))

    def _open(self) -> None:
        path = index.path_of(self.root, self.home)
        try:
            inode = path.stat().st_ino
        except OSError:
            inode = 0
        if self.db is not None and inode != self._inode:
            self.close()  # it was made anew by someone
        self.is_locked = False
        if self.db is None:
            try:
                self.db = index.open_reader(path)
            except sqlite3.Error as error:
                self._distrust(error)
            self._inode = inode
        self.ask(self._read_known)

    def _read_known(self, db: sqlite3.Connection) -> None:
        seen = int(db.execute("PRAGMA data_version").fetchone()[0])
        if seen == self._seen:
            return
        noted = index.meta(db)
        self.known = index.known_files(db)
        self.symbols = int(db.execute(index.SQL["count_symbols"]).fetchone()[0])
        self.is_complete = bool(noted.get("complete"))
        self.progress = (int(noted.get("done", 0)), int(noted.get("total", 0)))
        self._seen = seen
        self._readings += 1

    def _update(self, found: indexing.Difference, deadline: float) -> None:
        try:
            with index.writer(self.root, self.home, patience_s=index.PATIENCE_S) as db:
                if db is not None:
                    indexing.update(db, self.root, self.known, found, deadline)
        except (sqlite3.Error, OSError) as error:
            # a full disk, most likely: the files that changed are looked through instead
            why = "another program keeps it locked" if index.is_locked(error) else describe(error)
            self.note = f"the index could not be brought up to date ({why})"
        self._open()

    def why_incomplete(self) -> str:
        """Why the index does not hold everything, and what to do."""
        if indexing.has_failed(self.root, self.home):
            return f"no index can be kept in {self.home}: files are looked through each time"
        done, total = self.progress
        so_far = f" ({done} of {total} files so far)" if total else ""
        return f"the index is being built{so_far}, call again in a moment"

    def skipped(self, is_in: Callable[[str], bool] | None = None) -> Counter[str]:
        """How many files are left out, by the reason: of all, or of those that are asked about."""
        known = self.known.items()
        left = {path: one.reason for path, one in known if one.state and path not in self.unread}
        if is_in is None:
            return self.listing.skipped + Counter(filter(None, left.values()))
        refused = self._kept.refusals.items()
        left |= {path: reason for path, reason in refused if reason}
        return Counter(
            reason
            for path, reason in left.items()
            if reason and is_in(path) and os.path.lexists(f"{self.root}/{path}")
        )


_views: OrderedDict[tuple[str, str], View] = OrderedDict()
_views_lock = threading.Lock()


def view_of(root: str, home: Path) -> View:
    """The view of a workspace, the same one for every caller."""
    key = (root, str(home))
    with _views_lock:
        found = _views.get(key)
        if found is None:
            found = _views[key] = View(root, home)
        _views.move_to_end(key)
        for other in list(_views)[:-_KEPT]:
            if _views[other].lock.acquire(blocking=False):
                _views.pop(other).close()
        return found


def views_around(path: str, home: Path) -> list[View]:
    """The workspaces of this process that hold a file."""
    with _views_lock:
        return [
            view
            for (root, where), view in _views.items()
            if where == str(home) and path.startswith(root + "/")
        ]
