"""What becomes of a Read: a table, since the decision looks nothing up."""

from __future__ import annotations

import pytest

from backstory.recall import gate
from backstory.recall.gate import Decision, File

LARGE = File(tokens=30_000, language="python", symbols=80, is_outlined=True)


def like(**changes: object) -> File:
    """A large source file but for what is named."""
    known = {name: getattr(LARGE, name) for name in File.__slots__}
    return File(**{**known, **changes})


CASES = [
    ("large source", LARGE, "redirect", "redirect"),
    ("large source with notes", like(notes=3), "redirect", "redirect"),
    ("just large", like(tokens=10_000), "redirect", "redirect"),
    ("not quite large", like(tokens=9_999), "redirect", "pass"),
    ("not quite large, with notes", like(tokens=9_999, notes=1), "redirect", "advise"),
    ("small with notes", File(tokens=0, notes=1), "redirect", "advise"),
    ("small without", File(tokens=0), "redirect", "pass"),
    ("advice asked for", LARGE, "advise", "advise"),
    ("switched off", like(notes=4), "off", "pass"),
    ("no language", like(language=""), "redirect", "pass"),
    ("no language, with notes", like(language="", notes=2), "redirect", "advise"),
    *((one, like(language=one), "redirect", "pass") for one in sorted(gate.NOT_SOURCE)),
    ("guidance (J4)", like(is_guidance=True), "redirect", "pass"),
    ("generated", like(is_machine_made=True), "redirect", "pass"),
    ("a generic shape alone", like(is_outlined=False), "redirect", "pass"),
    ("hardly a symbol", like(symbols=3), "redirect", "pass"),
]


@pytest.mark.parametrize(
    ("file", "mode", "action"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_becomes_of_a_read(file: File, mode: gate.Mode, action: str) -> None:
    """J6: source code over a size only; each decision says why."""
    decided = gate.decide(file, mode, 10_000)
    assert decided.action == action
    assert decided.why


def test_a_hint_at_the_outline_comes_with_advice_on_what_has_one() -> None:
    """From 4,000 tokens on, and never for what has no outline of its own."""
    assert gate.decide(like(tokens=4_000, notes=1), "redirect", 10_000).hint
    assert not gate.decide(like(tokens=3_999, notes=1), "redirect", 10_000).hint
    assert not gate.decide(like(language="json", notes=1), "redirect", 10_000).hint
    assert gate.decide(LARGE, "advise", 10_000) == Decision("advise", "a large source file", True)


@pytest.mark.parametrize("tokens", [4_464, 5_000, 10_000, 25_000, 100_000, 3_000_000])
def test_an_answer_costs_little_of_what_the_read_would(tokens: int) -> None:
    """At most 6 % of what the host delivers, which is 25,000 tokens at most."""
    most = gate.budget(tokens)
    assert most <= 0.06 * min(tokens, 25_000)
    assert most <= 1_500


def test_what_is_too_small_for_an_answer_is_not_refused() -> None:
    """Whatever the threshold: an answer of less than 250 tokens says too little."""
    assert gate.decide(like(tokens=4_000), "redirect", 2_000).action == "pass"
    assert gate.decide(like(tokens=4_500), "redirect", 2_000).action == "redirect"


EXCEPTIONS = [
    ([], "redirect"),
    (["*.py"], "off"),
    (["*.py=advise"], "advise"),
    (["src/*"], "off"),
    (["src"], "off"),
    (["src/"], "off"),
    (["./src/shop"], "off"),
    (["cart.py"], "off"),
    (["/repo/team"], "off"),
    (["/repo/*=advise"], "advise"),
    (["/home/other=advise"], "redirect"),
    (["*.py", "cart.py=redirect"], "redirect"),
    (["*.py=sometimes"], "redirect"),
    (["lib/*", "tests"], "redirect"),
    (["", "=off"], "redirect"),
]


@pytest.mark.parametrize(("exceptions", "mode"), EXCEPTIONS)
def test_the_last_exception_that_names_a_file_counts(exceptions: list[str], mode: str) -> None:
    """Globs over the path below the project or the whole one, or folders."""
    path, below = "/repo/team/src/shop/cart.py", "src/shop/cart.py"
    assert gate.mode_for(path, below, "redirect", exceptions) == mode


@pytest.mark.parametrize(
    ("path", "is_so"),
    [
        (".claude/skills/x/run.py", True),
        ("web/.claude/run.py", True),
        ("skills/x/tool.py", True),
        ("src/skills.py", False),
        ("game/skills/fire.py", False),
        (".claude/worktrees/fix/src/cart.py", False),
        (".claude/worktrees/fix/.claude/run.py", True),
    ],
)
def test_what_tells_claude_how_to_work_is_known_by_its_folder(path: str, is_so: bool) -> None:
    """J4: nobody may take an index of skills for empty."""
    assert gate.is_guidance(path) is is_so


@pytest.mark.parametrize("lines", [0, 1, 9, 10, 99, 1_234])
def test_a_read_numbers_its_lines(lines: int) -> None:
    """Digit by digit, as the estimate counts them."""
    digits = sum(len(str(number)) for number in range(1, lines + 1))
    assert gate.numbered(500, lines) == 500 + round(1.12 * digits)


def test_what_is_read_from_a_line_on_has_the_longer_numbers() -> None:
    """Ten lines from 1,000 on have four digits each."""
    assert gate.numbered(0, 10, 1_000) == round(1.12 * 40)
    assert gate.numbered(7, 9_999) == gate.numbered(7, 1_000) + gate.numbered(0, 8_999, 1_001)


@pytest.mark.parametrize(
    ("tokens", "size", "gives"),
    [(12_000, 60_000, 12_000), (90_000, 262_144, 25_000), (90_000, 262_145, 60)],
)
def test_what_the_host_gives_of_a_whole_file(tokens: int, size: int, gives: int) -> None:
    """25,000 tokens at most, and of more than 256 KB only a word."""
    assert gate.would_deliver(tokens, size) == gives


@pytest.mark.parametrize(
    ("answer", "tokens", "is_within"),
    [(720, 12_000, True), (721, 12_000, False), (1_500, 90_000, True), (1_501, 90_000, False)],
)
def test_an_answer_is_at_most_six_percent(answer: int, tokens: int, is_within: bool) -> None:
    """However long the path that stands in it."""
    assert gate.is_within_share(answer, tokens) is is_within
