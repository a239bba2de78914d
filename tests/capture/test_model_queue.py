"""When the turns of a session become due for a model, and how often it is asked about them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.capture import adopt, dispatch, ledger, model_queue
from backstory.capture.providers import auto
from backstory.storage import sqlite
from tests.support.home import event, tool
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


def test_what_becomes_due_while_it_is_looked_for_is_asked_about_at_once(pipe: Modelled) -> None:
    """Neither what was due before and could not be planned nor the moment of looking hides it."""
    pipe.turn(1)
    pipe.turn(1, session="s2")
    pipe.run()
    looked_at = sqlite.now_ms() - 50
    made_due = "UPDATE jobs SET not_before = ? WHERE kind = 'model' AND id = ?"
    first, second = (job for (job,) in pipe.rows("SELECT id FROM jobs WHERE kind = 'model'"))
    at = [(looked_at - 600_000, first), (looked_at + 20, second)]
    pipe.database.write(lambda db: db.executemany(made_due, at).rowcount)
    assert asyncio.run(pipe.dispatcher.seconds_to_next(looked_at)) == 0.05
    assert asyncio.run(pipe.dispatcher.seconds_to_next(looked_at + 20)) == dispatch.POLL_S


def give_up(pipe: Modelled) -> None:
    """Leaves the one turn to the rules, as after its last attempt."""
    query = "UPDATE jobs SET state = 'dead', attempts = ? WHERE kind = 'model'"
    pipe.database.write(lambda db: db.execute(query, (model_queue.ATTEMPTS,)).rowcount)


def fail(pipe: Modelled) -> tuple[str, int]:
    """Makes a call that is of no use, by its batch's fault; what becomes of the turn's job."""
    make_due(pipe)
    planned = pipe.dispatcher.plan(pipe.db)
    assert planned is not None
    label, budget = pipe.provider.label, ledger.budget(pipe.db, pipe.config)
    call = pipe.database.write(lambda db: adopt.claim(db, planned, label, budget))
    assert call
    pipe.database.write(
        lambda db: model_queue.give_back(db, call, "of no use", delay_s=0.0, counts=True)
    )
    return job(pipe)


def make_due(pipe: Modelled) -> None:
    """Ends every wait."""
    pipe.database.write(lambda db: db.execute("UPDATE jobs SET not_before = 0").rowcount)


def job(pipe: Modelled) -> tuple[str, int]:
    """State and attempts of the one turn's job."""
    ((state, attempts),) = pipe.rows("SELECT state, attempts FROM jobs WHERE kind = 'model'")
    return state, attempts


def test_a_turn_that_was_given_up_and_goes_on_gets_one_more_attempt(pipe: Modelled) -> None:
    """What is new may mend it; what is not mended must not cost five calls each time."""
    pipe.turn(1)
    pipe.run()
    give_up(pipe)
    for number in range(2):
        pipe.put(tool(f"late{number}", "make later", session_id="s1", prompt_id="s1-1"))
        pipe.run()
        assert job(pipe) == ("pending", model_queue.ATTEMPTS - 1)
        assert fail(pipe) == ("dead", model_queue.ATTEMPTS)
    pipe.put(tool("late", "make later", session_id="s1", prompt_id="s1-1"))
    pipe.run()
    make_due(pipe)
    pipe.drain()
    assert len(pipe.provider.asked) == 1
    assert job(pipe) == ("done", 0)


def test_a_turn_that_its_user_has_tried_again_gets_all_attempts(pipe: Modelled) -> None:
    """`distill --retry`: they may have set another model since."""
    pipe.turn(1)
    pipe.run()
    give_up(pipe)
    assert pipe.database.write(model_queue.requeue_dead) == 1
    said = [fail(pipe) for _ in range(model_queue.ATTEMPTS)]
    assert said == [("pending", at) for at in range(1, model_queue.ATTEMPTS)] + [
        ("dead", model_queue.ATTEMPTS)
    ]
    assert pipe.dispatcher.plan(pipe.db) is None


def test_turns_wait_for_a_model_that_is_set_and_cannot_be_used_yet(pipe: Modelled) -> None:
    """Before anybody looked, and while its address is missing; once it is there, none is lost."""
    pipe.dispatcher = dispatch.Dispatcher(pipe.database, pipe.config)
    pipe.turn(1)
    pipe.run()
    asyncio.run(pipe.dispatcher.choose())
    assert "base_url" in pipe.dispatcher.trouble()
    pipe.turn(2)
    pipe.run()
    here = {"session_id": "s2", "prompt_id": "s2-1"}
    pipe.put(event("UserPromptSubmit", prompt="Go on.", **here))
    pipe.put(tool("toolu_quiet", "make s2x1x0", **here))
    pipe.run()
    pipe.database.write(lambda db: db.execute("UPDATE sessions SET last_at = last_at - 7200000"))
    pipe.database.write(pipe.pump.housekeeping)
    assert model_queue.counts(pipe.db).pending == 3
    pipe.dispatcher.chosen = auto.Chosen("openai", pipe.provider, "set")
    make_due(pipe)
    pipe.drain()
    assert [pipe.provider.sent(word) for word in ("s1x1x0", "s1x2x0", "s2x1x0")] == [1, 1, 1]
