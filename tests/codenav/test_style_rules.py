"""The rules of style sheets."""

from __future__ import annotations

import math

from backstory.codenav.languages import languages
from backstory.codenav.style_rules import style_rules
from backstory.codenav.symbols import Reading


def read(text: str, name: str = "css") -> Reading:
    return style_rules(text, languages()[name], math.inf)


def names(text: str, name: str = "css") -> list[str]:
    found = read(text, name).symbols
    return [f"{one.start_line}-{one.end_line} {one.kind} {one.qualified_name}" for one in found]


def test_braces_in_texts_comments_and_addresses_are_none() -> None:
    text = 'a { content: "}{"; }\n/* b { */\nc { background: url(data:x;{y}) }\nd { --e: 1 }\n'
    assert names(text) == [
        "1-1 section a",
        "2-3 section c",
        "4-4 section d",
        "4-4 property d.--e",
    ]


def test_two_slashes_are_a_comment_in_scss_only() -> None:
    text = "a {}\n// b {\nc {}\n"
    assert names(text, "scss") == ["1-1 section a", "2-3 section c"]
    assert read(text, "css").problems == ((3, 3),)


def test_mixins_and_variables_of_less_are_found() -> None:
    text = "@main: red;\n.rounded(@r; @c: 1) when (@r > 0) {\n  x: @r;\n}\n.a { .rounded(2px); }\n"
    assert names(text, "scss") == [
        "1-1 variable @main",
        "2-4 macro .rounded",
        "5-5 section .a",
    ]


def test_braces_that_do_not_fit_are_told() -> None:
    assert read("a {\n}\n}\nb {\n").problems == ((3, 3), (4, 4))
    assert names("a {\n}\n}\nb {\n") == ["1-2 section a", "4-4 section b"]


def test_the_values_of_a_map_are_no_rules() -> None:
    text = "$m: (\n  a: (b: 1),\n  c: 2,\n);\n.x { font: { family: y; } }\n"
    assert names(text, "scss") == ["1-4 variable $m", "5-5 section .x"]


def test_steps_of_keyframes_are_no_rules() -> None:
    text = "@-webkit-keyframes spin {\n  from { a: 1 }\n  12.5%, 50% { a: 2 }\n  to { a: 3 }\n}\n"
    assert names(text) == ["1-5 section spin"]
