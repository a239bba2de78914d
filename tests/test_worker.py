"""The worker as a process: one at a time, whatever ends it, and nothing lost when it does."""

from __future__ import annotations

import asyncio
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from backstory import config, instance, paths, worker
from backstory.errors import Unavailable
from backstory.hook import spawn
from backstory.storage import sqlite
from tests.support.home import ROOT, Home, a_home, dump, event, tool, until


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A user without a worker yet."""
    with a_home(tmp_path) as found:
        yield found


def turn(home: Home, number: int, session: str = "s1") -> None:
    """A turn with one call, through the real hooks."""
    own = {"session_id": session, "prompt_id": f"p{number}", "cwd": str(home.project)}
    home.hook(event("UserPromptSubmit", prompt=f"Look into matter {number}.", **own))
    home.hook(tool(f"toolu_{session}_{number}", **own))
    said = f"Decision: matter {number} stays as it is because nobody uses it."
    home.hook(event("Stop", last_assistant_message=said, **own))


# --- one at a time


def test_starting_again_changes_nothing(home: Home) -> None:
    """A4: the second start finds the first."""
    home.start()
    first = home.pid
    found = instance.start(home.data)
    assert found["status"] == "ok"
    for _ in range(3):
        assert home.spawn().wait(20) == 0
    assert home.pid == first
    assert instance.health(home.data)


def test_workers_that_start_together_are_one(home: Home) -> None:
    """The lock decides; the others end well."""
    home.data.mkdir(mode=0o700)
    children = [home.spawn() for _ in range(4)]
    until(lambda: instance.health(home.data, 1.0), "one answers")
    winner = home.pid
    for child in children:
        if child.pid != winner:
            assert child.wait(30) == 0
    assert winner in [child.pid for child in children]
    assert instance.health(home.data)


@pytest.mark.parametrize("pid", [1, 999_999_999, "own", "x", None, -1])
def test_a_record_that_names_another_process_is_no_worker(home: Home, pid: object) -> None:
    """A5: dead, reused or nonsense; it is never signalled, and a worker starts."""
    home.data.mkdir(mode=0o700)
    values = {"pid": os.getpid() if pid == "own" else pid, "started": "1", "port": 1, "token": "x"}
    instance.write_facts(home.data, values)
    assert instance.recorded_pid(home.data) is None
    assert instance.stop(home.data) is False
    home.start()
    assert home.pid not in (0, os.getpid())


def test_stopping_leaves_nothing_behind(home: Home) -> None:
    """Twice is fine; the socket is gone, the lock is free."""
    home.start()
    child = home.children[0]
    assert instance.stop(home.data) is True
    assert child.wait(10) == 0
    assert instance.stop(home.data) is False
    assert not (home.data / paths.SOCKET).exists()
    assert not instance.is_locked(home.data)
    with pytest.raises(Unavailable, match="no worker is running"):
        home.ask("GET", "/api/health")


def test_a_stopped_process_can_be_ended(home: Home) -> None:
    """It answers neither the question nor SIGTERM."""
    home.start()
    os.kill(home.pid, signal.SIGSTOP)
    assert instance.health(home.data, 0.3) is None
    assert instance.stop(home.data, patience=0.5) is True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_order(home: Home, number: signal.Signals) -> None:
    """With the database closed: its WAL is folded in."""
    home.start()
    turn(home, 1)
    home.drain()
    os.kill(home.pid, number)
    assert home.children[0].wait(10) == 0
    wal = home.data / f"{paths.DATABASE}-wal"
    assert not wal.exists() or wal.stat().st_size == 0
    assert home.one("SELECT count(*) FROM tool_uses") == 1


def test_it_survives_its_terminal(home: Home) -> None:
    """A8: a hook's terminal closes, the session's process group gets SIGHUP."""
    home.make_runtime()
    hook = [sys.executable, "-I", "-S", "-B", str(ROOT / "hooks/on_event.py")]
    line = f'printf \'{{"session_id":"s1","cwd":"/","hook_event_name":"Stop"}}\' | {" ".join(hook)}'
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve("/bin/sh", ["sh", "-c", f"{line}; sleep 60"], home.environment())
    until(lambda: instance.health(home.data, 1.0), "the worker answers")
    os.close(terminal)  # the kernel sends SIGHUP to whoever sits at it
    os.waitpid(pid, 0)
    found = home.pid
    assert os.getsid(found) == found
    os.kill(found, signal.SIGHUP)
    assert instance.health(home.data)
    assert home.pid == found


def test_an_end_in_the_middle_of_a_question_costs_nothing(home: Home) -> None:
    """The question goes unanswered, the events are kept, the next worker takes them in."""
    home.start()
    stop = threading.Thread(target=instance.stop, args=(home.data,))
    stop.start()
    for number in range(5):
        turn(home, number)
        home.hook(event("SessionStart", source="startup", cwd=str(home.project)))
    stop.join()
    home.start()
    home.drain()
    assert home.one("SELECT count(*) FROM tool_uses") == 5


def test_a_removed_data_directory_is_not_made_again(home: Home) -> None:
    """B4: uninstalling while it runs."""
    home.start()
    assert instance.is_locked(home.data)
    while home.data.exists():  # the worker may write in between
        shutil.rmtree(home.data, ignore_errors=True)
    assert home.children[0].wait(40) == 0
    assert not home.data.exists()


# --- versions and idleness


def test_it_makes_way_for_newer_code(home: Home) -> None:
    """After its answer; older and equal versions ask in vain."""
    home.start()
    for version in ("0.0.1", "0.1.0", "", "x", "%C2%B2"):
        home.ask("POST", f"/api/flush?version={version}")
        assert home.ask("GET", "/api/health")
    turn(home, 1)
    answer = home.ask("POST", "/api/flush?version=9.9.9")
    assert answer["warning"] == ""
    assert home.children[0].wait(10) == 0
    assert home.waiting() == []


def test_it_puts_its_code_on_record(home: Home) -> None:
    """So that sessions with older code start this one."""
    home.start()
    text = (home.data / spawn.CODE_ROOT).read_text().splitlines()
    assert text[1] == str(ROOT)
    assert home.ask("GET", "/api/status")["root"] == str(ROOT)


def in_process(home: Path, **values: object) -> worker.Worker:
    """A worker in this process, whose settings may be out of bounds."""
    paths.make_private_dir(str(home))
    settings = config.load(home)
    settings.values.update(values)
    return worker.Worker(settings)


def serve(one: worker.Worker, seconds: float = 20.0) -> None:
    """Serves until it ends by itself."""
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    with instance.at_home(one.settings.home):
        try:
            asyncio.run(asyncio.wait_for(one.serve(), seconds))
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)


def test_an_idle_worker_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B3: after so many minutes without a call, an event or anything waiting."""
    monkeypatch.setattr(worker, "HOUSEKEEPING_S", 0.05)
    one = in_process(tmp_path / "data", idle_minutes=0)
    serve(one)
    assert not one.database.writer_alive
    assert not (tmp_path / "data" / paths.SOCKET).exists()


