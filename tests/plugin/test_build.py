"""Building the runtime for real: two builders, killed ones, a dead registry, old runtimes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory import runtime
from plugin import build
from tests.plugin.conftest import ROOT, User

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("runtime"), pytest.mark.timeout(300)]

USE_IT = """
import asyncio, json, sys
import click, httpx2, mcp, rich, starlette, uvicorn
from tree_sitter_language_pack import get_parser
import backstory.records
print(get_parser("python").parse(b"def f(): pass").root_node.children[0].type, sys.prefix)
"""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, list[str]]:
    """A user whose runtime was built by two commands at once, and what each of them printed."""
    home = tmp_path_factory.mktemp("builders")
    user = User(home)
    command = [sys.executable, str(ROOT / "plugin/launch.py"), "python", "-c", USE_IT]
    running = [
        subprocess.Popen(
            command,
            env=user.environment(),
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=250)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], said
    return user, said


def test_two_commands_at_once_build_one_runtime(built: tuple[User, list[str]]) -> None:
    """Both end with a runtime that works (I6: every package it needs can be imported)."""
    user, said = built
    folders = [path for path in (user.base / "runtime").iterdir() if path.is_dir()]
    assert len(folders) == 1
    assert all(f"function_definition {folders[0]}" in text for text in said)
    assert sum("step 5 of 5" in text and "another process" not in text for text in said) == 1


def test_a_second_command_builds_nothing(built: tuple[User, list[str]]) -> None:
    """It only starts."""
    user, _ = built
    done = user.launch("python", "-c", "print(1)")
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_the_bytecode_is_ready_and_in_the_runtime(built: tuple[User, list[str]]) -> None:
    """A first start without bytecode takes twice as long; and it goes when the runtime goes."""
    user, _ = built
    folder = next(path for path in (user.base / "runtime").iterdir() if path.is_dir())
    compiled = {path.name.split(".")[0] for path in (folder / "pycache").rglob("*.pyc")}
    assert {"lowlevel", "server", "applications", "uvicorn", "main"} & compiled
    code = "import mcp.server.lowlevel as m; print(m.__cached__)"
    cached = user.launch("python", "-c", code).stdout.strip()
    assert Path(cached).is_file()
    assert folder in Path(cached).parents


def test_the_runtime_survives_without_the_path_and_the_registry(
    built: tuple[User, list[str]],
) -> None:
    """K8: once built, nothing is fetched."""
    user, _ = built
    dead = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "HTTPS_PROXY": "http://127.0.0.1:9"}
    done = user.launch("python", "-c", USE_IT, PATH="/nowhere", **dead)
    assert done.returncode == 0, done.stderr


def failing(user: User) -> subprocess.CompletedProcess[str]:
    dead = "http://127.0.0.1:9/simple"
    return user.launch(
        "python",
        "-c",
        "pass",
        PIP_INDEX_URL=dead,
        UV_DEFAULT_INDEX=dead,
        PIP_CONFIG_FILE="/dev/null",
    )


def test_a_dead_registry_gives_a_clear_message(here: User) -> None:
    """What failed, why, and where the log is; the hooks wait, a command tries again at once."""
    done = failing(here)
    assert done.returncode == 1
    assert "installing the packages failed: " in done.stderr
    assert "Traceback" not in done.stderr
    log = here.base / "runtime/build.log"
    assert str(log) in done.stderr.splitlines()[-1]
    assert runtime.state()[0] == "failed"
    assert "installing the packages failed" in runtime.state()[1]
    assert not list((here.base / "runtime").glob(".scratch*"))

    before = log.stat().st_mtime_ns
    spawned = here.launch("worker-spawn")
    assert (spawned.returncode, spawned.stdout, spawned.stderr) == (1, "", "")
    assert log.stat().st_mtime_ns == before
    assert "step 1 of 5" in failing(here).stderr

    status = here.launch("status")
    assert status.returncode == 4
    assert "installing it failed" in status.stdout


@pytest.fixture
def useless_uv(user: User) -> Path:
    """An old uv, say, that does not know our arguments."""
    uv = user.home / ".local/bin/uv"
    uv.parent.mkdir(parents=True)
    uv.write_text("#!/bin/sh\necho error: unexpected argument >&2\nexit 2\n")
    uv.chmod(0o755)
    return uv


@pytest.fixture
def builder(user: User, useless_uv: Path) -> Iterator[subprocess.Popen[str]]:
    """A builder that is fetching the packages, with pip since uv failed."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "plugin/launch.py"), "python", "-c", "print('built')"],
        env=user.environment(),
        cwd=user.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "step 3 of 5" in line:
            break
    yield process
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_a_killed_builder_leaves_nothing_in_the_way(
    user: User, builder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it lives it is seen at work, and a hook starts no second; then the next one builds."""
    monkeypatch.setenv("HOME", str(user.home))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert runtime.state() == ("building", "step 3 of 5: fetching the packages (about 55 MB)")
    assert user.launch("worker-spawn").returncode == 1
    assert "it is being installed (step 3 of 5" in user.launch("status").stdout

    os.killpg(builder.pid, signal.SIGKILL)
    builder.wait()
    assert runtime.find() == ""
    done = user.launch("python", "-c", "print('built')")
    assert done.stdout == "built\n", done.stderr
    assert "uv failed; trying with pip" in done.stderr
    assert runtime.state()[0] == "ready"


def fake_runtime(name: str, lock: str, age: int) -> Path:
    folder = Path(runtime.runtimes_dir()) / name
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(sys.executable)
    ready = folder / runtime.READY
    ready.write_text(lock + "\n")
    os.utime(ready, (10_000 - age, 10_000 - age))
    return folder


def test_the_last_two_runtimes_of_a_kind_are_kept(here: User) -> None:
    """And any that a process still runs in, however old."""
    newest = fake_runtime("a" * 16, runtime.LOCK, 0)
    second = fake_runtime("b" * 16, runtime.LOCK, 1)
    third = fake_runtime("c" * 16, runtime.LOCK, 2)
    in_use = fake_runtime("d" * 16, runtime.LOCK, 3)
    other = fake_runtime("e" * 16, runtime.DEV_LOCK, 4)
    with (in_use / runtime.IN_USE).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        build.remove_old(runtime.LOCK, str(newest))
    kept = {newest, second, in_use, other}
    assert set(Path(runtime.runtimes_dir()).iterdir()) == kept
    assert not third.exists()


def test_a_runtime_is_in_use_until_the_process_ends(here: User) -> None:
    """The mark is a lock that goes with the process, and passes on when it becomes another."""
    newest = fake_runtime("a" * 16, runtime.LOCK, 0)
    fake_runtime("b" * 16, runtime.LOCK, 1)
    used = fake_runtime("c" * 16, runtime.LOCK, 2)
    code = (
        "import os, sys; from plugin import build; build.hold(sys.argv[1]);"
        "os.utime(sys.argv[1] + '/.ready', (1, 1));"
        "os.execv('/bin/sh', ['sh', '-c', 'echo ready; read line'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(used)],
        env=here.environment(PYTHONPATH=f"{ROOT}:{ROOT}/src", PYTHONDONTWRITEBYTECODE="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    build.remove_old(runtime.LOCK, str(newest))
    assert used.exists()
    process.communicate(b"\n")
    build.remove_old(runtime.LOCK, str(newest))
    assert not used.exists()


def test_what_killed_builders_left_is_removed(here: User) -> None:
    """A folder without its mark, and one whose interpreter is gone."""
    whole = fake_runtime("a" * 16, runtime.LOCK, 0)
    fake_runtime("b" * 16, runtime.LOCK, 0).joinpath(runtime.READY).unlink()
    gone = fake_runtime("c" * 16, runtime.LOCK, 0) / "bin/python"
    gone.unlink()
    gone.symlink_to("/nowhere/python3")
    build.remove_leftovers()
    assert list(Path(runtime.runtimes_dir()).iterdir()) == [whole]


def test_a_folder_that_cannot_be_written_is_a_clear_error(here: User) -> None:
    """Disk full, read-only homes: said in one line."""
    (here.home / ".local").write_text("a file where a folder should be")
    with pytest.raises(build.BuildError, match="the runtime could not be written: "):
        build.ensure(wait=False, by_user=False)
