"""The jobs of a model: which turns wait for one, who holds them, and what a failure means.

The queue is the table. A call holds its jobs under the number of its reservation; a worker that
starts frees whatever an earlier one held.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from backstory.capture import ledger
from backstory.storage import sql, sqlite

ATTEMPTS = 5
LONG_TURN = 50  # tool uses that no model has seen: from here on a turn is not waited for
WORTHWHILE = 10  # tool uses of an ended turn for which a call is made at once
GATHER_MS = 60_000  # how long a smaller turn waits for others to share a call with
LEASE_MS = 600_000  # told to readers of the table; a call ends by its own deadline
LONGEST_MS = 7_200_000  # the longest wait of a job; a longer one is its provider's, in memory
CLOCK_SLACK_MS = 60_000  # by which a clock may be set back without a word
SOON_MS = 15_000
_SQL = sql.load("model")
_RULES = sql.load("distill")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job that may be taken."""

    job: int
    prompt: int
    attempts: int
    project: int
    group: int  # the call that it failed with, by the provider's fault; 0: none


@dataclass(frozen=True, slots=True)
class Counts:
    """Open jobs of a model."""

    leased: int
    soon: int  # pending, and due within seconds
    pending: int  # in all


def open_job(db: sqlite3.Connection, prompt: int) -> bool:
    """Opens the job of a turn where a model has something to see; whether it did.

    Within the caller's transaction. A turn that still runs waits until it is long.
    """
    now = sqlite.now_ms()
    row = _new_to_model(db, prompt, now)
    if row is None:
        return False
    uses, has_end, session_ended, over = row
    if not has_end and uses < (1 if session_ended or over else LONG_TURN):
        return False
    at_once = uses >= WORTHWHILE or session_ended
    values = {
        "prompt": prompt,
        "at": now,
        "due": now if at_once else now + GATHER_MS,
        "last": ATTEMPTS - 1,  # one that was given up and went on gets one more
    }
    return db.execute(_SQL["open_model_job"], values).rowcount > 0


def _new_to_model(
    db: sqlite3.Connection, prompt: int, now: int
) -> tuple[int, int, int, int] | None:
    asked = {"prompt": prompt, "quiet_since": now - GATHER_MS}
    row: tuple[int, int, int, int] | None = db.execute(_SQL["new_to_model"], asked).fetchone()
    return row


def open_recent(db: sqlite3.Connection) -> None:
    """Opens jobs for all of the last day that no model has seen, and has none wait for company."""
    now = sqlite.now_ms()
    with sqlite.transaction(db):
        db.execute(_SQL["open_recent"], {"at": now, "since": now - ledger.DAY_MS})
        db.execute(_SQL["make_fresh_due"])


def stop_gathering(db: sqlite3.Connection, session: int) -> None:
    """Makes the turns of a session that has ended due. Within the caller's transaction."""
    db.execute(_SQL["stop_gathering"], (session,))


def release_jobs(db: sqlite3.Connection) -> None:
    """Frees what an ended worker held; only for the one that holds the lock."""
    with sqlite.transaction(db):
        db.execute(_SQL["release"])
        ledger.lose_all(db)


def expire(db: sqlite3.Connection, calls: Iterable[int]) -> int:
    """Frees jobs whose call is not under way; returns how many. calls: those that are.

    Jobs that wait longer than anything does are due, too: a clock was ahead.
    """
    now = sqlite.now_ms()
    db.execute(_SQL["mend_clock"], {"at": now, "latest": now + LONGEST_MS + CLOCK_SLACK_MS})
    return db.execute(_SQL["expire"], (json.dumps(list(calls)),)).rowcount


def open_quiet(db: sqlite3.Connection) -> None:
    """Opens jobs for turns that went quiet without an end."""
    now = sqlite.now_ms()
    values = {"at": now, "since": now - ledger.DAY_MS, "quiet_since": now - GATHER_MS}
    db.execute(_SQL["open_quiet"], values)


def drop_since(since: int, db: sqlite3.Connection) -> None:
    """Drops jobs that were opened since a time, for a model that then was not there."""
    db.execute(_SQL["drop_since"], (since,))


