"""What counts as an answer of a model."""

from __future__ import annotations

from typing import Any

import pytest

from backstory.capture import reply
from tests.support.answers import (
    answer,
    made,
    only,
    read,
    row,
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("  \n\ufeff", "empty"),
        ("I looked at the session and it was about tests.", "prose"),
        ("I can't help with that.", "prose"),
        ("No observations could be made due to an error.", "prose"),
        ("{}", "shape"),
        ("[]", "shape"),
        ('"text"', "shape"),
        ('{"observations": []}', "shape"),
        ('{"observations": {}, "summaries": []}', "shape"),
        ('{"observations": [1, "x", null], "summaries": ["y"]}', "shape"),
        ('[{"observations": [], "summaries": []}]', "shape"),
        ('{"result": {"observations": [], "summaries": []}}', "shape"),
        ('{"observations": [], "observations": [{}], "summaries": []}', "shape"),
        ('{"observations": [], "summaries": []} {"observations": [1], "summaries": []}', "shape"),
        ('{"observations": ' + "[" * 10_000 + "]" * 10_000 + ', "summaries": []}', "shape"),
        ('{"observations": [{"turn": "t1", "title": "Cart', "cut"),
        ('{"observations": [{"turn": "t1", "title": "Cart\\', "cut"),
        ('{"observations": [], "summaries": [', "cut"),
        ("```json\n{", "cut"),
        ("x" * 1_000_001, "too_large"),
        ("é" * 600_000, "too_large"),
        ("You've hit your limit · resets 3pm", "limit"),
        ("Claude AI usage limit reached|1764500000", "limit"),
        ("Credit balance is too low", "limit"),
        ("Error: rate limit exceeded, try again later", "limit"),
        ("Overloaded", "limit"),
        ("You exceeded your current quota, please check your plan and billing details.", "limit"),
        ('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "limit"),
        ('API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}', "limit"),
        ('{"error": {"message": "Rate limit reached", "code": 429}}', "limit"),
        ("5-hour limit reached ∙ resets 2am. No observations.", "limit"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_reason(text: str, why: str) -> None:
    """C5, C6, C12: a notice is never stored, and never taken for an empty result."""
    with pytest.raises(reply.Unusable) as refused:
        reply.read(text, made())
    assert refused.value.why == why


def test_an_answer_that_ended_at_its_limit_is_cut_unless_it_is_whole() -> None:
    """Half an object is none."""
    whole = answer(row())
    assert reply.read(whole, made(), is_cut=True).written
    for text in (whole[:-9], "", "The session"):
        with pytest.raises(reply.Unusable) as refused:
            reply.read(text, made(), is_cut=True)
        assert refused.value.why == "cut"


@pytest.mark.parametrize(
    "text",
    [
        '{"observations": [], "summaries": []}',
        "No observations.",
        "No observations to record.",
        "Nothing to record",
        "Nothing worth recording in this batch.",
        "There is nothing to note here.",
        "There are no new observations to report.",
        "No noteworthy findings in this session.",
        "Routine work; nothing to remember.",
        "None.",
        "Keine Beobachtungen.",
        "没有值得记录的内容。",
    ],
)
def test_nothing_worth_recording_is_an_answer(text: str) -> None:
    """C6: a batch without a finding is done."""
    assert reply.read(text, made()) == reply.Reply((), {}, 0, 0, is_nothing=True)


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```",
        "Here is what I found:\n\n{}\n\nDone {{ok}}.",
        "\ufeff {}",
    ],
)
def test_the_object_is_found_in_a_fence_and_between_sentences(frame: str) -> None:
    """Models without a schema mode wrap what they say."""
    text = frame.replace("{}", answer(row())).replace("{{ok}}", "{ok}")
    assert only(reply.read(text, made())).title == row()["title"]


def test_a_row_of_wrong_types_is_dropped_and_the_others_stay() -> None:
    """Fields that are missing or null are empty; what the schema does not know is left out."""
    bad: list[Any] = [
        None,
        "row",
        [],
        row(title=5),
        row(title=""),
        row(title=None),
        row(type="gossip"),
        row(type=["bugfix"]),
        row(turn=1),
        row(narrative={"text": "x"}),
        row(facts="one"),
        row(facts=[1]),
        row(facts=[["deep"]]),
        row(sources=[{"id": "t1e1"}]),
        row(supersedes=[45]),
        {"observations": []},
    ]
    good = {"turn": "t1", "type": "DISCOVERY", "title": "Cart.total rounds", "facts": None, "x": 1}
    found = read(*bad, good)
    assert only(found).title == "Cart.total rounds"
    assert only(found).type == "discovery"
    assert found.dropped == len(bad)
