"""A name finds the one symbol that it means, or candidates; never another symbol."""

from __future__ import annotations

import pytest

from backstory.codenav import names, unclear
from backstory.codenav.names import Lines, Match
from backstory.codenav.symbols import Symbol
from backstory.errors import Ambiguous, NotFound

# place, qualified name, lines, parent
TABLE = (
    (0, "total", 1, 3, -1),
    (1, "Cart", 5, 40, -1),
    (2, "Cart.total", 7, 9, 1),
    (3, "Cart.price", 11, 13, 1),
    (4, "Cart.price", 15, 17, 1),
    (5, "Cart.add", 19, 30, 1),
    (6, "Cart.add.check", 20, 25, 5),
    (7, "Order", 50, 80, -1),
    (8, "Order.add", 52, 55, 7),
    (9, "Order.Lines", 60, 70, 7),
    (10, "Order.Lines.first", 61, 63, 9),
    (11, "order", 90, 95, -1),
    (12, "helper", 100, 101, -1),
    (13, "helper", 103, 104, -1),
    (14, "MAX", 110, 110, -1),
)
SYMBOLS = tuple(
    Symbol(path.rpartition(".")[2], path, "function", start, end, parent, f"def {path}()")
    for _, path, start, end, parent in TABLE
)
MATCHES = (
    ("Cart.total", (2,), ()),
    ("Cart::total", (2,), ()),
    ("Cart#total", (2,), ()),
    ("Cart->total", (2,), ()),
    ("Cart > total", (2,), ()),
    ("Cart/total", (2,), ()),
    ("`Cart.total()`", (2,), ()),
    ("Cart.total(self, tax)", (2,), ()),
    ("def Cart.total", (2,), ()),
    ("class Cart", (1,), ()),
    ("total", (0,), ()),  # a whole qualified name wins over the end of another
    ("self.total", (2,), ()),  # of an object: not the function outside of all
    ("this->add", (), (5, 8)),
    ("self.helper", (12, 13), ()),
    ("Cart.price", (3, 4), ()),
    ("Cart.price#1", (3,), ()),
    ("Cart.price#2", (4,), ()),
    ("Cart.price #2", (4,), ()),
    ("Cart::price#2", (4,), ()),
    ("price#2", (4,), ()),
    ("price", (3, 4), ()),
    ("Cart.price#3", (), (3, 4)),
    ("total#1", (0,), ()),
    ("helper", (12, 13), ()),
    ("helper#2", (13,), ()),
    ("add", (), (5, 8)),
    ("add#2", (), (5, 8)),  # the second of two different methods would be a guess
    ("add.check", (6,), ()),
    ("Cart.check", (6,), ()),
    ("check", (6,), ()),
    ("first", (10,), ()),
    ("Lines.first", (10,), ()),
    ("Order.first", (10,), ()),
    ("lines.FIRST", (10,), ()),
    ("Order", (7,), ()),
    ("order", (11,), ()),
    ("ORDER", (), (7, 11)),
    ("CART", (1,), ()),
    ("max", (14,), ()),
    ("shop.Cart.total", (2,), ()),  # the file's own name before it
    ("src.shop.Cart.total", (2,), ()),
    ("self.check", (6,), ()),
    ("22", (6,), ()),
    ("L22", (6,), ()),
    ("line 27", (5,), ()),
    ("L35", (1,), ()),
    ("110", (14,), ()),
    ("45", (), ()),
    ("L45", (), ()),
    ("Order.total", (), ()),  # there is a total, but not there
    ("nothing", (), ()),
    ("", (), ()),
    ("  ", (), ()),
    (".", (), ()),
    ("#2", (), ()),
)


@pytest.mark.parametrize(("name", "chosen", "candidates"), MATCHES, ids=[one[0] for one in MATCHES])
def test_a_name_finds_what_it_means(
    name: str, chosen: tuple[int, ...], candidates: tuple[int, ...]
) -> None:
    """By qualified name, other joints, plain name, line, number of overload, case."""
    found = names.resolve(name, SYMBOLS, "shop")
    assert (found.chosen, found.candidates) == (chosen, candidates)


def test_others_of_the_same_plain_name_are_told() -> None:
    """`total` is a function here, and a method has that name, too."""
    assert names.resolve("total", SYMBOLS).namesakes == (2,)
    assert names.resolve("Cart.add", SYMBOLS).namesakes == (8,)
    assert names.resolve("check", SYMBOLS).namesakes == ()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Order.total", 2),
        ("totals", 0),
        ("Cart.pricee", 3),
        ("chek", 6),
        ("helpers", 12),
        ("get_total", 0),
    ],
)
def test_what_is_misspelled_is_offered_the_nearest(name: str, near: int) -> None:
    """A near miss is no match."""
    found = names.resolve(name, SYMBOLS)
    assert not found.chosen
    assert near in found.near


