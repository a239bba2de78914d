"""The one worker of a data directory: who it is, whether it answers, and how it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory import instance, paths
from backstory.errors import BackstoryError, Unavailable
from tests.support.home import Home, a_home, until


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A worker that runs."""
    with a_home(tmp_path_factory.mktemp("instance")) as home:
        home.start()
        yield home


def test_the_lock_is_held_by_one(tmp_path: Path) -> None:
    """And free again when its file is closed."""
    first = instance.take_lock(tmp_path)
    assert first is not None
    assert instance.take_lock(tmp_path) is None
    assert instance.is_locked(tmp_path)
    os.close(first)
    assert not instance.is_locked(tmp_path)
    assert (tmp_path / instance.LOCK).stat().st_mode & 0o777 == 0o600


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    """kill -9 leaves none behind."""
    code = "import fcntl,sys,time; f=open(sys.argv[1],'w'); fcntl.flock(f,2); print(1,flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; time.sleep(60)", str(tmp_path / instance.LOCK)],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        assert instance.is_locked(tmp_path)
        process.kill()
        process.wait()
    assert not instance.is_locked(tmp_path)


def test_a_process_is_known_by_its_start(tmp_path: Path) -> None:
    """A5: pids are given again; a zombie is no worker."""
    own = instance.start_time(os.getpid())
    assert own
    assert instance.start_time(999_999_999) == ""
    instance.write_facts(tmp_path, {"port": 1})
    assert instance.recorded_pid(tmp_path) == os.getpid()
    assert (tmp_path / paths.WORKER_FACTS).stat().st_mode & 0o777 == 0o600
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        until(lambda: instance.start_time(child.pid) == "", "it has ended and was not waited for")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"pid": "x"}', '{"pid": 0}'])
def test_a_record_that_cannot_be_read_names_nobody(tmp_path: Path, text: str) -> None:
    """A5: it is replaced by the next worker."""
    (tmp_path / paths.WORKER_FACTS).write_text(text)
    assert instance.recorded_pid(tmp_path) is None
    assert isinstance(instance.facts(tmp_path), dict)


def test_health_is_of_this_very_data_directory(served: Home, tmp_path: Path) -> None:
    """A socket that leads to another directory's worker is not ours."""
    found = instance.health(served.data)
    assert found
    assert found["home"] == str(served.data.resolve())
    other = tmp_path / "other"
    other.mkdir()
    (other / paths.SOCKET).symlink_to(served.data / paths.SOCKET)
    assert instance.health(other) is None
    assert instance.health(tmp_path / "missing") is None


def test_questions_leave_the_current_folder_alone(served: Home) -> None:
    """Also when they fail."""
    before = Path.cwd()
    assert served.ask("GET", "/api/health")["status"] == "ok"
    with pytest.raises(BackstoryError):
        served.ask("GET", "/api/search?query=x")
    assert Path.cwd() == before


def test_errors_of_the_worker_come_with_their_code_and_hint(served: Home) -> None:
    """As it meant them."""
    with pytest.raises(BackstoryError) as caught:
        served.ask("GET", "/api/search?query=x")
    assert caught.value.code == "bad_input"
    assert "cwd" in caught.value.hint


def test_without_a_worker_it_says_how_to_get_one(tmp_path: Path) -> None:
    """One line and what to do."""
    with pytest.raises(Unavailable, match="no worker is running") as caught:
        instance.ask(tmp_path, "GET", "/api/health")
    assert caught.value.hint == "backstory start"
    assert instance.stop(tmp_path) is False
    assert instance.health(tmp_path) is None


def test_a_worker_that_is_well_is_not_replaced(served: Home) -> None:
    """However often somebody wants to."""
    before = served.pid
    assert instance.replace_hung(served.data) is False
    assert served.pid == before


def test_a_lock_whose_holder_is_unknown_is_left(tmp_path: Path) -> None:
    """Nobody is signalled on a guess; the error says what to do."""
    code = "import fcntl,sys,time; f=open(sys.argv[1],'w'); fcntl.flock(f,2); print(1,flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; time.sleep(60)", str(tmp_path / instance.LOCK)],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        with pytest.raises(Unavailable, match="cannot be ended") as caught:
            instance.stop(tmp_path, patience=0.1)
        assert instance.LOCK in caught.value.hint
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
