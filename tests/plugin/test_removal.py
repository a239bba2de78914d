"""Uninstalling: all of ours goes and is listed, nothing else does, and nothing comes back."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from backstory import instance, paths
from backstory.hook import removed
from backstory.storage import spool
from plugin import removal
from tests.plugin.conftest import ROOT
from tests.support.home import Home, a_home, dump, event, tool

CHANNEL = "claude plugin uninstall backstory@backstory"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """Somebody who has used it: a runtime, a link, a recorded Python, a session, a worker."""
    with a_home(tmp_path, "data dir 数据") as someone:
        someone.make_runtime()
        for name in ("XDG_DATA_HOME", "BACKSTORY_HOME", "CLAUDE_PROJECT_DIR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(someone.user))
        yield someone
        removed.lift()


@pytest.fixture
def used(home: Home) -> Home:
    """The same after a session."""
    assert launch(home, "link").returncode == 0
    (base(home) / "told-no-python").touch()
    home.start()
    home.hook(event("UserPromptSubmit", prompt="hello", cwd=str(home.project)))
    home.hook(tool("toolu_1", cwd=str(home.project)))
    home.hook(event("UserPromptSubmit", prompt="/backstory:incognito", cwd=str(home.project)))
    home.drain()
    home.hook(event("UserPromptSubmit", session_id="s2", prompt="waits in the spool"))
    (home.data / paths.SETTINGS).write_text("{}")
    (home.data / paths.TOLD).write_text("who distils")
    (home.data / paths.MODEL).mkdir(exist_ok=True)
    (home.data / paths.CODE).mkdir(mode=0o700)
    for name in ("ab12.db", "ab12.db-wal", "ab12.lock", "ab12.used"):
        (home.data / paths.CODE / name).touch()
    return home


def base(home: Home) -> Path:
    """The per-user folder."""
    return home.user / ".local/share/backstory"


def launch(home: Home, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """bin/backstory ARGUMENTS, as a person types it."""
    return subprocess.run(
        ["/bin/sh", str(ROOT / "bin/backstory"), *arguments],
        env=home.environment(**more),
        cwd=home.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def hook(home: Home, payload: object) -> subprocess.CompletedProcess[bytes]:
    """An event, as hooks.json runs it."""
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "plugin/run"), "hooks/on_event.py"],
        env=home.environment(),
        cwd=home.project,
        input=dump(payload),
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done


def everything(home: Home) -> set[str]:
    """All files and folders of the user and the data directory but what tests brought along."""
    found = {str(path) for top in (home.user, home.data) for path in top.rglob("*")}
    return {path for path in found if not path.startswith(str(home.user / "pycache"))}


def test_it_lists_and_removes_all_that_was_written(used: Home) -> None:
    """B4: the worker, the data, the runtime, the record, the link; it names the last step."""
    pid = used.pid
    assert pid
    preview = launch(used, "uninstall")
    assert preview.returncode == 0
    assert f"--yes does it; then: {CHANNEL}" in preview.stdout
    assert used.pid == pid
    done = launch(used, "uninstall", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    for name in (paths.DATABASE, paths.SPOOL, paths.LOGS, paths.INCOGNITO, paths.SETTINGS):
        assert f"removed {used.data / name}\n" in done.stdout
        assert f"  {used.data / name}\n" in preview.stdout
    assert f"removed {base(used) / 'runtime'}\n" in done.stdout
    assert f"removed {used.user / '.local/bin/backstory'}\n" in done.stdout
    assert "left, not ours" not in done.stdout
    assert CHANNEL in done.stdout
    assert instance.start_time(pid) == ""
    assert not used.data.exists()
    assert everything(used) == {
        str(used.user / name) for name in (".local", ".local/bin", ".local/share")
    }


def test_a_program_can_read_it(used: Home) -> None:
    """One document, before and after."""
    asked = json.loads(launch(used, "uninstall", "--json").stdout)
    assert str(used.data / paths.DATABASE) in asked["would_remove"]
    told = json.loads(launch(used, "uninstall", "--yes", "--json").stdout)
    passing = (
        paths.SOCKET,
        spool.SUFFIX,
        "-wal",
        "-shm",
    )  # what the worker takes along when it ends
    wanted = {path for path in asked["would_remove"] if not path.endswith(passing)}
    assert set(told["removed"]) >= wanted
    assert (told["failed"], told["left"], told["then"]) == ([], [], CHANNEL)


def test_what_is_not_ours_stays_and_is_named(used: Home) -> None:
    """Also below our own folders, where the data directory is one that others use."""
    mine = [used.data / "notes.txt", used.data / "logs/other.log", used.data / "backstory.db.mine"]
    mine.append(base(used) / "photo.jpg")
    for path in mine:
        path.write_text("mine")
    done = launch(used, "uninstall", "--yes")
    assert done.returncode == 0
    assert all(path.read_text() == "mine" for path in mine)
    for left in (used.data / "notes.txt", used.data / "logs", base(used) / "photo.jpg"):
        assert f"left, not ours: {left}\n" in done.stdout
    assert not (used.data / paths.SPOOL).exists()


def test_a_settings_file_that_is_a_link_loses_the_link_alone(used: Home) -> None:
    """I3: its target in the user's dotfiles stays."""
    target = used.user / "dotfiles.json"
    target.write_text("{}")
    (used.data / paths.SETTINGS).unlink()
    (used.data / paths.SETTINGS).symlink_to(target)
    assert launch(used, "uninstall", "--yes").returncode == 0
    assert target.read_text() == "{}"
    assert not used.data.exists()


