"""The very first session: the runtime is not there yet, and nothing waits for it."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import call, text
from tests.e2e.home import ROOT, Home
from tests.e2e.story import assert_knows_of_the_fix, context_of, fix_the_cart

if TYPE_CHECKING:
    from tests.e2e.conftest import MakeHome

SEARCH = "mcp__plugin_backstory_mem__search"


def test_while_the_runtime_is_built_events_are_kept_and_tools_say_so(
    make_home: MakeHome, shop: Path, runtime_base: Path
) -> None:
    """A11, I6: one JSON document and no installer in the hook's way; later nothing is missing."""
    home = make_home()
    home.install(ROOT)
    runtime = home.data / "runtime"
    runtime.unlink()
    runtime.mkdir(mode=0o700)
    (runtime / "progress").write_text("step 3 of 5: fetching the packages\n")
    # whoever holds this lock is the one builder
    with (runtime / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        asked = _ask(home, shop)
        fix_the_cart(home, shop)
    assert "step 3 of 5" in asked
    assert not home.worker()
    for path in runtime.iterdir():
        path.unlink()
    runtime.rmdir()
    runtime.symlink_to(runtime_base / "runtime")
    home.drain()
    assert_knows_of_the_fix(home.run("What did we do?", cwd=shop).turns[0])


def _ask(home: Home, shop: Path) -> str:
    """What a tool answers, in a session that is none the worse."""
    turns = [[call(SEARCH, query="discount")], [text("End.")]]
    result = home.run("What do you remember?", cwd=shop, turns=turns)
    assert result.code == 0, result.stderr
    assert not context_of(result.turns[0])
    return result.tool_result("toolu_0_0")
