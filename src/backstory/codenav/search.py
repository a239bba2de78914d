"""One search of one workspace: symbols, then files, then lines; from the index and without it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from backstory.codenav import files, lines, scan
from backstory.codenav.answer import Counts, Request
from backstory.codenav.beyond import Beyond
from backstory.codenav.candidates import Lookup, Wanted
from backstory.codenav.globs import matcher
from backstory.codenav.index import Known, Row, folded
from backstory.codenav.languages import detect
from backstory.codenav.meant import as_meant
from backstory.codenav.part import Part
from backstory.codenav.permissions import Rules
from backstory.codenav.query import Query, as_words
from backstory.codenav.ranking import Candidate, Nearness, by_name, by_words
from backstory.codenav.reading import Reading
from backstory.codenav.using import Using
from backstory.codenav.view import View
from backstory.codenav.walk import Stamp, files_at

STRONG = 80.0  # the score of a name that is the one asked for
_SCAN_S = 2.5  # of a first search, before the index is there
_LINES_S = 1.0
_FIRST_LINES_S = 2.5  # the same without the index
_REST_S = 0.4  # for ranking and writing
_USE_S = 0.0125  # of work for each use that is asked for
_READ_S = 0.0005  # more for each file of which the index does not tell whether it has the name
_MORE_LINES_S = 0.025  # where the definitions were found already
_WORD_LINES_S = 0.3  # where those that were found are merely like the name
_MOST_LINES = 8  # beside symbols that were found by name
_MOST_BINDINGS = 3
_PHRASE = 3  # words that stand in a line as they were asked for by no accident
_MOST_ALIKE = 5  # rows that share words with a name that nothing has
_NAMED_FILE = 80.0  # the score of a file that has the name itself
_LEAST = 0.45  # of the best score of a question: few right answers are below it


class Search:
    """One search of one workspace."""

    def __init__(
        self,
        view: View,
        request: Request,
        query: Query,
        rules: Rules,
        deadline: float,
        prefix: str = "",
        nearness: Nearness | None = None,
    ) -> None:
        self.view = view
        self.request = request
        self.query = query
        self.rules = rules
        self.deadline = deadline
        self.prefix = prefix
        self.nearness = nearness
        self.part = Part(view.root)
        self._reading = Reading(view.root)
        self._bodies: Mapping[int, str] = {}  # of candidates that were just outlined
        self._fresh: Mapping[str, Known] = {}
        self._unread: dict[str, Stamp] = {}
        self._beyond = Beyond({})
        self._in_part: list[str] = []  # files of the index of which not all symbols are known
        self._by_id: Mapping[int, str] = {}
        self._is_in: Callable[[str], bool] = lambda _: True
        self._is_ignored = False  # by git, and named all the same
        self._symbols = 0  # of the index
        self._is_complete = False
        self._is_missing = False  # a name was asked for that no symbol has
        self._found: list[Candidate] = []
        self._with_word: dict[str, int] = {}
        self._line_files: set[str] | None = set()
        self._using = Using(query)

    def run(self) -> Part:
        """The answer of this workspace."""
        asked_at = time.monotonic()
        with self.view.lock:
            self.view.refresh(self.rules, self.deadline, asked_at)
            self._choose()
            self._ask_index()
        # nobody waits for what follows but who asked
        if self._is_ignored:
            self._add_ignored()
        self._beyond = Beyond(self._unread)
        if self.request.references:
            most = self.request.max_results
            effort = _USE_S * most + _READ_S * len(self._unread)
            until = self.deadline - _REST_S
            others = self._beyond.likely()
            uses = self._using.find(others, self.read, most, until, effort)
            fitting = (use for use in uses.uses if not self._refused(use.file))
            self.part.uses = replace(uses, uses=tuple(fitting))
            self._count_read(uses.unread)
        else:
            self._scan()
            self._rank()
            self._find_files()
            self._find_lines()
            self._tell_missing()
        self.part.counts += Counts(skipped=self._beyond.skipped)
        return self.part

    def _refused(self, path: str) -> str:
        return self._beyond.refused(path, self.read(path) or b"")

    def _choose(self) -> None:
        """Which files may answer: those that the index holds as they are, and the others."""
        view, request = self.view, self.request
        fits = matcher(request.file_pattern) if request.file_pattern else None

        def is_in(path: str) -> bool:
            inside = not self.prefix or path == self.prefix or path.startswith(self.prefix + "/")
            return inside and (fits is None or fits(path))

        self._is_in = is_in
        if self.prefix and not any(map(is_in, view.listing.files)):
            self._is_ignored = True
        elif fits is None and not self.prefix:
            self._unread = dict(view.unread)
        else:
            self._unread = {path: stamp for path, stamp in view.unread.items() if is_in(path)}
        wanted = request.language
        if not (self.prefix or fits or wanted):
            self._fresh, self._by_id = view.fresh, view.by_id
            return
        self._fresh = {
            path: known
            for path, known in view.fresh.items()
            if (not wanted or known.language == wanted) and is_in(path)
        }
        if wanted:
            self._unread = {p: s for p, s in self._unread.items() if _language(p) == wanted}
        self._by_id = {known.id: path for path, known in self._fresh.items()}

    def _add_ignored(self) -> None:
        """A folder or file that git ignores, and yet was named: looked through, not indexed."""
        root = self.view.root
        listing = files_at(f"{root}/{self.prefix}", self.rules)
        named = {f"{self.prefix}/{path}".rstrip("/"): stamp for path, stamp in listing.items()}
        wanted = self.request.language
        self._unread = {
            path: stamp
            for path, stamp in named.items()
            if self._is_in(path) and (not wanted or _language(path) == wanted)
        }
        if self._unread:
            self.part.notes.append(f"{self.prefix} is ignored by git: looked through unindexed")

    def _ask_index(self) -> None:
        view, part = self.view, self.part
        answered = view.ask(self._lookup) if self._fresh else True
        self._symbols, self._is_complete = view.symbols, view.is_complete
        is_all = not self.prefix and not self.request.file_pattern
        self._in_part = [path for path in view.in_part if path in self._fresh]
        # where a name is used, each file is parsed anew
        in_part = () if self.request.references else (*self._in_part,)
        part.counts += Counts(
            *(len(self._fresh), len(self._fresh), len(in_part)),
            view.skipped(None if is_all else self._is_in),
            in_part,
        )
        if not view.is_complete or not answered:
            part.complete = False
            if not view.is_locked:
                part.notes.append(view.why_incomplete())
        if view.listing.is_cut:
            part.complete = False
            part.notes.append(
                f"there was time to list {len(view.listing.files)} files of the workspace, not all"
            )
        if view.note:
            part.notes.append(view.note)

    def _lookup(self, db: sqlite3.Connection) -> None:
        query, request = self.query, self.request
        kind = request.kind
        ids = self._by_id
        is_all = not (self.prefix or request.file_pattern or request.language)
        lookup = Lookup(
            db,
            Wanted(
                (lambda _: True) if is_all else ids.__contains__,
                (lambda one: one == kind) if kind else (lambda _: True),
                is_all,
                not kind,
            ),
        )
        if request.references:
            self._using.look_up(lookup, ids)
            return
        is_worded = " " in query.text and query.text.replace(" ", "").isalnum()
        if is_worded and folded(query.text) != query.joined and lookup.exact(query.text):
            query = self.query = as_words(query)
        rows: dict[int, tuple[Row, set[str]]] = {}

        def add(found: Iterable[Row], how: str) -> None:
            for row in found:
                if row.file in ids:
                    rows.setdefault(row.id, (row, set()))[1].add(how)

        for found, how in lookup.by_name(query, ids, request.max_results):
            add(found, how)
        if query.words and (not query.name or not rows):
            query = self.query = lookup.mended(query)
            counts = lookup.counts(query.words, self.view.symbols)
            self._with_word = dict(counts.with_word)
            add(lookup.about(query, counts), "words")
            about = [] if kind else lookup.files_about(query, counts)
            self.part.files = [(ids[one], 40.0, "words") for one in about if one in ids]
        kinds = lookup.kinds({row.parent for row, how in rows.values() if "name" in how})
        self._found = [_candidate(row, ids[row.file], how, kinds) for row, how in rows.values()]
        text = self._line_text()
        if text:
            held = lookup.files_with(text, whole=self._is_whole)
            self._line_files = None if held is None else {ids[one] for one in held if one in ids}

    def _scan(self) -> None:
        """What the index does not hold, looked through."""
        if not self._unread or self.query.literals:
            return
        until = min(self.deadline - _REST_S, time.monotonic() + _SCAN_S)
        sizes = [(path, stamp[1]) for path, stamp in self._unread.items()]
        found = scan.scan(self.view.root, sizes, self.query, self.read, until)
        kind = self.request.kind
        chosen = [one for one in found.candidates if not kind or one.kind == kind]
        self._found += chosen
        self._bodies = found.bodies
        for word, count in found.with_word.items():
            self._with_word[word] = self._with_word.get(word, 0) + count
        self._beyond.leave_out(found.skipped)
        in_part = tuple(found.in_part)
        self.part.counts += Counts(found.looked, found.parsed, len(in_part), in_part=in_part)
        if found.unread:
            self.part.complete = False
            self.part.notes.append(f"{found.unread} files were not looked at for want of time")

    def _rank(self) -> None:
        query = self.query
        named = as_meant(query, by_name(query, self._found))
        best = named[0].score if named else 0.0
        self.part.is_named = best >= STRONG
        if query.is_path and any(files.named(query, self._by_id.values())):
            self.part.symbols = [one for one in named if one.score >= STRONG]
            return
        if query.name and named:
            # beside the very name, names that merely hold it are noise
            self.part.symbols = [one for one in named if one.score >= min(best - 60, STRONG - 25)]
            return
        first = [one for one in named if one.score >= STRONG]
        total = max(self._symbols, len(self._found), 1)
        rest = by_words(
            query,
            [one for one in self._found if one not in first],
            self._body,
            self._with_word,
            total,
            self.nearness,
        )
        top = rest[0].score if rest else 0.0
        rest = [one for one in rest if one.score >= _LEAST * top]
        self._is_missing = bool(query.name) and not query.is_path
        self.part.symbols = first + (rest[:_MOST_ALIKE] if self._is_missing else rest)

    def _find_files(self) -> None:
        if self.query.literals or self.request.kind:
            self.part.files = []
            return
        found = files.named(self.query, (*self._fresh, *self._unread))
        seen = {path for path, _, _ in found}
        if self._is_missing:
            # the file of that name is what was meant, else there is none
            self._is_missing = not any(score >= _NAMED_FILE for _, score, _ in found)
            self.part.files = found[: _MOST_ALIKE - len(self.part.symbols)]
            return
        found += [one for one in self.part.files if one[0] not in seen]
        self.part.files = found

    def _tell_missing(self) -> None:
        """A name that no symbol has: said before what merely shares words with it."""
        part = self.part
        if not self._is_missing:
            return
        said = f"no symbol is called {self.query.name}, or nearly so"
        if not part.complete:
            said = f"so far no symbol was found that is called {self.query.name}"
        if part.symbols:
            said += ": these share words with it"
        if part.symbols or part.lines.lines:
            part.notes.append(said)

    def _find_lines(self) -> None:
        text = self._line_text()
        if not text or self.request.kind:
            return
        known = self._fresh if self._line_files is None else self._line_files
        paths = {*known, *self._in_part, *self._beyond.likely()}
        # beside other answers lines are a bonus; where they were asked for, they are the answer
        is_bonus = self.part.is_named or (self.part.symbols and not self.query.literals)
        without_index = _LINES_S if self._is_complete else _FIRST_LINES_S
        is_like = self.query.name and not self._is_exact()
        bonus = _WORD_LINES_S if is_like else _MORE_LINES_S
        seconds = bonus if is_bonus else without_index
        until = min(self.deadline, time.monotonic() + seconds)
        refused = self._beyond.refused
        found = lines.lines_with(text, paths, self.read, until, self._is_whole, refused)
        if self.query.literals:
            self._count_read(found.unread)
        own = {(one.file, one.line) for one in self.part.symbols}
        kept = [one for one in found.lines if (one.file, one.number) not in own]
        others = self.query.literals[1:]
        kept = [one for one in kept if all(o.lower() in one.text.lower() for o in others)]
        if self.query.name and not self._is_exact():
            self.part.bindings = lines.binding(self.query.name, kept)[:_MOST_BINDINGS]
            kept = [one for one in kept if one not in self.part.bindings]
        most = _MOST_LINES if self.part.symbols else len(kept)
        self.part.lines_first = bool(kept) and self._are_lines_first(text)
        total = max(found.total - (len(found.lines) - len(kept)), len(kept))
        self.part.lines = lines.Found(tuple(kept[:most]), total, found.files, found.unread)
        if found.unread and not is_bonus:
            self.part.complete = False
            self.part.notes.append(
                f"{found.unread} files were not looked through for want of time: narrow with path"
            )

    def _is_exact(self) -> bool:
        """Whether a symbol has the very name that was asked for."""
        return any(one.name == self.query.name for one in self.part.symbols)

    def _count_read(self, unread: int) -> None:
        """Counts the files beyond the index that were looked through, without their symbols."""
        self.part.counts += Counts(max(len(self._beyond.likely()) - unread, 0))

    def _are_lines_first(self, text: str) -> bool:
        if self.part.is_named or not self.part.symbols:
            return False
        if self.query.name:
            return self.part.symbols[0].why == "words"
        return text.count(" ") >= _PHRASE - 1

    @property
    def _is_whole(self) -> bool:
        """Whether the text of lines is a word of its own."""
        return bool(self.query.name and not self.query.is_call and not self.query.is_path)

    def _line_text(self) -> str:
        """The text that is looked for in lines; "" for none."""
        query = self.query
        if query.literals:
            return max(query.literals, key=len)
        if query.kinds and not query.name:
            return ""
        if query.name and not query.is_path:
            return f"{query.name}(" if query.is_call else query.name
        return query.text if len(query.text) >= 3 else ""

    def read(self, path: str) -> bytes | None:
        """A file's text in UTF-8; the last ones are kept."""
        return self._reading.read(path)

    def _body(self, one: Candidate) -> str:
        found = self._bodies.get(id(one))
        return self._reading.body(one) if found is None else found


def _candidate(row: Row, path: str, how: set[str], kinds: Mapping[int, str]) -> Candidate:
    made = Candidate(
        *(path, row.name, row.qualified, row.kind, row.start_line, row.end_line),
        *(row.line, row.signature, row.doc, row.stands_in, kinds.get(row.parent, "")),
    )
    made.found_by |= how
    return made


def _language(path: str) -> str:
    found = detect(path)
    return found.name if found else ""
