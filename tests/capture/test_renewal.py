"""What ends the wait of turns: their user, other settings, a good answer, a mended clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory import config
from backstory.capture import dispatch, model_queue, renewal, spending, standing
from backstory.capture.providers import auto
from backstory.capture.providers.base import Ask, Trouble
from backstory.storage import sqlite
from tests.support.modelled import Modelled, observing

HOUR_MS = 3_600_000


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Modelled]:
    """A pipeline with a model, and a turn that waits for long."""
    made = Modelled(tmp_path, base_url="http://127.0.0.1:9/v1", model="small-1")
    made.turn(1)
    made.run()
    wait(made, HOUR_MS)
    yield made
    made.close()


def wait(pipe: Modelled, milliseconds: int) -> None:
    """Has all turns wait for so long, after a failure of the provider."""
    query = "UPDATE jobs SET not_before = ?, error = 'HTTP 529' WHERE kind = 'model'"
    due = sqlite.now_ms() + milliseconds
    pipe.database.write(lambda db: db.execute(query, (due,)).rowcount)


def waits(pipe: Modelled) -> int:
    """How many turns do."""
    return spending.count_waits(pipe.db)


def test_who_asks_for_another_try_gets_it(pipe: Modelled) -> None:
    """`distill --retry`: also of what waits, and both are counted."""
    pipe.turn(2)
    pipe.run()
    query = "UPDATE jobs SET state = 'dead', attempts = 5 WHERE kind = 'model' AND prompt = 2"
    pipe.database.write(lambda db: db.execute(query).rowcount)
    assert pipe.database.write(model_queue.try_again) == 2
    assert waits(pipe) == 0
    assert (
        pipe.rows("SELECT state, attempts FROM jobs WHERE kind = 'model'") == [("pending", 0)] * 2
    )


def choose(pipe: Modelled) -> None:
    """What a worker does at its start."""
    made = dispatch.Dispatcher(pipe.database, config.load(pipe.home))
    asyncio.run(made.choose())
    assert made.provider is not None
    made.provider.close()


def test_other_settings_of_the_model_end_the_wait(pipe: Modelled) -> None:
    """At the next start, whoever changed them; the same settings do not."""
    choose(pipe)
    wait(pipe, HOUR_MS)
    choose(pipe)
    assert waits(pipe) == 1
    config.store(pipe.home, "api_key", "another-key")
    choose(pipe)
    assert waits(pipe) == 0
    mark = pipe.home / "model.mark"
    assert mark.stat().st_mode & 0o777 == 0o600
    assert "another-key" not in mark.read_text()
    assert not renewal.are_new(config.load(pipe.home))


def test_a_mark_that_cannot_be_written_keeps_nobody_from_distilling(pipe: Modelled) -> None:
    """The turns are freed all the same, and the model is chosen."""
    (pipe.home / "model.mark").mkdir()
    made = dispatch.Dispatcher(pipe.database, config.load(pipe.home))
    asyncio.run(made.choose())
    assert made.status()["state"] == "ready"
    assert waits(pipe) == 0
    assert made.provider is not None
    made.provider.close()


def test_what_waits_says_why_and_until_when(pipe: Modelled) -> None:
    """Where nothing else is due."""
    found = spending.waiting(pipe.db)
    assert (found["turns"], found["waits_for"]) == (1, "HTTP 529")
    assert found["until"] > sqlite.now_ms()
    pipe.database.write(model_queue.try_again)
    found = spending.waiting(pipe.db)
    assert (found["until"], found["waits_for"]) == (0, "")


def test_a_call_that_goes_well_ends_the_wait_of_the_others(pipe: Modelled) -> None:
    """The service is there again: what failed before is not left for hours."""
    pipe.turn(1, session="s2", cwd="/elsewhere")

    def says(ask: Ask) -> str:
        if len(pipe.provider.asked) == 1:
            wait(pipe, HOUR_MS)
        return observing(ask)

    pipe.provider.says = says
    query = "SELECT count(*) FROM jobs WHERE kind = 'model' AND state = 'done'"
    pipe.drain(20, until=lambda: pipe.one(query) == 2)
    assert len(pipe.provider.asked) == 2


def test_a_clock_that_was_ahead_blocks_nothing_once_it_is_mended(pipe: Modelled) -> None:
    """Turns that were to wait for a month are due."""
    wait(pipe, 30 * 24 * HOUR_MS)
    pipe.drain()
    assert len(pipe.provider.asked) == 1
    assert pipe.one("SELECT state FROM jobs WHERE kind = 'model'") == "done"


def test_a_wait_of_days_is_the_providers_alone(pipe: Modelled) -> None:
    """The turns' own is bounded, so that a worker that starts later looks again."""
    pipe.provider.says = lambda ask: Trouble("limit", "a usage limit", retry_after=86_400.0)
    pipe.database.write(model_queue.try_again)
    pipe.drain(20, until=lambda: pipe.dispatcher.status()["state"] == "paused")
    due = pipe.one("SELECT not_before FROM jobs WHERE kind = 'model'")
    assert due <= sqlite.now_ms() + model_queue.LONGEST_MS
    assert pipe.dispatcher.standing.left > 80_000


def test_a_pause_lasts_as_long_as_it_should_whatever_the_clock_does(
    pipe: Modelled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A month ahead at the failure, mended after it."""
    monkeypatch.setattr(standing, "WAIT_S", (0.05, 0.05))
    real, failures = time.time, [Trouble("busy", "HTTP 529")]

    def says(ask: Ask) -> str | Exception:
        return failures.pop() if failures else observing(ask)

    pipe.dispatcher.chosen = auto.Chosen("openai", pipe.provider, "set")
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: real() + 30 * 86_400)
        pipe.dispatcher.standing.failed("openai", Trouble("busy", "HTTP 529"))
    assert pipe.dispatcher.standing.left <= 0.05
    pipe.provider.says = says
    pipe.database.write(model_queue.try_again)
    pipe.drain(20, until=lambda: len(pipe.provider.asked) == 2)
