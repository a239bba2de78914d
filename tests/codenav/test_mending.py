"""Sources in the middle of an edit."""

from __future__ import annotations

import time

import pytest

from backstory.codenav.disagreements import disagreements
from backstory.codenav.languages import languages
from backstory.codenav.lexis import lexis_of
from backstory.codenav.outline import outline_of
from backstory.codenav.pages import Page
from backstory.codenav.symbols import deadline_of, read

PYTHON = """\
class Cart:
    total = 0

    def add(self, item):
        \"\"\"Adds one.\"\"\"
        self.items.append(item)

    def remove(self, item):
        self.items.remove(item)


def main():
    Cart().add(1)
"""
TYPESCRIPT = """\
export class Cart {
  total = 0;

  add(item: string): void {
    if (item) {
      this.items.push(item);
    }
  }

  remove(item: string): void {
    this.items.filter((one) => one !== item);
  }
}

export function main() {
  return new Cart();
}
"""
JAVA = """\
class Cart {
    int total = 0;

    void add(String item) {
        if (item != null) {
            items.add(item);
        }
    }

    void remove(String item) {
        items.remove(item);
    }
}
"""
GO = """\
package cart

func Add(item string) int {
\tif item != "" {
\t\treturn 1
\t}
\treturn 0
}

func Remove(item string) int {
\treturn len(item)
}
"""
RUBY = """\
module Shop
  class Cart
    def add(item)
      if item
        @items << item
      end
    end

    def remove(item)
      @items.delete(item)
    end
  end
end
"""
PHP = """\
<?php
class Cart {
    public $total = 0;

    public function add($item) {
        $this->items[] = $item;
        return $this;
    }

    public function remove($item) {
        return $this->items;
    }
}
"""


def _outline(source: str, language: str) -> list[tuple[str, int, int]]:
    one = languages()[language]
    found = read(source, one, deadline_of(one, 20))
    assert found is not None
    return [(symbol.qualified_name, symbol.start_line, symbol.end_line) for symbol in found.symbols]


@pytest.mark.parametrize(
    ("language", "source", "was", "instead"),
    [
        ("python", PYTHON, "append(item)", "append(item"),
        ("python", PYTHON, "append(item)", "append(item["),
        ("python", PYTHON, "add(self, item):", "add(self, item)"),
        ("python", PYTHON, "add(self, item):", "add(self, item"),
        ("python", PYTHON, '"""Adds one."""', '"""Adds one.""'),
        ("python", PYTHON, '"""Adds one."""', '""Adds one."""'),
        ("typescript", TYPESCRIPT, "    if (item) {\n", "    if (item) \n"),
        ("typescript", TYPESCRIPT, "    if (item) {\n", "    if (item {\n"),
        ("typescript", TYPESCRIPT, "push(item);\n    }\n", "push(item);\n\n"),
        ("typescript", TYPESCRIPT, "this.items.push(item);", "this.items.push(`${item"),
        ("typescript", TYPESCRIPT, "this.items.push(item);", "this.items.push('item);"),
        ("typescript", TYPESCRIPT, "this.items.push(item);", "foo("),
        ("java", JAVA, "add(String item) {", "add(String item) "),
        ("java", JAVA, "add(String item) {", "add(Str"),
        ("java", JAVA, "items.add(item);\n        }", "items.add(item);\n        "),
        ("go", GO, "\t\treturn 1\n\t}", "\t\treturn 1\n\t"),
        ("go", GO, '!= "" {', '!= " {'),
        ("ruby", RUBY, "@items << item\n      end", "@items << item\n      "),
        ("ruby", RUBY, "@items << item", "@items << foo("),
        ("ruby", RUBY, "@items << item", "@items << 'item"),
        ("php", PHP, "return $this;", "return $this"),
        ("php", PHP, "= $item;", "= 'item;"),
    ],
)
def test_what_stands_beside_an_unfinished_line_keeps_its_lines_and_its_parent(
    language: str, source: str, was: str, instead: str
) -> None:
    """The symbol that is being edited is in the outline, too."""
    assert source.count(was) == 1
    broken = source.replace(was, instead)
    assert broken.count("\n") == source.count("\n")
    assert _outline(broken, language) == _outline(source, language)


def test_the_place_that_was_mended_is_told_as_a_problem() -> None:
    one = languages()["typescript"]
    found = read(TYPESCRIPT.replace("if (item) {", "if (item) "), one, deadline_of(one, 20))
    assert found is not None
    assert found.problems == ((5, 5),)


