"""Who calls a tool, and what of the memory is theirs: by default their project's, no other's."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from backstory import project as identity
from backstory.config import Config
from backstory.errors import BadInput, Busy
from backstory.estimate import estimate_tokens
from backstory.recall import scope as scopes
from backstory.recall.meaning import Near
from backstory.recall.search import Nearest
from backstory.storage import projects
from backstory.storage.database import Database

T = TypeVar("T")
NO_PROJECT = 0  # an id that no row has: a scope in which nothing lies
_STEPS = 50_000  # of SQLite's machine between two looks at the clock
_NOTE_TOKENS = 18  # of why nothing was found by meaning
_HEADER = "x-backstory-"


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the memory that one call may see."""

    ids: tuple[int, ...]  # (NO_PROJECT,) while nothing is stored for the project
    name: str
    roots: tuple[str, ...]  # absolute; files below them are stored relative to them

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever stored for it."""
        return self.ids == (NO_PROJECT,)


@dataclass(frozen=True, slots=True)
class Caller:
    """One call's context, as the relay sent it."""

    database: Database
    settings: Config
    project_dir: str = ""  # CLAUDE_PROJECT_DIR
    cwd: str = ""
    config_dir: str = ""  # CLAUDE_CONFIG_DIR: where the session's own rules stand
    roots: tuple[str, ...] = ()  # the host's workspace folders
    relay: str = ""  # with tool_use_id the identity of the call
    tool_use_id: str = ""
    deadline: float = math.inf  # of time.monotonic()
    nearest: Nearest | None = None  # finds by meaning

    def identity(self) -> identity.Project | None:
        """The project that the caller works in; None where it did not say."""
        folders = [path if path.startswith("/") else "" for path in (self.cwd, self.project_dir)]
        return identity.resolve(*folders) if any(folders) else None

    def read(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """The function's result over a read-only connection; interrupted at the deadline.

        Raises what `Database.read` raises.
        """

        def bounded(db: sqlite3.Connection) -> T:
            db.set_progress_handler(lambda: time.monotonic() > self.deadline, _STEPS)
            try:
                return function(db)
            finally:
                db.set_progress_handler(None, 0)

        return self.database.read(bounded)

    def write(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """The function's result from the one writer. Raises what `Database.write` raises.

        What waits too long is not done later: the caller was told to try again.
        """
        left = min(self.deadline - time.monotonic(), 30.0)
        future = self.database.submit(function)
        try:
            return future.result(max(left, 0.1))
        except TimeoutError:
            future.cancel()
            raise Busy("the memory is being written; try again in a moment") from None

    def scope(self, named: str = "") -> Scope:
        """The caller's own project, or the one it names.

        Naming another is honoured: the host asked the user, since our hook lets only calls within
        the current project run unasked. Raises BadInput, NotFound.
        """
        here = self.identity()
        if not self.database.path.exists():
            return Scope((NO_PROJECT,), named or (here.name if here else ""), ())
        return self.read(lambda db: _scope(db, here, named))


def _scope(db: sqlite3.Connection, here: identity.Project | None, named: str) -> Scope:
    current = projects.find(db, here) if here else None
    # What our hook takes for the current project must be that here too, and never a namesake.
    if here and (not named or named in (here.name, here.root, *here.keys)):
        found, name = current, here.name
    elif named:
        found, name = projects.by_name(db, named, current), Path(named).name
    else:
        raise BadInput("this call names no project", hint="name one with project=…")
    own = (here.worktree, here.root) if here and found == current else ()
    stored = scopes.roots(db, (found,)) if found else ()
    return Scope((found or NO_PROJECT,), name, tuple(dict.fromkeys(filter(None, (*own, *stored)))))


def from_headers(
    database: Database,
    settings: Config,
    headers: Mapping[str, str],
    tool_use_id: str,
    deadline: float,
    nearest: Nearest | None = None,
) -> Caller:
    """The caller that a relay's headers describe; values are percent-encoded UTF-8."""

    def value(name: str) -> str:
        return unquote(headers.get(_HEADER + name, ""), errors="surrogateescape")

    return Caller(
        database,
        settings,
        project_dir=value("project-dir"),
        cwd=value("cwd"),
        config_dir=value("config-dir"),
        roots=_paths(value("roots")),
        relay=value("relay"),
        tool_use_id=tool_use_id,
        deadline=deadline,
        nearest=nearest and _briefly(nearest, settings),
    )


def _briefly(nearest: Nearest, settings: Config) -> Nearest:
    """The same; what is missing, which every answer repeats, is told in few words."""

    def near(
        db: sqlite3.Connection,
        text: str,
        projects: Sequence[int],
        allowed: Sequence[int] | None,
    ) -> Near:
        found = nearest(db, text, projects, allowed)
        if estimate_tokens(found.missing) <= _NOTE_TOKENS:
            return found
        is_set_up = settings["embedder"] != "openai" or (
            settings["embedding_url"] and settings["embedding_model"]
        )
        why = "cannot be used" if is_set_up else "is not set up"
        return replace(found, missing=f"the embedder {why}; run: backstory doctor")

    return near


def _paths(text: str) -> tuple[str, ...]:
    """The folders of a JSON list of file:// addresses."""
    try:
        uris = json.loads(text) if text else []
    except ValueError:
        return ()
    parts = [urlsplit(uri) for uri in uris if isinstance(uri, str)]
    return tuple(
        unquote(part.path) for part in parts if part.scheme == "file" and part.path.startswith("/")
    )
