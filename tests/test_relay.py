"""The relay as the host sees it: real processes, JSON-RPC by hand and through the SDK's client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.tools.catalogue import TOOLS
from tests.support.relay import ROOT, Host, Place, text_of, wait_until
from tests.tools.conftest import Memory, fill

NAMES = [tool.name for tool in TOOLS]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A plugin whose runtime is ready, and no worker."""
    return Place(tmp_path)


@pytest.fixture
def memory(place: Place) -> Memory:
    """A filled memory of the project that the relay works for, and of another."""
    return fill(place.data, place.project, place.project.parent / "lamp")


@pytest.fixture
def host(place: Place, memory: Memory) -> Iterator[Host]:
    """A relay with a live worker behind it."""
    with place.worker(), place.relay() as host:
        yield host


def test_it_answers_the_handshake_itself(place: Place) -> None:
    """The newest host asks server/discover first and must hear at once that it is unknown."""
    with place.relay() as host:
        assert host.ask("server/discover")["error"]["code"] == -32601
        answer = host.ask("initialize", protocolVersion="2025-06-18", capabilities={})["result"]
        assert answer["protocolVersion"] == "2025-06-18"
        assert answer["capabilities"] == {"tools": {"listChanged": False}}
        assert answer["serverInfo"]["name"] == "backstory"
        assert 0 < len(answer["instructions"]) <= 2_000
        host.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert host.ask("ping")["result"] == {}
        assert [tool["name"] for tool in host.ask("tools/list")["result"]["tools"]] == NAMES
        assert host.ask("no/such/method")["error"]["code"] == -32601
        assert host.leave() == 0
    assert not place.data.exists(), "nothing was asked of the memory yet"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25", "1999-01-01", None])
def test_a_protocol_that_it_does_not_know_is_answered_with_the_newest(
    place: Place, version: str | None
) -> None:
    """The host decides then."""
    with place.relay() as host:
        answer = host.ask("initialize", protocolVersion=version)["result"]
        known = {"2024-11-05", "2025-11-25"}
        assert answer["protocolVersion"] == (version if version in known else "2025-11-25")


def test_what_is_no_message_is_answered_and_the_next_one_served(place: Place) -> None:
    """Broken lines, odd values and batches of older protocols."""
    with place.relay() as host:
        host.send_bytes(b'{"jsonrpc": "2.0", "id": 1, "meth\n')
        assert host.read()["error"]["code"] == -32700
        host.send_bytes(b"\xff\xfe\x00\n")
        assert host.read()["error"]["code"] == -32700
        host.send_bytes(b"[" * 100_000 + b"\n")
        assert host.read()["error"]["code"] == -32700
        odds: tuple[object, ...] = (5, "text", None, [])
        for odd in odds:
            host.send(odd)
            assert host.read()["error"]["code"] == -32600
        host.send_bytes(b"\n\r\n")
        ping = {"jsonrpc": "2.0", "method": "ping"}
        host.send([{**ping, "id": "a"}, ping, {**ping, "id": 2}, 7])
        answers = host.read()
        assert [answer["id"] for answer in answers] == ["a", 2, None]
        assert answers[2]["error"]["code"] == -32600
        host.send_bytes(json.dumps({**ping, "id": 9}).encode())
        assert host.process.stdin is not None
        host.process.stdin.close()
        assert host.read()["id"] == 9, "the last line needs no end"


def test_every_tool_answers_through_it(host: Host, memory: Memory) -> None:
    """F14: each of them against the real worker, text only, never empty, never HTML."""
    arguments: dict[str, dict[str, Any]] = {
        "mem_search": {"query": "rounding"},
        "get_observations": {"ids": [memory.ours]},
        "get_tool_uses": {"ids": "toolu_cart"},
        "save_memory": {"content": "Words to keep."},
        "work_state_write": {"task": "Round the cart"},
        "smart_search": {"query": "Cart"},
        "smart_outline": {"file_path": "cart.py"},
        "smart_unfold": {"file_path": "cart.py", "symbol_name": "Cart.total"},
    }
    code = "class Cart:\n    def total(self):\n        return 0\n"
    (Path(memory.shop) / "cart.py").write_text(code, encoding="utf-8")
    for name in NAMES:
        text, failed = host.call(name, **arguments.get(name, {}))
        assert not failed, (name, text)
        assert "<html" not in text.lower()
    text, failed = host.call("search", query="rounding")
    assert "Fixed rounding in cart.total" in text
    text, failed = host.call("smart_unfold", file_path="cart.py", symbol_name="total")
    assert text.endswith("2\t    def total(self):\n3\t        return 0")
    assert "bulb" not in text


def test_errors_come_as_results_that_say_what_to_do(host: Host, memory: Memory) -> None:
    """F8, F10, F13: a model can mend its call."""
    for name, arguments, words in (
        ("search", {"date_from": "2026-07-10"}, "did you mean dateStart?"),
        ("get_observations", {}, "ids: got nothing"),
        ("get_observations", {"ids": [memory.theirs]}, "another project"),
        ("serch", {}, "did you mean search?"),
    ):
        text, failed = host.call(name, **arguments)
        assert failed
        assert words in text
    answer = host.ask("tools/call", name="search", arguments="none")
    assert "error" in answer or text_of(answer)[1]
    assert host.call("search")[1] is False


