"""The worker and a model: few calls, every event once, within the cap, and whatever ends it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory import instance
from tests.support.distilling import Distilling, Gate, Replies, Speaks, distilling
from tests.support.home import until
from tests.support.killing import MODEL_S, kill_again_and_again
from tests.support.model_api import fails
from tests.support.work import Work, mark

BOTH: list[Speaks] = ["openai", "anthropic"]


@pytest.fixture
def gate() -> Gate:
    """A model that answers when the test lets it."""
    return Gate()


@pytest.fixture
def gated(gate: Gate, tmp_path: Path) -> Iterator[Distilling]:
    """A user whose model hangs."""
    with distilling(tmp_path, gate) as home:
        yield home
        gate.opened.set()


@pytest.fixture(params=BOTH)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Distilling]:
    """A user whose model answers after a moment."""
    with distilling(tmp_path, Replies(delay_s=0.1), request.param) as made:
        yield made


def assert_each_sent_once(home: Distilling, uses: int) -> None:
    """Every tool use of made-up work, in one call."""
    sent = home.sent()
    assert sorted(sent) == [mark(number) for number in range(1, uses + 1)]
    assert set(sent.values()) == {1}


def test_large_turns_cost_few_calls_and_tokens(home: Distilling) -> None:
    """A fifth of the measured thousand: 13 calls and 700 tokens a tool use would be the bar."""
    home.start()
    work = Work(home.project)
    for number in range(1, 5):
        home.put(work.turn("s1", number, 50))
    home.drain()
    assert len(home.api.requests) <= 13
    assert sum(tokens for tokens, _ in home.billed()) / 200 <= 700
    assert_each_sent_once(home, 200)
    assert home.unfinished() == []
    assert set(home.rows_a_turn().values()) == {1}
    assert home.ledger() == home.billed()
    home.drain()
    assert len(home.api.requests) <= 13


def test_a_backlog_is_drained_in_few_calls(tmp_path: Path) -> None:
    """300 events of several sessions and turns that came while no worker ran."""
    with distilling(tmp_path, Replies(delay_s=0.2)) as home:
        work = Work(home.project)
        for number in range(1, 16):
            for session in ("s1", "s2", "s3", "s4"):
                home.put(work.turn(session, number, 3))
        home.start()
        home.drain()
        assert len(home.api.requests) <= 25
        assert home.api.most_at_once <= 2
        assert_each_sent_once(home, 180)
        assert home.unfinished() == []
        assert home.ledger() == home.billed()


def test_a_killed_worker_leaves_every_batch_to_be_done_once(tmp_path: Path) -> None:
    """D1, D2: kill -9 at random points between claim and commit; benchmarks do it 50 times."""
    with distilling(tmp_path, Replies(delay_s=MODEL_S)) as home:
        kill_again_and_again(home, 8, random.Random(8))
        assert home.unfinished() == []
        assert set(home.rows_a_turn().values()) == {1}
        assert home.one("SELECT count(*) FROM summaries") == home.one(
            "SELECT count(*) FROM prompts"
        )
        bills, service = home.ledger(), home.billed()
        assert all(bills.count(bill) <= service.count(bill) for bill in bills)
        assert len(bills) + home.lost() >= len(home.api.requests)


@pytest.mark.parametrize("cap", [{"daily_input_tokens": 24_000}, {"daily_output_tokens": 3_000}])
def test_beyond_the_cap_rules_have_every_turn(tmp_path: Path, cap: dict[str, Any]) -> None:
    """Passed by no more than one call; the rest waits, and the user sees why."""
    with distilling(tmp_path, Replies(), **cap) as home:
        home.start()
        work = Work(home.project)
        for number in range(1, 7):
            home.put(work.turn("s1", number, 40))
        home.flush()
        until(
            lambda: home.distiller["state"] == "capped" and not home.distiller["running"],
            "the cap is reached",
        )
        billed = home.billed()
        assert 0 < len(billed) < 6
        for at, name in enumerate(("daily_input_tokens", "daily_output_tokens")):
            most = cap.get(name, 1_000_000)
            assert sum(bill[at] for bill in billed) <= most + max(bill[at] for bill in billed)
        waiting = home.rows(
            "SELECT p.id, s.distilled_by, (SELECT count(*) FROM observations o WHERE o.prompt ="
            " p.id AND o.distilled_by LIKE 'rules/%') FROM prompts p JOIN summaries s"
            " ON s.prompt = p.id WHERE NOT p.model_closed"
        )
        assert len(waiting) >= 6 - len(billed)
        for _, by, rows in waiting:
            assert by.startswith("rules/")
            assert rows > 0
        assert home.ask("GET", "/api/health")["status"] == "ok"
        status = home.cli("status")
        assert status.returncode == 0
        assert "cap" in status.stdout
        home.drain()
        assert len(home.api.requests) == len(billed)


def test_another_try_is_made_at_once_by_whoever_asks_for_it(tmp_path: Path) -> None:
    """`distill --retry` ends the pause and the wait of its turns, `drain --requeue` too."""
    limit = fails(429, "usage limit reached", retry_after="86400")
    with distilling(tmp_path, Replies(limit, limit, limit)) as home:
        home.start()
        home.turn(1)
        home.flush()
        until(lambda: home.distiller["state"] == "paused", "it is paused")
        assert "1 turn tried again" in home.cli("distill", "--retry").stdout
        until(lambda: len(home.api.requests) == 2, "it was asked again")
        until(lambda: home.distiller["state"] == "paused", "it is paused again")
        home.cli("drain", "--requeue", "--timeout", "5")
        until(lambda: len(home.api.requests) == 3, "it was asked once more")
        until(lambda: home.distiller["state"] == "paused", "and paused")
        home.set(api_key="another-key")
        home.restart()
        until(lambda: len(home.api.requests) == 4 and not home.unfinished(), "other settings did")


def test_health_and_capture_go_on_while_a_call_hangs(gated: Distilling, gate: Gate) -> None:
    """A model that takes a minute keeps nobody waiting."""
    gated.start()
    gated.turn(1)
    gated.flush()
    gate.came.wait(20)
    assert gated.ask("GET", "/api/health")["status"] == "ok"
    assert gated.distiller["running"] == 1
    assert gated.ask("GET", f"/api/search?query=matter&cwd={gated.project}")["rows"]
    gated.turn(2, session="s2")
    until(lambda: gated.rows("SELECT 1 FROM prompts WHERE number = 1 AND id = 2"), "it is stored")
    assert not gate.opened.is_set()
    gate.opened.set()
    gated.drain()
    assert gated.unfinished() == []


def test_stopping_during_a_call_leaves_its_turn_to_the_next_worker(
    gated: Distilling, gate: Gate
) -> None:
    """D2: it ends at once, not with the call; the call counts as one that may be billed."""
    gated.start()
    gated.turn(1)
    gated.flush()
    gate.came.wait(20)
    assert instance.stop(gated.data) is True
    assert gated.children[0].wait(10) == 0
    assert not gate.opened.is_set()
    assert gated.unfinished() != []
    gate.opened.set()
    gated.start()
    gated.drain()
    assert len(gated.api.requests) == 2
    assert gated.unfinished() == []
    assert list(gated.rows_a_turn().values()) == [1]
    assert (len(gated.ledger()), gated.lost()) == (1, 1)
