"""Settings: one table, a file with what differs from it, clear words for what does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backstory import config, paths
from backstory.errors import BadInput


def write(home: Path, text: str) -> None:
    """settings.json as a person wrote it."""
    (home / paths.SETTINGS).write_text(text, encoding="utf-8")


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    """And every default fits its own setting."""
    found = config.load(tmp_path)
    for setting in config.SETTINGS:
        assert found[setting.name] == config.check(setting, setting.default)
        assert setting.help.endswith(".")
    assert len(config.SETTINGS) <= 30


def test_the_file_holds_only_what_differs(tmp_path: Path) -> None:
    """So that a default can change later; what others put there stays."""
    write(tmp_path, '{"from_the_future": 1}')
    assert config.store(tmp_path, "raw_days", "7") == 7
    assert config.store(tmp_path, "excluded_projects", "/a, /b") == ["/a", "/b"]
    assert config.store(tmp_path, "skipped_tools", '["We*"]') == ["We*"]
    found = config.load(tmp_path)
    assert (found["raw_days"], found["excluded_projects"]) == (7, ["/a", "/b"])
    assert config.store(tmp_path, "raw_days", None) == 90
    stored = json.loads((tmp_path / paths.SETTINGS).read_text())
    assert stored == {
        "from_the_future": 1,
        "excluded_projects": ["/a", "/b"],
        "skipped_tools": ["We*"],
    }
    assert (tmp_path / paths.SETTINGS).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("nope", "1", "no setting 'nope'"),
        ("raw_days", "0", "takes 1 to 3650, not 0"),
        ("raw_days", "many", "a whole number, not 'many'"),
        ("raw_days", "true", "a whole number, not True"),
        ("raw_days", "1.5", "a whole number"),
        ("excluded_projects", "[1]", "a list of strings"),
        ("provider", "magic", "takes auto, rules, claude-cli, anthropic, openai, not 'magic'"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, name: str, value: str, words: str) -> None:
    """With what would fit; nothing is written."""
    with pytest.raises(BadInput, match=words):
        config.store(tmp_path, name, value)
    assert list(tmp_path.iterdir()) == []


def test_of_a_secret_only_its_presence_is_shown(tmp_path: Path) -> None:
    """And a value that does not fit is not quoted."""
    key, plain = config.BY_NAME["api_key"], config.BY_NAME["model"]
    assert (config.shown(key, "abc"), config.shown(key, "")) == ("set", "not set")
    assert config.shown(plain, "abc") == "abc"
    assert config.store(tmp_path, "api_key", " abc\n") == "abc"
    with pytest.raises(BadInput) as caught:
        config.check(key, 12345)
    assert "12345" not in str(caught.value)
    secrets = {one.name for one in config.SETTINGS if one.secret}
    assert secrets == {"api_key", "auth_token", "embedding_key"}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '"x"', '{"raw_days": "7"}', '{"skipped_tools": "Bash"}']
)
def test_a_file_that_cannot_be_used_is_not_replaced(tmp_path: Path, text: str) -> None:
    """A person wrote it."""
    write(tmp_path, text)
    with pytest.raises(BadInput):
        config.load(tmp_path)
    assert (tmp_path / paths.SETTINGS).read_text() == text


def test_a_symlinked_file_stays_a_link(tmp_path: Path) -> None:
    """I3: settings kept among dotfiles."""
    target = tmp_path / "dotfiles/settings.json"
    target.parent.mkdir()
    target.write_text("{}")
    (tmp_path / paths.SETTINGS).symlink_to(target)
    config.store(tmp_path, "raw_days", "7")
    assert json.loads(target.read_text()) == {"raw_days": 7}
    assert (tmp_path / paths.SETTINGS).is_symlink()


def test_the_environment_can_only_switch_a_model_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one setting that reaches the worker so: a project can set our variables, too."""
    monkeypatch.setenv("BACKSTORY_PROVIDER", "rules")
    monkeypatch.setenv("BACKSTORY_RAW_DAYS", "1")
    assert config.load(tmp_path)["raw_days"] == 90
    assert config.load(tmp_path)["provider"] == "rules"
    monkeypatch.setenv("BACKSTORY_PROVIDER", "openai")
    assert config.load(tmp_path)["provider"] == "auto"


def test_hooks_find_empty_lists_as_they_look_for_them(tmp_path: Path) -> None:
    """hook.json: flat, JSON, one setting a line."""
    text = config.hook_facts(config.load(tmp_path))
    assert '"excluded_projects": []' in text
    assert '"skipped_tools": []' in text
    assert json.loads(text)["context_observations"] == 50
    write(tmp_path, '{"excluded_projects": ["/Ünï"]}')
    facts: dict[str, Any] = json.loads(config.hook_facts(config.load(tmp_path)))
    assert facts["excluded_projects"] == ["/Ünï"]
