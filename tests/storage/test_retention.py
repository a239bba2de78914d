"""Raw input and output goes after its time or beyond its bound; what was made of it stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.storage import retention, sqlite
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline

DAY_MS = 24 * 3_600_000


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipeline]:
    """Ten calls, one a day, the newest half a day old."""
    pipeline = Pipeline(tmp_path / "data")
    now = sqlite.now_ms()
    pipeline.put(event("UserPromptSubmit", prompt="Go."), at=now - 11 * DAY_MS)
    for number in range(10):
        pipeline.put(tool(f"toolu_{number}"), at=now - (10 - number) * DAY_MS + DAY_MS // 2)
    pipeline.run()
    yield pipeline
    pipeline.close()


def kept(pipe: Pipeline) -> list[str]:
    """The calls whose raw texts are there."""
    query = (
        "SELECT t.tool_use_id FROM tool_io i JOIN tool_uses t ON t.id = i.tool_use ORDER BY t.id"
    )
    return [name for (name,) in pipe.rows(query)]


def test_texts_go_after_their_days(pipe: Pipeline) -> None:
    """The calls themselves stay."""
    assert retention.prune(pipe.db, 3, 1000) == 7
    assert kept(pipe) == ["toolu_7", "toolu_8", "toolu_9"]
    assert pipe.one("SELECT count(*) FROM tool_uses") == 10
    assert retention.prune(pipe.db, 3, 1000) == 0


def test_the_oldest_texts_go_beyond_the_bound(pipe: Pipeline) -> None:
    """In portions, so that capture never waits long."""
    pipe.db.execute("UPDATE tool_io SET output = zeroblob(300000)")
    pipe.db.execute(
        "INSERT INTO tool_uses (session, prompt, tool_use_id, name, status, created_at)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)"
        " SELECT 1, 1, 'more' || i, 'Bash', 'ok', 9e12 FROM n"
    )
    pipe.db.execute(
        "INSERT INTO tool_io SELECT id, x'', zeroblob(10), 10 FROM tool_uses WHERE id > 10"
    )
    assert retention.prune(pipe.db, 30, 1) == 500
    assert pipe.one("SELECT count(*) FROM tool_io") == 110
    assert pipe.one("SELECT min(tool_use) FROM tool_io") == 501
    assert retention.prune(pipe.db, 30, 1) == 0


def test_the_file_shrinks(pipe: Pipeline) -> None:
    """D8: free pages go back to the disk."""
    pipe.db.execute("UPDATE tool_io SET output = randomblob(300000)")
    before = pipe.one("PRAGMA page_count")
    retention.prune(pipe.db, 1, 1000)
    assert pipe.one("PRAGMA page_count") < before // 2
