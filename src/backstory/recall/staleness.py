"""Whether the files that a record tells of are still as they were. Thin: hook processes load it."""

import os

from backstory.project import Project, cloned_at
from backstory.storage import sql
from backstory.storage.lean_sqlite import sqlite3

MOST_FILES = 60  # looked at for one context
OF_RECORD = 3  # files looked at for a record
SLACK_MS = 2_000  # a file is written before its event is captured, and formatted right after it
CHECKOUT_MS = 120_000  # how long a clone writes files
CHANGED, GONE = "~changed", "~gone"


class Files:
    """The files of one worktree, each looked at once. root: "" where nothing is to be marked."""

    def __init__(self, db: sqlite3.Connection, here: "Project | None") -> None:
        self.db = db
        self.root = (here.worktree or here.root) if here is not None else ""
        if not os.path.isdir(self.root):
            self.root = ""
        self.cloned = cloned_at(here) * 1000 if here is not None and self.root else 0
        self.query = sql.load("context")["files"]
        self.times: "dict[str, int]" = {}  # of each file, in milliseconds; -1: it is gone

    def mark(self, record: int, at: int) -> str:
        """What became of a record's files since its time: "", CHANGED or GONE.

        A file that came with a later clone says nothing: its time is the clone's.
        """
        if not self.root:
            return ""
        rows = self.db.execute(self.query, (record, OF_RECORD)).fetchall()
        # what it changed says more of a record than what it read
        times = [self.time_of(path) for path, mode in rows if mode == rows[0][1] and is_below(path)]
        known = [time for time in times if time is not None]
        if not known:
            return ""
        if all(time < 0 for time in known):
            return GONE
        return CHANGED if any(self.is_newer(time, at) for time in known) else ""

    def is_newer(self, time: int, at: int) -> bool:
        """Whether a file's time tells of a change after the record's."""
        if at < self.cloned and self.cloned - SLACK_MS <= time <= self.cloned + CHECKOUT_MS:
            return False
        return time < 0 or time > at + SLACK_MS

    def time_of(self, path: str) -> "int | None":
        """When a file was last written; -1 where it is gone, None where that is not known."""
        if path not in self.times:
            if len(self.times) >= MOST_FILES:
                return None
            try:
                self.times[path] = int(os.stat(self.root + "/" + path).st_mtime * 1000)
            except (FileNotFoundError, NotADirectoryError):
                self.times[path] = -1
            except (OSError, ValueError):
                return None
        return self.times[path]


def is_below(path: str) -> bool:
    """Whether a stored path lies below the root: others may be of another machine."""
    return not path.startswith("/") and not path.startswith("../")
