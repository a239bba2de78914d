"""Every language: its query fits its grammar, and finds what a reader finds in a sample."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from backstory.codenav.languages import detect, languages
from backstory.codenav.parse import grammar
from backstory.codenav.symbols import KINDS, symbols
from tests.codenav.regenerate import FIXTURES, expected, sample

NAMES = tuple(languages())
CAPTURES = {
    *("name", "scope", "extend", "leading", "doc", "body", "head", "wrapper", "wrapped"),
    *("import", "skip", "comment", "local", "declared", "first", "until"),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_symbols_of_the_sample_are_found(name: str) -> None:
    """Each line of the expected file is one symbol, or one import (K2).

    `lines kind qualified name | signature | first sentence of its documentation`, as
    `regenerate.py` writes it.
    """
    path = sample(name)
    language = detect(path.name, path.read_text(encoding="utf-8"))
    assert language is not None
    assert language.name == name
    found = expected(path)
    assert found == FIXTURES.joinpath(f"{name}.symbols").read_text(encoding="utf-8")
    assert found.strip()


@pytest.mark.parametrize("name", NAMES)
def test_a_query_compiles_and_uses_only_the_captures_that_are_read(name: str) -> None:
    loaded = grammar(languages()[name])
    for index in range(loaded.query.capture_count):
        capture = loaded.query.capture_name(index)
        prefix, _, word = capture.partition(".")
        if prefix in ("def", "as"):
            kind, *flags = word.split(".")
            assert kind in KINDS
            assert {"global", "nested", "upper", "whole"} >= set(flags)
        elif prefix == "open":
            assert word in {"1", "2", "3", "4", "5", "6"}
        else:
            assert prefix in CAPTURES or capture.startswith("_")


@pytest.mark.parametrize("name", NAMES)
def test_the_predicates_of_a_query_are_ones_that_are_applied(name: str) -> None:
    """Others are silently true (`#not-any-of?`) or crash the process (`#set!`) in 0.26.1."""
    used = set(re.findall(r"\(#([\w-]+[?!])", languages()[name].query_text()))
    assert used <= {"eq?", "any-of?", "match?", "not-match?"}


def test_a_call_of_another_object_defines_nothing_here() -> None:
    """K2"""
    source = (
        "attr_reader :a\nbase.attr_reader :b\nother.define_method(:c) { 1 }\n"
        "loader.require 'd'\nt.task :e\nShape = Struct.new(:x)\nTools = Module.new\n"
    )
    ruby = languages()["ruby"]
    found = [(one.name, one.kind) for one in symbols(source, ruby)]
    assert found == [("a", "property"), ("Shape", "class"), ("Tools", "module")]


def test_a_function_that_stands_in_for_a_missing_one_is_found() -> None:
    """K2"""
    source = "_.now = Date.now || function () {\n  return new Date().getTime();\n};\n"
    (found,) = symbols(source, languages()["javascript"])
    assert (found.qualified_name, found.kind, found.end_line) == ("_.now", "method", 3)


def test_a_long_sentence_that_is_a_name_is_cut_without_a_blank_at_its_end() -> None:
    """K2: it is asked for by what was shown."""
    source = f"it('{'b' * 119} and more', () => {{}});\n"
    (found,) = symbols(source, languages()["typescript"])
    assert found.qualified_name == "b" * 119


def test_every_query_file_belongs_to_a_language() -> None:
    folder = files("backstory.codenav") / "queries"
    there = {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir()}
    included = re.findall(r"^; include: (\w+)$", "\n".join(there.values()), re.MULTILINE)
    used = {language.query for language in languages().values()} | set(included)
    assert set(there) - {"README.md"} == {f"{name}.scm" for name in used}


def test_what_a_query_includes_is_a_part_of_it() -> None:
    """K2"""
    folder = files("backstory.codenav") / "queries"
    shared = (folder / "ecmascript.scm").read_text(encoding="utf-8")
    for name in ("javascript", "typescript", "tsx"):
        assert shared in languages()[name].query_text()


def test_every_sample_belongs_to_a_language() -> None:
    assert {path.stem for path in FIXTURES.iterdir()} == set(NAMES)


def test_plain_javascript_gives_its_symbols() -> None:
    """K2"""
    source = "export class Cart {\n  total() {}\n}\nfunction helper() {}\n"
    for path in ("a.js", "a.mjs", "a.cjs", "a.jsx"):
        language = detect(path)
        assert language is not None
        assert language.name == "javascript"
        assert [symbol.qualified_name for symbol in symbols(source, language)] == [
            "Cart",
            "Cart.total",
            "helper",
        ]
