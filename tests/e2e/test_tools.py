"""The MCP tools through the real client: which run unasked, and what they may show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.api import Block, Request, call, text
from tests.e2e.shop import make_shop
from tests.e2e.story import context_of, fix_the_cart

if TYPE_CHECKING:
    from tests.e2e.home import Home

MEM = "mcp__plugin_backstory_mem__"
MODES = ["default", "plan", "dontAsk"]


def mem(name: str, /, **arguments: object) -> Block:
    """A call of one of our tools."""
    return call(MEM + name, **arguments)


def newest(home: Home, table: str, project: Path) -> int:
    """The id of a project's newest row."""
    found = home.rows(
        f"SELECT max(t.id) FROM {table} t JOIN sessions s ON s.id = t.session WHERE s.cwd = ?",
        str(project),
    )
    return int(found[0][0])


@pytest.mark.parametrize("mode", MODES)
def test_read_only_tools_answer_unasked_and_the_writing_one_does_not(
    home: Home, shop: Path, mode: str
) -> None:
    """In `claude -p` nobody can answer a prompt: a tool that would ask is refused."""
    fix_the_cart(home, shop)
    home.drain()
    observation = newest(home, "observations", shop)
    used = newest(home, "tool_uses", shop)
    calls = [
        mem("search", query="discount"),
        mem("timeline", anchor=observation),
        mem("get_observations", ids=[observation]),
        mem("get_tool_uses", ids=[used]),
        mem("session_start_context"),
        mem("important_workflow"),
        mem("mem_search", query="discount", mode="auto"),
        mem("smart_outline", file_path="shop/cart.py"),
        mem("smart_unfold", file_path=str(shop / "shop/cart.py"), symbol_name="Cart.add"),
        mem("smart_search", query="total", path="shop"),
        mem("work_state_read"),
        mem("save_memory", content="Prices are kept in cents, always."),
        mem("work_state_write", task="Prices are kept in cents, always."),
    ]
    result = home.run(
        "What do you remember?", "--permission-mode", mode, cwd=shop, turns=[calls, [text("End.")]]
    )
    for place, block in enumerate(calls[:-2]):
        answer = result.tool_result(f"toolu_0_{place}")
        assert not result.tool_failed(f"toolu_0_{place}"), f"{block['name']}: {answer}"
        assert answer.strip(), block["name"]
    assert "Cart.total" in result.tool_result("toolu_0_0")
    assert "shop/cart.py" in result.tool_result("toolu_0_2")
    assert "Edit" in result.tool_result("toolu_0_3") or "Bash" in result.tool_result("toolu_0_3")
    assert "Use mem_search" in result.tool_result("toolu_0_5")
    assert "shop/cart.py" in result.tool_result("toolu_0_6")
    assert "def total(self, discount: int = 0) -> int" in result.tool_result("toolu_0_7")
    assert "12\t        self.prices.append(price)" in result.tool_result("toolu_0_8")
    assert "def total(self, discount: int = 0) -> int" in result.tool_result("toolu_0_9")
    for place in (11, 12):
        assert result.tool_failed(f"toolu_0_{place}"), "what writes must not run unasked"
    saved = "SELECT count(*) FROM observations WHERE narrative LIKE '%kept in cents%'"
    written = "SELECT count(*) FROM work_states WHERE task LIKE '%kept in cents%'"
    assert home.rows(saved) == home.rows(written) == [(0,)]


def test_a_guided_search_takes_its_three_steps_unasked(home: Home, shop: Path) -> None:
    """What one answer gives is what the next call needs."""

    def go_on(request: Request, answer: str) -> list[Block]:
        text = request.tool_result(answer)
        found = re.search(r"ms_[A-Za-z0-9_-]{24}", text)
        row = re.search(r"^(?:→ |  )?#(\d+) ", text, re.MULTILINE)
        assert found, text
        assert row, text
        return [mem("mem_search", continuation=found[0], selectedIds=[row[1]])]

    fix_the_cart(home, shop)
    home.drain()
    result = home.run(
        "Why was the discount wrong?",
        cwd=shop,
        turns=[
            [mem("mem_search", query="discount")],
            lambda request: go_on(request, "toolu_0_0"),
            lambda request: go_on(request, "toolu_1_0"),
            [text("Because of the order.")],
        ],
    )
    for place in ("toolu_0_0", "toolu_1_0", "toolu_2_0"):
        assert not result.tool_failed(place), result.tool_result(place)
    assert "Evidence: " not in result.tool_result("toolu_0_0") + result.tool_result("toolu_1_0")
    assert "→ #" in result.tool_result("toolu_1_0")
    assert "Evidence: " in result.tool_result("toolu_2_0")


