"""From the spool into the database: each event once, files deleted after the commit, none stuck."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from backstory.capture import ingest
from backstory.storage import spool, sqlite
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline


def test_files_are_gone_once_their_events_are_stored(pipe: Pipeline) -> None:
    """And only theirs."""
    pipe.feed(event("UserPromptSubmit", prompt="Go."), tool("toolu_1"))
    assert spool.pending(str(pipe.config.spool)) == []
    assert pipe.pump.health.events == 2


def test_events_come_in_the_order_of_their_names(pipe: Pipeline) -> None:
    """A name begins with the time of capture."""
    at = 1_780_000_500_000
    pipe.put(event("UserPromptSubmit", prompt_id="p2", prompt="second"), at=at + 1_000)
    pipe.put(event("UserPromptSubmit", prompt_id="p1", prompt="first"), at=at)
    pipe.run()
    assert pipe.rows("SELECT number, text FROM prompts ORDER BY number") == [
        (1, "first"),
        (2, "second"),
    ]


def test_a_deadline_leaves_the_rest_for_the_next_pass(pipe: Pipeline) -> None:
    """A question to the worker gets in between; what is taken is whole."""
    for number in range(ingest.BATCH + 50):
        pipe.put(tool(f"toolu_{number}"))
    assert pipe.pump.run(pipe.db, 0.0)
    taken = pipe.one("SELECT count(*) FROM tool_uses")
    assert 0 < taken <= ingest.BATCH
    left = spool.pending(str(pipe.config.spool))
    assert len(left) == ingest.BATCH + 50 - taken
    pipe.run()
    assert pipe.one("SELECT count(*) FROM tool_uses") == ingest.BATCH + 50


def test_a_commit_that_fails_leaves_every_file(pipe: Pipeline) -> None:
    """D1: nothing is deleted that is not stored, and the next pass stores it."""
    for number in range(4):
        words = " ".join(os.urandom(3).hex() for _ in range(8_000))
        pipe.put(tool(f"toolu_{number}", tool_response=words))
    pages = pipe.one("PRAGMA page_count")
    pipe.db.execute(f"PRAGMA max_page_count = {pages}").fetchall()
    with pytest.raises(sqlite3.OperationalError, match="full"):
        pipe.run()
    assert len(spool.pending(str(pipe.config.spool))) == 4
    assert pipe.one("SELECT count(*) FROM tool_uses") == 0
    assert "full" in pipe.pump.health.failure
    pipe.db.execute("PRAGMA max_page_count = 1000000").fetchall()
    pipe.run()
    assert pipe.one("SELECT count(*) FROM tool_uses") == 4
    assert pipe.pump.health.failure == ""


def test_a_locked_database_keeps_the_events_waiting(pipe: Pipeline) -> None:
    """B7: a person's sqlite3 shell with an open transaction."""
    pipe.put(tool("toolu_1"))
    other = sqlite3.connect(pipe.config.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    pipe.db.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        pipe.run()
    assert len(spool.pending(str(pipe.config.spool))) == 1
    other.execute("ROLLBACK")
    other.close()
    pipe.run()
    assert pipe.one("SELECT count(*) FROM tool_uses") == 1


def test_a_damaged_database_puts_no_event_aside(pipe: Pipeline) -> None:
    """D7: the event is not at fault, so it waits for a sound database."""
    pipe.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    pipe.db.execute("PRAGMA cache_size = 0")
    path = pipe.config.database
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    pipe.put(tool("toolu_1"))
    with pytest.raises(sqlite3.DatabaseError) as caught:
        pipe.run()
    assert sqlite.tells_damage(caught.value)
    assert not sqlite.is_sound(pipe.db)
    assert len(spool.pending(str(pipe.config.spool))) == 1
    assert pipe.bad() == []


BROKEN = [b"", b"{", b'{"a":', b"\x00\x01\xff", b"null", b"[" * 10_000, b'{"a":' * 10_000]


@pytest.mark.parametrize("raw", BROKEN, ids=range(len(BROKEN)))
def test_what_cannot_be_read_is_put_aside_and_counted(pipe: Pipeline, raw: bytes) -> None:
    """A13: also JSON nested ten thousand levels deep."""
    pipe.put(None, raw=raw)
    pipe.put(tool("toolu_1"))
    pipe.run()
    assert [path.stat().st_mode & 0o777 for path in pipe.bad()] == [0o600]
    assert pipe.pump.health.bad == 1
    assert pipe.one("SELECT count(*) FROM tool_uses") == 1


def test_what_is_put_aside_is_sanitised(pipe: Pipeline) -> None:
    """G2: it may be looked at for a day."""
    secret = "ghp_" + "a1B2" * 9
    pipe.put(None, raw=f'{{"token": "{secret}", "x": "<private>canary</private>'.encode())
    pipe.run()
    text = pipe.bad()[0].read_text()
    assert secret not in text
    assert "canary" not in text


def test_a_foreign_thing_in_the_spool_holds_nothing_up(pipe: Pipeline) -> None:
    """A folder, a pipe, a link to nowhere and stray files, all called like events."""
    os.mkfifo(pipe.config.spool / "00-pipe.evt")
    for number, at in enumerate((10**30, -1, "x")):
        text = f"{spool.MAGIC.decode()}at={at}\n\n{json.dumps(tool('toolu_2'))}"
        (pipe.config.spool / f"9{number}-odd.evt").write_text(text)
    (pipe.config.spool / "00-folder.evt").mkdir()
    (pipe.config.spool / "00-link.evt").symlink_to("/nowhere")
    (pipe.config.spool / "00-stray.evt").write_text("hello")
    pipe.feed(tool("toolu_1"))
    assert pipe.one("SELECT count(*) FROM tool_uses") == 1
    assert spool.pending(str(pipe.config.spool)) == []


def test_old_leftovers_are_removed(pipe: Pipeline) -> None:
    """Bad files after a day, a killed hook's temporary files after an hour; newer ones stay."""
    folder = pipe.config.spool
    (folder / spool.BAD).mkdir()
    ages = {
        "bad/old.evt": 25 * 3600,
        "bad/new.evt": 23 * 3600,
        "old.part": 3700,
        "new.part": 60,
        "old.evt": 90_000,
    }
    for name, age in ages.items():
        path = folder / name
        path.write_text("x")
        os.utime(path, (time.time() - age,) * 2)
    (folder / spool.BAD / "dir.evt").mkdir()
    os.utime(folder / spool.BAD / "dir.evt", (0, 0))
    ingest.tidy(folder)
    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert left == {"bad/new.evt", "new.part", "old.evt"}


def test_room_is_set_aside_once(tmp_path: Path) -> None:
    """For the moment in which the disk is full."""
    ingest.ensure_ballast(tmp_path)
    path = tmp_path / spool.BALLAST
    assert path.stat().st_size == spool.BALLAST_SIZE
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.stat().st_mtime_ns
    ingest.ensure_ballast(tmp_path)
    assert path.stat().st_mtime_ns == before


def test_a_disk_that_is_nearly_full_is_not_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room that hooks gave up is what the user's own work needs now."""
    usage = shutil.disk_usage(tmp_path)._replace(free=spool.BALLAST_SIZE * 2)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    ingest.ensure_ballast(tmp_path)
    assert list(tmp_path.iterdir()) == []
