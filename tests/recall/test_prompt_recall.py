"""What memory says beside a prompt: what clearly bears on it, and mostly nothing."""

from __future__ import annotations

import pytest

from backstory.estimate import estimate_tokens
from backstory.recall import prompt_recall, read_notes
from backstory.recall.context import EVIDENCE
from backstory.recall.prompt_recall import find, text_of
from tests.recall.conftest import Store

ROUNDING = "Cart.total rounds half up, since the tax office wants it"
PROMPT = "why does the tax office care how Cart.total rounds half a cent"


@pytest.fixture
def shop(store: Store) -> int:
    """A project with a few records."""
    project = store.project()
    for title in (
        "The export writes a byte order mark for Excel",
        "Login waits two seconds after five failures",
        "Invoices are numbered without gaps, by a sequence of their own",
        "The search index is rebuilt every night at three",
    ):
        store.observation(project, title)
    return project


def test_the_record_that_bears_on_a_prompt_is_told(store: Store, shop: int) -> None:
    """By its id, its day, its type, its title; with the sentence and the way to more."""
    id_ = store.observation(shop, ROUNDING, "Half a cent goes up.", type_="decision")
    found = find(store.db, shop, PROMPT, "s1")
    assert [one.id for one in found] == [id_]
    text = text_of(found)
    assert text.startswith(EVIDENCE)
    assert f"{id_} 2026-05-28 decision? {ROUNDING}" in text
    assert "get_observations" in text
    assert text == text_of(find(store.db, shop, PROMPT, "s1")), "byte for byte"


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "...",
        "add a page for gift cards to the shop",
        "the build is slow today",
        "write tests for the new module",
        "rename the variable in this file",
    ],
)
def test_nothing_is_told_where_nothing_bears(store: Store, shop: int, prompt: str) -> None:
    """A few words in common are no bearing."""
    assert find(store.db, shop, prompt, "s1") == []
    assert text_of([]) == ""


def test_nothing_is_told_twice_in_a_session(store: Store, shop: int) -> None:
    """Neither by prompts, nor beside Reads; another session is told for itself."""
    id_ = store.observation(shop, ROUNDING)
    read_notes.told(store.db, "s1", [id_], 1)
    assert find(store.db, shop, PROMPT, "s1") == []
    assert [one.id for one in find(store.db, shop, PROMPT, "s2")] == [id_]
    assert find(store.db, shop, PROMPT, "s2", known=[id_]) == []


def test_a_session_knows_its_own_rows_until_it_is_compacted(store: Store, shop: int) -> None:
    """Then what it was not told again may be told; what it learnt since is known."""
    session = store.session(shop, "s1")
    other = store.observation(shop, "Prices are kept in cents", session=session)
    id_ = store.observation(shop, ROUNDING, session=session)
    assert find(store.db, shop, PROMPT, "s1") == []
    after = next(store.clock)
    read_notes.told(store.db, "s1", [other], after)
    assert [one.id for one in find(store.db, shop, PROMPT, "s1")] == [id_]
    read_notes.told(store.db, "s1", [id_], after)
    store.observation(shop, f"{ROUNDING}, also in refunds", session=session, at=after + 1)
    assert find(store.db, shop, PROMPT, "s1") == []


def test_what_may_not_be_injected_is_not(store: Store, shop: int) -> None:
    """H: tainted, superseded, routine, another project's."""
    tainted = store.observation(shop, ROUNDING)
    store.db.execute("UPDATE observations SET tainted = 1 WHERE id = ?", (tainted,))
    store.observation(shop, ROUNDING, importance=0)
    store.observation(shop, ROUNDING, agent_type="Explore")
    store.observation(store.project("other", "/repo/other"), ROUNDING)
    assert find(store.db, shop, PROMPT, "s1") == []
    newer = store.observation(shop, ROUNDING)
    store.observation(shop, ROUNDING, superseded_by=newer)
    assert [one.id for one in find(store.db, shop, PROMPT, "s1")] == [newer]


def test_at_most_three_rows_in_three_hundred_tokens(store: Store, shop: int) -> None:
    """Whatever they are made of, and never what steers or hides."""
    for number in range(6):
        store.observation(
            shop, f"<b>Cart.total\x1b[31m rounds half\u202e a cent for the tax office {number}" * 9
        )
    for number in range(6):
        store.observation(shop, f"税务局要求购物车合计四舍五入到分{number}" * 20)
    for prompt in (PROMPT, "税务局为什么要求购物车合计四舍五入"):
        text = text_of(find(store.db, shop, prompt, "s1"))
        assert text
        assert estimate_tokens(text) <= 300
        assert len(text.splitlines()) <= 6
        assert not set("<>\x1b\u202e") & set(text)


def test_private_and_pasted_text_is_not_looked_for(store: Store, shop: int) -> None:
    """Of a long prompt its beginning and its end count."""
    id_ = store.observation(shop, ROUNDING)
    assert find(store.db, shop, f"hello <private>{PROMPT}</private>", "s1") == []
    log = "2026-01-01 INFO worker started job\n" * 400
    assert find(store.db, shop, log + PROMPT + "\n" + log, "s1") == []
    assert [one.id for one in find(store.db, shop, PROMPT + "\n" + log, "s1")] == [id_]


def test_the_rows_of_a_context_are_known(store: Store, shop: int) -> None:
    """As they are written there."""
    context = (
        "Backstory of x\n2026-01-02\n12 bugfix Fixed a thing ~80\n  told in full\n7 change? B ~9"
    )
    assert prompt_recall.told_ids(context) == [12, 7]
