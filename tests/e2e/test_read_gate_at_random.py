"""File work at random, with the plugin and without: no edit is lost, none takes two calls more."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from backstory import instance
from tests.e2e.api import call
from tests.e2e.at_random import Agent, Work, draw, source
from tests.e2e.conftest import MakeHome
from tests.e2e.home import ROOT, Home, Result
from tests.e2e.shop import make_shop

# BACKSTORY_SEQUENCES=300 tries as many, BACKSTORY_SEED=1000 others
BATCH = 3
SEEDS = range(
    seed := int(os.environ.get("BACKSTORY_SEED", "0")),
    seed + int(os.environ.get("BACKSTORY_SEQUENCES", "3")),
    BATCH,
)
ENOUGH = min(3, len(SEEDS))  # batches, of which one must see a refusal
FLAGS = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash")


@pytest.fixture(scope="module")
def plain(make_home: MakeHome) -> Home:
    """A user without the plugin."""
    return make_home()


@pytest.fixture(scope="module")
def gated(make_home: MakeHome, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A user with it, and a worker."""
    home = make_home()
    home.install(ROOT)
    folder = make_shop(tmp_path_factory.mktemp("warm") / "shop")
    assert home.run("hello", cwd=folder).code == 0
    return home


@pytest.fixture(scope="module")
def tried() -> list[int]:
    """The calls that were refused, batch by batch."""
    return []


def carry_out(home: Home, work: Work, project: Path, *, faults: bool) -> tuple[Agent, Agent]:
    """(the main agent, the subagent) after their work in a new copy of the project."""
    for name, size in work.sizes.items():
        (project / name).write_text(source(name, size))

    def before(step: int) -> None:
        if faults and step in work.faults:
            break_worker(home, work.faults[step])

    sub = Agent(work.subagent, prefix="toolu_0s")
    main = Agent(work.steps, before)
    if work.subagent:
        task = call(
            "Agent", description="Help", prompt="HELP with it", subagent_type="general-purpose"
        )
        main.steps = [*work.steps[:2], [task], *work.steps[2:]]
    result: Result = home.run(
        "Work", *FLAGS, cwd=project, turns=main.turns, subagents={"HELP": sub.turns}
    )
    assert result.code == 0, result.stderr
    return main, sub


def break_worker(home: Home, how: str) -> None:
    """Kills the worker, or stops it."""
    pid = instance.recorded_pid(home.data)
    if pid and how == "kill":
        home.kill_worker()
    elif pid:
        os.kill(pid, signal.SIGSTOP)


def mend_worker(home: Home) -> None:
    """A worker that answers, for the next sequence."""
    pid = instance.recorded_pid(home.data)
    if pid:
        os.kill(pid, signal.SIGCONT)
    (home.data / "worker.timeout").unlink(missing_ok=True)
    assert home.backstory("start").returncode == 0


@pytest.mark.parametrize("first", SEEDS)
def test_no_edit_is_lost(
    plain: Home, gated: Home, tried: list[int], tmp_path: Path, first: int
) -> None:
    """J1, J3, J7, J9: every edit that works without the plugin works with it."""
    refused = 0
    for number in range(first, first + BATCH):
        project = make_shop(tmp_path / f"shop{number}")
        mend_worker(gated)
        work = draw(number, project)
        without = carry_out(plain, work, project, faults=False)
        with_ = carry_out(gated, work, project, faults=True)
        for before, after in zip(without, with_, strict=True):
            refused += after.again
            assert not before.again
            assert not after.stuck
            assert len(after.edits) == len(before.edits)
            both = zip(before.edits, after.edits, strict=True)
            assert not [at for at, (was, now) in enumerate(both) if was and not now], number
    tried.append(refused)
    # a single batch may hold no large Read, or meet a worker that is slower than a hook waits
    assert any(tried) or len(tried) < ENOUGH, "or nothing was tried"
