"""Texts, rows and errors within so many tokens: what is cut is said, and what was asked stays."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from backstory.codenav.rows import fitting, shortened
from backstory.codenav.wording import TOOLS, Wording
from backstory.errors import BackstoryError
from backstory.estimate import estimate_tokens

MORE = "… {:,} more"  # the last row of a list that is not shown whole
_MORE = re.compile(r"… ([\d,]+) more\b")
_HEAD, _HINT = 0.4, 0.35  # of an error's tokens, where it does not fit
_LEAST = 8  # characters, below which nothing is left of a text
_WORTH = 12  # tokens, below which no part of a row is worth showing


def narrowed(text: str, tokens: float) -> str:
    """A line without its middle, in so many tokens at most."""
    width, cut = len(text), text
    while estimate_tokens(cut) > tokens and width > _LEAST:
        width = int(width * 0.85)
        cut = shortened(text, width)
    return cut


def some(rows: Iterable[str], room: float) -> list[str]:
    """The first rows that fit into so many tokens: of the first one what there is room for."""
    waiting = iter(rows)
    first = next(waiting, None)
    found, _ = fitting(chain(() if first is None else (first,), waiting), room)
    if not found and first is not None and room >= _WORTH:
        indent = first[: len(first) - len(first.lstrip())]
        found = [indent + narrowed(first.strip(), room - 2)]
    return found


def fitted(error: BackstoryError, tokens: float, wording: Wording = TOOLS) -> BackstoryError:
    """The error in so many tokens: its rows are cut at their end, its sentences in the middle."""
    if _cost(error.message, error.hint) <= tokens:
        return error
    head, *rows = error.message.split("\n")
    hint = narrowed(error.hint, tokens * (_HINT if rows else 1 - _HEAD - 0.1))
    head = narrowed(head, max(tokens * _HEAD, tokens - _cost("", hint) - 1 if not rows else 0))
    told = _MORE.search(rows[-1]) if rows else None
    if told:
        rows.pop()
    beyond = int(told[1].replace(",", "")) if told else 0
    more = f"{MORE.format(len(rows) + beyond)}: raise {wording.budget}"
    shown = some(rows, tokens - _cost(f"{head}\n{more}", hint) - 2) if rows else []
    left = len(rows) - len(shown) + beyond
    if left:
        shown.append(f"{MORE.format(left)}: raise {wording.budget}")
    return type(error)("\n".join([head, *shown]), hint=hint)


def _cost(message: str, hint: str) -> int:
    """Tokens of an error as a tool tells it."""
    return estimate_tokens(f"Error: {message}\nHint: {hint}" if hint else f"Error: {message}")
