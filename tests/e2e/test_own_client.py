"""The very client that runs a session distils it, too: apart from it, and where the user says."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.api import Api, Block, Request, Script, call, text
from tests.e2e.distilled import (
    ALLOWED,
    TITLE,
    assert_clean,
    assert_remembered,
    distil,
    drafts_in,
    log_in,
    start,
    status,
    told,
    two_sessions,
    worked,
)
from tests.e2e.home import ROOT, Home
from tests.e2e.shop import files_of
from tests.e2e.story import context_of
from tests.e2e.test_claude_cli import EVENTS, write

if TYPE_CHECKING:
    from tests.e2e.conftest import MakeHome


@pytest.mark.parametrize("provider", ["claude-cli", "auto"])
def test_the_user_s_own_client_distils_its_sessions(
    make_home: MakeHome, shop: Path, tmp_path: Path, provider: str
) -> None:
    """C2, C3: one request a batch, and no hook, session or transcript of a session of its own."""
    home = make_home()
    home.install(ROOT)
    fired = tmp_path / "fired"
    hook = [{"hooks": [{"type": "command", "command": f"cat >> {fired}"}]}]
    with Api(Script([], distiller=distil)) as api:
        log_in(home, api, hooks=dict.fromkeys(EVENTS, hook))
        found = start(home, **({} if provider == "auto" else {"provider": provider}))
        first, second = two_sessions(home, shop, api)
        batches = [request.conversation() for request in api.batches]
        others = [r for r in api.requests if r not in (*api.turns, *api.batches)]
    assert found["distiller"]["provider"] == "claude-cli"
    assert "claude-cli distils what happens here (model haiku, your Claude login)" in told(first)
    assert told(second) == ""
    assert_clean(batches)
    assert_remembered(home, second, drafts_in(batches[0]))
    assert others == [], "no title, no probe"
    calls = "SELECT provider, tokens_in, tokens_out, outcome FROM ledger WHERE provider <> 'rules'"
    assert home.rows(calls) == [("claude-cli", 10, 20, "done")] * 2
    sessions = {result.events[-1]["session_id"] for result in (first, second)}
    assert set(re.findall(r'"session_id": ?"([^"]+)"', fired.read_text())) == sessions
    assert {row for (row,) in home.rows("SELECT session_id FROM sessions")} == sessions
    projects = home.path / ".claude/projects"
    assert {path.stem for path in projects.glob("*/*.jsonl")} == sessions
    assert str(home.data) not in (home.path / ".claude.json").read_text()
    assert list((home.data / "model").iterdir()) == []


def test_a_project_sends_its_batches_nowhere_else(make_home: MakeHome, shop: Path) -> None:
    """C3: its own settings reach our hooks, and neither the worker nor the model's client."""
    home = make_home()
    home.install(ROOT)
    ran = shop.parent / "ran"
    program, script = shop / "bin/claude", shop / "preload.js"
    write(program, f"#!/bin/sh\necho program >> {ran}\nexit 1\n")
    program.chmod(0o755)
    write(script, f"require('fs').appendFileSync('{ran}.' + process.pid, process.argv.join(' '))")
    show = "import os; print(os.environ['PATH'], os.environ['BACKSTORY_MODEL'])"
    look = call("Bash", command=f'python3 -c "{show}"', description="Look around")
    with (
        Api(Script([[look], *worked(shop), [text("Hi.")]], distiller=distil)) as theirs,
        Api(Script([], distiller=distil)) as own,
    ):
        log_in(home, own)
        strange = {
            "ANTHROPIC_BASE_URL": theirs.url,
            "ANTHROPIC_MODEL": "stolen",
            "BACKSTORY_MODEL": "stolen",
            "BACKSTORY_BASE_URL": theirs.url,
            "NODE_OPTIONS": f"--require {script}",
            "PATH": f"{program.parent}:{home.environment()['PATH']}",
        }
        write(shop / ".claude/settings.json", {"env": strange})
        # no worker yet: one of this session's own hooks starts it
        result = home.run_with(theirs, "Fix the discount", *ALLOWED, cwd=shop)
        assert result.code == 0, result.stderr
        seen = result.tool_result("toolu_0_0")
        assert f"{program.parent}:" in seen, seen
        assert seen.endswith(" stolen"), "the session itself has all of it"
        found = status(home)
        home.drain()
        assert own.batches == [], "its user was not told yet"
        home.run_with(theirs, "Hello", cwd=shop)
        home.drain()
        assert (found["distiller"]["provider"], found["distiller"]["model"]) == (
            "claude-cli",
            "haiku",
        )
        assert (len(theirs.batches), len(own.batches), len(own.requests)) == (0, 1, 1)
    assert not ran.exists()
    preloaded = " ".join(path.read_text() for path in shop.parent.glob("ran.*"))
    assert "--safe-mode" not in preloaded
    assert "auth status" not in preloaded


