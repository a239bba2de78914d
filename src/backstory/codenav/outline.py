"""The shape of a file: its symbols, what it imports, and the places that could not be read."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from backstory.codenav.languages import detect
from backstory.codenav.plain import plain_outline
from backstory.codenav.shapes import SHAPES
from backstory.codenav.symbols import Reading, Symbol, deadline_of, read

How = Literal["query", "generic", "text", "cut"]
_HEAD = 200  # characters that may hold a #! line


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
    lines = text.count("\n") + (not text.endswith("\n") and text != "")
    language = detect(path, text[:_HEAD])
    if language is None:
        said, sections = plain_outline(text, path, time.monotonic() + deadline_s)
        return Outline(said, sections, (), (), lines, "text")
    found: Reading | None
    if language.shape:
        found = SHAPES[language.shape](text, language, time.monotonic() + deadline_s)
    else:
        found = read(text, language, deadline_of(language, deadline_s))
    if found is None:
        return Outline(language.name, (), (), (), lines, "cut")
    return Outline(
        language.name,
        found.symbols,
        tuple(Import(*one) for one in found.imports),
        tuple(Problem(*one) for one in found.problems),
        lines,
        "cut" if found.cut else "query",
    )