def test_every_script_and_half_characters_pass(place: Place, memory: Memory) -> None:
    """B9: bytes in, UTF-8 out, whatever encoding the environment names."""
    with place.worker(), place.relay(PYTHONIOENCODING="cp1252", LC_ALL="C") as host:
        request = {"name": "save_memory", "arguments": {"content": "поиск 検索 😀 \ud83d end"}}
        message = {"jsonrpc": "2.0", "id": "п", "method": "tools/call", "params": request}
        host.send_bytes(json.dumps(message, ensure_ascii=True).encode() + b"\n")
        answer = host.read()
        assert answer["id"] == "п"
        assert not text_of(answer)[1], answer
        line = json.dumps({"query": "поиск"}, ensure_ascii=False)
        message["params"] = {"name": "search", "arguments": json.loads(line)}
        host.send_bytes(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        raw = host.line()
        assert "поиск 検索 😀" in raw.decode("utf-8")
        raw_bytes = b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search",'
        host.send_bytes(raw_bytes + b'"arguments":{"query":"caf\xe9"}}}\n')
        assert host.read()["id"] == 3


def test_calls_run_side_by_side_and_answers_never_mix(host: Host) -> None:
    """K12: one line an answer, each with its own id."""
    host.call("search")
    for number in range(40):
        request = {"name": "search", "arguments": {"query": f"word{number}"}}
        host.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": request})
    answers = {}
    for _ in range(40):
        answer = host.read()
        answers[answer["id"]] = text_of(answer)[0]
    assert all(f'"word{number}"' in answers[number] for number in range(40))


def test_an_absent_worker_is_started_and_the_call_answered(place: Place) -> None:
    """Only where nothing listens: nobody can have seen the call."""
    with place.relay() as host:
        try:
            text, failed = host.call("search", query="x")
            assert not failed, text
            assert "Nothing is stored for this project (shop) yet" in text
            place.end_worker()  # and no trace of it stays in the list of processes
            text, failed = host.call("save_memory", content="After the death of a worker.")
            assert not failed, text
        finally:
            place.end_worker()


def test_while_the_runtime_is_installed_it_says_so_at_once(tmp_path: Path) -> None:
    """No call waits for the installer, which is set going."""
    started = tmp_path / "started"
    place = Place(tmp_path, ready=False, launch=f"open({str(started)!r}, 'w').close()")
    with place.relay() as host:
        text, failed = host.call("search")
        assert failed
        assert "still being installed" in text
        assert "try again in a minute" in text
        wait_until(started.exists)


def test_a_worker_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    """K11: with what to do, and not forever."""
    place = Place(tmp_path, launch="raise SystemExit(1)")
    with place.relay() as host:
        text, failed = host.call("search")
        assert failed
        assert "does not start" in text
        assert "backstory doctor" in text


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"", "the worker ended during the call"),
        (b"garbage\r\n\r\nmore", "no worker"),
        (b"HTTP/1.1 404 Not Found\r\n\r\n<html><h1>Not Found</h1></html>", "HTTP 404"),
        (b"HTTP/1.1 200 OK\r\n\r\n{}", "without a result"),
        (
            b'HTTP/1.1 401 U\r\n\r\n{"error":{"code":"u","message":"no token","hint":"h"}}',
            "no token",
        ),
    ],
)
def test_an_answer_that_is_none_is_an_error_and_is_not_asked_for_again(
    place: Place, said: bytes, words: str
) -> None:
    """F14, K11: never an empty success, never HTML; a call that was seen is not sent twice."""
    place.data.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        _bind(server, place.data)
        with place.relay() as host:
            request = {"name": "search", "arguments": {}}
            host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request})
            connection, _ = server.accept()
            received = b""
            while b'"method":"tools/call"' not in received:
                received += connection.recv(65536)
            assert b"x-backstory-project-dir: /" in received
            connection.sendall(said)
            connection.close()
            text, failed = text_of(host.read())
            assert failed
            assert words in text
            assert "<html" not in text
            server.settimeout(0.2)
            with pytest.raises(TimeoutError):
                server.accept()


def test_a_cancelled_call_is_not_answered(place: Place) -> None:
    """The host has forgotten it."""
    place.data.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        _bind(server, place.data)
        with place.relay() as host:
            request = {"name": "search", "arguments": {}}
            host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request})
            connection, _ = server.accept()
            cancelled = {"requestId": 1, "reason": "the user pressed Escape"}
            host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
            assert host.ask("ping")["result"] == {}
            connection.close()
            assert host.leave() == 0
            assert host.line(1.0) == b""


