"""The answer of a search as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backstory.codenav.answer import Answer, Counts, Hit, Request
from backstory.codenav.render_search import search_text
from backstory.estimate import estimate_tokens
from tests.codenav.searching import workspace

UNFOLD = (
    "smart_unfold shop/cart.py Cart.total shows the source of the first; "
    "references=true where it is used."
)
METHOD = Hit(
    *("symbol", "shop/cart.py", "/r", 12, 14),
    kind="method",
    name="total",
    qualified_name="Cart.total",
    signature="def total(self) -> Money",
    doc="Sum of all lines.",
    parent="Cart",
    why="exact name",
)
OTHER = Hit(
    *("symbol", "shop/cart.py", "/r", 1, 1),
    kind="constant",
    name="TOTALS",
    qualified_name="TOTALS",
    signature="TOTALS = {}",
    why="begins so",
)
FILE = Hit("file", "shop/total.py", "/r", 1, 1, why="file name")
LINE = Hit("line", "docs/a.md", "/r", 7, 7, why="text", text="the total of it")
USE = Hit("use", "web/a.ts", "/r", 9, 9, why="call", text="total(1)")


def test_files_alone_are_shown() -> None:
    """They announce nothing, and are hits themselves."""
    other = replace(FILE, file="shop/total.ts")
    text = search_text(Answer(Request("total"), (FILE, other), 2, Counts(2, 2)))
    assert "shop/total.py  (file name)\nshop/total.ts  (file name)" in text


def test_symbols_stand_by_file_then_files_then_lines() -> None:
    """Each with its lines, its signature and its documentation."""
    answer = Answer(
        Request("total"), (METHOD, OTHER, FILE, LINE), 9, Counts(12, 12, 1, {"binary": 3})
    )
    assert search_text(answer).split("\n") == [
        "2 symbols, 1 file, 1 line for 'total' in 12 files; 1 parsed in part; skipped: 3 binary",
        "shop/cart.py",
        "  in Cart:",
        "    L12-14 def total(self) -> Money — Sum of all lines.",
        "  L1 TOTALS = {}  (begins so)",
        "shop/total.py  (file name)",
        "docs/a.md",
        "  L7 the total of it",
        "… 5 more: narrow with path, kind, language or file_pattern, or raise max_results",
        UNFOLD,
    ]


def test_names_of_one_statement_are_one_row() -> None:
    """Its text holds them all."""
    one = replace(OTHER, signature="attr_accessor :a, :b", why="words")
    text = search_text(Answer(Request("a b"), (one, replace(one, name="b")), 2))
    assert text.count("attr_accessor") == 1
    assert "more" not in text


def test_uses_say_what_they_are() -> None:
    """Calls, imports, types, attributes."""
    text = search_text(Answer(Request("total", references=True), (USE,), 1, Counts(12)))
    assert "web/a.ts\n  L9 [call] total(1)" in text


def test_several_workspaces_are_told_apart() -> None:
    """By whole paths."""
    other = Hit("line", "docs/a.md", "/q", 7, 7, why="text", text="total")
    text = search_text(Answer(Request("total"), (LINE, other), 2))
    assert "/r/docs/a.md" in text
    assert "/q/docs/a.md" in text


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (Answer(Request("x")), "fewer or other words"),
        (Answer(Request("x", kind="class", path="src")), "Nothing fits with path, kind"),
        (Answer(Request("x", references=True)), "No code uses that name"),
        (Answer(Request("x"), complete=False), "ask again in a moment"),
    ],
)
def test_nothing_found_says_what_to_try(answer: Answer, advice: str) -> None:
    """A different sentence for each reason."""
    text = search_text(answer)
    begin = "nothing found for 'x'" if answer.complete else "not complete: call again in a moment\n"
    assert text.startswith(begin)
    assert advice in text


def test_notes_are_told() -> None:
    """That the index is being built, say."""
    answer = Answer(Request("x"), (LINE,), 1, notes=("the index is being built",))
    assert "note: the index is being built" in search_text(answer)


@pytest.mark.parametrize("most", [200, 400, 1_000, 2_000])
def test_the_budget_is_kept(most: int) -> None:
    """And what was left out is told."""
    hits = tuple(
        Hit(
            *("symbol", f"src/module_{n // 3}.py", "/r", n, n + 9),
            kind="function",
            name=f"function_{n}",
            qualified_name=f"function_{n}",
            signature=f"def function_{n}(first_argument: int, second_argument: str) -> None",
            doc="Does what a function of its number is expected to do, and no more.",
            why="words",
        )
        for n in range(200)
    )
    text = search_text(Answer(Request("function", max_tokens=most), hits, 500, Counts(300)))
    assert estimate_tokens(text) <= most
    assert "more: narrow with" in text
    assert "max_tokens" in text


def test_characters_that_control_a_terminal_do_not_come_through(tmp_path: Path) -> None:
    """Names of files and texts of lines are of others."""
    project = workspace(tmp_path, {"a\x1b[31m.py": "x = 'evil \x1b]0;title\x07 text'\n"})
    text = search_text(project.search('"evil"'))
    assert "evil" in text
    assert not any(char < " " and char != "\n" for char in text)


def test_files_that_were_parsed_in_part_are_named_with_the_reason() -> None:
    """Two of them; and one file is one file."""
    counts = Counts(1, 1, 1, {"binary": 1}, ("src/huge.py",))
    (head, *_) = search_text(Answer(Request("total"), (METHOD,), 1, counts)).split("\n")
    assert head == (
        "1 symbol for 'total' in 1 file; 1 parsed in part (src/huge.py: too large, deep or slow to "
        "parse whole); skipped: 1 binary"
    )
    counts = Counts(9, 9, 3, {}, ("a.py", "b.py", "c.py"))
    (head, *_) = search_text(Answer(Request("total"), (METHOD,), 1, counts)).split("\n")
    assert "3 parsed in part (a.py, b.py, …: too large" in head


def test_no_advice_is_given_where_not_everything_was_looked_at() -> None:
    """Neither a narrower path nor the spelling is at fault then (9)."""
    for request in (Request("f", path="a"), Request("f", references=True)):
        text = search_text(Answer(request, complete=False, notes=("the index is being built",)))
        assert text.endswith("Not everything was looked at yet: ask again in a moment.")
