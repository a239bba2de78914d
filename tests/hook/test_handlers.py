"""The events that answer: the context, the permission of our own tools, and the worker's care."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from backstory import instance, paths
from backstory.hook import spawn, wire
from backstory.storage import sqlite
from tests.support.home import Home, dump, event, tool, until

ALLOWED = "mcp__plugin_backstory_mem__"
READING = (
    "search",
    "timeline",
    "get_observations",
    "get_tool_uses",
    "smart_search",
    "smart_outline",
    "smart_unfold",
    "session_start_context",
    "important_workflow",
    "mem_search",
    "work_state_read",
)


def start(home: Home, session: str = "s2", source: str = "startup", **env: str) -> dict[str, Any]:
    """What a SessionStart in the project prints."""
    return home.says(
        event(
            "SessionStart",
            session_id=session,
            prompt_id=None,
            source=source,
            cwd=str(home.project),
        ),
        **env,
    )


def context(home: Home, **arguments: str) -> str:
    """What it adds to the session."""
    found = start(home, **arguments).get("hookSpecificOutput", {})
    assert found.get("hookEventName", "SessionStart") == "SessionStart"
    return str(found.get("additionalContext", ""))


def work(home: Home, session: str, words: str) -> None:
    """A turn that says something worth knowing."""
    own = {"session_id": session, "cwd": str(home.project), "prompt_id": f"p-{session}"}
    home.hook(event("UserPromptSubmit", prompt=f"Please look into {words}.", **own))
    home.hook(tool(f"toolu_{session}", "ls", **own))
    message = f"Decision: we use {words} because everything else was slower."
    home.hook(event("Stop", last_assistant_message=message, **own))


# --- with a worker that is well


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_the_next_session_knows_the_last_turn_at_once(served: Home, source: str) -> None:
    """C11, A2: no drain and no pause between the Stop and the start."""
    for number in range(3):
        words = f"{source}ish widgets number {number}"
        work(served, f"{source}-{number}", words)
        assert words in context(served, session=f"{source}-{number}", source=source)


def test_a_context_is_one_document_below_the_hosts_limit(served: Home) -> None:
    """A14: with 200 long titles."""
    work(served, "long", "long titles")
    served.drain()
    project = served.one("SELECT id FROM projects WHERE root = ?", str(served.project.resolve()))
    for number in range(200):
        body = {"content": f"{number} " + "word " * 150, "cwd": str(served.project)}
        served.ask("POST", "/api/memory", body)
    text = context(served)
    assert len(text) < 6_000
    assert "more: use mem_search" in text
    total = served.one("SELECT count(*) FROM observations WHERE project = ?", project)
    rows = [line for line in text.splitlines() if " discovery" in line or " decision" in line]
    assert f"{total - len(rows)} more: use mem_search." in text
    for row in rows:
        assert row.rsplit("~", 1)[1].isdecimal()
    assert "<backstory-memory>" not in served.hook(event("Stop")).stdout.decode()


def test_another_project_gets_nothing_of_it(served: Home, tmp_path: Path) -> None:
    """F10: and a folder without memory gets no context at all."""
    work(served, "mine", "private gadgets")
    payload = event("SessionStart", session_id="s9", source="startup", cwd=str(tmp_path))
    assert served.hook(payload).stdout == b""


def test_one_event_delivered_in_parallel_is_one_call(served: Home) -> None:
    """A16, E2: ten hooks with the same payload at once."""
    payload = tool("toolu_twice", session_id="twice", cwd=str(served.project))
    threads = [threading.Thread(target=served.hook, args=(payload,)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    served.drain()
    query = "SELECT count(*) FROM tool_uses WHERE tool_use_id = 'toolu_twice'"
    assert served.one(query) == 1


def test_nothing_is_written_into_the_project(served: Home) -> None:
    """I1: not a file, whatever happened in it."""
    assert list(served.project.iterdir()) == []


# --- our own tools


def permission(home: Home, name: str, cwd: str = "", **arguments: Any) -> str:
    """What PreToolUse decides."""
    payload = event(
        "PreToolUse",
        tool_name=name,
        tool_input=arguments,
        tool_use_id="toolu_1",
        cwd=cwd or str(home.project),
    )
    found = home.says(payload)
    return str(found.get("hookSpecificOutput", {}).get("permissionDecision", ""))


@pytest.mark.parametrize("name", READING)
def test_reading_this_projects_memory_runs_unasked(home: Home, name: str) -> None:
    """Exactly the tools that hooks.json names; the current project may be named."""
    assert permission(home, ALLOWED + name, query="x") == "allow"
    for own in ("shop", str(home.project.resolve()), f"path:{home.project.resolve()}", "", None):
        assert permission(home, ALLOWED + name, project=own) == "allow"
    assert permission(home, ALLOWED + name, projects=["shop"]) == "allow"


@pytest.mark.parametrize(
    "name",
    [
        ALLOWED + "save_memory",
        ALLOWED + "work_state_write",
        ALLOWED + "forget",
        ALLOWED + "search_and_destroy",
        ALLOWED,
        "mcp__plugin_evil_mem__search",
        "mcp__search",
        "Bash",
        "",
    ],
)
def test_everything_else_is_left_to_the_host(home: Home, name: str) -> None:
    """What writes is never let through."""
    assert permission(home, name) == ""


@pytest.mark.parametrize("tool_name", ["save_memory", "work_state_write"])
@pytest.mark.parametrize("way", ["environment", "command", "excluded"])
def test_nothing_is_written_of_what_is_kept_out(home: Home, way: str, tool_name: str) -> None:
    """Whatever the user's rules allow: the host is told no, and the model why."""
    env = {"BACKSTORY_INCOGNITO": "1"} if way == "environment" else {}
    if way == "command":
        home.says(event("UserPromptSubmit", prompt="/backstory:incognito"))
    elif way == "excluded":
        home.data.mkdir(mode=0o700, exist_ok=True)
        facts = {"excluded_projects": [str(home.project)], "skipped_tools": []}
        (home.data / paths.HOOK_FACTS).write_bytes(dump(facts))
    payload = event(
        "PreToolUse",
        tool_name=ALLOWED + tool_name,
        tool_input={"task": "zqcanary"},
        tool_use_id="toolu_1",
        cwd=str(home.project),
    )
    answer = home.says(payload, **env)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "nothing was written" in answer["permissionDecisionReason"]
    assert home.holds("zqcanary") == []
    assert permission(home, ALLOWED + "work_state_read") == "allow"


