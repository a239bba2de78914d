"""The words of a text that it can be matched by."""

from __future__ import annotations

import re
from functools import lru_cache

from backstory.capture.rules.wordlist import wordlist

WORD = re.compile(r"[^\W_]+", re.UNICODE)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_STOP = wordlist(
    "the and for are was were has have had not but with from this that these those then than "
    "there here when what which where who why how does did done can could should would will "
    "shall may might must its into onto out off over under all any some each every one two "
    "also only just now new old use used uses using get gets set sets make makes made let see "
    "run runs add added fix fixed change changed changes update updated file files code line "
    "lines test tests please need needs want check look find found you your our their them "
    "they more most less very too yes because since while after before about between through "
    "per via being been return returns self none true false null def class func function "
    "const import string value name data type und der die das ist nicht ein eine mit für auf "
    "von zu den dem des wird werden oder auch als wie les des une est pas pour dans par sur "
    "avec qui que los las una por para con del como это как что для или при его она они уже"
)


@lru_cache(maxsize=500)  # a sentence is compared with many others
def terms(text: str) -> frozenset[str]:
    """Words of three letters or more, numbers, and pairs of CJK characters; in lower case."""
    found: set[str] = set()
    for word in WORD.findall(text):
        lower = word.lower()
        if runs := _WIDE.findall(word):
            for run in runs:
                found.update(run[i : i + 2] for i in range(len(run) - 1))
            lower = _WIDE.sub("", lower)  # what is left of a mixed word
        if (len(lower) > 2 or lower.isdigit()) and lower not in _STOP:
            found.add(_stem(lower))
        if word[1:] != lower[1:]:
            found.update(
                part.lower()
                for part in re.findall(r"[A-Z]?[a-z]{2,}", word)
                if part.lower() not in _STOP
            )
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in ("ing", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            return word[: -len(ending)]
    return word


def weight(shared: frozenset[str] | set[str]) -> int:
    """How much shared words say: numbers and long words count double."""
    return sum(2 if (word.isdigit() and len(word) > 1) or len(word) > 7 else 1 for word in shared)


def same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts say the same in nearly the same words."""
    return len(one & other) >= 0.75 * len(one | other) if one and other else False


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the smaller set that the two have in common."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0
