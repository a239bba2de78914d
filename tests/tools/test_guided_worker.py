"""The guided search through the real relay and worker, across restarts, and without a relay."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.relay import ROOT, Host, Place
from tests.tools.conftest import Memory, continuation_of, fill, shown


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A plugin folder with its launcher; whatever worker the relay started is ended."""
    place = Place(tmp_path)
    yield place
    place.end_worker()


@pytest.fixture
def memory(place: Place, tmp_path: Path) -> Memory:
    """Two projects' records."""
    return fill(place.data, place.project, tmp_path / "lamp")


def refused(host: Host, **given: object) -> str:
    """The text of a refusal."""
    text, failed = host.call("mem_search", **given)
    assert failed, text
    assert "mem_search {" in text
    assert "rounded" not in text
    assert "cart.total" not in text
    return text


def answered(host: Host, **given: object) -> str:
    """The text of an answer."""
    text, failed = host.call("mem_search", **given)
    assert not failed, text
    return text


def test_a_search_goes_on_after_its_worker_died(place: Place, memory: Memory) -> None:
    """B2: between any two steps; what was refused before is refused after."""
    ours = str(memory.ours)
    with place.relay() as host:
        index = answered(host, query="rounding")
        assert shown(index) == [ours]
        continuation = continuation_of(index)
        given = {"continuation": continuation, "selectedIds": [ours]}
        place.end_worker()
        assert "needs selectedIds" in refused(host, continuation=continuation)
        timeline = answered(host, **given)
        assert "p1" in shown(timeline)
        place.end_worker()
        theirs = {**given, "selectedIds": [str(memory.theirs)]}
        assert "not in the timeline" in refused(host, **theirs)
        assert "The cart rounded twice." in answered(host, **given)
        place.end_worker()
        assert "finished" in refused(host, **given)


def test_another_relay_cannot_go_on(place: Place, memory: Memory) -> None:
    """Not even in the same folder; it is told what it would be told of any."""
    ours = str(memory.ours)
    with place.relay() as host, place.relay() as other:
        continuation = continuation_of(answered(host, query="rounding"))
        given: dict[str, object] = {"continuation": continuation, "selectedIds": [ours]}
        never = {**given, "continuation": "ms_" + "x" * 24}
        assert refused(other, **given) == refused(other, **never) == refused(host, **never)
        assert "→ #" in answered(host, **given)
        assert "not open here" in refused(other, **given)
        assert "The cart rounded twice." in answered(host, **given)


def test_without_a_relay_each_process_has_its_own_searches(place: Place, memory: Memory) -> None:
    """`mcp --direct` has no writer: the worker keeps the steps, under that process's name."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from pathlib import Path;"
        f" from backstory.tools import serve; serve.run_direct(Path({str(place.data)!r}))"
    )
    server = StdioServerParameters(
        command=sys.executable, args=["-c", code], env=place.env(), cwd=str(place.project)
    )

    async def call(session: ClientSession, **given: object) -> tuple[str, bool]:
        found = await session.call_tool("mem_search", given)
        return str(getattr(found.content[0], "text", "")), bool(found.is_error)

    async def talk() -> None:
        async with (
            stdio_client(server) as (read, write),
            ClientSession(read, write) as session,
            stdio_client(server) as (other_read, other_write),
            ClientSession(other_read, other_write) as other,
        ):
            await session.initialize()
            await other.initialize()
            text, failed = await call(session, query="rounding")
            assert not failed, text
            given = {"continuation": continuation_of(text), "selectedIds": [memory.ours]}
            text, failed = await call(other, **given)
            assert failed
            assert "not open here" in text
            text, failed = await call(session, **given)
            assert not failed, text
            text, failed = await call(session, **given)
            assert "The cart rounded twice." in text

    with place.worker():
        asyncio.run(talk())
