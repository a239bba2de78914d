"""No call is made for ever: what cannot go well ends, is told, and costs no more than it must."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.capture import (
    adopt,
    announcement,
    calls,
    dispatch,
    ledger,
    model_queue,
    planning,
    standing,
)
from backstory.capture.providers import auto
from backstory.capture.providers.base import Answer, Ask, Trouble, Usage
from backstory.storage import sqlite
from tests.support.home import event, tool
from tests.support.modelled import Modelled, observing


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for between calls."""
    monkeypatch.setattr(dispatch, "PACE_S", 0.0)
    monkeypatch.setattr(calls, "RETRY_S", 0.01)
    monkeypatch.setattr(standing, "WAIT_S", (0.01, 0.02))
    monkeypatch.setattr(standing, "PAUSE_S", (0.05, 0.05))


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Modelled]:
    """A pipeline with a model that answers well."""
    made = Modelled(tmp_path)
    yield made
    made.close()


def holds(ask: Ask, word: str) -> bool:
    """Whether an event with that word was sent."""
    return re.search(rf"^t\d+e\d+ .*\b{word}\b", ask.batch, re.MULTILINE) is not None


def hurry(pipe: Modelled, rounds: int) -> None:
    """Lets everything be tried again, again and again."""
    for _ in range(rounds):
        pipe.dispatcher.standing.until = 0.0
        pipe.database.write(lambda db: db.execute("UPDATE jobs SET not_before = 0"))
        pipe.drain(0.4)


def test_what_subagents_found_is_sent_once_however_much(pipe: Modelled) -> None:
    """Findings have no row of a tool use: a turn that holds more than a call takes ends all the
    same."""
    here = {"session_id": "s1", "prompt_id": "s1-1"}
    pipe.put(event("UserPromptSubmit", prompt="Ask thirty agents.", **here))
    pipe.put(tool("toolu_1", "make all", **here))
    for at in range(30):
        words = " ".join(f"finding{at}n{n}" for n in range(400))
        agent = {"agent_id": f"a{at}", "agent_type": "Explore", **here}
        pipe.put(event("SubagentStart", **agent))
        pipe.put(event("SubagentStop", last_assistant_message=words, **agent))
    pipe.put(event("Stop", last_assistant_message="All thirty came back.", **here))
    pipe.drain()
    hurry(pipe, 3)
    assert len(pipe.provider.asked) == 1
    assert "finding0n0" in pipe.provider.asked[0].batch
    assert pipe.rows("SELECT model_closed FROM prompts") == [(1,)]


def test_a_model_that_takes_only_little_gets_its_turns_one_by_one(tmp_path: Path) -> None:
    """Too long at the least size: each goes alone, and what is still too long is given up."""

    def small(ask: Ask) -> str | Exception:
        if holds(ask, "s1x3x0") or ask.batch.count("closing message:") > 1:
            return Trouble("too_long", "the prompt is too long")
        return observing(ask)

    pipe = Modelled(tmp_path, small)
    for number in range(1, 6):
        pipe.turn(number, uses=6)
    query = "SELECT state, count(*) FROM jobs WHERE kind = 'model' GROUP BY 1"
    pipe.drain(60, until=lambda: dict(pipe.rows(query)) == {"done": 4, "dead": 1})
    asked = len(pipe.provider.asked)
    hurry(pipe, 2)
    assert len(pipe.provider.asked) == asked < 25
    pipe.close()


