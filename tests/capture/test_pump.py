"""The worker's passes, and what it knows of its health."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from backstory import health
from backstory.capture import ingest, pump
from backstory.codenav.renewing import Renewal
from backstory.errors import describe
from backstory.storage import spool
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline

DAY_NS = 86_400_000_000_000


def verdict(pipe: Pipeline) -> tuple[str, str]:
    """What the health route would answer."""
    found = health.verdict(pipe.config, pipe.pump.health, True)
    return found["status"], found["reason"]


def test_a_pass_that_ends_well_is_remembered(pipe: Pipeline) -> None:
    """Health is the last success, not that a process exists."""
    assert pipe.pump.health.last_success == 0
    pipe.feed(event("UserPromptSubmit", prompt="Go."), tool("toolu_1"), event("Stop"))
    assert pipe.pump.health.last_success > 0
    assert pipe.pump.health.distilled == 1
    assert verdict(pipe) == ("ok", "")


def test_events_that_wait_while_nothing_succeeds_are_a_fault(pipe: Pipeline) -> None:
    """D5: a dead loop is told by the backlog's age."""
    path = pipe.config.spool / f"{time.time_ns() - DAY_NS:020d}-1.evt"
    path.write_bytes(b"")
    status, reason = verdict(pipe)
    assert status == "degraded"
    assert "waiting for 86400 s" in reason
    pipe.pump.health.last_success = time.time_ns() // 1_000_000
    assert verdict(pipe)[0] == "ok"


def test_a_foreign_file_in_the_spool_is_no_obstacle_to_health(pipe: Pipeline) -> None:
    """Nothing but a time at the start of a name is a time."""
    (pipe.config.spool / "copy of.evt").touch()
    assert verdict(pipe) == ("ok", "")


def test_a_failure_is_named_without_what_was_captured(pipe: Pipeline) -> None:
    """The message goes to logs and to the user's screen."""
    assert describe(sqlite3.OperationalError("database or disk is full")) == (
        "OperationalError: database or disk is full"
    )
    assert describe(OSError(28, "No space left on device", "/secret/path")) == (
        "OSError: No space left on device"
    )
    assert describe(KeyError("captured text")) == "KeyError"
    found = health.verdict(pipe.config, pump.Health(failure="OSError: x"), True)
    assert (found["status"], "not being saved" in found["reason"]) == ("degraded", True)
    assert health.verdict(pipe.config, pump.Health(), False)["status"] == "degraded"


def test_housekeeping_distils_quiet_turns_and_sets_room_aside(pipe: Pipeline) -> None:
    """A session that nobody ended, 60 idle seconds later."""
    at = time.time_ns() // 1_000_000 - 61_000
    pipe.put(event("UserPromptSubmit", prompt="Fix the cart."), at=at)
    pipe.put(tool("toolu_1", "make test"), at=at + 500)
    pipe.put(event("UserPromptSubmit", prompt="Go on.", session_id="s2"), at=at + 50_000)
    pipe.put(tool("toolu_2", "make test", session_id="s2"), at=at + 55_000)
    pipe.run()
    assert pipe.one("SELECT count(*) FROM jobs") == 0
    pipe.pump.housekeeping(pipe.db)
    pipe.run()
    found = pipe.rows(
        "SELECT s.session_id, p.distilled_uses FROM prompts p JOIN sessions s"
        " ON s.id = p.session ORDER BY s.id"
    )
    assert found == [("s1", 1), ("s2", 0)]
    assert (pipe.config.spool / spool.BALLAST).exists()


def test_numbers_are_read_with_and_without_a_database(pipe: Pipeline) -> None:
    """The doctor asks when no worker runs, too."""
    pipe.feed(event("UserPromptSubmit", prompt="Go."), tool("toolu_1"))
    pipe.put(tool("toolu_2"))
    from backstory.storage.database import Database

    found = health.numbers(pipe.config, Database(pipe.config.database))
    assert found["stored"]["tool_uses"] == 1
    assert found["spool"]["waiting"] == 1
    assert found["schema"] >= 1
    pipe.close()
    for path in pipe.home.glob("backstory.db*"):
        path.unlink()
    assert health.numbers(pipe.config, Database(pipe.config.database))["stored"] == {}
    pipe.config.database.write_bytes(b"no database at all" * 400)
    assert "database_error" in health.numbers(pipe.config, Database(pipe.config.database))
    assert ingest.BATCH_S < 1


class Told(Renewal):
    """Remembers what it was told."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.paths: list[str] = []

    def written(self, paths: Iterable[str]) -> None:
        self.paths += paths


def test_files_that_a_session_wrote_are_told_of(pipe: Pipeline) -> None:
    """Those of calls that succeeded, so that a search of the code is up to date at once."""
    told = pipe.pump.renewal = Told(pipe.config.home)
    calls = [
        ("Edit", {"file_path": "/repo/a.py"}, "PostToolUse"),
        ("Write", {"file_path": "/repo/b.py"}, "PostToolUse"),
        ("NotebookEdit", {"notebook_path": "/repo/c.ipynb"}, "PostToolUse"),
        ("Edit", {"file_path": "/repo/failed.py"}, "PostToolUseFailure"),
        ("Read", {"file_path": "/repo/read.py"}, "PostToolUse"),
        ("Edit", {"file_path": "relative.py"}, "PostToolUse"),
        ("Edit", {"file_path": ["/repo/odd.py"]}, "PostToolUse"),
        ("Edit", "nonsense", "PostToolUse"),
    ]
    pipe.feed(
        *(
            tool(f"toolu_{n}", tool_name=name, tool_input=given, hook_event_name=kind)
            for n, (name, given, kind) in enumerate(calls)
        )
    )
    assert told.paths == ["/repo/a.py", "/repo/b.py", "/repo/c.ipynb"]
