"""What arguments and query texts mean."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.errors import BadInput
from backstory.recall.query import SearchQuery, parse_date, question, search_query


def test_no_arguments_mean_the_newest() -> None:
    """F13: `search({})` is a question that has an answer."""
    assert search_query({}) == SearchQuery()


def test_every_argument_arrives() -> None:
    """F7: dates hold whether or not there is a query."""
    query = search_query(
        {
            "query": "token refresh",
            "limit": "5",
            "offset": 10,
            "project": "shop",
            "type": "observations",
            "obs_type": "bugfix, decision",
            "dateStart": "2026-03-10",
            "dateEnd": "2026-03-11",
            "orderBy": "date_desc",
            "platformSource": "claude-code",
        },
        project_ids=(3,),
    )
    assert query == SearchQuery(
        text="token refresh",
        project_ids=(3,),
        kinds=("observation",),
        types=("bugfix", "decision"),
        start=parse_date("2026-03-10", "dateStart"),
        end=parse_date("2026-03-12", "dateStart"),
        platforms=("claude-code",),
        order="date_desc",
        limit=5,
        offset=10,
    )


@pytest.mark.parametrize(
    ("name", "kinds", "types"),
    [
        ("observations", ("observation",), ()),
        ("sessions", ("summary",), ()),
        ("prompts", ("prompt",), ()),
        ("security_alert", (), ("security_alert",)),
        ("", (), ()),
    ],
)
def test_type_is_a_kind_or_an_observation_type(
    name: str, kinds: tuple[str, ...], types: tuple[str, ...]
) -> None:
    """One argument serves both, as older clients give it."""
    query = search_query({"type": name})
    assert (query.kinds, query.types) == (kinds, types)


@pytest.mark.parametrize(
    ("value", "end", "at"),
    [
        ("2026-03-10", False, 1_773_100_800_000),
        ("2026-03-10", True, 1_773_187_200_000),
        ("2026-03-10T09:30", False, 1_773_135_000_000),
        ("2026-03-10T09:30Z", False, 1_773_135_000_000),
        ("2026-03-10T11:30+02:00", False, 1_773_135_000_000),
        ("2026-03-10T09:30:00", True, 1_773_135_001_000),
        ("2026-03-10T09:30", True, 1_773_135_060_000),
        ("2026-03-10T11:30+02:00", True, 1_773_135_060_000),
        ("20260310T0930Z", True, 1_773_135_060_000),
        ("2026-03-10 09", True, 1_773_136_800_000),
        ("2026-03-10T09:30:00.250", True, 1_773_135_000_251),
        ("2026-W11-2", True, 1_773_187_200_000),
    ],
)
def test_dates_are_utc_and_an_end_date_is_inclusive(value: str, end: bool, at: int) -> None:
    """F7: the whole of the last day belongs to the range, or the last minute as it is shown."""
    assert parse_date(value, "dateStart", end=end) == at


@pytest.mark.parametrize("week", ["2026-W11", "2026W11", "2026-W11T09:30"])
def test_a_week_is_no_date(week: str) -> None:
    """It would be taken for its Monday alone."""
    with pytest.raises(BadInput, match="a week") as caught:
        parse_date(week, "dateEnd", end=True)
    assert "the first day" in caught.value.hint


def test_a_name_like_none_gets_the_list_alone() -> None:
    """A guess that is far off sends the caller the wrong way."""
    with pytest.raises(BadInput) as caught:
        search_query({"foo": 1})
    assert "did you mean" not in caught.value.hint
    assert "dateStart" in caught.value.hint


@pytest.mark.parametrize(
    "arguments",
    [{"date_from": "2026-07-10"}, {"dateFrom": "2026-07-10"}, {"since": "2026-07-10"}],
)
def test_other_names_for_a_date_are_understood(arguments: dict[str, Any]) -> None:
    """F8: a subagent's `date_from` filters as `dateStart` does."""
    assert search_query(arguments).start == parse_date("2026-07-10", "dateStart")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"mood": "gotcha"}, "no argument 'mood'"),
        ({"concept": "gotchas"}, "concept: got 'gotchas', expected one of"),
        ({"querry": "x"}, "no argument 'querry'"),
        ({"limit": 0}, "limit: got '0', expected a whole number from 1 to 100"),
        ({"limit": "many"}, "limit: got 'many'"),
        ({"limit": True}, "limit: got 'True'"),
        ({"offset": -1}, "offset: got '-1'"),
        ({"dateStart": "yesterday"}, "dateStart: got 'yesterday', expected an ISO date"),
        ({"dateEnd": "9999-12-31"}, "out of range"),
        ({"dateStart": "2026-03-11", "dateEnd": "2026-03-10"}, "is after"),
        ({"type": "bugfx"}, "type: got 'bugfx', expected one of"),
        ({"type": "prompts", "obs_type": "bugfix"}, "only observations have the type"),
        ({"orderBy": "newest"}, "orderBy: got 'newest'"),
        ({"query": ["a"]}, "query: got"),
        ({"dateStart": "2026-03-10", "date_from": "2026-03-10"}, "given twice"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_says_so(
    arguments: dict[str, Any], says: str
) -> None:
    """F8, F10: nothing is ignored."""
    with pytest.raises(BadInput) as caught:
        search_query(arguments)
    assert says in caught.value.message


def test_an_unknown_argument_is_answered_with_the_right_name() -> None:
    """F8: the hint carries what the caller meant."""
    with pytest.raises(BadInput) as caught:
        search_query({"querry": "x"})
    assert "did you mean query?" in caught.value.hint


@pytest.mark.parametrize(
    "text",
    ["/repo/src/a.py", "see /repo/src/a.py", "src/a.py", "./src/a.py", "\\repo\\src\\a.py"],
)
def test_paths_below_a_root_are_asked_as_they_are_stored(text: str) -> None:
    """F17: records hold relative paths."""
    query = search_query({"query": text}, roots=("/repo",))
    asked = question(query.text)
    assert asked is not None
    assert '"src a py"' in asked.all_words


def test_a_root_is_cut_only_where_a_path_begins() -> None:
    """F17: a folder of the same name elsewhere is another folder."""
    query = search_query({"query": "/var/repo/x.py '/repo/y.py'"}, roots=("/repo", "/", ""))
    assert query.text == "/var/repo/x.py 'y.py'"


def test_stop_words_are_dropped_only_when_others_remain() -> None:
    """`how to do it` is still a question."""
    asked = question("how do I fix the login")
    assert asked is not None
    assert asked.all_words == '"fix" AND "login"'
    asked = question("to be or not to be")
    assert asked is not None
    assert asked.all_words == '"to" AND "be" AND "or" AND "not"'


@pytest.mark.parametrize("text", ["", "   ", "***", '"', "[]", "\0", "🎉"])
def test_a_text_without_words_asks_nothing(text: str) -> None:
    """F2: then the newest are shown."""
    assert question(text) is None


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12) | st.integers() | st.none()))
def test_any_arguments_are_a_query_or_bad_input(arguments: dict[str, Any]) -> None:
    """Nothing else escapes."""
    with contextlib.suppress(BadInput):
        assert isinstance(search_query(arguments), SearchQuery)
