"""Files in languages that have a grammar and no query."""

from __future__ import annotations

import math
import time
from typing import get_args

import pytest
import tree_sitter_language_pack

from backstory.codenav import generic
from backstory.codenav.generic import generic_outline, grammar_of
from backstory.codenav.languages import languages

SAMPLES = {
    "a.f90": (
        """module shapes
  integer, parameter :: n = 3
  type :: circle
    real :: r
  end type circle
contains
  function area(a, &
      b) result(c)
    real :: a
  end function area
end module shapes
""",
        [
            "1-11 module shapes | module shapes",
            "2-2 variable shapes.n | integer, parameter :: n = 3",
            "3-5 type shapes.circle | type :: circle",
            "4-4 variable shapes.circle.r | real :: r",
            "7-10 function shapes.area | function area(a, & b) result(c)",
        ],
    ),
    "a.adb": (
        """package body Shop is
   function Total (X : Integer) return Integer is
   begin
      return X;
   end Total;
end Shop;
""",
        [
            "1-6 module Shop | package body Shop is",
            "2-5 function Shop.Total | function Total (X : Integer) return Integer is",
        ],
    ),
    "a.gd": (
        """const MAX = 3
var hp = 10
func _ready():
	var local = 1
class Inner:
	func f(): pass
""",
        [
            "1-1 constant MAX | const MAX = 3",
            "2-2 variable hp | var hp = 10",
            "3-4 function _ready | func _ready()",
            "5-6 class Inner | class Inner",
            "6-6 method Inner.f | func f()",
        ],
    ),
    "a.el": (
        """(defun add (a b)
  (+ a b))
(defvar limit 3)
(defmacro when-x (c) c)
""",
        [
            "1-2 function add | (defun add (a b) (+ a b))",
            "3-3 variable limit | (defvar limit 3)",
            "4-4 macro when-x | (defmacro when-x (c) c)",
        ],
    ),
    "a.scm": (
        """(define (square x) (* x x))
(define pi 3.14)
""",
        [
            "1-1 function square | (define (square x) (* x x))",
            "2-2 variable pi | (define pi 3.14)",
        ],
    ),
    "a.pas": (
        """unit Shop;
interface
type
  TCart = class
    procedure Add(X: Integer);
  end;
implementation
procedure TCart.Add(X: Integer);
begin
end;
end.
""",
        [
            "4-6 type TCart | TCart = class",
            "5-5 function TCart.Add | procedure Add(X: Integer)",
            "8-10 function TCart.Add | procedure TCart.Add(X: Integer)",
        ],
    ),
    "a.thrift": (
        """struct Item { 1: string name }
service Shop { Item get(1: string id) }
""",
        [
            "1-1 struct Item | struct Item { 1: string name }",
            "2-2 interface Shop | service Shop { Item get(1: string id) }",
            "2-2 method Shop.get | Item get(1: string id)",
        ],
    ),
}


@pytest.mark.parametrize("path", SAMPLES)
def test_what_looks_like_a_definition_is_found(path: str) -> None:
    text, expected = SAMPLES[path]
    found = generic_outline(text, grammar_of(path), math.inf)
    assert found is not None
    assert [
        f"{one.start_line}-{one.end_line} {one.kind} {one.qualified_name} | {one.signature}"
        for one in found.symbols
    ] == expected
    assert not found.problems


@pytest.mark.parametrize(
    ("path", "head", "grammar"),
    [
        ("src/A.F90", "", "fortran"),
        ("go.mod", "", "gomod"),
        ("drivers/Kconfig", "", "kconfig"),
        ("Kconfig.debug", "", "kconfig"),
        ("run", "#!/usr/bin/env fish\n", "fish"),
        ("BUILD.bazel", "", "starlark"),
        ("notes.txt", "", ""),
        ("", "", ""),
    ],
)
def test_a_grammar_is_found_by_name_and_by_interpreter(path: str, head: str, grammar: str) -> None:
    assert grammar_of(path, head) == grammar


def test_every_grammar_of_the_table_is_installed_and_has_no_query_of_ours() -> None:
    by_extension, by_filename, by_shebang = generic._table()
    ours = languages().values()
    assert not by_extension.keys() & {ending for one in ours for ending in one.extensions}
    assert not by_filename.keys() & {name for one in ours for name in one.filenames}
    assert not by_shebang.keys() & {program for one in ours for program in one.shebangs}
    for table in (by_extension, by_filename, by_shebang):
        for name in table.values():
            assert name in get_args(tree_sitter_language_pack.SupportedLanguage)


def test_syntax_that_cannot_be_read_is_told() -> None:
    found = generic_outline("module a\nend module a\n)))) 1 = =\n", "fortran", math.inf)
    assert found is not None
    assert [one.name for one in found.symbols] == ["a"]
    assert found.problems == ((3, 3),)


def test_nothing_is_given_when_the_time_is_over_or_the_grammar_is_missing() -> None:
    assert generic_outline("module a\n" * 1000, "fortran", time.monotonic() - 1) is None
    assert generic_outline("x", "klingon", math.inf) is None


def test_deep_nesting_is_walked_without_recursion() -> None:
    text = "(" * 3000 + "define x 1" + ")" * 3000
    found = generic_outline(text, "scheme", math.inf)
    assert found is not None
