"""What leads to a record besides its own words."""

from __future__ import annotations

import pytest

from backstory.recall import cues
from backstory.recall.prompt_recall import find
from tests.recall.conftest import Meant

OTHERS = (
    "The export writes a byte order mark for Excel",
    "Login waits two seconds after five failures",
    "Invoices are numbered without gaps by a sequence",
    "The search index is rebuilt every night at three",
    "Avatars are cut to squares of ninety pixels",
)
TITLE = "Cart.total rounds half up"
PROMPT = "customers complain that their receipt is a penny short"


def shop(meant: Meant, queries: tuple[str, ...] = ()) -> tuple[int, int, int]:
    """A project with some records, its session, and the record that is looked for."""
    store = meant.store
    project = store.project()
    session = store.session(project, "s0")
    for number, title in enumerate(OTHERS, 2):
        turn = store.prompt(project, session, f"please look after part {number}", number)
        store.observation(project, title, session=session, prompt=turn)
    turn = store.prompt(project, session, "fix the rounding in the cart", 1)
    wanted = store.observation(project, TITLE, session=session, prompt=turn, queries=queries)
    meant.embed()
    return project, session, wanted


def told(meant: Meant, project: int, prompt: str) -> list[int]:
    """What a new session is told beside a prompt."""
    return [one.id for one in find(meant.store.db, project, prompt, "new", meant.meaning.nearest)]


def test_a_record_comes_up_at_the_prompts_it_waits_for(meant: Meant) -> None:
    """Not one word is its own."""
    waits = ("receipt of a customer is a penny short", "why do customers complain about receipts")
    project, _, wanted = shop(meant, queries=waits)
    assert told(meant, project, PROMPT) == [wanted]
    assert told(meant, project, "paint our fence green during summer") == []


def test_without_them_it_does_not(meant: Meant) -> None:
    """The same record, told of by its own words alone."""
    project, _, _ = shop(meant)
    assert told(meant, project, PROMPT) == []


def test_a_prompt_like_an_earlier_one_brings_what_came_of_that(meant: Meant) -> None:
    """The turn's own records, and of another project none."""
    project, session, _ = shop(meant)
    earlier = meant.store.prompt(project, session, PROMPT, 9)
    made = meant.store.observation(
        project, "Shipping is added last", session=session, prompt=earlier, importance=2
    )
    meant.embed()
    assert told(meant, project, "their receipt is a penny short, customers complain") == [made]
    elsewhere = meant.store.project("other", "/repo/other")
    meant.store.observation(elsewhere, "Anything at all")
    assert told(meant, elsewhere, PROMPT) == []


def test_a_chore_brings_nothing_however_often_it_was_asked_for(meant: Meant) -> None:
    """What is asked for again and again says nothing of a record."""
    project, session, _ = shop(meant)
    chore = "publish the nightly snapshot to the mirror"
    for number in range(20, 20 + cues.CHORE):
        turn = meant.store.prompt(project, session, chore, number)
        meant.store.observation(project, f"Pushed {number}", session=session, prompt=turn)
    meant.embed()
    assert told(meant, project, chore) == []


@pytest.mark.parametrize("prompt", ["commit this", "go on with it", "run the tests again please"])
def test_a_prompt_that_says_nothing_is_like_no_other(meant: Meant, prompt: str) -> None:
    """The very words of an earlier one, and yet no reason to speak."""
    project, session, _ = shop(meant)
    turn = meant.store.prompt(project, session, prompt, 9)
    meant.store.observation(project, "Nightly mirror was published", session=session, prompt=turn)
    meant.embed()
    assert told(meant, project, prompt) == []


def test_texts_are_read_as_the_index_reads_them() -> None:
    """Endings, parts of names and phrases."""
    texts = {4: "Rounding in parseHeader", 8: "the cart's receipts", 12: ""}
    matches = ['"round"', '"header"', '"receipt"', '"the cart"', '"nothing"']
    assert cues.holding(texts, matches) == [[4], [4], [8], [8], []]
    assert cues.holding({}, matches) == [[]] * 5
