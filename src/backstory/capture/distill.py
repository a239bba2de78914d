"""Distilling by rules: jobs claimed, turns read, rows replaced, all in one transaction."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress

from backstory.capture import model_queue, rules
from backstory.capture.turns import load_turn
from backstory.capture.writing import store
from backstory.storage import sql, sqlite

LEASE_MS = 60_000
ATTEMPTS = 5
BACKOFF_MS = 2_000  # doubles with every attempt
IDLE_MS = 60_000
IDLE_LOOK_BACK_MS = 7 * 24 * 3_600_000
_SQL = sql.load("distill")
_CAPTURE = sql.load("capture")


def open_idle_jobs(db: sqlite3.Connection, now: int, quiet_ms: int = IDLE_MS) -> int:
    """Opens jobs for turns that went quiet without an end; returns how many."""
    span = {"since": now - IDLE_LOOK_BACK_MS, "quiet_since": now - quiet_ms}
    rows = db.execute(_CAPTURE["idle_prompts"], span).fetchall()
    if rows:
        with sqlite.transaction(db):
            for (prompt,) in rows:
                db.execute(_SQL["open_job"], {"prompt": prompt, "at": now})
    return len(rows)


def open_jobs_now(db: sqlite3.Connection) -> int:
    """Opens jobs for every turn with something to distil, also while it runs."""
    return open_idle_jobs(db, sqlite.now_ms(), -IDLE_MS)


def requeue(db: sqlite3.Connection) -> int:
    """Opens the jobs again that were given up; returns how many."""
    return db.execute(_SQL["requeue_dead"]).rowcount


def count_open(db: sqlite3.Connection) -> int:
    """How many jobs of rules are open: waiting, or under way."""
    return int(db.execute(_SQL["count_open"]).fetchone()[0])


def run_jobs(db: sqlite3.Connection, deadline: float, with_model: bool = False) -> int:
    """Distils what is due until nothing is left or the deadline (monotonic) has come.

    with_model: each turn becomes a job for a model, too.
    """
    done = 0
    while done == 0 or time.monotonic() < deadline:
        now = sqlite.now_ms()
        # autocommit: the claim is durable before the work begins
        job = db.execute(_SQL["claim_job"], {"now": now, "until": now + LEASE_MS}).fetchone()
        if job is None:
            break
        run_job(db, *job, with_model=with_model)
        done += 1
    return done


def run_job(
    db: sqlite3.Connection, job: int, prompt: int, attempts: int, *, with_model: bool = False
) -> None:
    """Distils one turn. A failure is kept with the job, which is tried again later."""
    started = time.monotonic()
    if attempts > ATTEMPTS:
        # each attempt before ended with its worker, so nothing could be said of why
        fail_job(db, job, attempts, "the worker ended")
        return
    try:
        turn, place = load_turn(db, prompt)
        distilled = rules.distill(turn)
        with sqlite.transaction(db):
            written = store(db, place, distilled, rules.RULES_VERSION)
            db.execute(_SQL["distilled"], {"prompt": prompt, "uses": len(turn.tool_uses)})
            db.execute(
                _SQL["add_ledger"],
                {
                    "at": sqlite.now_ms(),
                    "project": place.project,
                    "job": job,
                    "provider": "rules",
                    "tool_uses": len(turn.tool_uses),
                    "rows_written": written,
                    "duration_ms": int((time.monotonic() - started) * 1000),
                },
            )
            db.execute(_SQL["finish_job"], {"id": job, "at": sqlite.now_ms()})
            if with_model:
                model_queue.open_job(db, prompt)
    except Exception as error:
        if sqlite.blames_database(error):
            # the turn is not at fault: it is due again as soon as the database is
            with suppress(sqlite3.Error):
                db.execute(_SQL["release_job"], (job,))
            raise
        fail_job(db, job, attempts, type(error).__name__)


def fail_job(db: sqlite3.Connection, job: int, attempts: int, why: str) -> None:
    """Has a job tried again later, or gives it up after the last attempt."""
    now = sqlite.now_ms()
    values = {
        "id": job,
        "state": "dead" if attempts >= ATTEMPTS else "pending",
        "not_before": now + BACKOFF_MS * 2**attempts,
        "error": f"{why} while distilling with {rules.RULES_VERSION}",
        "at": now,
    }
    db.execute(_SQL["fail_job"], values)


def release_jobs(db: sqlite3.Connection) -> int:
    """Frees what an earlier worker held when it ended; only for the one that holds the lock."""
    return db.execute(_SQL["release_jobs"]).rowcount