def test_one_step_that_fails_keeps_no_other_back(used: Home) -> None:
    """I3: here something that looks like a file of ours is a folder with something in it."""
    (used.data / paths.ASK_STAMP).unlink(missing_ok=True)
    stubborn = used.data / paths.WORKER_FAILURE
    stubborn.mkdir()
    (stubborn / "x").touch()
    done = launch(used, "uninstall", "--yes")
    assert f"left, not ours: {stubborn}" in done.stdout
    assert os.listdir(used.data) == [paths.WORKER_FAILURE]
    assert not base(used).exists()


def test_a_failure_is_listed_and_makes_it_fail(
    used: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """I3: exit code 1 with the list; everything else is done."""
    from plugin import removal

    monkeypatch.setenv("BACKSTORY_HOME", str(used.data))
    unlink = os.unlink

    def refuse(path: str, **more: int) -> None:
        if str(path).endswith(paths.SETTINGS):
            raise PermissionError(1, "Operation not permitted", str(path))
        unlink(path, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        assert removal.main(["--yes"]) == 1
    said = capsys.readouterr()
    settings = used.data / paths.SETTINGS
    assert f"NOT removed: {settings}: Operation not permitted" in said.out
    assert "could not be removed" in said.err
    assert os.listdir(used.data) == [paths.SETTINGS]
    settings.unlink()


def test_the_memory_can_be_kept(used: Home) -> None:
    """With its settings, what waits for it, and what hooks must know of excluded projects."""
    done = launch(used, "uninstall", "--keep-data", "--yes")
    assert done.returncode == 0
    assert "left, not ours" not in done.stdout
    kept = set(os.listdir(used.data))
    assert {paths.DATABASE, paths.SETTINGS, paths.SPOOL, paths.HOOK_FACTS} <= kept
    assert not kept & {paths.LOGS, paths.WORKER_FACTS, paths.SOCKET, instance.LOCK}
    assert not base(used).exists()
    assert used.one("SELECT text FROM prompts WHERE session = 1 AND number = 1") == "hello"
    stored = used.one("SELECT count(*) FROM prompts WHERE text = 'waits in the spool'")
    assert stored + len(used.waiting()) == 1


def test_a_hook_under_way_does_not_keep_its_event(
    used: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It began before, and writes while everything is being removed."""
    from plugin import removal

    monkeypatch.setenv("BACKSTORY_HOME", str(used.data))
    folder = base(used) / "runtime"
    tree = shutil.rmtree

    def late(path: str) -> None:
        tree(path)
        if path == str(folder):
            used.hook(event("UserPromptSubmit", prompt="late", cwd=str(used.project)))

    monkeypatch.setattr(shutil, "rmtree", late)
    assert removal.main(["--yes"]) == 0
    assert not used.data.exists()


def test_it_builds_nothing_to_remove_nothing(home: Home) -> None:
    """Without a runtime it works just the same, twice."""
    (base(home) / "runtime").rename(home.user / "elsewhere")
    for _ in range(2):
        done = launch(home, "uninstall", "--yes")
        assert done.returncode == 0
        assert not base(home).exists()
    assert "there was nothing to remove" in done.stdout
    assert launch(home, "status").returncode == 4
    assert not base(home).exists()


def test_a_hung_worker_is_ended_too(used: Home) -> None:
    """A2: by force."""
    pid = used.pid
    os.kill(pid, signal.SIGSTOP)
    assert launch(used, "uninstall", "--yes").returncode == 0
    assert instance.start_time(pid) == ""


def test_while_the_runtime_is_being_installed_it_waits(home: Home) -> None:
    """The builder would bring back what was removed."""
    with (base(home) / "runtime/build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = launch(home, "uninstall", "--yes", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "busy"
    assert (base(home) / "runtime").exists()


@pytest.mark.parametrize("target", ["/opt/other/bin/backstory", "other"])
def test_a_strangers_link_stays(home: Home, target: str) -> None:
    """Unless it leads to a command of ours, or to one that is gone."""
    link = home.user / ".local/bin/backstory"
    link.parent.mkdir(parents=True)
    other = home.user / "other/bin/backstory"
    other.parent.mkdir(parents=True)
    other.touch()
    link.symlink_to(other if target == "other" else target)
    launch(home, "uninstall", "--yes")
    assert link.is_symlink() == (target == "other")


def test_a_session_that_goes_on_brings_nothing_back(used: Home) -> None:
    """B3, I4: its hooks exit 0 at once, its tools say why; only a new session begins anew."""
    assert launch(used, "uninstall", "--yes").returncode == 0
    gone = everything(used)
    here = str(used.project)
    for one in (
        tool("toolu_9", cwd=here),
        event("UserPromptSubmit", prompt="still here", cwd=here),
        event("Stop", cwd=here),
        event("SessionStart", source="clear", cwd=here),
        event("SessionStart", source="compact", cwd=here),
        event("SessionEnd", cwd=here),
    ):
        assert hook(used, one).stdout == b""
    spawned = subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "plugin/launch.py"), "worker-spawn"],
        env=used.environment(),
        timeout=30,
    )
    assert spawned.returncode == 0
    assert "uninstalled" in relay_answer(used)
    assert launch(used, "doctor").returncode == 4
    assert everything(used) == gone
    assert not used.data.exists()


def test_a_new_session_begins_anew(used: Home) -> None:
    """As long as the plugin is there; so does a command that a person types."""
    assert launch(used, "uninstall", "--keep-data", "--yes").returncode == 0
    used.make_runtime()
    hook(used, event("SessionStart", source="startup", session_id="s9", cwd=str(used.project)))
    hook(used, event("UserPromptSubmit", prompt="a new day", session_id="s9", cwd="/"))
    assert launch(used, "drain").returncode == 0
    assert used.one("SELECT count(*) FROM prompts WHERE text = 'a new day'") == 1
    assert (base(used) / "python").exists()


def test_a_command_that_is_typed_begins_anew(used: Home) -> None:
    """`start` after `uninstall` is a wish."""
    assert launch(used, "uninstall", "--keep-data", "--yes").returncode == 0
    used.make_runtime()
    assert launch(used, "start").returncode == 0
    assert (base(used) / "python").exists()
    assert launch(used, "status").returncode == 0


def relay_answer(home: Home) -> str:
    """What a relay answers to a tool call."""
    call = {"name": "search", "arguments": {"query": "x"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "plugin/run"), "plugin/relay.py"],
        env=home.environment(),
        cwd=home.project,
        input=json.dumps(message).encode() + b"\n",
        capture_output=True,
        timeout=60,
    )
    return done.stdout.decode()


@pytest.mark.parametrize("arguments", [["--bogus"], ["--yes", "now"]])
def test_a_call_that_cannot_be_understood_removes_nothing(home: Home, arguments: list[str]) -> None:
    """Exit code 64, as everywhere."""
    done = launch(home, "uninstall", *arguments)
    assert done.returncode == 64
    assert "no such option" in done.stderr
    assert (base(home) / "runtime").exists()


def test_another_user_cannot_make_the_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lies where everybody may write, so it counts only from the user's own hand."""
    monkeypatch.setattr(removed, "FOLDER", str(tmp_path))
    assert not removed.is_marked()
    assert removed.leave() == removed.mark()
    assert removed.is_marked()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    Path(removed.mark()).touch()
    assert not removed.is_marked()


def test_a_full_spool_folder_goes_whole(home: Home) -> None:
    """All that we write there is known by name."""
    folder = home.data / paths.SPOOL
    (folder / spool.BAD).mkdir(parents=True)
    for name in ("1-1.evt", "2-2.part", spool.FULL, spool.BALLAST, f"{spool.BAD}/3-3.evt"):
        (folder / name).touch()
    assert launch(home, "uninstall", "--yes").returncode == 0
    assert not home.data.exists()


def test_every_name_in_the_data_directory_is_removed() -> None:
    """B4: what paths.py names, an uninstall knows."""
    folders = {*removal.KEPT_FOLDERS, *removal.SERVICE_FOLDERS}
    patterns = (*removal.MEMORY, *removal.SERVICE)
    names = {value for name, value in vars(paths).items() if name.isupper()} - {paths.CHILD}
    forgotten = {
        name
        for name in names
        if name.partition("/")[0] not in folders
        and not any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    assert forgotten == set()