def test_a_question_in_another_language_finds_what_an_earlier_session_did(
    home: Home, shop: Path
) -> None:
    """By its meaning: no word of the question stands in the record."""
    fix_the_cart(home, shop)
    home.drain()
    found = home.run(
        "What about the money?",
        cwd=shop,
        turns=[
            [mem("mem_search", query="购物车的折扣算错了")],
            [text("It was fixed.")],
        ],
    ).tool_result("toolu_0_0")
    assert "Cart" in found, found


def test_save_memory_runs_once_the_user_allows_it(home: Home, shop: Path) -> None:
    """Exact words, and found again by the same session."""
    words = "Prices are kept in cents, see the ledger of 2019."
    result = home.run(
        "Remember this",
        "--allowedTools",
        MEM + "save_memory",
        cwd=shop,
        turns=[
            [mem("save_memory", content=words, title="Prices in cents")],
            [mem("search", query="prices cents")],
            [text("Saved.")],
        ],
    )
    assert not result.tool_failed("toolu_0_0"), result.tool_result("toolu_0_0")
    assert "Prices in cents" in result.tool_result("toolu_1_0")


def test_the_first_request_already_has_the_tools(home: Home, shop: Path, tool_search: bool) -> None:
    """The relay starts in time; the rarely used tools wait behind tool search."""
    first = home.run("hello", cwd=shop).turns[0]
    code = ("smart_search", "smart_outline", "smart_unfold")
    always = ("mem_search", "get_observations", *code)
    assert {MEM + name for name in always} <= set(first.tools)
    if not tool_search:
        ours = {name.removeprefix(MEM) for name in first.tools if name.startswith(MEM)}
        assert ours >= {
            "search",
            "timeline",
            "get_observations",
            "get_tool_uses",
            "session_start_context",
            "work_state_read",
            "work_state_write",
            "save_memory",
            "important_workflow",
        }


def test_a_call_lives_through_the_death_of_the_worker(home: Home, shop: Path) -> None:
    """Killed with -9 in the middle of a session, and the next call is answered all the same."""

    def kill_and_ask(_: Request) -> list[Block]:
        assert home.kill_worker(), "there was a worker to kill"
        return [mem("session_start_context")]

    fix_the_cart(home, shop)
    result = home.run(
        "What do you remember?",
        cwd=shop,
        turns=[[mem("session_start_context")], kill_and_ask, [text("End.")]],
    )
    assert not result.tool_failed("toolu_0_0"), result.tool_result("toolu_0_0")
    assert not result.tool_failed("toolu_1_0"), result.tool_result("toolu_1_0")
    assert "cart" in result.tool_result("toolu_1_0").lower()


def test_a_subagent_may_ask_too(home: Home, shop: Path) -> None:
    """Its calls run unasked like the main conversation's; the writing tool does not."""
    fix_the_cart(home, shop)
    ask = call(
        "Agent",
        description="Look back",
        prompt="What do we know of the ZEBRA?",
        subagent_type="general-purpose",
        run_in_background=False,
    )
    agent = [[mem("search", query="discount"), mem("save_memory", content="No.")], [text("Much.")]]
    result = home.run(
        "Look back", cwd=shop, turns=[[ask], [text("End.")]], subagents={"ZEBRA": agent}
    )
    answers = result.subagent_turns[1]
    assert not answers.tool_failed("toolu_0s_0_0"), answers.tool_result("toolu_0s_0_0")
    assert "Cart.total" in answers.tool_result("toolu_0s_0_0")
    assert answers.tool_failed("toolu_0s_0_1"), "save_memory must not run unasked"


def test_another_projects_memory_stays_out_of_reach(home: Home, tmp_path: Path) -> None:
    """F10, H5: two folders of one name; neither sees the other's memory unless the user agrees."""
    mine = make_shop(tmp_path / "a/shop", "Cart")
    other = make_shop(tmp_path / "b/shop", "Lamp")
    fix_the_cart(home, mine)
    home.drain()
    observation = newest(home, "observations", mine)
    used = newest(home, "tool_uses", mine)
    calls = [
        mem("search", query="discount cart"),
        mem("session_start_context"),
        mem("get_observations", ids=[observation]),
        mem("get_tool_uses", ids=[used]),
        mem("timeline", anchor=observation),
        mem("search", query="discount cart", project=str(mine)),
        mem("search", query="discount cart", type="sessions"),
        mem("search", query="discount wrong", type="prompts"),
        mem("mem_search", query="discount cart"),
        mem("mem_search", query="discount cart", mode="auto"),
        mem("mem_search", query="discount cart", project=str(mine)),
    ]
    result = home.run("Look around", cwd=other, turns=[calls, [text("End.")]])
    assert "Cart" not in context_of(result.turns[0])
    for place, block in enumerate(calls):
        answer = result.tool_result(f"toolu_0_{place}").lower()
        assert "cart.py" not in answer, (block, answer)
        assert "cart.total" not in answer, (block, answer)
        assert "is wrong, fix it" not in answer, (block, answer)
    for place in (2, 3, 4, 5, 10):
        assert result.tool_failed(f"toolu_0_{place}"), calls[place]
