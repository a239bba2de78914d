"""Looking after the worker: running, stopped, hung, squatted, unable."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import threading
from contextlib import closing, suppress

import pytest

from backstory import instance, paths
from backstory.cli.distiller import awaited
from backstory.cli.service import drained_text
from tests.cli.conftest import Person, turn
from tests.support.home import event, until
from tests.support.model_api import ModelApi, fails


def test_start_and_stop_can_be_called_twice(person: Person) -> None:
    """A4: the second call finds things as it wants them."""
    assert "the worker runs" in person.ok("start")
    first = person.home.pid
    assert "the worker runs" in person.ok("start")
    assert person.home.pid == first
    assert person.run("status").code == 0
    assert person.ok("stop") == "the worker has stopped\n"
    assert person.home.pid == 0
    assert person.ok("stop") == "no worker was running\n"
    assert person.run("status", "--json").json["status"] == "stopped"


def test_a_restart_is_another_worker(person: Person) -> None:
    """Also where none ran."""
    person.ok("restart")
    first = person.home.pid
    person.ok("restart", "--json")
    assert person.home.pid not in (0, first)


def test_a_hung_worker_is_named_and_replaced(person: Person) -> None:
    """A2, A5: alive is what answers; `start` replaces what does not."""
    person.ok("start")
    hung = person.home.pid
    os.kill(hung, signal.SIGSTOP)
    told = person.run("status")
    assert told.code == 2
    assert f"(pid {hung}) does not answer" in told.out
    person.ok("start")
    assert person.home.pid not in (0, hung)
    assert person.run("status").code == 0


def test_a_hung_worker_can_be_stopped(person: Person) -> None:
    """It is ended by force."""
    person.ok("start")
    os.kill(person.home.pid, signal.SIGSTOP)
    assert person.ok("stop") == "the worker has stopped\n"
    assert person.home.pid == 0


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\n\r\n[1]", b"hello"])
def test_a_squatted_socket_is_no_worker(person: Person, answer: bytes) -> None:
    """A1: it is told from a worker, and its place is taken."""
    person.make_folder()
    with closing(socket.socket(socket.AF_UNIX)) as squatter:
        with instance.at_home(person.home.data):
            squatter.bind(paths.SOCKET)
        squatter.listen()
        threading.Thread(target=serve, args=(squatter, answer), daemon=True).start()
        assert person.run("status").code == 3
        told = person.run("doctor")
        assert told.code == 2
        assert "something else listens" in told.out
        person.ok("start")
        assert person.run("status").code == 0
        squatter.shutdown(socket.SHUT_RDWR)


def serve(squatter: socket.socket, answer: bytes) -> None:
    """Says the same to everybody, until the socket is closed."""
    with suppress(OSError):
        while True:
            connection, _ = squatter.accept()
            with closing(connection), suppress(OSError):
                connection.recv(1 << 16)
                connection.sendall(answer)


def test_why_a_worker_cannot_start_is_told_at_once(person: Person) -> None:
    """Not after twenty seconds of waiting; once it is mended it starts."""
    person.make_folder()
    path = person.home.data / paths.SETTINGS
    path.write_text('{"idle_minutes": 0}')
    said = person.fails("start")
    assert "could not start: setting idle_minutes takes" in said
    path.unlink()
    assert "could not start" in person.run("status").out
    person.ok("start")
    assert person.run("status").code == 0


def test_a_worker_that_ends_at_once_is_not_waited_for(person: Person) -> None:
    """Here its interpreter does not run; the log tells more."""
    person.home.make_runtime("exit 9")
    assert "the worker did not start" in person.fails("start")


def test_a_data_directory_that_is_read_only_is_told(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading goes on; what writes says why it cannot."""
    person.ok("save", "the mauve rule")
    person.ok("stop")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "mauve" in person.ok("search", "mauve")
    for arguments in (["start"], ["save", "x"], ["drain"]):
        assert f"{person.home.data}: it cannot be written" in person.fails(*arguments)


def test_drain_finishes_a_session_without_its_stop(person: Person) -> None:
    """What the host never ended is distilled as it is."""
    person.record(*turn("papaya")[:-1])
    assert person.ok("drain") == "everything captured is stored and distilled\n"
    assert person.home.one("SELECT count(*) FROM observations") > 0
    assert person.home.waiting() == []
    assert person.run("drain", "--json").json == {
        "drained": True,
        "given_up": 0,
        "waiting_for_model": 0,
    }


