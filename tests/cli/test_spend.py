"""`backstory stats` and `backstory distill`: what a model costs, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import pytest

from backstory import paths
from backstory.cli import output
from backstory.storage import sqlite
from tests.cli.conftest import Person, turn
from tests.support.model_api import ModelApi, observing


@pytest.fixture
def api() -> Iterator[ModelApi]:
    """A model on this machine."""
    with ModelApi(observing()) as api:
        yield api


@pytest.fixture
def worked(person: Person) -> Person:
    """Somebody whose two turns rules have distilled."""
    person.ok("settings", "provider", "rules")
    person.remember(*turn("papaya"), *turn("quince", "s2"))
    return person


def choose(person: Person, api: ModelApi) -> None:
    """Has a model distil."""
    person.ok("settings", "base_url", f"{api.url}/v1")
    person.ok("settings", "model", "gpt-6-luna")
    person.ok("settings", "provider", "openai")


def edit(person: Person, query: str, *values: Any) -> None:
    """Changes the database while no worker runs."""
    person.ok("stop")
    db = sqlite.open_writer(person.home.data / paths.DATABASE)
    db.execute(query, values)
    db.close()


def jobs(person: Person) -> int:
    """How many jobs of a model there are."""
    return int(person.home.one("SELECT count(*) FROM jobs WHERE kind = 'model'"))


def test_nothing_stored_is_told(person: Person) -> None:
    """`stats` starts no worker; `distill` needs one."""
    assert "nothing" in person.fails("stats").lower()
    assert person.home.pid == 0
    person.ok("settings", "provider", "rules")
    assert "rules alone distil" in person.ok("distill")
    assert "no call in the last 30 days" in person.ok("stats")


def test_stats_tell_what_was_spent(worked: Person) -> None:
    """Today, the month, a call on average, by project, model and day; without a worker, too."""
    add = (
        "INSERT INTO ledger (at, project, provider, model, tokens_in, tokens_out, tokens_cached, "
        "tool_uses, rows_written, duration_ms) VALUES (?, 1, 'anthropic', 'claude-haiku-4-5', "
        "12000, 800, 2000, 40, 6, 4000)"
    )
    edit(worked, add, sqlite.now_ms())
    text = worked.ok("stats")
    assert "1 call, 12,000 tokens in (2,000 cached), 800 out, $0.0142" in text
    assert "left today: 488,000 of 500,000 tokens in, 59,200 of 60,000 tokens out" in text
    assert "a call, on average: 12,000 tokens in, 800 out, 40 tool uses, 6 records, 4 s" in text
    for title in ("project", "model", "day"):
        assert f"the last 30 days by {title}:" in text
    assert "anthropic claude-haiku-4-5" in text
    assert "waiting for a model: nothing" in text
    assert worked.home.pid == 0
    found = worked.run("stats", "--days", "1", "--json").json
    assert (found["days"], found["all"]["calls"]) == (1, 1)
    told = worked.run("status").out
    assert "1 call, 12,000 tokens in" in told
    assert "left today" in told
    assert found["only_rules"] == {"turns": 2, "tool_uses": 2}


def test_distill_says_who_and_what_waits(worked: Person, api: ModelApi) -> None:
    """`status` too."""
    text = worked.ok("distill")
    assert "rules alone distil" in text
    assert "by rules alone so far: 2 turns with 2 tool uses" in text
    assert "left today" not in worked.run("status").out
    choose(worked, api)
    text = worked.ok("distill")
    assert "openai distils with gpt-6-luna" in text
    assert "waiting for a model:" in text
    assert worked.run("distill", "--json").json["distiller"]["provider"] == "openai"
    assert "openai distils with gpt-6-luna" in worked.run("status").out


def test_a_dry_run_only_tells(worked: Person, api: ModelApi) -> None:
    """Turns, calls, tokens, price, days."""
    choose(worked, api)
    text = worked.ok("distill", "--upgrade", "--dry-run")
    assert "would distil: 2 turns with 2 tool uses" in text
    assert "about 1 call, " in text
    assert "$0.0" in text
    assert "fits into what is left of today's cap" in text
    found = worked.run("distill", "--upgrade", "--dry-run", "--json").json["estimate"]
    assert found["turns"] == 2
    assert (jobs(worked), api.requests) == (0, [])


def test_an_upgrade_asks_first(
    worked: Person, api: ModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a terminal it needs --yes; a no changes nothing."""
    choose(worked, api)
    assert "--yes does it" in worked.ok("distill", "--upgrade")
    assert jobs(worked) == 0
    monkeypatch.setattr(output, "is_interactive", lambda: True)

    def no(*_: object, **__: object) -> bool:
        raise click.Abort

    monkeypatch.setattr(click, "confirm", no)
    assert worked.run("distill", "--upgrade").code == 130
    assert jobs(worked) == 0
    monkeypatch.setattr(click, "confirm", lambda *_, **__: True)
    assert "2 turns will be distilled" in worked.ok("distill", "--upgrade")
    worked.ok("drain", "--timeout", "30")
    assert len(api.requests) == 1
    assert "there is nothing that rules alone distilled" in worked.ok("distill", "--upgrade")
    assert "1 call" in worked.ok("stats")


