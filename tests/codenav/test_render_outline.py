"""The text of an outline: what a reader wants within the budget, and the name of what is not."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.codenav import unfold
from backstory.codenav.outline import outline_of
from backstory.codenav.render_outline import File, outline_text
from backstory.errors import Ambiguous, NotFound
from backstory.estimate import estimate_tokens

FIXTURES = Path(__file__).parent / "fixtures"
SAMPLES = sorted(path for path in FIXTURES.iterdir() if path.suffix != ".symbols")
LIBRARY = Path(sysconfig.get_paths()["stdlib"])
SHOP = '''\
"""A shop."""
import os
import sys
from decimal import Decimal as D

LIMIT = 10
NAMES = ("a", "b")


@dataclass(frozen=True)
class Cart(Base):
    """Holds things. And more."""

    size: int = 3
    color: str = "red"

    @property
    def total(
        self,
        tax: float = 0.2
    ) -> D:
        """What it costs."""

        def rounded(value: D) -> D:
            return value

        return rounded(self.size)


class Order:
    def __init__(self): ...
    def add(self, line): ...


def main() -> None:
    """Runs it."""
'''


def file(text: str = SHOP, path: str = "shop.py") -> File:
    """A file that was read."""
    return File(path, text, outline_of(text, path), tokens=estimate_tokens(text))


def big(functions: int = 400) -> File:
    """A file with many functions, each with documentation."""
    return file(
        "".join(
            f'def function_{n}(first, second={n}):\n    """Does {n} and more of it."""\n\n\n'
            for n in range(functions)
        )
    )


def test_everything_is_there_where_there_is_room() -> None:
    """Lines, signatures over several lines, decorators, documentation, nesting, imports."""
    lines = outline_text([file()], max_tokens=2_000).split("\n")
    own = estimate_tokens("\n".join(lines))
    assert lines[0].startswith("shop.py · python · 36 lines · ")
    assert abs(int(lines[0].rpartition(" ")[2]) - own) <= 3
    assert lines[1:] == [
        "imports 2-4: os, sys, decimal",
        "6 LIMIT = 10",
        '7 NAMES = ("a", "b")',
        "10-27 @dataclass(frozen=True) class Cart(Base) — Holds things.",
        "  14 size: int = 3",
        '  15 color: str = "red"',
        "  17-27 @property def total(self, tax: float = 0.2) -> D — What it costs.",
        "    24-25 def rounded(value: D) -> D",
        "30-32 class Order",
        "  31 def __init__(self)",
        "  32 def add(self, line)",
        "35-36 def main() -> None — Runs it.",
    ]


def test_documentation_folds_before_fields_and_these_before_levels() -> None:
    """Each step keeps what matters more."""
    text = SHOP + "".join(f'\n\ndef f{n}():\n    """Docs of it."""\n' for n in range(12))
    shown = [outline_text([file(text)], max_tokens=tokens) for tokens in (900, 420, 340, 200)]
    assert "Docs of it" in shown[0]
    assert "Docs of it" not in shown[1]
    assert "rounded" in shown[1]
    assert "folded: docs" in shown[1]
    assert "rounded" not in shown[2]
    assert "class Cart(Base)" in shown[2]
    assert "Cart, Order, main" in shown[3]
    assert 'open with symbol="Cart"' in shown[3]


@pytest.mark.parametrize("tokens", [200, 250, 400, 1_000, 2_000, 12_000])
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_no_sample_is_over_the_budget(path: Path, tokens: int) -> None:
    """In any language."""
    answer = outline_text([file(path.read_text(encoding="utf-8"), path.name)], max_tokens=tokens)
    assert estimate_tokens(answer) <= tokens
    assert path.name in answer


@pytest.mark.parametrize("name", ["typing", "argparse", "_pydecimal", "inspect", "tarfile"])
def test_a_long_file_costs_a_tenth_of_reading_it_at_most(name: str) -> None:
    """Where no budget is given; and a larger one is used."""
    found = file((LIBRARY / f"{name}.py").read_text(encoding="utf-8"), f"{name}.py")
    usual = estimate_tokens(outline_text([found]))
    assert usual <= min(found.tokens * 0.08, 2_000)
    assert usual < estimate_tokens(outline_text([found], max_tokens=8_000)) <= 8_000


def test_what_does_not_fit_is_counted() -> None:
    """A file with more symbols than any form has room for."""
    answer = outline_text([big(3_000)], max_tokens=200)
    assert estimate_tokens(answer) <= 200
    assert "more symbols: ask for more max_tokens" in answer


def test_only_what_is_inside_a_symbol() -> None:
    """With itself first; names are found as unfolding finds them."""
    lines = outline_text([file()], symbol="cart", max_tokens=2_000).split("\n")
    assert lines[1].startswith("10-27 @dataclass(frozen=True) class Cart(Base)")
    assert lines[2] == "  14 size: int = 3"
    assert lines[-1] == "    24-25 def rounded(value: D) -> D"
    with pytest.raises(NotFound, match=r"(?s)no symbol Carts .*Cart 10-27"):
        outline_text([file()], symbol="Carts")
    two = file("class A:\n    def x(self): ...\nclass B:\n    def x(self): ...\n")
    with pytest.raises(Ambiguous, match=r"(?s)A\.x 2 .*B\.x 4 "):
        outline_text([two], symbol="x")


def test_all_that_is_called_so_is_shown() -> None:
    """Overloads, and in Rust a type with what is implemented for it: within one budget."""
    text = "struct S { x: i32 }\nimpl S { fn a(&self) {} }\nimpl Clone for S { fn b(&self) {} }\n"
    rust = File("a.rs", text, outline_of(text, "a.rs"), tokens=40)
    lines = outline_text([rust], symbol="S", max_tokens=2_000).split("\n")[1:]
    assert [line.split()[0] for line in lines] == ["1", "1", "2", "2", "3", "3"]
    for most in (200, 220, 260):
        assert estimate_tokens(outline_text([rust], symbol="S", max_tokens=most)) <= most


def test_a_depth_hides_what_is_deeper_and_counts_it() -> None:
    """One level: the top one."""
    answer = outline_text([file()], depth=1, max_tokens=2_000)
    assert "class Cart(Base) — Holds things. … 2 fields, 1 property" in answer
    assert "class Order … 2 methods" in answer
    assert "levels below 1 are folded" in answer
    assert "total" not in answer
    assert "rounded" not in outline_text([file()], depth=2, max_tokens=2_000)


def test_a_name_is_never_cut_out_of_its_signature() -> None:
    """Long ones lose their middle, and what is told twice is told once."""
    columns = ", ".join(f"column_{n} INTEGER NOT NULL" for n in range(40))
    text = "".join(f"CREATE TABLE a_table_with_a_long_name_{n} ({columns});\n" for n in range(12))
    answer = outline_text([file(text, "schema.sql")], max_tokens=400)
    assert all(f"a_table_with_a_long_name_{n}" in answer for n in range(12))
    both = outline_text([file("class A {\n    private int a, b;\n}\n", "A.java")], max_tokens=400)
    assert both.count("private int a, b") == 1


def test_names_that_repeat_are_packed_into_one() -> None:
    """A style sheet of one rule, thousands of times."""
    text = "".join(f".a {{\n  color: red{n}\n}}\n" for n in range(3_000))
    answer = outline_text([file(text, "a.css")], max_tokens=300)
    assert ".a ×3000" in answer
    long = "".join(f"def {'long_name_' * 12}{n}(): ...\n" for n in range(300))
    assert "long_name_long_name_" in outline_text([file(long)], max_tokens=200)


def test_several_files_share_the_budget() -> None:
    """Small ones leave their share to the others; what has no room is counted."""
    answer = outline_text([big(), file(), big()], max_tokens=2_000)
    assert estimate_tokens(answer) <= 2_000
    assert "class Cart(Base)" in answer
    assert answer.count("shop.py · python") == 3
    crowd = outline_text([file(path=f"shop{n}.py") for n in range(9)], max_tokens=200)
    assert estimate_tokens(crowd) <= 200
    assert "… 7 more files" in crowd


def test_one_of_several_that_cannot_be_read_is_told_in_its_place() -> None:
    """The others are shown; alone it is an error."""
    bad = File("gone.py", error=NotFound("there is no gone.py", hint="did you mean shop.py?"))
    answer = outline_text([file(), bad])
    assert "class Cart" in answer
    assert "gone.py: Error: there is no gone.py (did you mean shop.py?)" in answer
    with pytest.raises(NotFound, match=r"there is no gone\.py"):
        outline_text([bad])


def test_a_namespace_around_everything_is_no_level() -> None:
    """What the file is about stands in it."""
    methods = "".join(f"        public int Method{n}(int a) {{ return a; }}\n" for n in range(60))
    text = f"namespace Shop {{\n    public class Cart {{\n{methods}    }}\n}}\n"
    answer = outline_text([file(text, "Cart.cs")], max_tokens=700)
    assert "Method0" in answer
    assert "Method59" in answer


def test_the_kind_of_answer_is_said() -> None:
    """Syntax errors with their places, encodings, files without symbols."""
    broken = outline_text([file("def good():\n    pass\n\ndef bad(:\n    pass\n")])
    assert "syntax errors at 4" in broken
    assert "def good()" in broken
    text = "x = 1\n"
    guessed = File("a.py", text, outline_of(text, "a.py"), "cp1252, guessed", 4)
    assert "cp1252, guessed" in outline_text([guessed])
    assert "there is nothing in it" in outline_text([file("", "a.py")])
    assert "no symbols in it" in outline_text([file("# only words\n", "a.py")])


def test_a_file_whose_errors_hide_all_is_told_apart_from_one_without_symbols() -> None:
    """It says where the errors are, and how to read the lines."""
    unreadable = file("%%% foo ((\n  )) class\n", "a.cs")
    answer = outline_text([unreadable])
    assert "no symbol could be recognised because of syntax errors at 1-2" in answer
    assert "read it with Read, or lines as L1-150" in answer
    assert "no symbols in it" not in answer
    assert "what parsed" not in answer
    with pytest.raises(NotFound, match="because of syntax errors at 1-2"):
        outline_text([unreadable], symbol="foo")
    assert unreadable.outline is not None
    with pytest.raises(NotFound, match="because of syntax errors at 1-2"):
        unfold.find("foo", unreadable.outline, "a.cs")


def test_what_hides_or_steers_never_reaches_the_answer() -> None:
    """Control, bidirectional and zero-width characters in names, comments and paths."""
    text = (
        'KEY = "\x1b[31m\u202e\u200b\x07\x00"\n\n\ndef f(a="\x1b]0;x\x07"):\n    """Do\x9bcs."""\n'
    )
    answer = outline_text([file(text, "a\x1b[2Jb.py")], max_tokens=2_000)
    assert all(char.isprintable() or char == "\n" for char in answer)


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=400),
    st.sampled_from(["a.py", "a.ts", "a.md", "a.json"]),
    st.integers(200, 900),
)
def test_any_text_gives_an_answer_within_the_budget(text: str, path: str, tokens: int) -> None:
    """Never an exception."""
    answer = outline_text([file(text, path)], max_tokens=tokens)
    assert answer
    assert estimate_tokens(answer) <= tokens


@pytest.mark.parametrize(
    ("path", "text", "rows"),
    [
        (
            "R.java",
            "@Entity public class R { @Id Long id; void m() {} }\n@interface A { int n(); }\n",
            [
                "@Entity public class R",
                "@Id Long id",
                "void m()",
                "@interface A",
                "int n()",
            ],
        ),
        (
            "a.rs",
            "#[inline] fn g() {}\n#[inline]\nfn f() {}\n#[derive(Debug)] struct A;\n",
            ["#[inline] fn g()", "#[inline] fn f()", "#[derive(Debug)] struct A"],
        ),
        (
            "a.kt",
            "@Serializable data class U(val id: Int, val name: String)\n",
            ["@Serializable data class U(val id: Int, val name: String)", "val id: Int"],
        ),
        (
            "a.cs",
            "[Obsolete] public class A { public int B() { return 1; } }\n",
            ["public int B()"],
        ),
    ],
)
def test_what_stands_before_a_symbol_on_its_line_is_its_own(
    path: str, text: str, rows: list[str]
) -> None:
    """A decorator of what is around it is not told again."""
    made = outline_text([File(path, text, outline_of(text, path))])
    found = [row.strip().partition(" ")[2] for row in made.splitlines()]
    assert [row for row in rows if row not in found] == []
