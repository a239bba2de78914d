"""What launch.py does by itself, before there is a runtime."""

from __future__ import annotations

import json
import stat
import subprocess
import venv
from pathlib import Path

import pytest

from backstory import runtime
from tests.plugin.conftest import ROOT, User


@pytest.mark.parametrize("command", ["status", "doctor"])
def test_a_reading_command_never_builds(user: User, command: str) -> None:
    """Without a runtime it says so in one line, exit code 4."""
    done = user.launch(command)
    assert done.returncode == 4
    assert done.stdout == (
        "no runtime: it is not installed yet; `backstory demo` or the next session installs it\n"
    )
    assert done.stderr == ""
    assert not (user.base / "runtime").exists()


def test_status_can_be_read_by_a_program(user: User) -> None:
    """`--json` holds for the answer without a runtime too."""
    done = user.launch("status", "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout) == {
        "status": "no runtime",
        "runtime": {"state": "absent", "detail": ""},
    }


@pytest.mark.parametrize("command", ["status", "worker"])
def test_a_damaged_runtime_is_told_and_built_anew(user: User, command: str) -> None:
    """I6: somebody removed files from it; a traceback would help nobody."""
    folder = user.base / "runtime" / "0123456789abcdef"
    venv.create(folder)
    (folder / runtime.READY).touch()
    done = subprocess.run(
        [folder / "bin/python", "-I", "-B", ROOT / "plugin/launch.py", "--in-runtime", command],
        env=user.environment(),
        cwd=user.home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("backstory: the runtime is damaged (No module named ")
    assert len(done.stderr.splitlines()) == 2
    assert not (folder / runtime.READY).exists()


@pytest.mark.parametrize("command", ["stop", "drain"])
def test_stopping_what_never_ran_succeeds(user: User, command: str) -> None:
    """A4: nothing to do is no failure."""
    assert user.launch(command).returncode == 0
    assert not (user.base / "runtime").exists()


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_needs_no_runtime(user: User, arguments: list[str]) -> None:
    """A person may want to read before anything is fetched."""
    done = user.launch(*arguments)
    assert done.returncode == 0
    assert done.stdout.startswith("usage: backstory COMMAND")


def test_the_version_is_the_plugins(user: User) -> None:
    """One number, in plugin.json."""
    manifest = json.loads((ROOT / ".claude-plugin/plugin.json").read_text())
    assert user.launch("--version").stdout == f"backstory {manifest['version']}\n"


def test_every_command_puts_an_interpreter_on_record(user: User) -> None:
    """The hooks then start at once."""
    user.launch("status")
    assert Path((user.base / "python").read_text().strip()).is_file()
    assert stat.S_IMODE(user.base.stat().st_mode) == 0o700


def test_link_puts_the_command_on_the_path(user: User) -> None:
    """It says what it did, and a second time changes nothing."""
    link = user.home / ".local/bin/backstory"
    first = user.launch("link")
    assert first.returncode == 0
    assert str(link) in first.stdout
    assert "is not on your PATH" in first.stdout
    assert link.readlink() == ROOT / "bin/backstory"
    second = user.launch("link", PATH=f"{link.parent}:/usr/bin:/bin")
    assert second.stdout == f"{link} leads to {ROOT}/bin/backstory already\n"


def test_link_follows_an_update(user: User) -> None:
    """The folder of an older version is replaced."""
    link = user.home / ".local/bin/backstory"
    link.parent.mkdir(parents=True)
    link.symlink_to("/old/version/bin/backstory")
    assert user.launch("link").returncode == 0
    assert link.readlink() == ROOT / "bin/backstory"


def test_link_leaves_a_strangers_file_alone(user: User) -> None:
    """It might be the user's own."""
    path = user.home / ".local/bin/backstory"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    done = user.launch("link")
    assert done.returncode == 1
    assert "move it away" in done.stderr
    assert path.read_text() == "mine"