def test_older_sessions_can_be_upgraded_and_nothing_else_is_touched(
    make_home: MakeHome, shop: Path
) -> None:
    """C9: what rules wrote is told with its price first; no file but ours changes."""
    home = make_home()
    home.install(ROOT)
    with Api(Script(worked(shop), distiller=distil)) as api:
        start(home, provider="rules")
        home.run_with(api, "Fix the discount", *ALLOWED, cwd=shop)
        home.drain()
        log_in(home, api)
        for arguments in (("settings", "provider", "claude-cli"), ("restart",)):
            assert home.backstory(*arguments).returncode == 0
        status(home)
        before = outside(home, shop)
        dry = home.backstory("distill", "--upgrade", "--dry-run")
        assert dry.returncode == 0, dry.stderr
        assert "would distil: 1 turn with 7 tool uses" in dry.stdout
        assert "about 1 call" in dry.stdout
        assert api.batches == []
        done = home.backstory("distill", "--upgrade", "--yes")
        assert done.returncode == 0, done.stderr
        home.drain()
        assert len(api.batches) == 1
        assert outside(home, shop) == before
        api.script = Script([])
        later = home.run_with(api, "What did we do?", cwd=shop)
    assert TITLE in context_of(later.turns[0])


def test_a_worker_that_is_killed_takes_its_client_along(make_home: MakeHome, shop: Path) -> None:
    """C7, C11: nothing goes on without it; the next worker asks again and writes once."""
    home = make_home()
    home.install(ROOT)
    killed = threading.Event()

    def at_last(request: Request) -> list[Block]:
        assert killed.wait(60)
        return distil(request)

    with Api(Script(worked(shop), distiller=at_last)) as api:
        log_in(home, api)
        start(home, provider="claude-cli")
        home.run_with(api, "Fix the discount", *ALLOWED, cwd=shop)
        api.wait_for_batches(1)
        running = descendants(int(home.worker()["pid"]))
        assert len(running) > 1, "the one that holds the leash, and the client"
        assert home.kill_worker()
        ends = time.monotonic() + 20
        while still := running.intersection(processes()):
            assert time.monotonic() < ends, f"still there: {still}"
        killed.set()
        home.drain()
        assert len(api.batches) == 2
    assert home.rows("SELECT outcome FROM ledger WHERE provider = 'claude-cli'") == [("done",)]
    assert home.rows("SELECT state FROM reservations") == [("lost",)], "it may have been billed"
    assert home.rows("SELECT count(*) FROM observations WHERE title = ?", TITLE) == [(1,)]


def outside(home: Home, shop: Path) -> dict[str, str]:
    """Every file of the user and the project that is not ours, with a hash of its content."""
    ours = ".local/share/backstory/"
    theirs = {n: content for n, content in files_of(home.path).items() if not n.startswith(ours)}
    return theirs | {f"project/{n}": content for n, content in files_of(shop).items()}


def processes() -> dict[int, int]:
    """Every process that runs, with its parent; no zombies."""
    shown = ["ps", "-A", "-o", "pid=,ppid=,stat="]
    lines = subprocess.run(shown, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}


def descendants(pid: int) -> set[int]:
    """The processes below one."""
    parents = processes()
    found = {pid}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}