def test_names_that_are_sentences_or_numbers_are_names_first() -> None:
    """Headings, keys and tests hold anything."""
    said = ("Guide", "Guide > C#", "Guide > 1.2 Set up (Linux)", "12", "Issue #2", "L7")
    symbols = tuple(
        Symbol(one.rpartition(" > ")[2], one, "section", at * 10 + 1, at * 10 + 9)
        for at, one in enumerate(said)
    )
    for at, one in enumerate(said):
        assert names.resolve(one, symbols).chosen == (at,)
    quoted = (Symbol("A", "A", "type", 1, 1), Symbol("`A", "kind.`A", "type", 3, 3))
    assert names.resolve("`A", quoted).chosen == (1,)
    assert names.resolve("1.2 Set up (Linux)", symbols).chosen == (2,)
    assert names.resolve("C#", symbols).chosen == (1,)
    assert names.resolve("L15", symbols).chosen == (1,)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("L12-40", Lines(12, 40)),
        ("12-40", Lines(12, 40)),
        ("lines 12 to 40", Lines(12, 40)),
        ("L40-L12", Lines(12, 40)),
        ("12:40", Lines(12, 40)),
        ("L12", None),
        ("Cart", None),
        ("1-2-3", None),
    ],
)
def test_a_range_is_no_name(name: str, lines: Lines | None) -> None:
    """It asks for lines."""
    assert names.lines_of(name) == lines


def test_an_address_leads_back_to_its_symbol() -> None:
    """Whatever is listed can be asked for."""
    called = names.addresses(SYMBOLS)
    assert called[3:5] == ("Cart.price#1", "Cart.price#2")
    assert [names.resolve(one, SYMBOLS).chosen for one in called] == [
        (at,) for at in range(len(SYMBOLS))
    ]


def test_candidates_are_listed_with_lines_and_signatures() -> None:
    """The next call can name one."""
    error = unclear.unclear("add", SYMBOLS, names.resolve("add", SYMBOLS), "shop.py")
    assert isinstance(error, Ambiguous)
    assert "add could be any of 2 symbols in shop.py" in error.message
    assert "Cart.add 19-30 def Cart.add()" in error.message
    assert "Order.add 52-55 def Order.add()" in error.message
    assert "Cart.add" in error.hint


def test_a_list_tells_the_kind_where_the_signature_does_not() -> None:
    """A method of Java has no word for what it is."""
    for name, kind, signature, row in (
        ("total", "method", "int total()", "  total 3-9 method int total()"),
        ("total", "method", "fn total()", "  total 3-9 fn total()"),
        ("Cart", "class", "public final class Cart", "  Cart 3-9 public final class Cart"),
        ("Cart", "section", "Cart", "  Cart 3-9 section Cart"),
        ("LIMIT", "constant", "", "  LIMIT 3-9 constant"),
    ):
        assert unclear.row_of(Symbol(name, name, kind, 3, 9, -1, signature), name) == row


def test_what_is_not_there_is_told_with_what_is_near() -> None:
    """A name, a line between symbols, a file without any."""
    error = unclear.unclear("chek", SYMBOLS, names.resolve("chek", SYMBOLS), "shop.py")
    assert isinstance(error, NotFound)
    assert "Cart.add.check 20-25" in error.message
    error = unclear.unclear("45", SYMBOLS, Match(), "shop.py")
    assert "Cart 5-40" in error.message
    assert "Order 50-80" in error.message
    assert "L45-45" in error.hint
    assert "has no symbols" in unclear.unclear("x", (), Match(), "empty.py").message


def test_hostile_names_are_only_looked_up() -> None:
    """Long, odd and control characters; nothing of them reaches the terminal."""
    for name in (
        "\x1b[31mtotal",
        "a" * 100_000,
        ".*",
        "(" * 500,
        "L" + "9" * 5_000,
        "\0",
        "#" * 99,
    ):
        match = names.resolve(name, SYMBOLS)
        assert not match.chosen
        told = unclear.unclear(name, SYMBOLS, match, "shop\x07.py")
        assert len(told.message) < 2_000
        assert all(char.isprintable() or char == "\n" for char in told.message + told.hint)


def test_a_numbered_name_may_begin_with_a_word_for_a_kind() -> None:
    """The title of a test says what it likes: `type tests > a.x#2`."""
    path = "type tests > a.x"
    symbols = [Symbol("x", path, "function", at, at, -1, "x()") for at in (3, 5)]
    assert names.resolve(f"{path}#2", symbols).chosen == (1,)
