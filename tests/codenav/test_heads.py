"""The head of a definition, and the first sentence of what is said of it."""

from __future__ import annotations

import pytest

from backstory.codenav.outline import outline_of


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.ex", "defmodule M do\n  def f(x) when x > 0, do: x\nend\n", "def f(x) when x > 0"),
        ("a.ex", "defmodule M do\n  defmacro m(do: x), do: x\nend\n", "defmacro m(do: x)"),
        ("a.ex", "defmodule M do\n  defp g(x),\n    do: x\nend\n", "defp g(x)"),
        ("a.ex", "defmodule M do\n  def h(x, do: y) do\n    x\n  end\nend\n", "def h(x, do: y)"),
        ("a.lua", "M = {\n  f = function(a) end\n}\n", "f = function(a)"),
        ("a.lua", "local a = 1\nlocal function c() end\n", "local function c()"),
        ("a.rb", "class A\n  def sm; end\nend\n", "def sm"),
        ("a.rb", "module M\n  class B < A; end\nend\n", "class B < A"),
        ("a.kt", "class A {\n  init { println(1) }\n}\n", "init"),
        (
            "a.kt",
            "class A {\n  constructor(b: Int) : this() { }\n}\n",
            "constructor(b: Int) : this()",
        ),
        ("a.cpp", "namespace a {\nvoid f1(int b) {};\n}\n", "void f1(int b)"),
        ("a.scala", "object A {\n  given o: Ord[C] with { def c = 1 }\n}\n", "given o: Ord[C]"),
        ("a.scala", "object A {\n  given o: Ord[C] with\n    def c = 1\n}\n", "given o: Ord[C]"),
        ("a.c", "int a;\n#if A\nint f(int a)\n#else\nint f(void)\n#endif\n{\n}\n", "int f(int a)"),
        (
            "a.cs",
            "class A {\n#if B\n  int F()\n#else\n  void F()\n#endif\n  {\n  }\n}\n",
            "int F()",
        ),
    ],
)
def test_a_body_on_the_line_of_its_head_is_no_part_of_the_signature(
    path: str, text: str, expected: str
) -> None:
    """Nor are the other heads of the same body (6, 15, 21)."""
    found = outline_of(text, path)
    assert found.symbols[1].signature == expected
    assert not found.problems


def test_the_marks_around_a_comment_of_ruby_are_no_documentation() -> None:
    """=begin and =end (6)."""
    text = "=begin\nAdds up. And more.\n=end\ndef total(a)\nend\n"
    (found,) = outline_of(text, "a.rb").symbols
    assert (found.doc, found.start_line) == ("Adds up.", 1)
