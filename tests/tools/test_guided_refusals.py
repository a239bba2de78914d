"""What the guided search refuses: no step is skipped, nothing is shown, nothing changes."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from backstory.recall import mem_search
from backstory.storage import sqlite
from backstory.storage.database import Database
from backstory.tools import serve
from tests.tools.conftest import (
    NEVER,
    Client,
    Memory,
    Place,
    states,
)

WORDS = (
    "bulb",
    "Preis",
    "cart.total",
    "rounded",
    "why is the",
    "pytest",
    "fixed.",
    "kestrel",
    "nest",
)  # of titles and texts; no refusal holds one of them


Wrong = tuple[str, dict[str, Any], str]  # how far it got, what comes then, what the refusal says
OPEN = "mem_search {"
WRONG: tuple[Wrong, ...] = (
    # nothing to go by
    ("", {}, "nothing to look for"),
    ("", {"query": ""}, "nothing to look for"),
    ("", {"query": "   "}, "nothing to look for"),
    ("", {"mode": "auto"}, "nothing to look for"),
    ("", {"query": None, "limit": 3}, "nothing to look for"),
    # bounds and forms
    ("", {"query": "kestrel", "limit": 0}, "from 1 to 20"),
    ("", {"query": "kestrel", "limit": 21}, "from 1 to 20"),
    ("", {"query": "kestrel", "limit": "many"}, "from 1 to 20"),
    ("", {"query": "kestrel", "maxDetails": 0}, "from 1 to 5"),
    ("", {"query": "kestrel", "maxDetails": 6}, "from 1 to 5"),
    ("", {"query": "kestrel", "depthBefore": -1}, "from 0 to 3"),
    ("", {"query": "kestrel", "depthBefore": 4}, "from 0 to 3"),
    ("", {"query": "kestrel", "depthAfter": 4}, "from 0 to 3"),
    ("", {"query": "kestrel", "depthAfter": 1.5}, "from 0 to 3"),
    ("", {"query": "k" * 501}, "at most 500"),
    ("", {"query": "検" * 400}, "1200 bytes, expected at most 1024"),
    ("", {"query": "kestrel", "project": "p" * 257}, "at most 256"),
    ("", {"query": "kestrel", "project": "é" * 200}, "400 bytes, expected at most 256"),
    ("", {"query": "kestrel", "project": "attic"}, "attic"),
    ("", {"query": ["kestrel"]}, "a text"),
    ("", {"query": "kestrel", "mode": "guide"}, "did you mean guided?"),
    ("", {"query": "kestrel", "mode": "all"}, "guided, auto"),
    ("", {"query": "kestrel", "ids": [1]}, "no argument 'ids'"),
    ("", {"query": "kestrel", "dateStart": "2026-01-01"}, "no argument 'dateStart'"),
    # steps that were skipped
    ("", {"selectedIds": ["OURS"]}, "without a continuation"),
    ("", {"query": "kestrel", "selectedIds": ["OURS"]}, "without a continuation"),
    ("", {"query": "kestrel", "selectedIds": ["OURS"], "mode": "auto"}, "without a continuation"),
    ("", {"continuation": NEVER, "selectedIds": ["OURS"]}, "not open here"),
    ("", {"continuation": NEVER}, "not open here"),
    ("", {"continuation": "ms_short", "selectedIds": ["OURS"]}, "continuation: "),
    ("", {"continuation": "xx_" + "x" * 24, "selectedIds": ["OURS"]}, "continuation: "),
    ("", {"continuation": NEVER + "x", "selectedIds": ["OURS"]}, "continuation: "),
    ("", {"continuation": "ms_" + "'" * 24, "selectedIds": ["OURS"]}, "continuation: "),
    ("", {"continuation": 7, "selectedIds": ["OURS"]}, "continuation: "),
    # after the index
    ("begun", {}, "needs selectedIds"),
    ("begun", {"selectedIds": []}, "1 to 5"),
    ("begun", {"selectedIds": ["UNSEEN"]}, "not in the index"),
    ("begun", {"selectedIds": ["FOREIGN"]}, "not in the index"),
    ("begun", {"selectedIds": ["SEEN", "FOREIGN"]}, "not in the index"),
    ("begun", {"selectedIds": ["999999"]}, "not in the index"),
    ("begun", {"selectedIds": ["p1"]}, "not in the index"),
    ("begun", {"selectedIds": ["SEEN", "SEEN"]}, "given twice"),
    ("begun", {"selectedIds": ["SEEN", "#SEEN"]}, "given twice"),
    ("begun", {"selectedIds": ["SEEN; DROP TABLE prompts"]}, "as an id"),
    ("begun", {"selectedIds": ["obs:SEEN"]}, "as an id"),
    ("begun", {"selectedIds": [["SEEN"]]}, "selectedIds[0]"),
    ("begun", {"selectedIds": [True]}, "selectedIds[0]"),
    ("begun", {"selectedIds": "FOUR"}, "got 4, expected 1 to 3"),
    ("begun", {"selectedIds": "SIX"}, "1 to 5"),
    ("begun", {"selectedIds": ["SEEN"], "maxDetails": 4}, "began with 3"),
    ("begun", {"selectedIds": ["SEEN"], "maxDetails": 6}, "from 1 to 5"),
    ("begun", {"selectedIds": ["SEEN"], "depthAfter": 9}, "from 0 to 3"),
    ("begun", {"selectedIds": ["SEEN"], "query": "kestrel"}, "a query and a continuation"),
    ("begun", {"selectedIds": ["SEEN"], "mode": "auto"}, "no continuation"),
    ("begun", {"selectedIds": ["SEEN"], "project": "lamp"}, "not open here"),
    # after the timeline
    ("chosen", {}, "needs selectedIds"),
    ("chosen", {"selectedIds": ["UNSEEN"]}, "not in the timeline"),
    ("chosen", {"selectedIds": ["FOREIGN"]}, "not in the timeline"),
    ("chosen", {"selectedIds": "FIVE"}, "got 5, expected 1 to 3"),
    ("chosen", {"selectedIds": ["SEEN"], "maxDetails": 5}, "began with 3"),
    ("chosen", {"selectedIds": ["SEEN"], "query": "kestrel"}, "a query and a continuation"),
    # after the records
    ("done", {"selectedIds": ["SEEN"]}, "finished"),
    ("done", {}, "finished"),
)


@pytest.mark.parametrize(("so_far", "move", "said"), WRONG)
def test_a_wrong_move_is_refused_with_the_right_one(
    place: Place, database: Database, so_far: str, move: dict[str, Any], said: str
) -> None:
    """K11, G8: it names the next call, shows nothing of any record, and changes nothing."""
    ways = {"begun": place.begin, "chosen": place.choose, "done": place.finish}
    continuation, ids = ways[so_far]() if so_far else ("", place.ids)
    unseen = next(id_ for id_ in place.ids if id_ not in ids) if so_far else place.ids[0]
    names = {"UNSEEN": unseen, "FOREIGN": place.foreign, "SEEN": ids[0], "OURS": place.ids[0]}
    several = {"FOUR": ids[:4], "FIVE": [*ids, *place.ids][:5], "SIX": place.ids[:6]}

    def real(value: Any) -> Any:
        if isinstance(value, list):
            return [real(one) for one in value]
        if value in several:
            return several[value]
        for name, id_ in names.items():
            value = value.replace(name, id_) if isinstance(value, str) else value
        return value

    given = {"continuation": continuation} if continuation else {}
    given |= {name: real(value) for name, value in move.items()}
    before = states(database)
    refused = place.shop.error("mem_search", **given)
    assert said in refused
    right = refused.partition("\nHint: ")[2]
    assert OPEN in right, refused
    call = json.JSONDecoder().raw_decode(right[right.index(OPEN) + len(OPEN) - 1 :])[0]
    assert set(call) in ({"query"}, {"continuation", "selectedIds"}, {"query", "mode"})
    own_words = json.dumps(given)
    for word in WORDS:
        if word not in own_words:
            assert word not in right.lower(), refused
    assert "seen" not in refused.lower()
    assert "nest" not in refused.lower()
    assert states(database) == before


@pytest.mark.parametrize("so_far", ["begun", "chosen"])
def test_the_call_that_a_refusal_names_is_taken(place: Place, so_far: str) -> None:
    """A model that copies it is back on the way."""
    continuation, _ = place.begin() if so_far == "begun" else place.choose()
    refused = place.shop.error("mem_search", continuation=continuation, selectedIds=["999999"])
    right = refused.partition(OPEN)[2]
    call = json.JSONDecoder().raw_decode("{" + right)[0]
    answer = place.shop("mem_search", **call)
    assert ("nest number" in answer) is (so_far == "chosen")


def test_nobody_elses_continuation_is_open(
    place: Place, database: Database, memory: Memory
) -> None:
    """A foreign one, an expired one and one that never was are refused in the same words."""
    continuation, ids = place.begin()
    given = {"continuation": continuation, "selectedIds": ids[:1]}
    never = place.shop.error("mem_search", **(given | {"continuation": NEVER}))
    before = states(database)
    strangers = (
        Client(database, memory.shop, relay="relay-2"),
        Client(database, memory.shop, relay=""),
        Client(database, memory.lamp),
        Client(database, memory.shop.parent),
    )
    for stranger in strangers:
        assert stranger.error("mem_search", **given) == never
        without = {"continuation": continuation}
        assert stranger.error("mem_search", **without) == never
    assert states(database) == before
    late = "UPDATE guided_searches SET created_at = created_at - ?"
    database.write(lambda db: db.execute(late, (mem_search.LIFE_MS,)))
    assert place.shop.error("mem_search", **given) == never


def test_a_continuation_holds_for_half_an_hour_from_the_first_call(
    place: Place, database: Database
) -> None:
    """Going on does not prolong it; a new search sweeps the old ones out."""
    continuation, ids = place.begin()
    age = "UPDATE guided_searches SET created_at = created_at - ?"
    database.write(lambda db: db.execute(age, (mem_search.LIFE_MS - 60_000,)))
    given = {"continuation": continuation, "selectedIds": ids[:1]}
    place.shop("mem_search", **given)
    database.write(lambda db: db.execute(age, (60_000,)))
    assert "not open here" in place.shop.error("mem_search", **given)
    place.begin()
    assert len(states(database)) == 1
    assert continuation not in str(states(database))


def test_open_searches_do_not_pile_up(place: Place, database: Database) -> None:
    """The oldest of a project give way; nothing of what was asked is kept."""
    owner = place.shop.caller.scope().ids[0]
    asked = mem_search.Asked(query="kestrel")

    def flood(db: Any) -> list[str]:
        return [
            mem_search.begin(db, mem_search.Owner(owner, "x"), asked, [], now + sqlite.now_ms())
            for now in range(mem_search.KEPT + 5)
        ]

    made = database.write(flood)
    place.begin()
    kept = [row[0] for row in states(database)]
    assert len(kept) == mem_search.KEPT
    assert set(made[-100:]) <= set(kept)
    assert "kestrel" not in str(states(database))


def test_two_calls_at_once_share_one_step(place: Place) -> None:
    """Exactly one of the calls that take a step is answered with it."""
    for _ in range(5):
        continuation, ids = place.choose()
        given = {"continuation": continuation, "selectedIds": ids[:1]}
        with ThreadPoolExecutor(8) as pool:
            calls = [
                pool.submit(serve.answer, "mem_search", given, place.shop.caller) for _ in range(8)
            ]
            answers = [call.result() for call in calls]
        answered = [answer.text for answer in answers if not answer.is_error]
        assert len(answered) == 1
        assert "nest number" in answered[0]
        for answer in answers:
            if answer.is_error:
                assert "finished" in answer.text or "another call" in answer.text
                assert OPEN in answer.text
                assert "nest" not in answer.text
