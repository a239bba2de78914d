"""The gate on Reads through the real client: help that is never in the way."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from backstory import instance
from tests.e2e.api import Block, Request, Turn, call, text
from tests.e2e.conftest import MakeHome
from tests.e2e.home import ROOT, Home, Result
from tests.e2e.shop import make_shop
from tests.e2e.test_tools import mem

EDITING = ("--permission-mode", "acceptEdits")
LINE = "    return found * (1 + rate) + {0}\n"
OUTLINE = "its outline comes first (Backstory)"


def source(functions: int = 300) -> str:
    """A module of so many functions; 300 are some 20,000 tokens."""
    one = (
        'def total_{0}(lines, rate):\n    """What {0} lines cost."""\n    found = 0\n'
        "    for line in lines:\n        if line.amount > {0}:\n            found += line.amount\n"
    )
    return "".join(one.format(n) + LINE.format(n) + "\n\n" for n in range(functions))


@pytest.fixture(scope="module")
def gated(make_home: MakeHome, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A user with the plugin and a worker that has seen Python before."""
    home = make_home()
    home.install(ROOT)
    folder = make_shop(tmp_path_factory.mktemp("warm") / "shop")
    assert home.run("hello", cwd=folder).code == 0
    assert home.backstory("start").returncode == 0
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with large files."""
    folder = make_shop(tmp_path / "shop")
    for name in "abcdef":
        (folder / f"{name}.py").write_text(source())
    return folder


def known(home: Home, project: Path) -> None:
    """Has the worker outline the files, so that none takes longer than a hook waits."""
    for path in project.glob("*.py"):
        event = {
            "session_id": "nobody",
            "cwd": str(project),
            "tool_name": "Read",
            "tool_input": {"file_path": str(path)},
        }
        for _ in range(50):
            body = {"event": event, "project_dir": ""}
            if instance.ask(home.data, "POST", "/api/gate", body):
                break
            event["session_id"] = f"nobody-{time.monotonic()}"


def read(project: Path, name: str, **part: int) -> Block:
    """A Read of one of the files."""
    return call("Read", file_path=str(project / f"{name}.py"), **part)


def edit(project: Path, name: str, number: int) -> Block:
    """An edit of one line of it."""
    return call(
        "Edit",
        file_path=str(project / f"{name}.py"),
        old_string=LINE.format(number),
        new_string=f"    return {number}\n",
    )


def assert_edited(project: Path, name: str, number: int) -> None:
    """The file holds what `edit` put there."""
    assert f"    return {number}\n" in (project / f"{name}.py").read_text()


def assert_refused(result: Result, number: int, place: int = 0) -> str:
    """The answer is the outline, and an error to the client."""
    answer = result.tool_result(f"toolu_{number}_{place}")
    assert OUTLINE in answer, answer
    assert result.tool_failed(f"toolu_{number}_{place}")
    return answer


def assert_delivered(result: Result, number: int, what: str) -> None:
    """The call went well and gave that."""
    assert not result.tool_failed(f"toolu_{number}_0"), result.tool_result(f"toolu_{number}_0")
    assert what in result.tool_result(f"toolu_{number}_0")


def test_outline_symbol_lines_edit(gated: Home, project: Path) -> None:
    """J1, J9: each way on from a refusal works, in one session that edits five files."""
    known(gated, project)
    change = f"printf '# end\\n' >> {project}/c.py"
    steps: list[Sequence[Block]] = [
        [read(project, "a")],
        [mem("smart_unfold", file_path="a.py", symbol_name="total_7")],
        [read(project, "a", offset=40, limit=20)],
        [edit(project, "a", 5)],
        [read(project, "b")],
        [read(project, "b")],
        [edit(project, "b", 6)],
        [read(project, "c")],
        [call("Bash", command=change, description="Change it")],
        [read(project, "c")],
        [edit(project, "c", 7)],
        [read(project, "d") for _ in range(10)],
        [edit(project, "d", 8)],
        [read(project, "e"), edit(project, "e", 9)],
        [call("Bash", command="cat f.py", description="Show it")],
    ]
    allowed = ("--allowedTools", "Bash")
    result = gated.run("Work", *EDITING, *allowed, cwd=project, turns=[*steps, [text("End.")]])
    answer = assert_refused(result, 0)
    said = "not a fault: this file is large"
    assert answer.startswith((said, f"PreToolUse:Read hook error: {said}"))
    assert_delivered(result, 1, "def total_7(lines, rate)")
    assert_delivered(result, 2, "def total_5(lines, rate)")
    assert_refused(result, 4)
    assert_delivered(result, 5, "def total_0(lines, rate)")
    assert_refused(result, 7)
    assert_delivered(result, 9, "def total_0(lines, rate)")
    refused = [result.tool_failed(f"toolu_11_{place}") for place in range(10)]
    assert sum(refused) == 1
    assert_delivered(result, 13, "def total_0(lines, rate)")  # the same answer edits it
    for number, name in enumerate("abcde"):
        assert_edited(project, name, 5 + number)
    assert "smart_outline shows its shape" in result.turns[-1].conversation(), "beside cat"


def test_an_edit_straight_after_the_refusal(gated: Home, project: Path) -> None:
    """The older client wants a Read first, and gets it: no second refusal."""
    known(gated, project)
    steps = [
        [read(project, "a")],
        [edit(project, "a", 5)],
        [read(project, "a")],
        [edit(project, "a", 6)],
    ]
    result = gated.run("Work", *EDITING, cwd=project, turns=[*steps, [text("End.")]])
    assert_refused(result, 0)
    assert_delivered(result, 2, "def total_0(lines, rate)")
    assert_edited(project, "a", 6)


def test_an_edit_without_any_read(gated: Home, project: Path) -> None:
    """Where the client wants a Read for it, that Read passes: the file is being edited."""
    known(gated, project)

    def go_on(request: Request) -> Sequence[Block]:
        return [read(project, "a")] if request.tool_failed("toolu_0_0") else [text("End.")]

    steps: list[Turn] = [[edit(project, "a", 5)], go_on, [edit(project, "a", 5)]]
    result = gated.run("Work", *EDITING, cwd=project, turns=steps)
    assert_edited(project, "a", 5)
    assert OUTLINE not in result.turns[-1].conversation()


def test_a_subagent_and_its_parent(gated: Home, project: Path) -> None:
    """J7: each is told once, and each can edit."""
    known(gated, project)
    agent = [
        [read(project, "a")],
        [read(project, "a", offset=1, limit=30)],
        [edit(project, "a", 5)],
        [read(project, "a")],
    ]
    task = call(
        "Agent", description="Mend", prompt="MEND the file", subagent_type="general-purpose"
    )
    result = gated.run(
        "Work",
        *EDITING,
        cwd=project,
        turns=[[task], [read(project, "a")], [read(project, "a")], [edit(project, "a", 6)]],
        subagents={"MEND": agent},
    )
    last = result.subagent_turns[-1]
    assert OUTLINE in last.tool_result("toolu_0s_0_0")
    assert not last.tool_failed("toolu_0s_2_0"), last.tool_result("toolu_0s_2_0")
    assert not last.tool_failed("toolu_0s_3_0"), last.tool_result("toolu_0s_3_0")
    assert_refused(result, 1)
    assert_delivered(result, 2, "def total_0(lines, rate)")
    assert_edited(project, "a", 5)
    assert_edited(project, "a", 6)


def test_plan_mode(gated: Home, project: Path) -> None:
    """Reading goes on as everywhere."""
    known(gated, project)
    steps = [
        [read(project, "a")],
        [mem("smart_outline", file_path="a.py", depth=1)],
        [read(project, "a")],
    ]
    mode = ("--permission-mode", "plan")
    result = gated.run("Plan", *mode, cwd=project, turns=[*steps, [text("End.")]])
    assert_refused(result, 0)
    assert_delivered(result, 1, "total_7")
    assert_delivered(result, 2, "def total_0(lines, rate)")


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "dontAsk"])
def test_a_read_that_the_user_denies_stays_denied(gated: Home, project: Path, mode: str) -> None:
    """And its outline is not shown in place of it."""
    (project / ".claude").mkdir()
    rules = {"permissions": {"deny": ["Read(./a.py)"]}}
    (project / ".claude/settings.json").write_text(json.dumps(rules))
    steps = [[read(project, "a")], [read(project, "a")]]
    result = gated.run("Look", "--permission-mode", mode, cwd=project, turns=[*steps, [text("E")]])
    for number in range(2):
        assert result.tool_failed(f"toolu_{number}_0")
        assert "total_" not in result.tool_result(f"toolu_{number}_0")


def test_a_worker_that_is_killed_between(gated: Home, project: Path) -> None:
    """Nothing is refused twice, and without a worker nothing at all."""
    known(gated, project)

    def kill(_: Request) -> Sequence[Block]:
        assert gated.kill_worker()
        return [read(project, "a")]

    steps: list[Turn] = [
        [read(project, "a")],
        kill,
        [edit(project, "a", 5)],
        [read(project, "b")],
        [edit(project, "b", 6)],
    ]
    result = gated.run("Work", *EDITING, cwd=project, turns=[*steps, [text("End.")]])
    assert_refused(result, 0)
    assert_delivered(result, 1, "def total_0(lines, rate)")
    assert_delivered(result, 3, "def total_0(lines, rate)")
    assert_edited(project, "a", 5)
    assert_edited(project, "b", 6)
    assert gated.backstory("start").returncode == 0
