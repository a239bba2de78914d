"""Serving: over HTTP as the worker does, and over stdio alone for other hosts."""

from __future__ import annotations

import asyncio
import json
import math
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from backstory import config
from backstory.estimate import estimate_tokens
from backstory.recall.embedders import endpoint
from backstory.recall.meaning import Near
from backstory.storage.database import Database
from backstory.tools import serve
from backstory.tools.caller import from_headers
from backstory.tools.catalogue import BY_NAME, TOOLS
from tests.support.relay import ROOT, Place, text_of
from tests.tools.conftest import Memory, fill

HEADERS = {"accept": "application/json, text/event-stream", "host": "localhost"}


def client(app: serve.App) -> httpx.AsyncClient:
    """Talks to the application without a network."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost", headers=HEADERS
    )


async def call(http: httpx.AsyncClient, folder: Path | str, name: str, **given: Any) -> Any:
    """The answer to a tool call from somebody in a folder."""
    params = {"name": name, "arguments": given, "_meta": {"claudecode/toolUseId": "toolu_1"}}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    answer = await http.post("/mcp", json=message, headers={"x-backstory-cwd": str(folder)})
    assert answer.status_code == 200, answer.text
    assert answer.json()["id"] == 7
    return answer.json()


def test_calls_are_answered_side_by_side_from_the_first_on(
    database: Database, memory: Memory
) -> None:
    """The first of them loads the SDK; all of them wait for it, and none is lost."""

    async def talk() -> None:
        app = serve.http_app(database)
        async with client(app) as http:
            calls = [call(http, memory.shop, "search", query="rounding") for _ in range(12)]
            for answer in await asyncio.gather(*calls):
                assert "cart.total" in text_of(answer)[0]
        await app.close()

    asyncio.run(talk())


def test_a_call_that_hangs_does_not_hold_up_the_others(
    database: Database, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K12: it is answered at its deadline, the others at once."""
    monkeypatch.setattr(serve, "DEADLINE_S", 0.2)
    release = threading.Event()
    tool = BY_NAME["important_workflow"]

    def hang(*_: object) -> str:
        release.wait(20)
        return "late"

    monkeypatch.setitem(BY_NAME, tool.name, replace(tool, function=hang))

    async def talk() -> None:
        app = serve.http_app(database)
        async with client(app) as http:
            await call(http, memory.shop, "save_memory", content="loads what is needed")
            stuck = asyncio.create_task(call(http, memory.shop, "important_workflow"))
            text, failed = text_of(await call(http, memory.shop, "get_observations", ids=[1]))
            assert not failed, text
            assert not stuck.done()
            text, failed = text_of(await stuck)
            assert failed
            assert "took longer" in text
        release.set()
        await app.close()

    asyncio.run(talk())


