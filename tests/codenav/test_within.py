"""Whatever goes wrong is told within the budget, and what it is about stays readable."""

from __future__ import annotations

import pytest

from backstory.codenav.outline import outline_of
from backstory.codenav.render_outline import File, outline_text
from backstory.codenav.unfold import unfold_text
from backstory.codenav.within import fitted, narrowed, some
from backstory.codenav.wording import COMMANDS, TOOLS, Wording
from backstory.errors import Ambiguous, BackstoryError, BadInput, NotFound
from backstory.estimate import estimate_tokens

BUDGETS = (100, 101, 150, 200, 250, 500, 2_000)
PATHS = ("shop.py", "src/" + "long_folder_name/" * 12 + "shop.py", "文件夹/" * 40 + "商店.py")
TEXT = (
    "import os\n\n"
    + "".join(
        f"class Shelf{at}:\n    def __init__(self, first: int, second: str) -> None:\n"
        f"        self.first = first\n\n    def 放(self, 东西):\n        return '{'x' * at}'\n\n"
        for at in range(60)
    )
    + "def same(a):\n    return a\n\n" * 40
    + "".join(f"def one_line_{at}(a): return a\n" for at in range(100))
    + f"def {'n' * 4_000}(): pass\nclass {'类' * 900}:\n    def {'方' * 900}(self): pass\n"
    + f"def wide(a):\n    x = '{'😀 y' * 3_000}'\n    return {'1 + ' * 2_000}1\n"
)
FIRST = TEXT[: TEXT.index("def one_line_0")].count("\n") + 1
WANTED = {
    "many candidates": ["__init__"],
    "not all of a name": ["n" * 40],
    "nothing near": ["类型" * 3_000],
    "nothing near, no letters": ["-" * 5_000],
    "near": ["Shelf_1"],
    "one name, many symbols": ["same"],
    "overloads of one name": ["same#3", "same"],
    "a long name": ["n" * 4_000],
    "a long name in another": ["类" * 900 + "." + "方" * 900],
    "a long line": ["wide"],
    "lines": ["L1-400"],
    "no such line": ["L99999"],
    "a line in no symbol": ["L2"],
    "many lines": [f"L{at}" for at in range(FIRST, FIRST + 20)],
    "many names": [f"one_line_{at}" for at in range(20)],
    "many errors": [f"{'nothing' * 40}{at}" for at in range(20)],
    "some of each": ["__init__", "Shelf3", "zz", "L5", "L1-2", "same", "类" * 900, "wide"],
}
OUTLINES = {path: outline_of(TEXT, path) for path in PATHS}


def told(error: BackstoryError) -> str:
    """An error as the tool says it."""
    return f"Error: {error.message}\nHint: {error.hint}" if error.hint else f"Error: {error}"


def unfolded(path: str, wanted: list[str], tokens: int, *, around: bool, wording: Wording) -> str:
    """An answer or an error."""
    try:
        return unfold_text(
            *(path, TEXT, OUTLINES[path], wanted),
            context=around,
            max_tokens=tokens,
            wording=wording,
        )
    except BackstoryError as error:
        return told(error)


@pytest.mark.parametrize("wanted", WANTED.values(), ids=WANTED)
def test_unfolding_answers_within_every_budget(wanted: list[str]) -> None:
    """A source, a list, an error; of long paths, long names and in other scripts (17)."""
    for path in PATHS:
        for tokens in BUDGETS:
            for around, wording in ((False, TOOLS), (True, COMMANDS)):
                text = unfolded(path, wanted, tokens, around=around, wording=wording)
                assert estimate_tokens(text) <= tokens, (tokens, path, text)
                assert len(text) > 20


@pytest.mark.parametrize("name", ["__init__", "类型" * 3_000, "Shelf_1", "n" * 4_000, "zz"])
def test_what_is_wrong_with_a_symbol_of_an_outline_is_told_within_every_budget(name: str) -> None:
    """As in the tool: the error is fitted at the door."""
    for path, outline in OUTLINES.items():
        for tokens in BUDGETS:
            try:
                text = outline_text([File(path, TEXT, outline)], name, 0, tokens)
            except BackstoryError as error:
                text = told(fitted(error, tokens))
            assert estimate_tokens(text) <= tokens, text


