"""What the gate on Reads has spared, and what that cost: rows of `gates`."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from backstory.storage import sql

DAY_MS = 86_400_000
KEPT_DAYS = 90
LOOKED_AT = 20  # the newest answers of a project by which it is judged
JUDGED_DAYS = 30  # older ones no longer count: the gate is tried again
ASSUMED_CONTEXT = 50_000  # tokens of a session's context where the host did not tell
UNFOLDED_MS = 3_600_000
_SQL = sql.load("gate")


@dataclass(frozen=True, slots=True)
class Spared:
    """One answer in place of a Read. In tokens, but for calls."""

    would_deliver: int
    given: int
    afterwards: int = 0  # of the same file, read later
    calls: int = 0  # in which it was
    context: int = 0  # of the session then; 0 = not known

    @property
    def net(self) -> int:
        """What it spared in all: each call reads the context again, at a tenth of the price."""
        round_trips = self.calls * (self.context or ASSUMED_CONTEXT) // 10
        return self.would_deliver - self.given - self.afterwards - round_trips


def is_answered(db: sqlite3.Connection, session: str, agent: str, path: str) -> bool:
    """Whether this agent was given the file's outline before."""
    return db.execute(_SQL["is answered"], (session, agent, path)).fetchone() is not None


def add(
    db: sqlite3.Connection,
    project: int,
    where: tuple[str, str, str],
    spared: Spared,
    at: int,
) -> None:
    """Records an answer. where: the host's session id, the agent's id, the real path."""
    session, agent, path = where
    values = {
        "project": project,
        "session_id": session,
        "agent_id": agent,
        "path": path,
        "would_deliver": spared.would_deliver,
        "given": spared.given,
        "context": spared.context,
        "at": at,
    }
    db.execute(_SQL["add"], values)


def has_any(db: sqlite3.Connection, session: str) -> bool:
    """Whether a session was given an outline in place of a Read."""
    return db.execute(_SQL["has any"], (session,)).fetchone() is not None


def read_later(db: sqlite3.Connection, where: tuple[str, str, str], tokens: int) -> bool:
    """Counts what an agent read of a file after its outline; whether there was such an outline."""
    session, agent, path = where
    values = {"session_id": session, "agent_id": agent, "path": path, "tokens": tokens}
    return db.execute(_SQL["read later"], values).rowcount > 0


def unfolded_later(db: sqlite3.Connection, path: str, tokens: int, at: int) -> bool:
    """Counts a symbol that was unfolded after its file's outline."""
    values = {"path": path, "tokens": tokens, "since": at - UNFOLDED_MS}
    return db.execute(_SQL["unfolded later"], values).rowcount > 0


def is_losing(db: sqlite3.Connection, project: int, at: int) -> bool:
    """Whether a project's newest answers have cost more than they spared."""
    since = at - JUDGED_DAYS * DAY_MS
    rows = [Spared(*row) for row in db.execute(_SQL["newest"], (project, since, LOOKED_AT))]
    return len(rows) >= LOOKED_AT and sum(row.net for row in rows) < 0


def report(db: sqlite3.Connection, days: int, at: int) -> list[dict[str, Any]]:
    """A row a project: what was spared in the last days, with its net, in tokens.

    only_advises: its newest answers have cost more than they spared, so Reads pass there.
    """
    cursor = db.execute(_SQL["report"], {"since": at - days * DAY_MS, "context": ASSUMED_CONTEXT})
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor]
    for row in rows:
        spent = row["given"] + row["afterwards"] + row["round_trips"]
        row["net"] = row["would_deliver"] - spent
        row["only_advises"] = is_losing(db, row.pop("id"), at)
    return rows


def prune(db: sqlite3.Connection, at: int) -> None:
    """Drops what is too old to judge by."""
    since = at - KEPT_DAYS * DAY_MS
    db.execute(_SQL["forget old"], (since,))
    db.execute(_SQL["forget told"], (since,))
