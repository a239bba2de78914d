"""Texts that nobody writes, and that a parser or a query was once held up by for good."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from backstory.codenav.outline import outline_of
from backstory.codenav.references import uses_of

SOURCES = str(Path(__file__).resolve().parents[2] / "src")
LIMIT_S = 60  # of a process that was held for good; what is asserted is that it ends

TEXTS = {
    "wide.py": ("(", 100_000),
    "wide.c": ("{", 100_000),
    "wide.tex": ("{", 200_000),
    "wide.go": ("a(", 50_000),
    "deep.js": ("`", 100_000),
    "deep.ts": ("a.", 100_000),
    "recovery.html": ("<a>", 50_000),
    "comments.swift": ("/*", 100_000),
    "sections.tex": ("\\section{", 50_000),
    "generics.ts": ("a<b,", 50_000),
    "lambdas.m": ("() => ", 20_000),
    "skipped.dart": ("`", 100_000),
    "tags.vue": ("<", 100_000),
    "pipes.sh": ("a do |x|\n", 20_000),
    "annotations.java": ("@a\n", 50_000),
    "underlines.md": ("===\n", 50_000),
    "notes.ipynb": ("a{b:c}\n", 20_000),
}
CODE = """
import sys; sys.path.insert(0, sys.argv[1])
from backstory.codenav.outline import outline_of
found = outline_of(sys.argv[3] * int(sys.argv[4]), sys.argv[2], 1.0)
print(found.how, found.lines, len(found.symbols) > 0)
"""
OTHERS = """
import sys, time; sys.path.insert(0, sys.argv[1])
from backstory.codenav.references import uses_of
from backstory.codenav.touched import defined, touched
path, text = sys.argv[2], sys.argv[3] * int(sys.argv[4]) + "\\ntotal"
print(defined(path, text), touched(path, "", text).changed)
print(len(uses_of("total", [path], lambda _: text.encode(), {}, 99, time.monotonic() + 1).uses))
"""


def said(code: str, path: str, part: str, count: int) -> str:
    """What a process of its own says of a text."""
    done = subprocess.run(
        [sys.executable, "-c", code, SOURCES, path, part, str(count)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", TEXTS)
def test_no_text_holds_the_process(path: str) -> None:
    """Whatever the answer is, there is one; what was cut short tells the plain shape at least."""
    part, count = TEXTS[path]
    how, lines, any_symbol = said(CODE, path, part, count).split()
    assert how in ("cut", "query")
    assert int(lines) == max(1, part.count("\n") * count)
    assert how == "query" or any_symbol == "True"


@pytest.mark.parametrize(
    ("path", "part"), [("hashes.swift", "#"), ("lambdas.m", "() => "), ("generics.ts", "a<b,")]
)
def test_nor_does_it_when_it_is_searched_or_edited(path: str, part: str) -> None:
    """An edit of it names no symbols; a use in it is told by its line."""
    assert said(OTHERS, path, part, 40_000) == "() ()\n1\n"


def test_uses_are_told_apart_in_a_wide_and_in_a_deep_tree() -> None:
    """A name is gone down to once; one that stands too deep is told by its line."""
    wide = "".join(f"total(x{n * n})\n" for n in range(50_000)).encode()
    deep = "".join(f"total.x{n * n}." for n in range(30_000)).encode()
    for data, path, kinds in ((wide, "a.py", {"call"}), (deep, "a.ts", {"text"})):
        found = uses_of("total", [path], {path: data}.get, {}, 99, time.monotonic() + 60)
        assert found.parsed == 1
        assert {use.why for use in found.uses} == kinds


def test_ordinary_code_of_some_size_is_read_whole() -> None:
    """A query looks at one stretch after the other: nothing is lost or doubled at their edges."""
    text = "".join(
        f"class C{n}:\n    '''Text.'''\n\n    @property\n    def m(self):\n        return {n}\n\n\n"
        for n in range(4_000)
    )
    found = outline_of(text, "large.py", 60.0)
    assert found.how == "query"
    assert [one.qualified_name for one in found.symbols[:4]] == ["C0", "C0.m", "C1", "C1.m"]
    assert len(found.symbols) == 8_000
    assert len({(one.qualified_name, one.start_line) for one in found.symbols}) == 8_000
