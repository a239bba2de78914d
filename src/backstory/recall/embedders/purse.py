"""What vectors of an endpoint cost: they share the day's input cap, and take half of it at most.

A batch is reserved before it is sent. Questions are too small for that, and may not wait for the
database: what they cost is kept in memory and written with the next batch, or after a minute.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import suppress

from backstory.capture import ledger
from backstory.capture.providers.base import Label, Usage
from backstory.config import Config
from backstory.errors import BackstoryError
from backstory.recall.embedders.base import Capped, NoVectors
from backstory.storage import sql, sqlite
from backstory.storage.database import Database

UNWRITTEN_S = 60.0  # what questions cost is written down after so long
CAPPED = (
    "today's cap is reached: half of daily_input_tokens is for vectors, and they go on tomorrow; "
    "`backstory settings daily_input_tokens N` raises it"
)
NO_CALL = -1
NOT_HERE = "an endpoint is asked by the worker alone, and this process is another one"
_SQL = sql.load("embeddings")


class Purse:
    """The tokens of one model. Used from several threads."""

    def __init__(self, database: Database, settings: Config, model: str) -> None:
        self._database = database
        self._settings = settings
        self._label = Label(ledger.EMBEDDINGS, model)
        self._lock = threading.Lock()
        self._asked = 0  # tokens of questions that are not written down
        self._asked_since = 0.0

    def check(self, tokens: int) -> None:
        """Raises Capped where a question may not be asked, NoVectors where none may ever."""
        if not self._database.writer_alive:
            raise NoVectors(NOT_HERE)
        if self._database.read(self._left) < tokens:
            raise Capped(CAPPED)

    def note(self, tokens: int) -> None:
        """A question was asked."""
        with self._lock:
            self._asked_since = self._asked_since or time.monotonic()
            self._asked += tokens

    def reserve(self, tokens: int) -> int:
        """Sets aside what a batch may cost; its number. Raises Capped."""

        def take(db: sqlite3.Connection) -> int:
            with sqlite.transaction(db):
                if self._left(db) < tokens:
                    return 0
                return ledger.reserve(db, None, self._label, tokens, 0)

        call = self._database.write(take)
        if not call:
            raise Capped(CAPPED)
        return call

    def settle(self, call: int, tokens: int, duration_ms: int = 0, outcome: str = "done") -> None:
        """A batch has ended: what it cost, and what was asked since the last one."""
        asked = self._take_asked() if outcome == "done" else 0
        usage = Usage(tokens + asked)

        def write(db: sqlite3.Connection) -> None:
            with sqlite.transaction(db):
                ledger.settle(
                    db,
                    call,
                    self._label,
                    usage,
                    project=None,
                    duration_ms=duration_ms,
                    outcome=outcome,
                )

        try:
            self._database.write(write)
        except BackstoryError:
            self.note(asked)
            raise

    def lose(self, call: int) -> None:
        """Nobody knows whether a batch was billed: what was reserved for it counts."""

        def write(db: sqlite3.Connection) -> None:
            with sqlite.transaction(db):
                ledger.lose(db, call)

        self._database.write(write)

    def tidy(self, *, at_once: bool = False) -> None:
        """Writes down what questions have cost, where the first of them is so old."""
        is_old = time.monotonic() - self._asked_since >= UNWRITTEN_S
        if self._asked and (is_old or at_once):
            with suppress(BackstoryError):  # then the next time
                self.settle(NO_CALL, 0)

    def _take_asked(self) -> int:
        with self._lock:
            asked, self._asked, self._asked_since = self._asked, 0, 0.0
        return asked

    def _left(self, db: sqlite3.Connection) -> int:
        now = sqlite.now_ms()
        since = ledger.day_start(now)
        asked = {"since": since, "until": since + ledger.DAY_MS, "provider": ledger.EMBEDDINGS}
        (spent,) = db.execute(_SQL["spent"], asked).fetchone()
        half = self._settings["daily_input_tokens"] // 2 - spent
        return int(min(half, ledger.budget(db, self._settings, now).tokens_in)) - self._asked
