"""Where a name is used, by syntax."""

from __future__ import annotations

import math

import pytest

from backstory.codenav.receivers import Owner
from backstory.codenav.references import uses_of


def uses(name: str, path: str, text: str, defined: frozenset[int] = frozenset()) -> list[str]:
    """The uses in one file, as "line kind"."""
    found = uses_of(name, [path], lambda _: text.encode(), {path: defined}, 100, math.inf)
    return [f"{use.line} {use.why}" for use in found.uses]


PYTHON = '''"""total"""
from cart import total
# total
x = total(1)
s = "total"
f = f"{total(2)} and total"
o.total = 3
o.total()
y = o.total
def total(a): pass
def g(total: int) -> total: pass
class C(total): pass
@total
def h(): pass
items = [total, 2]
subtotal = total_of = 1
'''


def test_python() -> None:
    """Calls, imports, attributes and types; no comments, strings, definitions or parameters."""
    assert uses("total", "a.py", PYTHON) == [
        "2 import",
        "4 call",
        "6 call",
        "7 attribute",
        "8 call",
        "9 attribute",
        "11 type",
        "12 type",
        "13 use",
        "15 use",
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.ts", "import { Money } from './m'; // Money\n", ["1 import"]),
        ("a.ts", "let m: Money = new Money(3);\n", ["1 type", "1 call"]),
        ("a.ts", "function f(x: Money) { return x }\n", ["1 type"]),
        ("a.ts", "const s = `x ${Money} Money`;\n", ["1 use"]),
        ("a.ts", "export class Money {}\n", []),
        ("a.ts", "interface I { Money: number }\n", []),
        ("a.ts", "class X extends Money {}\n", ["1 type"]),
        ("a.tsx", "const a = <Money x={1} />;\n", ["1 use"]),
        ("a.js", "m.Money(1); const s = 'Money';\n", ["1 call"]),
        ("a.js", "m?.Money; m['Money'];\n", ["1 attribute"]),
        ("a.go", "package a\nfunc f() Money { return Money{} }\n", ["2 type"]),
        ("a.go", "package a\ntype Money struct{}\n", []),
        ("a.go", "package a\nfunc f() { Money(3); c.Money = 1 }\n", ["2 call", "2 attribute"]),
        ("a.rs", "use crate::m::Money;\n", ["1 import"]),
        ("a.rs", "struct C { m: Money }\n", ["1 type"]),
        ("a.rs", "struct Money {}\n", []),
        ("a.java", "import a.b.Money;\n", ["1 import"]),
        ("a.java", 'class C { Money m = new Money("Money"); }\n', ["1 type", "1 call"]),
        ("a.java", "class Money {}\n", []),
        ("a.c", "int f(int a) { return Money(a); } /* Money */\n", ["1 call"]),
        ("a.c", "int Money(int a);\n", []),
        ("a.rb", "class C < Money\n  def a; Money.new; end # Money\nend\n", ["1 type", "2 use"]),
        ("a.php", "<?php\nuse App\\Money;\nclass C extends Money {}\n", ["2 import", "3 type"]),
        ("a.unknown", "pay Money\n", ["1 text"]),
        ("a.js", "let { Money } = m;\nf({ Money });\n", ["1 attribute", "2 use"]),
        ("a.ts", "function f({ Money, x }: P) {}\n", ["1 attribute"]),
        ("a.rs", "fn f() { let S { Money } = s; }\n", ["1 attribute"]),
        ("a.rb", "def Money; end\n", []),
        ("a.c", "#define Money 3\n", []),
    ],
)
def test_other_languages(path: str, text: str, expected: list[str]) -> None:
    """The same distinctions, by what grammars have in common."""
    assert uses("Money", path, text) == expected


def test_a_file_is_taken_by_its_shape() -> None:
    """Settings use no names; a notebook's code stands in its text, and is told by its lines."""
    for path in ("a.properties", "a.ini", "a.toml", "a.yaml", "a.css", "a.md", "a.tex"):
        assert uses("total", path, "total = 1\n") == []
    cell = '{"cells": [{"cell_type": "code",\n "source": ["x = total(1)"]}]}\n'
    assert uses("total", "a.ipynb", cell) == ["2 text"]