def test_candidates_are_cut_by_rows_and_the_rest_is_counted() -> None:
    """Every row that is shown has its name and its lines; all 60 are accounted for."""
    with pytest.raises(Ambiguous) as raised:
        unfold_text("shop.py", TEXT, OUTLINES["shop.py"], ["__init__"], max_tokens=200)
    head, *rows, more = raised.value.message.split("\n")
    assert head == "__init__ could be any of 60 symbols in shop.py:"
    assert rows[0].startswith("  Shelf0.__init__ 4-5 def __init__(self, first: int")
    assert all("__init__ " in row for row in rows)
    assert more == f"… {60 - len(rows)} more: raise max_tokens"
    assert 3 <= len(rows) < 20


def test_of_more_names_than_fit_the_first_are_shown_and_the_others_named() -> None:
    """No row is cut to one without a name or a source."""
    wanted = [f"L{at}" for at in range(FIRST, FIRST + 20)]
    for tokens in (100, 200, 250, 400):
        answer = unfold_text("shop.py", TEXT, OUTLINES["shop.py"], wanted, max_tokens=tokens)
        *shown, note = answer.split("\n\n")
        assert shown
        for at, part in enumerate(shown):
            head, source = part.split("\n")
            assert head == f"shop.py {FIRST + at} function one_line_{at}"
            assert source == f"{FIRST + at}\tdef one_line_{at}(a): return a"
        left = 20 - len(shown)
        first = f"L{FIRST + len(shown)}"
        assert note == (
            f"({first} and what follows, {left} in all, is not shown: "
            "raise max_tokens, or name fewer)"
        )
    whole = unfold_text("shop.py", TEXT, OUTLINES["shop.py"], wanted, max_tokens=1_000)
    assert "one_line_19(a): return a" in whole
    assert "is not shown" not in whole


def test_the_heads_around_a_deep_symbol_are_the_innermost() -> None:
    """Of 40 levels there is no room for all."""
    text = "".join("    " * at + f"def level_{at}():\n" for at in range(40))
    text += "    " * 40 + "pass\n"
    outline = outline_of(text, "deep.py")
    answer = unfold_text("deep.py", text, outline, ["L41"], context=True, max_tokens=200)
    assert "in 39-41 def level_38()" in answer
    assert " more\n" in answer
    assert "def level_0()" not in answer


def test_an_error_that_fits_is_left_alone() -> None:
    """And one that does not keeps its kind, its beginning and its hint's."""
    error = NotFound("there is no file a.py", hint="did you mean b.py?")
    assert fitted(error, 100) is error
    long = BadInput("there is no kind 'x" + "y" * 9_000 + "'", hint="kinds: " + "class, " * 300)
    short = fitted(long, 120)
    assert isinstance(short, BadInput)
    assert short.message.startswith("there is no kind 'xyyyy")
    assert short.hint.startswith("kinds: class, class")
    assert 60 <= estimate_tokens(told(short)) <= 120


def test_a_first_row_that_is_too_long_is_shown_in_part() -> None:
    """Rather than nothing."""
    assert some(["  " + "long word " * 50, "b"], 20)[0].startswith("  long word")
    assert some([], 20) == []
    assert narrowed("short", 20) == "short"


def test_of_a_symbol_with_more_in_it_than_fits_the_count_is_told() -> None:
    """Or how many symbols the list that begins has."""
    text = "class Big:\n" + "".join(
        f"    def a_rather_long_name_{at}(self):\n        return {'1 + ' * 20}1\n\n"
        for at in range(40)
    )
    outline = outline_of(text, "big.py")
    counted, begun, whole = (
        unfold_text("big.py", text, outline, ["Big"], max_tokens=tokens)
        for tokens in (120, 300, 1_200)
    )
    assert "1-120 class Big … 40 methods" in counted
    assert "The first of 40 symbols in it:\n1-120 class Big\n  a_rather_long_name_0, a" in begun
    assert "What is in it:\n1-120 class Big\n" in whole
    assert "a_rather_long_name_39" in whole
