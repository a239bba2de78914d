"""What a model said, as the object that was asked for, or why it is of no use."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any, Literal

from backstory.capture.providers.base import ANSWER_LIMIT

Why = Literal["prose", "empty", "shape", "cut", "too_large", "limit"]

LISTS = ("observations", "summaries")
NOTHING: dict[str, list[Any]] = {name: [] for name in LISTS}
_SHORT = 600  # characters of a notice
_STARTS = 8  # places in a text where the object may begin
_LONGEST_INT = 18  # digits

_START = re.compile(r'\{\s*"(?:observations|summaries)"')
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_NOTHING = re.compile(
    r"\b(?:no|nothing|none|zero)\b(?:[^.!?]{0,60}\b(?:observations?|findings?|records?|rows?|"
    r"insights?|entries|learnings?|memor(?:y|ies)|record(?:ed|ing)?|remember(?:ed|ing)?|keep(?:ing)?|"
    r"kept|sav(?:e|ed|ing)|stor(?:e|ed|ing)|add|report|not(?:e|ing|able|eworthy)|significant|"
    r"interest)\b|\W*$)"
    r"|\b(?:keine|nichts)\b[^.!?]{0,60}\b(?:beobachtung\w*|aufzeich\w*|erkenntnis\w*|\w*halten)"
    r"|没有.{0,12}(?:记录|观察|内容)|无.{0,6}记录|記録.{0,12}(?:ありません|なし|ない)"
    r"|\b(?:ningun|nada|aucune?|rien|ничего|нет)\w*\b[^.!?]{0,60}\b(?:observa|registr|enregistr|"
    r"запис|наблюд|запомн)",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:errors?|fail\w*|unable|cannot|can't|could ?n[o']t|couldn't|limit\w*|sorry|denied|"
    r"invalid|missing|unavailable|try again|log ?in|api|but|however|provided?|empty|need|without|"
    r"attached|received|see any|access)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:usage|rate|session|weekly|daily|monthly|hourly|5-hour|request|token|spend(?:ing)?)s?"
    r"[ _-]?limit|\blimit (?:reached|exceeded|will reset)|hit your .{0,30}limit|\blimit\b.{0,20}"
    r"\bresets?\b|reached your .{0,30}limit|credit balance|insufficient[ _](?:credit|fund|quota|"
    r"balance)|\bquota\b|overloaded|too many requests|\bat capacity\b|\bbilling\b|payment required|"
    r"\bstatus(?: code)?:? (?:402|429|529)\b|\b(?:error|http) (?:402|429|529)\b|out of (?:credits?|"
    r"extra usage)|usage credits|upgrade your plan|service unavailable|temporarily unavailable",
    re.IGNORECASE,
)


class Unusable(Exception):
    """An answer that is not what was asked for."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why: Why = why


def read_object(text: str, *, is_cut: bool = False) -> dict[str, Any]:
    """The object with its two lists; `NOTHING` for a sentence that says there is nothing.

    Raises Unusable. is_cut: the answer ended where no more tokens were allowed.
    """
    if len(text) > ANSWER_LIMIT or len(text.encode("utf-8", "replace")) > ANSWER_LIMIT:
        raise Unusable("too_large")
    text = text.strip().strip("\ufeff\u200b\0").strip()
    if not text:
        raise Unusable("cut" if is_cut else "empty")
    whole, end = _decoded(text, 0)
    if whole is None or text[end:].strip():
        found = _found(text)
        if found is not None:
            return found
        if not is_cut and _says_nothing(text):
            return NOTHING
        raise Unusable(_why(text, is_cut=is_cut))
    if _fits(whole):
        return dict(whole)
    is_notice = isinstance(whole, dict) and (_is_error(whole) or _is_limit(text))
    raise Unusable("limit" if is_notice else "shape")


def _found(text: str) -> dict[str, Any] | None:
    """The one object with both lists, in a fence or between sentences."""
    starts = {found.start() for found in islice(_START.finditer(text), _STARTS)}
    found: list[dict[str, Any]] = []
    behind = 0
    for start in sorted((starts | {text.find("{")}) - {-1}):
        if start >= behind:  # else it is inside of the one before
            value, end = _decoded(text, start)
            if _fits(value):
                found.append(value)
                behind = end
    # Of two different answers, which is meant cannot be known.
    if found and all(one == found[0] for one in found):
        return found[0]
    return None


def _fits(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), list) for name in LISTS)


def _decoded(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that starts there and where it ends; None where there is none."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
    """An object, or None where it holds a name twice: which value is meant cannot be known."""
    values = dict(pairs)
    return values if len(values) == len(pairs) else None


def _int(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_INT else None


# Line breaks inside of strings are let through; numbers that are none become null.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_int, parse_constant=lambda _: None, strict=False
)


def _is_error(whole: dict[str, Any]) -> bool:
    """Whether the object is a service's complaint."""
    return whole.get("type") == "error" or bool(whole.get("error") or whole.get("errors"))


def _says_nothing(text: str) -> bool:
    return (
        len(text) <= _SHORT
        and not any(mark in text for mark in "{}[]")
        and _NOTHING.search(text) is not None
        and not _BUT.search(text)
    )


def _is_limit(text: str) -> bool:
    return len(text) <= 2 * _SHORT and bool(_LIMIT.search(text) or '"error"' in text)


def _why(text: str, *, is_cut: bool) -> Why:
    if not _START.search(text) and _is_limit(text):
        return "limit"
    if "{" not in text:
        return "cut" if is_cut else "prose"
    depth = 0
    for token in _TOKEN.finditer(text, text.index("{")):
        mark = token[0]
        if mark[0] != '"':
            depth += 1 if mark in "[{" else -1
        elif len(mark) == 1 or mark[-1] != '"':
            return "cut"
    return "cut" if depth > 0 or is_cut else "shape"
