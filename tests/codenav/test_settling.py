"""Sources that are being edited in several places at once."""

from __future__ import annotations

import time

import pytest

from backstory.codenav.edits import edited
from backstory.codenav.lexis import lexis_of
from backstory.codenav.outline import outline_of
from backstory.codenav.pages import Page
from backstory.codenav.settling import settled

# "@1" and "@2" are lines that somebody is typing, in two methods.
SOURCES = {
    "py": """\
class Cart:
    total = 0

    def add(self, item):
        @1
        return item

    @property
    def size(self):
        @2
        return 3

    def last(self):
        return 4


def main():
    return Cart()
""",
    "rb": """\
module Shop
  class Cart
    def add(item)
      @1
      @items << item
    end

    def size
      @2
      @items.size
    end

    def last; end
  end
end
""",
    "ts": """\
export class Cart {
  total = 0;

  add(item: string): void {
    @1
    this.items.push(item);
  }

  size(): number {
    @2
    return 3;
  }

  last() {
    return 4;
  }
}

export function main() {
  return new Cart();
}
""",
    "java": """\
class Cart {
    int total = 0;

    void add(String item) {
        @1
        items.add(item);
    }

    int size() {
        @2
        return 3;
    }

    void last() {
    }
}
""",
    "cs": """\
namespace Shop
{
    class Cart
    {
        int Add(int a)
        {
            @1
            return 1;
        }

        int Size()
        {
            @2
            return 3;
        }

        int Total { get; set; }
    }
}
""",
    "go": """\
package cart

func Add(item string) int {
\t@1
\treturn 0
}

func Size() int {
\t@2
\treturn 3
}

func Last() {
}
""",
    "rs": """\
impl Cart {
    fn add(&self) -> i32 {
        @1
        1
    }

    fn size(&self) -> i32 {
        @2
        3
    }
}

fn last() {
}
""",
    "swift": """\
class Cart {
  func add(a: Int) -> Int {
    @1
    return 1
  }

  func size() -> Int {
    @2
    return 3
  }
}

func last() {
}
""",
    "kt": """\
class Cart {
  fun add(a: Int): Int {
    @1
    return 1
  }

  fun size(): Int {
    @2
    return 3
  }
}

fun last() {
}
""",
    "cpp": """\
class Cart {
 public:
  int add(int a) {
    @1
    return 1;
  }

  int size()
      const {
    @2
    return 3;
  }
};

int last() {
  return 4;
}
""",
    "php": """\
<?php
class Cart {
    public function add($item) {
        @1
        return $this;
    }

    public function size()
    {
        @2
        return 3;
    }
}

function last() {
}
""",
}


def _names(text: str, kind: str) -> list[tuple[str, int]]:
    found = outline_of(text, f"a.{kind}")
    return [(one.qualified_name, one.start_line) for one in found.symbols]


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("py", "return foo(1,", 'x = {"a":'),
        ("py", "if x", "self.items.append("),
        ("py", '"abc', "x = ["),
        ("rb", "if a", "foo("),
        ("rb", "x.each do |y|", "@items.map { |z|"),
        ("rb", '"abc', "case a"),
        ("rb", 'puts "a #{', "%w[a"),
        ("rb", "while", "x ? "),
        ("rb", "x =", "{a:"),
        ("ts", "if (item", "foo("),
        ("ts", "x.map(y => {", "`${a"),
        ("ts", "const x = [1,", "switch (a) {"),
        ("ts", "const x =", "x ??"),
        ("java", "foo(a,", "if (a) {"),
        ("java", '"abc', "x.map(y -> {"),
        ("cs", "foo(", "x.Select(y =>"),
        ("cs", "if (a) {", "List<int"),
        ("cs", "switch (a)", "foo."),
        ("go", "if a {", "foo("),
        ("go", "x = map[string]int{", "go func() {"),
        ("rs", "if a {", "match a {"),
        ("rs", '"abc', "foo("),
        ("rs", "vec![1,", "if a"),
        ("swift", "if a ==", "foo("),
        ("swift", "x.map {", "guard let"),
        ("kt", "listOf(1,", "when (a) {"),
        ("kt", '"abc', "if (a) {"),
        ("cpp", "foo(", "if (a) {"),
        ("cpp", "this->", "x = [&]("),
        ("php", "foo($a,", "if ($a) {"),
        ("php", '"{$a', "$x ="),
    ],
)
def test_two_half_typed_lines_hide_none_of_the_other_methods(
    kind: str, first: str, second: str
) -> None:
    """Nor the methods that they stand in, whatever is left open."""
    text = SOURCES[kind]
    whole = _names(text.replace("@1", "").replace("@2", ""), kind)
    assert _names(text.replace("@1", first).replace("@2", second), kind) == whole
    assert _names(text.replace("@1", second).replace("@2", first), kind) == whole