def test_indexes_of_code_that_nobody_asks_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """90 days after their last use."""
    monkeypatch.setattr(worker, "HOUSEKEEPING_S", 0.05)
    one = in_process(tmp_path / "data", idle_minutes=0)
    folder = tmp_path / "data" / paths.CODE
    folder.mkdir(mode=0o700)
    for name in ("0123.db", "0123.lock", "0123.used"):
        (folder / name).touch()
        os.utime(folder / name, (0, 0))
    serve(one)
    assert list(folder.iterdir()) == []


def test_a_worker_whose_code_is_gone_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a marketplace was moved: what it has not imported yet, it never could."""
    monkeypatch.setattr(worker, "HOUSEKEEPING_S", 0.05)
    one = in_process(tmp_path / "data")
    monkeypatch.setattr(paths, "plugin_root", lambda: str(tmp_path / "gone"))
    serve(one)
    assert not (tmp_path / "data" / paths.SOCKET).exists()


def test_events_keep_it_awake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session whose hooks only write to the spool is work too."""
    monkeypatch.setattr(worker, "HOUSEKEEPING_S", 0.05)
    one = in_process(tmp_path / "data", idle_minutes=0.005)
    (tmp_path / "data/spool/00000000000000000001-1.evt").write_bytes(b"")
    monkeypatch.setattr(one.pump, "run", lambda *_: False)  # takes nothing in
    with pytest.raises(TimeoutError):
        serve(one, 1.0)


