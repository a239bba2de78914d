"""Searching a workspace: the one entry for the tool and the command line."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from backstory.codenav import guard, indexing
from backstory.codenav.answer import Answer as Answer
from backstory.codenav.answer import Counts, checked
from backstory.codenav.answer import Hit as Hit
from backstory.codenav.answer import Request as Request
from backstory.codenav.lines import Line
from backstory.codenav.part import Part
from backstory.codenav.permissions import NO_RULES, Rules
from backstory.codenav.query import understood
from backstory.codenav.ranking import Candidate, Nearness
from backstory.codenav.search import Search
from backstory.codenav.view import view_of, views_around

SECONDS = 5.0
UNUSED_DAYS = 90.0
_FILES_FIRST = 88.0  # a path that was named comes before all else
_NAMED_FILE = 75.0  # a file of that name comes first where no symbol has it
_MOST_FILES = 8


def search(
    request: Request,
    *,
    roots: Sequence[str],
    home: Path,
    rules: Rules = NO_RULES,
    cwd: str = "",
    deadline: float = math.inf,
    nearness: Nearness | None = None,
) -> Answer:
    """The answer to a search of the workspaces at `roots`, real folders that may be read.

    `home` is the data directory, where the indexes lie; `deadline` a value of `time.monotonic()`.
    `nearness`, where there is one, says how near texts are to a question by their meaning. Raises
    BadInput, NotFound and Forbidden.
    """
    request = checked(request)
    query = understood(request.query)
    deadline = min(deadline, time.monotonic() + SECONDS)
    targets = [(root, "") for root in _outermost(roots)]
    if request.path:
        place = guard.resolve(request.path, roots, rules, cwd)
        targets = [(place.root, os.path.relpath(place.path, place.root))]
        targets = [(root, "" if path == "." else path) for root, path in targets]
    parts = [
        Search(view_of(root, home), request, query, rules, deadline, prefix, nearness).run()
        for root, prefix in targets
    ]
    return _answer(request, parts)


def touch(path: str, home: Path) -> None:
    """Tells that a file was written or deleted: indexes in use hold it at once. Never raises.

    The next search would find it out by itself; this keeps that search short.
    """
    real = os.path.realpath(path)
    for view in views_around(real, home):
        if view.lock.acquire(blocking=False):
            try:
                view.renew(real[len(view.root) + 1 :])
            finally:
                view.lock.release()


def drop_old(home: Path) -> int:
    """Removes indexes that nobody asked for 90 days, and those of workspaces that are gone."""
    return indexing.drop_unused(home, UNUSED_DAYS)


def _outermost(roots: Sequence[str]) -> list[str]:
    """The roots that lie in no other one."""
    own = list(dict.fromkeys(roots))
    return [one for one in own if not any(one.startswith(f"{other}/") for other in own)]


def _answer(request: Request, parts: Sequence[Part]) -> Answer:
    hits = sorted(_uses(parts), key=_of_root) if request.references else [*_hits(request, parts)]
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    counts = sum((part.counts for part in parts), Counts())
    there = [hit for hit in hits[: request.max_results] if _is_there(hit)]
    lines = sum(max(part.lines.total - len(part.lines.lines), 0) for part in parts)
    total = len(hits) + (0 if request.references else lines)
    is_complete = all(part.complete for part in parts)
    if request.references:
        unread = sum(part.uses.unread for part in parts)
        is_complete = is_complete and (bool(hits) or not unread)
        counts += Counts(0, 0, sum(part.uses.failed for part in parts))
        if unread:
            said = f"{unread} more files may mention it and were not looked at"
            notes += (f"{said}: narrow with path or raise max_results",)
    return Answer(request, tuple(there), total, counts, is_complete, notes)


def _hits(request: Request, parts: Sequence[Part]) -> Iterator[Hit]:
    """Symbols, then files, then lines; a file that was named by its path before all."""
    symbols = sorted(
        ((one, part.root) for part in parts for one in part.symbols),
        key=lambda pair: -pair[0].score,
    )
    files = sorted(
        ((*one, part.root) for part in parts for one in part.files), key=lambda one: -one[1]
    )[:_MOST_FILES]
    least = _NAMED_FILE
    if any(part.is_named for part in parts):
        least = _FILES_FIRST if _is_like_path(request.query) else math.inf
    first = [one for one in files if one[1] >= least]
    yield from (_file(*one) for one in first)
    yield from (_line(one, part.root) for part in parts for one in part.bindings)
    yield from (hit for part in parts if part.lines_first for hit in _lines(part))
    yield from (_symbol(one, root) for one, root in symbols)
    yield from (_file(*one) for one in files if one not in first)
    yield from (hit for part in parts if not part.lines_first for hit in _lines(part))


def _lines(part: Part) -> Iterator[Hit]:
    yield from (_line(one, part.root) for one in part.lines.lines)


def _line(one: Line, root: str) -> Hit:
    return Hit("line", one.file, root, one.number, one.number, why="text", text=one.text)


def _symbol(one: Candidate, root: str) -> Hit:
    return Hit(
        *("symbol", one.file, root, one.start_line, one.end_line),
        kind=one.kind,
        name=one.name,
        qualified_name=one.qualified,
        signature=one.signature,
        doc=one.doc,
        parent=one.parent,
        why=one.why,
        score=round(one.score, 3),
    )


def _file(path: str, score: float, why: str, root: str) -> Hit:
    return Hit("file", path, root, 1, 1, why=why, score=round(score, 3))


def _uses(parts: Sequence[Part]) -> Iterator[Hit]:
    for part in parts:
        for use in part.uses.uses:
            place = (use.file, part.root, use.line, use.line)
            score = -use.likelihood / 4
            yield Hit("use", *place, why=use.why, text=use.text, score=score)


def _is_like_path(query: str) -> bool:
    return "/" in query or "." in query


def _of_root(hit: Hit) -> str:
    return hit.root


def _is_there(hit: Hit) -> bool:
    return os.path.lexists(f"{hit.root}/{hit.file}")
