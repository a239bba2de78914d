"""Files by their paths: what of a query names one."""

from __future__ import annotations

from collections.abc import Iterable

from backstory.codenav.index import folded
from backstory.codenav.query import Query
from backstory.codenav.ranking import is_test
from backstory.codenav.walk import is_vendored
from backstory.codenav.words import words_of

MOST = 8


def named(query: Query, paths: Iterable[str]) -> list[tuple[str, float, str]]:
    """(path, score, why) of the files that a query names, best first."""
    asked = query.text.strip("./").casefold()
    words = set(query.words)
    result = []
    for path in paths:
        score, why = _fit(asked, query, words, path)
        if score:
            score -= 20 * is_vendored(path) + 5 * is_test(path) + 0.3 * path.count("/")
            result.append((path, score, why))
    result.sort(key=lambda one: (-one[1], one[0]))
    return result[: MOST * 4]


def _fit(asked: str, query: Query, words: set[str], path: str) -> tuple[float, str]:
    low = path.casefold()
    if low == asked:
        return 100, "path"
    if low.endswith("/" + asked):
        return 95, "end of the path"
    if query.is_path and f"/{low}".rpartition(".")[0].endswith("/" + asked):
        return 92, "path"
    name = low.rpartition("/")[2]
    stem = name.partition(".")[0] or name
    if query.name and not query.owners and folded(stem) == query.joined:
        return 85, "file name"
    if query.joined and folded(stem) == query.joined:
        return 80, "file name"
    if query.is_path and asked in low:
        return 70, "part of the path"
    # cheap before dear: most paths hold none of the words
    if words and all(word in low for word in words) and words <= set(words_of(path)):
        return 60, "words of the path"
    return 0, ""
