"""What the user is told of who distils."""

from __future__ import annotations

import json
from pathlib import Path

from backstory import config, paths
from backstory.capture import announcement
from backstory.capture.providers.base import Label
from backstory.capture.trust import unsafe_home


def settings_in(folder: Path, **values: object) -> config.Config:
    """The settings of a data directory."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / paths.SETTINGS).write_text(json.dumps(values))
    return config.load(folder)


def test_it_is_told_once_and_again_when_it_changes(tmp_path: Path) -> None:
    """Also the cap."""
    label = Label("openai", "small-1", "localhost")
    settings = settings_in(tmp_path)
    said = announcement.take(settings, label, "")
    assert "openai distils what happens here (model small-1, localhost)" in said
    assert announcement.take(settings, label, "") == ""
    assert announcement.take(settings_in(tmp_path, daily_input_tokens=7), label, "") != ""


def test_a_data_directory_in_a_repository_is_told(tmp_path: Path) -> None:
    """C3: no advice to choose a model, which would not be believed either."""
    (tmp_path / "shop/.git").mkdir(parents=True)
    settings = settings_in(tmp_path / "shop/data", provider="openai")
    why = unsafe_home(settings)
    said = announcement.take(settings, None, why)
    assert f"the settings in {settings.home} are not believed" in said
    assert why in said
    assert "settings provider" not in said
    assert "settings provider" in announcement.text(settings, None, "no claude is on the PATH")
