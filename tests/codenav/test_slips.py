"""How many slips of the pen are between two names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.codenav.slips import distance, neighbours


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("cart", "cart", 0),
        ("crat", "cart", 1),
        ("cat", "cart", 1),
        ("carrt", "cart", 1),
        ("cort", "cart", 1),
        ("", "ab", 2),
        ("unregister", "rgister", 3),
    ],
)
def test_slips_are_counted(one: str, other: str, expected: int) -> None:
    """A letter too few, too many, wrong, or two exchanged are one each."""
    assert distance(one, other) == expected


@given(st.text("abc", max_size=6))
def test_neighbours_are_one_slip_away(name: str) -> None:
    """Or the name itself, where a letter is exchanged for itself."""
    assert all(distance(name, one) <= 1 for one in neighbours(name))


@given(st.text("abc1", min_size=1, max_size=5), st.text("abc1", min_size=1, max_size=5))
def test_no_neighbour_is_left_out(one: str, other: str) -> None:
    """Of those in small letters and digits."""
    assert (distance(one, other) <= 1) == (other in {one, *neighbours(one)})


def test_very_long_names_have_no_neighbours() -> None:
    """They are thousands, and nobody types such a name."""
    assert not list(neighbours("a" * 100))
