"""When the turns of a session become due for a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.capture import model_queue
from backstory.storage import sqlite
from tests.support.home import event
from tests.support.modelled import Modelled


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Modelled]:
    """A pipeline with a model."""
    made = Modelled(tmp_path)
    yield made
    made.close()


def test_the_end_of_a_session_ends_the_wait_for_company(pipe: Modelled) -> None:
    """The client says Stop, and a moment later that the session is over."""
    pipe.turn(1)
    pipe.turn(1, session="s2")
    pipe.run()
    now = sqlite.now_ms()
    assert model_queue.counts(pipe.db) == model_queue.Counts(leased=0, soon=0, pending=2)
    pipe.put(event("SessionEnd", session_id="s1", reason="other"))
    pipe.run()
    assert model_queue.counts(pipe.db) == model_queue.Counts(leased=0, soon=1, pending=2)
    due = model_queue.next_due(pipe.db)
    assert due is not None
    assert due <= now


def test_a_turn_that_failed_keeps_its_wait(pipe: Modelled) -> None:
    """What the end of its session changes is no reason to ask again at once."""
    pipe.turn(1)
    pipe.run()
    later = sqlite.now_ms() + 600_000
    query = f"UPDATE jobs SET attempts = 1, not_before = {later} WHERE kind = 'model'"
    pipe.database.write(lambda db: db.execute(query).rowcount)
    pipe.put(event("SessionEnd", session_id="s1", reason="other"))
    pipe.run()
    assert model_queue.next_due(pipe.db) == later
