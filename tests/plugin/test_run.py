"""plugin/run and bin/backstory: whatever is missing on a machine, a hook never fails."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import ROOT, User, copy_checkout

START = b'{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}\n'
PROBE = """
import sys
print(sys.executable, sys.flags.isolated, sys.flags.no_site, sys.pycache_prefix, sys.argv[1:])
"""


@pytest.fixture
def awkward(tmp_path: Path) -> User:
    """A user whose names have spaces and letters beyond ASCII."""
    home = tmp_path / "Ünï cödé" / "home"
    home.mkdir(parents=True)
    root = copy_checkout(tmp_path / "Ünï cödé" / "the plugin")
    (root / "hooks/probe.py").write_text(PROBE)
    return User(home, root)


@pytest.fixture
def without_python(awkward: User) -> User:
    """The same user on a machine where no Python is in any of the usual places."""
    for name in ("run", "interpreter.py"):
        script = awkward.root / "plugin" / name
        text = script.read_text()
        script.write_text(re.sub(r"(?<![\w/])/(usr|opt)/(local/|homebrew/)?bin", "/nowhere", text))
    tools = awkward.home / "tools"
    tools.mkdir()
    for name in ("mkdir", "head"):
        (tools / name).symlink_to(Path("/usr/bin") / name)
    return awkward


def test_a_script_runs_isolated_on_the_recorded_python_with_its_arguments(awkward: User) -> None:
    """B10: spaces and non-ASCII letters in the home, the checkout and the arguments all work."""
    awkward.record(sys.executable)
    done = awkward.sh("plugin/run", "hooks/probe.py", "a b", "ü")
    base = awkward.base
    assert done.stdout.decode() == f"{sys.executable} 1 1 {base}/pycache ['a b', 'ü']\n"
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_common_path_needs_no_other_program(awkward: User) -> None:
    """With an empty PATH nothing but builtins and the recorded Python can run."""
    awkward.record(sys.executable)
    done = awkward.sh("plugin/run", "hooks/probe.py", PATH="/nowhere")
    assert done.stdout.decode().startswith(sys.executable)


def test_a_recorded_python_that_is_gone_is_replaced(awkward: User) -> None:
    """An upgrade of the system's Python costs one slower event."""
    awkward.record(str(awkward.home / "old/bin/python3"))
    done = awkward.sh("plugin/run", "hooks/probe.py")
    found = (awkward.base / "python").read_text().strip()
    assert Path(found).is_absolute()
    assert done.stdout.decode().startswith(f"{found} 1 1 ")


@pytest.mark.parametrize("relative", ["plugin/run", "./plugin/run"])
def test_it_finds_its_root_from_a_relative_name(awkward: User, relative: str) -> None:
    """A person in the checkout may call it by hand."""
    awkward.record(sys.executable)
    inside = User(awkward.home, Path())
    (awkward.home / "plugin").symlink_to(awkward.root / "plugin")
    (awkward.home / "hooks").symlink_to(awkward.root / "hooks")
    assert inside.sh(relative, "hooks/probe.py").stdout.decode().startswith(sys.executable)


def test_a_plugin_that_is_gone_is_silent(awkward: User) -> None:
    """I4: hooks of a removed plugin exit 0 at once."""
    done = awkward.sh("plugin/run", "hooks/removed.py", stdin=START)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("value", "runs"), [("1", False), ("true", False), ("0", True), ("", True)]
)
def test_disabled_means_that_no_hook_runs(awkward: User, value: str, runs: bool) -> None:
    """A19: one variable switches memory off for a process."""
    awkward.record(sys.executable)
    done = awkward.sh("plugin/run", "hooks/probe.py", BACKSTORY_DISABLED=value)
    assert (done.returncode, bool(done.stdout)) == (0, runs)


def test_without_python_the_session_start_says_so_once(without_python: User) -> None:
    """A11: one JSON document that says what to install, and nothing ever after."""
    path = str(without_python.home / "tools")
    said = without_python.sh("plugin/run", "hooks/on_event.py", stdin=START, PATH=path)
    assert (said.returncode, said.stderr) == (0, b"")
    assert "Install Python" in json.loads(said.stdout)["systemMessage"]
    again = without_python.sh("plugin/run", "hooks/on_event.py", stdin=START, PATH=path)
    assert (again.returncode, again.stdout, again.stderr) == (0, b"", b"")


