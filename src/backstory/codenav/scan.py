"""Answers without an index: the bytes of files are looked through, and the best ones outlined."""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from backstory.codenav import sift
from backstory.codenav.index import folded, own_texts
from backstory.codenav.outline import Outline, outline_of
from backstory.codenav.query import Query
from backstory.codenav.ranking import Candidate, is_test
from backstory.codenav.slips import neighbours
from backstory.codenav.walk import is_vendored
from backstory.codenav.words import alike, words_of
from backstory.storage.tokens import plain_words

Read = Callable[[str], bytes | None]  # a file's text in UTF-8 by relative path
_MOST_OUTLINED = 20
_LOOK_SHARE = 0.6  # of the time that is left goes to looking, the rest to outlines
_FILE_S = 1.0
_DEFINES = re.compile(
    rb"(?<![\w.])(?:def|class|func|fun|fn|function|struct|interface|trait|enum|type|module|namespace"
    rb"|const|let|var|val|macro|impl|record|object|protocol|defmodule|defp|sub|#define)"
    rb"\s+(?:\S+\s+)?$",
    re.IGNORECASE,
)
# where nothing but the type of what it returns is written before the name of a function
_TYPED = re.compile(
    rb"(?![ \t]*(?:new|return|else|throw|await|yield|case)\b)[ \t]*\w[^;={}()]*[\s*&:~]"
)
_ARGUMENTS = re.compile(rb"\s*\([^;{}]{0,1000}\{")
_HEAD = 200  # bytes of a line before a name that are looked at
_MOST_MENTIONS = 300  # of a name in a file that may be its definition
_DEFINED, _OWNED = 10.0, 4.0  # points of a file that defines the name, that names what it is in
_SLIPS_FROM = 4  # letters; shorter names are all alike
_MOST_SLIPPED = 12  # files
_PART_FROM = 2  # letters
_IDENTIFIER = re.compile(rb"[a-z_]\w{3,}")
_LARGE = 300_000  # bytes; larger files wait


@dataclass(slots=True)
class Scanned:
    """What a scan came to."""

    candidates: list[Candidate] = field(default_factory=list)
    bodies: dict[int, str] = field(default_factory=dict)  # by id() of a candidate
    with_word: Counter[str] = field(default_factory=Counter)  # symbols, of those outlined
    looked: int = 0
    parsed: int = 0
    unread: int = 0
    in_part: list[str] = field(default_factory=list)  # files that were not parsed to their end
    skipped: dict[str, str] = field(default_factory=dict)  # files, and why


def scan(
    root: str, sizes: Sequence[tuple[str, int]], query: Query, read: Read, deadline: float
) -> Scanned:
    """The symbols of the files that look most like the query; `sizes` are paths with their size.

    `deadline` is a value of `time.monotonic()`.
    """
    result = Scanned()
    start = time.monotonic()
    until = start + (deadline - start) * _LOOK_SHARE
    best = _best(sizes, query, read, until, result)
    near: set[str] = set()
    if query.name and not best:
        best, near = _slipped(sizes, query, read, until)
    pattern = _pattern(query, near)
    for path, data in best:
        left = deadline - time.monotonic()
        if left <= 0:
            result.unread += 1
            continue
        seen = sift.look(path, data)
        if seen.reason:
            result.skipped[path] = seen.reason
            continue
        outline = outline_of(seen.text, f"{root}/{path}", min(left, _FILE_S))
        result.parsed += 1
        result.in_part += [path] if outline.how == "cut" else []
        first = len(result.candidates)
        _take(path, seen.text, outline, pattern, result)
        if query.joined:
            _tell_how(result.candidates[first:], query, near)
    return result


