"""The names in declarations of C, C++ and Objective-C."""

from __future__ import annotations

import pytest

from backstory.codenav.names import resolve
from backstory.codenav.outline import outline_of


def _symbols(source: str, path: str) -> list[tuple[str, str]]:
    return [(one.kind, one.qualified_name) for one in outline_of(source, path).symbols]


@pytest.mark.parametrize(
    ("source", "kind", "name"),
    [
        ("int *const *(*table[3][4])(void);", "variable", "table"),
        ("void (*signal(int sig, void (*handler)(int)))(int);", "function", "signal"),
        ("int *****deep(void) { return 0; }", "function", "deep"),
        ("int (*(*(*far)(void))[2])(int);", "variable", "far"),
        ("typedef unsigned char uint8_t;", "type", "uint8_t"),
        ("typedef int (*(*maker)(int))(void);", "type", "maker"),
        ("int (guarded)(void);", "function", "guarded"),
    ],
)
def test_a_name_is_found_however_deep_its_type_is_wound(source: str, kind: str, name: str) -> None:
    """K2"""
    assert _symbols(source, "a.c") == [(kind, name)]


def test_what_looks_like_a_function_of_a_keyword_is_none() -> None:
    source = "struct A {\n  for (int i = 0; i < 3; i++) { g(i); }\n  if (x) { y(); }\n};\n"
    names = {name for _, name in _symbols(source, "a.cpp")}
    assert not names & {"A.for", "A.if"}


def test_only_a_function_with_the_name_of_its_class_makes_it() -> None:
    source = "class A {\n  A();\n  MOCK_METHOD1(Bar, int(int n));\n  A(int a) {}\n};\n"
    assert _symbols(source, "a.cpp")[1:] == [
        ("constructor", "A.A"),
        ("method", "A.MOCK_METHOD1"),
        ("constructor", "A.A"),
    ]


SELECTORS = """@implementation Store
- (void)setName:(NSString *)name forKey:(id)key { }
- (void)setName:(NSString *)name { }
- (void)clear { }
- (void)add:(id)one to:(id)other { }
@end
"""


def test_a_selector_is_a_name_with_all_its_words() -> None:
    assert _symbols(SELECTORS, "a.m") == [
        ("impl", "Store"),
        ("method", "Store.setName:forKey:"),
        ("method", "Store.setName:"),
        ("method", "Store.clear"),
        ("method", "Store.add:to:"),
    ]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("setName:forKey:", [2]),
        ("Store.setName:forKey:", [2]),
        ("Store.setName:", [3]),
        ("-[Store setName:forKey:]", [2]),
        ("setName", []),
        ("Store.setName", [3]),
        ("Store.add", [5]),
        ("clear", [4]),
    ],
)
def test_a_selector_is_found_whole_and_by_its_first_word(name: str, lines: list[int]) -> None:
    outline = outline_of(SELECTORS, "a.m")
    found = resolve(name, outline.symbols)
    assert [outline.symbols[at].start_line for at in found.chosen] == lines
    if not lines:
        assert [outline.symbols[at].start_line for at in found.candidates] == [2, 3]


def test_a_property_is_none_of_what_stands_in_a_block() -> None:
    source = (
        "let (a, b) = f()\n"
        "class A {\n"
        "  var x = 1, y = 2\n"
        "  let w: Int = { let inner = 1; return inner }()\n"
        "  var z: Int { let hidden = 1; return hidden }\n"
        "  var v = 1 { didSet { let old = 1 } }\n"
        "}\n"
        "if true { let local = 1 }\n"
    )
    assert _symbols(source, "a.swift") == [
        ("constant", "a"),
        ("constant", "b"),
        ("class", "A"),
        ("field", "A.x"),
        ("field", "A.y"),
        ("field", "A.w"),
        ("property", "A.z"),
        ("field", "A.v"),
    ]


def test_names_and_bodies_are_children_where_nothing_has_a_field() -> None:
    source = (
        "mixin template Both(T) { template Inner(U) { U u; } }\n"
        "enum one = 1, two = 2;\n"
        "alias int Number;\n"
        "alias Text = string, Bytes = ubyte[];\n"
        "int a0, a1;\n"
        "auto twice = (int x) { return 2 * x; };\n"
        "struct S { this(int a) { } ~this() { } alias a this; }\n"
    )
    assert _symbols(source, "a.d") == [
        ("macro", "Both"),
        ("macro", "Both.Inner"),
        ("constant", "one"),
        ("constant", "two"),
        ("type", "Number"),
        ("type", "Text"),
        ("type", "Bytes"),
        ("variable", "a0"),
        ("variable", "a1"),
        ("function", "twice"),
        ("struct", "S"),
        ("constructor", "S.this"),
        ("method", "S.destructor"),
    ]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("operator bool() const;", "A.operator bool"),
        ("operator const char*() const noexcept { return 0; }", "A.operator const char*"),
        ("operator const T&() const;", "A.operator const T&"),
        ("explicit operator fmt::string_view() const;", "A.operator fmt::string_view"),
        ("operator Action<R(Args...)>() && { return 1; }", "A.operator Action<R(Args...)>"),
        (
            "operator Match<const ::b::tuple<T,\n  U>&>();",
            "A.operator Match<const ::b::tuple<T, U>&>",
        ),
        ("LIB_INLINE operator R() { return 1; }", "A.operator R"),
    ],
)
def test_an_operator_that_makes_another_type_is_called_by_all_of_that_type(
    source: str, name: str
) -> None:
    """K2: `operator T` and `operator const T&` are two."""
    outline = outline_of(f"struct A {{\n  {source}\n}};\n", "a.cpp")
    assert [one.qualified_name for one in outline.symbols] == ["A", name]
    assert resolve(name, outline.symbols).chosen == (1,)
    assert resolve(name.replace("A.", "A::", 1), outline.symbols).chosen == (1,)