def test_drain_tells_what_waits_for_a_model(person: Person) -> None:
    """Here it is paused: its key is refused."""
    with ModelApi(lambda _: fails(401, "no such key")) as api:
        values = {"provider": "openai", "base_url": f"{api.url}/v1", "model": "small-1"}
        for name, value in values.items():
            person.ok("settings", name, value)
        person.record(*turn("papaya"))
        text = person.ok("drain")
        start = "everything captured is stored and distilled by rules; 1 turn waits for openai ("
        assert text.startswith(f"{start}paused until 20")
        assert "UTC: " in text
        found = person.run("drain", "--json").json
        assert found == {"drained": True, "given_up": 0, "waiting_for_model": 1}
        person.ok("settings", "daily_input_tokens", "0")
        assert f"{start}today's cap is reached)" in person.ok("drain")


def test_a_drain_in_words() -> None:
    """What waits and what was given up, each alone and together."""
    done = "everything captured is stored"
    assert (
        drained_text(0, 2, "a model") == f"{done} and distilled by rules; 2 turns wait for a model"
    )
    assert drained_text(3, 0, "") == f"{done}; 3 jobs were given up: --requeue tries them"
    assert drained_text(3, 1, "openai") == (
        f"{done}; 1 turn waits for openai; 3 jobs were given up: --requeue tries them"
    )


def test_why_a_model_is_awaited() -> None:
    """By what the worker says of it."""
    assert awaited({"provider": "rules", "note": "no key"}) == "a model (no key)"
    assert awaited({"provider": "openai", "note": "host", "reason": "told first"}) == (
        "openai (told first)"
    )
    assert awaited({"provider": "openai", "state": "ready", "reason": "was slow"}) == "openai"


def test_drain_says_what_still_waits_when_its_time_is_over(person: Person) -> None:
    """D8: here another program holds the database locked."""
    person.ok("start")
    with closing(sqlite3.connect(person.home.data / paths.DATABASE)) as locking:
        locking.isolation_level = None
        locking.execute("BEGIN IMMEDIATE")
        person.record(event("UserPromptSubmit", prompt="wait"))
        done = person.run("drain", "--timeout", "0.2")
        assert done.code == 1
        assert "1 events and" in done.err
        assert "still waiting after 0.2 s" in done.err
        locking.execute("ROLLBACK")
    person.ok("drain")
    assert person.home.one("SELECT text FROM prompts") == "wait"


def test_jobs_that_were_given_up_can_be_tried_again(person: Person) -> None:
    """D4: they are told, and `--requeue` opens them."""
    person.remember(*turn("quince"))
    person.ok("stop")
    with closing(sqlite3.connect(person.home.data / paths.DATABASE)) as db:
        db.execute("UPDATE jobs SET state = 'dead', attempts = 9, error = 'x'")
        db.commit()
    assert "1 jobs were given up: --requeue" in person.ok("drain")
    assert "`backstory drain --requeue`" in person.run("doctor").out
    assert person.run("drain", "--requeue", "--json").json["given_up"] == 0
    states = "SELECT DISTINCT state FROM jobs WHERE kind = 'rules'"
    assert person.home.rows(states) == [("done",)]


@pytest.mark.parametrize("name", ["python", "test", "link", "uninstall"])
def test_what_the_launcher_answers_says_so(person: Person, name: str) -> None:
    """These run without the package."""
    done = person.run(name)
    assert done.code == 1
    assert "plugin/launch.py" in done.err


def test_mcp_alone_says_what_it_is_for(person: Person) -> None:
    """Claude Code starts its server by itself."""
    done = person.run("mcp")
    assert done.code == 64
    assert "--direct" in done.err


def test_a_worker_that_was_killed_leaves_no_trace_that_matters(person: Person) -> None:
    """A5: a pid on record that is another process, or none, is no worker."""
    person.ok("start")
    person.home.kill()
    assert person.run("status").code == 3
    instance.write_facts(person.home.data, {"started": "another time"})
    assert person.run("status").code == 3
    assert person.ok("stop") == "no worker was running\n"
    person.ok("start")
    until(lambda: person.run("status").code == 0, "the worker is well")
