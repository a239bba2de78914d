"""Patterns for paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.codenav.globs import matcher
from backstory.errors import BadInput


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyi", "a.ts"]),
        ("src/**/*.ts", ["src/a.ts", "src/x/y/a.ts"], ["lib/a.ts", "x/src/a.ts"]),
        ("*.{c,h}", ["a.c", "x/a.h"], ["a.cc"]),
        ("*.{ts,tsx},*.js", ["a.ts", "a.tsx", "x/a.js"], ["a.py"]),
        ("!**/test_*", ["a.py", "x/a.py"], ["test_a.py", "x/test_a.py"]),
        ("*.py,!test_*", ["a.py"], ["test_a.py", "a.ts"]),
        ("src", ["src/a.py", "src/x/a.py"], ["srcs/a.py"]),
        ("src/", ["src/a.py"], ["src.py"]),
        ("/src/*.py", ["src/a.py"], ["x/src/a.py"]),
        ("cart.py", ["cart.py", "x/cart.py"], ["cart.pyi"]),
        ("", ["a.py"], []),
        (" , ", ["a.py"], []),
        ("文档/*.md", ["文档/a.md"], ["a.md"]),
    ],
)
def test_a_pattern_is_read_as_people_write_it(pattern: str, yes: list[str], no: list[str]) -> None:
    """As in an ignore file, with braces, commas and exclamation marks."""
    fits = matcher(pattern)
    assert [path for path in (*yes, *no) if fits(path)] == yes


@given(st.text(max_size=60))
def test_any_pattern_is_answered(pattern: str) -> None:
    """Or refused as one that cannot be read."""
    try:
        matcher(pattern)("src/a.py")
    except BadInput:
        return
