"""Looking into code from a shell: in the current folder, with no worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Person

CART = '''\
import os


@final
class Cart(Base):
    """Holds things."""

    @property
    def price(self) -> int:
        return 1

    @price.setter
    def price(self, value: int) -> None: ...

    def add(self, thing: str) -> None:
        def check() -> None: ...


class Order:
    def add(self) -> None: ...
'''
KEYS = {
    *("name", "qualified_name", "kind", "start_line", "end_line", "signature", "parent", "file"),
}


@pytest.fixture(autouse=True)
def cart(regular: Person) -> Path:
    """A file in the person's project."""
    path = regular.home.project / "cart.py"
    path.write_text(CART, encoding="utf-8")
    return path


def test_an_outline_for_people_and_for_programs(regular: Person) -> None:
    """The same symbols; nothing of a data directory is made or needed."""
    text = regular.ok("outline", "cart.py")
    assert text.startswith("cart.py · python · 20 lines · ")
    assert "4-16 @final class Cart(Base) — Holds things." in text
    found = regular.run("outline", "cart.py", "--json").json
    assert all(set(one) == KEYS for one in found)
    assert found[0] == {
        "name": "Cart",
        "qualified_name": "Cart",
        "kind": "class",
        "start_line": 4,
        "end_line": 16,
        "signature": "class Cart(Base)",
        "parent": None,
        "file": "cart.py",
    }
    assert [(one["qualified_name"], one["parent"]) for one in found[1:]] == [
        ("Cart.price", "Cart"),
        ("Cart.price", "Cart"),
        ("Cart.add", "Cart"),
        ("Cart.add.check", "Cart.add"),
        ("Order", None),
        ("Order.add", "Order"),
    ]


def test_a_part_and_a_depth_count_for_programs_too(regular: Person) -> None:
    """Levels below the symbol that is named."""
    assert "Order" not in regular.ok("outline", "cart.py", "--symbol", "Cart")

    def names(*options: str) -> list[str]:
        found = regular.run("outline", "cart.py", "--json", *options).json
        return [one["qualified_name"] for one in found]

    assert names("--depth", "1") == ["Cart", "Order"]
    said = regular.run("outline", "cart.py", "--json", "--depth", "1").err
    assert said == "note: cart.py: 5 symbols below level 1 are left out\n"
    inside = ["Cart.add", "Cart.add.check"]
    assert names("--symbol", "Cart.add") == inside
    assert names("--symbol", "Cart", "--depth", "1") == [
        "Cart",
        "Cart.price",
        "Cart.price",
        inside[0],
    ]


def test_every_symbol_unfolds_exactly(regular: Person) -> None:
    """By its qualified name, which gives all that have it."""
    lines = CART.split("\n")
    for one in regular.run("outline", "cart.py", "--json").json:
        found = regular.run("unfold", "cart.py", one["qualified_name"], "--json").json
        (same,) = (more for more in found if more["start_line"] == one["start_line"])
        source = "\n".join(lines[one["start_line"] - 1 : one["end_line"]])
        assert same == {**one, "source": source}
    (second,) = regular.run("unfold", "cart.py", "Cart.price#2", "--json").json
    assert second["start_line"] == 12
    assert "18\tclass Order:" not in regular.ok("unfold", "cart.py", "L20")
    assert "20\t    def add(self) -> None: ..." in regular.ok("unfold", "cart.py", "L20")


def test_symbols_are_found_in_the_current_folder(regular: Person) -> None:
    """For people with files and lines, for programs the symbols alone."""
    assert "class Cart(Base)" in regular.ok("symbols", "Cart")
    found = regular.run("symbols", "Cart.add", "--json").json
    assert found[0] == {
        "name": "add",
        "qualified_name": "Cart.add",
        "kind": "method",
        "start_line": 15,
        "end_line": 16,
        "signature": "def add(self, thing: str) -> None",
        "parent": "Cart",
        "file": "cart.py",
    }
    assert regular.run("symbols", "Cart", "--kind", "function", "--json").json == []
    other = regular.home.project / "use.py"
    other.write_text("from cart import Cart\n", encoding="utf-8")
    (use,) = regular.run("symbols", "Cart", "use.py", "--references", "--json").json
    assert (use["file"], use["start_line"]) == ("use.py", 1)


def test_lines_have_a_source_too(regular: Person) -> None:
    """They belong to no symbol."""
    (found,) = regular.run("unfold", "cart.py", "1-3", "--json").json
    assert (found["name"], found["source"]) == ("L1-3", "import os\n\n")


