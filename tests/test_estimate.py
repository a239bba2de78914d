"""Counting tokens without a tokeniser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" ", 1),
        ("word", 1),
        ("four words make five", 5),
        ("internationalization", 5),
        ("2026", 4),
        ("用户数据", 5),
        ("a.b", 4),
        ("\n\n", 3),
        ("привет мир", 3),
    ],
)
def test_features_are_counted(text: str, tokens: int) -> None:
    """Words and their length, digits, CJK characters, punctuation, newlines."""
    assert estimate_tokens(text) == tokens


@given(st.text())
def test_any_text_has_a_size(text: str) -> None:
    """Nothing but the empty text is free."""
    assert (estimate_tokens(text) > 0) == bool(text)


@pytest.mark.parametrize(
    "line", ["def f{0}(a):\n    return a + {0}\n\n", "用户 {0} words\n", " \n", " "]
)
def test_a_very_large_text_is_counted_in_parts(line: str) -> None:
    """To a few parts of a thousand what counting all of it comes to."""
    pieces = [line.format(at) for at in range(2_400_000 // len(line.format(100_000)))]
    whole = sum(
        estimate_tokens("".join(pieces[at : at + 10_000])) for at in range(0, len(pieces), 10_000)
    )
    assert estimate_tokens("".join(pieces)) == pytest.approx(whole, rel=0.005, abs=1000)
