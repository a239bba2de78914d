"""What calls of a model cost, and the daily cap that none of them passes.

A call is reserved before it is made, with the most that it may cost, and settled by what it was
billed. Where nobody knows whether it was billed, the reservation stays and counts.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from backstory.capture.providers.base import Label, Usage
from backstory.config import Config
from backstory.storage import sql, sqlite

EMBEDDINGS = "embeddings"  # who vectors are asked of, among providers
DAY_MS = 24 * 3_600_000
LATEST_CALLS = 30  # that tell whether a provider's answers are cut
CUTS_MS = 30 * DAY_MS
LOST_OUTPUT = 600  # tokens at least that an answer that never came counts for
KEPT_MS = 3 * DAY_MS  # reservations of earlier days count no more
_SQL = sql.load("model")


@dataclass(frozen=True, slots=True)
class Budget:
    """What may still be spent today, in tokens."""

    tokens_in: int
    tokens_out: int


def day_start(now: int) -> int:
    """The beginning of the day, UTC."""
    return now - now % DAY_MS


def budget(db: sqlite3.Connection, config: Config, now: int | None = None) -> Budget:
    """What is left of today's cap, calls under way counted in full."""
    since = day_start(sqlite.now_ms() if now is None else now)
    spent_in, spent_out = db.execute(_SQL["spent"], (since, since + DAY_MS)).fetchone()
    return Budget(
        config["daily_input_tokens"] - spent_in, config["daily_output_tokens"] - spent_out
    )


def reserve(
    db: sqlite3.Connection, project: int | None, label: Label, tokens_in: int, tokens_out: int
) -> int:
    """Sets aside what a call may cost; the call's number. Within the caller's transaction."""
    values = {
        "at": sqlite.now_ms(),
        "project": project,
        "provider": label.provider,
        "model": label.model,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
    }
    return int(db.execute(_SQL["reserve"], values).fetchone()[0])


def settle(
    db: sqlite3.Connection,
    call: int,
    label: Label,
    usage: Usage,
    *,
    project: int | None,
    tool_uses: int = 0,
    rows_written: int = 0,
    duration_ms: int = 0,
    dropped: int = 0,
    outcome: str = "done",
) -> None:
    """Replaces a reservation by what was billed. Within the caller's transaction.

    A call that cost nothing and did nothing leaves no row.
    """
    db.execute(_SQL["drop_reservation"], (call,))
    if not usage.tokens_in and not usage.tokens_out and outcome != "done":
        return
    exists = db.execute("SELECT 1 FROM projects WHERE id = ?", (project,)).fetchone()
    values = {
        "at": sqlite.now_ms(),
        "project": project if exists else None,
        "job": db.execute(_SQL["job_of_call"], (call,)).fetchone()[0],
        "provider": label.provider,
        "model": label.model,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "tokens_cached": usage.tokens_cached,
        "tool_uses": tool_uses,
        "rows_written": rows_written,
        "duration_ms": duration_ms,
        "price_usd": usage.price_usd,
        "dropped": dropped,
        "outcome": outcome,
    }
    db.execute(_SQL["add_call"], values)


def lose(db: sqlite3.Connection, call: int | None) -> None:
    """Keeps a reservation whose call may have been billed; None: all that are open.

    A day's first keeps all that its answer may have had, others what it would have had.
    """
    since = day_start(sqlite.now_ms())
    values = {"call": call, "expected": usual_output(db), "since": since}
    db.execute(_SQL["lose_reservations"], values)


def usual_output(db: sqlite3.Connection) -> int:
    """What an answer that never came would have had, in tokens: as much as the latest ones."""
    return max(LOST_OUTPUT, int(db.execute(_SQL["usual_output"]).fetchone()[0]))


def cuts(db: sqlite3.Connection, provider: str) -> int:
    """How many of the latest answers of a provider were cut."""
    asked = {"provider": provider, "since": sqlite.now_ms() - CUTS_MS, "latest": LATEST_CALLS}
    return int(db.execute(_SQL["cuts"], asked).fetchone()[0])


def lose_all(db: sqlite3.Connection) -> None:
    """Keeps the reservations of all calls that an ended worker had under way, and drops those of
    earlier days."""
    lose(db, None)
    db.execute(_SQL["drop_old_reservations"], (sqlite.now_ms() - KEPT_MS,))
