"""Small changes of a text."""

from __future__ import annotations

import pytest

from backstory.codenav.edits import edited, merged


def test_edits_put_in_replace_and_take_out() -> None:
    assert edited(b"abcdef", [(5, 6, b""), (0, 0, b"x"), (2, 3, b"CC")]) == b"xabCCde"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ([(2, 2, b"XX")], [(0, 1, b"")]),
        ([(2, 2, b"XX")], [(7, 8, b"!")]),
        ([(2, 2, b"XX"), (4, 4, b"Y")], [(5, 5, b"+"), (9, 9, b"-")]),
        ([(2, 2, b"XX")], [(2, 2, b"+")]),
        ([(2, 2, b"XX")], [(4, 4, b"+")]),
        ([(2, 2, b"XX")], [(2, 2, b"+"), (4, 4, b"-")]),
        ([(2, 2, b"XX"), (3, 3, b"Y")], [(5, 5, b"+"), (6, 6, b"-")]),
    ],
)
def test_edits_upon_edits_are_edits_of_the_first_text(
    first: list[tuple[int, int, bytes]], then: list[tuple[int, int, bytes]]
) -> None:
    text = b"abcdefgh"
    assert edited(text, merged(first, then)) == edited(edited(text, first), then)


def test_what_is_put_in_at_one_place_keeps_its_order() -> None:
    """The end of a string, and then of what it stands in."""
    assert edited(b"f('a\n", merged([(4, 4, b"'")], [(5, 5, b")")])) == b"f('a')\n"
