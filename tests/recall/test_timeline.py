"""Walking through time around a record."""

from __future__ import annotations

import pytest

from backstory.errors import BadInput, Forbidden, NotFound
from backstory.recall.meaning import Near
from backstory.recall.query import parse_date
from backstory.recall.render import timeline_text
from backstory.recall.timeline import Timeline, timeline
from tests.recall.conftest import Store


def ids(result: Timeline) -> list[str]:
    return [row.id for row in result.rows]


@pytest.fixture
def story(store: Store) -> tuple[Store, int]:
    """Two sessions: p1 1 2 s1, then p2 3 s2."""
    project = store.project()
    one = store.session(project, "one")
    prompt = store.prompt(project, one, "why is the total wrong")
    store.observation(project, "Read the cart", session=one, prompt=prompt)
    store.observation(project, "Fixed rounding", session=one, prompt=prompt)
    store.summary(project, one, prompt, request="why is the total wrong")
    two = store.session(project, "two")
    prompt = store.prompt(project, two, "export as CSV")
    store.observation(project, "Added the export", session=two, prompt=prompt)
    store.summary(project, two, prompt, request="export as CSV")
    return store, project


@pytest.mark.parametrize(
    ("anchor", "before", "after", "wanted"),
    [
        ("2", 1, 1, ["1", "2", "s1"]),
        ("s1", 2, 2, ["1", "2", "s1", "p2", "3"]),
        ("p2", 20, 20, ["p1", "1", "2", "s1", "p2", "3", "s2"]),
        ("#2", 0, 0, ["2"]),
        (2, 0, 1, ["2", "s1"]),
        ("p1", 3, 0, ["p1"]),
    ],
)
def test_depth_is_exact_and_crosses_sessions(
    story: tuple[Store, int], anchor: object, before: int, after: int, wanted: list[str]
) -> None:
    """Prompts, observations and summaries stand in one order of time."""
    store, project = story
    result = timeline(store.db, anchor=anchor, before=before, after=after, project_ids=(project,))
    assert ids(result) == wanted
    assert result.anchor == str(anchor).lstrip("#")


def test_without_arguments_it_ends_at_the_newest(story: tuple[Store, int]) -> None:
    """F13: `timeline({})` has an answer."""
    store, project = story
    assert ids(timeline(store.db, project_ids=(project,))) == ["s1", "p2", "3", "s2"]
    assert ids(timeline(store.db)) == ["s1", "p2", "3", "s2"]


def test_a_querys_best_hit_is_the_anchor(story: tuple[Store, int]) -> None:
    """Words lead to a place in time."""
    store, project = story
    result = timeline(store.db, query="fixed rounding", before=1, after=1, project_ids=(project,))
    assert (result.anchor, ids(result)) == ("2", ["1", "2", "s1"])


def test_records_of_one_moment_keep_their_order(store: Store) -> None:
    """A batch is written in one millisecond: the question, what was found, what it came to."""
    project = store.project()
    session = store.session(project, "one")
    prompt = store.prompt(project, session, "go", at=5)
    for number in range(4):
        store.observation(project, f"Found {number}", at=5)
    store.summary(project, session, prompt, request="go", at=5)
    assert ids(timeline(store.db, anchor="2", before=9, after=9)) == [
        "p1",
        "1",
        "2",
        "3",
        "4",
        "s1",
    ]
    assert ids(timeline(store.db, anchor="3", before=2, after=2)) == ["1", "2", "3", "4", "s1"]
    assert ids(timeline(store.db, anchor="p1", before=2, after=1)) == ["p1", "1"]


def test_another_projects_record_is_refused_and_never_passed(story: tuple[Store, int]) -> None:
    """F10: its neighbours in time stay out too."""
    store, project = story
    other = store.project("other")
    foreign = store.observation(other, "Theirs")
    mine = store.observation(project, "Mine")
    assert ids(timeline(store.db, anchor=mine, before=1, project_ids=(project,))) == [
        "s2",
        str(mine),
    ]
    with pytest.raises(Forbidden):
        timeline(store.db, anchor=foreign, project_ids=(project,))


def test_what_cannot_be_found_says_so(story: tuple[Store, int]) -> None:
    """F13: errors tell how to call."""
    store, project = story
    with pytest.raises(NotFound):
        timeline(store.db, anchor="s99")
    with pytest.raises(NotFound):
        timeline(store.db, query="kestrel", project_ids=(project,))
    with pytest.raises(BadInput):
        timeline(store.db, anchor="x9")
    with pytest.raises(BadInput):
        timeline(store.db, anchor="1", query="cart")
    with pytest.raises(BadInput):
        timeline(store.db, before=21)


def test_an_empty_store_has_an_empty_timeline(store: Store) -> None:
    """Nothing stored is no error."""
    assert timeline(store.db, project_ids=(store.project(),)) == Timeline(())


@pytest.mark.parametrize(
    ("anchor", "nearest"),
    [
        ("2026-03-10", "2"),  # the first of that day
        ("2026-03-10T00:00", "1"),
        ("2026-03-10T11:00", "3"),
        ("2026-03-10T12:00:00+02:00", "3"),
        ("2026-03-11", "3"),  # none on that day: the nearest before
        ("2026-03-18", "4"),  # … or after
        ("2020-01-01", "1"),
        ("2030-01-01T00:00Z", "4"),
    ],
)
def test_a_date_or_a_time_is_an_anchor(store: Store, anchor: str, nearest: str) -> None:
    """The record nearest to it is marked; a date means the whole day."""
    project = store.project()
    theirs = store.project("lamp", "/repo/lamp")
    for day in ("2026-03-09T23:50", "2026-03-10T07:00", "2026-03-10T10:30", "2026-03-20"):
        at = parse_date(day, "at")
        store.observation(project, f"At {day}", at=at)
    store.observation(theirs, "Theirs", at=parse_date("2026-03-18", "at"))
    result = timeline(store.db, anchor=anchor, before=1, after=1, project_ids=(project,))
    assert result.anchor == nearest
    number = int(nearest)
    assert ids(result) == [str(n) for n in (number - 1, number, number + 1) if 1 <= n <= 4]


@pytest.mark.parametrize("anchor", ["2026-03", "2026-13-01", "2026-03-10 noon", "yesterday", "x9"])
def test_an_anchor_that_is_none_says_what_would_be(store: Store, anchor: str) -> None:
    """An id, or an ISO date or time."""
    with pytest.raises(BadInput) as caught:
        timeline(store.db, anchor=anchor, project_ids=(store.project(),))
    assert "anchor" in caught.value.message
    assert "ISO date" in f"{caught.value.message} {caught.value.hint}"


def test_a_date_in_an_empty_store_has_an_empty_timeline(store: Store) -> None:
    """Nothing is near."""
    result = timeline(store.db, anchor="2026-03-10", project_ids=(store.project(),))
    assert result == Timeline(())


def test_a_best_hit_by_meaning_alone_is_said_to_be_one(story: tuple[Store, int]) -> None:
    """The search's own note is not lost, either."""
    store, project = story

    def near(*_: object) -> Near:
        return Near({4 * 3: 0.9}, "9 records have no vector yet")

    found = timeline(store.db, query="spreadsheet", project_ids=(project,), nearest=near)
    assert found.anchor == "3"
    assert "#3 may mean the same, without the query's words" in found.note
    assert "9 records have no vector yet" in found.note
    assert f"Note: {found.note}." in timeline_text(found)
    assert timeline(store.db, query="export", project_ids=(project,)).note == ""
