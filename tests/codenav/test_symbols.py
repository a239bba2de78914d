"""The symbols of a source, in sources as they come."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.codenav.languages import detect, languages
from backstory.codenav.outline import outline_of
from backstory.codenav.symbols import Symbol, symbols
from backstory.codenav.touched import defined

PYTHON = "class Cart:\n    def total(self):\n        return 1\n\n    def save(self): ...\n"


def lines_of(path: str, source: str) -> list[tuple[str, int, int]]:
    language = detect(path)
    assert language is not None
    found = symbols(source, language, deadline_s=30)
    return [(symbol.qualified_name, symbol.start_line, symbol.end_line) for symbol in found]


EXPECTED = [("Cart", 1, 5), ("Cart.total", 2, 3), ("Cart.save", 5, 5)]


@pytest.mark.parametrize(
    "source",
    [
        PYTHON,
        PYTHON.replace("\n", "\r\n"),
        "\ufeff" + PYTHON,
        PYTHON.replace("    ", "\t"),
        PYTHON.rstrip("\n"),
        PYTHON + "\n\n\n",
    ],
    ids=["plain", "crlf", "bom", "tabs", "no last newline", "blank lines at the end"],
)
def test_line_numbers_hold_however_the_text_is_written(source: str) -> None:
    assert lines_of("a.py", source) == EXPECTED


def test_a_symbol_says_where_it_stands() -> None:
    language = languages()["python"]
    assert symbols(PYTHON, language) == (
        Symbol("Cart", "Cart", "class", 1, 5, -1, "class Cart", "", 1),
        Symbol("total", "Cart.total", "method", 2, 3, 0, "def total(self)", "", 2),
        Symbol("save", "Cart.save", "method", 5, 5, 0, "def save(self)", "", 5),
    )


def test_names_may_be_in_any_script() -> None:
    assert lines_of("a.py", "class 购物车:\n    def 总价(self):\n        return 1\n") == [
        ("购物车", 1, 3),
        ("购物车.总价", 2, 3),
    ]
    assert ("Größe", 3, 5) in lines_of("a.go", "package p\n\nfunc Größe() int {\n\treturn 1\n}\n")


@pytest.mark.parametrize("name", tuple(languages()))
@pytest.mark.parametrize("source", ["", "\n", " ", "\0", "\ufeff", "\0\0\0\n\0"])
def test_a_source_without_text_has_no_symbols(name: str, source: str) -> None:
    assert symbols(source, languages()[name], deadline_s=30) == ()


def test_nul_bytes_hide_nothing_that_follows() -> None:
    assert lines_of("a.py", "x = 1\n\0\0\ndef f():\n    pass\n")[-1] == ("f", 3, 4)


def test_lone_surrogates_are_read_over() -> None:
    assert ("f", 2, 3) in lines_of("a.py", "s = '\ud800'\ndef f():\n    pass\n")


def test_broken_syntax_gives_what_can_be_recognised() -> None:
    source = (
        "def good():\n    return 1\n\ndef bad(:\n    return\n\ndef also_good():\n    return 2\n"
    )
    names = [name for name, _, _ in lines_of("a.py", source)]
    assert "good" in names
    assert "also_good" in names


def test_two_hundred_levels_of_nesting_are_followed() -> None:
    source = (
        "".join(f"{' ' * level}class C{level}:\n" for level in range(200)) + " " * 200 + "x = 1\n"
    )
    found = lines_of("a.py", source)
    assert len(found) == 201
    assert found[199] == (".".join(f"C{level}" for level in range(200)), 200, 201)


@pytest.mark.parametrize(("path", "source"), [("a.js", "[{a:" * 5000), ("a.py", "(" * 20000)])
def test_endless_brackets_end_in_nothing(path: str, source: str) -> None:
    language = detect(path)
    assert language is not None
    assert symbols(source, language) == ()


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "(" * 200_000),
        ("a.py", "lambda:" * 50_000),
        ("a.js", "`${" * 50_000),
        ("a.js", "-" * 200_000),
        ("a.rs", "#[a]\n" * 2_000 + "fn f() {}\n"),
        ("a.py", "@a\n" * 5_000 + "def f(): ...\n"),
        ("a.ts", "type A = " + "A<" * 20_000),
    ],
)
def test_what_would_keep_a_query_for_minutes_is_given_up(path: str, source: str) -> None:
    language = detect(path)
    assert language is not None
    assert len(symbols(source, language, deadline_s=30)) <= 1


def test_a_doc_comment_belongs_to_what_stands_right_below_it() -> None:
    source = (
        "/** Adds. Really. */\nfunction add() {}\n\n"
        "/** Not\n * this. */\n\nfunction other() {}\n\n"
        "// neither\nfunction third() {}\n\n"
        "/** Seen. */\n// lint: off\nexport const fourth = () => 1;\n"
        "let a = 1; /** of nothing */\nlet b;\n"
    )
    found = symbols(source, languages()["typescript"])
    assert [(one.name, one.start_line, one.doc) for one in found] == [
        ("add", 1, "Adds."),
        ("other", 7, ""),
        ("third", 10, ""),
        ("fourth", 12, "Seen."),
        ("a", 15, ""),
        ("b", 16, ""),
    ]


def test_a_signature_is_one_line_without_decorators_comments_and_body() -> None:
    source = (
        "@first(\n    1,\n)\n@second\nasync def f(\n    a: int,  # why\n"
        '    b: str = "x",\n) -> None:\n    """Does it, and\n    more."""\n'
    )
    (found,) = symbols(source, languages()["python"])
    assert found.signature == 'async def f(a: int, b: str = "x") -> None'
    assert found.doc == "Does it, and more."
    assert (found.start_line, found.line, found.end_line) == (1, 5, 10)


def test_locals_are_no_symbols_and_what_functions_define_is() -> None:
    source = (
        "def f():\n    x = 1\n    if x:\n        y = 2\n    def g(): z = 3\n"
        "    class C:\n        field = 4\nif True:\n    LIMIT = 5\n"
    )
    names = [one.qualified_name for one in symbols(source, languages()["python"])]
    assert names == ["f", "f.g", "f.C", "f.C.field", "LIMIT"]


def test_clauses_of_one_function_are_one_and_of_another_arity_another() -> None:
    source = "size([]) -> 0;\nsize([_ | T]) -> 1 + size(T).\nsize(A, B) -> A + B.\n"
    assert lines_of("a.erl", source) == [("size", 1, 2), ("size", 3, 3)]


def test_a_source_over_a_megabyte_has_no_symbols() -> None:
    language = languages()["python"]
    assert symbols("def f(): ...\n" + "#" * 1_000_000, language) == ()


def test_no_time_is_no_symbols() -> None:
    assert symbols(PYTHON, languages()["python"], deadline_s=-1) == ()


def test_a_long_name_is_cut() -> None:
    (found,) = symbols(f"it({'x' * 500!r}, () => {{}})\n", languages()["javascript"])
    assert len(found.name) == 120


def test_an_import_that_looks_like_a_constant_is_none() -> None:
    assert lines_of("a.js", 'const fs = require("fs");\nconst LIMIT = 1;\n') == [("LIMIT", 2, 2)]
    assert lines_of("a.zig", 'const std = @import("std");\nconst limit = 1;\n') == [("limit", 2, 2)]


def test_attributes_belong_to_what_follows_them() -> None:
    assert lines_of("a.rs", "#[a]\n// why\nfn f() {}\n\n#[b]\n#[c]\nfn g() {}\n") == [
        ("f", 1, 3),
        ("g", 5, 7),
    ]


def test_a_part_of_a_cpp_name_is_a_part_of_the_path() -> None:
    source = (
        "int a::B<std::pair<int, int>>::c() { return 1; }\nbool D::operator<(int x) { return 1; }\n"
    )
    assert [name for name, _, _ in lines_of("a.cc", source)] == ["a.B.c", "D.operator<"]


def test_a_heading_goes_on_to_the_next_of_its_level() -> None:
    source = "# A\n\n## B\n\ntext\n\n### C\n\ntext\n\n## D\n"
    assert lines_of("a.md", source) == [
        ("A", 1, 11),
        ("A > B", 3, 9),
        ("A > B > C", 7, 9),
        ("A > D", 11, 11),
    ]


def test_what_a_file_defines_is_its_top_level() -> None:
    assert defined("a.py", "import os\nLIMIT = 1\n" + PYTHON) == ("LIMIT", "Cart")
    assert defined("A.cs", "namespace Shop { class Cart { void Go() {} } class Item {} }") == (
        "Shop.Cart",
        "Shop.Item",
    )
    assert defined("notes.txt", "anything") == ()
    assert defined("tool", "#!/bin/sh\nbuild() { :; }\n") == ("build",)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(languages())),
    source=st.text(max_size=200) | st.text("(){}[]<>\"'`;:=#@/*\\ \t\r\nabc\0", max_size=400),
)
def test_no_text_is_too_odd(name: str, source: str) -> None:
    count = source.count("\n") + 1
    for symbol in symbols(source, languages()[name]):
        assert 1 <= symbol.start_line <= symbol.end_line <= count
        assert symbol.name


@pytest.mark.parametrize("path", ["cart.h", "cart.c"])
def test_an_include_guard_hides_nothing(path: str) -> None:
    source = "#ifndef CART_H\n#define CART_H\nint total(int a);\nextern int count;\n#endif\n"
    assert lines_of(path, source) == [("CART_H", 2, 2), ("total", 3, 3), ("count", 4, 4)]


F_SHARP = """\
namespace A