def _settled(text: str, language: str) -> str:
    lexis = lexis_of(language)
    assert lexis is not None
    code = text.encode()
    return edited(code, settled(Page(code, lexis)).edits).decode()


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # what a line opens and nothing below it closes is closed in that line
        ("go", "func f() {\n\tif a {\n\tb()\n}\n", "func f() {\n\tif a {}\n\tb()\n}\n"),
        # what is indented below is closed behind it
        ("go", "func f() {\n\tif a {\n\t\tb()\n}\n", "func f() {\n\tif a {\n\t\tb()}\n}\n"),
        # what closes nothing where it stands is taken out
        ("java", "void f() {\n    }\n  g();\n}\n", "void f() {\n    \n  g();\n}\n"),
        # a block that is not indented is one all the same
        ("cpp", "namespace a {\n\nint f(;\n\n}\n", "namespace a {\n\nint f();\n\n}\n"),
        # a head that lacks what begins its block
        ("java", "void f()\n  g(;\n}\n", "void f() {\n  g();\n}\n"),
        # a head over several lines keeps its block
        ("cpp", "A::A()\n    : a(b) {\n  c(\n}\n", "A::A()\n    : a(b) {\n  c()\n}\n"),
        # what lacks its end before the branch that follows
        (
            "java",
            "if (a) {\n  b();\nelse {\n  c();\n}\n",
            "if (a) {\n  b();}\nelse {\n  c();\n}\n",
        ),
        # a condition that is cut, before its other branch
        (
            "ruby",
            "if a(b\n  c\nelse\n  d\nend\n",
            "if a(b)\n  c\nelse\n  d\nend\n",
        ),
        # a head that goes on in the next line
        (
            "ruby",
            "it 'a' \\\n  'b' do\n  c(\nend\n",
            "it 'a' \\\n  'b' do\n  c()\nend\n",
        ),
        # a bracket that closes what was opened further left
        (
            "java",
            "a(\n    () -> {\n      b(c\n    })\n  .d();\n",
            "a(\n    () -> {\n      b(c)\n    })\n  .d();\n",
        ),
        # a comment ends with a bracket, further left than all around it
        ("java", "void f() {\n// a(b)\n  c(\n}\n", "void f() {\n// a(b)\n  c()\n}\n"),
        ("ruby", "A = %i[[]]\ndef f\n  b(\nend\n", "A = %i[[]]\ndef f\n  b()\nend\n"),
        # a function without its arguments and its bracket
        ("rust", "fn f\n    a();\n}\n", "fn f() {\n    a();\n}\n"),
        # in one line
        ("java", "void f() { g(; }\n", "void f() { g(); }\n"),
        ("java", "void f() { if (a { b(); }\n", "void f() { if (a) { b(); }}\n"),
        ("java", "int f( { return 1; }\n", "int f() { return 1; }\n"),
        ("typescript", "f(function () { g(); }\n", "f(function () { g(); })\n"),
        # a block that is not indented, and one that is half typed in it
        (
            "csharp",
            "namespace A {\n  class B {\n  void f() {\n    g(\n  }\n  int P { get;\n}\n}\n",
            "namespace A {\n  class B {\n  void f() {\n    g()\n  }\n  int P { get;}\n}\n}\n",
        ),
        # what follows a method that lacks its end is no label of it
        (
            "php",
            "class A\n{\n  function f()\n  {\n    b();\n\n  private function g()\n  {\n  }\n}\n",
            "class A\n{\n  function f()\n  {\n    b();}\n\n  private function g()\n  {\n  }\n}\n",
        ),
        # what is given to a function lacks its bracket
        (
            "typescript",
            "const a = f(\n  b: 1,\n})\n",
            "const a = f({\n  b: 1,\n})\n",
        ),
        # behind a text that stands apart
        (
            "ruby",
            "def f\n  g do\n    h(<<~X)\n      i\n    X\nend\n",
            "def f\n  g do\n    h(<<~X); end\n      i\n    X\nend\n",
        ),
        # a block that ends with a word
        ("ruby", "def f\n  if a\n  b\nend\n", "def f\n  if a; end\n  b\nend\n"),
        ("python", "def f(a\n    return a\n", "def f(a):\n    return a\n"),
        # colons
        ("python", "def f(a)\n    b(\n", "def f(a):\n    b()\n"),
        ("python", "if a\n    b()\nc(\n", "if a:\n    b()\nc()\n"),
        ("python", "try:\nb()\nc(\n", "try: pass\nb()\nc()\n"),
        ("python", "def f\nclass A\nc(\n", "def f(): pass\nclass A: pass\nc()\n"),
        ("python", "def f(a: b) -> c: d(e)\nc(\n", "def f(a: b) -> c: d(e)\nc()\n"),
        ("python", "f(\n    a(,\n    b,\n)\n", "f(\n    a(),\n    b,\n)\n"),
        ("python", "f(\n    a)\nx = \\\n    b\n", "f(\n    a)\nx = \\\n    b\n"),
    ],
)
def test_indents_tell_where_an_open_bracket_ends(language: str, text: str, expected: str) -> None:
    assert _settled(text, language) == expected


@pytest.mark.parametrize("kind", sorted(SOURCES))
def test_a_text_whose_brackets_agree_is_left_as_it_is(kind: str) -> None:
    text = SOURCES[kind].replace("@1", "").replace("@2", "")
    name = {"py": "python", "rb": "ruby", "ts": "typescript", "cs": "csharp", "rs": "rust"}
    assert _settled(text, name.get(kind, {"kt": "kotlin"}.get(kind, kind))) == text


@pytest.mark.parametrize("language", ["python", "javascript", "ruby", "php", "c", "rust"])
@pytest.mark.parametrize("piece", ["(", "}\n", "{ x\n", "'a", '"\n', "/*", "`", "  (\n", ")x"])
def test_a_text_of_nothing_but_open_brackets_is_gone_through_in_time(
    language: str, piece: str
) -> None:
    lexis = lexis_of(language)
    assert lexis is not None
    text = "".join(f"{piece}{number % 7}" for number in range(40_000)).encode()
    started = time.process_time()
    settled(Page(text, lexis))
    assert time.process_time() - started < 5
