"""Ids, rows by id, and places in time."""

from __future__ import annotations

import pytest

from backstory.errors import BadInput
from backstory.recall.rows import LATEST, find_place, format_id, load_rows, parse_id, walk
from backstory.storage.filters import Filters
from backstory.storage.text_index import KINDS, Kind
from tests.recall.conftest import Store


@pytest.mark.parametrize(
    ("text", "kind", "id_"),
    [
        ("12", "observation", 12),
        (12, "observation", 12),
        (" #12 ", "observation", 12),
        ("s5", "summary", 5),
        ("P7", "prompt", 7),
    ],
)
def test_an_id_says_its_kind(text: object, kind: Kind, id_: int) -> None:
    """The forms that people and models type."""
    assert parse_id(text) == (kind, id_)
    assert parse_id(format_id(kind, id_)) == (kind, id_)


@pytest.mark.parametrize("text", ["", "x1", "-1", "1.5", "s", "1 2", "9" * 19, None, True, "１２"])
def test_what_is_no_id_is_an_error(text: object) -> None:
    """And the error shows what one looks like."""
    with pytest.raises(BadInput) as caught:
        parse_id(text)
    assert "s5 for a summary" in caught.value.hint


def test_rows_keep_the_order_asked_for_and_leave_out_what_is_gone(store: Store) -> None:
    """A record may be forgotten between the search and the look."""
    project = store.project()
    session = store.session(project, "one")
    prompt = store.prompt(project, session, "Why?\nBecause")
    newer = store.observation(project, "Newer", session=session)
    older = store.observation(
        project, "Older", evidence="verified", importance=3, superseded_by=newer
    )
    rows = load_rows(store.db, [("prompt", prompt), ("observation", 99), ("observation", older)])
    assert [(row.id, row.title, row.project) for row in rows] == [
        (f"p{prompt}", "Why?\nBecause", "shop"),
        (str(older), "Older", "shop"),
    ]
    assert rows[0].session == "one"
    assert rows[1].extra == {
        "project_id": project,
        "importance": 3,
        "verified": True,
        "superseded_by": newer,
    }


def test_walking_stays_within_its_bounds(store: Store) -> None:
    """Projects, kinds, types, a bound in time, and a limit."""
    project, other = store.project(), store.project("other")
    session = store.session(project, "one")
    store.prompt(project, session, "go", at=1)
    for at in (2, 3, 4, 5):
        store.observation(project, f"At {at}", at=at, type_="bugfix" if at % 2 else "change")
    store.observation(other, "Theirs", at=4)
    end = (LATEST, 0, 0)

    def times(**bounds: object) -> list[int]:
        bound = bounds.pop("bound", None)
        filters = Filters(project_ids=(project,), **bounds)  # type: ignore[arg-type]  # its own
        assert bound is None or isinstance(bound, int)
        places = walk(store.db, "before", end, 9, filters, bound=bound)
        return [place.at for place in places]

    assert times() == [5, 4, 3, 2, 1]
    assert times(kinds=("prompt",)) == [1]
    assert times(types=("bugfix",), kinds=("observation",)) == [5, 3]
    assert times(bound=4) == [5, 4]
    assert times(platforms=("codex",)) == []
    assert [place.at for place in walk(store.db, "before", end, 2, Filters())] == [5, 4]
    assert walk(store.db, "after", (0, -1, -1), 0, Filters()) == []


def test_a_prompt_that_was_none_is_not_walked_over(store: Store) -> None:
    """Number 0 holds what came before any prompt."""
    project = store.project()
    session = store.session(project, "one")
    store.prompt(project, session, "", number=0)
    assert walk(store.db, "before", (LATEST, 0, 0), 9, Filters()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_that_is_not_there_has_no_place(store: Store, kind: Kind) -> None:
    """Every kind is looked up in its own table."""
    assert find_place(store.db, kind, 1) is None
