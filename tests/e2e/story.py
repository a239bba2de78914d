"""The story that most tests tell: a session fixes the discount of a cart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import Request, Turn, call, text
from tests.e2e.shop import BUG, FIX, RUN_TESTS

if TYPE_CHECKING:
    from tests.e2e.home import Home, Result

ALLOWED = ("--allowedTools", "Edit", "Bash(python3:*)")
OPENING = "SessionStart hook additional context: <backstory-memory>"
CLOSING = "</backstory-memory>"


def fixing(shop: Path) -> list[Turn]:
    """Read, see the test fail, mend, see it pass."""
    cart = str(shop / "shop/cart.py")
    return [
        [text("I look at it first."), call("Read", file_path=cart)],
        [call("Bash", command=RUN_TESTS, description="Run the tests")],
        [call("Edit", file_path=cart, old_string=BUG, new_string=FIX)],
        [call("Bash", command=RUN_TESTS, description="Run the tests")],
    ]


def fix_the_cart(home: Home, shop: Path) -> Result:
    """A short session that fixes the bug."""
    turns = [*fixing(shop), [text("The discount is taken off now; the test passes.")]]
    result = home.run("The discount is wrong, fix it", *ALLOWED, cwd=shop, turns=turns)
    assert result.code == 0, result.stderr
    return result


def context_of(request: Request) -> str:
    """What our SessionStart hook told the model; "" where it said nothing."""
    words = request.text()
    assert words.count(OPENING) <= 1, "the context is given once"
    return words.partition(OPENING)[2].partition(CLOSING)[0]


def assert_knows_of_the_fix(first: Request) -> None:
    """The first request of a session holds the observation of the fix."""
    context = context_of(first)
    assert "bugfix" in context, first.text()[:3000]
    assert "Cart.total" in context, context
    assert len(context) < 6000, "the client would cut one of 10,000 to a stub"
