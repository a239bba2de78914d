"""Lines that somebody seems to be writing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from backstory.codenav.edits import edited
from backstory.codenav.halves import Halves
from backstory.codenav.lexis import lexis_of
from backstory.codenav.pages import Page


def _without(
    text: str, language: str, region: tuple[int, int], mended: Sequence[int] = ()
) -> list[str]:
    lexis = lexis_of(language)
    assert lexis is not None
    code = text.encode()
    edits = Halves(mended, only_likely=False).edits(Page(code, lexis), [region])
    return edited(code, edits).decode().split("\n")


@pytest.mark.parametrize(
    ("language", "half"),
    [
        ("csharp", "foo."),
        ("csharp", "List<int"),
        ("csharp", "switch (a)"),
        ("csharp", "var x = new"),
        ("typescript", "x ??"),
        ("typescript", "h = () =>"),
        ("typescript", "private x:"),
        ("swift", "if a =="),
        ("swift", "guard let"),
        ("rust", "for i in"),
        ("go", "for i :="),
        ("rust", "x = &"),
        ("ruby", "x ?"),
        ("java", "throw new"),
        ("java", "@"),
        ("cpp", "case 1"),
    ],
)
def test_a_line_that_leads_on_to_nothing_is_taken_out(language: str, half: str) -> None:
    assert _without(f"a()\n{half}\nb()\nc()\n", language, (3, 3)) == ["a()", "", "b()", "c()", ""]


@pytest.mark.parametrize(
    ("language", "whole"),
    [
        ("kotlin", "if (a) return"),
        ("kotlin", "val a = b"),
        ("kotlin", "throw A()"),
        ("ruby", "return a if b?"),
        ("ruby", "when A then b"),
        ("swift", "case a"),
        ("swift", "let a = b"),
        ("typescript", "await a()"),
        ("java", "@Override"),
        ("python", "import os"),
        ("python", "x = (\n    a\n    if b\n    else c\n)"),
        ("java", "return a &&\n  b &&\n  c();"),
    ],
)
def test_a_line_that_is_whole_stays(language: str, whole: str) -> None:
    """However much of the text cannot be read."""
    text = f"a();\n{whole}\nb();\nc();\n"
    assert "\n".join(_without(text, language, (1, 20))) == text


def test_a_line_that_was_mended_goes_before_what_cannot_be_read() -> None:
    text = "a()\nif ()\nreturn 1;\n"
    assert _without(text, "java", (3, 3), mended=[2]) == ["a()", "", "return 1;", ""]


def test_what_a_line_opens_stays() -> None:
    text = "x y {\n  a();\n}\n"
    assert _without(text, "java", (1, 1)) == ["{", "  a();", "}", ""]
    assert _without("if a b:\n    c()\n", "python", (1, 1)) == ["if 1:", "    c()", ""]


def test_what_defines_something_is_not_taken_out() -> None:
    text = "class A b {\n}\n"
    assert "\n".join(_without(text, "java", (1, 1))) == text


def test_what_leads_on_to_the_end_of_a_block_is_taken_out() -> None:
    assert _without("def f\n  x =\nend\n", "ruby", (1, 9)) == ["def f", "  ", "end", ""]
    assert _without("f() {\n  const y =\n}\n", "typescript", (1, 9)) == ["f() {", "  ", "}", ""]


def test_where_all_cannot_be_read_what_was_mended_stays_at_first() -> None:
    """It may be one line that nothing was done to."""
    text = "a()\nb()\nx =\nc()\nd()\ne()\n"
    assert _without(text, "ruby", (1, 9), mended=[2]) == text.replace("x =", "").split("\n")
    assert _without(text.replace("x =", "y"), "ruby", (1, 9), mended=[2])[1] == ""


def test_a_word_is_no_statement_where_each_ends_with_a_mark() -> None:
    text = "class A {\n  std::stri\n};\n"
    assert _without(text, "cpp", (2, 2))[1].strip() == ""
    assert "\n".join(_without(text, "cpp", (1, 9))) == text
    assert _without("f {\n  a.b\n}\n", "kotlin", (1, 1))[1] == "  a.b"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("php", "$a = $this->b()\nif ($a) {\n}\n", "$a = $this->b();"),
        ("csharp", "var a = b[1]\nc();\n", "var a = b[1];"),
        ("java", "f() {\n  return a\n}\n", "f() {"),
    ],
)
def test_a_statement_without_its_last_mark_gets_it(language: str, text: str, expected: str) -> None:
    lines = _without(text, language, (1, 9))
    assert lines[0] == expected
    assert ";" in lines[0] + lines[1]


@pytest.mark.parametrize("whole", ["[Fact]", "@Test(a)", "class A", "if (a)", "#define a"])
def test_what_needs_no_last_mark_gets_none(whole: str) -> None:
    assert _without(f"{whole}\nb();\n", "csharp", (1, 9))[0] in (whole, "")


def test_a_half_typed_line_is_looked_for_far_above_what_cannot_be_read() -> None:
    text = "x = new\n" + "a();\n" * 12 + "}}\n"
    assert _without(text, "java", (14, 14))[0] == ""


def test_what_goes_on_in_a_bracket_of_the_next_line_stays() -> None:
    text = "x =\n[\n  1,\n];\n"
    assert "\n".join(_without(text, "csharp", (1, 9))) == text