@pytest.mark.parametrize(
    "arguments",
    [
        {"project": "other"},
        {"projects": ["other"]},
        {"projects": ["shop", "other"]},
        {"project": "shop", "projects": ["other"]},
        {"project": "", "projects": ["other"]},
        {"projects": "other"},
        {"projects": '["other"]'},
        {"project": ["other"]},
        {"project": 7},
        {"project": 0},
        {"project": {"a": 1}},
        {"project": "Shop"},
        {"project": "shop "},
    ],
)
def test_another_project_is_not_read_unasked(home: Home, arguments: dict[str, Any]) -> None:
    """By name, in a list, beside the own one, or in any other shape."""
    assert permission(home, ALLOWED + "search", **arguments) == ""


def test_a_key_spelt_with_escapes_is_the_same_key(home: Home) -> None:
    """The worker will read it so."""
    head = b'{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"%s",'
    head %= (str(home.project).encode(), (ALLOWED + "search").encode())
    done = home.hook(None, stdin=head + b'"tool_input":{"\\u0070roject":"other"}}')
    assert done.stdout == b""


# --- when the worker is not well


def test_the_first_event_starts_a_worker(ready: Home) -> None:
    """Detached; what came before it is taken in."""
    work(ready, "s1", "first things")
    until(lambda: instance.health(ready.data, 1.0), "the worker answers")
    until(lambda: not ready.waiting(), "the spool is empty")
    assert "first things" in context(ready)


