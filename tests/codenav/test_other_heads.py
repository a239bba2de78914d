"""Of two heads of one body, both names are told."""

from __future__ import annotations

import pytest

from backstory.codenav.outline import outline_of


def rows(text: str, path: str = "a.c") -> list[str]:
    """The symbols of a source: their lines, where the name stands, and what they are called."""
    outline = outline_of(text, path)
    assert not outline.problems
    return [
        f"{one.start_line}-{one.end_line} {one.line} {one.qualified_name}"
        for one in outline.symbols
    ]


HEADS = "#if A\nint g1(int a)\n#elif B\nint g2(int a)\n#else\nint g3(int a, int b)\n#endif\n{\n}\n"


def test_each_head_of_a_body_is_a_symbol_of_the_same_lines() -> None:
    """With a line and a signature of its own (7, 15)."""
    assert rows(HEADS) == ["2-9 2 g1", "2-9 4 g2", "2-9 6 g3"]
    said = [one.signature for one in outline_of(HEADS, "a.c").symbols]
    assert said == ["int g1(int a)", "int g2(int a)", "int g3(int a, int b)"]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.cs",
            (
                "class K {\n#if A\n  void D(int a) {\n#else\n  void D2(int a) {\n#endif\n"
                "    void In() { }\n  }\n  void After() { }\n}\n"
            ),
            ["1-10 1 K", "3-8 3 K.D", "3-8 5 K.D2", "7-7 7 K.D.In", "9-9 9 K.After"],
        ),
        (
            "a.cpp",
            "#ifdef A\nclass B1 : public C {\n#else\nclass B2 {\n#endif\n  int f();\n};\n",
            ["2-7 2 B1", "2-7 4 B2", "6-6 6 B1.f"],
        ),
        ("a.c", HEADS.replace("g2", "g1").replace("g3", "g1"), ["2-9 2 g1"]),
        (
            "a.c",
            "int f(int a)\n{\n#if A\n  if (a) {\n#else\n  if (f(1)) {\n#endif\n  }\n}\n",
            ["1-9 1 f"],
        ),
        ("a.c", "#if A\nint a(void) {}\n#else\nint b(void) {}\n#endif\n", ["2-2 2 a", "4-4 4 b"]),
    ],
)
def test_what_stands_in_it_is_the_first_ones_and_nothing_else_is_a_head(
    path: str, text: str, expected: list[str]
) -> None:
    """The same name, a condition in a body, whole definitions."""
    assert rows(text, path) == expected
