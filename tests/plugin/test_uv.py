"""Fetching uv and a newer Python, for machines that have only an old one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from plugin import environment, uv
from tests.plugin.conftest import User


def has_pip() -> bool:
    """Whether the interpreter of the tests can fetch anything: a venv that uv made cannot."""
    command = [sys.executable, "-I", "-m", "pip", "--version"]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.slow
def test_the_locked_uv_is_fetched_and_runs(here: User, tmp_path: Path) -> None:
    """Its hash is checked; where pip is missing the error says what to install instead."""
    folder = str(tmp_path / "scratch")
    env = environment.for_build(by_user=True)
    if not has_pip():
        with pytest.raises(uv.FetchError, match=r"install Python 3\.11 or newer"):
            uv.fetch(folder, sys.executable, env)
        return
    found = uv.fetch(folder, sys.executable, env)
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    lock = (here.root / "plugin/uv.lock").read_text()
    assert said.split()[1] == lock.split()[0].partition("==")[2]


def test_a_uv_that_fails_to_fetch_python_is_a_clear_error(here: User, tmp_path: Path) -> None:
    """It says what to install."""
    useless = tmp_path / "uv"
    useless.write_text("#!/bin/sh\nexit 2\n")
    useless.chmod(0o755)
    with pytest.raises(uv.FetchError, match=r"install Python 3\.11 or newer"):
        uv.fetch_python(str(useless), str(tmp_path / "pythons"), {})


def test_the_users_own_uv_is_found_before_any_on_the_path(here: User) -> None:
    """And one in the project is never taken."""
    own = here.home / ".local/bin/uv"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    assert uv.find() == str(own)


def test_the_projects_uv_is_never_taken(here: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cloned repository must not bring the installer."""
    project = here.home / "project"
    (project / ".git").mkdir(parents=True)
    theirs = project / "uv"
    theirs.write_text("#!/bin/sh\n")
    theirs.chmod(0o755)
    monkeypatch.setenv("PATH", str(project))
    monkeypatch.chdir(project)
    assert uv.find() != str(theirs)
