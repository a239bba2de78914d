"""Installing the plugin as a user does, and what the client then loads of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import text
from tests.e2e.home import ROOT, Home, Result
from tests.e2e.shop import git

if TYPE_CHECKING:
    from tests.e2e.conftest import MakeHome

SEARCH = "mcp__plugin_backstory_mem__search"
CHATTY = ("--output-format", "stream-json", "--verbose")


def assert_plugin_works(home: Home, result: Result) -> None:
    """The client lists the plugin and its server, complains of nothing, and hooks captured."""
    init = next(event for event in result.events if event.get("subtype") == "init")
    assert "backstory" in [plugin["name"] for plugin in init["plugins"]]
    assert not init.get("plugin_errors")
    servers = {server["name"]: server["status"] for server in init["mcp_servers"]}
    assert servers == {"plugin:backstory:mem": "connected"}
    assert result.code == 0
    home.drain()
    assert home.rows("SELECT text FROM prompts") == [("hello there",)]
    ended = home.rows("SELECT end_reason, last_message FROM sessions JOIN prompts ON number = 1")
    assert ended == [("other", "Hi.")], "SessionEnd and Stop are captured"


def test_the_validator_has_nothing_to_say(make_home: MakeHome) -> None:
    """A17: the manifest is clean, without a single warning."""
    done = make_home().command("plugin", "validate", str(ROOT))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Validation passed" in done.stdout
    assert "warning" not in (done.stdout + done.stderr).lower()


def test_installs_from_a_folder(make_home: MakeHome, shop: Path) -> None:
    """A folder marketplace runs in place."""
    home = make_home()
    home.install(ROOT)
    assert_plugin_works(home, home.run("hello there", *CHATTY, cwd=shop, turns=[[text("Hi.")]]))


def test_installs_from_a_path_with_a_space_and_an_accent(
    make_home: MakeHome, shop: Path, tmp_path: Path, copy_checkout: Callable[[Path], Path]
) -> None:
    """B10: any path will do."""
    home = make_home()
    home.install(copy_checkout(tmp_path / "Ünïcode plüg in"))
    assert_plugin_works(home, home.run("hello there", *CHATTY, cwd=shop, turns=[[text("Hi.")]]))


def test_installs_from_a_git_clone(
    make_home: MakeHome, shop: Path, tmp_path: Path, copy_checkout: Callable[[Path], Path]
) -> None:
    """A git marketplace is cloned, and the plugin runs from the client's own copy."""
    home = make_home()
    source = copy_checkout(tmp_path / "upstream")
    address = "https://git.example.org/backstory.git"
    (home.path / ".gitconfig").write_text(f'[url "{source}"]\n\tinsteadOf = {address}\n')
    home.install(address)
    assert_plugin_works(home, home.run("hello there", *CHATTY, cwd=shop, turns=[[text("Hi.")]]))
    copies = list((home.path / ".claude/plugins").rglob("plugin/relay.py"))
    assert copies, "the client keeps a copy of its own"
    assert git(source, "status", "--porcelain") == ""


def test_loads_from_a_plugin_directory_without_a_complaint(make_home: MakeHome, shop: Path) -> None:
    """The client reports here whether it knew every hook event and read every file."""
    home = make_home()
    arguments = ("--plugin-dir", str(ROOT), *CHATTY)
    result = home.run("hello there", *arguments, cwd=shop, turns=[[text("Hi.")]])
    assert_plugin_works(home, result)


def test_nothing_is_written_beside_the_sources(
    make_home: MakeHome, shop: Path, tmp_path: Path, copy_checkout: Callable[[Path], Path]
) -> None:
    """A folder marketplace runs in place: no bytecode, no logs, no state in the checkout."""
    home = make_home()
    source = copy_checkout(tmp_path / "plugin")
    home.install(source)
    home.run("hello there", cwd=shop, turns=[[text("Hi.")]])
    home.drain()
    assert git(source, "status", "--porcelain", "--ignored") == ""
