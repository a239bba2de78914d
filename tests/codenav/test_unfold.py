"""Unfolding gives the exact lines of what was named, and never anybody else's."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import pytest

from backstory.codenav import names, unfold
from backstory.codenav.outline import Outline, outline_of
from backstory.codenav.unfold import unfold_text
from backstory.errors import Ambiguous, BadInput, NotFound
from backstory.estimate import estimate_tokens

FIXTURES = Path(__file__).parent / "fixtures"
SAMPLES = sorted(path for path in FIXTURES.iterdir() if path.suffix != ".symbols")
LIBRARY = Path(sysconfig.get_paths()["stdlib"])
MODULES = (
    *("abc", "argparse", "ast", "asyncio/events", "bdb", "bisect", "calendar", "cmd", "codecs"),
    *("collections/__init__", "configparser", "contextlib", "copy", "csv", "dataclasses"),
    *("decimal", "difflib", "dis", "email/message", "enum", "fractions", "ftplib", "functools"),
    *("gzip", "heapq", "http/client", "inspect", "json/encoder", "locale", "mailbox", "netrc"),
    *("optparse", "pathlib", "pdb", "pickle", "platform", "shlex", "statistics", "tarfile"),
    *("threading", "traceback", "typing", "unittest/mock", "uuid", "zipfile"),
)
SHOP = '''\
"""A shop."""
import os

LIMIT = 10


@decorated
class Cart(Base):
    """Holds things."""

    @property
    def price(self):
        return self._price

    @price.setter
    def price(self, value):
        self._price = value

    def add(self, thing):
        def check():
            return thing
        return check()


class Order:
    def add(self, line):\t
        return line


def price():
    return 1
'''


def shape(text: str, path: str = "shop.py") -> Outline:
    """Its outline."""
    return outline_of(text, path)


def show(*wanted: str, text: str = SHOP, path: str = "shop.py", **more: int) -> str:
    """What unfolding says."""
    tokens = more.pop("max_tokens", 6_000)
    context = bool(more.pop("context", 0))
    return unfold_text(path, text, shape(text, path), wanted, context=context, max_tokens=tokens)


def sources(answer: str) -> dict[int, str]:
    """The numbered lines of an answer, by number."""
    found = re.findall(r"^(\d+)\t(.*)$", answer, re.MULTILINE)
    return {int(number): line for number, line in found}


def every_symbol_unfolds(text: str, path: str) -> None:
    """Asserts it for each symbol."""
    outline = shape(text, path)
    lines = text.split("\n")
    for one, called in zip(outline.symbols, names.addresses(outline.symbols), strict=True):
        (piece,), _ = unfold.find(called, outline, path)
        assert (piece.start, piece.end) == (one.start_line, one.end_line), called
        assert unfold.source_of(piece, text) == "\n".join(lines[piece.start - 1 : piece.end])


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_symbol_of_every_language_unfolds_by_its_name(path: Path) -> None:
    """With a number behind it where the name repeats."""
    every_symbol_unfolds(path.read_text(encoding="utf-8"), path.name)


@pytest.mark.parametrize("name", MODULES)
def test_every_symbol_of_real_modules_unfolds_by_its_name(name: str) -> None:
    """Nested, overloaded and repeated ones."""
    text = (LIBRARY / f"{name}.py").read_text(encoding="utf-8")
    every_symbol_unfolds(text, f"{name}.py")


def test_the_answer_holds_the_lines_as_they_are() -> None:
    """Numbered as the host's Read does, with decorators, tabs and trailing blanks."""
    answer = show("Order.add", "Cart")
    assert "shop.py 26-27 method Order.add" in answer
    lines = SHOP.split("\n")
    given = sources(answer)
    assert sorted(given) == [*range(7, 23), 26, 27]
    assert all(line == lines[number - 1] for number, line in given.items())


def test_a_windows_files_lines_are_shown_without_their_ends() -> None:
    """And the source for programs keeps those inside."""
    text = SHOP.replace("\n", "\r\n")
    assert sources(show("Order", text=text))[27] == "        return line"
    (piece,), _ = unfold.find("Order", shape(text), "shop.py")
    source = unfold.source_of(piece, text)
    assert source == "class Order:\r\n    def add(self, line):\t\r\n        return line"


def test_a_getter_and_its_setter_come_together() -> None:
    """One name, two places: none is guessed, none is left out; the others are told."""
    answer = show("Cart.price")
    assert "2 symbols have this name: Cart.price#1 11-13, Cart.price#2 15-17" in answer
    assert "the same name elsewhere in this file: price 30-31" in answer
    assert sorted(sources(answer)) == [*range(11, 14), *range(15, 18)]
    assert sorted(sources(show("Cart.price#2"))) == [15, 16, 17]
    assert sorted(sources(show("price"))) == [30, 31]


def test_an_ambiguous_name_is_answered_with_candidates_alone() -> None:
    """No source."""
    with pytest.raises(Ambiguous, match=r"Cart\.add 19-22 def add\(self, thing\)") as raised:
        show("add")
    assert "Order.add 26-27" in raised.value.message


def test_lines_can_be_asked_for() -> None:
    """A symbol around a line, or a range."""
    assert sorted(sources(show("L20"))) == [20, 21]
    assert sorted(sources(show("L1-4"))) == [1, 2, 3, 4]
    assert sorted(sources(show("30-99"))) == [30, 31]
    with pytest.raises(BadInput, match="31 lines"):
        show("L90-99")
    with pytest.raises(NotFound, match=r"line 2 of shop\.py is in no symbol"):
        show("2")
    for name in ("L999", "32", "L0", "0"):
        with pytest.raises(BadInput, match=f"shop.py has 31 lines: there is no {name}"):
            show(name)