def test_a_terminal_gets_all_of_it(regular: Person) -> None:
    """However much that is, unless a budget is given."""
    body = "".join(f"    line_{number} = {number}\n" for number in range(9_000))
    (regular.home.project / "long.py").write_text("def long():\n" + body, encoding="utf-8")
    assert regular.ok("unfold", "long.py", "long").count("\n") == 9_002
    assert "too long" in regular.ok("unfold", "long.py", "long", "--max-tokens", "500")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["outline", "card.py"], "cart.py"),
        (["outline", "/etc/passwd"], "outside"),
        (["outline", "."], "folder"),
        (["unfold", "cart.py", "add"], "could be any of 2 symbols"),
        (["unfold", "cart.py", "Crat"], "there is no symbol Crat"),
        (["unfold", "cart.py", "L90-99"], "20 lines"),
        (["symbols", "Cart", "/etc"], "outside"),
        (["symbols", "Cart", "--kind", "clas"], "kind"),
        (["outline", "cart.py", "--symbol", "Crat"], "there is no symbol Crat"),
    ],
    ids=" ".join,
)
def test_a_call_that_fails_says_why(regular: Person, arguments: list[str], words: str) -> None:
    """With the code 1, for programs as one JSON document."""
    assert words in regular.fails(*arguments)


def test_names_that_are_not_found_do_not_hide_those_that_are(regular: Person) -> None:
    """What is missing is said apart from them, and the code tells."""
    for options in ((), ("--json",)):
        done = regular.run("unfold", "cart.py", "Cart", "nope", "add", *options)
        assert done.code == 1
        assert "class Cart(Base):" in done.out
        assert "nope" not in done.out
        assert "there is no symbol nope in cart.py" in done.err
        assert "add could be any of 2 symbols in cart.py" in done.err
    assert [one["name"] for one in done.json] == ["Cart"]
    said = regular.fails("unfold", "cart.py", "nope", "nix")
    assert "no symbol nope" in said
    assert "no symbol nix" in said


def test_programs_are_told_what_an_outline_lacks(regular: Person) -> None:
    """On standard error: standard output is the JSON alone."""
    assert not regular.run("outline", "cart.py", "--json").err
    broken = regular.home.project / "broken.py"
    broken.write_text(CART + "\n\ndef later():\n    x = = 1\n    ) )\n", encoding="utf-8")
    said = regular.run("outline", "broken.py", "--json").err
    assert said.startswith("note: broken.py: syntax errors at ")
    said = regular.run("unfold", "broken.py", "later", "Order", "--json").err
    assert "note: broken.py: later overlaps a syntax error at line" in said
    assert "Order overlaps" not in said
    latin = regular.home.project / "latin.py"
    latin.write_bytes("def preis():\n    return 'größer'\n".encode("cp1252"))
    for command in (("outline", "latin.py"), ("unfold", "latin.py", "preis")):
        said = regular.run(*command, "--json").err
        assert said == "note: latin.py: encoding: cp1252, guessed\n"


def test_a_shell_is_told_of_commands(regular: Person) -> None:
    """Not of the tools that Claude has; names and paths can be pasted."""
    (regular.home.project / "my shop.js").write_text(
        "class Cart {\n" + "  add() { return 1 }\n" * 9_000 + "}\n", encoding="utf-8"
    )
    long = "".join(f"def method_{n}(x):\n    return x\n" for n in range(900))
    (regular.home.project / "long.py").write_text(long, encoding="utf-8")
    answers = [
        regular.ok("unfold", "long.py", "L1-1800", "--max-tokens", "300"),
        regular.ok("outline", "long.py", "--max-tokens", "300"),
        regular.ok("outline", "my shop.js", "--max-tokens", "300"),
        regular.ok("unfold", "my shop.js", "L1-9000", "--max-tokens", "300"),
        regular.ok("symbols", "method", "--max-tokens", "300"),
        regular.fails("unfold", "cart.py", "zzz"),
    ]
    for said in answers:
        for word in ("smart_", "max_tokens", "symbol_name", 'symbol="', "file_pattern", "=true"):
            assert word not in said
    assert "`backstory unfold long.py L" in answers[0]
    assert "--max-tokens" in answers[1]
    assert "`backstory unfold 'my shop.js' L" in answers[3]
    assert "`backstory unfold long.py method_0` shows the source" in answers[4]
    assert "`backstory outline cart.py` lists" in answers[5]


def test_what_cannot_be_understood_has_the_code_of_usage(regular: Person) -> None:
    """64."""
    regular.fails("unfold", "cart.py", code=64)
    regular.fails("outline", "cart.py", "--max-tokens", "10", code=64)


def test_a_home_folder_is_no_workspace(regular: Person) -> None:
    """The current folder is the root of what may be read."""
    regular.patch.chdir(regular.home.user)
    assert "no workspace" in regular.fails("outline", str(regular.home.project / "cart.py"))
