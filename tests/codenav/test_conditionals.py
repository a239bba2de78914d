"""What is left of a source when its conditional lines are painted over."""

from __future__ import annotations

import pytest

from backstory.codenav.conditionals import flattened
from backstory.codenav.languages import languages
from backstory.codenav.outline import outline_of
from backstory.codenav.symbols import read, symbols
from tests.codenav.regenerate import sample


def lines(source: str) -> list[str]:
    """The flattened lines of a source, without white space at their ends."""
    return [line.rstrip() for line in flattened(source.encode()).decode().split("\n")]


def test_a_condition_around_whole_statements_leaves_all_of_them() -> None:
    source = "#if A\nint a;\n#elif B\nint b;\n#else\nint c;\n#endif\n"
    assert lines(source) == ["", "int a;", "", "int b;", "", "int c;", "", ""]


def test_of_branches_that_open_a_block_twice_the_first_is_read() -> None:
    source = "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n  return 1;\n}\n"
    assert lines(source) == ["", "int f(int a) {", "", "", "", "  return 1;", "}", ""]


def test_of_branches_that_are_parts_of_an_expression_the_first_is_read() -> None:
    source = "int a = 1 +\n#if A\n  2\n#else\n  3\n#endif\n  + 4;\n"
    assert lines(source) == ["int a = 1 +", "", "  2", "", "", "", "  + 4;", ""]


def test_what_stands_under_if_0_is_not_read() -> None:
    source = "#if 0\nint never;\n#else\nint always;\n#endif\n"
    assert lines(source) == ["", "", "", "int always;", "", ""]


def test_conditions_lie_in_each_other() -> None:
    source = "#if A\n#if 0\n{\n#endif\nint a;\n#else\nint b;\n#endif\n"
    assert lines(source) == ["", "", "", "", "int a;", "", "int b;", "", ""]


def test_a_condition_goes_on_in_the_next_line_after_a_backslash() -> None:
    assert lines("#if A && \\\n    B\nint a;\n#endif\n") == ["", "", "int a;", "", ""]


def test_conditions_in_comments_and_strings_are_none() -> None:
    source = '/*\n#if 0\n*/\nint a;\nchar *b = "\\\n#endif";\n'
    assert flattened(source.encode()) == source.encode()


def test_a_quote_in_a_number_begins_nothing() -> None:
    source = "int a = 1'000; /*\n#if 0\n*/\nint b;\n"
    assert flattened(source.encode()) == source.encode()


def test_other_directives_stay_where_a_statement_can_stand() -> None:
    source = "#include <a.h>\nstruct a {\n#define B 1\n  int b;\n};\n"
    assert flattened(source.encode()) == source.encode()


def test_no_directive_stays_in_a_list() -> None:
    source = "enum a {\n  B,\n#define C B\n  D\n};\nint e[] = {\n#undef C\n  1\n};\n#define F\n"
    assert lines(source) == [
        *("enum a {", "  B,", "", "  D", "};"),
        *("int e[] = {", "", "  1", "};", "#define F", ""),
    ]


@pytest.mark.parametrize("source", ["#endif\n", "#else\nint a;\n", "#if A\nint a;\n", "#", "#if"])
def test_conditions_without_an_end_or_a_beginning_harm_nothing(source: str) -> None:
    flat = flattened(source.encode())
    assert len(flat) == len(source)
    assert flat.count(b"\n") == source.count("\n")


@pytest.mark.parametrize("name", ["c", "cpp", "csharp", "objc"])
def test_the_samples_are_read_without_a_problem(name: str) -> None:
    language = languages()[name]
    found = read(sample(name).read_text(encoding="utf-8"), language, float("inf"))
    assert found is not None
    assert found.problems == ()


def test_a_macro_before_a_class_hides_neither_it_nor_its_documentation() -> None:
    source = "/// Slices.\nclass LIB_EXPORT Slice {\n public:\n  int size() const;\n};\n"
    (slice_, size) = symbols(source, languages()["cpp"])
    assert (slice_.kind, slice_.start_line, slice_.end_line) == ("class", 1, 5)
    assert (slice_.signature, slice_.doc) == ("class LIB_EXPORT Slice", "Slices.")
    assert size.qualified_name == "Slice.size"