@pytest.mark.parametrize("billed", [False, True])
def test_one_batch_that_always_fails_does_not_stop_the_others(
    tmp_path: Path, billed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is to blame once others went well meanwhile; in the end it is given up."""
    monkeypatch.setattr(calls, "RETRY_S", 0.4)  # so much later than others it is asked again

    def choosy(ask: Ask) -> str | Exception:
        if holds(ask, "badx1x0"):
            return "You've hit your rate limit." if billed else Trouble("busy", "HTTP 500")
        return observing(ask)

    pipe = Modelled(tmp_path, choosy)
    pipe.provider.usage = Usage(10, 5)  # the cap is not meant here

    def jobs(session: str) -> list[tuple[str, int]]:
        query = (
            "SELECT j.state, j.attempts FROM jobs j JOIN prompts p ON p.id = j.prompt"
            " JOIN sessions s ON s.id = p.session WHERE j.kind = 'model' AND s.session_id = ?"
        )
        return [(state, attempts) for state, attempts in pipe.rows(query, session)]

    pipe.turn(1, session="bad")
    pipe.drain(60, until=lambda: pipe.provider.sent("badx1x0") >= 2)
    assert jobs("bad") == [("pending", 0)]
    number = 0

    def went_on() -> bool:
        return jobs("good") == [("done", 0)] * number and jobs("bad")[0][1] == number

    while jobs("bad") != [("dead", model_queue.ATTEMPTS)]:
        number += 1
        pipe.turn(number, session="good")
        pipe.drain(60, until=went_on)
    assert number == model_queue.ATTEMPTS
    pipe.close()


def test_an_answer_that_cannot_be_stored_is_booked_told_and_not_asked_for_at_once(
    pipe: Modelled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was paid for: a full disk must not make it be paid for again and again."""
    monkeypatch.setattr(calls, "COMMIT_TRIES", 1)
    monkeypatch.setattr(standing, "PAUSE_S", (600.0, 600.0))

    def full(*_: object) -> int:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(adopt, "commit", full)
    pipe.turn(1)
    pipe.drain(3)
    assert len(pipe.provider.asked) == 1
    assert "could not be stored" in pipe.dispatcher.trouble()
    assert "could not be stored" in pipe.dispatcher.take_notice()
    assert pipe.rows("SELECT outcome, tokens_in > 0 FROM ledger WHERE provider <> 'rules'") == [
        ("unstored", 1)
    ]
    assert pipe.rows("SELECT state, attempts FROM jobs WHERE kind = 'model'") == [("pending", 0)]


def test_the_name_that_a_model_gives_itself_is_bounded(pipe: Modelled) -> None:
    """Whatever it holds."""
    ask = pipe.provider.ask
    name = "evil\ud800\u202e<model>\n" + "x" * 5_000

    class Named:
        label = pipe.provider.label

        def ask(self, question: Ask) -> Answer:
            found = ask(question)
            return Answer(found.text, name, found.usage)

        def close(self) -> None:
            """Nothing is open."""

    pipe.dispatcher.chosen = auto.Chosen("openai", Named(), "set")
    pipe.turn(1)
    pipe.drain()
    model = pipe.one("SELECT model FROM ledger WHERE provider <> 'rules'")
    assert model.startswith("evil")
    assert len(model) <= 100
    assert not any(c in model for c in "\n<\u202e")


def test_a_draft_that_rules_drop_during_a_call_costs_no_second_one(tmp_path: Path) -> None:
    """Only what was forgotten makes an answer void."""

    def dropping(ask: Ask) -> str:
        query = "DELETE FROM observations WHERE distilled_by LIKE 'rules/%'"
        made.database.write(lambda db: db.execute(query))
        return observing(ask)

    made = Modelled(tmp_path, dropping)
    made.turn(1)
    made.drain()
    assert len(made.provider.asked) == 1
    assert made.one("SELECT count(*) FROM observations WHERE distilled_by LIKE 'openai/%'") == 1
    made.close()


def test_empty_answers_for_ever_pause_the_provider(tmp_path: Path) -> None:
    """They may mean nothing worth recording; in a row they mean that it does not work."""
    pipe = Modelled(tmp_path, lambda ask: "")
    query = "SELECT count(*) FROM jobs WHERE kind = 'model' AND state <> 'done'"
    for number in range(1, 4):
        pipe.turn(number)
        pipe.drain(60, until=lambda: pipe.one(query) == 0)
    assert len(pipe.provider.asked) == 6
    assert "its answers are empty" in pipe.dispatcher.trouble()
    pipe.close()


def test_lost_calls_count_as_the_latest_answers_did(pipe: Modelled) -> None:
    """And a bill dated in the future counts on its own day only."""
    pipe.provider.usage = Usage(2_000, 3_000)
    pipe.turn(1)
    pipe.drain()
    pipe.turn(2)
    pipe.run()
    pipe.database.write(model_queue.open_recent)
    planned = pipe.dispatcher.plan(pipe.db)
    assert planned is not None
    label, before = pipe.provider.label, ledger.budget(pipe.db, pipe.config)
    assert pipe.database.write(lambda db: adopt.claim(db, planned, label, before))
    pipe.database.write(model_queue.release_jobs)
    assert ledger.budget(pipe.db, pipe.config).tokens_out == before.tokens_out - min(
        3_000, planned.held[1]
    )
    later = sqlite.now_ms() + 9 * ledger.DAY_MS
    query = "UPDATE ledger SET at = ?, tokens_in = 10000000 WHERE provider <> 'rules'"
    pipe.database.write(lambda db: db.execute(query, (later,)))
    assert not planning.is_capped(ledger.budget(pipe.db, pipe.config))


def test_a_turn_that_nobody_closed_reaches_the_model_once_all_is_quiet(pipe: Modelled) -> None:
    """Rules ran at 25 tool uses, then the client crashed."""
    here = {"session_id": "s1", "prompt_id": "s1-1"}
    pipe.put(event("UserPromptSubmit", prompt="Go on and on.", **here))
    for at in range(26):
        pipe.put(tool(f"toolu_{at}", f"make part{at}", **here))
    pipe.run()
    pipe.database.write(pipe.pump.housekeeping)
    assert pipe.one("SELECT count(*) FROM jobs WHERE kind = 'model'") == 0
    pipe.database.write(lambda db: db.execute("UPDATE sessions SET last_at = last_at - 7200000"))
    pipe.database.write(pipe.pump.housekeeping)
    assert pipe.one("SELECT count(*) FROM jobs WHERE kind = 'model'") == 1


def test_with_auto_nothing_is_sent_before_the_user_was_told(tmp_path: Path) -> None:
    """A login that was found is not spent in silence."""
    pipe = Modelled(tmp_path, provider="auto")
    pipe.turn(1)
    pipe.drain(1)
    assert pipe.provider.asked == []
    assert pipe.dispatcher.status()["state"] == "untold"
    assert "small-1" in pipe.dispatcher.take_notice()
    assert announcement.is_told(pipe.config, pipe.provider.label)
    pipe.drain()
    assert len(pipe.provider.asked) == 1
    assert pipe.dispatcher.take_notice() == ""
    pipe.close()


def test_one_that_is_held_begins_no_call(pipe: Modelled) -> None:
    """The worker is about to be stopped: what waits goes to the next one."""
    pipe.turn(1)
    pipe.dispatcher.hold(60.0)
    pipe.drain(0.5)
    assert pipe.provider.asked == []
    pipe.dispatcher.hold(0.0)
    pipe.drain()
    assert len(pipe.provider.asked) == 1