def test_a_line_that_defines_it_is_no_use() -> None:
    """What the index says of definitions counts where the syntax doesn't tell."""
    assert uses("LIMIT", "a.py", "LIMIT = 3\nx = LIMIT\n", frozenset({1})) == ["2 use"]


def test_a_call_on_the_line_of_the_definition_is_one() -> None:
    """A function of one line that calls itself."""
    assert uses("f", "a.py", "def f(): return f()\n", frozenset({1})) == ["1 call"]


def test_broken_syntax_hides_nothing_else() -> None:
    """What can be read is."""
    assert "3 use" in uses("total", "a.py", "def (:\n\nx = total(1)\n")


def test_what_is_taken_out_of_something_uses_its_name() -> None:
    """It defines a variable and uses a property at once."""
    text = "const { total } = require('./cart');\n"
    assert uses("total", "a.js", text, frozenset({1})) == ["1 attribute"]


def test_code_comes_before_tests_and_what_merely_tells_of_a_name_is_left_out() -> None:
    """Others' code comes late, and code of unknown languages last."""
    line = b"total()\n"
    others = ("node_modules/m/a.js", "tests/a.py", "a.zz", "src/z.py", "examples/a.py")
    told = ("docs/faq.rst", "README", "a.json", "notes.txt", "docs/a.html", "CHANGELOG")
    files = dict.fromkeys((*others, *told), line)
    found = uses_of("total", files, files.get, {}, 99, math.inf)
    assert [use.file for use in found.uses] == [
        "src/z.py",
        "examples/a.py",
        "tests/a.py",
        "node_modules/m/a.js",
        "a.zz",
    ]
    assert uses_of("total", files, files.get, {}, 1, math.inf).unread == 4


def test_enough_is_enough() -> None:
    """The files that were not looked at are counted."""
    files = {f"{n}.py": b"total()\n" * 3 for n in range(9)}
    found = uses_of("total", files, files.get, {}, 5, math.inf)
    assert len(found.uses) == 6
    assert found.unread == 7


def test_a_file_that_only_defines_it_is_not_parsed() -> None:
    """Most files that hold a common name do no more."""
    text = b"class A:\n    def total(self): ...\n"
    found = uses_of("total", ["a.py"], lambda _: text, {"a.py": frozenset({2})}, 5, math.inf)
    assert (found.uses, found.parsed) == ((), 0)


def test_enough_work_is_enough() -> None:
    """A name that very many files have is answered at once, and what is left is told."""
    files = {f"{n}.py": b"total()\n" for n in range(9)}
    found = uses_of("total", files, files.get, {}, 99, math.inf, effort=-1.0)
    assert (found.uses, found.unread) == ((), 9)


@pytest.mark.parametrize(
    "text", ["subtotal(1)", "total_of(1)", "$total", "total1", "xtotal", "totaltotal"]
)
def test_a_part_of_another_name_is_no_use(text: str) -> None:
    """Before it and behind it the name ends."""
    assert uses("total", "a.js", f"{text};\n") == []


def test_a_name_at_both_ends_of_a_text_is_found() -> None:
    """Where nothing is around it."""
    assert uses("total", "a.py", "total") == ["1 use"]


def test_the_time_over_is_told() -> None:
    """With how many files are left."""
    assert uses_of("total", ["a.py"], lambda _: b"total()", {}, 5, -math.inf).unread == 1


def test_beyond_the_files_that_name_the_owner_enough_is_enough() -> None:
    """Uses that are doubtful are looked for no longer than others."""
    files = {f"{n}.py": b"x.total()\n" for n in range(9)} | {
        "z.py": b"cart = Cart()\ncart.total()\n"
    }
    owner = Owner("Cart")
    found = uses_of("total", files, files.get, {}, 3, math.inf, owner, {"z.py"})
    assert [use.file for use in found.uses] == ["z.py", "0.py", "1.py"]
    assert found.unread == 7
