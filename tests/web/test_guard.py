"""Who may call over TCP: every route refuses a missing token, a foreign host and a foreign page."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory import instance
from tests.support.home import Home, a_home, event

ROUTES = [
    ("GET", "/api/status"),
    ("POST", "/api/flush"),
    ("POST", "/api/stop"),
    ("GET", "/api/search"),
    ("GET", "/api/timeline"),
    ("POST", "/api/observations/batch"),
    ("POST", "/api/tool-uses/batch"),
    ("POST", "/api/memory"),
    ("POST", "/api/forget"),
    ("GET", "/api/context"),
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("GET", "/"),
    ("GET", "/nothing"),
    ("OPTIONS", "/api/status"),
    ("GET", "/api/health/"),
    ("GET", "/api/health/../status"),
    ("GET", "//api/health"),
]


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A worker that remembers something."""
    with a_home(tmp_path_factory.mktemp("guarded")) as home:
        home.start()
        home.hook(event("UserPromptSubmit", prompt="canary", cwd=str(home.project)))
        home.drain()
        yield home


def facts(worker: Home) -> tuple[int, str]:
    """Port and token."""
    found = instance.facts(worker.data)
    return int(found["port"]), str(found["token"])


def call(
    worker: Home, method: str, path: str, *headers: str, version: str = "1.1"
) -> tuple[int, str]:
    """Status and body of a raw request with exactly these headers."""
    with socket.create_connection(("127.0.0.1", facts(worker)[0]), 10) as sock:
        lines = [f"{method} {path} HTTP/{version}", *headers, "Connection: close", "", ""]
        sock.sendall("\r\n".join(lines).encode("latin-1"))
        data = b""
        while chunk := sock.recv(65536):
            data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split()[1]), (head + b"\n" + body).decode("utf-8", "replace")


def own(worker: Home) -> str:
    """The right Host header."""
    return f"Host: 127.0.0.1:{facts(worker)[0]}"


def bearer(worker: Home) -> str:
    """The right token."""
    return f"Authorization: Bearer {facts(worker)[1]}"


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_no_route_answers_without_the_token(worker: Home, method: str, path: str) -> None:
    """G7: nor with a wrong one; the worker is still there afterwards."""
    wrong = ("Authorization: Bearer wrong", "Authorization: Bearer", "Authorization: Basic eDp5")
    for headers in ((), *((one,) for one in wrong), ("Authorization: Bearer \xff\xfe",)):
        status, answer = call(worker, method, path, own(worker), *headers)
        assert status == 401
        assert "canary" not in answer
        assert "access-control" not in answer.lower()
    assert worker.pid


@pytest.mark.parametrize(("method", "path"), [*ROUTES, ("GET", "/api/health")])
def test_no_route_answers_a_foreign_host_or_page(worker: Home, method: str, path: str) -> None:
    """G7: DNS rebinding and other sites' scripts, even with the right token."""
    port, _ = facts(worker)
    for host in (
        "evil.test",
        f"evil.test:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "0.0.0.0",
        f"[::]:{port}",
    ):
        status, answer = call(worker, method, path, f"Host: {host}", bearer(worker))
        assert (status, "forbidden" in answer) == (403, True)
    for origin in (
        "http://evil.test",
        "null",
        f"https://127.0.0.1:{port}",
        f"http://127.0.0.1:{port}.evil.test",
        "http://localhost",
        "",
    ):
        headers = (own(worker), f"Origin: {origin}", bearer(worker))
        status, answer = call(worker, method, path, *headers)
        assert (status, "forbidden" in answer) == (403, True)


@pytest.mark.parametrize("path", ["/api/status", "/api/health", "/mcp"])
def test_a_host_that_is_missing_or_given_twice_is_refused(worker: Home, path: str) -> None:
    """G7: what two parsers may read differently."""
    good = own(worker)
    for headers in ((), (good, good), (good, "Host: evil.test"), ("Host: evil.test", good)):
        status, _ = call(worker, "GET", path, *headers, bearer(worker))
        assert status in (400, 403)
    status, _ = call(worker, "GET", path, bearer(worker), version="1.0")
    assert status in (400, 403)
    twice = (good, bearer(worker), "Authorization: Bearer x")
    assert call(worker, "GET", path, *twice)[0] == 400


def test_the_right_caller_is_answered(worker: Home) -> None:
    """With the token; from our own page too."""
    port, _ = facts(worker)
    for host in ("127.0.0.1", "localhost", "[::1]"):
        status, _ = call(worker, "GET", "/api/status", f"Host: {host}:{port}", bearer(worker))
        assert status == 200
    origin = f"Origin: http://127.0.0.1:{port}"
    assert call(worker, "GET", "/api/status", own(worker), origin, bearer(worker))[0] == 200


def test_health_is_open_and_tells_nothing(worker: Home) -> None:
    """Only the socket's callers learn whose it is."""
    status, answer = call(worker, "GET", "/api/health", own(worker))
    assert status == 200
    assert set(json.loads(answer.rpartition("\n")[2])) == {"status", "version"}
    assert worker.ask("GET", "/api/health")["home"] == str(worker.data.resolve())


def test_only_this_machine_can_connect(worker: Home) -> None:
    """G7: loopback alone; socket and token are the user's alone."""
    port, _ = facts(worker)
    listening = [
        line.split()[1]
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
        if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
    ]
    assert listening == [f"0100007F:{port:04X}"]
    for name in ("worker.json", "worker.sock", "worker.lock"):
        assert (worker.data / name).stat().st_mode & 0o077 == 0
    assert worker.data.stat().st_mode & 0o077 == 0
