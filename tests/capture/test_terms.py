"""What is learned of a provider: how long answers are, what they cost, when to stop paying."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backstory.capture import calls, dispatch, ledger, model_queue, planning, standing
from backstory.capture.providers.base import Answer, Ask, Trouble, Usage
from backstory.capture.terms import MOST_RATIO, Terms
from backstory.estimate import estimate_tokens
from tests.support.modelled import Modelled, Scripted, observing

JOBS = "SELECT DISTINCT state, attempts FROM jobs WHERE kind = 'model'"


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


class Thinking(Scripted):
    """A model that thinks for so many tokens before it answers."""

    def __init__(self, thought: int) -> None:
        super().__init__(observing)
        self.thought = thought

    def ask(self, ask: Ask) -> Answer:
        """Makes one call."""
        self.asked.append(ask)
        said = observing(ask)
        needed = self.thought + estimate_tokens(said)
        if needed > ask.max_tokens:
            return Answer("", "small-1", Usage(2_000, ask.max_tokens), is_cut=True)
        return Answer(said, "small-1", Usage(2_000, needed))


def think(pipe: Modelled, tokens: int) -> Thinking:
    """Has such a model distil."""
    pipe.provider = made = Thinking(tokens)
    pipe.dispatcher = pipe.new_dispatcher()
    return made


def think_later(pipe: Modelled, tokens: int) -> Thinking:
    """The same, while the worker runs."""
    pipe.provider = made = Thinking(tokens)
    pipe.dispatcher.chosen = replace(pipe.dispatcher.chosen, provider=made)
    return made


def test_an_answer_that_is_cut_may_be_longer_the_next_time(pipe: Modelled) -> None:
    """A model that thinks first: no good answer ever fitted, so the turn loses no attempt."""
    model = think(pipe, 2_500)
    pipe.turn(1)
    pipe.drain(20, until=lambda: pipe.rows(JOBS) == [("done", 0)])
    first, second = (ask.max_tokens for ask in model.asked)
    assert second == 2 * first
    pipe.dispatcher = pipe.new_dispatcher()  # a worker that starts knows it, too
    pipe.turn(2)
    pipe.drain(20, until=lambda: pipe.rows(JOBS) == [("done", 0)])
    assert len(model.asked) == 3


def test_turns_whose_answer_was_cut_go_alone_before_answers_grow(pipe: Modelled) -> None:
    """One of them may be what it was cut for."""
    model = think(pipe, 2_500)
    for number in range(1, 4):
        pipe.turn(number)
    pipe.drain(20, until=lambda: pipe.rows(JOBS) == [("done", 0)])
    assert [ask.max_tokens for ask in model.asked][:3] == [3_000, 1_800, 3_600]
    assert len(model.asked) == 5


class Looping(Scripted):
    """A model that never comes to an end about one turn."""

    def __init__(self, word: str) -> None:
        super().__init__(observing)
        self.event = re.compile(rf"^t\d+e\d+ .*\b{word}\b", re.MULTILINE)
        self.cuts: list[int] = []

    def ask(self, ask: Ask) -> Answer:
        """Makes one call."""
        self.asked.append(ask)
        if self.event.search(ask.batch):
            self.cuts.append(ask.max_tokens)
            return Answer('{"observations": [{"t', "small-1", Usage(2_000, ask.max_tokens), True)
        return Answer(observing(ask), "small-1", Usage(2_000, 300))


@pytest.mark.parametrize("comes", ["first", "later", "in company"])
def test_one_turn_whose_answer_is_always_cut_leaves_the_day_to_the_others(
    tmp_path: Path, comes: str
) -> None:
    """Its attempts are its own: given up after little, whenever it comes, and nothing grows."""
    pipe = Modelled(tmp_path)
    pipe.provider = model = Looping("s1x1x0")
    pipe.dispatcher = pipe.new_dispatcher()
    if comes == "later":
        pipe.turn(9, session="s9")
        pipe.drain()
    for number in range(1, 8):
        here: dict[str, Any] = (
            {} if comes == "in company" else {"session": f"s{number}", "cwd": f"/p{number}"}
        )
        pipe.turn(number, **here)
    ended = "SELECT count(*) FROM jobs WHERE kind = 'model' AND state NOT IN ('done', 'dead')"
    pipe.drain(until=lambda: bool(model.cuts) and pipe.one(ended) == 0)
    dead = pipe.rows("SELECT prompt FROM jobs WHERE kind = 'model' AND state = 'dead'")
    assert len(dead) == 1
    assert sum(model.cuts) <= 30_000
    assert len(model.cuts) <= model_queue.ATTEMPTS + 3
    terms = pipe.dispatcher.calls.terms(ledger.cuts(pipe.db, "openai"), 60_000)
    assert terms.stretch == 1
    pipe.close()


def test_a_model_that_begins_to_think_has_longer_answers_again(pipe: Modelled) -> None:
    """Several turns in a row are cut, where all went well before: then it is not the turns."""
    pipe.turn(1)
    pipe.drain()
    model = think_later(pipe, 6_000)
    for number in range(2, 8):
        pipe.turn(number, uses=12, session=f"s{number}", cwd=f"/p{number}")
    ended = [("done", 0)]
    pipe.drain(40, until=lambda: pipe.rows(JOBS) == ended)
    assert max(ask.max_tokens for ask in model.asked) >= 7_200


def test_an_answer_that_is_cut_whatever_is_allowed_is_given_up(tmp_path: Path) -> None:
    """After few calls, and its reason says that it was cut, and where."""
    pipe = Modelled(tmp_path, daily_output_tokens=200_000)
    model = think(pipe, 1_000_000)
    pipe.turn(1)
    pipe.drain(30, until=lambda: pipe.rows(JOBS) == [("dead", model_queue.ATTEMPTS)])
    allowed = [ask.max_tokens for ask in model.asked]
    assert allowed[:4] == [1_800, 3_600, 7_200, 14_400]
    assert len(allowed) == 3 + model_queue.ATTEMPTS
    assert "cut at 14,400 tokens" in pipe.one("SELECT error FROM jobs WHERE kind = 'model'")
    pipe.close()


def test_no_more_turns_go_into_a_call_than_the_rest_of_the_day_can_answer(tmp_path: Path) -> None:
    """Twelve small turns would fit into its input."""
    pipe = Modelled(tmp_path, daily_output_tokens=1_600)
    for number in range(1, 13):
        pipe.turn(number)
    pipe.run()
    pipe.database.write(model_queue.open_recent)
    planned = pipe.dispatcher.plan(pipe.db)
    assert planned is not None
    assert (len(planned.pieces), planned.max_tokens) == (1, 1_600)
    pipe.close()


def test_a_cut_at_the_end_of_the_day_costs_no_attempt(tmp_path: Path) -> None:
    """What was left of the cap was too little, which is no fault of the turn."""
    pipe = Modelled(tmp_path, daily_output_tokens=5_000)
    spent = Usage(1_000, 3_500)
    pipe.provider.usage = spent
    pipe.turn(1)
    pipe.drain()
    model = think(pipe, 1_500)
    pipe.turn(2)
    pipe.drain(20, until=lambda: pipe.dispatcher.status()["state"] == "capped")
    assert [ask.max_tokens for ask in model.asked] == [1_500]
    query = "SELECT state, attempts, error FROM jobs WHERE kind = 'model' AND state <> 'done'"
    assert pipe.rows(query) == [("pending", 0, "its answers are cut at 1,500 tokens")]
    pipe.close()


def test_no_batch_is_paid_for_at_every_start_of_a_worker(tmp_path: Path) -> None:
    """The first time may be an accident; in the end its turns stay with the rules."""
    trouble = Trouble("busy", "a fault of its own", usage=Usage(900, 70))
    pipe = Modelled(tmp_path, lambda ask: trouble)
    pipe.turn(1)
    pipe.drain(20, until=lambda: len(pipe.provider.asked) == 1)
    assert pipe.rows(JOBS) == [("pending", 0)]
    for _ in range(12):
        pipe.dispatcher = pipe.new_dispatcher()
        pipe.database.write(model_queue.release_jobs)
        pipe.database.write(model_queue.make_due)
        pipe.drain(0.2)
    assert len(pipe.provider.asked) == model_queue.ATTEMPTS + 1
    assert pipe.rows(JOBS) == [("dead", model_queue.ATTEMPTS)]
    pipe.close()


NOBODY_KNOWS = [
    Trouble("busy", "answered with something that is no answer of its API", may_be_billed=True),
    Trouble("unreachable", "closed before its answer ended", may_be_billed=True),
    Trouble("timeout", "no answer within 120 s"),
]


@pytest.mark.parametrize("trouble", NOBODY_KNOWS)
def test_what_may_have_been_billed_waits_whatever_is_started_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: Trouble
) -> None:
    """A pause is forgotten with its worker; the wait of a turn is not."""
    pipe = Modelled(tmp_path, lambda ask: trouble)
    pipe.turn(1)
    pipe.drain(20, until=lambda: len(pipe.provider.asked) == 1)
    monkeypatch.setattr(standing, "PAUSE_S", (600.0, 7_200.0))
    for _ in range(6):
        pipe.dispatcher = pipe.new_dispatcher()
        pipe.database.write(model_queue.release_jobs)
        asyncio.run(pipe._drain(0.2, lambda: False))
    assert len(pipe.provider.asked) == 2
    assert pipe.rows(JOBS) == [("pending", 0)]
    pipe.close()


@pytest.mark.parametrize("trouble", NOBODY_KNOWS)
def test_an_outage_costs_the_turns_nothing_however_long_it_is(
    tmp_path: Path, trouble: Trouble
) -> None:
    """Connections that are closed, and services that hang: when one answers, all are made."""
    failures = iter([trouble] * 15)
    pipe = Modelled(tmp_path, lambda ask: next(failures, None) or observing(ask))
    for number in range(1, 4):
        pipe.turn(number)
    pipe.drain(20, until=lambda: pipe.rows(JOBS) == [("done", 0)])
    assert len(pipe.provider.asked) == 16
    pipe.close()


@pytest.mark.parametrize("trouble", NOBODY_KNOWS)
def test_a_turn_that_fails_while_others_go_well_is_given_up(
    tmp_path: Path, trouble: Trouble
) -> None:
    """Its own fault, then: each time that another was answered since counts."""

    def says(ask: Ask) -> str | Exception:
        return trouble if "thing1 of s1" in ask.batch else observing(ask)

    pipe = Modelled(tmp_path, says)
    pipe.turn(1, cwd="/p1")
    dead = "SELECT count(*) FROM jobs WHERE kind = 'model' AND state = 'dead'"
    for number in range(2, 12):
        pipe.turn(number, session=f"s{number}", cwd=f"/p{number}")
        pipe.drain(0.5)
        if pipe.one(dead):
            break
    assert pipe.one(dead) == 1
    pipe.close()


def test_a_service_that_bills_far_more_than_estimated_passes_the_cap_by_one_call(
    tmp_path: Path,
) -> None:
    """Four sessions wait; until the first bill is there, one call is made."""
    pipe = Modelled(tmp_path, daily_input_tokens=60_000, daily_output_tokens=20_000)
    pipe.provider.delay_s = 0.2
    pipe.provider.usage = Usage(200_000, 9_000)
    for number in range(4):
        pipe.turn(1, uses=12, session=f"s{number}", cwd=f"/p{number}")
    pipe.drain(20, until=lambda: pipe.dispatcher.status()["state"] == "capped")
    assert pipe.rows("SELECT tokens_in FROM ledger WHERE provider <> 'rules'") == [(200_000,)]
    needs = pipe.dispatcher.status()["needs"]
    assert needs["tokens_in"] > 10 * planning.fixed_tokens()
    pipe.close()


def most_at_once(pipe: Modelled) -> int:
    """The calls that may be made beside each other, asked anew each time."""
    return pipe.dispatcher.most_at_once


def test_what_is_reserved_follows_the_latest_bill(pipe: Modelled) -> None:
    """Never less than the estimate, and within bounds."""

    def reserved(times: float) -> float:
        planned = pipe.dispatcher.plan(pipe.db)
        assert planned is not None
        usage = Usage(int(planned.tokens_in * times), planned.max_tokens // 2)
        pipe.dispatcher.calls.billed(planned, usage)
        again = pipe.dispatcher.plan(pipe.db)
        assert again is not None
        assert again.held[1] == again.max_tokens
        return again.held[0] / again.tokens_in

    pipe.turn(1, uses=12)
    pipe.run()
    pipe.database.write(model_queue.open_recent)
    assert most_at_once(pipe) == 1
    assert reserved(3.0) == pytest.approx(3.0, abs=0.01)
    assert most_at_once(pipe) == dispatch.PARALLEL
    assert reserved(0.2) == 1.0
    assert reserved(1_000.0) == pytest.approx(MOST_RATIO, abs=0.01)
    assert most_at_once(pipe) == 1


def test_the_first_lost_call_of_a_day_counts_in_full(pipe: Modelled) -> None:
    """And later ones as answers are: a worker that is killed again and again has a day left."""
    pipe.turn(1)
    pipe.run()
    label = pipe.provider.label
    for _ in range(3):
        pipe.database.write(lambda db: ledger.reserve(db, 1, label, 2_000, 6_000))
        pipe.database.write(model_queue.release_jobs)
    kept = pipe.rows("SELECT state, tokens_out FROM reservations ORDER BY id")
    assert kept == [("lost", 6_000), ("lost", ledger.LOST_OUTPUT), ("lost", ledger.LOST_OUTPUT)]


def test_a_call_whose_end_cannot_be_stored_is_not_made_again_at_once(
    pipe: Modelled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is raised there; the user is told."""
    monkeypatch.setattr(standing, "PAUSE_S", (600.0, 7_200.0))
    pipe.provider.says = lambda ask: Trouble("refused", "HTTP 400")

    def broken(*_: object, **__: object) -> None:
        raise ValueError("a bug of ours")

    monkeypatch.setattr(model_queue, "give_back", broken)
    pipe.turn(1)
    pipe.drain(2.0)
    assert len(pipe.provider.asked) == 1
    assert "could not be stored" in pipe.dispatcher.trouble()
    assert "paused until" in pipe.dispatcher.take_notice()


@pytest.mark.parametrize("ratio", [1.1, 1320 / 1200, 1.3, 7 / 3, 9.99])
def test_what_fits_into_the_rest_of_the_day_is_billed_within_it(ratio: float) -> None:
    """No product is rounded up by one: what was planned would be refused, and planned again."""
    terms = Terms(ratio_in=ratio, ratio_out=ratio)
    for left in range(1_000, 4_000):
        share = terms.share(ledger.Budget(left, left))
        assert max(terms.bill(share.tokens_in, share.tokens_out)) <= left
        assert min(terms.bill(share.tokens_in + 2, share.tokens_out + 2)) > left


def test_terms_never_shrink_below_the_usual() -> None:
    """A cap of nearly nothing, and the most that may be asked for."""
    assert Terms(day_out=10).answer(1) == Terms().least_answer == 1_200
    assert Terms(stretch=8).answer(20) == 16_000
    assert Terms(stretch=8).grown == Terms(stretch=8)
