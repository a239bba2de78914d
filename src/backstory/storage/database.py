"""One database, many readers, one writer.

Readers are read-only connections, one a thread. The writer is a thread of its own with the only
writing connection; whoever wants to write hands it a function.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from backstory.errors import Busy, Unavailable
from backstory.storage import sqlite

T = TypeVar("T")
_Task = tuple[Callable[[sqlite3.Connection], Any], "Future[Any]"]


class Database:
    """Access to one database file from any thread.

    `write` and `submit` are there only in the process that called `start_writer`: the worker.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None

    def read(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """The function's result over this thread's read-only connection.

        Raises Unavailable where nothing was stored yet, Busy where the database stays locked.
        """
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is None:
            db = self._local.db = sqlite.open_reader(self.path)
            self._readers.append(db)
        try:
            return function(db)
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise Busy from error
            raise

    def start_writer(self) -> None:
        """Opens the writing connection. Raises StorageError as `sqlite.open_writer` does."""
        db = sqlite.open_writer(self.path)
        self._writer = threading.Thread(target=self._run, args=(db,), name="writer", daemon=True)
        self._writer.start()

    def submit(self, function: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Has the writer run the function; the future holds its result or exception."""
        if self._writer is None or not self._writer.is_alive():
            raise Unavailable("this process does not write the database")
        future: Future[T] = Future()
        self._tasks.put((function, future))
        return future

    def write(self, function: Callable[[sqlite3.Connection], T], timeout: float = 30.0) -> T:
        """Runs the function on the writer and waits. Raises Busy after `timeout` seconds."""
        try:
            return self.submit(function).result(timeout)
        except TimeoutError:
            raise Busy("the database is being written; try again in a moment") from None

    @property
    def writer_alive(self) -> bool:
        """Whether the writer's thread runs."""
        return self._writer is not None and self._writer.is_alive()

    def close(self) -> None:
        """Lets the writer finish what it was given, then closes every connection, its own last.

        Only the last one empties the WAL into the database file.
        """
        while self._readers:
            self._readers.pop().close()
        if self._writer is not None:
            self._tasks.put(None)
            self._writer.join(10)

    def _run(self, db: sqlite3.Connection) -> None:
        while (task := self._tasks.get()) is not None:
            function, future = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function(db))
            except BaseException as error:  # noqa: BLE001  it belongs to whoever asked
                with suppress(sqlite3.Error):
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                future.set_exception(error)
        db.close()
