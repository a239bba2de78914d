"""The readers of shapes: whatever a text is like, they answer soundly and soon."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.codenav.keys import MOST_KEYS
from backstory.codenav.languages import languages
from backstory.codenav.plain import plain_outline
from backstory.codenav.shapes import SHAPES
from backstory.codenav.symbols import KINDS, Symbol
from tests.codenav.regenerate import sample

NAMES = tuple(name for name, language in languages().items() if language.shape)
PIECES = st.sampled_from(
    (
        *("{", "}", "[", "]", "(", ")", "<", ">", "</", "/>", ":", ",", ";", "=", "#", "##", "- "),
        *('"', "'", '"""', "'''", "`", "```", "|", "\\", "/*", "*/", "//", "<!--", "-->", "---"),
        *("\n", "\n\n", "\r\n", "\t", "  ", " ", "\0", "\ufeff", "\u2028", "\ud800", "é", "価格"),
        *("a", "b", "name", "id", "cells", "source", "cell_type", "code", "markdown", "1", "2.1"),
        *(
            "<script>",
            "</script>",
            "<style>",
            "<h1>",
            "<h2>",
            "<li>",
            "<p>",
            "<template>",
            "<?",
            "<!",
        ),
        *(
            "@media",
            "@mixin",
            "$x:",
            "--a:",
            "&",
            "*",
            "=====",
            "-----",
            "[a]",
            "[[b]]",
            "key: ",
            "k = ",
        ),
        *(
            "Chapter 1",
            "1. Title",
            "TITLE HERE",
            "2026-11-30 12:00:01 ERROR x",
            "a,b,c",
            "|-",
            ">-",
        ),
    )
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)


def check(symbols: Sequence[Symbol], text: str) -> None:
    """What must be true of the symbols of every text."""
    lines = max(text.count("\n") + (not text.endswith("\n")), 1)
    for index, one in enumerate(symbols):
        assert one.kind in KINDS
        assert one.name
        assert "\n" not in one.name + one.signature + one.doc
        assert 1 <= one.start_line <= one.end_line <= lines
        assert one.start_line <= one.line <= one.end_line
        assert one.parent < index
        if one.parent >= 0:
            around = symbols[one.parent]
            assert around.start_line <= one.start_line
            assert one.end_line <= around.end_line
            assert one.qualified_name


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=60)
@given(text=TEXTS)
def test_any_text_gives_sound_symbols(name: str, text: str) -> None:
    language = languages()[name]
    found = SHAPES[language.shape](text, language, math.inf)
    check(found.symbols, text)
    lines = max(text.count("\n") + 1, 1)
    assert all(1 <= first <= last <= lines for first, last in found.problems)
    assert all(1 <= first <= last <= lines for _, first, last in found.imports)
    assert len(found.problems) <= 20


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_a_damaged_sample_gives_sound_symbols(name: str, data: st.DataObject) -> None:
    language = languages()[name]
    text = sample(name).read_text(encoding="utf-8")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 80)))
    text = text[:start] + data.draw(TEXTS) + text[end:]
    check(SHAPES[language.shape](text, language, math.inf).symbols, text)


@settings(deadline=None, max_examples=200)
@given(text=TEXTS, path=st.sampled_from(("", "a.txt", "a.csv", "a.tsv", "a.org", "a.rst", "a.log")))
def test_any_text_has_a_plain_shape(text: str, path: str) -> None:
    """K5"""
    said, found = plain_outline(text, path)
    assert said in {"text", "csv", "tsv", "log"}
    check(found, text)
    if text.replace("\0", " ").strip():
        assert found


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_with_other_line_ends_has_the_same_symbols(name: str) -> None:
    language = languages()[name]
    text = sample(name).read_text(encoding="utf-8")
    shape = SHAPES[language.shape]
    found = shape(text.replace("\n", "\r\n"), language, math.inf)
    expected = shape(text, language, math.inf)
    for one, other in zip(expected.symbols, found.symbols, strict=True):
        assert (one.qualified_name, one.kind) == (other.qualified_name, other.kind)
        assert (one.start_line, one.end_line) == (other.start_line, other.end_line)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        *("{" * 25_000, "[" * 25_000, "<a>" * 15_000, "<a " * 15_000, '<a b="' * 10_000),
        *("- " * 25_000, ": " * 25_000, '"' * 25_001, "'" * 25_001, "/*" * 25_000, "#" * 25_000),
        *("# a\n" * 15_000, '{"a":' * 15_000, "a: {\n" * 10_000, "<!--" * 15_000, "=\n" * 15_000),
        *("(" * 25_000, "<script>" * 2_000, "@media a {\n" * 5_000, " " * 50_000, "\n" * 50_000),
        *(
            "`" * 25_000,
            "[a](" * 10_000,
            "\\" * 25_001,
            "&a " * 15_000,
            "|" * 25_000,
            "{{" * 15_000,
        ),
        *("".join(f"{' ' * depth}a:\n" for depth in range(500)), "a = [\n" * 10_000),
        *("<h1>\n" * 5_000, "<li>\n" * 5_000, "</a>\n" * 10_000, "[[a]]\nname = 'b'\n" * 5_000),
    ],
    ids=range(33),
)
def test_a_hostile_text_is_answered_within_bounds(name: str, text: str) -> None:
    """K12: nothing takes time that grows with the square of the text."""
    language = languages()[name]
    found = SHAPES[language.shape](text, language, math.inf)
    assert len(found.symbols) <= MOST_KEYS + 500
    check(found.symbols, text)


@pytest.mark.parametrize("name", NAMES)
def test_a_shape_ends_when_the_time_is_over(name: str) -> None:
    language = languages()[name]
    text = sample(name).read_text(encoding="utf-8") * 200
    found = SHAPES[language.shape](text, language, time.monotonic() - 1)
    check(found.symbols, text)
