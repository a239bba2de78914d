"""The worker's look at what became of branches: after a session's start, beside all other work."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from functools import partial

from backstory import project
from backstory.capture import branches
from backstory.capture.background import in_thread, write
from backstory.errors import describe
from backstory.storage import sql, sqlite
from backstory.storage.database import Database

PROJECTS = 3  # those of the newest sessions
_SQL = sql.load("branches")

log = logging.getLogger("backstory.branches")


class BranchWatch:
    """Looks whenever it is woken; each project at most every few minutes."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.wake = asyncio.Event()
        self.before: branches.Looks = {}

    async def run(self) -> None:
        """Waits and looks, for ever."""
        while True:
            await self.wake.wait()
            self.wake.clear()
            try:
                for owner in await asyncio.to_thread(self.database.read, recent):
                    await self.look(owner)
            except Exception as error:  # noqa: BLE001  a loop's door
                log.error("branches could not be looked at: %s", describe(error))

    async def look(self, owner: int) -> None:
        """Finds out what became of the branches of one project."""
        now = sqlite.now_ms()
        wanted, root = await asyncio.to_thread(
            self.database.read,
            lambda db: (branches.wanted(db, owner, now), branches.root_of(db, owner)),
        )
        if not wanted or root is None:
            return
        here = project.resolve(str(root))
        states = await in_thread(partial(branches.find_out, here, wanted, self.before))
        if states:
            await write(self.database, lambda db: branches.put(db, owner, states, now))


def recent(db: sqlite3.Connection) -> list[int]:
    """The projects of the newest sessions."""
    return [owner for (owner,) in db.execute(_SQL["recent"], (PROJECTS,))]
