"""Turning it off: for a process, for a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import Api, Script, call, text
from tests.e2e.home import ROOT, Home
from tests.e2e.story import context_of, fix_the_cart

if TYPE_CHECKING:
    from tests.e2e.conftest import MakeHome


def test_disabled_means_nothing_happens(make_home: MakeHome, shop: Path) -> None:
    """A19, B3: no context, nothing captured, nothing started, and the session is none the worse."""
    home = make_home()
    home.install(ROOT)
    before = set(home.data.iterdir())
    turns = [[call("Read", file_path=str(shop / "shop/cart.py"))], [text("A cart.")]]
    result = home.run("hello", cwd=shop, turns=turns, extra={"BACKSTORY_DISABLED": "1"})
    assert result.code == 0
    assert result.stdout.strip() == "A cart."
    assert not context_of(result.turns[0])
    assert set(home.data.iterdir()) - before <= {home.data / "pycache"}
    assert not home.worker()


def test_incognito_keeps_the_rest_of_the_session_out(home: Home, shop: Path) -> None:
    """The command in one session: from there on nothing of it is remembered, anywhere."""
    with (
        Api(Script([[text("First answer.")], [text("OK.")], [text("Second answer.")]])) as api,
        home.converse(api, cwd=shop) as conversation,
    ):
        session = conversation.say("the QUOKKA plan is public")["session_id"]
        conversation.say("/backstory:incognito")
        conversation.say("the AXOLOTL plan is secret")
        assert conversation.end() == 0
    home.drain()
    query = "SELECT text FROM prompts JOIN sessions s ON s.id = session WHERE session_id = ?"
    kept = " ".join(words for (words,) in home.rows(query, session))
    assert "QUOKKA" in kept
    assert "AXOLOTL" not in kept
    assert "AXOLOTL" not in _everything(home)


def test_incognito_as_the_first_prompt_of_a_script(home: Home, shop: Path) -> None:
    """`claude -p /backstory:incognito` is accepted, and nothing is kept."""
    result = home.run("/backstory:incognito", cwd=shop, turns=[[text("CAPYBARA noted.")]])
    assert result.code == 0
    home.drain()
    assert "CAPYBARA" not in _everything(home)


def test_an_excluded_project_is_neither_captured_nor_recalled(home: Home, shop: Path) -> None:
    """The user's setting decides, and takes effect at once."""
    fix_the_cart(home, shop)
    home.drain()
    set_to = home.backstory("settings", "excluded_projects", str(shop))
    assert set_to.returncode == 0, set_to.stderr
    try:
        result = home.run("the PANGOLIN plan", cwd=shop)
        home.drain()
    finally:
        home.backstory("settings", "excluded_projects", "[]")
    assert not context_of(result.turns[0])
    assert "PANGOLIN" not in _everything(home)


def test_private_words_reach_no_file_of_ours(home: Home, shop: Path) -> None:
    """G1: cut before anything is written, from the prompt and from what tools say."""
    note = shop / "note.txt"
    note.write_text("before <private>OKAPI</private> after")
    result = home.run(
        "the <private>NARWHAL</private> plan",
        cwd=shop,
        turns=[[call("Read", file_path=str(note))], [text("Read.")]],
    )
    assert "NARWHAL" in result.turns[0].text(), "Claude itself does see it"
    home.drain()
    everything = _everything(home)
    assert "NARWHAL" not in everything
    assert "OKAPI" not in everything


def _everything(home: Home) -> str:
    """The bytes of every file in the data directory, database and logs too, as one text."""
    return "\n".join(
        path.read_bytes().decode("latin-1")
        for path in home.data.rglob("*")
        if path.is_file() and "runtime" not in path.relative_to(home.data).parts
    )
