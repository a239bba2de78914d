"""The protocol by itself: arguments, and what is kept between two calls."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.errors import BadInput, NotFound
from backstory.recall import mem_search
from backstory.recall.mem_search import Asked, Owner
from backstory.recall.rows import load_rows
from tests.recall.conftest import Store

OWNER = Owner(1, "relay")
NOW = 1_796_032_620_000


@pytest.fixture
def begun(store: Store) -> tuple[Store, str]:
    """Six records, three of which a first step showed."""
    project = store.project()
    ids = [store.observation(project, f"Step {number}", "Text.") for number in range(6)]
    rows = load_rows(store.db, [("observation", id_) for id_ in ids[:3]])
    return store, mem_search.begin(store.db, OWNER, Asked(query="step"), rows, NOW)


def test_what_is_not_given_has_its_default() -> None:
    """Guided, ten rows, three records, two neighbours on each side."""
    wanted = mem_search.asked({"query": "x"})
    assert (wanted.mode, wanted.limit, mem_search.bounds(wanted)) == ("guided", 10, (3, 2, 2))
    lean = mem_search.asked({"query": "x", "maxDetails": 1, "depthBefore": 0, "depthAfter": "3"})
    assert mem_search.bounds(lean) == (1, 0, 3)


def test_ids_have_one_form_inside() -> None:
    """As people and models write them."""
    wanted = mem_search.asked(
        {"continuation": "ms_" + "a" * 24, "selectedIds": ["#12", 13, "s5", "P7", " 14 "]}
    )
    assert wanted.selected == ("12", "13", "s5", "p7", "14")


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "both", "query": "x"},
        {"query": "x" * 501},
        {"query": "検" * 342},
        {"query": "x", "project": "p" * 257},
        {"query": "x", "limit": 21},
        {"query": "x", "limit": 0},
        {"query": "x", "maxDetails": 6},
        {"query": "x", "depthBefore": 4},
        {"query": "x", "depthAfter": -1},
        {"continuation": "ms_" + "a" * 23, "selectedIds": [1]},
        {"continuation": "ms_" + "a" * 25, "selectedIds": [1]},
        {"continuation": "ms_" + "a" * 24 + "\n", "selectedIds": [1]},
        {"continuation": "ms_" + "a" * 24, "selectedIds": []},
        {"continuation": "ms_" + "a" * 24, "selectedIds": [1, 2, 3, 4, 5, 6]},
        {"continuation": "ms_" + "a" * 24, "selectedIds": "1"},
    ],
)
def test_the_bounds_hold_without_the_schema(arguments: dict[str, Any]) -> None:
    """They are checked again, whoever calls."""
    with pytest.raises(BadInput) as caught:
        mem_search.asked(arguments)
    assert "mem_search {" in caught.value.hint


@given(
    st.dictionaries(
        st.sampled_from(
            ["mode", "query", "limit", "maxDetails", "depthAfter", "continuation", "selectedIds"]
        ),
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=30)
        | st.sampled_from(["ms_" + "a" * 24, "auto", "guided"])
        | st.lists(st.integers(1, 9) | st.text(max_size=5), max_size=6),
    )
)
def test_whatever_is_asked_is_taken_or_refused(arguments: dict[str, Any]) -> None:
    """And a refusal names a call."""
    refusal = "mem_search {"
    try:
        mem_search.asked(arguments)
    except BadInput as error:
        refusal = error.hint
    assert "mem_search {" in refusal


def test_what_may_be_asked_for_grows_with_the_steps(begun: tuple[Store, str]) -> None:
    """First what the index showed, then what the timeline did."""
    store, continuation = begun
    first = Asked(continuation=continuation, selected=("2",))
    at = mem_search.standing(store.db, OWNER, first, NOW + 1)
    assert (at.step, at.ids) == (1, ("1", "2", "3"))
    with pytest.raises(BadInput, match="not in the index"):
        mem_search.standing(store.db, OWNER, Asked(continuation=continuation, selected=("4",)), NOW)
    found = mem_search.surroundings(store.db, (1,), first.selected, at.before, at.after)
    assert [row.id for row in found.rows] == ["1", "2", "3", "4"]
    mem_search.advance(store.db, OWNER, first, at, [row.id for row in found.rows], NOW + 1)
    second = Asked(continuation=continuation, selected=("4",))
    at = mem_search.standing(store.db, OWNER, second, NOW + 2)
    assert at.step == 2
    mem_search.advance(store.db, OWNER, second, at, [], NOW + 2)
    with pytest.raises(BadInput, match="finished"):
        mem_search.standing(store.db, OWNER, second, NOW + 3)


def test_of_two_who_take_one_step_the_second_is_refused(begun: tuple[Store, str]) -> None:
    """It changes nothing, and is told what is right now."""
    store, continuation = begun
    wanted = Asked(continuation=continuation, selected=("2",))
    at = mem_search.standing(store.db, OWNER, wanted, NOW)
    mem_search.advance(store.db, OWNER, wanted, at, ["2"], NOW)
    with pytest.raises(BadInput, match="another call") as caught:
        mem_search.advance(store.db, OWNER, wanted, at, ["1", "2", "3"], NOW)
    assert continuation in caught.value.hint
    assert mem_search.standing(store.db, OWNER, wanted, NOW).ids == ("2",)


@pytest.mark.parametrize(
    ("owner", "later"),
    [
        (Owner(2, "relay"), 0),
        (Owner(1, "other"), 0),
        (Owner(1, ""), 0),
        (OWNER, mem_search.LIFE_MS),
    ],
)
def test_what_is_not_open_to_a_call_is_not_told_apart(
    begun: tuple[Store, str], owner: Owner, later: int
) -> None:
    """Foreign, expired, or none at all."""
    store, continuation = begun
    said = []
    for one in (continuation, "ms_" + "a" * 24):
        wanted = Asked(continuation=one, selected=("2",))
        with pytest.raises(BadInput) as caught:
            mem_search.standing(store.db, owner, wanted, NOW + later)
        said.append((caught.value.message, caught.value.hint))
    assert said[0] == said[1]
    wanted = Asked(continuation=continuation, selected=("2",))
    at = mem_search.Standing(1, 3, 2, 2, ("2",))
    with pytest.raises(BadInput):
        mem_search.advance(store.db, owner, wanted, at, [], NOW + later)


def test_timelines_around_several_are_one(begun: tuple[Store, str]) -> None:
    """Each row once, oldest first, another project's rows never."""
    store, _ = begun
    theirs = store.observation(store.project("lamp", "/repo/lamp"), "Theirs")
    found = mem_search.surroundings(store.db, (1,), ["5", "2", "4", str(theirs)], 1, 1)
    assert [row.id for row in found.rows] == ["1", "2", "3", "4", "5", "6"]
    assert (found.anchors, found.gone) == (("5", "2", "4"), (str(theirs),))
    with pytest.raises(NotFound, match="no longer in memory: 99"):
        mem_search.surroundings(store.db, (1,), ["99"], 1, 1)
    with pytest.raises(NotFound):
        mem_search.details(store.db, (1,), [str(theirs)])