def _best(
    sizes: Sequence[tuple[str, int]], query: Query, read: Read, until: float, result: Scanned
) -> list[tuple[str, bytes]]:
    """The files that hold most of what is asked for."""
    terms = _terms(query)
    asked = set(query.words)
    ordered = likely_first(sizes, query)
    one_name = query.joined.encode("utf-8", "replace")  # of words that may be a name, too
    hits: list[tuple[str, int, tuple[int, ...], float]] = []
    counts = [0] * len(terms)
    asked_name = query.name or query.joined
    is_ascii = query.text.isascii()
    parts = _parts(query)
    owner = query.owners[-1].lower().encode("utf-8", "replace") if query.owners else b""
    weak: list[tuple[str, int, tuple[int, ...], float]] = []
    name = re.compile(rb"(?<!\w)" + _spelled(asked_name) + rb"(?!\w)", re.IGNORECASE)
    for at, (path, size) in enumerate(ordered):
        if time.monotonic() > until:
            result.unread += len(ordered) - at
            break
        reason = sift.refused_by_name(path, size)
        data = b"" if reason else read(path)
        if reason or data is None:
            result.skipped[path] = reason or "unreadable"
            continue
        result.looked += 1
        # without joints a name is the same however it is spelled
        lowered = data.lower() if is_ascii else _casefolded(data)
        joined = lowered.translate(None, b"_-") if one_name else b""
        plain = joined if query.name else lowered
        found = tuple(n for n, term in enumerate(terms) if any(one in plain for one in term))
        if not found:
            if parts and all(part in lowered for part in parts):
                weak.append((path, len(data), found, 0.0))
            continue
        for n in found:
            counts[n] += 1
        is_defined = bool(one_name) and one_name in joined and _is_defined(name, lowered)
        is_owned = bool(owner) and owner in lowered
        hits.append((path, len(data), found, _DEFINED * is_defined + _OWNED * is_owned))
    total = max(result.looked, 1)

    def worth(hit: tuple[str, int, tuple[int, ...], float]) -> float:
        path, size, found, points = hit
        rare = sum(math.log(1 + total / counts[n]) for n in found)
        return (
            rare * (0.6 if is_vendored(path) else 0.8 if is_test(path) else 1.0)
            + points
            + 2 * len(asked & set(words_of(path)))
            - math.log10(size + 1) / 4
        )

    if not any(points >= _DEFINED for *_, points in hits):
        hits += weak
    hits.sort(key=worth, reverse=True)
    chosen = ((path, read(path)) for path, *_ in hits[:_MOST_OUTLINED])
    return [(path, data) for path, data in chosen if data is not None]


def _slipped(
    sizes: Sequence[tuple[str, int]], query: Query, read: Read, until: float
) -> tuple[list[tuple[str, bytes]], set[str]]:
    """The files that hold a name which is one slip of the pen away, and those names, folded."""
    asked = folded(query.name)
    wanted = {one.encode() for one in neighbours(asked)} if len(asked) >= _SLIPS_FROM else set()
    best: list[tuple[str, bytes]] = []
    near: set[str] = set()
    for path, size in likely_first(sizes, query) if wanted else ():
        if time.monotonic() > until or len(best) >= _MOST_SLIPPED:
            break
        data = None if sift.refused_by_name(path, size) else read(path)
        words = (
            {one.replace(b"_", b"") for one in _IDENTIFIER.findall(data.lower())} if data else ()
        )
        found = wanted.intersection(words)
        if data and found:
            near.update(one.decode() for one in found)
            best.append((path, data))
    return best, near


def _parts(query: Query) -> tuple[bytes, ...]:
    """The parts of the name that is asked for, where they tell anything by themselves."""
    words = plain_words(query.name).split()
    long = all(len(word) >= _PART_FROM for word in words) and len(words) > 1
    return tuple(word.encode("utf-8", "replace") for word in words) if long else ()


def _tell_how(found: Sequence[Candidate], query: Query, near: set[str]) -> None:
    """What the index would have found them by."""
    asked = set(words_of(query.name or query.text))
    for one in found:
        if folded(one.name) in near:
            one.found_by.add("like")
        if not query.name and folded(one.name).startswith(query.joined):
            one.found_by.add("begins")
        if len(asked) > 1 and asked <= set(words_of(one.name)):
            one.found_by.add("parts")


