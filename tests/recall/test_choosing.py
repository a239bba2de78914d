"""Which records a session is told of: what matters, whatever its age, and then what is recent."""

from __future__ import annotations

import re

import pytest

from backstory.recall import choosing
from backstory.recall.branching import Branches
from backstory.recall.choosing import Candidate, candidates
from backstory.storage import sql
from tests.recall.conftest import Store

NOW = 1_780_000_000_000
DAY = choosing.DAY_MS
MAIN = Branches("main", "main", {})
TOPIC = Branches("fix", "main", {"old": "merged", "gone": "deleted"})


@pytest.fixture
def shop(store: Store) -> Store:
    """A project with a session, and a hundred changes of the last weeks."""
    store.project()
    store.session(1, "s1")
    for number in range(100):
        store.observation(
            1,
            f"Changed total in src/cart{number}.py",
            type_="change",
            importance=2,
            evidence="verified",
            at=NOW - number * DAY // 8,
        )
    return store


def best(store: Store, count: int = 12, branches: Branches = MAIN, first: str = "") -> list[int]:
    """The ids of the best candidates."""
    return [one.id for one in candidates(store.db, 1, 50, first, branches)[:count]]


@pytest.mark.parametrize(
    "record",
    [
        {"type_": "decision"},
        {"type_": "security_alert"},
        {"type_": "security_note", "importance": 2},
        {"concepts": ("gotcha",)},
        {"type_": "change", "concepts": ("gotcha",)},
        {"distilled_by": "user"},
        {"title": "Migration of orders is half-done"},
        {"title": "Die Umstellung ist noch offen", "type_": "feature", "importance": 2},
        {"title": "pytest fails: test_total (assert 1 == 2)", "importance": 2},
    ],
)
def test_what_matters_is_told_however_old_it_is(shop: Store, record: dict[str, object]) -> None:
    """A decision of last year stands before the changes of last week, in a store of thousands."""
    title = str(record.pop("title", "Money is integer cents"))
    old = shop.observation(1, title, at=NOW - 300 * DAY, **record)  # type: ignore[arg-type]
    for number in range(choosing.CANDIDATES):
        shop.observation(1, f"Read {number}.py", importance=0, at=NOW - 90 * DAY)
    assert old in best(shop)


def test_the_newest_work_is_told_whatever_else_matters(shop: Store) -> None:
    """A hundred decisions do not hide what was done an hour ago."""
    for number in range(100):
        shop.observation(1, f"Rule {number}", type_="decision", importance=3, at=NOW - DAY)
    assert set(range(1, 1 + choosing.RECENT_KEPT)) <= set(best(shop))


def test_a_failure_that_was_solved_matters_no_longer(shop: Store) -> None:
    """The distiller words the fix by the failure."""
    title = "mypy fails: cart.py: no attribute x"
    failure = shop.observation(1, title, concepts=("gotcha",), at=NOW - 300 * DAY)
    assert failure in best(shop)
    shop.observation(1, "Fixed cart.py: no attribute x in cart.py", type_="bugfix", importance=3)
    assert failure not in best(shop)


def test_what_says_the_same_is_told_once_and_counted(shop: Store) -> None:
    """Articles, quotes and case do not matter, the order of words does: tabs are not spaces."""
    for title in ("Use tabs, not spaces", "use the `tabs`, not spaces.", "Use spaces, not tabs"):
        shop.observation(1, title, type_="decision", at=NOW)
    found = candidates(shop.db, 1, 50, "", MAIN)
    told = {one.title: one.twins for one in found if one.type == "decision"}
    assert told == {"use the `tabs`, not spaces.": 1, "Use spaces, not tabs": 0}


def test_subagents_are_left_out_unless_they_found_something(shop: Store) -> None:
    """What they read is the caller's to tell."""
    read = shop.observation(1, "Subagent read a.py", agent_type="Explore", importance=0)
    changed = shop.observation(1, "Changed a.py", agent_type="worker", type_="change", importance=2)
    found = shop.observation(1, "Totals are cached", agent_type="Explore", importance=2)
    ids = best(shop, 500)
    assert found in ids
    assert not {read, changed} & set(ids)


def test_what_earlier_sessions_learnt_of_the_branchs_files_is_told(shop: Store) -> None:
    """Where a topic branch is checked out; on the default one every file is touched."""
    shop.observation(1, "Changed pay", type_="change", branch="fix", files=("src/pay.py",))
    old = shop.observation(
        1, "pay rounds half to even", type_="change", files=("src/pay.py",), at=NOW - 300 * DAY
    )
    other = shop.observation(
        1, "tax rounds up", type_="change", files=("src/tax.py",), at=NOW - 300 * DAY
    )
    assert old in best(shop, branches=TOPIC)
    assert other not in best(shop, branches=TOPIC)
    assert old not in best(shop, branches=MAIN)


