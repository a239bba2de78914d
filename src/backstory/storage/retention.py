"""How long raw tool input and output is kept: a number of days, and a number of bytes."""

from __future__ import annotations

import sqlite3

from backstory.storage import gates, sqlite

DAY_MS = 24 * 3_600_000
_PORTION = 500  # rows a transaction, so that capture never waits long


def prune(db: sqlite3.Connection, days: int, megabytes: int) -> int:
    """Drops raw input and output that is too old or too much; returns the rows dropped.

    The tool uses themselves, and what was distilled from them, stay.
    """
    dropped = 0
    oldest = sqlite.now_ms() - days * DAY_MS
    while True:
        with sqlite.transaction(db):
            cursor = db.execute(
                "DELETE FROM tool_io WHERE tool_use IN (SELECT t.id FROM tool_uses t"
                " JOIN tool_io i ON i.tool_use = t.id WHERE t.created_at < ? LIMIT ?)",
                (oldest, _PORTION),
            )
        dropped += cursor.rowcount
        if cursor.rowcount < _PORTION:
            break
    while _stored_bytes(db) > megabytes * 1_000_000:
        with sqlite.transaction(db):
            cursor = db.execute(
                "DELETE FROM tool_io WHERE tool_use IN"
                " (SELECT tool_use FROM tool_io ORDER BY tool_use LIMIT ?)",
                (_PORTION,),
            )
        dropped += cursor.rowcount
    with sqlite.transaction(db):
        gates.prune(db, sqlite.now_ms())
    sqlite.shrink(db, 2_000)
    return dropped


def _stored_bytes(db: sqlite3.Connection) -> int:
    query = "SELECT coalesce(sum(length(input) + length(output)), 0) FROM tool_io"
    return int(db.execute(query).fetchone()[0])
