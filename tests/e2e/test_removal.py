"""Switching the plugin off and taking it away again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import text
from tests.e2e.home import PLUGIN, ROOT
from tests.e2e.story import context_of, fix_the_cart

if TYPE_CHECKING:
    from tests.e2e.conftest import MakeHome


def test_a_disabled_plugin_starts_nothing(make_home: MakeHome, shop: Path) -> None:
    """B3: no hook, no server, no worker, no file."""
    home = make_home()
    home.install(ROOT)
    done = home.command("plugin", "disable", PLUGIN)
    assert done.returncode == 0, done.stdout + done.stderr
    before = set(home.data.iterdir())
    result = home.run("hello", cwd=shop, turns=[[text("Hi.")]])
    assert result.stdout.strip() == "Hi."
    assert not [name for name in result.turns[0].tools if "backstory" in name]
    assert set(home.data.iterdir()) == before


def test_two_commands_remove_all_of_it(make_home: MakeHome, shop: Path) -> None:
    """B4, I4: what was written is listed and removed, and no session brings it back."""
    home = make_home()
    home.install(ROOT)
    fix_the_cart(home, shop)
    home.drain()
    home.run("hello", cwd=shop)  # where a worker runs, this one's start tells who distils
    assert (home.data / "told.txt").exists()
    ours = home.backstory("uninstall", "--yes")
    assert ours.returncode == 0, ours.stderr
    assert str(home.data / "backstory.db") in ours.stdout
    theirs = home.command("plugin", "uninstall", PLUGIN)
    assert theirs.returncode == 0, theirs.stdout + theirs.stderr
    assert [str(path) for path in home.data.rglob("*")] == []
    result = home.run("hello", cwd=shop, turns=[[text("Hi.")]])
    assert result.stdout.strip() == "Hi."
    assert not context_of(result.turns[0])
    assert [str(path) for path in home.data.rglob("*")] == []
