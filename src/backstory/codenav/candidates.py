"""What of an index may answer a query, before it is ranked."""

from __future__ import annotations

import difflib
import json
import os
import re
import sqlite3
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace

from backstory.codenav.index import SQL, Row, folded
from backstory.codenav.query import Query
from backstory.codenav.ranking import place_factor
from backstory.codenav.slips import distance, neighbours
from backstory.codenav.words import alike, stem, words_of
from backstory.storage.tokens import index_text

_MOST_EXACT = 400
_MOST_OWNED = 4_000  # of which those are chosen that stand in something
_MOST_OTHERS = 50
_MOST_NAMED = 250  # whose names begin with what is asked for, or hold it; more than are shown
_MOST_BY_WORDS = 120
_MOST_ALIKE_BY_WORDS = 50
_LOOKED_AT = 400  # of which these are chosen
_FILES = 5
_COMMON = 4_000  # symbols that have a word
_FUZZY_FROM = 4  # letters; shorter names are all alike
_LIKENESS = 0.75
_MOST_ALIKE = 15  # names that are looked at closely
_MENDED_FROM = 5  # letters of a word in a question
_MENDED = 0.8
_MOST_SPELLED = 200  # words that hold what is asked for; with more, most files do
_LAST_WORD = re.compile(r"(?<![^\W_])[a-z]{3,}$")
_PLAIN_RUN = re.compile("[A-Za-z0-9]+")
_LONGEST_RUN = 20
_PIECE_AT_ENDS = re.compile(r"^[^\W_]+|[^\W_]+$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows may answer; each is asked of every row, so it is to be quick."""

    file: Callable[[int], bool] = lambda _: True
    kind: Callable[[str], bool] = lambda _: True
    any_file: bool = False  # `file` would say yes: it is not asked
    any_kind: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """How often words are in an index."""

    symbols: int
    with_word: dict[str, int]


class Lookup:
    """Questions to one index."""

    def __init__(self, db: sqlite3.Connection, wanted: Wanted) -> None:
        self.db = db
        db.create_function("wanted", 1, wanted.file)
        db.create_function("of_kind", 1, wanted.kind)
        self._wanted = wanted

    def by_name(
        self, query: Query, files: Container[int], enough: int
    ) -> Iterator[tuple[list[Row], str]]:
        """What of these files a query names, and how it was found.

        With `enough` symbols of the very name, others are not looked for.
        """
        found = 0

        def those(rows: Iterable[Row]) -> list[Row]:
            nonlocal found
            chosen = [row for row in rows if row.file in files]
            found += len(chosen)
            return chosen

        if query.joined:
            most = _MOST_OWNED if query.owners else _MOST_EXACT
            yield those(self.exact(query.joined, most)), "name"
        if query.joined and not query.name:
            yield those(self.beginning(query.joined)), "begins"
            yield those(self.with_parts(words_of(query.text))), "parts"
        if not query.name or query.is_path or found >= enough:
            return
        yield those(self.beginning(query.name)), "begins"
        every = self.with_parts(words_of(query.name))
        yield those(every or self.with_parts(query.words)), "parts"
        if not found:
            yield those(self.slipped(query.name)), "like"
            yield those(self.containing(query.name)), "inside"
        if not found:
            yield those(self.resembling(query.name)), "like"

    def exact(self, name: str, most: int = _MOST_EXACT) -> list[Row]:
        """The symbols with this name, whatever its case and joints."""
        return self._rows("by_folded", folded(name), most)

    def kinds(self, ids: Iterable[int]) -> dict[int, str]:
        """The kinds of these symbols."""
        return dict(self.db.execute(SQL["kinds_of"], (json.dumps(list(ids)),)))

    def beginning(self, name: str) -> list[Row]:
        """The symbols whose names begin so, the shortest first."""
        start = folded(name)
        return self._rows("by_prefix", start, start + "\U0010ffff", _MOST_NAMED)

    def containing(self, name: str) -> list[Row]:
        """The symbols whose names hold this."""
        found = self.db.execute(SQL["by_infix"], (folded(name), _MOST_NAMED)).fetchall()
        return self._named(sorted((one for (one,) in found), key=len))

    def resembling(self, name: str) -> list[Row]:
        """The symbols whose names are nearly this one."""
        asked = folded(name)
        if len(asked) < _FUZZY_FROM:
            return []
        low, high = len(asked) - 2, len(asked) + 2
        letters = set(asked)
        # two slips of the pen spare one end of a word
        ends = (asked[:2], asked[-2:])
        found = self.db.execute(SQL["names_of_length"], (low, high, *ends)).fetchall()
        pool = [one for (one,) in found if len(letters.symmetric_difference(one)) <= 4]
        near = difflib.get_close_matches(asked, pool, _MOST_ALIKE, _LIKENESS)
        return self._named(sorted(near, key=lambda one: distance(asked, one))[:5])

    def slipped(self, name: str) -> list[Row]:
        """The symbols whose names are one slip of the pen away."""
        asked = folded(name)
        if len(asked) < _FUZZY_FROM:
            return []
        among = json.dumps(list(neighbours(asked)))
        return self._named(one for (one,) in self.db.execute(SQL["names_among"], (among,)))

    def with_parts(self, words: Iterable[str]) -> list[Row]:
        """The symbols whose names hold all these words."""
        every = " AND ".join(map(_quoted, words))
        asked = f"name : ({every})"
        return [row for row, *_ in self._by_words(asked, _MOST_NAMED)] if every else []

    def about(self, query: Query, counts: Counts) -> list[Row]:
        """The symbols that share words with a question, the likeliest first."""
        asked = [word for word in query.words if counts.with_word.get(word)]
        asked.sort(key=lambda word: counts.with_word[word])
        # weighing takes a microsecond a symbol: a word of very many leads only to those that have
        # a rarer one too
        terms = [
            _quoted(word)
            if at == 0 or counts.with_word[word] <= _COMMON
            else f"({_quoted(word)} AND ({' OR '.join(map(_quoted, asked[:at]))}))"
            for at, word in enumerate(asked)
        ]
        others = {near for word in query.words for near in alike().get(word, ())} - set(asked)
        near = [word for word in sorted(others) if 0 < counts.with_word.get(word, 0) <= _COMMON]
        # of a name that nothing has, few are shown
        most = _MOST_ALIKE_BY_WORDS if query.name else _MOST_BY_WORDS
        found = self._likeliest(" OR ".join(terms), query, most) if terms else []
        if near:
            # a word that says nearly the same is believed in a name or its documentation only
            asked_near = " OR ".join(map(_quoted, near))
            found += self._likeliest(f"{{name doc}} : ({asked_near})", query, _MOST_OTHERS)
        return list({row.id: row for row in found}.values())

    def files_about(self, query: Query, counts: Counts) -> list[int]:
        """The files whose paths and lines outside of symbols hold what is asked for."""
        asked = [word for word in query.words if 0 < counts.with_word.get(word, 0) <= _COMMON]
        every = " AND ".join(map(_quoted, asked))
        found = self.db.execute(SQL["files_by_words"], (every, _FILES)) if asked else ()
        return [one for (one,) in found]

    def counts(self, words: Iterable[str], symbols: int) -> Counts:
        """How often these words and those that say nearly the same occur."""
        every = set(words)
        every |= {near for word in list(every) for near in alike().get(word, ())}
        with_word = {}
        for word in every:
            row = self.db.execute(SQL["count_word"], (word,)).fetchone()
            if row:
                with_word[word] = int(row[0])
        return Counts(symbols, with_word)

    def mended(self, query: Query) -> Query:
        """The query with words that occur nowhere replaced by those that they resemble."""
        words = list(query.words)
        for at, word in enumerate(words):
            if len(word) >= _MENDED_FROM and word.isalpha() and not self._occurs(word):
                low, high = word[:2], word[:2] + "\U0010ffff"
                lengths = (len(word) - 1, len(word) + 4)
                found = self.db.execute(SQL["words_like"], (low, high, *lengths)).fetchall()
                pool = {stem(one) for (one,) in found}
                words[at] = next(iter(difflib.get_close_matches(word, pool, 1, _MENDED)), word)
        return replace(query, words=tuple(dict.fromkeys(words)))

    def _occurs(self, word: str) -> bool:
        return self.db.execute(SQL["count_word"], (word,)).fetchone() is not None

    def files_with(self, text: str, whole: bool = False) -> list[int] | None:
        """The files that may hold a piece of text; None where its words don't tell.

        whole: the text neither begins nor ends within a word.
        """
        # at both ends a word may go on outside of what was asked, as far as its next joint
        inner = text if whole else _PIECE_AT_ENDS.sub(" ", text)
        # a word that does not stand in it as such depends on what is around it
        low = inner.lower()
        words = [word for word in dict.fromkeys(index_text(inner).split()) if word in low]
        terms = [_quoted(word) for word in words]
        last = None if whole else _LAST_WORD.search(text)
        if last and last.start():
            terms.append(f"{_quoted(last[0].lower())} *")
        return self._files(" AND ".join(terms)) if terms else self._files_by_infix(text)

    def _files_by_infix(self, text: str) -> list[int] | None:
        # such a run stands in one word of a file, whatever its case and surroundings are
        longest = max(_PLAIN_RUN.findall(text), key=len, default="").lower()[:_LONGEST_RUN]
        if len(longest) < 3:
            return None
        found = self.db.execute(SQL["words_with"], (longest, _MOST_SPELLED + 1)).fetchall()
        if not found or len(found) > _MOST_SPELLED:
            return None if found else []
        return self._files(" OR ".join(_quoted(one) for (one,) in found))

    def _files(self, asked: str) -> list[int]:
        found = self.db.execute(SQL["files_with_words"], (asked, 100_000)).fetchall()
        return [one for (one,) in found if self._wanted.file(one)]

    def _likeliest(self, asked: str, query: Query, most: int) -> list[Row]:
        """Those that a look into their lines is worth, since tests and values are seldom meant."""
        found = [
            (fit * place_factor(path, row.kind, query), row)
            for row, path, fit in self._by_words(asked, _LOOKED_AT)
        ]
        found.sort(key=lambda one: (one[0], one[1].id))
        return [row for _, row in found[:most]]

    def _by_words(self, asked: str, most: int) -> list[tuple[Row, str, float]]:
        """Symbols with the paths of their files and how well they fit: the less, the better."""
        values = (asked, self._wanted.any_file, most)
        statement = SQL["by_words" if self._wanted.any_kind else "by_words_of_kind"]
        found = [
            (Row(*row), os.fsdecode(path), fit)
            for *row, fit, path in self.db.execute(statement, values)
        ]
        return [one for one in found if self._wanted.kind(one[0].kind)]

    def _named(self, names: Iterable[str]) -> list[Row]:
        return [row for name in names for row in self._rows("by_folded", name, _MOST_OTHERS)]

    def _rows(self, statement: str, *values: object) -> list[Row]:
        rows = [Row(*found) for found in self.db.execute(SQL[statement], values)]
        return [row for row in rows if self._wanted.kind(row.kind)]


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
