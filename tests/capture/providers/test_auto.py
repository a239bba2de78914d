"""Which provider distils, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from backstory import config
from backstory.capture.providers import auto
from tests.support.fake_claude import fake_claude, printing

IN = printing({"loggedIn": True})
OUT = printing({"loggedIn": False}, 1)


def settings(tmp_path: Path, **values: object) -> config.Config:
    """The settings, the defaults but for these."""
    defaults = {setting.name: setting.default for setting in config.SETTINGS}
    return config.Config(tmp_path / "data", {**defaults, **values})


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of the PATH, next to the system's."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path / "bin"


def test_a_logged_in_claude_is_taken(tmp_path: Path, path: Path) -> None:
    """Nothing had to be set."""
    fake_claude(path, IN)
    found = auto.choose(settings(tmp_path))
    assert (found.name, found.why) == ("claude-cli", "claude is logged in")
    assert found.provider is not None
    assert found.provider.label.note == "your Claude login"


def test_without_a_login_rules_go_on(tmp_path: Path, path: Path) -> None:
    """And it is said what would change that."""
    fake_claude(path, OUT)
    found = auto.choose(settings(tmp_path))
    assert (found.name, found.provider) == ("rules", None)
    assert "/login" in found.why


def test_without_claude_rules_go_on(tmp_path: Path) -> None:
    """Another host's user has none."""
    found = auto.choose(settings(tmp_path))
    assert (found.name, found.provider) == ("rules", None)
    assert "no claude is on the PATH" in found.why


def test_a_claude_of_a_project_is_not_even_asked_for_its_login(tmp_path: Path, path: Path) -> None:
    """C3: a program in there is not run at all."""
    fake = fake_claude(path, IN)
    found = auto.choose(settings(tmp_path), [str(path)])
    assert (found.name, found.provider) == ("rules", None)
    assert fake.noted("pid") == []


def test_rules_alone_start_nothing(tmp_path: Path, path: Path) -> None:
    """Who wants no model gets none."""
    fake = fake_claude(path, IN)
    found = auto.choose(settings(tmp_path, provider="rules"))
    assert (found.name, found.provider) == ("rules", None)
    assert fake.noted("pid") == []


def test_what_is_set_is_taken_without_asking(tmp_path: Path, path: Path) -> None:
    """A login that is missing shows at the first call, and is told then."""
    fake = fake_claude(path, OUT)
    found = auto.choose(settings(tmp_path, provider="claude-cli"))
    assert found.name == "claude-cli"
    assert found.provider is not None
    assert fake.noted("pid") == []


def test_another_provider_is_made_by_its_name(tmp_path: Path) -> None:
    """With its own settings."""
    values = {"provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
    found = auto.choose(settings(tmp_path, **values))
    assert found.name == "openai"
    assert found.provider is not None
    assert found.provider.label.model == "m"
    found.provider.close()


@pytest.mark.parametrize("name", ["claude-cli", "openai"])
def test_what_is_set_and_cannot_be_used_is_named(tmp_path: Path, name: str) -> None:
    """Nothing else is taken in its place: a model that nobody chose could cost money."""
    found = auto.choose(settings(tmp_path, provider=name))
    assert (found.name, found.provider) == (name, None)
    assert "backstory settings" in found.why or "base_url" in found.why