def test_without_a_worker_the_context_comes_from_the_database(ready: Home) -> None:
    """It is read straight from SQLite, after kill -9 too."""
    ready.start()
    work(ready, "s1", "steady things")
    ready.drain()
    ready.kill()
    ready.make_runtime("exit 0")
    assert "steady things" in context(ready)


def test_a_stopped_worker_delays_one_start_and_is_replaced(ready: Home) -> None:
    """A2: alive by its pid and dead by its answers."""
    ready.start()
    work(ready, "s1", "hanging things")
    ready.drain()
    first = ready.pid
    os.kill(first, signal.SIGSTOP)
    try:
        assert "hanging things" in context(ready)
        assert (ready.data / paths.ASK_STAMP).exists()
        # the next ones do not even ask
        assert "hanging things" in context(ready)
        ready.hook(event("Stop"))
        until(lambda: ready.pid not in (0, first), "another worker is on record", 12)
        until(lambda: instance.health(ready.data, 1.0), "it answers")
    finally:
        for pid in {first, ready.pid} - {0}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    assert not (ready.data / paths.ASK_STAMP).exists()
    until(lambda: not ready.waiting(), "what came meanwhile is taken in")


@contextmanager
def listener(folder: Path, answer: bytes | None) -> Iterator[None]:
    """Something on the worker's socket that is no worker; None never answers."""
    before = Path.cwd()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(paths.SOCKET)
    os.chdir(before)
    sock.listen(8)
    ending = threading.Event()

    def serve() -> None:
        sock.settimeout(0.05)
        while not ending.is_set():
            try:
                client, _ = sock.accept()
            except TimeoutError:
                continue
            kept.append(client)
            if answer is not None:
                with suppress(OSError):  # who only looks whether somebody listens is gone again
                    client.recv(65536)
                    client.sendall(answer)
                client.close()

    kept: list[socket.socket] = []
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()
        for one in [sock, *kept]:
            one.close()


ANSWERS = [
    None,
    b"",
    b"garbage",
    b"HTTP/1.1 200 OK\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n\r\nnot json",
    b"HTTP/1.1 200 OK\r\n\r\n[1]",
    b"HTTP/1.1 500 x\r\n\r\n{}",
    b"HTTP/1.1 abc\r\n\r\n{}",
]


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_whatever_squats_on_the_socket_costs_no_more_than_a_moment(
    home: Home, answer: bytes | None
) -> None:
    """A1: exit 0, no output, and the event is kept."""
    with listener(home.data, answer):
        for name in ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact"):
            assert home.hook(event(name, prompt="x", source="startup")).stdout == b""
    assert len(home.waiting()) == 4


def test_events_that_a_silent_worker_leaves_waiting_are_told_of(home: Home) -> None:
    """At each start for as long as it lasts, and to the user alone; young events are no news."""
    with listener(home.data, None):
        assert start(home) == {}
        (home.data / paths.ASK_STAMP).unlink()
        old = home.data / paths.SPOOL / f"{time.time_ns() - 900 * 10**9:020d}-1.evt"
        old.write_bytes(b"backstory-spool 1\nat=1\n\n{}")
        for _ in range(2):  # unanswered, and in the quiet time after that
            said = start(home)
            assert "waiting for 15 minutes" in said["systemMessage"]
            assert "hookSpecificOutput" not in said


def test_a_squatted_socket_is_taken_back(ready: Home) -> None:
    """The worker's lock is what counts, not a name in a folder."""
    with listener(ready.data, None):
        ready.start()
    assert ready.pid