def _casefolded(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").casefold().encode("utf-8", "replace")


def likely_first(sizes: Sequence[tuple[str, int]], query: Query) -> list[tuple[str, int]]:
    """Paths with their sizes: those that hold rare words of the query before the others.

    What is near the root comes before what is deep; tests, large files and others' code come late.
    """
    # tens of thousands of paths, before any is opened: words are looked for as they are written
    words = list(dict.fromkeys((*filter(None, (query.joined,)), *query.words)))
    lows = [path.lower() for path, _ in sizes]
    counts = [sum(word in low for low in lows) for word in words]
    rarities = [math.log(1 + len(lows) / count) if count else 0.0 for count in counts]
    total = sum(rarities) or 1.0

    def lateness(at: int) -> float:
        path, size = sizes[at]
        low = lows[at]
        name = low.rpartition("/")[2]
        share = 0.0
        for word, rarity in zip(words, rarities, strict=True):
            if word in low:
                share += rarity if word in name else 0.6 * rarity
        late = 0.02 * path.count("/") + 0.15 * (size > _LARGE)
        return late + 0.6 * is_vendored(path) + 0.2 * is_test(path) - share / total

    return [sizes[at] for at in sorted(range(len(sizes)), key=lateness)]


def _terms(query: Query) -> list[tuple[bytes, ...]]:
    """What the words of a query look like in small letters; each of a tuple says the same."""
    if query.name:
        return [(folded(query.name).lower().encode("utf-8", "replace"),)]
    return [
        tuple(one.encode("utf-8", "replace") for one in (word, *alike().get(word, ())))
        for word in query.words
    ]


def _spelled(name: str) -> bytes:
    """A name however its parts are joined."""
    return rb"[_-]?".join(re.escape(char.encode("utf-8", "replace")) for char in folded(name))


def _is_defined(name: re.Pattern[bytes], data: bytes) -> bool:
    """Whether a line looks as if it defined the name."""
    for found in islice(name.finditer(data), _MOST_MENTIONS):
        start = data.rfind(b"\n", 0, found.start()) + 1
        head = data[max(start, found.start() - _HEAD) : found.start()]
        if _DEFINES.search(head):
            return True
        if _TYPED.fullmatch(head) and _ARGUMENTS.match(data, found.end()):
            return True
    return False


def _pattern(query: Query, others: set[str]) -> re.Pattern[str]:
    """What a symbol's own lines must hold to be ranked at all; `others` are names, folded."""
    words = {near for word in query.words for near in (word, *alike().get(word, ()))}
    words |= others
    if query.joined:
        words.add(query.joined)
    return re.compile("|".join(map(re.escape, sorted(words))) or "(?!)")


def _take(
    path: str, text: str, outline: Outline, pattern: re.Pattern[str], result: Scanned
) -> None:
    bodies, _ = own_texts(text, outline.symbols)
    for one, body in zip(outline.symbols, bodies, strict=True):
        if outline.how == "cut" and one.kind == "section":
            continue  # a block of a text that could not be parsed in time: no symbol
        shown = f"{one.name} {folded(one.name)} {one.signature} {one.doc} {body}".lower()
        if not pattern.search(shown):
            continue
        outer = outline.symbols[one.parent] if one.parent >= 0 else None
        parent, within = (outer.qualified_name, outer.kind) if outer else ("", "")
        made = Candidate(
            *(path, one.name, one.qualified_name, one.kind, one.start_line, one.end_line),
            *(one.line or one.start_line, one.signature, one.doc, parent, within),
        )
        made.found_by.add("scan")
        result.candidates.append(made)
        result.bodies[id(made)] = body
        result.with_word.update(set(words_of(shown)))
