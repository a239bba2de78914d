"""Files by their paths: what of a query names one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from backstory.codenav.index import folded
from backstory.codenav.query import Query
from backstory.codenav.ranking import is_test
from backstory.codenav.walk import is_vendored
from backstory.codenav.words import words_of

MOST = 8
_TESTS = 12  # less for a file about testing, which nobody asked for
_WHOLE_FOLDER = frozenset(("__init__", "index", "mod"))


def named(query: Query, paths: Iterable[str]) -> list[tuple[str, float, str]]:
    """(path, score, why) of the files that a query names, best first."""
    asked = query.text.strip("./").lower()
    words = set(query.words)
    result = []
    for path in paths:
        low, stem = _shape(path)
        # thousands of paths, of which most hold nothing that was asked for
        if asked not in low and stem != query.joined and not all(word in low for word in words):
            continue
        score, why = _fit(asked, query, words, path, low, stem)
        if score:
            score -= 20 * is_vendored(path) + 0.3 * path.count("/")
            score -= _TESTS * (is_test(path) and "test" not in words)
            result.append((path, score, why))
    result.sort(key=lambda one: (-one[1], one[0]))
    return result[: MOST * 4]


@lru_cache(maxsize=100_000)
def _shape(path: str) -> tuple[str, str]:
    """A path in lower case, and its name without ending, case and joints."""
    low = path.lower()
    folder, _, name = low.rpartition("/")
    stem = name.partition(".")[0] or name
    if stem in _WHOLE_FOLDER and folder:
        stem = folder.rpartition("/")[2]  # it stands for its folder
    return low, folded(stem)


def _is_module(asked: str, low: str) -> bool:
    """Whether a.b is the file a/b, or the one that stands for that folder."""
    own = f"/{low}".rpartition(".")[0]
    folder, _, stem = own.rpartition("/")
    below = "/" + asked.replace(".", "/")
    return own.endswith(below) or (stem in _WHOLE_FOLDER and folder.endswith(below))


def _fit(
    asked: str, query: Query, words: set[str], path: str, low: str, stem: str
) -> tuple[float, str]:
    if low == asked:
        return 100, "path"
    if low.endswith("/" + asked):
        return 95, "end of the path"
    if query.is_path and f"/{low}".rpartition(".")[0].endswith("/" + asked):
        return 92, "path"
    if query.joined and stem == query.joined and not query.owners:
        return 85 if query.name else 80, "file name"
    if query.owners and "/" not in asked and _is_module(asked, low):
        return 84, "module"
    if query.is_path and asked in low:
        return 70, "part of the path"
    if words and words <= set(words_of(path)):
        return 60, "words of the path"
    return 0, ""
