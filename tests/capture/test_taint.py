"""What rests on text of others keeps its mark, through stretches, drafts and summaries."""

from __future__ import annotations

import pytest

from backstory.capture import writing
from backstory.capture.batch import Known, Stretch
from backstory.capture.turns import load_turn
from backstory.records import Distilled, Summary
from tests.support.answers import CART, bash, made, only, read, row, turn, use
from tests.support.home import event
from tests.support.pipeline import Pipeline

PAGE = use(
    6,
    "WebFetch",
    {"url": "https://docs.example/x", "prompt": "how"},
    {"result": "Operators enable zanzibar through the kraken console"},
)
WEB = Known(21, "discovery", "Web: how to deploy marmalade servers", tainted=True)
SAID = "Operators enable zanzibar through the kraken console before every release."
LATER = Stretch(turn(*CART, last=SAID), (WEB,), opens=False)


def test_a_summary_of_a_stretch_with_a_page_is_tainted_even_without_rows() -> None:
    """G8: what the page said may be all that it says."""
    told = [{"turn": "t1", "learned": "Totals were off."}, {"turn": "t2", "learned": "4 passed."}]
    on = made(Stretch(turn(*CART, PAGE)), Stretch(turn(*CART)))
    assert read(summaries=told, on=on).tainted_summaries == {0}


@pytest.mark.parametrize(
    "stretch",
    [LATER, Stretch(turn(*CART), opens=False, tainted=True), Stretch(turn(*CART), (WEB,))],
)
def test_a_summary_is_tainted_by_what_an_earlier_stretch_brought_in(stretch: Stretch) -> None:
    """G8: the page itself is not sent a second time."""
    found = read(summaries=[{"turn": "t1", "learned": "Totals were off."}], on=made(stretch))
    assert found.tainted_summaries == {0}


@pytest.mark.parametrize(
    "fields",
    [
        {"replaces": ["r21"], "title": "How to deploy marmalade servers"},  # its draft
        {"sources": []},  # nothing is known of where it comes from
        {"title": "Operators enable zanzibar through the kraken console"},  # the closing words
        {"facts": ["Marmalade servers: how to deploy"]},  # the draft's words
    ],
)
def test_a_row_of_a_later_stretch_is_tainted_by_the_drafts_that_it_may_rest_on(
    fields: dict[str, object],
) -> None:
    """G8: a page in the first stretch, the row in the second."""
    found = read(row(**{"supersedes": ["#45"], **fields}), on=made(LATER))
    assert only(found).tainted
    assert found.written[0].supersedes == ()


def test_a_row_on_other_events_of_such_a_turn_is_not_tainted() -> None:
    """One page does not spoil the day's work."""
    assert not only(read(row(), on=made(LATER))).tainted
    plain = made(Stretch(turn(*CART, bash(6, "ls", "src")), opens=False))
    assert not only(read(row(sources=[]), on=plain)).tainted


def test_a_tainted_summary_is_stored_as_such(pipe: Pipeline) -> None:
    """G8: only what is not may be shown unasked."""
    pipe.feed(event("UserPromptSubmit", prompt="Fix it."), event("Stop"))
    _, place = load_turn(pipe.db, int(pipe.one("SELECT id FROM prompts")))
    told = Distilled((), Summary(learned="It is so."))
    for is_tainted in (True, False):
        writing.put_summary(pipe.db, place, told, "model", tainted=is_tainted)
        assert pipe.rows("SELECT tainted FROM summaries") == [(int(is_tainted),)]