def test_a_macro_before_a_declaration_is_a_part_of_it() -> None:
    source = "/** Adds. */\nLIB_API int add(int a,\n                int b);\n"
    (add,) = symbols(source, languages()["c"])
    assert (add.name, add.start_line, add.end_line) == ("add", 1, 3)
    assert add.signature == "LIB_API int add(int a, int b)"


def test_a_comment_does_not_end_a_directive() -> None:
    code = (
        b"#ifdef A\nint a;\n#else /* not A */\n"
        b"#define F(x) do { /* x */; } while (0)\nint b;\n#endif\n"
    )
    painted = flattened(code)
    assert b"int a;" in painted
    assert b"int b;" in painted
    assert b"not A" not in painted


def test_a_comment_that_never_ends_does_not_end_a_directive_either() -> None:
    code = b"#define A /*\n" * 20_000
    assert flattened(code) == code


def test_what_one_condition_opens_the_same_one_closes() -> None:
    code = (
        b"void f() {\n#ifdef A\n  g();\n#else\n  if (x) {\n#endif\n  h();\n"
        b"#ifndef A\n  }\n#endif\n}\n#ifndef B\nif (y) {\n#endif\n#ifndef B\n}\n#endif\n"
    )
    painted = flattened(code)
    assert b"if (x)" not in painted
    assert b"if (y)" in painted
    assert painted.count(b"{") == painted.count(b"}") == 2


def test_a_comment_in_a_macro_does_not_end_it() -> None:
    code = b"#define F(x) do { \\\n /* a \\\n b */ x; \\\n} while (/* c */ 0)\n"
    code += b"#if 0 /* d */\nint a;\n#endif\n"
    painted = flattened(code)
    assert painted.count(b"\\\n") == 3
    assert b"/*" not in painted
    assert b"int a" not in painted
    (found,) = outline_of(code.decode(), "a.c").symbols
    assert (found.kind, found.name, found.end_line) == ("macro", "F", 4)


def test_a_body_under_a_condition_needs_no_end_of_the_other_branch() -> None:
    """C#: a member of an interface that has a body in some builds only."""
    text = (
        "interface I\n{\n    I A(int e)\n#if F\n        => this\n#endif\n    ;\n"
        "    I B(int e)\n#if F\n    {\n        return this;\n    }\n#else\n    ;\n#endif\n"
        "    I C(int e)\n#if F\n    {\n        return 1;\n    }\n#else\n    ;\n#endif\n"
        "    void W(int x);\n}\n"
    )
    found = outline_of(text, "i.cs")
    names = [(one.qualified_name, one.start_line) for one in found.symbols]
    assert names == [("I", 1), ("I.A", 3), ("I.B", 8), ("I.C", 16), ("I.W", 24)]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("between", "hidden"),
    [
        ("int f() {\n}\n", False),
        ("int f() {\n  return 1;\n}\nenum E {\n", True),
        ("int f() {\n}\nint a[] = {\n", True),
        ("int a[] =\n", False),
        ("int a[] = {\n  1 };\nint b[] = { { 2 }, {\n", True),
        ("enum E {\n  A };\nvoid f(enum E e) {\n", False),
        ("/* enum E {\n}\nint a[] = {\n*/\n", False),
        ("/* don't\n}\n*/ enum E {\n", True),
        ("// enum E {\n", False),
        ('char a[] = "enum {";\nchar b[] = "= {";\n', False),
        ("namespace a {\n  enum E {\n    A\n  };\n  int b;\n", False),
        ("class A {\n  int a = 1; /* = { */ enum { B,\n", True),
    ],
)
def test_what_stands_between_two_lines_is_only_read_for_what_it_opens(
    between: str, hidden: bool
) -> None:
    """Where things are listed no line with a # can stand, wherever the list was opened."""
    for before in ("", "#define A\n", "#if A\nint z;\n#endif\n", "/*\n#if B\n}\n*/\n#define C\n"):
        source = before + between + "#define X 1\n1, 2\n"
        assert ("#define X 1" not in lines(source)) == hidden
    inner = f"/*\n{between.replace('*/', '')}*/\n#define X 1\n"
    assert "#define X 1" in lines(inner)


def test_a_source_without_conditional_lines_is_handed_on_as_it_is() -> None:
    code = b"#include <a.h>\n#define B 1\nint f() {\n  return B;\n}\n#undef B\n"
    assert flattened(code) is code
