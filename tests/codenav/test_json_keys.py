"""The keys of JSON."""

from __future__ import annotations

import json
import math

import pytest

from backstory.codenav.json_keys import json_keys
from backstory.codenav.keys import MOST_KEYS
from backstory.codenav.languages import languages
from backstory.codenav.symbols import Reading

LANGUAGE = languages()["json"]


def read(text: str) -> Reading:
    return json_keys(text, LANGUAGE, math.inf)


def names(text: str) -> list[str]:
    return [one.qualified_name for one in read(text).symbols]


def test_objects_of_an_array_are_called_by_the_names_in_them() -> None:
    text = json.dumps([{"id": 1}, {"id": "b", "name": "Ada"}, {"title": "T"}, [1], 5, "six"])
    assert names(text) == ["[0]", "[0].id", "Ada", "Ada.id", "Ada.name", "T", "T.title", "[3]"]


def test_of_a_long_array_the_first_are_shown_and_the_others_counted() -> None:
    text = json.dumps({"rows": [{"n": number} for number in range(1000)]}, indent=1)
    found = read(text).symbols
    last = found[-1]
    assert (last.name, last.signature) == ("[10…999]", "990 more items")
    assert (last.start_line, last.end_line) == (33, 3002)


def test_of_very_many_keys_some_are_shown_and_the_others_counted() -> None:
    text = json.dumps({f"k{number}": {"a": 1, "b": 2} for number in range(10_000)}, indent=1)
    found = read(text).symbols
    assert len(found) == MOST_KEYS
    assert found[-1].name == "… 7,001 more"
    assert found[-1].end_line == 40_001


def test_lines_of_json_are_items() -> None:
    assert names('{"name": "a", "x": 1}\n{"name": "b"}\n') == ["a", "a.name", "a.x", "b", "b.name"]


def test_what_people_add_to_json_is_read() -> None:
    text = "// c\n{a: 1, 'b': [1, 2,], /* d: 3 */ \"e\": {f: .5, g: 1,},}\n"
    assert names(text) == ["a", "b", "e", "e.f", "e.g"]
    assert read(text).problems == ()


@pytest.mark.parametrize(
    ("text", "found", "problems"),
    [
        ('{"a": 1,\n"b": {"c": 2}', ["a", "b", "b.c"], ((2, 2),)),
        ('{"o": {"a": [1, 2},\n"b": 3}', ["o", "o.a", "b"], ((1, 1),)),
        ('{"a": 1}}\n', ["a"], ((1, 1),)),
        ('{"a": "never closed\n"b": 2}', ["a", "b"], ()),
        ("nothing of the kind", [], ()),
        ("", [], ()),
    ],
)
def test_of_broken_json_what_is_there_is_shown(
    text: str, found: list[str], problems: tuple[tuple[int, int], ...]
) -> None:
    assert names(text) == found
    assert read(text).problems == problems


def test_values_of_one_short_line_are_shown_whole() -> None:
    text = '{"list": [1, 2], "text": "' + "x" * 300 + '", "o": {"a": 1}, "n": [\n1,\n2]}'
    assert [one.signature for one in read(text).symbols] == [
        '"list": [1, 2]',
        '"text": "' + "x" * 110 + "…",
        '"o": {"a": 1}',
        '"a": 1',
        '"n": [2 items]',
    ]


def test_the_items_of_an_array_are_counted_whatever_they_are() -> None:
    text = '{"n": [1, -2.5e3, true, null, "x", [], {}, 1, 2, 3]\n, "o": [' + "1, " * 26 + "2]}"
    assert [one.signature for one in read(text).symbols if one.parent < 0] == [
        '"n": [1, -2.5e3, true, null, "x", [], {}, 1, 2, 3]',
        '"o": [27 items]',
    ]
