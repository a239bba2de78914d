"""Which Python is chosen and put on record."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from plugin import interpreter
from tests.plugin.conftest import User


def real() -> str:
    """The interpreter that is under the one that runs the tests."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def test_a_virtual_environment_is_never_recorded(user: User, tmp_path: Path) -> None:
    """It may vanish with its project: the interpreter that it was made from is taken."""
    folder = tmp_path / "elsewhere" / "venv"
    venv.create(folder, symlinks=True)
    script = str(user.root / "plugin/interpreter.py")
    done = subprocess.run(
        [folder / "bin/python", "-I", "-S", "-B", script],
        env=user.environment(),
        cwd=user.home,
        capture_output=True,
    )
    chosen = done.stdout.decode()
    assert chosen == (user.base / "python").read_text().strip()
    assert not chosen.startswith(str(folder))
    assert interpreter.probe(chosen)[0] >= interpreter.OLDEST


def test_nothing_below_the_project_is_usable(here: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cloned repository must not choose what our hooks run on, by a link either."""
    project = here.home / "project"
    (project / ".git").mkdir(parents=True)
    (project / "sub").mkdir()
    inside = project / "python3"
    inside.write_bytes(b"#!/bin/sh\n")
    inside.chmod(0o755)
    link = here.home / "python3"
    link.symlink_to(inside)
    monkeypatch.chdir(project / "sub")
    assert not interpreter.usable(str(inside))
    assert not interpreter.usable(str(link))
    assert interpreter.usable(real())
    here.record(str(inside))
    assert interpreter.recorded() == ""


@pytest.mark.parametrize("folder", ["/", "~"])
def test_the_home_folder_is_no_project(
    here: User, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """Else a user's own interpreters would be refused."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", os.path.expanduser(folder))
    assert interpreter.workspace() == ""


@pytest.mark.parametrize("content", [b"#!/bin/sh\nexit 1\n", b"#!/bin/sh\necho hello\n", b"\x00"])
def test_what_is_no_python_has_no_version(tmp_path: Path, content: bytes) -> None:
    """A shim for a version that is not installed answers with an error."""
    path = tmp_path / "python3.12"
    path.write_bytes(content)
    path.chmod(0o755)
    assert interpreter.probe(str(path)) == ((0, 0), "")


def test_a_probe_looks_behind_a_shim(tmp_path: Path) -> None:
    """A version manager's shim costs a tenth of a second at each start."""
    shim = tmp_path / "python3"
    shim.write_text(f'#!/bin/sh\nexec "{real()}" "$@"\n')
    shim.chmod(0o755)
    version, base = interpreter.probe(str(shim))
    assert version == sys.version_info[:2]
    assert Path(base).samefile(real())


def test_find_keeps_to_the_versions_asked_for(here: User) -> None:
    """The runtime needs one that its packages have wheels for."""
    assert interpreter.find((3, 9))
    assert interpreter.find((4, 0), (4, 9)) == ""
    assert interpreter.find((3, 1), (3, 2)) == ""


def old_pythons() -> list[str]:
    """The interpreters of this machine that are older than what the plugin needs, or just it."""
    folders = [*os.environ["PATH"].split(":"), *interpreter.places()]
    found = {}
    for folder in folders:
        for minor in (6, 7, 8, 9):
            path = f"{folder}/python3.{minor}"
            if os.access(path, os.X_OK):
                version, base = interpreter.probe(path)
                found[version] = base
    found.pop((0, 0), None)
    return list(found.values())


def test_every_command_works_from_an_old_python(user: User) -> None:
    """An old one finds a newer one; a Python 3.9 is new enough itself."""
    for python in [*old_pythons(), real()]:
        done = user.launch("status", python=python)
        assert done.stdout.startswith("no runtime: "), (python, done.stderr)
        assert done.returncode == 4