def test_a_bug_in_a_tool_is_an_error_without_what_was_asked(
    database: Database, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F14, K11: never empty, never a trace, never the caller's words."""
    tool = BY_NAME["search"]

    def fail(*_: object) -> str:
        raise KeyError("secret words")

    monkeypatch.setitem(BY_NAME, tool.name, replace(tool, function=fail))

    async def talk() -> None:
        app = serve.http_app(database)
        async with client(app) as http:
            text, failed = text_of(await call(http, memory.shop, "search", query="secret words"))
        await app.close()
        assert failed
        assert "search failed: KeyError" in text
        assert "secret words" not in text

    asyncio.run(talk())


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_answered(database: Database, method: str) -> None:
    """A GET would open a stream on which nothing is ever said."""

    async def talk() -> None:
        async with client(serve.http_app(database)) as http:
            answer = await http.request(method, "/mcp")
            assert answer.status_code == 405
            assert answer.json()["error"]["hint"]

    asyncio.run(talk())


@pytest.mark.parametrize(
    "headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}], ids=["host", "origin"]
)
def test_foreign_pages_are_refused(database: Database, headers: dict[str, str]) -> None:
    """The worker's own guard comes before this one."""

    async def talk() -> None:
        app = serve.http_app(database)
        async with client(app) as http:
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            answer = await http.post("/mcp", json=message, headers=headers)
            assert answer.status_code in (403, 421)
        await app.close()

    asyncio.run(talk())


def test_a_folder_with_any_name_arrives_whole(database: Database, memory: Memory) -> None:
    """B10: headers carry percent-encoded UTF-8."""
    from backstory.hook.worker_call import quote

    folder = memory.shop.parent / "Ünï 検 %41"
    folder.mkdir()

    async def talk() -> None:
        app = serve.http_app(database)
        async with client(app) as http:
            text, failed = text_of(await call(http, quote(str(folder)), "search"))
            assert not failed
            assert folder.name in text
        await app.close()

    asyncio.run(talk())


def test_direct_serves_other_hosts_over_stdio_alone(tmp_path: Path) -> None:
    """The same tools without a relay; what writes goes to the worker, the one writer."""
    place = Place(tmp_path)
    fill(place.data, place.project, tmp_path / "lamp")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from pathlib import Path;"
        f" from backstory.tools import serve; serve.run_direct(Path({str(place.data)!r}))"
    )

    async def talk() -> None:
        server = StdioServerParameters(
            command=sys.executable, args=["-c", code], env=place.env(), cwd=str(place.project)
        )
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            listed = (await session.list_tools()).tools
            assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
            for name, given, words in (
                ("search", {"query": "rounding"}, "cart.total"),
                ("save_memory", {"content": "Kept through the worker."}, "Saved as #"),
                ("search", {"query": "worker kept"}, "Kept through the worker."),
            ):
                found = await session.call_tool(name, given)
                text = getattr(found.content[0], "text", "")
                assert not found.is_error, text
                assert words in text

    with place.worker():
        asyncio.run(talk())


def test_direct_answers_by_words_alone_until_a_worker_runs(tmp_path: Path) -> None:
    """Only the worker loads the models; a first step is kept by it, or told not to be kept."""
    place = Place(tmp_path, ready=False)
    fill(place.data, place.project, tmp_path / "lamp")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from pathlib import Path;"
        f" from backstory.tools import serve; serve.run_direct(Path({str(place.data)!r}))"
    )
    asked = (
        ("search", {"query": "rounding"}),
        ("timeline", {"query": "rounding"}),
        ("mem_search", {"query": "rounding"}),
    )

    async def talk(is_running: bool) -> None:
        server = StdioServerParameters(
            command=sys.executable, args=["-c", code], env=place.env(), cwd=str(place.project)
        )
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            for name, given in asked:
                found = await session.call_tool(name, given)
                text = getattr(found.content[0], "text", "")
                assert not found.is_error, text
                assert "cart.total" in text
                assert ("found by words alone: no worker runs" in text) != is_running
            assert ("Continuation: ms_" in text) == is_running

    asyncio.run(talk(False))
    with place.worker():
        asyncio.run(talk(True))


def test_why_meaning_did_not_help_takes_few_tokens(database: Database, memory: Memory) -> None:
    """Every answer repeats it; the way to set an embedder up is told where that is done."""

    def near(*_: object) -> Near:
        return Near(missing=endpoint.NEEDS)

    def note() -> str:
        settings = config.load(memory.home)
        headers = {"x-backstory-cwd": str(memory.shop)}
        asking = from_headers(database, settings, headers, "", math.inf, near)
        text = serve.answer("search", {"query": "rounding"}, asking).text
        return next(line for line in text.splitlines() if line.startswith("Note: "))

    assert "the embedder cannot be used; run: backstory doctor" in note()
    config.store(memory.home, "embedder", "openai")
    assert "the embedder is not set up; run: backstory doctor" in note()
    assert estimate_tokens(note().removeprefix("Note: ")) <= 25


def test_the_listing_of_the_sdk_is_the_relays(database: Database) -> None:
    """Two servers, one catalogue."""

    async def talk() -> None:
        app = serve.http_app(database)
        async with client(app) as http:
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            listed = (await http.post("/mcp", json=message)).json()["result"]["tools"]
        await app.close()
        file = json.loads((ROOT / "plugin/tools.json").read_text(encoding="utf-8"))
        assert listed == file["tools"]

    asyncio.run(talk())
