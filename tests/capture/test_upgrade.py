"""Upgrading what rules alone distilled: what it would cost, and which turns it opens."""

from __future__ import annotations

from typing import Any

import pytest

from backstory.capture import ledger, planning, prices, upgrade
from backstory.capture.providers.base import Label, Usage
from backstory.errors import BadInput
from backstory.recall.query import parse_date
from tests.support.home import event, tool
from tests.support.pipeline import START, Pipeline

CAP = {"daily_input_tokens": 500_000, "daily_output_tokens": 60_000}
DAY_MS = 24 * 3_600_000


def turn(pipe: Pipeline, number: int, uses: int = 3, cwd: str = "/shop", **more: Any) -> int:
    """A turn that rules have distilled; its row id."""
    same = {"session_id": f"s{cwd}{number}", "prompt_id": f"p{number}", "cwd": cwd}
    pipe.feed(
        event("UserPromptSubmit", prompt=f"Do thing {number}, please.", **same),
        *(
            tool(
                f"toolu_{cwd}_{number}_{one}",
                f"make part{one}",
                tool_response={"stdout": "built\n" * 30, "stderr": "", "interrupted": False},
                **same,
            )
            for one in range(uses)
        ),
        event("Stop", last_assistant_message=f"We decided on {number} as it is fast.", **same),
        **more,
    )
    return int(pipe.one("SELECT max(id) FROM prompts"))


def opened(pipe: Pipeline) -> list[int]:
    """The turns with an open job of a model."""
    query = "SELECT prompt FROM jobs WHERE kind = 'model' AND state = 'pending' ORDER BY prompt"
    return [row[0] for row in pipe.rows(query)]


def owner(pipe: Pipeline, name: str) -> int:
    """A project's id."""
    return int(pipe.one("SELECT id FROM projects WHERE name = ?", name))


def test_turns_that_rules_alone_distilled_are_opened_once(pipe: Pipeline) -> None:
    """Those that a model has seen, or is about to see, are not."""
    first, second, third = (turn(pipe, number) for number in range(3))
    newest = pipe.one("SELECT max(id) FROM tool_uses WHERE prompt = ?", second)
    pipe.db.execute(
        "UPDATE prompts SET model_uses = ?, model_closed = 1 WHERE id = ?", (newest, second)
    )
    assert upgrade.open_upgrades(pipe.db) == 2
    assert opened(pipe) == [first, third]
    assert upgrade.open_upgrades(pipe.db) == 0
    assert upgrade.find(pipe.db).turns == ()


def test_what_a_model_has_seen_in_part_is_upgraded_from_there(pipe: Pipeline) -> None:
    """Nothing is sent twice."""
    prompt = turn(pipe, 1, uses=5)
    first = pipe.one("SELECT min(id) FROM tool_uses WHERE prompt = ?", prompt)
    pipe.db.execute("UPDATE prompts SET model_uses = ? WHERE id = ?", (first + 1, prompt))
    assert [one.uses for one in upgrade.find(pipe.db).turns] == [3]


def test_a_turn_that_still_runs_is_not_an_older_one(pipe: Pipeline) -> None:
    """Its end has it distilled as always."""
    same = {"session_id": "s1", "prompt_id": "p1", "cwd": "/shop"}
    pipe.feed(event("UserPromptSubmit", prompt="go", **same), tool("toolu_1", **same))
    assert upgrade.find(pipe.db).turns == ()


def test_a_project_and_a_time_narrow_it(pipe: Pipeline) -> None:
    """An excluded project is left out, and told; a glob counts too."""
    early = turn(pipe, 1)
    pipe.clock = START + 10 * DAY_MS * 1_000_000
    late, bank = turn(pipe, 2), turn(pipe, 3, cwd="/bank")
    shop = owner(pipe, "shop")
    assert [one.prompt for one in upgrade.find(pipe.db, shop).turns] == [early, late]
    since = START // 1_000_000 + DAY_MS
    assert [one.prompt for one in upgrade.find(pipe.db, None, since).turns] == [late, bank]
    found = upgrade.find(pipe.db, None, 0, ["/ban*"])
    assert ([one.prompt for one in found.turns], found.excluded) == ([early, late], 1)
    assert upgrade.open_upgrades(pipe.db, shop, since) == 1
    assert opened(pipe) == [late]


def test_a_turn_whose_raw_texts_are_gone_is_left_out(pipe: Pipeline) -> None:
    """There is nothing that a model could read."""
    turn(pipe, 1)
    turn(pipe, 2)
    pipe.db.execute(
        "DELETE FROM tool_io WHERE tool_use IN (SELECT id FROM tool_uses WHERE prompt = 1)"
    )
    found = upgrade.find(pipe.db)
    assert (len(found.turns), found.faded) == (1, 1)


def test_a_turn_that_only_said_something_counts_where_rules_kept_it(pipe: Pipeline) -> None:
    """A greeting does not."""
    decided = turn(pipe, 1, uses=0)
    same = {"session_id": "hello", "prompt_id": "hello", "cwd": "/shop"}
    pipe.feed(
        event("UserPromptSubmit", prompt="Hi!", **same),
        event("Stop", last_assistant_message="Hello!", **same),
    )
    assert pipe.one("SELECT count(*) FROM observations WHERE prompt = ?", decided) > 0
    assert [one.prompt for one in upgrade.find(pipe.db).turns] == [decided]


