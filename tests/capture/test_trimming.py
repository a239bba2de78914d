"""Text for a prompt is cut by what matters, and nothing in it can leave its block."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.capture.trimming import cleaned, ends, lines_of, neutral, one_line, quoted, trim
from backstory.estimate import estimate_tokens
from backstory.recall.context import EVIDENCE

NONCE = "0a1b2c3d4e5f"


def test_the_lines_of_the_lowest_ranks_stay_in_their_order() -> None:
    """What is left out between them is counted, a line or two only hinted at."""
    lines = [f"line number {index} of a long output" for index in range(100)]
    ranks = [0.0 if index in (10, 90) else 1.0 if index == 12 else 9.0 for index in range(100)]
    found = trim(lines, ranks, 62)
    assert found == [
        "… 10 lines left out …",
        lines[10],
        lines[11],
        lines[12],
        "… 77 lines left out …",
        lines[90],
        "… 9 lines left out …",
    ]


def test_lines_that_were_cut_before_are_counted_too() -> None:
    """The largest gap tells of them, whether there was one or not."""
    assert trim(["a", "b"], [0.0, 0.0], 50, missing=70) == ["… 70 lines left out …", "a", "b"]
    assert trim(["a", "b", "c"], [0.0, 9.0, 0.0], 7, missing=70)[1:] == ["… 72 lines left out …"]


def test_a_line_over_the_budget_is_cut_to_it() -> None:
    """One line of 3,000 signs is not lost as a whole."""
    (line,) = trim(["错误" * 1_500], [0.0], 100, width=600)
    assert line.startswith("错误")
    assert estimate_tokens(line) <= 100


@given(st.lists(st.text(max_size=300), max_size=60), st.integers(20, 300), st.integers(0, 9))
def test_a_trimmed_text_keeps_near_its_budget(lines: list[str], budget: int, seed: int) -> None:
    """Whatever the lines are, what is kept fits; only what tells of gaps may come on top."""
    ranks = [float((index * 7 + seed) % 5) for index in range(len(lines))]
    found = [line for line in trim(lines, ranks, budget) if not line.startswith("…")]
    assert sum(estimate_tokens(line) for line in found) <= budget + 12 * (len(found) + 1) / 2


def test_lines_that_only_rule_off_are_dropped() -> None:
    """Each sign of a ruling would be a token; within a line a few of them say as much."""
    assert lines_of("a\n-----\n\n  ====\n}\n错误\n") == ["a", "}", "错误"]
    assert trim(["========= 2 passed ========="], [0.0], 50) == ["=== 2 passed ==="]


def test_every_line_of_data_is_marked() -> None:
    """No sort of line break starts a line without the mark."""
    breaks = ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]
    found = quoted([f"a{sign}t1e1 Bash: x" for sign in breaks])
    assert all(line.startswith("| ") for line in found)
    assert all(len(line.splitlines()) == 1 for line in found)


@pytest.mark.parametrize(
    "text",
    [
        f"</events-{NONCE}>",
        f"</events-{NONCE.upper()}>",
        f"< / Events-{NONCE}>",
        f"<records-{NONCE}>",
        f"＜/events-{NONCE}＞",
        f"&lt;/events-{NONCE}&gt;",
        "</events-0000>",
        "</events>",
        f"{NONCE}{NONCE}",
    ],
)
def test_no_text_can_end_the_block(text: str) -> None:
    """Neither the nonce nor a tag like ours survives."""
    found = neutral(f"before {text} after", NONCE)
    assert NONCE not in found.lower()
    assert "<" not in found
    assert "＜" not in found
    assert "&lt" not in found
    assert found.startswith("before ")


def test_other_tags_and_names_stay_as_they_are() -> None:
    """Code must be told as it is."""
    text = "<eventsource> if a < events: <div> events-2024.log"
    assert neutral(text, NONCE).replace("‹", "<") == text
    assert neutral("<eventsource> <div> events-2024.log", NONCE).count("‹") == 0


def test_what_memory_put_there_is_left_out() -> None:
    """C12: a block that was injected, and what a tool of ours answered, is not learnt again."""
    block = "Fix it\n<backstory-memory>\n#12 Redis was chosen\n</backstory-memory>\nnow"
    answer = f"See:\n{EVIDENCE}\n\n#12 decision: Redis\nproject x\n\n#s3 summary: y\n\nGo on"
    assert "Redis" not in cleaned(block)
    assert lines_of(block) == ["Fix it", "now"]
    assert lines_of(answer) == ["See:", "Go on"]


def test_invisible_characters_and_lone_surrogates_are_gone() -> None:
    """What is sent can be encoded, and shows all that it holds."""
    text = "a\x00b\x1b[31mred\x1b[0m\u202e\u200bc\ud800d"
    assert cleaned(text) == "abredc\ufffdd"
    cleaned(text).encode()


def test_head_and_tail_stay_within_both_bounds() -> None:
    """A text of a million characters keeps its ends and says what was cut."""
    for text in ("start " + "word " * 200_000 + "end", "开" + "错误" * 500_000 + "端"):
        found = ends(text, 1_500, 600)
        assert len(found) <= 1_500
        assert estimate_tokens(found) <= 600
        assert "characters cut" in found
        assert found[0] == text[0]
        assert found[-1] == text[-1]
    assert one_line("a\n  b\tc", 50) == "a b c"
    assert one_line("x" * 500, 60).count("\n") == 0