[<Fixture>]
type C() =
    [<Test>]
    member x.Run() =
      Go.Now()"""
F_SHARP_CLASS = """\
module A

let inline ends text x = (^a:(member EndsWith:string->bool)x, text)

[<Obsolete "Use another.">]
let old x = x

type Or =
    | First of ('a * 'b) Task
    | Last of int

type No =
    val private info : int option
    inherit Exception
    new (text: string) = {
      inherit Exception(text)
      info = None }
    member private x.Info
        with get() = x.info

let last x = x
"""
ZSH = """\
NAMES=(${${${(@k)TYPES}:|MAIN}:|OTHER})
function show {
  {
    read
  } always {
    stop
  }
  (run) &|
  for key value in ${(kv)table}; do echo $key; done
}
function last {
  [[ $1 =~ '^(a|b)?!: .+$' ]]
}
"""
POWERSHELL = """\
Describe 'all' {
    It 'one' {
        Get-It | Should -Have Name -Alias First, 'Second'
    }
    It 'two' -TestCases @(@{ A = 1 }) {
        param($A) {}
        $A
    }
}
"""
VERILOG = """\
module alu (input a);
  `define _N(n) (16 >> n)
  assign b[2*`_N(s)*(q+1)-1 : `_N(s)*(q)] = {{`_N(s){1'b0}},{`_N(s){1'b1}}};
