"""The shape of a file: its symbols, what it imports, and the places that could not be read."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Literal

from backstory.codenav import parse
from backstory.codenav.conflicts import merged
from backstory.codenav.generic import generic_outline, grammar_of
from backstory.codenav.languages import detect
from backstory.codenav.plain import plain_outline
from backstory.codenav.shapes import PROSE, SHAPES
from backstory.codenav.symbols import Reading, Symbol, deadline_of, read

How = Literal["query", "generic", "text", "cut"]
_HEAD = 20_000  # characters that may hold a #! line, or tell languages with one ending apart
_PLAIN = 300_000  # characters that are outlined as plain text when the time is over
_PLAIN_S = 0.2
_MOST_KEPT = 16
_LARGE = 3_000  # symbols; an outline of more is some megabytes, and is not kept

_lock = threading.Lock()
_recent: dict[tuple[str, int, bytes], Outline] = {}


@dataclass(frozen=True, slots=True)
class Import:
    """One import, include or use statement. Lines count from 1; both ends belong to it."""

    names: tuple[str, ...]  # as a reader says them: "os.path", "./cart", "<stdio.h>"
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Lines that the parser could not read."""

    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The shape of one file."""

    language: str  # a name of languages.toml, of a grammar, or "text"
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    problems: tuple[Problem, ...]  # at most 20
    lines: int
    how: How  # "cut": the time was over, or the file too large; what there is


def outline_of(text: str, path: str, deadline_s: float = 5.0) -> Outline:
    """The outline of a text that stands, or would stand, at `path`. Raises for no text.

    The first use of a language loads its grammar, which `deadline_s` does not count.
    """
    code = text.encode("utf-8", "replace")
    key = (path, len(text), blake2b(code, digest_size=16).digest())
    with _lock:
        known = _recent.pop(key, None)
        if known is not None:
            _recent[key] = known
            return known
    if parse.LIMITED and (len(text) > parse.MAX_BYTES or parse.is_monotonous(code)):
        made = _in_child(text, path, deadline_s)
    else:
        made = _made(text, path, deadline_s)
    if made.how != "cut" and len(made.symbols) <= _LARGE:
        with _lock:
            _recent[key] = made
            while len(_recent) > _MOST_KEPT:
                del _recent[next(iter(_recent))]
    return made


def forget() -> None:
    """Lets go of the outlines that are kept for those who ask again."""
    with _lock:
        _recent.clear()


def _made(text: str, path: str, deadline_s: float) -> Outline:
    sides = merged(text)
    if sides is None:
        return _of_text(text, path, deadline_s)
    # both sides tell more, if what they come to together can be read
    found = _of_text(sides.both, path, deadline_s / 2)
    if found.problems:
        found = _of_text(sides.ours, path, deadline_s / 2)
    places = sorted((*found.problems, *(Problem(*one) for one in sides.conflicts)), key=_first_line)
    return replace(found, problems=tuple(places[: parse.MOST_PROBLEMS]))


def _first_line(problem: Problem) -> int:
    return problem.start_line


def _of_text(text: str, path: str, deadline_s: float) -> Outline:
    language = detect(path, text[:_HEAD])
    if language is None:
        return _unknown(text, path, deadline_s)
    found: Reading | None
    if language.shape:
        deadline = time.monotonic() + deadline_s
        found = SHAPES[language.shape](text, language, deadline)
    else:
        deadline = deadline_of(language, deadline_s)
        found = read(text, language, deadline)
    if found is None and parse.LIMITED and time.monotonic() < deadline:
        # not for want of time: it is one that could harm this process
        return _in_child(text, path, deadline - time.monotonic())
    if found is None:
        _, sections = plain_outline(text[:_PLAIN], path, time.monotonic() + _PLAIN_S)
        return Outline(language.name, sections, (), (), _lines(text), "cut")
    if found.cut and not found.symbols:
        _, sections = plain_outline(text[:_PLAIN], path, time.monotonic() + _PLAIN_S)
        found = replace(found, symbols=sections)
    elif language.name in PROSE and not found.symbols:
        found = replace(found, symbols=plain_outline(text, path, deadline)[1])
    return _outline(language.name, found, text, "cut" if found.cut else "query")


def _unknown(text: str, path: str, deadline_s: float) -> Outline:
    """The outline of a text that no query is for."""
    grammar, deadline = grammar_of(path, text[:_HEAD]), time.monotonic() + deadline_s
    if grammar and parse.LIMITED:
        return _in_child(text, path, deadline_s)
    found = generic_outline(text, grammar, deadline) if grammar else None
    if found is not None and found.symbols:
        return _outline(grammar, found, text, "cut" if found.cut else "generic")
    said, sections = plain_outline(text, path, deadline)
    return Outline(said, sections, (), (), _lines(text), "text")


def _outline(name: str, found: Reading, text: str, how: How) -> Outline:
    return Outline(
        name,
        found.symbols,
        tuple(Import(*one) for one in found.imports),
        tuple(Problem(*one) for one in found.problems),
        _lines(text),
        how,
    )


def _in_child(text: str, path: str, deadline_s: float) -> Outline:
    # the child's side of it needs this module
    from backstory.codenav.child import outline_in_child  # noqa: PLC0415

    return outline_in_child(text, path, deadline_s)


def _lines(text: str) -> int:
    return text.count("\n") + (text != "" and not text.endswith("\n"))
