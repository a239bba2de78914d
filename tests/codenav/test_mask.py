"""Texts that a grammar cannot read are painted over before it parses."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from backstory.codenav.languages import detect, languages
from backstory.codenav.mask import masked
from backstory.codenav.outline import outline_of
from backstory.codenav.symbols import symbols

MASKED = [name for name, language in languages().items() if language.mask]


def test_the_painted_text_is_as_long_as_the_true_one() -> None:
    language = replace(languages()["swift"], mask=((r"(\n) x", " "), ("ü", "-")))
    assert masked("ü\n x".encode(), language) == b"--  x"


@pytest.mark.parametrize("name", MASKED)
def test_a_pattern_has_one_group_at_most_and_one_byte_to_put_there(name: str) -> None:
    for regex, fill in languages()[name].mask:
        assert re.compile(regex.encode(), re.MULTILINE).groups <= 1
        assert len(fill.encode()) == 1


def test_a_class_goes_on_behind_a_condition_of_the_compiler() -> None:
    source = (
        "class Net {\n#if os(iOS)\n  func ios() {}\n#else\n  func mac() {}\n#endif\n"
        "  func all() {}\n}\n"
    )
    language = detect("a.swift")
    assert language is not None
    assert [one.qualified_name for one in symbols(source, language)] == [
        "Net",
        "Net.ios",
        "Net.mac",
        "Net.all",
    ]


def test_the_lines_are_true_where_a_line_break_is_painted_over() -> None:
    source = "class Rule\n  @Inject\n  constructor(val a: Int) : Base() {\n  fun f() {}\n}\nval )\n"
    outline = outline_of(source, "a.kt")
    assert [(one.qualified_name, one.start_line, one.end_line) for one in outline.symbols][:3] == [
        ("Rule", 1, 5),
        ("Rule.a", 3, 3),
        ("Rule.f", 4, 4),
    ]
    assert [(one.start_line, one.end_line) for one in outline.problems] == [(6, 6)]