def test_nothing_to_upgrade_costs_nothing(pipe: Pipeline) -> None:
    """No call, no day."""
    found = upgrade.estimate(pipe.db, CAP, upgrade.find(pipe.db), "anthropic", "claude-haiku-4-5")
    assert (found.turns, found.calls, found.tokens_in, found.tokens_out) == (0, 0, 0, 0)
    assert (found.price_usd, found.days) == (0, 0)


def test_an_estimate_is_what_the_calls_would_send(pipe: Pipeline) -> None:
    """Compared with the plans of the calls themselves, one after another."""
    for number in range(30):
        turn(pipe, number, uses=number % 9)
    found = upgrade.estimate(pipe.db, CAP, upgrade.find(pipe.db), "openai", "gpt-6-luna")
    upgrade.open_upgrades(pipe.db)
    budget = ledger.Budget(10**9, 10**9)
    calls = tokens = turns = 0
    while (plan := planning.plan(pipe.db, budget)) is not None:
        calls, tokens = calls + bool(plan.pieces), tokens + plan.tokens_in * bool(plan.pieces)
        for piece in (*plan.pieces, *plan.trifles):
            pipe.db.execute("UPDATE jobs SET state = 'done' WHERE id = ?", (piece.job,))
            turns += 1
    assert turns == found.turns
    assert abs(calls - found.calls) <= 1
    assert tokens == pytest.approx(found.tokens_in, rel=0.25)
    assert found.price_usd == pytest.approx(
        prices.price("gpt-6-luna", found.tokens_in, found.tokens_out), abs=1e-4
    )


def test_a_large_estimate_looks_at_some_of_the_turns(
    pipe: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says at how many; the rest is taken to be like them."""
    for number in range(20):
        turn(pipe, number, uses=4)
    found = upgrade.find(pipe.db)
    whole = upgrade.estimate(pipe.db, CAP, found)
    monkeypatch.setattr(upgrade, "SAMPLE", 6)
    part = upgrade.estimate(pipe.db, CAP, found)
    assert (whole.sampled, part.sampled) == (20, 6)
    assert part.turns == 20
    assert part.tokens_in == pytest.approx(whole.tokens_in, rel=0.05)
    monkeypatch.setattr(upgrade, "SAMPLE_S", 0.0)
    assert upgrade.estimate(pipe.db, CAP, found).sampled == 1


def test_the_length_of_answers_is_what_it_was_lately(pipe: Pipeline) -> None:
    """Once there were five calls of this provider."""
    turn(pipe, 1)
    found = upgrade.find(pipe.db)
    guessed = upgrade.estimate(pipe.db, CAP, found, "anthropic").tokens_out
    for _ in range(5):
        spend(pipe, "anthropic", "claude-haiku-4-5", 1_000, 2_000)
    known = upgrade.estimate(pipe.db, CAP, found, "anthropic")
    assert known.tokens_out == pytest.approx(2 * known.tokens_in, abs=2)
    assert upgrade.estimate(pipe.db, CAP, found, "openai").tokens_out == guessed


def test_a_model_with_another_name_is_priced_by_the_one_that_answered(pipe: Pipeline) -> None:
    """`haiku` is what the settings of claude-cli say."""
    turn(pipe, 1)
    found = upgrade.find(pipe.db)
    assert upgrade.estimate(pipe.db, CAP, found, "claude-cli", "haiku").price_usd is None
    spend(pipe, "claude-cli", "claude-haiku-4-5-20251001", 1_000, 100)
    known = upgrade.estimate(pipe.db, CAP, found, "claude-cli", "haiku")
    assert known.model == "claude-haiku-4-5-20251001"
    assert known.price_usd


def spend(pipe: Pipeline, provider: str, model: str, tokens_in: int, tokens_out: int) -> None:
    """A call that was made."""
    label = Label(provider, model)
    call = ledger.reserve(pipe.db, 1, label, 1, 1)
    ledger.settle(pipe.db, call, label, Usage(tokens_in, tokens_out), project=1)


@pytest.mark.parametrize(
    ("needs", "spent", "days"),
    [
        ((499_000, 1_000), (0, 0), 1),
        ((501_000, 1_000), (0, 0), 2),
        ((1_600_000, 1_000), (0, 0), 4),
        ((1_000, 61_000), (0, 0), 2),
        ((400_000, 1_000), (200_000, 0), 2),
        ((400_000, 1_000), (700_000, 90_000), 2),
        ((0, 0), (0, 0), 0),
    ],
)
def test_days_at_the_cap(
    pipe: Pipeline, needs: tuple[int, int], spent: tuple[int, int], days: int
) -> None:
    """The tighter one of the two counts, and what is left of today."""
    turn(pipe, 1)
    if any(spent):
        spend(pipe, "openai", "x", *spent)
    assert upgrade.days_at_cap(pipe.db, CAP, *needs) == days
    assert upgrade.days_at_cap(pipe.db, {**CAP, "daily_input_tokens": 0}, *needs) is None


def test_since_is_a_date() -> None:
    """Anything else is refused by name."""
    assert parse_date("2026-05-28", "since") < START // 1_000_000
    with pytest.raises(BadInput, match="since"):
        parse_date("last week", "since")