def test_an_upgrade_with_yes_does_not_ask(worked: Person, api: ModelApi) -> None:
    """Of one project; another one is not touched."""
    choose(worked, api)
    assert "no project 'bank'" in worked.fails("distill", "--upgrade", "--project", "bank")
    done = worked.run("distill", "--upgrade", "--project", "shop", "--yes", "--json")
    assert done.json["opened"] == 2


def test_without_a_model_there_is_no_upgrade(worked: Person) -> None:
    """And it says how to choose one."""
    said = worked.fails("distill", "--upgrade", "--yes")
    assert "no model distils" in said
    assert "`backstory settings provider`" in said


def test_what_was_given_up_is_tried_again(worked: Person) -> None:
    """D4: told by `distill`, `status` and `stats`, with the reason."""
    add = (
        "INSERT INTO jobs (kind, prompt, state, attempts, created_at, error) "
        "SELECT 'model', id, 'dead', 5, 1, 'its answers are empty' FROM prompts WHERE id = 1"
    )
    edit(worked, add)
    assert "1 turn given up (its answers are empty): `backstory distill --retry`" in (
        worked.ok("stats")
    )
    assert worked.ok("distill", "--retry") == "1 turn tried again\n"
    assert worked.ok("distill", "--retry") == "0 turns tried again\n"


def test_other_settings_end_the_wait_of_turns(worked: Person, api: ModelApi) -> None:
    """It is told why and until when they wait, and how many do not any more."""
    choose(worked, api)
    add = (
        "INSERT INTO jobs (kind, prompt, not_before, created_at, error) "
        "SELECT 'model', id, 4102444800000, 1, 'the key is refused' FROM prompts WHERE id = 1"
    )
    edit(worked, add)
    assert "until 2100-01-01 00:00 UTC: the key is refused" in worked.ok("stats")
    assert "waited" not in worked.ok("settings", "daily_input_tokens", "400000")
    assert "1 turn waited: due at once now" in worked.ok("settings", "api_key", "another-123456")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["distill", "--dry-run"], "add --upgrade"),
        (["distill", "--since", "2026-01-01"], "add --upgrade"),
        (["distill", "--retry", "--upgrade"], "give one of them"),
        (["distill", "--upgrade", "--since", "soon"], "since: got 'soon'"),
    ],
)
def test_calls_that_make_no_sense(person: Person, arguments: list[str], words: str) -> None:
    """With what would."""
    person.ok("settings", "provider", "rules")
    assert words in person.fails(*arguments)


@pytest.mark.parametrize("days", ["0", "-1", "x", "99999"])
def test_days_are_bounded(person: Person, days: str) -> None:
    """A call that cannot be understood."""
    assert "--days" in person.fails("stats", "--days", days, code=64)