def test_an_operator_outside_of_its_class_belongs_to_it() -> None:
    source = (
        "A::operator const char*() const { return 0; }\n"
        "template <class T> b::A<T>::operator std::vector<T>() const { return 0; }\n"
        "bool b::A::operator!=(const A& c) const { return 1; }\n"
    )
    assert [name for _, name in _symbols(source, "a.cpp")] == [
        "A.operator const char*",
        "b.A.operator std::vector<T>",
        "b.A.operator!=",
    ]


@pytest.mark.parametrize(
    ("path", "source", "name"),
    [
        ("a.swift", "class A {\n  @inlinable\n  init() { }\n}\n", "A.init"),
        ("a.swift", "class A {\n  @inlinable\n  deinit { }\n}\n", "A.deinit"),
        ("a.swift", "class A {\n  @x\n  subscript(i: Int) -> Int { 1 }\n}\n", "A.subscript"),
        ("a.kt", "class A {\n  @B\n  constructor(a: Int) { c() }\n}\n", "A.constructor"),
        ("a.cs", "class A {\n  [B]\n  public int this[int i] => 1;\n}\n", "A.this"),
    ],
)
def test_what_is_called_by_a_keyword_stands_where_that_is(
    path: str, source: str, name: str
) -> None:
    """K2: an attribute above it is another line."""
    found = [one for one in outline_of(source, path).symbols if one.qualified_name == name]
    assert [(one.start_line, one.line) for one in found] == [(2, 3)]


@pytest.mark.parametrize(
    ("type_", "name"),
    [
        ("A", "A"),
        ("u8", "u8"),
        ("a::b::A", "A"),
        ("A<T>", "A"),
        ("a::A<T>", "A"),
        ("&A", "A"),
        ("&'a mut a::A<T>", "A"),
        ("&[T]", "[T]"),
        ("&dyn B", "dyn B"),
        ("[T; 3]", "[T; 3]"),
        ("(A, B)", "(A, B)"),
        ("*const T", "*const T"),
        ("()", "()"),
        ("!", "!"),
    ],
)
def test_what_is_implemented_is_called_after_its_type(type_: str, name: str) -> None:
    source = f"impl<T> Show for {type_} {{\n    fn show(&self) {{}}\n}}\n"
    assert _symbols(source, "a.rs") == [("impl", name), ("method", f"{name}.show")]


def test_a_template_begins_what_it_is_of() -> None:
    source = (
        "template <class T>\nclass A {\n  template <class U>\n  void b(U u) { }\n};\n"
        "template <class T>\ntemplate <class U>\nvoid c();\ntemplate <class T>\nusing D = A<T>;\n"
    )
    found = outline_of(source, "a.cpp").symbols
    assert [(one.qualified_name, one.start_line, one.end_line) for one in found] == [
        ("A", 1, 5),
        ("A.b", 3, 4),
        ("c", 6, 8),
        ("D", 9, 10),
    ]


def test_what_is_declared_line_by_line_has_but_its_own_lines() -> None:
    source = (
        "struct r {\n  /* bits */\n  unsigned int a:1, /* one */\n    b:1, x,\n    c:1;\n"
        "  int d, e;\n};\nstatic int f,\n  *g = 0,\n  h[2] = {\n    1,\n  };\nint\n  l, m,\n  n;\n"
        "int alone =\n  3;\n"
    )
    found = outline_of(source, "a.c").symbols
    assert [(one.qualified_name, one.start_line, one.end_line) for one in found] == [
        *(("r", 1, 7), ("r.a", 2, 3), ("r.b", 4, 4), ("r.x", 4, 4), ("r.c", 5, 5)),
        *(("r.d", 6, 6), ("r.e", 6, 6), ("f", 8, 8), ("g", 9, 9), ("h", 10, 12)),
        *(("l", 13, 14), ("m", 13, 14), ("n", 15, 15), ("alone", 16, 17)),
    ]
    assert [one.signature for one in found][1:4] == ["unsigned int a:1", "b:1", "x"]
