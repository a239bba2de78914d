"""A small project in git that a session can really work on."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

CART = '''"""The cart of a shop."""


class Cart:
    """What a customer is going to buy."""

    def __init__(self) -> None:
        self.prices: list[int] = []

    def add(self, price: int) -> None:
        """Put one thing into the cart."""
        self.prices.append(price)

    def total(self, discount: int = 0) -> int:
        """The sum in cents, less a discount in percent."""
        return sum(self.prices) * discount // 100
'''
TEST = """import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def test_discount_lowers_the_total(self) -> None:
        cart = Cart()
        cart.add(200)
        self.assertEqual(cart.total(10), 180)


if __name__ == "__main__":
    unittest.main()
"""
BUG = "sum(self.prices) * discount // 100"
FIX = "sum(self.prices) * (100 - discount) // 100"
RUN_TESTS = "python3 -B -m unittest -v test_cart"


def make_shop(folder: Path, name: str = "Cart") -> Path:
    """A repository of two files with one commit, and a bug that its test shows.

    `name` takes the place of Cart in every file, so that two projects can be told apart.
    """
    (folder / "shop").mkdir(parents=True)
    (folder / "shop/__init__.py").write_text("")
    (folder / f"shop/{name.lower()}.py").write_text(_renamed(CART, name))
    (folder / f"test_{name.lower()}.py").write_text(_renamed(TEST, name))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "A first version")
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as nobody in particular."""
    identity = ("-c", "user.name=Shop", "-c", "user.email=shop@example.org")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_of(folder: Path) -> dict[str, str]:
    """Every file below a folder, hidden ones too, with a hash of its content; no sockets."""
    found = {}
    for directory, _, names in os.walk(folder):
        for name in names:
            path = Path(directory, name)
            if path.is_socket():
                continue
            content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            found[str(path.relative_to(folder))] = hashlib.sha256(content).hexdigest()
    return found


def _renamed(source: str, name: str) -> str:
    return source.replace("Cart", name).replace("cart", name.lower())
