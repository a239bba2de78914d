"""What distilling by a model costs, asked over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from backstory import paths
from backstory.errors import BackstoryError
from backstory.storage import sqlite
from tests.support.home import Home, a_home, event, tool
from tests.support.model_api import ModelApi, observing


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Two turns in project shop that rules have distilled; no worker runs any more."""
    with a_home(tmp_path_factory.mktemp("spending")) as home:
        configure(home, provider="rules")
        home.start()
        for number in range(2):
            here = {"cwd": str(home.project), "session_id": f"s{number}", "prompt_id": f"p{number}"}
            home.hook(event("UserPromptSubmit", prompt="Which parser do we use?", **here))
            home.hook(tool(f"toolu_{number}", "cat parser.py", **here))
            home.hook(event("Stop", last_assistant_message="Decision: the pebble one.", **here))
        home.drain()
        yield home


def configure(home: Home, **settings: Any) -> None:
    """settings.json, as `backstory settings` leaves it."""
    home.data.mkdir(mode=0o700, exist_ok=True)
    (home.data / paths.SETTINGS).write_text(json.dumps(settings))


def restart(home: Home, api: ModelApi, **settings: Any) -> None:
    """A worker that asks a model."""
    home.kill()
    configure(home, provider="openai", base_url=f"{api.url}/v1", model="gpt-6-luna", **settings)
    home.start()


def distil(home: Home, **body: Any) -> dict[str, Any]:
    """The answer of the route."""
    return home.ask("POST", "/api/distill", body)


def refused(home: Home, method: str, path: str, body: dict[str, Any] | None = None) -> str:
    """The error's code and message."""
    with pytest.raises(BackstoryError) as caught:
        home.ask(method, path, body)
    return f"{caught.value.code}: {caught.value.message}"


def test_a_dry_run_says_the_price_and_sends_nothing(home: Home) -> None:
    """Then the upgrade is done, once, and shows in the ledger."""
    with ModelApi(observing()) as api:
        restart(home, api)
        found = distil(home, upgrade=True, dry_run=True)
        estimate = found["estimate"]
        assert found["distiller"]["provider"] == "openai"
        assert (estimate["turns"], estimate["tool_uses"], estimate["calls"]) == (2, 2, 1)
        assert (estimate["sampled"], estimate["days"]) == (2, 1)
        assert estimate["price_usd"] > 0
        assert api.requests == []
        assert home.one("SELECT count(*) FROM jobs WHERE kind = 'model'") == 0
        assert distil(home, upgrade=True)["opened"] == 2
        home.drain()
        assert distil(home, upgrade=True)["opened"] == 0
        assert len(api.requests) == 1
        billed = api.billed[0]
        assert billed.tokens_in == pytest.approx(estimate["tokens_in"], rel=0.3)
        spend = distil(home)["spend"]
        assert spend["today"]["calls"] == 1
        assert spend["today"]["tokens_in"] == billed.tokens_in
        assert spend["waiting"]["turns"] == 0
        assert home.ask("GET", "/api/status")["spend"]["today"] == spend["today"]
        stats = home.ask("GET", "/api/stats?days=1")
        assert [(one["project"], one["calls"]) for one in stats["by_project"]] == [("shop", 1)]
    written = home.rows("SELECT DISTINCT distilled_by FROM observations")
    assert any(by.startswith("openai/") for (by,) in written)


def test_a_project_and_a_date_narrow_an_upgrade(home: Home) -> None:
    """What does not exist is an error, not everything."""
    with ModelApi(observing()) as api:
        restart(home, api)
        dry = {"upgrade": True, "dry_run": True}
        assert distil(home, **dry, project="shop")["estimate"]["turns"] == 2
        assert distil(home, **dry, since="2100-01-01")["estimate"]["turns"] == 0
        assert "no project 'other'" in refused(
            home, "POST", "/api/distill", {**dry, "project": "other"}
        )
        assert "since: got 'soon'" in refused(
            home, "POST", "/api/distill", {**dry, "since": "soon"}
        )


def test_without_a_model_nothing_is_upgraded(home: Home) -> None:
    """A dry run tells the tokens, and no price."""
    found = distil(home, upgrade=True, dry_run=True)
    assert found["estimate"]["turns"] == 2
    assert found["estimate"]["price_usd"] is None
    assert "no model distils" in refused(home, "POST", "/api/distill", {"upgrade": True})
    assert home.one("SELECT count(*) FROM jobs WHERE kind = 'model'") == 0


def test_what_was_given_up_is_tried_again(home: Home) -> None:
    """D4: the model's jobs alone."""
    home.kill()
    db = sqlite.open_writer(home.data / paths.DATABASE)
    db.execute(
        "INSERT INTO jobs (kind, prompt, state, attempts, created_at) "
        "SELECT 'model', id, 'dead', 5, 1 FROM prompts"
    )
    db.execute("UPDATE jobs SET state = 'dead' WHERE kind = 'rules' AND prompt = 1")
    db.close()
    home.start()
    assert distil(home)["spend"]["waiting"]["given_up"] == 2
    assert distil(home, retry=True)["retried"] == 2
    assert home.rows("SELECT kind, count(*) FROM jobs WHERE state = 'dead' GROUP BY kind") == [
        ("rules", 1)
    ]


@pytest.mark.parametrize(
    ("method", "path", "body", "words"),
    [
        ("POST", "/api/hold", None, "seconds"),
        ("POST", "/api/hold?seconds=0", None, "seconds"),
        ("POST", "/api/hold?seconds=61", None, "seconds"),
        ("GET", "/api/stats?days=0", None, "days"),
        ("GET", "/api/stats?days=x", None, "days"),
        ("GET", "/api/stats?project=shop", None, "unknown argument 'project'"),
        ("POST", "/api/distill", {"upgrade": "yes"}, "upgrade: expected true or false"),
        ("POST", "/api/distill", {"dry_run": True}, "belong to an upgrade"),
        ("POST", "/api/distill", {"since": "2026-01-01"}, "belong to an upgrade"),
        ("POST", "/api/distill", {"upgrade": True, "retry": True}, "two things"),
        ("POST", "/api/distill", {"upgrad": True}, "unknown argument 'upgrad'"),
        ("POST", "/api/distill", {"upgrade": True, "dry_run": True, "project": 5}, "expected text"),
    ],
)
def test_arguments_are_checked(
    home: Home, method: str, path: str, body: dict[str, Any] | None, words: str
) -> None:
    """None is ignored in silence."""
    said = refused(home, method, path, body)
    assert said.startswith("bad_input")
    assert words in said
