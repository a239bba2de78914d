"""What runs in the process that makes one outline, and ends."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import ceil

from backstory.codenav import parse
from backstory.codenav.outline import Outline, outline_of
from backstory.codenav.symbols import Symbol

MOST_SYMBOLS = 20_000
_NICE = 10
_MEMORY = 1_000_000_000  # bytes of address space
_GRACE_S = 0.3  # kept for the way back
_A_LINE = 500  # symbols; a line is parsed at one go by those who wait
_TERSE = 5_000  # symbols, from which on each is told in fewer words
_WORDS = 120  # characters of a signature then


def main(path: str, seconds: float) -> None:
    """Reads a source from standard input and writes its outline, both as UTF-8.

    The first line is about the whole; each of the following is a list of symbols.
    """
    start = time.monotonic()
    _limit(seconds)
    text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    parse.LIMITED = False  # that is what this process is for
    left = seconds - _GRACE_S - (time.monotonic() - start)
    for line in answer(outline_of(text, path, max(left, 0.05))):
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
    os._exit(0)  # nothing is left to be tidied up, and trees are slow to let go of


def answer(outline: Outline) -> Iterator[bytes]:
    """The lines of an answer; of very many symbols, the outermost."""
    symbols = list(outline.symbols)
    if len(symbols) > MOST_SYMBOLS:
        symbols = outermost(symbols, MOST_SYMBOLS)
    yield _line(
        {
            "language": outline.language,
            "imports": [(one.names, one.start_line, one.end_line) for one in outline.imports],
            "problems": [(one.start_line, one.end_line) for one in outline.problems],
            "lines": outline.lines,
            "how": outline.how if len(symbols) == len(outline.symbols) else "cut",
            "count": len(symbols),
        }
    )
    is_terse = len(symbols) > _TERSE
    for at in range(0, len(symbols), _A_LINE):
        yield _line([_fields(one, is_terse) for one in symbols[at : at + _A_LINE]])


def outermost(symbols: Sequence[Symbol], most: int) -> list[Symbol]:
    """At most so many symbols: the outer ones rather than the inner, the first of a level."""
    levels: list[int] = []
    for one in symbols:
        levels.append(levels[one.parent] + 1 if one.parent >= 0 else 0)
    kept = sorted(sorted(range(len(symbols)), key=lambda at: levels[at])[:most])
    place = {at: new for new, at in enumerate(kept)}  # a parent is kept before what is in it
    return [replace(symbols[at], parent=place.get(symbols[at].parent, -1)) for at in kept]


def _fields(one: Symbol, is_terse: bool) -> tuple[str | int, ...]:
    return (
        one.name,
        one.qualified_name,
        one.kind,
        one.start_line,
        one.end_line,
        one.parent,
        one.signature[:_WORDS] if is_terse else one.signature,
        "" if is_terse else one.doc,
        one.line,
    )


def _line(content: object) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def _limit(seconds: float) -> None:
    """Sets limits that end this process, whoever may have forgotten it."""
    with suppress(OSError):
        os.nice(_NICE)
    for kind, limit in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, ceil(seconds) + 1),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, limit))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE_S)
