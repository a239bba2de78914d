"""A text as its tokens and lines."""

from __future__ import annotations

import pytest

from backstory.codenav.lexis import lexis_of
from backstory.codenav.pages import Page


def _page(text: str, language: str) -> Page:
    lexis = lexis_of(language)
    assert lexis is not None
    return Page(text.encode(), lexis)


def test_rows_are_the_lines_that_hold_code() -> None:
    page = _page('a = """b\n  c\n""" + d(  # e (\n\n    # f\n\tg)  # h\n', "python")
    rows = [
        (row.number, row.indent, page.text[row.first : row.end], row.whole) for row in page.rows
    ]
    assert rows == [
        (0, 0, b'a = """b', True),
        (2, 0, b'""" + d(', False),
        (5, 4, b"g)", True),
    ]
    assert [token[0] for row in page.rows for token in row.tokens if token.lastgroup] == [
        b"(",
        b")",
    ]


def test_a_line_that_begins_in_a_string_is_no_whole_one() -> None:
    page = _page("a(`b\nc`, (\nd)\n", "javascript")
    assert [(row.number, row.whole) for row in page.rows] == [(0, True), (1, False), (2, True)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = y # (z)\n", ["x = y"]),
        ("x(:y)\nz :y\n", ["x(:y)", "z :y"]),
        ("x(<<~A)\n  y (\nA\nz\n", ["x(<<~A)", "z"]),
    ],
)
def test_comments_and_what_stands_apart_are_no_code(text: str, code: list[str]) -> None:
    page = _page(text, "ruby")
    assert [page.text[row.first : row.end].decode() for row in page.rows] == code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f\n  if a\n  end\nend\n", True),
        ("def f\n  if a\nend\n", False),
        ("def f\nend\nend\n", False),
        ("f do |a|\n  b(a]\nend\n", False),
        ("a.end\nb if c\n", True),
    ],
)
def test_blocks_agree_where_each_has_its_end(text: str, expected: bool) -> None:
    assert _page(text, "ruby").agrees == expected
