"""Where things are, whatever the environment says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs
import pytest

from backstory import paths


def test_the_per_user_folder_is_the_platforms() -> None:
    """As platformdirs has it, without importing it in hooks."""
    assert paths.base_dir() == platformdirs.user_data_dir("backstory")


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({}, "/u/.local/share/backstory"),
        ({"BACKSTORY_HOME": ""}, "/u/.local/share/backstory"),
        ({"XDG_DATA_HOME": "/x"}, "/x/backstory"),
        ({"XDG_DATA_HOME": "relative"}, "/u/.local/share/backstory"),
        ({"XDG_DATA_HOME": "/x", "BACKSTORY_HOME": "/d"}, "/d"),
        ({"BACKSTORY_HOME": "/d/Ünï dir/"}, "/d/Ünï dir"),
        ({"BACKSTORY_HOME": "~"}, "/u"),
        ({"BACKSTORY_HOME": "~/mem"}, "/u/mem"),
        ({"BACKSTORY_HOME": "mem"}, os.path.abspath("mem")),
    ],
)
def test_the_data_directory(
    env: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B10: an empty variable is an unset one; the result is absolute."""
    monkeypatch.setattr(sys, "platform", "linux")
    assert paths.data_dir({"HOME": "/u", **env}) == folder


def test_on_macos_it_is_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG variables mean nothing there."""
    monkeypatch.setattr(sys, "platform", "darwin")
    env = {"HOME": "/u", "XDG_DATA_HOME": "/x"}
    assert paths.base_dir(env) == "/u/Library/Application Support/backstory"


def test_folders_are_made_for_the_user_alone(tmp_path: Path) -> None:
    """An existing one is left as it is."""
    os.umask(umask := os.umask(0o022))
    assert umask
    paths.make_private_dir(str(tmp_path / "a/b"))
    assert (tmp_path / "a/b").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    (tmp_path / "c").mkdir(mode=0o755)
    paths.make_private_dir(str(tmp_path / "c"))
    assert (tmp_path / "c").stat().st_mode & 0o777 == 0o755


def test_the_plugins_root_is_this_checkout() -> None:
    """From wherever it is asked."""
    assert (Path(paths.plugin_root()) / "hooks/hooks.json").exists()
