"""Reports of what distilling by a model cost and what waits for it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from backstory.capture import model_queue, spending
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline

NOW = int(datetime(2026, 10, 31, 12, tzinfo=UTC).timestamp() * 1000)
HOUR = 3_600_000
CAP = {"daily_input_tokens": 10_000, "daily_output_tokens": 2_000}


def call(pipe: Pipeline, hours_ago: float = 0, project: int | None = None, **fields: Any) -> None:
    """A call of a model in the ledger."""
    row = {
        "at": NOW - int(hours_ago * HOUR),
        "project": project,
        "provider": "anthropic",
        "model": "claude-haiku-4-5",
        "tokens_in": 1_000,
        "tokens_out": 100,
        "tool_uses": 4,
        "rows_written": 2,
        "duration_ms": 3_000,
        **fields,
    }
    names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    pipe.db.execute(f"INSERT INTO ledger ({names}) VALUES ({marks})", row)


def projects(pipe: Pipeline, *names: str) -> list[int]:
    """New projects; their ids."""
    query = "INSERT INTO projects (name, root, created_at) VALUES (?, ?, 0) RETURNING id"
    return [pipe.one(query, name, f"/{name}") for name in names]


def test_nothing_spent_is_a_report_too(pipe: Pipeline) -> None:
    """Every number is there, and zero."""
    found = spending.report(pipe.db, CAP, now=NOW)
    assert found["today"]["calls"] == 0
    assert found["today"]["price_usd"] == 0
    assert found["left"] == {"tokens_in": 10_000, "tokens_out": 2_000}
    assert found["batch"] == {}
    assert (found["by_day"], found["by_project"], found["by_model"]) == ([], [], [])
    assert found["waiting"] == {
        "turns": 0,
        "until": 0,
        "waits_for": "",
        "under_way": 0,
        "given_up": 0,
        "why": "",
        "tool_uses": 0,
    }
    json.dumps(found)


def test_days_and_months_are_of_utc(pipe: Pipeline) -> None:
    """The first of a month of 31 days is still in it; calls of rules cost nothing."""
    call(pipe, 1)
    call(pipe, 11.9)
    call(pipe, 12.1)
    call(pipe, 30 * 24 + 11)
    call(pipe, 30 * 24 + 13)
    call(pipe, 1, provider="rules", tokens_in=0, tokens_out=0)
    found = spending.summary(pipe.db, CAP, NOW)
    assert found["day"] == "2026-10-31"
    assert found["today"]["calls"] == 2
    assert found["month"]["calls"] == 4
    assert found["left"] == {"tokens_in": 8_000, "tokens_out": 1_800}


def test_calls_under_way_count_against_the_cap(pipe: Pipeline) -> None:
    """So do lost ones; nothing is ever less than none left."""
    reserve = (
        "INSERT INTO reservations (at, provider, tokens_in, tokens_out, state) "
        "VALUES (?, 'anthropic', 3000, 700, ?)"
    )
    for at, state in ((NOW, "open"), (NOW - HOUR, "lost"), (NOW - 13 * HOUR, "lost")):
        pipe.db.execute(reserve, (at, state))
    found = spending.summary(pipe.db, CAP, NOW)
    assert found["under_way"] == {"calls": 2, "tokens_in": 6_000, "tokens_out": 1_400}
    assert found["left"] == {"tokens_in": 4_000, "tokens_out": 600}
    call(pipe, tokens_in=50_000, tokens_out=9_000)
    assert spending.summary(pipe.db, CAP, NOW)["left"] == {"tokens_in": 0, "tokens_out": 0}


def test_settings_that_are_not_known_tell_no_cap(pipe: Pipeline) -> None:
    """`status` works with a settings file that cannot be used."""
    found = spending.summary(pipe.db, {}, NOW)
    assert (found["cap"], found["left"]) == (None, None)


def test_a_price_is_what_was_told_else_the_lists_else_unknown(pipe: Pipeline) -> None:
    """Never a guess; calls of unknown price are counted."""
    call(pipe, tokens_in=1_000_000, tokens_out=0)
    call(pipe, tokens_in=1_000_000, tokens_out=0, tokens_cached=1_000_000)
    call(pipe, tokens_in=1_000_000, tokens_out=0, price_usd=7.0)
    known = spending.summary(pipe.db, CAP, NOW)["today"]
    assert known["price_usd"] == pytest.approx(1.0 + 0.1 + 7.0)
    assert known["unpriced_calls"] == 0
    call(pipe, model="some-model:8b")
    call(pipe, model="some-model:8b", price_usd=1.0)
    found = spending.report(pipe.db, CAP, now=NOW)
    assert found["today"]["price_usd"] == pytest.approx(9.1)
    assert found["today"]["unpriced_calls"] == 1
    other = found["by_model"][1]
    assert (other["model"], other["price_usd"], other["unpriced_calls"]) == ("some-model:8b", 1, 1)
    assert spending.average(spending.Spent(calls=2))["price_usd"] is None


def test_a_price_that_nobody_knows_is_none(pipe: Pipeline) -> None:
    """Not zero."""
    call(pipe, model="")
    assert spending.summary(pipe.db, CAP, NOW)["today"]["price_usd"] is None


def test_calls_are_told_by_day_project_and_model(pipe: Pipeline) -> None:
    """Two projects of one name stay apart from others; a project that is gone has no name."""
    shop, bank = projects(pipe, "shop", "bank")
    call(pipe, 1, shop)
    call(pipe, 2, shop, model="claude-haiku-4-5-20251001", outcome="shape")
    call(pipe, 25, bank, provider="openai", model="gpt-6-luna", outcome="nothing")
    call(pipe, 26)
    call(pipe, 24 * 7, shop)
    found = spending.report(pipe.db, CAP, days=7, now=NOW)
    assert [(one["day"], one["calls"]) for one in found["by_day"]] == [
        ("2026-10-30", 2),
        ("2026-10-31", 2),
    ]
    assert [(one["project"], one["calls"], one["failed"]) for one in found["by_project"]] == [
        ("", 1, 0),
        ("bank", 1, 0),
        ("shop", 2, 1),
    ]
    assert [(one["provider"], one["model"]) for one in found["by_model"]] == [
        ("anthropic", "claude-haiku-4-5"),
        ("anthropic", "claude-haiku-4-5-20251001"),
        ("openai", "gpt-6-luna"),
    ]
    assert found["all"]["calls"] == 4
    assert spending.report(pipe.db, CAP, days=8, now=NOW)["all"]["calls"] == 5


def test_a_call_on_average(pipe: Pipeline) -> None:
    """Over the last thirty days."""
    call(pipe, tokens_in=3_000, tokens_out=300, tool_uses=8, rows_written=3, duration_ms=5_000)
    call(pipe, 24 * 20)
    call(pipe, 24 * 40, tokens_in=10**6)
    found = spending.summary(pipe.db, CAP, NOW)["batch"]
    assert found == {
        "tokens_in": 2_000,
        "tokens_out": 200,
        "tool_uses": 6.0,
        "rows_written": 2.5,
        "seconds": 4.0,
        "price_usd": pytest.approx(0.003),
    }


def test_what_waits_is_counted_and_what_was_given_up_tried_again(pipe: Pipeline) -> None:
    """D4: with the reason of the last one; jobs of rules are others."""
    for number in range(3):
        same = {"session_id": f"s{number}", "prompt_id": f"p{number}", "cwd": "/shop"}
        pipe.feed(
            event("UserPromptSubmit", prompt="go", **same),
            tool(f"toolu_{number}a", **same),
            tool(f"toolu_{number}b", **same),
            event("Stop", last_assistant_message="Done.", **same),
        )
    add = (
        "INSERT INTO jobs (kind, prompt, state, created_at, finished_at, error) "
        "VALUES ('model', ?, ?, 1, ?, ?)"
    )
    assert spending.only_rules(pipe.db) == {"turns": 3, "tool_uses": 6}
    first, second, third = (row[0] for row in pipe.rows("SELECT id FROM prompts ORDER BY id"))
    pipe.db.execute(add, (first, "pending", None, ""))
    pipe.db.execute(add, (second, "leased", None, ""))
    pipe.db.execute(add, (third, "dead", 5, "its answers are empty"))
    pipe.db.execute(
        "UPDATE prompts SET model_uses = (SELECT min(id) FROM tool_uses WHERE prompt = ?1) "
        "WHERE id = ?1",
        (first,),
    )
    assert spending.waiting(pipe.db) == {
        "turns": 1,
        "until": 0,
        "waits_for": "",
        "under_way": 1,
        "given_up": 1,
        "why": "its answers are empty",
        "tool_uses": 3,
    }
    assert spending.only_rules(pipe.db) == {"turns": 1, "tool_uses": 2}
    assert model_queue.requeue_dead(pipe.db) == 1
    assert spending.only_rules(pipe.db) == {"turns": 0, "tool_uses": 0}
    found = spending.waiting(pipe.db)
    assert (found["turns"], found["given_up"], found["why"]) == (2, 0, "")