endmodule
class config_of;
  function new();
    processor #(kind_t)::get_values("+a=",
        1'b1, values);
  endfunction
  function void last();
  endfunction
endclass
"""
SCALA = """\
object A {
  def all = a // first
    && b.forall(rt => rt) // second
    || c
  def last = 1
}
"""


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.fs", F_SHARP, "A A.C A.C.Run"),
        (
            "b.fs",
            F_SHARP_CLASS,
            "A A.ends A.old A.Or A.Or.First A.Or.Last A.No A.No.info A.No.new A.No.Info A.last",
        ),
        ("a.R", ".hidden <- function(x) x\nprint.cart <- function(x) x", ".hidden print.cart"),
        ("a.zsh", ZSH, "NAMES show last"),
        ("a.ps1", POWERSHELL, "all all>one all>two"),
        ("a.sv", VERILOG, "alu alu.a alu._N config_of config_of.new config_of.last"),
        ("a.scala", SCALA, "A A.all A.last"),
    ],
    ids=[
        "no last newline",
        "classes",
        "dots",
        "Zsh",
        "lists",
        "macros and static calls",
        "lines that go on",
    ],
)
def test_what_a_grammar_stumbles_over_hides_nothing(path: str, source: str, expected: str) -> None:
    """In files as they were found in the open."""
    found = [name.replace(" ", "") for name, _, _ in lines_of(path, source)]
    assert found == expected.split()
    assert not outline_of(source, path).problems


def test_a_dot_in_a_name_of_r_is_a_part_of_it() -> None:
    """The plain name has it too."""
    language = detect("a.R")
    assert language is not None
    names = [
        one.name
        for one in symbols("print.cart <- function(x) x\nshop$open <- function(x) x\n", language)
    ]
    assert names == ["print.cart", "open"]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.c", "typedef struct { int a; } T, *P;\n", ["T", "P", "T.a"]),
        ("a.c", "typedef struct { int a; } T1, T2;\n", ["T1", "T2", "T1.a"]),
        ("a.c", "typedef enum { RED } color, *color_p;\n", ["color", "color_p", "color.RED"]),
        ("a.js", "const foo = exports.foo = function () {};\n", ["foo"]),
        ("a.js", "function F() { var getX = this.getX = function () {}; }\n", ["F", "F.getX"]),
        (
            "a.tsx",
            "const X = forwardRef(function X(a, b) {\n  function h() {}\n});\n",
            ["X", "X.h"],
        ),
        ("a.js", "export const M = memo(memo2(function M() { return 1 }));\n", ["M"]),
        ("a.js", "const M = wrap(function N() {\n  return 1\n});\n", ["M", "M.N"]),
    ],
)
def test_what_has_two_names_is_no_two_things(path: str, text: str, expected: list[str]) -> None:
    """Its members are the first one's; one name told twice is one symbol."""
    assert [one.qualified_name for one in outline_of(text, path).symbols] == expected


@pytest.mark.parametrize(
    "half", ["if x", "for i in", "x.", "lambda", "def q", "a = b if", "import "]
)
def test_what_is_half_typed_in_a_body_is_no_part_of_the_head(half: str) -> None:
    """The head ends at its colon, though the parser sees no body."""
    head = "def top(a, b={1: 2},\n        c=3):  # why\n"
    text = f"{head}    {half}\n    return a\n\n\ndef end():\n    pass\n"
    found = {one.name: one.signature for one in outline_of(text, "a.py").symbols}
    assert found["top"] == "def top(a, b={1: 2}, c=3)"
    assert found["end"] == "def end()"