def requeue_dead(db: sqlite3.Connection) -> int:
    """Opens the jobs again that were given up; returns how many."""
    return db.execute(_SQL["requeue_dead"]).rowcount


def try_again(db: sqlite3.Connection) -> int:
    """The same, and makes all due that wait; returns how many turns that are."""
    with sqlite.transaction(db):
        return requeue_dead(db) + make_due(db)


def make_due(db: sqlite3.Connection) -> int:
    """Ends the wait of all jobs; returns how many waited."""
    return db.execute(_SQL["make_due"], (sqlite.now_ms(),)).rowcount


def stop_waiting(db: sqlite3.Connection) -> None:
    """Ends the wait of what failed by the provider's fault: it answers again."""
    db.execute(_SQL["stop_waiting"], {"at": sqlite.now_ms()})


def next_jobs(db: sqlite3.Connection, now: int) -> list[Waiting]:
    """The jobs that may share the next call: those of one project, in order.

    One that failed by its own fault before goes alone.
    """
    rows = db.execute(_SQL["waiting"], {"now": now}).fetchall()
    if not rows or not rows[0][5]:
        return []
    first = Waiting(*rows[0][:5])
    if first.attempts:
        return [first]
    every = [Waiting(*row[:5]) for row in rows]
    # turns that failed together go together again, so that one of them cannot draw others in
    same = [w for w in every if (w.project, w.group) == (first.project, first.group)]
    same = [waiting for waiting in same if not waiting.attempts]
    return sorted(same, key=lambda waiting: waiting.prompt)


def next_due(db: sqlite3.Connection, after: int = -1) -> int | None:
    """When the next job is due, Unix milliseconds; of those that become due after a moment."""
    due = db.execute(_SQL["next_due"], (after,)).fetchone()[0]
    return None if due is None else int(due)


def claim(db: sqlite3.Connection, jobs: Iterable[int], call: int) -> bool:
    """Takes the jobs for a call, if all of them still wait. Within the caller's transaction."""
    until = sqlite.now_ms() + LEASE_MS
    return all(
        db.execute(_SQL["claim"], {"id": job, "until": until, "call": call}).rowcount == 1
        for job in jobs
    )


def is_held(db: sqlite3.Connection, prompt: int, call: int) -> bool:
    """Whether a turn's job is still this call's."""
    return db.execute(_SQL["is_held"], {"prompt": prompt, "call": call}).fetchone() is not None


def finish(db: sqlite3.Connection, prompt: int, call: int, upto: int, closed: bool) -> None:
    """Ends a turn's job; what no model has seen yet opens it again. Within a transaction.

    Then the rules look at the turn again, too: what is new in records that now are the model's
    becomes records of its own.
    """
    db.execute(_SQL["turn_seen"], {"prompt": prompt, "uses": upto, "closed": int(closed)})
    values = {"prompt": prompt, "call": call, "at": sqlite.now_ms()}
    db.execute(_SQL["finish"], values)
    row = _new_to_model(db, prompt, sqlite.now_ms())
    if row and row[0]:
        db.execute(_RULES["open_job"], {"prompt": prompt, "at": sqlite.now_ms()})
    open_job(db, prompt)


def give_back(
    db: sqlite3.Connection,
    call: int,
    error: str,
    *,
    delay_s: float,
    counts: bool,
    billed: bool = False,
    again_s: float = 0.0,
) -> None:
    """Frees a call's jobs after a failure, to be tried again later.

    counts: the failure is the batch's own, which after some attempts is given up: the records of
    the rules stay. billed: it cost something; the second of those counts, too. again_s: the least
    wait where it is not the first failure.
    """
    now = sqlite.now_ms()
    values = {
        "call": call,
        "counts": int(counts),
        "billed": int(billed),
        "most": ATTEMPTS if counts or billed else 1_000_000,
        "due": now + min(int(delay_s * 1000), LONGEST_MS),
        "again": now + min(int(max(delay_s, again_s) * 1000), LONGEST_MS),
        "error": error[:300],
        "at": now,
    }
    db.execute(_SQL["give_back"], values)


def counts(db: sqlite3.Connection) -> Counts:
    """How many jobs are open."""
    row = db.execute(_SQL["open_jobs"], {"soon": sqlite.now_ms() + SOON_MS}).fetchone()
    return Counts(*row)
