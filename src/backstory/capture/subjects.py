"""Whether two records are about the same thing: what may take the place of what.

A model says which rows its own replaces. One bad row would wipe a turn if that were believed.
"""

from __future__ import annotations

import re

from backstory.capture.batch import Known
from backstory.capture.grounding import is_name
from backstory.capture.rules.terms import terms
from backstory.capture.rules.wordlist import wordlist

SECURITY = frozenset(("security_alert", "security_note", "sensitive"))
_WEIGHTY = SECURITY | {"decision", "bugfix"}
# Words of every other record: to share one of them says nothing.
_COMMON = wordlist(
    "src lib app error errors fail failed failing failure pass passed work works working well user "
    "claude project repo issue problem commit done went check checked turn session web read asked "
    "again still good fine everything now result results command output version python"
)
_COMMON_TERMS = terms(" ".join(_COMMON)) | _COMMON
_TOKEN = re.compile(r"\w[\w./-]*\w")
_CODED = re.compile(r"\w[./]\w|[A-Za-z]\d|\d[A-Za-z]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# What a row says has come to its end: one such word is enough.
_ENDED = re.compile(
    r"(?i)\b(?:instead of|rather than|replac(?:es?|ed|ing)|supersed(?:es?|ed)|ersetzt|statt|"
    r"anstelle von|remplace|reemplaza|sustituye|au lieu de|en vez de|вместо|заменяет) "
    r"((?:\w[\w.-]{0,40}\s?){1,3})"
    r"|\b((?:\w[\w-]{0,40}\s){1,3})(?:moved (?:to|from|into)|replaced by|gone|ersetzt durch)\b"
    r"|\b(?:no|kein\w*) ((?:\w[\w-]{0,40}\s){1,2})(?:any ?more|mehr|left)\b"
    r"|(?:取代|替换|代替|而不是|不再(?:使用|用)?)([^\s，。,；;]{1,8})"
)
_STOPS = re.compile(
    r"(?i)\b(?:in|for|by|with|to|at|on|from|of|as|because|since|für|von|bei|wegen)\b.*"
)
_BRANDED = re.compile(r"[a-z][A-Z]|\b[A-Z]{2,}s?\b|\d")
_ENOUGH = 2  # telling words
_SHARE = 0.4  # of a weighty record's telling words


class Subject:
    """What a row is about."""

    def __init__(self, text: str, files: set[str], *, is_bare: bool) -> None:
        """files: those that it touched or names. is_bare: it has a title and nothing else."""
        self.words = _telling(text)
        self.every = terms(text)
        self.names = _names(text)
        self.gone = _gone(text)
        self.files = files
        self.is_bare = is_bare

    def holds(self, draft: Known) -> bool:
        """Whether the row keeps a draft's subject, so that it may take its place."""
        told = _telling(draft.title)
        if not told or (self.is_bare and _is_weighty(draft)):
            return False
        if draft.type in _WEIGHTY:
            shared = _count(told & self.every)
            return shared >= max(min(_ENOUGH, _count(told)), _SHARE * _count(told))
        place, own = self._place(draft, told)
        if not own:  # "Changed cart.py" says no more than where
            return bool(place) and not self.is_bare
        # a title of common words alone is told by them
        return told <= self.every or self._is_close(draft, own & self.every, own, place)

    def ends(self, older: Known) -> bool:
        """Whether the row may supersede an older record."""
        if self.is_bare:
            return False
        told = _telling(older.title)
        place, own = self._place(older, told)
        if place and any(_is_one(word, gone) for word in told for gone in self.gone):
            return True
        return self._is_close(older, own & self.words, own, place)

    def _place(self, known: Known, told: frozenset[str]) -> tuple[set[str], frozenset[str]]:
        """The files and names that a record has in common with the row, and its words beside them.

        Of one file there is much to say: where two records are is not yet what they are about.
        """
        place = {*self.files.intersection(known.files), *(self.names & _names(known.title))}
        return place, told - terms(" ".join(place))

    def _is_close(
        self, known: Known, shared: frozenset[str], own: frozenset[str], place: set[str]
    ) -> bool:
        # the parts of one name are no words of their own
        alone = frozenset(w for w in shared if not any(w in other for other in shared - {w}))
        if not place:
            return _count(alone) >= _ENOUGH
        least = min(_ENOUGH, _count(own)) if _is_weighty(known) else 1
        names = alone & _brands(known.title)  # says as much as two words
        return bool(alone) and _count(alone) + _count(names) >= least


def _is_weighty(known: Known) -> bool:
    return known.type in _WEIGHTY or known.evidence == "verified"


def _count(words: frozenset[str]) -> float:
    """How many words these are: two pairs of characters are one."""
    return sum(0.5 if _WIDE.match(word) else 1.0 for word in words)


def _telling(text: str) -> frozenset[str]:
    found = terms(text)
    return found - _COMMON_TERMS or found


def _names(text: str) -> frozenset[str]:
    """What is written as code writes it, in lower case."""
    words = _TOKEN.findall(text)
    return frozenset(word.casefold() for word in words if _CODED.search(word) or is_name(word))


def _gone(text: str) -> frozenset[str]:
    """The words of what a text says to be at its end: MySQL, where Postgres replaces it."""
    found = (part for groups in _ENDED.findall(text) for part in groups if part)
    return frozenset(word for part in found for word in _telling(_STOPS.sub("", part)))


def _is_one(word: str, other: str) -> bool:
    """Whether two words are one, but for an ending: deploys, deployment."""
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) > 4 and short.isalpha() and long.startswith(short))


def _brands(text: str) -> frozenset[str]:
    """The words of a text that are written like names: JWT, MySQL, S3."""
    return frozenset(word.lower() for word in _TOKEN.findall(text) if _BRANDED.search(word))


def may_replace(kind: str, older: Known) -> bool:
    """Whether a row of that type may stand for an older one: what tells of a danger stays."""
    return older.type not in SECURITY or kind in SECURITY
