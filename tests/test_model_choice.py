"""Who distils, as a real worker chooses and its user is told; and when nothing is sent at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.distilling import Distilling, Replies, distilling
from tests.support.home import until


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Distilling]:
    """A user with a model at an OpenAI-compatible endpoint."""
    with distilling(tmp_path, Replies()) as made:
        yield made


def told_at_starts(home: Distilling, times: int = 3) -> list[str]:
    """What the user reads at so many starts of sessions; nothing is left out."""
    said = [home.sessions_start(f"start{number}") for number in range(times)]
    return [text for text in said if text]


def rows_of_rules(home: Distilling) -> int:
    """The summaries that rules wrote."""
    query = "SELECT count(*) FROM summaries WHERE distilled_by LIKE 'rules/%'"
    return int(home.one(query))


def test_the_first_start_of_a_session_says_who_distils_and_no_other(home: Distilling) -> None:
    """With the model, the cap, and how to change them; again when that is another one."""
    home.start()
    (told,) = told_at_starts(home)
    for part in ("Backstory: openai distils", "stub-small-1", "127.0.0.1", "500,000", "60,000"):
        assert part in told
    assert "backstory settings daily_input_tokens" in told
    assert "backstory settings provider rules" in told
    home.restart()
    assert told_at_starts(home) == []
    home.set(model="stub-large-2", daily_input_tokens=70_000)
    home.restart()
    (told,) = told_at_starts(home)
    assert "stub-large-2" in told
    assert "70,000" in told
    assert told_at_starts(home) == []


@pytest.mark.parametrize(
    ("provider", "missing", "mends"),
    [
        ("anthropic", ("api_key", "base_url"), "backstory settings api_key"),
        ("openai", ("base_url",), "backstory settings base_url"),
    ],
)
def test_a_provider_that_cannot_be_used_says_what_to_do(
    home: Distilling, provider: str, missing: tuple[str, ...], mends: str
) -> None:
    """Degraded, not silent: the rules' rows are there, and a model's once it is mended."""
    address = f"{home.api.url}/v1" if provider == "openai" else home.api.url
    home.set(provider=provider, **dict.fromkeys(missing))
    home.start()
    home.turn(1)
    home.drain()
    health = home.ask("GET", "/api/health")
    assert health["status"] == "degraded"
    assert mends in health["reason"]
    status = home.cli("status")
    assert status.returncode == 2
    assert mends in status.stdout
    told = told_at_starts(home)
    assert mends in told[0]
    assert rows_of_rules(home) == 1
    assert home.api.requests == []
    home.set(base_url=address, api_key="test-key")
    home.restart()
    home.turn(2)
    home.drain()
    assert home.ask("GET", "/api/health")["status"] == "ok"
    assert home.unfinished() == []


def test_the_variable_switches_a_model_off(home: Distilling) -> None:
    """BACKSTORY_PROVIDER=rules, whatever is set; it is asked for, so nobody is told."""
    home.more = {"BACKSTORY_PROVIDER": "rules"}
    home.start()
    home.turn(1)
    home.drain()
    assert home.api.requests == []
    assert rows_of_rules(home) == 1
    assert home.distiller["provider"] == "rules"
    assert home.one("SELECT count(*) FROM jobs WHERE kind = 'model'") == 0
    assert told_at_starts(home) == []


def test_the_variable_switches_no_model_on(home: Distilling) -> None:
    """A project can set it: it names no other provider."""
    home.set(provider="rules")
    home.more = {"BACKSTORY_PROVIDER": "openai"}
    home.start()
    home.turn(1)
    home.drain()
    assert home.api.requests == []
    assert home.distiller["provider"] == "rules"


def test_a_data_directory_of_a_repository_sends_nothing(tmp_path: Path) -> None:
    """Its settings may be the repository's own: whoever cloned it would send to whom it names."""
    with distilling(tmp_path, Replies(), data="shop/.backstory") as home:
        (home.project / ".git").mkdir()
        home.start()
        home.turn(1)
        home.drain()
        assert home.api.requests == []
        assert rows_of_rules(home) == 1
        assert home.distiller["provider"] == "rules"
        assert "repository" in home.distiller["note"]
        assert "repository" in home.cli("status").stdout
        assert home.one("SELECT count(*) FROM jobs WHERE kind = 'model'") == 0


def test_a_project_that_was_excluded_since_is_not_sent(home: Distilling) -> None:
    """Its turns wait in the queue when the user excludes it."""
    home.more = {"BACKSTORY_PROVIDER": "rules"}
    home.start()
    home.turn(1)
    home.drain()
    home.more = {}
    home.set(excluded_projects=str(home.project))
    home.restart()
    home.flush()
    until(
        lambda: not home.rows("SELECT 1 FROM jobs WHERE kind = 'model' AND state <> 'done'"),
        "its jobs are ended",
    )
    assert home.api.requests == []
    assert rows_of_rules(home) == 1
