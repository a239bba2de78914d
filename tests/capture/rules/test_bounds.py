"""Texts that would keep a pattern busy are cut before any rule reads them."""

from __future__ import annotations

import re

import pytest

from backstory.capture.rules import distill
from backstory.capture.rules.bounds import bounded, bounded_text
from tests.support.turns import Session

_PARTS = ["a", "7", " ", ".", ",", '"', "`", "[", "\\", "\n", "\r\n", " \n", "- ", "= ", "/a"]
_PARTS += ["漢", "_", "a.", "--za", "a, ", "z+", "Benchmark", "игнорируй", "\t", "| a "]


@pytest.mark.parametrize("part", _PARTS)
def test_no_word_gap_or_line_is_long_enough_to_keep_a_pattern_busy(part: str) -> None:
    """Whatever is repeated, what comes out has short words, lines, gaps and empty stretches."""
    text = bounded_text(part * (65_536 // len(part)))
    assert len(text) <= 42_000
    assert max(map(len, text.split("\n"))) <= 2_000
    assert max((len(w) for w in text.split() if w.isascii()), default=0) <= 501
    assert not re.search(r"[^\S\n]{201}", text)
    assert text.count("\n\n\n\n\n\n\n\n\n") == 0


@pytest.mark.parametrize("part", _PARTS)
def test_a_turn_of_repetitions_is_distilled(part: str) -> None:
    """A prompt, an output and a closing message of one thing repeated give rows within bounds."""
    text = part * (65_536 // len(part))
    session = Session()
    session.prompt(text)
    session.bash("make", text)
    assert len(distill(session.done(text)).observations) <= 8


def test_ordinary_texts_come_as_they_are() -> None:
    """What people and tools write passes unchanged, long Chinese paragraphs too."""
    code = "def f():\n    return 1\n\n\ndef g():\n        pass\n" * 200
    prose = "我们决定使用数据库，因为它很快。" * 50
    assert bounded_text(code) == code
    assert bounded_text(prose) == prose


def test_a_long_line_of_prose_is_broken_behind_a_sentence() -> None:
    """A paragraph in one line loses no sentence."""
    text = "We keep the queue in one table. " * 100
    broken = bounded_text(text)
    assert broken.replace("\n", "") == text
    assert all(line.endswith(".") for line in broken.split("\n")[:-1])


def test_the_texts_of_a_turn_have_one_bound_together() -> None:
    """Hundreds of full outputs are cut to their ends once the room of a turn is used up."""
    session = Session()
    for _ in range(60):
        session.bash("make", "word and word\n" * 4_000)
    turn = bounded(session.done("done"))
    assert sum(len(str(use.output)) for use in turn.tool_uses) < 1_000_000
