"""A working session is captured whole, and the next one begins with what it came to."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import Api, Script, Turn, call, text
from tests.e2e.shop import git
from tests.e2e.story import ALLOWED, assert_knows_of_the_fix, fix_the_cart, fixing

if TYPE_CHECKING:
    from tests.e2e.home import Home


def test_a_whole_session_is_captured(home: Home, shop: Path) -> None:
    """Prompt, calls that pass, fail and are refused, and a subagent's own calls."""
    turns: list[Turn] = [
        *fixing(shop),
        [call("Bash", command="curl -s http://127.0.0.1:9/", description="Ask the server")],
        [
            call(
                "Agent",
                description="Look at the test",
                prompt="Tell me what the ZEBRA test checks",
                subagent_type="general-purpose",
                run_in_background=False,  # the newest client's default is true
            )
        ],
        [text("All mended, and the test checks the discount.")],
    ]
    agent: list[Turn] = [
        [call("Read", file_path=str(shop / "test_cart.py"))],
        [text("It checks that a discount lowers the total.")],
    ]
    result = home.run(
        "The discount is wrong, fix it",
        *ALLOWED,
        cwd=shop,
        turns=turns,
        subagents={"ZEBRA": agent},
    )
    assert result.code == 0, result.stderr
    assert len(result.subagent_turns) == 2
    home.drain()
    session = "(SELECT id FROM sessions WHERE cwd = ?)"
    prompts = home.rows(
        f"SELECT text, last_message FROM prompts WHERE number > 0 AND session = {session}",
        str(shop),
    )
    assert prompts == [
        ("The discount is wrong, fix it", "All mended, and the test checks the discount.")
    ]
    uses = home.rows(
        f"SELECT name, status, agent_type FROM tool_uses WHERE session = {session} ORDER BY id",
        str(shop),
    )
    assert sorted(uses) == sorted(
        [
            ("Read", "ok", ""),
            ("Bash", "failed", ""),
            ("Edit", "ok", ""),
            ("Bash", "ok", ""),
            ("Bash", "refused", ""),
            ("Read", "ok", "general-purpose"),
            ("Agent", "ok", ""),
        ]
    )


def test_the_next_session_knows_at_once(home: Home, shop: Path) -> None:
    """No wait and no drain between them; the first request holds what the last turn came to."""
    fix_the_cart(home, shop)
    second = home.run("What did we do?", cwd=shop)
    assert_knows_of_the_fix(second.turns[0])


def test_a_resumed_session_works_on(home: Home, shop: Path) -> None:
    """Resuming adds what is new and captures into the same session."""
    turns = [*fixing(shop), [text("Mended.")]]
    first = home.run(
        "The discount is wrong, fix it", *ALLOWED, "--output-format", "stream-json", "--verbose",
        cwd=shop, turns=turns,
    )  # fmt: skip
    session = first.events[-1]["session_id"]
    resumed = home.run("And now?", "--resume", session, cwd=shop)
    assert resumed.code == 0, resumed.stderr
    assert_knows_of_the_fix(resumed.turns[0])
    home.drain()
    query = "SELECT text FROM prompts JOIN sessions s ON s.id = session WHERE session_id = ?"
    assert {text for (text,) in home.rows(query, session)} >= {
        "The discount is wrong, fix it",
        "And now?",
    }


def test_what_was_done_before_clear_is_known_after(home: Home, shop: Path) -> None:
    """/clear starts a new session 30 ms after the old one ended; it has the old one's work."""
    turns = [*fixing(shop), [text("The discount is taken off now.")], [text("You fixed it.")]]
    with (
        Api(Script(turns)) as api,
        home.converse(api, *ALLOWED, cwd=shop) as conversation,
    ):
        before = conversation.say("The discount is wrong, fix it")
        conversation.say("/clear")
        after = conversation.say("What did we do?")
        assert conversation.end() == 0
        first = api.turns[-1]
    assert before["session_id"] != after["session_id"]
    assert "taken off now" not in "".join(first.first_prompt().split("What did we do?")[1:])
    assert_knows_of_the_fix(first)


def test_clear_in_a_terminal_works_the_same(home: Home, shop: Path) -> None:
    """The interactive client, driven by its keyboard."""
    turns = [*fixing(shop), [text("The discount is off.")], [text("You fixed it.")]]
    # the newest client's own default, auto, asks the model about every command first
    arguments = ("--permission-mode", "default", *ALLOWED)
    with Api(Script(turns)) as api, home.interact(api, *arguments, cwd=shop) as terminal:
        terminal.wait_for(lambda screen: "❯" in screen)
        terminal.settle()
        terminal.enter("The discount is wrong, fix it")
        api.wait_for_turns(5)
        terminal.wait_for(lambda screen: "discountisoff" in screen.replace(" ", ""))
        terminal.settle()
        terminal.enter("/clear")
        terminal.settle()
        terminal.enter("What did we do?")
        first = api.wait_for_turns(6)[-1]
        assert terminal.end() == 0
    assert_knows_of_the_fix(first)


def test_compaction_puts_the_context_back(home: Home, shop: Path) -> None:
    """After /compact the client drops what hooks said before; we say it anew, and only once."""
    fix_the_cart(home, shop)
    turns: list[Turn] = [
        [text("We mended the discount.")],
        [text("<summary>We talked about the discount.</summary>")],
        [text("Going on.")],
    ]
    with Api(Script(turns)) as api, home.converse(api, cwd=shop) as conversation:
        conversation.say("What did we do?")
        conversation.say("/compact")
        conversation.say("Go on")
        assert conversation.end() == 0
        first = api.turns[-1]
    assert_knows_of_the_fix(first)
    home.drain()


def test_a_hung_worker_costs_a_session_nothing_of_its_own(home: Home, shop: Path) -> None:
    """A1, A2: a worker that takes connections and never answers; the events are kept for later."""
    stopped = int(home.worker()["pid"])
    os.kill(stopped, signal.SIGSTOP)
    try:
        result = home.run("the WOMBAT plan", cwd=shop, turns=[[text("Heard.")]])
        assert result.code == 0
        assert result.stdout.strip() == "Heard."
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(stopped, signal.SIGCONT)
    home.drain()
    query = "SELECT text, last_message FROM prompts JOIN sessions s ON s.id = session WHERE cwd = ?"
    assert home.rows(query, str(shop)) == [("the WOMBAT plan", "Heard.")]


def test_a_subfolder_and_a_worktree_share_the_project(home: Home, shop: Path) -> None:
    """H1, H2: one repository is one project, wherever in it a session starts."""
    fix_the_cart(home, shop)
    git(shop, "worktree", "add", "-q", "../feature")
    for folder in (shop / "shop", shop.parent / "feature"):
        assert_knows_of_the_fix(home.run("What did we do?", cwd=folder).turns[0])
