"""Files in the middle of a merge, which are read just when that is resolved."""

from __future__ import annotations

import pytest

from backstory.codenav.conflicts import merged
from backstory.codenav.outline import Problem, outline_of

MARKED = "{a}\n<<<<<<< HEAD\n{b}\n=======\n{c}\n>>>>>>> feature/x\n{d}\n"


def of(path: str, **parts: str) -> list[tuple[str, int, int]]:
    """The names and lines of the symbols of a file with one conflict."""
    found = outline_of(MARKED.format(**parts), path)
    assert Problem(2, 6) in found.problems
    return [(one.qualified_name, one.start_line, one.end_line) for one in found.symbols]


@pytest.mark.parametrize(
    ("path", "one"),
    [
        ("m.py", "def {0}(): pass"),
        ("m.js", "function {0}() {{}}"),
        ("m.ts", "function {0}(): void {{}}"),
        ("m.go", "func {0}() {{}}"),
        ("m.rs", "fn {0}() {{}}"),
        ("m.c", "int {0}(void) {{ return 1; }}"),
        ("m.rb", "def {0}; end"),
        ("m.php", "<?php function {0}() {{}} ?>"),
        ("m.kt", "fun {0}() {{}}"),
    ],
)
def test_both_sides_are_there(path: str, one: str) -> None:
    """Each on its own line."""
    found = of(path, **{name: one.format(name) for name in "abcd"})
    assert found == [("a", 1, 1), ("b", 3, 3), ("c", 5, 5), ("d", 7, 7)]


@pytest.mark.parametrize("path", ["M.java", "m.ts", "m.cs"])
def test_members_stay_in_their_class(path: str) -> None:
    """The class does not break at the markers."""
    method = "  void {0}() {{ }}" if path != "m.ts" else "  {0}() {{ }}"
    parts = {name: method.format(name) for name in "abc"}
    parts["a"] = "class K {" + parts["a"]
    found = of(path, **parts, d=method.format("d") + " }")
    assert [name for name, _, _ in found] == ["K", "K.a", "K.b", "K.c", "K.d"]
    assert found[0] == ("K", 1, 7)


def test_a_conflict_within_a_body_ends_no_method() -> None:
    """Python's indents go on behind it."""
    parts = {"b": "        x = 1", "c": "        x = 2", "d": "        return x"}
    text = MARKED.format(a="class K:\n    def a(self):", **parts) + "    def b(self): pass\n"
    found = outline_of(text, "m.py")
    names = [(one.qualified_name, one.start_line, one.end_line) for one in found.symbols]
    assert names == [("K", 1, 9), ("K.a", 2, 8), ("K.b", 9, 9)]
    assert found.problems == (Problem(3, 7),)


def test_sides_that_do_not_fit_together_are_read_by_the_first() -> None:
    """Two arguments in place of one."""
    text = "f(\n<<<<<<< a\n  1)\n=======\n  2)\n>>>>>>> b\nfunction g() {}\n"
    found = outline_of(text, "m.js")
    assert [one.name for one in found.symbols] == ["g"]


def test_the_ancestor_is_left_out() -> None:
    """As merge.conflictStyle = diff3 writes it."""
    text = "<<<<<<< a\nx = 1\n||||||| base\ny = 1\n=======\nz = 1\n>>>>>>> b\n"
    sides = merged(text)
    assert sides is not None
    assert sides.both.split() == ["x", "=", "1", "z", "=", "1"]
    assert sides.ours.split() == ["x", "=", "1"]
    assert sides.both.count("\n") == sides.ours.count("\n") == text.count("\n")
    assert sides.conflicts == ((1, 7),)


@pytest.mark.parametrize(
    "text",
    ["", "Title\n=======\n", "<<<<<<< a\nx\n", "<<<<<<< a\nx\n=======\n", ">>>>>>> b\n<<<<<<<x\n"],
)
def test_what_is_no_whole_conflict_is_left_as_it_is(text: str) -> None:
    """Headings have such lines, too."""
    assert merged(text) is None
