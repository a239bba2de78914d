"""Whose name is used."""

from __future__ import annotations

import pytest

from backstory.codenav.receivers import DOUBTFUL, LIKELY, POSSIBLE, UNLIKELY, Owner

OWNER = Owner("Cart", {"cart.py": ((1, 5),)}, frozenset({"order"}))


@pytest.mark.parametrize(
    ("path", "line", "text", "expected"),
    [
        ("cart.py", 3, "self.total()", LIKELY),
        ("cart.py", 3, "total()", LIKELY),
        ("cart.py", 9, "self.total()", DOUBTFUL),
        ("a.py", 1, "cart.total()", LIKELY),
        ("a.py", 1, "Cart.total", LIKELY),
        ("a.cc", 1, "Cart::total()", LIKELY),
        ("a.c", 1, "cart->total()", LIKELY),
        ("a.ts", 1, "this.cart?.total()", LIKELY),
        ("a.py", 1, "shopping_cart.total()", LIKELY),
        ("a.py", 1, "Cart().total()", LIKELY),
        ("a.py", 1, "carts[0].total()", DOUBTFUL),
        ("a.py", 1, "from cart import Cart.total", LIKELY),
        ("a.py", 2, "x = Cart(1)\nx.total()", LIKELY),
        ("a.py", 2, "def f(x: Cart):\n  x.total()", LIKELY),
        ("a.java", 2, "Cart x = make();\nx.total();", LIKELY),
        ("a.ts", 2, "const x = new Cart()\nx.total()", LIKELY),
        ("a.py", 2, "x = Order(1)\nx.total()", UNLIKELY),
        ("a.py", 1, "order.total()", UNLIKELY),
        ("a.py", 2, "import Cart\nx.total()", POSSIBLE),
        ("a.py", 1, "x.total()", DOUBTFUL),
        ("a.py", 1, "total()", DOUBTFUL),
    ],
)
def test_uses_are_told_apart(path: str, line: int, text: str, expected: int) -> None:
    """By the receiver, what it was made of, and where the use stands."""
    data = text.encode()
    assert OWNER.likelihood(path, data, data.rindex(b"total"), line) == expected