# --- loops and health


def test_a_loop_survives_whatever_happens_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D5: an error nobody thought of is not the end of capturing, and health tells of it."""
    monkeypatch.setattr(worker, "HOUSEKEEPING_S", 0.05)
    monkeypatch.setattr(worker, "RETRY_S", (0.05, 0.1))
    monkeypatch.setattr(worker, "POLL_S", 0.05)
    one = in_process(tmp_path / "data")
    original, calls = one.pump.run, []

    def failing(db: object, seconds: float) -> bool:
        calls.append(seconds)
        if len(calls) < 4:
            raise KeyError("captured text")
        one.stop()
        return original(db, seconds)  # type: ignore[arg-type]

    monkeypatch.setattr(one.pump, "run", failing)
    monkeypatch.setattr(one.pump, "housekeeping", lambda db: 1 / 0)
    serve(one)
    assert len(calls) >= 4


def test_health_answers_while_much_is_taken_in(home: Home) -> None:
    """A7: no question waits behind a pass, and a hook's flush comes back within its time."""
    home.start()
    words = " ".join(f"word{n}" for n in range(3_000))
    folder = home.data / paths.SPOOL
    for number in range(300):
        payload = tool(f"toolu_{number}", f"step {number}", tool_response={"stdout": words})
        name = f"{time.time_ns():020d}-{number}"
        (folder / f"{name}.part").write_bytes(b"backstory-spool 1\nat=1\n\n" + dump(payload))
        (folder / f"{name}.part").rename(folder / f"{name}.evt")
    while home.waiting():
        assert home.ask("GET", "/api/health")["status"] == "ok"
        # busy or not, the answer to a hook comes from the loop and not from the pass
        assert home.ask("POST", "/api/flush?seconds=0")["more"] in (True, False)
        time.sleep(0.02)
    assert home.one("SELECT count(*) FROM tool_uses") == 300


def test_a_database_damaged_under_a_worker_ends_it_and_begins_anew(tmp_path: Path) -> None:
    """D7: the events wait for the next one, which sets the damaged file aside and tells of it."""
    first = in_process(tmp_path / "data")
    path = tmp_path / "data" / paths.DATABASE

    def forget_pages(db: sqlite3.Connection) -> None:
        db.execute("PRAGMA cache_size = 0")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    first.database.write(forget_pages)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    waiting = tmp_path / "data/spool/00000000000000000001-1.evt"
    waiting.write_bytes(b"backstory-spool 1\nat=1\n\n" + dump(tool("toolu_1")))
    serve(first)
    assert waiting.exists()
    second = in_process(tmp_path / "data")
    assert "set aside as backstory.db.damaged-" in second.notices.once
    assert second.database.write(lambda db: second.pump.run(db, 5.0)) is False
    assert not waiting.exists()
    query = "SELECT count(*) FROM tool_uses"
    assert second.database.read(lambda db: db.execute(query).fetchone()) == (1,)
    second.database.close()


# --- kill -9


def test_a_worker_killed_between_claim_and_rows_is_continued(home: Home) -> None:
    """D1: by the next one, at once, for every session."""
    home.start()
    turn(home, 1, "s1")
    turn(home, 2, "s2")
    home.drain()
    home.kill()
    db = sqlite.open_writer(home.data / paths.DATABASE)
    db.execute("DELETE FROM observations")
    db.execute("UPDATE jobs SET state = 'leased', leased_until = 9e15, attempts = 1")
    db.close()
    home.start()
    home.drain()
    assert home.rows("SELECT state FROM jobs") == [("done",), ("done",)]
    assert home.one("SELECT count(DISTINCT session) FROM observations") == 2


SENDER = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
os.chdir(sys.argv[2])
from backstory.storage import spool
from tests.support.home import dump, tool
for number in range(int(sys.argv[4])):
    payload = dump(tool(f"toolu_{sys.argv[3]}_{number}", f"step {number}", session_id=sys.argv[3]))
    for _ in range(2):
        spool.write("spool", [payload])
    time.sleep(0.003)
