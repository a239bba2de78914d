"""What the worker and the doctor say of how things are."""

from __future__ import annotations

import sqlite3
from typing import Any

from backstory import __version__
from backstory.capture import spending
from backstory.capture.pump import Health, backlog
from backstory.config import Config
from backstory.errors import BackstoryError
from backstory.storage import spool, sqlite
from backstory.storage.database import Database

STALE_MS = 60_000  # events that wait longer than this with a worker running are a fault
COUNTED = ("projects", "sessions", "prompts", "tool_uses", "observations", "summaries")


def verdict(
    config: Config, health: Health, writer_alive: bool, of_model: str = ""
) -> dict[str, Any]:
    """ "ok" or "degraded" with the reason; what the health route answers, without data.

    of_model: what keeps a model from distilling.
    """
    reason = ""
    now = sqlite.now_ms()
    if not writer_alive:
        reason = "the writer has stopped"
    elif health.failure:
        reason = f"memory is not being saved: {health.failure}"
    else:
        oldest = spool.oldest(str(config.spool)) // 1_000_000
        if oldest and now - max(oldest, health.last_success) > STALE_MS:
            reason = f"events have been waiting for {(now - oldest) // 1000} s"
    reason = reason or of_model
    return {
        "status": "degraded" if reason else "ok",
        "reason": reason,
        "version": __version__,
        "home": str(config.home.resolve()),
    }


def numbers(config: Config, database: Database) -> dict[str, Any]:
    """What is stored and what is waiting, read from disk; works without a worker."""
    waiting, size = spool.usage(str(config.spool))
    bad = config.spool / spool.BAD
    found: dict[str, Any] = {
        "spool": {
            "waiting": waiting,
            "bytes": size,
            "bad": len(list(bad.glob("*"))) if bad.is_dir() else 0,
            "full": spool.is_full(str(config.spool)),
        },
    }
    if not config.database.exists():
        return {**found, "stored": {}, "backlog": {}}
    try:
        found |= database.read(_counts)
        found["spend"] = database.read(lambda db: spending.summary(db, config.values))
    except (BackstoryError, sqlite3.Error) as error:
        found["database_error"] = str(error)
    found["database_bytes"] = config.database.stat().st_size
    return found


def _counts(db: sqlite3.Connection) -> dict[str, Any]:
    stored = {
        table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608  names of ours
        for table in COUNTED
    }
    return {"stored": stored, "backlog": backlog(db), "schema": sqlite.version(db)}