def test_an_unfinished_method_in_a_class_takes_no_other_one_in() -> None:
    broken = TYPESCRIPT.replace("  remove(", "  rename(\n\n  remove(")
    names = [name for name, _, _ in _outline(broken, "typescript")]
    assert [name for name in names if name != "Cart.rename"] == [
        name for name, _, _ in _outline(TYPESCRIPT, "typescript")
    ]


def test_what_strings_and_comments_hold_is_no_symbol_beside_an_error() -> None:
    held = 'TEXT = """\nclass No:\n    def no(self):\n"""\n# def no(\n' + PYTHON
    names = [name for name, _, _ in _outline(held.replace("append(item)", "append("), "python")]
    assert names == ["TEXT", "Cart", "Cart.total", "Cart.add", "Cart.remove", "main"]


def test_a_source_without_errors_is_left_as_it_is() -> None:
    odd = "class A {\nint a;\n  void f() {\n}\n      }\nclass B {}\n"
    assert _outline(odd, "java") == [("A", 1, 5), ("A.a", 2, 2), ("A.f", 3, 4), ("B", 6, 6)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("SOME_MACRO(f)\nint f(void) {\n  return '{' + \"(\"[0]; /* ( */\n}\n", True),
        ("#define OPEN(x) \\\n  { (x)\n#define CLOSE \\\r\n  }\nint f(void);\n", True),
        ("int f(void) {\n  g(1;\n}\n", False),
        ("int f(void) {\n  g(1)];\n}\n", False),
        ("int f(void) {\n", False),
        ('char *a = "b;\nint f(void) {}\n', False),
    ],
)
def test_brackets_and_quotes_agree_where_each_has_its_other_one(
    source: str, expected: bool
) -> None:
    """Those of directives, which may go on over several lines, count for nothing."""
    lexis = lexis_of("c")
    assert lexis is not None
    assert Page(source.encode(), lexis).agrees == expected
    if expected:
        assert disagreements(Page(source.encode(), lexis)) == []


@pytest.mark.parametrize("language", ["python", "javascript", "ruby", "php", "c", "rust"])
@pytest.mark.parametrize("piece", ["(", "}\n", "{ x\n", "'a", '"\n', "/*", "`", "  (\n", ")x"])
def test_a_text_of_nothing_but_errors_is_gone_through_in_time(language: str, piece: str) -> None:
    lexis = lexis_of(language)
    assert lexis is not None
    text = "".join(f"{piece}{number % 7}" for number in range(40_000)).encode()
    started = time.process_time()
    found = disagreements(Page(text, lexis))
    assert len(found) < 1_000
    assert time.process_time() - started < 5


def test_every_lexis_is_one_of_a_language_that_is_known() -> None:
    known = [name for name in languages() if lexis_of(name)]
    assert len(known) >= 30


CSHARP = """namespace N
{
  class A
  {
    int F(int a)
    {
      @@
      return 1;
    }

    void G()
    {
    }
    int P { get; set; }
  }
}
"""
SWIFT = """class A {
  func f(a: Int) -> Int {
    @@
    return 1
  }

  func g() {
    x()
  }
}

func after() {
}
"""
CPP = """class A {
 public:
  int f(int a) {
    @@
    return 1;
  }

  void g() {
  }
};

int after() {
  return 1;
}
"""
RUST = """impl S {
    fn f(&self) -> i32 {
        @@
        1
    }

    fn g(&self) {
    }
}

fn after() {
}
"""


@pytest.mark.parametrize(
    ("path", "text", "half"),
    [
        *(("a.cs", CSHARP, half) for half in ("foo.", "List<int", "x = new", "if (")),
        *(("a.swift", SWIFT, half) for half in ("if a ==", "if", "for i in", "while")),
        *(("a.cpp", CPP, half) for half in ("case 1", "this->", "std::vector<int")),
        *(("a.rs", RUST, half) for half in ("if a", "let y:")),
    ],
)
def test_one_line_that_is_half_typed_hides_nothing(path: str, text: str, half: str) -> None:
    """Though all brackets and quotes agree, and parsers give up on the rest of the file."""
    whole = [one.qualified_name for one in outline_of(text.replace("@@", ""), path).symbols]
    found = outline_of(text.replace("@@", half), path)
    assert [one.qualified_name for one in found.symbols] == whole
    line = text[: text.index("@@")].count("\n") + 1
    assert any(one.start_line <= line + 1 and line <= one.end_line for one in found.problems)
