"""From spool to records, over and over: the worker's main work, and what it knows of its health."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass

from backstory.capture import distill, ingest, model_queue, recording
from backstory.codenav.renewing import Renewal
from backstory.config import Config
from backstory.errors import describe
from backstory.storage import spool, sql, sqlite

_SQL = sql.load("distill")


@dataclass(slots=True)
class Health:
    """What happened lately; times are Unix milliseconds, 0 = never."""

    last_success: int = 0  # a pass over spool and jobs that ended well
    last_failure: int = 0
    failure: str = ""  # "" when the newest pass ended well
    events: int = 0  # taken in since the start
    bad: int = 0
    distilled: int = 0


class Pump:
    """Takes in what waits and distils it. Runs on the database's writing connection only."""

    def __init__(self, config: Config, with_model: Callable[[], bool] = lambda: False) -> None:
        """with_model: whether each turn becomes a job for a model, too."""
        self.config = config
        self.health = Health()
        self.with_model = with_model
        self.renewal = Renewal(config.home)

    def run(self, db: sqlite3.Connection, seconds: float) -> bool:
        """One pass of at most so many seconds; whether there is more to do.

        Raises sqlite3.DatabaseError or OSError where disk or database refuse; nothing is lost.
        """
        deadline = time.monotonic() + seconds
        try:
            recorder = recording.Recorder(db, self.config)
            tally = ingest.ingest(db, self.config, recorder, deadline)
            self.renewal.written(recorder.written)
            jobs = distill.run_jobs(db, deadline, self.with_model())
        except Exception as error:
            self.health.last_failure = sqlite.now_ms()
            self.health.failure = describe(error)
            raise
        self.health.last_success = sqlite.now_ms()
        self.health.failure = ""
        self.health.events += tally.events
        self.health.bad += tally.bad
        self.health.distilled += jobs
        return tally.left > 0 or time.monotonic() >= deadline

    def housekeeping(self, db: sqlite3.Connection) -> None:
        """Now and then: quiet turns, overdue files, the spool's bounds and ballast."""
        distill.open_idle_jobs(db, sqlite.now_ms())
        if self.with_model():
            model_queue.open_quiet(db)
        folder = self.config.spool
        ingest.tidy(folder)
        spool.mark_full(str(folder))
        ingest.ensure_ballast(folder)


def backlog(db: sqlite3.Connection) -> dict[str, int]:
    """Open jobs by state, and the time of the oldest."""
    counts = {f"jobs_{state}": count for state, count in db.execute(_SQL["job_counts"])}
    oldest = db.execute(_SQL["oldest_open_job"]).fetchone()[0]
    return {**counts, "oldest_job_at": oldest or 0}