@pytest.mark.parametrize("script", ["hooks/on_event.py", "plugin/relay.py"])
@pytest.mark.parametrize("stdin", [b"", b"{", b'{"hook_event_name": "Stop"}', b"x" * 100_000])
def test_without_python_other_events_are_silent(
    without_python: User, script: str, stdin: bytes
) -> None:
    """A13: empty or broken input too."""
    path = str(without_python.home / "tools")
    (without_python.root / "plugin/relay.py").touch()
    done = without_python.sh("plugin/run", script, stdin=stdin, PATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_without_python_a_command_says_what_to_install(without_python: User) -> None:
    """A person who typed a command gets an error, not silence."""
    path = str(without_python.home / "tools")
    done = without_python.sh("plugin/run", "plugin/launch.py", "status", PATH=path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Install Python" in done.stderr


def test_native_windows_is_told_once(awkward: User) -> None:
    """It is not supported yet, and does nothing there."""
    said = awkward.sh("plugin/run", "hooks/on_event.py", stdin=START, OS="Windows_NT")
    assert "native Windows" in json.loads(said.stdout)["systemMessage"]
    again = awkward.sh("plugin/run", "hooks/on_event.py", stdin=START, OS="Windows_NT")
    assert (said.returncode, again.returncode, again.stdout) == (0, 0, b"")
    assert not (awkward.base / "spool").exists()


def test_a_home_that_cannot_be_written_still_runs_the_script(awkward: User) -> None:
    """The record is a convenience: without it each event looks again."""
    (awkward.home / ".local").write_text("a file where a folder should be")
    done = awkward.sh("plugin/run", "hooks/probe.py")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b" 1 1 " in done.stdout


def test_nothing_is_written_beside_the_sources(awkward: User) -> None:
    """A folder marketplace runs the plugin in place (I1)."""
    awkward.sh("plugin/run", "hooks/probe.py")
    awkward.launch("status")
    assert not list(awkward.root.rglob("__pycache__"))


def test_the_command_is_found_through_symlinks(awkward: User) -> None:
    """`backstory` may be a link to a link, as `link` and package managers make them."""
    awkward.record(sys.executable)
    second = awkward.home / "second"
    (awkward.home / "first").symlink_to(awkward.root / "bin/backstory")
    second.symlink_to("first")
    done = User(awkward.home, awkward.home).sh("second", "status")
    assert (done.returncode, done.stderr) == (4, b"")
    assert done.stdout.startswith(b"no runtime: ")


def hook_commands() -> list[list[str]]:
    """Every command of hooks.json, as the host runs it."""
    events = json.loads((ROOT / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    hooks = [hook for groups in events.values() for group in groups for hook in group["hooks"]]
    return [[hook["command"], *hook["args"]] for hook in hooks]


def test_every_event_has_the_same_command() -> None:
    """One way in, whatever happens."""
    commands = hook_commands()
    assert commands == [commands[0]] * len(commands)


@pytest.mark.parametrize("there", [True, False])
def test_the_host_gets_no_error_where_the_launcher_is_missing(awkward: User, there: bool) -> None:
    """I4: `sh` exits 2 for a script that is gone, and the host ends the turn over that."""
    awkward.record(sys.executable)
    (awkward.root / "hooks/probe.py").rename(awkward.root / "hooks/on_event.py")
    if not there:
        (awkward.root / "plugin/run").unlink()
    variable = "${CLAUDE_PLUGIN_ROOT}"
    command = [word.replace(variable, str(awkward.root)) for word in hook_commands()[0]]
    done = subprocess.run(command, env=awkward.environment(), input=START, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(sys.executable.encode()) == there


def test_no_executable_bit_is_needed() -> None:
    """The host calls `sh` with the path, since an archive may lose the bit."""
    for name in ("hooks/hooks.json", ".mcp.json"):
        text = (ROOT / name).read_text()
        assert '"command": "sh"' in text
        assert "${CLAUDE_PLUGIN_ROOT}/plugin/run" in text