"""


@pytest.mark.slow
def test_two_thousand_events_of_four_sessions_survive_a_worker_killed_every_second(
    home: Home,
) -> None:
    """D1, D2, A16, E2: each delivered twice, each stored once."""
    home.make_runtime()
    home.start()
    code = ["-c", SENDER]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/src:{ROOT}"}
    senders = [
        subprocess.Popen(
            [sys.executable, *code, str(ROOT), str(home.data), f"s{n}", "500"], env=env
        )
        for n in range(4)
    ]
    kills = 0
    while kills < 5 or any(sender.poll() is None for sender in senders):
        time.sleep(1)
        if home.pid:
            with suppress(ProcessLookupError):
                os.kill(home.pid, signal.SIGKILL)
            kills += 1
        home.hook(event("UserPromptSubmit", prompt="go on", session_id="s0"))
    assert [sender.wait(60) for sender in senders] == [0] * 4
    home.end()
    home.start()
    home.drain()
    assert home.one("SELECT count(*) FROM tool_uses") == 2_000
    assert home.one("SELECT count(*) FROM tool_io") == 2_000
    assert home.one("SELECT count(*) FROM jobs WHERE state <> 'done'") == 0
    assert list((home.data / paths.SPOOL / "bad").glob("*")) == []
    assert home.rows("PRAGMA integrity_check") == [("ok",)]


# --- secrets and private text on their whole way


def test_private_text_is_in_no_file_at_any_moment(home: Home) -> None:
    """G1, G2: after the hooks, after taking in, after distilling, and when the worker is gone."""
    canary = "zqprivateword"
    hidden = f"<private>{canary}</private>"
    own = {"session_id": "s1", "cwd": str(home.project)}
    home.hook(event("UserPromptSubmit", prompt=f"Use {hidden} for the login.", **own))
    home.hook(tool("toolu_1", f"echo '{hidden}'", tool_response={"stdout": hidden}, **own))
    edit = {"file_path": f"{home.project}/a.py", "old_string": "x", "new_string": f"y {hidden}"}
    done = {"filePath": edit["file_path"], "originalFile": f"x {hidden}", "structuredPatch": []}
    home.hook(
        event(
            "PostToolUse",
            tool_name="Edit",
            tool_use_id="toolu_2",
            tool_input=edit,
            tool_response=done,
            **own,
        )
    )
    home.hook(event("Stop", last_assistant_message=f"Done with {hidden} because asked.", **own))
    assert home.holds(canary) == []
    home.start()
    until(lambda: home.holds(canary) or not home.waiting(), "taken in")
    assert home.holds(canary) == []
    home.drain()
    assert home.one("SELECT count(*) FROM tool_uses") == 2
    assert home.holds(canary) == []
    home.end()
    assert home.holds(canary) == []


def test_secrets_are_in_no_file_once_it_has_drained(home: Home) -> None:
    """G4: the spool may hold them for the minutes until then."""
    secret = "ghp_" + "z9Q8" * 9
    own = {"session_id": "s1", "cwd": str(home.project)}
    home.hook(event("UserPromptSubmit", prompt=f"The token is {secret}.", **own))
    home.hook(tool("toolu_1", f"curl -H 'Authorization: Bearer {secret}'", **own))
    home.hook(
        None, stdin=b'{"hook_event_name":"PostToolUse","session_id":7,"x":"' + secret.encode()
    )
    home.hook(event("Stop", last_assistant_message=f"I used {secret} because you said so.", **own))
    assert home.holds(secret)
    home.start()
    home.drain()
    assert home.one("SELECT count(*) FROM tool_uses") == 1
    assert home.holds(secret) == []


def test_one_that_finds_another_well_does_not_wait_for_its_end(home: Home) -> None:
    """Else it would take over from the one that is stopped in that moment."""
    home.start()
    late = home.spawn()
    assert late.wait(20) == 0
    stragglers = [home.spawn() for _ in range(3)]
    until(lambda: all(one.poll() is not None for one in stragglers), "they leave")
    assert instance.stop(home.data) is True
    assert not instance.is_locked(home.data)
