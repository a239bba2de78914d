"""Names as compilers, debuggers and stack traces print them find the symbol that they mean."""

from __future__ import annotations

import pytest

from backstory.codenav import names, spellings
from backstory.codenav.outline import outline_of

GO = (
    "package main\n\ntype T struct{}\n\nfunc (t *T) M() {}\n\ntype Gen[K any, V any] struct{}\n\n"
    "func (g *Gen[K, V]) Do() {}\n\nfunc Map() {}\n"
)
CSHARP = (
    "namespace N {\nclass C<T> {\n  public void M<U>() {}\n"
    "  public static C<T> operator +(C<T> a, C<T> b) => a;\n}\n}\n"
)
RUST = (
    "use std::fmt;\nstruct S;\nimpl S { fn m(&self) {} }\n"
    "impl fmt::Display for S { fn fmt(&self) {} }\n"
    "mod inner { mod deep { struct X; } }\nmacro_rules! mac { () => {} }\n"
)
CPP = (
    "template<class T,int N> struct Foo {\n  void operator()(int a) {}\n  void m(int a){}\n"
    "  void m(String s){}\n  void m(int a, String s){}\n};\n"
)
JS = "function Foo(){}\nFoo.prototype.bar = function(){}\nexports.f = () => 1\n"
PYTHON = "class Cart:\n    def total(self): return 1\ndef g():\n    def inner(): pass\n"
JAVA = (
    "package a.b;\nclass A {\n  void m(){}\n  void m(String s){}\n  void m(int a, String b){}\n}\n"
)
PHP = "<?php\nclass P { function hook(){} }\n"
CASES = [
    *(("a.go", GO, one, [5]) for one in ("func (t *T) M", "(t *T) M", "(*T).M", "main.(*T).M")),
    ("a.go", GO, "main.Map", [11]),
    ("a.go", GO, "Gen[K,V].Do", [9]),
    ("a.go", GO, "(*Gen[K,V]).Do", [9]),
    ("a.cs", CSHARP, "C<T>.M<U>", [3]),
    ("a.cs", CSHARP, "operator+", [4]),
    ("a.rs", RUST, "S::<T>::m", [3]),
    ("a.rs", RUST, "<S as Display>::fmt", [4]),
    ("a.rs", RUST, "<S as fmt::Display>::fmt", [4]),
    ("a.rs", RUST, "impl fmt::Display for S", [4]),
    ("a.rs", RUST, "impl S", [3]),
    ("a.rs", RUST, "S", [2, 3, 4]),
    ("a.rs", RUST, "crate::inner::deep::X", [5]),
    ("a.rs", RUST, "mac!", [6]),
    ("a.cpp", CPP, "Foo<T,N>::m(String)", [4]),
    ("a.cpp", CPP, "Foo::m(int, String)", [5]),
    ("a.cpp", CPP, "Foo::m()", [3, 4, 5]),
    ("a.cpp", CPP, "Foo::operator()", [2]),
    ("a.js", JS, "Foo.prototype.bar", [2]),
    ("a.js", JS, "exports.f", [3]),
    ("a.py", PYTHON, "g.<locals>.inner", [4]),
    ("A.java", JAVA, "a.b.A.m(String)", [4]),
    ("A.java", JAVA, "a.b.A", [2]),
    ("a.php", PHP, "$this->hook", [2]),
]


@pytest.mark.parametrize(("path", "text", "asked", "lines"), CASES)
def test_what_a_name_means(path: str, text: str, asked: str, lines: list[int]) -> None:
    """By the lines that it starts in."""
    outline = outline_of(text, path)
    found = names.resolve(asked, outline.symbols, "a")
    assert [outline.symbols[at].start_line for at in found.chosen] == lines


@pytest.mark.parametrize(
    ("path", "text", "asked"),
    [
        ("a.py", PYTHON, "Order.total"),
        ("a.go", GO, "Other.M"),
        ("a.rs", RUST, "Q::<T>::m"),
        ("a.rs", RUST, "impl Clone for S"),
        ("A.java", JAVA, "a.b.B.m"),
        ("a.cpp", CPP, "Bar<T>::m"),
    ],
)
def test_another_types_name_is_no_guess(path: str, text: str, asked: str) -> None:
    """What is dropped is never what tells one symbol from another."""
    outline = outline_of(text, path)
    assert names.resolve(asked, outline.symbols, "a").chosen == ()


@pytest.mark.parametrize(
    "text", ["", "<", ">", "<<>>", "a<b", "(((", "[" * 5_000, "a::" * 5_000, "operator", "\0", "!"]
)
def test_any_text_ends_well(text: str) -> None:
    """And soon."""
    for other in spellings.others(text):
        assert other != text
    assert names.resolve(text, outline_of(PYTHON, "a.py").symbols, "a").chosen == ()
