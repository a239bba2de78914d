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
_ENOUGH = 2
_SHARE = 0.4  # of a weighty record's telling words


class Subject:
    """What a row is about."""

    def __init__(self, text: str, files: set[str], *, is_bare: bool) -> None:
        """files: those that it touched or names. is_bare: it has a title and nothing else."""
        self.words = _telling(text)
        self.every = terms(text)
        self.names = _names(text)
        self.files = files
        self.is_bare = is_bare

    def holds(self, draft: Known) -> bool:
        """Whether the row keeps a draft's subject, so that it may take its place."""
        told = _telling(draft.title)
        shared = told & self.every  # a title of common words alone is told by them
        is_weighty = draft.type in _WEIGHTY or draft.evidence == "verified"
        if self.is_bare and is_weighty:
            return False
        if draft.type in _WEIGHTY:
            least = max(min(_ENOUGH, len(told)), _SHARE * len(told))
            return bool(told) and len(shared) >= least
        by_file = not self.is_bare and bool(self.files.intersection(draft.files))
        return by_file or bool(told and shared == told) or self._is_close(draft, shared)

    def ends(self, older: Known) -> bool:
        """Whether the row may supersede an older record."""
        if self.is_bare:
            return False
        shared = _telling(older.title) & self.words
        if self.files.intersection(older.files):
            return bool(shared) or older.type not in _WEIGHTY
        return self._is_close(older, shared)

    def _is_close(self, known: Known, shared: frozenset[str]) -> bool:
        # the parts of one name are no words of their own
        alone = [word for word in shared if not any(word in one for one in shared - {word})]
        return len(alone) >= _ENOUGH or bool(self.names & _names(known.title))


def _telling(text: str) -> frozenset[str]:
    found = terms(text)
    return found - _COMMON_TERMS or found


def _names(text: str) -> frozenset[str]:
    """What is written as code writes it, in lower case."""
    words = _TOKEN.findall(text)
    return frozenset(word.casefold() for word in words if _CODED.search(word) or is_name(word))