def test_the_hosts_roots_are_asked_for_and_sent_along(place: Place) -> None:
    """Once after the handshake, and again when they change."""
    place.data.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        _bind(server, place.data)
        with place.relay() as host:
            host.ask("initialize", protocolVersion="2025-11-25", capabilities={"roots": {}})
            for notice, uri in (
                ("notifications/initialized", "file:///w/%C3%A9"),
                ("notifications/roots/list_changed", "file:///other"),
            ):
                host.send({"jsonrpc": "2.0", "method": notice})
                question = host.read()
                assert question["method"] == "roots/list"
                roots = {"roots": [{"uri": uri, "name": "x"}]}
                host.send({"jsonrpc": "2.0", "id": question["id"], "result": roots})
                assert host.ask("ping")["result"] == {}
                request = {"name": "search", "arguments": {}}
                host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request})
                connection, _ = server.accept()
                with connection:
                    head = connection.recv(65536).decode()
                assert f"x-backstory-roots: {_quoted(json.dumps([uri]))}" in head
                assert host.read()["id"] == 1


def test_a_host_without_roots_is_not_asked(place: Place) -> None:
    """It could not answer."""
    with place.relay() as host:
        host.ask("initialize", protocolVersion="2025-11-25", capabilities={})
        host.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert host.ask("ping")["result"] == {}


def test_switched_off_it_offers_nothing(place: Place) -> None:
    """The handshake works, there are no tools, and nothing is written."""
    with place.relay(BACKSTORY_DISABLED="1") as host:
        answer = host.ask("initialize", protocolVersion="2025-11-25", capabilities={"roots": {}})
        assert "instructions" not in answer["result"]
        host.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert host.ask("tools/list")["result"] == {"tools": []}
        assert host.call("search")[1] is True
    assert not place.data.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once(place: Place, number: signal.Signals) -> None:
    """The host sends SIGINT, SIGTERM and SIGKILL within half a second."""
    place.data.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        _bind(server, place.data)
        with place.relay() as host:
            request = {"name": "search", "arguments": {}}
            host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request})
            server.accept()[0].close()
            host.process.send_signal(number)
            assert host.process.wait(5) in (0, -number)


def test_calls_in_flight_are_answered_after_the_host_left(host: Host) -> None:
    """The end of input is no reason to drop what is on its way."""
    host.call("search")
    request = {"name": "search", "arguments": {}}
    host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request})
    assert host.leave() == 0
    assert host.read()["id"] == 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="macOS has no /proc")
def test_it_holds_no_database_and_eight_sessions_leave_no_trace(
    place: Place, memory: Memory
) -> None:
    """B7: the relay opens no file of the memory, and ends with its host."""
    with place.worker():
        for _ in range(8):
            with place.relay() as host:
                assert host.call("search", query="rounding")[1] is False
                descriptors = Path(f"/proc/{host.process.pid}/fd").iterdir()
                opened = [os.readlink(path) for path in descriptors]
                assert not [name for name in opened if "backstory.db" in name]
                assert host.leave() == 0


def test_nothing_but_the_protocol_reaches_stdout(place: Place, memory: Memory) -> None:
    """B6: what the relay, or a child of it, prints goes to stderr."""
    code = "import os; os.write(1, b'stray')"
    launch = f"import os, subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    noisy = Place(place.project.parent / "noisy", ready=False, launch=launch)
    with noisy.relay() as host:
        request = {"name": "search", "arguments": {}}
        host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request})
        assert host.read()["id"] == 1, "the only line"
        host.leave()
        assert host.line(1.0) == b""


def test_the_sdks_own_client_is_content(place: Place, memory: Memory) -> None:
    """Another implementation of the protocol than ours, strict about every message."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-I", "-S", "-B", str(place.root / "plugin/relay.py")],
            env=place.env(),
            cwd=str(place.project),
        )
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            hello = await session.initialize()
            assert hello.server_info.name == "backstory"
            assert [tool.name for tool in (await session.list_tools()).tools] == NAMES
            found = await session.call_tool("search", {"query": "rounding"})
            assert not found.is_error
            assert "cart.total" in getattr(found.content[0], "text", "")
            found = await session.call_tool("get_observations", {"ids": "nonsense"})
            assert found.is_error

    with place.worker():
        asyncio.run(talk())


def test_it_loads_only_what_it_needs(place: Place) -> None:
    """Each of these costs a third of its start, or more."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", str(ROOT / "plugin/relay.py")],
        env=place.env(),
        input=b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
        capture_output=True,
        timeout=20,
    )
    lines = done.stderr.decode().splitlines()
    loaded = {line.rsplit("|", 1)[1].strip() for line in lines if "|" in line}
    unwanted = {"asyncio", "dataclasses", "http.client", "pathlib", "socket", "sqlite3"}
    unwanted |= {"subprocess", "threading", "typing", "urllib.parse"}
    assert done.returncode == 0
    assert not loaded & unwanted


def _bind(server: socket.socket, data: Path) -> None:
    """Listens at the worker's address; by a relative path, which is short whatever the folder."""
    before = Path.cwd()
    os.chdir(data)
    try:
        server.bind("worker.sock")
    finally:
        os.chdir(before)
    server.listen(8)
    server.settimeout(20)


def _quoted(text: str) -> str:
    return "".join(one if one.isalnum() or one in "-_.~/" else f"%{ord(one):02X}" for one in text)
