"""The words of code and of questions about it, brought to one form."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from backstory.storage.tokens import counted, plain_words

_VOWEL = re.compile("[aeiouy]")
_PLURAL = ("sses", "shes", "ches", "xes", "zes")


def words_of(text: str) -> list[str]:
    """The words of a text in order, parts of identifiers apart, each in its one form."""
    return [stem(word) for word in plain_words(text).split()]


def counted_words(text: str) -> Counter[str]:
    """How often each word is there, whole identifiers among them: `text_file` is a textfile too."""
    total: Counter[str] = Counter()
    for word, count in counted(text).items():
        form = stem(word)
        total[form] = total[form] + count if form in total else count
    return total


@lru_cache(maxsize=8_192)
def short_words(text: str) -> Mapping[str, int]:
    """The same of a short text, as a path or a name, which many symbols have: not to be changed."""
    return counted_words(text)


def meant_words(text: str) -> list[str]:
    """The words that a question asks for, as written: all of them where none has a meaning."""
    said = plain_words(text).split()
    return [word for word in said if word not in _table("stop")] or said


def asked_words(text: str) -> list[str]:
    """The same in their one form, once each."""
    return list(dict.fromkeys(map(stem, meant_words(text))))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """One form of a word: without its ending, and the usual one of several spellings."""
    same = _table("same")
    known = same.get(word)
    if known is not None:
        return known
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    word = _without_ending(_singular(word))
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return same.get(word, word)


@cache
def alike() -> Mapping[str, frozenset[str]]:
    """For a word, those that say nearly the same."""
    result: dict[str, set[str]] = {}
    for line in _data()["alike"].split("\n"):
        group = {stem(word) for word in line.split()}
        for word in group:
            result.setdefault(word, set()).update(group - {word})
    return {word: frozenset(others) for word, others in result.items()}


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(_PLURAL):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= 3 and _VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if doubled else rest
    return word


@cache
def _table(name: str) -> Mapping[str, str]:
    """Each word of a table, with the first one of its line."""
    rows = [line.split() for line in _data()[name].split("\n")]
    return {word: row[0] for row in reversed(rows) for word in row}


@cache
def _data() -> Mapping[str, str]:
    text = files(__package__ or "backstory.codenav").joinpath("vocabulary.toml")
    return tomllib.loads(text.read_text(encoding="utf-8"))
