"""Reading the state of the runtime, without building it."""

from __future__ import annotations

import fcntl
import sys
import time
from pathlib import Path

import pytest

from backstory import runtime


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a new user's runtimes."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    path = Path(runtime.runtimes_dir())
    path.mkdir(parents=True)
    return path


def make(minor: int) -> Path:
    """A folder that looks like a runtime."""
    path = Path(runtime.path_for(runtime.LOCK, minor))
    (path / "bin").mkdir(parents=True)
    (path / "bin/python").symlink_to(sys.executable)
    (path / runtime.READY).touch()
    return path


def test_the_name_follows_from_the_lock_and_the_python() -> None:
    """A changed lock or another Python is another runtime."""
    names = {
        runtime.name_for(lock, minor)
        for lock in (runtime.LOCK, runtime.DEV_LOCK)
        for minor in (11, 12)
    }
    assert len(names) == 4
    assert all(len(name) == 16 for name in names)


def test_nothing_there_is_absent(folder: Path) -> None:
    """Neither built nor tried."""
    assert runtime.state() == ("absent", "")


def test_a_builder_at_work_is_seen_by_its_lock(folder: Path) -> None:
    """A progress file alone proves nothing: its builder may have been killed."""
    (folder / "progress").write_text("step 2 of 5: making its folder\n")
    assert runtime.state() == ("absent", "")
    with (folder / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert runtime.state() == ("building", "step 2 of 5: making its folder")
    assert runtime.state() == ("absent", "")


def test_a_failure_counts_for_the_lock_that_failed(folder: Path) -> None:
    """An update of the plugin tries again at once."""
    now = int(time.time())
    (folder / "failed").write_text(f"{runtime.name_for(runtime.LOCK, 0)} {now} no network\n")
    assert runtime.state() == ("failed", "no network")
    assert runtime.failure() == (now, "no network")
    assert runtime.failure(runtime.DEV_LOCK) == (0, "")


@pytest.mark.parametrize("content", ["", "x", "a b c", "\x00\xff", "a 1"])
def test_a_broken_failure_file_is_no_failure(folder: Path, content: str) -> None:
    """It is looked at by hooks, which must not fail."""
    (folder / "failed").write_text(content)
    assert runtime.state() == ("absent", "")


@pytest.mark.parametrize("minor", range(runtime.OLDEST_MINOR, runtime.NEWEST_MINOR + 1))
def test_a_runtime_of_any_python_is_found(folder: Path, minor: int) -> None:
    """The one that looks may run on another Python than the one it was built with."""
    path = make(minor)
    assert runtime.state() == ("ready", str(path))


def test_a_runtime_without_its_mark_or_its_python_is_none(folder: Path) -> None:
    """A killed builder's, or one whose Python was removed by an upgrade."""
    path = make(12)
    (path / runtime.READY).unlink()
    assert runtime.find() == ""
    (path / runtime.READY).touch()
    assert runtime.find() == str(path)
    (path / "bin/python").unlink()
    (path / "bin/python").symlink_to("/nowhere/python3.12")
    assert runtime.find() == ""
