"""Embedding in the background: while the worker is at rest, never on the path that stores."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from typing import Any

from backstory.config import Config
from backstory.errors import BackstoryError
from backstory.recall.embedders.base import NoVectors
from backstory.recall.meaning import Meaning
from backstory.recall.search import Nearest
from backstory.storage.database import Database

POLL_S = 2.0  # how often it looks for new records
RETRY_S = (30.0, 600.0)  # after a failure: first and longest wait
LONGEST_S = 3600.0  # however long an endpoint wants to be left alone
LATEST_S = 60.0  # records wait no longer for rest than this
REST_S = 3.0  # without a call: only then, so that nobody waits
log = logging.getLogger(__name__)


class Embedding:
    """The loop that gives new records their vectors."""

    def __init__(self, database: Database, settings: Config, rest: Callable[[], float]) -> None:
        self.meaning = Meaning(database, settings)
        self.is_hurried = False  # somebody waits for the vectors
        self._rest = rest  # seconds of rest so far
        self._busy_since = 0.0
        self.running = False  # records are being embedded

    @property
    def nearest(self) -> Nearest:
        """Who finds by meaning."""
        return self.meaning.nearest

    def status(self, db: sqlite3.Connection) -> dict[str, Any]:
        """For reports."""
        return self.meaning.status(db)

    def count_wanted(self, db: sqlite3.Connection) -> int:
        """How many records wait; who asks waits for them, so they are embedded at once."""
        self.is_hurried = True
        return self.meaning.count_waiting(db)

    async def run(self) -> None:
        """Embeds what waits, half of one processor's time at most, until cancelled."""
        try:
            await self._embed_what_waits()
        finally:  # a call that is under way would hold up the worker's end
            self.meaning.close()

    async def _embed_what_waits(self) -> None:
        wait = RETRY_S[0]
        while not self.meaning.is_off:
            if not self.is_hurried and not self._may_begin():
                await asyncio.sleep(POLL_S / 4)
                continue
            started = time.monotonic()
            try:
                done = await asyncio.to_thread(self._step)
                wait = RETRY_S[0]
            except NoVectors as error:
                log.warning("no vectors: %s", error)
                await self._pause(max(wait, min(error.wait, LONGEST_S)))
                wait = min(wait * 2, RETRY_S[1])
                continue
            except Exception as error:  # noqa: BLE001  a loop's door: whatever it is, it goes on
                message = error.message if isinstance(error, BackstoryError) else ""
                log.error("embedding failed: %s %s", type(error).__name__, message)
                await self._pause(wait)
                wait = min(wait * 2, RETRY_S[1])
                continue
            self.running = bool(done)
            if done:
                await asyncio.sleep(0 if self.is_hurried else time.monotonic() - started)
            else:
                self._busy_since = 0.0
                await self._pause(POLL_S)

    def _may_begin(self) -> bool:
        """Whether nothing else is going on, or it went on for too long."""
        if self._rest() > REST_S or self.running:
            return True
        now = time.monotonic()
        self._busy_since = self._busy_since or now
        return now - self._busy_since > LATEST_S

    def _step(self) -> int:
        done = self.meaning.embed_some() or self.meaning.make_anew()
        if not done:
            self.meaning.release_unused()
        return done

    async def _pause(self, seconds: float) -> None:
        """Sleeps, or until somebody waits for the vectors."""
        self.running = self.is_hurried = False
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.is_hurried:
            await asyncio.sleep(0.1)