def test_other_branches_come_after_and_deleted_ones_last(shop: Store) -> None:
    """A merged branch's records are everyone's."""
    ids = {
        name: shop.observation(1, f"Rule of {name}", type_="decision", branch=name, at=NOW)
        for name in ("main", "old", "else", "gone")
    }
    scores = {one.id: one.score for one in candidates(shop.db, 1, 50, "", TOPIC)}
    assert scores[ids["main"]] == scores[ids["old"]]
    assert scores[ids["old"]] > scores[ids["else"]] > scores[ids["gone"]]


def test_recency_counts_from_the_newest_record(shop: Store) -> None:
    """Not from the clock: the same data give the same choice next year."""
    before = [(one.id, one.score) for one in candidates(shop.db, 1, 50, "", MAIN)]
    shop.db.execute("UPDATE observations SET created_at = created_at - 400 * ?", (DAY,))
    assert [(one.id, one.score) for one in candidates(shop.db, 1, 50, "", MAIN)] == before


def test_the_index_has_the_words_that_the_choice_looks_for(shop: Store) -> None:
    """The query repeats the condition of the partial index word for word, so that it is used."""
    query = sql.load("context")["mattering"]
    plan = shop.db.execute("EXPLAIN QUERY PLAN " + query, (1, 10)).fetchall()
    assert "observations_that_matter" in plan[0][3]
    words = [*choosing._OPEN_WORDS, *choosing._WEAK_OPEN_WORDS]
    done = [*choosing._DONE_WORDS, choosing._PASSES]
    found = re.findall(r"instr\(lower\(o.title\), '([^\n]*?)'\) (> 0|<> 1|= 0)", query)
    assert [word.replace("''", "'") for word, says in found if says == "> 0"] == words
    assert [word for word, says in found if says != "> 0"] == done


@pytest.mark.parametrize(
    ("title", "is_open"),
    [
        ("Backfill of orders ran for 2024 only; 2025 has to follow", True),
        ("Rewrite: login works, logout outstanding", True),
        ("Stub for prices: returns None for now", True),
        ("test_total temporarily disabled until the parser is fixed", True),
        ("Memory of the worker grows, cause unknown", True),
        ("test_cart is flaky on CI and never here", True),
        ("Could not reproduce the customer's timeout", True),
        ("Fixed KeyError: missing currency", False),
        ("Added a placeholder to the search field", False),
        ("pytest passes: 3 passed, 2 skipped", False),
        ("WIP: export", True),
    ],
)
def test_old_work_that_is_not_done_is_found(shop: Store, title: str, is_open: bool) -> None:
    """In natural words, and not what was done though it has such a word."""
    old = shop.observation(1, title, type_="change", importance=2, at=NOW - 900 * DAY)
    for number in range(choosing.CANDIDATES):
        shop.observation(1, f"Changed total in part{number}.py", type_="change", importance=2)
    found = [one for one in candidates(shop.db, 1, 500, "", MAIN) if one.id == old]
    assert any(one.matters for one in found) is is_open


def test_a_candidate_knows_how_much_it_matters(shop: Store) -> None:
    """Recency alone makes nothing matter."""
    found = candidates(shop.db, 1, 50, "", MAIN)
    assert not any(one.matters for one in found)
    assert all(isinstance(one, Candidate) and one.score >= one.weight for one in found)


def test_what_was_laid_down_is_not_hidden_by_a_crowd_of_failures(shop: Store) -> None:
    """Each unsolved failure matters, too, and there may be hundreds."""
    old = shop.observation(1, "Totals are integer cents", type_="decision", at=NOW - 900 * DAY)
    for number in range(choosing.MATTERING + choosing.CANDIDATES):
        shop.observation(1, f"pytest fails: test_{number}", concepts=("gotcha",), importance=2)
    assert old in [one.id for one in candidates(shop.db, 1, 500, "", MAIN)]


@pytest.mark.parametrize(
    ("title", "is_same"),
    [
        ("Retry at most 3 times, then give up", True),
        ("Decision: retry at most three times, then give up", True),
        ("We retry at most three times and give up.", True),
        ("Retry at most four times, then give up", False),
        ("Do not retry at most three times, then give up", False),
    ],
)
def test_spellings_of_the_same_are_one(title: str, is_same: bool) -> None:
    """Numbers in letters, plurals and words that say nothing do not count; "not" does."""
    same = choosing.words_of("Retry at most three times, then give up")
    assert (choosing.words_of(title) == same) is is_same
