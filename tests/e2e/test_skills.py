"""The skills on the real client: their text arrives, and their first call runs unasked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import Block, Turn, call, text
from tests.e2e.story import context_of, fix_the_cart

if TYPE_CHECKING:
    from tests.e2e.home import Home, Result

MEM = "mcp__plugin_backstory_mem__"
SKILLS = Path(__file__).resolve().parents[2] / "skills"
DAYS = {"dateStart": "2020-01-01", "dateEnd": "2099-01-01"}
# The first call that each skill teaches, and a word of its answer.
FIRST: dict[str, tuple[str, dict[str, object], str]] = {
    "mem-search": ("mem_search", {"query": "discount"}, "Cart.total"),
    "smart-explore": ("smart_search", {"query": "total"}, "shop/cart.py"),
    "work-state": ("work_state_read", {}, "Nothing is written down"),
    "memory-report": ("search", {"type": "sessions", **DAYS, "orderBy": "date_asc"}, "#s"),
    "learn-codebase": ("mem_search", {"query": "architecture entry points conventions"}, "Next:"),
    "forget": ("mem_search", {"query": "cart"}, "Cart.total"),
}


def mem(name: str, /, **arguments: object) -> Block:
    """A call of one of our tools."""
    return call(MEM + name, **arguments)


def skill(name: str) -> list[Block]:
    """The turn in which the model chooses a skill."""
    return [call("Skill", skill=f"backstory:{name}")]


def body_of(name: str) -> str:
    """The text of a skill below its head, from its first line on."""
    return (SKILLS / name / "SKILL.md").read_text(encoding="utf-8").split("---", 2)[2].strip()


def answered(result: Result, place: str) -> str:
    """What a call returned; it must have run."""
    said = result.tool_result(place)
    assert not result.tool_failed(place), said
    return said


def test_each_skill_arrives_and_its_first_call_runs_unasked(home: Home, shop: Path) -> None:
    """In `claude -p` nobody can answer a prompt: neither skill nor call needs one."""
    fix_the_cart(home, shop)
    home.drain()
    turns: list[Turn] = []
    for name, (tool, arguments, _) in FIRST.items():
        turns += [skill(name), [mem(tool, **arguments)]]
    result = home.run("Try the skills", cwd=shop, turns=[*turns, [text("End.")]])
    assert result.code == 0, result.stderr
    listed = result.turns[0].text()
    for number, (name, (_, _, word)) in enumerate(FIRST.items()):
        assert f"backstory:{name}:" in listed
        answered(result, f"toolu_{2 * number}_0")
        seen = result.turns[2 * number + 1].conversation()
        wanted = body_of(name).replace("${CLAUDE_SESSION_ID}", "")
        first, last = wanted.splitlines()[0], wanted.splitlines()[-1]
        assert first in seen, name
        assert last in seen, f"{name} was cut"
        assert word in answered(result, f"toolu_{2 * number + 1}_0"), name
    assert "backstory:incognito:" not in listed, "only the user switches that"


def test_the_work_state_goes_from_session_to_session(home: Home, shop: Path) -> None:
    """Written once it is allowed, read unasked by the next, and never from an incognito one."""
    state = {"task": "Take the discount off", "next_steps": ["Run test_cart.py"]}
    write = mem("work_state_write", **state)
    denied = home.run("Stop here", cwd=shop, turns=[skill("work-state"), [write], [text("End.")]])
    assert denied.tool_failed("toolu_1_0"), "what writes must not run unasked"
    allowed = ("--allowedTools", MEM + "work_state_write")
    secret = {"BACKSTORY_INCOGNITO": "1"}
    kept_out = home.run("Stop", *allowed, cwd=shop, turns=[[write], [text("End.")]], extra=secret)
    assert kept_out.tool_failed("toolu_0_0")
    assert "incognito" in kept_out.tool_result("toolu_0_0")
    stored = "SELECT w.task FROM work_states w JOIN projects p ON p.id = w.project WHERE p.root = ?"
    assert home.rows(stored, str(shop)) == []
    first = home.run(
        "Stop here", *allowed, cwd=shop, turns=[skill("work-state"), [write], [text("End.")]]
    )
    assert "Take the discount off" in answered(first, "toolu_1_0")
    second = home.run("Where were we?", cwd=shop, turns=[[mem("work_state_read")], [text("End.")]])
    assert "- Run test_cart.py" in answered(second, "toolu_0_0")
    assert "Task: Take the discount off" in context_of(second.turns[0])
    query = (
        "SELECT s.cwd, w.branch FROM work_states w JOIN sessions s ON s.id = w.session"
        " WHERE w.task = ? AND s.cwd = ?"
    )
    assert home.rows(query, str(state["task"]), str(shop)) == [(str(shop), "main")]


def test_forgetting_shows_first_what_would_go(home: Home, shop: Path) -> None:
    """Through Claude's own shell: the preview changes nothing, and an undo brings it back."""

    def bash(arguments: str) -> list[Block]:
        return [call("Bash", command=f"backstory forget {arguments}", description="Forget")]

    fix_the_cart(home, shop)
    home.drain()
    stored = "SELECT count(*) FROM prompts p JOIN sessions s ON s.id = p.session WHERE s.cwd = ?"
    before = home.rows(stored, str(shop))
    what = '--query "The discount is wrong"'
    turns = [skill("forget"), bash(what), [text("Shall I?")]]
    asked = home.run("Forget it", "--allowedTools", "Bash(backstory:*)", cwd=shop, turns=turns)
    assert "would forget" in answered(asked, "toolu_1_0")
    assert "--yes does it" in asked.tool_result("toolu_1_0")
    gone = home.run(
        "Yes", "--allowedTools", "Bash(backstory:*)", cwd=shop, turns=[bash(f"{what} --yes")]
    )
    assert "--undo" in answered(gone, "toolu_0_0")
    assert before[0][0] >= 1
    assert home.backstory("forget", "--undo", cwd=shop).returncode == 0
    assert home.rows(stored, str(shop))[0][0] >= before[0][0]
