"""Captured text made short and harmless for a prompt: which lines stay, and how data is marked.

Every line of data begins with `| ` where it is sent, so that nothing in it can pass for a heading,
and nothing that looks like the delimiter of a block survives in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from backstory.estimate import estimate_tokens
from backstory.recall.context import EVIDENCE
from backstory.sanitize import door

MARK = "| "
WIDTH = 220  # characters of a line of an output
_INDENT = 12
_LINE_PRICE = 3  # tokens of the mark and the line's end
GAP_PRICE = 11  # tokens of a line that tells of a gap
_BRIEF_GAP = 3  # lines; a gap of fewer is only shown as "…"
_MISSES = 6  # lines that did not fit before the rest is given up

_CHEAP = 12  # tokens of a line that stands alone between kept ones: cheaper shown than told of
_LEAST = 40  # tokens that are left for a line to be worth cutting to them

_GAPS = re.compile(r"(?<=\S)[ \t]{4,}")
_WORDS = re.compile(r"[^\W_]")
_RULES = re.compile(r"([^\w\s])\1{5,}")  # "==== 2 passed ====": each sign is a token
# What a tool of ours answered: one sentence, its paragraph, and the records behind it.
_PARAGRAPH = r"[^\n]*(?:\n[^\n]*\S[^\n]*)*"
_RECALLED = re.compile(rf"{re.escape(EVIDENCE)}{_PARAGRAPH}(?:\n\s*\n(?=#[ps]?\d+ ){_PARAGRAPH})*")
_TAG = re.compile(r"(?:<|＜|&lt;?)(?=\s*[/／]?\s*(?:events|records)\b)", re.IGNORECASE)


def cleaned(text: str) -> str:
    """`text` without invisible characters and without what memory itself put there."""
    if "backstory-memory" in text.lower():
        text = door.clean_text(text, max(len(text), 1))
    if EVIDENCE in text:
        text = _RECALLED.sub("", text)
    return door.plain(text)


def one_line(text: str, characters: int, tokens: int = 120) -> str:
    """The text on one line, the middle cut out of a longer one, within both bounds."""
    return " ".join(ends(" ".join(cleaned(text).split()), characters, tokens).split())


def ends(text: str, characters: int, tokens: int) -> str:
    """Head and tail of a text, within both bounds, and how much was cut between."""
    found = door.cut_middle(text, characters)
    limit = len(found)
    while limit > 40 and (cost := estimate_tokens(found) + found.count("\n")) > tokens:
        limit = min(limit - 1, limit * tokens // cost)
        found = door.cut_middle(text, max(limit, 40))
    return found


def lines_of(text: str) -> list[str]:
    """The lines that say something: not the empty ones, not those that only rule off."""
    lines = [line.rstrip() for line in cleaned(text).splitlines()]
    return [line for line in lines if 0 < len(line.strip()) < 4 or _WORDS.search(line)]


def trim(
    lines: Sequence[str],
    ranks: Sequence[float],
    budget: int,
    *,
    width: int = WIDTH,
    missing: int = 0,
) -> list[str]:
    """The lines of the lowest ranks that fit into `budget` tokens, in their order.

    What is left out between them is told, with the `missing` lines that were cut before.
    """
    kept: dict[int, str] = {}
    left, misses = float(budget), 0
    for index in sorted(range(len(lines)), key=lambda at: (ranks[at], at)):
        line = _fitted(lines[index], width)
        price = _price(line, index, kept)
        if price > left >= _LEAST:
            line = _fitted(line, max(16, int(len(line) * left / price) - 8))
            price = _price(line, index, kept)
        if price <= left:
            kept[index] = line
            left -= price
        elif (misses := misses + 1) >= _MISSES:
            break
    return _joined(kept, lines, missing)


def _price(line: str, index: int, kept: Mapping[int, str]) -> float:
    price = estimate_tokens(line) + _LINE_PRICE
    beside = not index or index - 1 in kept or index + 1 in kept
    return price if beside else price + GAP_PRICE / 2


def _joined(kept: Mapping[int, str], lines: Sequence[str], missing: int) -> list[str]:
    places = [-1, *sorted(kept), len(lines)]
    gaps = [after - before - 1 for before, after in pairwise(places)]
    if missing > 0:
        gaps[gaps.index(max(gaps))] += missing
    found: list[str] = []
    for place, gap in zip(places, gaps, strict=False):
        found += [kept[place]] if place >= 0 else []
        if gap == 1 and place + 1 < len(lines) and _is_cheap(lines[place + 1]):
            found.append(_fitted(lines[place + 1], WIDTH))
        elif gap:
            found.append(_gap(gap))
    return found


def _is_cheap(line: str) -> bool:
    return len(line) < _CHEAP * 5 and estimate_tokens(line) <= _CHEAP


def _gap(count: int) -> str:
    return "…" if count < _BRIEF_GAP else f"… {count} lines left out …"


def _fitted(line: str, width: int) -> str:
    """The line within its width: less indented, gaps narrowed, its middle cut out."""
    text = line.lstrip()
    text = line[: min(len(line) - len(text), _INDENT)] + _GAPS.sub("   ", text)
    text = _RULES.sub(r"\1\1\1", text)
    if len(text) <= width:
        return text
    tail = width // 4
    return f"{text[: width - tail - 3]} … {text[-tail:]}"


def quoted(lines: Iterable[str]) -> list[str]:
    """Lines of data as they are sent."""
    return [MARK + part for line in lines for part in line.splitlines()]


def neutral(text: str, nonce: str) -> str:
    """`text` in which nothing looks like a delimiter of the block that `nonce` names."""
    text = _TAG.sub("‹", text)
    return re.sub(re.escape(nonce), "…", text, flags=re.IGNORECASE) if nonce else text