def test_a_symbol_with_a_syntax_error_in_its_lines_says_so() -> None:
    """Those beside it do not."""
    text = "def good():\n    return 1\n\n\ndef bad():\n    x = = 1\n    return 2\n"
    assert "bad\nit overlaps a syntax error at line 6: it may end elsewhere\n5\t" in show(
        "bad", text=text
    )
    assert "syntax error" not in show("good", text=text)
    huge = text + "".join(f"    row({n})\n" for n in range(2_000))
    assert "overlaps a syntax error at line 6" in show("bad", text=huge, max_tokens=400)


@pytest.mark.parametrize("tokens", [200, 260, 500, 1_500, 4_000])
@pytest.mark.parametrize("count", [2, 5, 40, 300])
def test_overloads_that_have_no_room_together_are_listed(tokens: int, count: int) -> None:
    """Each with its number and its lines: no source is cut into pieces that tell nothing."""
    text = "class Cart {\n" + "".join(
        f"    int add(Thing{n} first, Other{n} second) {{\n        return store({n});\n    }}\n"
        for n in range(count)
    )
    answer = show("Cart.add", text=text + "}\n", path="Cart.java", max_tokens=tokens)
    assert estimate_tokens(answer) <= tokens
    assert f"{count} symbols have this name" in answer
    lines = answer.split("\n")
    if "too long to show together" in answer:
        assert lines[1].startswith("  Cart.add#1 2-4 ")
        assert all("Cart.add#" in line for line in lines[1:-1])
        assert not sources(answer)
    else:
        assert len(sources(answer)) == 3 * count


def test_a_long_overload_gets_what_the_short_ones_do_not_need() -> None:
    """They are shown whole."""
    text = "".join(
        f"def work(a{n}):\n" + f"    call(a{n})\n" * lines for n, lines in enumerate((200, 1, 1))
    )
    answer = show("work", text=text, max_tokens=1_500)
    assert len(sources(answer)) > 130
    assert {202, 203, 204, 205} <= set(sources(answer))


def test_what_tells_the_encoding_costs_tokens_too() -> None:
    """Within the same budget."""
    for tokens in (200, 210, 230):
        outline = shape(BIG, "big.py")
        answer = unfold_text(
            "a/" * 40 + "big.py",
            BIG,
            outline,
            ("L1-900",),
            max_tokens=tokens,
            encoding="cp1252, guessed",
        )
        assert "cp1252, guessed)" in answer
        assert estimate_tokens(answer) <= tokens


def test_context_adds_the_heads_around_it() -> None:
    """Outermost first."""
    answer = show("check", context=1)
    assert answer.index("in 7-22 class Cart(Base)") < answer.index("in 19-22 def add(self, thing)")
    assert "in 7-22 class Cart(Base)" in show("L20-21", context=1)
    assert "in " not in show("check")


def test_of_several_names_what_is_wrong_is_told_in_its_place() -> None:
    """The others are shown."""
    answer = show("Cart.ad", "LIMIT", "add")
    assert "there is no symbol Cart.ad in shop.py" in answer
    assert sources(answer) == {4: "LIMIT = 10"}
    assert "could be any of 2 symbols" in answer
    assert "its lines are above" in show("LIMIT", "L4")


BIG = "class Big:\n" + "".join(
    f"    def method_{n}(self, value):\n        return value + {n}\n\n" for n in range(300)
)


@pytest.mark.parametrize("tokens", [200, 300, 1_000, 3_000, 6_000])
@pytest.mark.parametrize("name", ["Big", "L1-900", "Big.method_3", "L1"])
def test_no_answer_is_over_its_budget(tokens: int, name: str) -> None:
    """Whatever is asked."""
    answer = show(name, text=BIG, max_tokens=tokens)
    assert estimate_tokens(answer) <= tokens
    assert len(answer) <= unfold.CHARACTERS
    assert sources(answer) or "method_0" in answer


def test_a_word_that_is_no_symbol_is_told_with_its_lines() -> None:
    """An import, or a symbol of a part that was not parsed."""
    with pytest.raises(NotFound, match=r"no symbol os in shop\.py \(the word stands in line 2\)"):
        show("os")


def test_a_huge_symbol_comes_as_its_outline() -> None:
    """With ranges, and how to read on."""
    answer = show("Big", text=BIG, max_tokens=5_000)
    assert "too long to show whole: 900 lines" in answer
    assert "method_0 2-3" in answer
    assert 'symbol_name="L1-150"' in answer
    assert not sources(answer)


def test_a_huge_function_shows_its_beginning_and_how_to_go_on() -> None:
    """There is nothing in it to outline."""
    text = "def long():\n" + "    work(1)\n" * 3_000
    answer = show("long", text=text, max_tokens=500)
    last = max(sources(answer))
    assert f'symbol_name="L{last + 1}-{last + 150}", up to 3001' in answer
    shown = sources(show(f"L{last + 1}-{last + 150}", text=text))
    assert sorted(shown) == list(range(last + 1, last + 151))


def test_one_endless_line_is_cut() -> None:
    """It is no source to read."""
    answer = show("DATA", text="DATA = '" + "x" * 900_000 + "'\n", max_tokens=1_000)
    assert estimate_tokens(answer) <= 1_000
    assert "Its first line begins:" in answer
    assert len(answer) <= unfold.CHARACTERS
