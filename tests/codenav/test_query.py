"""What a search asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.codenav.query import understood


@pytest.mark.parametrize(
    ("text", "name", "owners"),
    [
        ("total", "total", ()),
        ("Cart.total", "total", ("Cart",)),
        ("Cart::total", "total", ("Cart",)),
        ("Cart#total", "total", ("Cart",)),
        ("cart->total", "total", ("cart",)),
        ("shop.cart.Cart.total", "total", ("shop", "cart", "Cart")),
        ("self.total", "total", ()),
        ("total()", "total", ()),
        ("total(", "total", ()),
        ("cart.total(items, 3)", "total", ("cart",)),
        ("def total", "total", ()),
        ("class Cart", "Cart", ()),
        ("async function load(x)", "load", ()),
        ("`Cart`", "Cart", ()),
        ("get-user", "get-user", ()),
        ("$scope", "$scope", ()),
        ("empty?", "empty?", ()),
        ("__init__", "__init__", ()),
        ("读取文件", "读取文件", ()),
        ("  total  ", "total", ()),
        ("class", "class", ()),
        ("parse date", "", ()),
        ("how to parse a date", "", ()),
        ("class of service", "", ()),
    ],
)
def test_a_name_is_told_from_a_question(text: str, name: str, owners: tuple[str, ...]) -> None:
    """However its parts are joined, with brackets or a keyword around it."""
    found = understood(text)
    assert (found.name, found.owners) == (name, owners)


@pytest.mark.parametrize("text", ['"a b"', "“a b”", "'a b'", 'lines with "a b"'])
def test_text_in_quotes_is_looked_for_as_it_is(text: str) -> None:
    """This is the only syntax there is."""
    assert understood(text).literals == ("a b",)


@pytest.mark.parametrize("text", ["==>", "%", "()", "->", "!!"])
def test_what_holds_no_word_is_looked_for_as_it_is(text: str) -> None:
    """Nothing else could be found of it."""
    assert understood(text).literals == (text,)


def test_a_call_is_looked_for_as_text_too() -> None:
    """The bracket was written on purpose."""
    assert understood("total(").is_call
    assert not understood("total").is_call


@pytest.mark.parametrize("text", ["src/cart.py", "cart.py", "src/shop/", "./src/cart"])
def test_a_path_is_known(text: str) -> None:
    """Files come first then."""
    assert understood(text).is_path


@pytest.mark.parametrize("text", ["Cart.total", "os.path", "parse date"])
def test_a_qualified_name_is_no_path(text: str) -> None:
    """A dot alone makes none."""
    assert understood(text).is_path is False


def test_words_may_be_one_name() -> None:
    """`parse config` is written parse_config or parseConfig."""
    assert understood("parse config").joined == "parseconfig"


@given(st.text(max_size=600))
def test_any_text_is_a_query(text: str) -> None:
    """None is an error."""
    understood(text)
