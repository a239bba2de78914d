"""What the worker and the doctor say of how things are."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from backstory import __version__, config, paths
from backstory.capture import spending
from backstory.capture.dispatch import Dispatcher
from backstory.capture.pump import Health, backlog
from backstory.config import Config
from backstory.errors import BackstoryError
from backstory.storage import projects, spool, sqlite
from backstory.storage.database import Database

STALE_MS = 60_000  # events that wait longer than this with a worker running are a fault
MANY_BAD = 20  # events that could not be read, before the user is told
COUNTED = (
    *("projects", "sessions", "prompts", "tool_uses", "observations", "summaries"),
    "work_states",
)


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


class Notices:
    """What the user should be told at a session's start; the model never sees it.

    `once` is told once. What hurts without losing anything is told once a day, also by the workers
    of that day that come later: a file remembers it.
    """

    def __init__(self, settings: Config) -> None:
        self.settings = settings
        self.once = ""
        self.told = Path(settings.home, paths.WARNED)
        self._found: dict[str, str] = {}

    def look(self, db: sqlite3.Connection, dispatcher: Dispatcher) -> None:
        """Finds what there is to tell."""
        for name, folders in projects.take_joined(db, sqlite.now_ms()):
            self.once = (
                f"these folders have one git remote and share the memory of {name}: "
                f"{', '.join(folders)}. To part one, run in it: git config --local "
                "backstory.project ANOTHER-NAME"
            )
        self._found = {
            "turns": given_up(backlog(db).get("jobs_dead", 0)),
            "events": unreadable(self.settings.spool / spool.BAD),
            "cap": cap_used(self.settings, dispatcher.status()["state"]),
            "model": dispatcher.trouble(),
        }

    def take(self, of_model: str) -> list[str]:
        """What is to be told now. of_model: what is to be told once of who distils."""
        today = time.strftime("%Y-%m-%d", time.gmtime())
        before = _days(self.told)
        due = {key: text for key, text in self._found.items() if text and before.get(key) != today}
        if due:
            self._remember({**before, **dict.fromkeys(due, today)})
        if of_model:
            due.pop("model", None)  # it says the same in more words
        told = [self.once, of_model, *due.values()]
        self.once, self._found = "", {}
        return [one for one in told if one]

    def _remember(self, days: dict[str, str]) -> None:
        with suppress(OSError):
            text = "".join(f"{key} {day}\n" for key, day in sorted(days.items()))
            config.write_private(self.told, text)


def _days(path: Path) -> dict[str, str]:
    """When each kind of notice was last told."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    return {key: day for key, _, day in (line.partition(" ") for line in lines)}


def given_up(turns: int) -> str:
    """Turns that even the rules could not read."""
    if not turns:
        return ""
    what = "1 turn" if turns == 1 else f"{turns} turns"
    return f"{what} could not be distilled; `backstory drain --requeue` tries again"


def unreadable(folder: Path) -> str:
    """Many events could not be understood, which are kept for a day; a few are nobody's concern."""
    count = len(list(folder.glob("*"))) if folder.is_dir() else 0
    if count < MANY_BAD:
        return ""
    return f"{count} events of the last day could not be read; `backstory doctor` tells more"


def cap_used(settings: Config, state: str) -> str:
    """The day's cap is reached; a cap of 0 is the user's own wish."""
    if state != "capped" or not settings["daily_input_tokens"]:
        return ""
    return (
        "today's cap for distilling with a model is used up. Rules go on, and the rest follows "
        "from midnight UTC; `backstory distill` tells more, and the setting daily_input_tokens "
        "raises it"
    )