def test_a_worker_that_warns_is_heard(ready: Home) -> None:
    """D5: memory that is not saved is said at the next start."""
    ready.start()
    bad = ready.data / paths.SPOOL / "bad"
    bad.write_text("where a folder should be")
    ready.hook(None, stdin=b'{"session_id":7,"hook_event_name":"PostToolUse"}')
    until(lambda: ready.ask("GET", "/api/health")["status"] == "degraded", "it notices")
    said = start(ready)
    assert "not being saved" in said["systemMessage"]
    assert "Nothing is lost" in said["systemMessage"]
    bad.unlink()
    until(lambda: ready.ask("GET", "/api/health")["status"] == "ok", "it is well again")
    assert ready.waiting() == []
    assert "systemMessage" not in start(ready)


def test_a_database_from_the_future_is_told_and_left_alone(ready: Home) -> None:
    """Older code refuses it, says so at the next start, and keeps the events."""
    ready.data.mkdir()
    db = sqlite.open_writer(ready.data / paths.DATABASE)
    db.execute("DROP TABLE observations")
    db.execute(f"PRAGMA user_version = {sqlite.SCHEMA_VERSION + 1}")
    db.close()
    start(ready)
    until((ready.data / paths.WORKER_FAILURE).exists, "the worker says why")
    said = start(ready)
    assert f"schema {sqlite.SCHEMA_VERSION + 1}" in said["systemMessage"]
    assert "update the plugin" in said["systemMessage"]
    assert len(ready.waiting()) == 2
    until(lambda: not instance.is_locked(ready.data), "it has ended")


def test_settings_that_cannot_be_read_are_told(ready: Home) -> None:
    """A person wrote them; once they are mended the worker starts and the notice goes."""
    ready.data.mkdir()
    (ready.data / paths.SETTINGS).write_text("{nonsense")
    start(ready)
    until((ready.data / paths.WORKER_FAILURE).exists, "the worker says why")
    assert "settings.json cannot be read" in start(ready)["systemMessage"]
    (ready.data / paths.SETTINGS).write_text('{"provider": "rules"}')
    ready.start()
    assert "systemMessage" not in start(ready)


def test_a_damaged_database_is_replaced_and_told_once(ready: Home) -> None:
    """D7: loudly."""
    ready.data.mkdir()
    (ready.data / paths.DATABASE).write_bytes(b"this is not a database at all" * 300)
    ready.start()
    said = start(ready)
    assert "set aside as backstory.db.damaged-" in said["systemMessage"]
    assert "systemMessage" not in start(ready)
    assert list(ready.data.glob("backstory.db.damaged-*"))


def test_the_runtimes_state_is_told(home: Home) -> None:
    """A11: on stdout there is one JSON document, and the events are kept."""
    for folder in (home.user / ".local/share/backstory/runtime").iterdir():
        (folder / ".ready").unlink()
    root = home.user / ".local/share/backstory/runtime"
    from backstory import runtime

    name = runtime.name_for(runtime.LOCK, 0)
    (root / "failed").write_text(f"{name} {int(time.time())} no network here\n")
    said = start(home)
    assert "cannot install its runtime: no network here" in said["systemMessage"]
    assert len(home.waiting()) == 1


# --- versions


def test_versions_are_compared_as_numbers() -> None:
    """What is no version is never newer."""
    assert spawn.is_newer("0.10.0", "0.9.9")
    assert spawn.is_newer("1.0.0", "0.99")
    assert not spawn.is_newer("0.1.0", "0.1.0")
    for odd in ("", "x", "1.x", "²", "9" * 5_000 + "x"):
        assert not spawn.is_newer(odd, "0.1.0")


