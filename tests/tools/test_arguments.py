"""What a model plainly meant is taken for it; all else is an error that says what is right."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.errors import BadInput
from backstory.tools.arguments import check
from backstory.tools.catalogue import BY_NAME, TOOLS


def checked(tool: str, **arguments: Any) -> dict[str, Any]:
    return check(tool, BY_NAME[tool].schema, arguments)


def refused(tool: str, **arguments: Any) -> str:
    with pytest.raises(BadInput) as caught:
        checked(tool, **arguments)
    return f"{caught.value.message} | {caught.value.hint}"


@pytest.mark.parametrize(
    ("tool", "given_", "meant"),
    [
        ("search", {"limit": "5"}, {"limit": 5}),
        ("search", {"limit": 5.0}, {"limit": 5}),
        ("search", {"query": 2024}, {"query": "2024"}),
        ("search", {"query": None, "limit": "", "type": ""}, {}),
        ("get_observations", {"ids": "[1,2]"}, {"ids": ["1", "2"]}),
        ("get_observations", {"ids": '["s5", 7]'}, {"ids": ["s5", "7"]}),
        ("get_observations", {"ids": "12, s5"}, {"ids": ["12", "s5"]}),
        ("get_observations", {"ids": 12}, {"ids": ["12"]}),
        ("session_start_context", {"full": "true"}, {"full": True}),
        ("session_start_context", {"full": "False"}, {"full": False}),
        ("timeline", {"anchor": 12, "depth_before": "0"}, {"anchor": "12", "depth_before": 0}),
    ],
)
def test_values_are_taken_by_the_declared_type(
    tool: str, given_: dict[str, Any], meant: dict[str, Any]
) -> None:
    """The host validates nothing, and models write numbers and lists as text."""
    assert check(tool, BY_NAME[tool].schema, given_) == meant


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("date_from", "dateStart"),
        ("date_to", "dateEnd"),
        ("date_start", "dateStart"),
        ("since", "dateStart"),
        ("order_by", "orderBy"),
        ("q", "query"),
        ("limt", "limit"),
    ],
)
def test_an_unknown_argument_is_named_with_the_right_one(wrong: str, right: str) -> None:
    """F8: an unknown argument is never ignored."""
    said = refused("search", **{wrong: "2026-07-10"})
    assert wrong in said
    assert f"did you mean {right}?" in said


@pytest.mark.parametrize(
    ("tool", "wrong", "right"),
    [
        ("mem_search", "ids", "selectedIds"),
        ("mem_search", "selected_ids", "selectedIds"),
        ("mem_search", "cursor", "continuation"),
        ("mem_search", "text", "query"),
        ("mem_search", "depth_before", "depthBefore"),
        ("mem_search", "max_details", "maxDetails"),
        ("get_observations", "id", "ids"),
        ("save_memory", "text", "content"),
    ],
)
def test_one_word_means_what_the_tool_has(tool: str, wrong: str, right: str) -> None:
    """Ids are chosen here and given there."""
    assert f"did you mean {right}?" in refused(tool, **{wrong: "12"})


def test_a_name_like_no_other_lists_what_there_is() -> None:
    """Nothing is guessed where nothing is near."""
    for name in ("zzzzzz", "foo"):
        assert "did you mean" not in refused("search", **{name: 1})
    assert "dateStart" in refused("search", zzzzzz=1)
    assert "takes none" in refused("important_workflow", query="x")


@pytest.mark.parametrize(
    ("tool", "given_", "words"),
    [
        ("search", {"limit": 1000}, ("limit", "1000", "from 1 to 100")),
        ("search", {"limit": "many"}, ("limit", '"many"', "whole number")),
        ("search", {"limit": True}, ("limit", "true", "whole number")),
        ("search", {"query": {"a": 1}}, ("query", "a text")),
        ("search", {"orderBy": "date_dsc"}, ("orderBy", "date_dsc", "did you mean date_desc?")),
        ("get_observations", {}, ("ids", "nothing", "1 to 50")),
        ("get_observations", {"ids": []}, ("ids", "0 items", "1 to 50")),
        ("get_observations", {"ids": list(range(51))}, ("51 items", "in portions")),
        ("get_observations", {"ids": [[1]]}, ("ids[0]",)),
        ("get_observations", {"ids": "[1,"}, ("ids", "a list of 1 to 50")),
        ("session_start_context", {"full": "perhaps"}, ("full", "true or false")),
        ("mem_search", {"continuation": "ms_" + "x" * 23}, ("continuation", "ms_[", "{24}")),
        ("save_memory", {"content": ""}, ("content",)),
        ("save_memory", {"content": "x" * 4001}, ("content", "4001", "4000")),
    ],
)
def test_an_error_says_what_came_and_what_was_expected(
    tool: str, given_: dict[str, Any], words: tuple[str, ...]
) -> None:
    """Field, got, expected: enough to mend the call at once."""
    try:
        check(tool, BY_NAME[tool].schema, given_)
    except BadInput as error:
        said = f"{error.message} | {error.hint}"
    else:
        # an empty content is refused by what stores it
        assert given_ == {"content": ""}
        return
    assert all(word in said for word in words), said


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(TOOLS), st.data())
def test_no_value_makes_the_check_fail_otherwise(tool: Any, data: st.DataObject) -> None:
    """Whatever JSON comes, it is an answer or BadInput, and what passes has the declared types."""
    names = st.sampled_from([*tool.properties, "other"]) if tool.properties else st.just("other")
    arguments = data.draw(st.dictionaries(names, _JSON, max_size=3))
    try:
        found = check(tool.name, tool.schema, arguments)
    except BadInput:
        return
    json.dumps(found)
    for name, value in found.items():
        types = tool.properties[name]["type"]
        kinds = {"string": str, "integer": int, "boolean": bool, "array": list}
        allowed = tuple(kinds[one] for one in ([types] if isinstance(types, str) else types))
        assert isinstance(value, allowed)
