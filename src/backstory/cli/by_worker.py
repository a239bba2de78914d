"""Searches that a running worker answers: it finds by meaning, too, as it does for Claude."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlencode

from backstory import __version__, config, instance
from backstory.cli import output
from backstory.errors import BadInput, Unavailable
from backstory.recall.search import SearchResult
from backstory.recall.timeline import Timeline
from backstory.records import Row

T = TypeVar("T")
TIMEOUT_S = 15.0
MOST = 30_000  # characters of a request's path


def search(arguments: Mapping[str, Any], named: str) -> SearchResult | None:
    """A worker's answer; None where none runs. Raises BackstoryError as the search itself does."""
    return _asked("/api/search", arguments, named, _search_result)


def timeline(arguments: Mapping[str, Any], named: str) -> Timeline | None:
    """The same, of a timeline."""
    return _asked("/api/timeline", arguments, named, _timeline)


def with_reason(note: str) -> str:
    """A note with why no worker answered, where meaning would have added to the words."""
    try:
        is_missed = config.load(output.home())["embedder"] != "none"
    except BadInput:  # told by `doctor`; words need no settings
        is_missed = False
    alone = f"found by words alone: {_why()}" if is_missed else ""
    return "; ".join(filter(None, (note, alone)))


def _why() -> str:
    home = output.home()
    found = instance.health(home)
    if found is None:
        if instance.is_locked(home):
            return "the worker does not answer (`backstory restart`)"
        return "no worker runs (`backstory start`)"
    if found["version"] != __version__:
        return f"a worker of version {found['version']} runs (`backstory restart`)"
    return "the worker cannot be asked this"


def _asked(
    route: str, arguments: Mapping[str, Any], named: str, read: Callable[[dict[str, Any]], T]
) -> T | None:
    if not named:
        output.here()  # says so where the current folder is gone
    scope = {"project": named, "cwd": output.current_folder()}
    given = {**arguments, **{name: value for name, value in scope.items() if value}}
    try:
        path = f"{route}?{urlencode(given, doseq=True)}"
        if len(path) > MOST:
            return None
        return read(instance.ask(output.home(), "GET", path, timeout=TIMEOUT_S))
    except (Unavailable, UnicodeEncodeError, KeyError, TypeError):
        return None  # no worker, one of another version, or a folder whose name is no text


def _search_result(found: dict[str, Any]) -> SearchResult:
    rows, backends = tuple(Row(**row) for row in found["rows"]), tuple(found["backends"])
    return SearchResult(**{**found, "rows": rows, "backends": backends})


def _timeline(found: dict[str, Any]) -> Timeline:
    return Timeline(**{**found, "rows": tuple(Row(**row) for row in found["rows"])})