def test_the_newest_code_on_record_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that began before an update goes on with old code."""
    monkeypatch.chdir(tmp_path)
    own = paths.plugin_root()
    assert spawn.newest_root() == own
    spawn.record_root()
    assert Path(spawn.CODE_ROOT).read_text().splitlines()[1] == own
    newer = tmp_path / "newer"
    (newer / "plugin").mkdir(parents=True)
    Path(spawn.CODE_ROOT).write_text(f"99.0.0\n{newer}\n")
    assert spawn.newest_root() == own  # it is gone or not whole
    (newer / "plugin/launch.py").touch()
    assert spawn.newest_root() == str(newer)
    assert spawn.newest_root(str(newer.parent)) == own, "a project must not name code of its own"
    spawn.record_root()
    assert Path(spawn.CODE_ROOT).read_text().startswith("99.0.0")
    for broken in (b"", b"99.0.0", b"\xff\xfe\n\n", b"x\n/\n"):
        Path(spawn.CODE_ROOT).write_bytes(broken)
        assert spawn.newest_root() == own


def test_the_workers_environment_is_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A project's settings can put any variable into our hooks: none of these goes on."""
    for name in ("PYTHONPATH", "LD_PRELOAD", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "IFS"):
        monkeypatch.setenv(name, "x")
    evil = tmp_path / "node_modules/.bin"
    monkeypatch.setenv("PATH", f"/usr/bin:relative:{evil}:{tmp_path}::/bin")
    monkeypatch.setenv("HOME", "/u")
    built = spawn.environment(str(tmp_path))
    assert set(built) <= {*spawn.KEPT, "PATH"}
    assert built["PATH"] == "/usr/bin:/bin"
    assert built["HOME"] == "/u"
    monkeypatch.setenv("PATH", "relative")
    assert built["PATH"].startswith("/usr")
    assert spawn.environment("")["PATH"] == "/usr/local/bin:/usr/bin:/bin"


# --- the question over the socket


def test_a_question_that_goes_unanswered_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For half a minute; a CLI's question is not."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(wire.Absent):
        wire.ask("GET", "/", timeout=0.2)
    assert not wire.is_listening()
    assert not wire.is_quiet_time()
    with listener(tmp_path, None):
        assert wire.is_listening()
        with pytest.raises(wire.Unanswered):
            wire.ask("GET", "/", timeout=0.1, stamp=False)
        assert not wire.is_quiet_time()
        with pytest.raises(wire.Unanswered):
            wire.ask("GET", "/", timeout=0.1)
        assert wire.is_quiet_time()
    old = time.time() - wire.QUIET_S - 1
    os.utime(paths.ASK_STAMP, (old, old))
    assert not wire.is_quiet_time()
    os.utime(paths.ASK_STAMP, (time.time() + 9_999,) * 2)  # a clock that was set back
    assert not wire.is_quiet_time()


def test_a_tools_name_in_the_calls_own_words_is_not_the_tools(home: Home) -> None:
    """Whatever stands first in the bytes: only the payload's own name counts."""
    own = "mcp__plugin_backstory_mem__search"
    call = {"tool_input": {"tool_name": own}, **event("PreToolUse", tool_name="Bash")}
    assert "permissionDecision" not in str(home.says(call))


@pytest.mark.parametrize("facts", ["garbage", "null", "[]", '{"excluded_projects": 5}'])
def test_a_start_says_that_nothing_is_kept_and_why(home: Home, facts: str) -> None:
    """What the user keeps out of memory cannot be told then, so nothing goes in."""
    home.data.mkdir()
    (home.data / paths.HOOK_FACTS).write_text(facts)
    assert "backstory restart" in start(home)["systemMessage"]
    assert home.waiting() == []


def test_a_long_list_of_excluded_projects_is_read_whole(home: Home) -> None:
    """Two thousand folders, the last of which counts."""
    home.data.mkdir()
    folders = [f"/elsewhere/{number:040}" for number in range(2_000)]
    facts = {"excluded_projects": [*folders, str(home.project)], "skipped_tools": []}
    (home.data / paths.HOOK_FACTS).write_bytes(dump(facts))
    home.hook(tool("toolu_1", cwd=str(home.project)))
    assert home.waiting() == []
