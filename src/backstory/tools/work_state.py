"""The tools that read and write what is being worked on; HTTP writes through here, too."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backstory import project as identity
from backstory.capture import work_state as writing
from backstory.errors import BackstoryError, BadInput, Forbidden
from backstory.hook import event
from backstory.recall import render, work_state
from backstory.recall.state_text import field_lines, state_text
from backstory.storage import projects, sqlite
from backstory.tools.caller import Caller
from backstory.tools.memory import Arguments

LEFT_OUT = "What is private or looked like a secret was left out."


def read_work_state(caller: Caller, given: Arguments) -> str:
    """What is being worked on, and with `history` what was before."""
    scope = caller.scope()
    states: list[dict[str, Any]] = []
    if not scope.is_empty:
        states = caller.read(lambda db: work_state.history(db, scope.ids[0]))
    return state_text(states, scope.name, history=given.get("history", False))


def write_work_state(caller: Caller, given: Arguments) -> str:
    """Writes down what is being worked on; the same state is no new one."""
    here = caller.identity()
    if here is None:
        raise BadInput("this call names no folder to work in", hint="start a new session")
    excluded = caller.settings["excluded_projects"]
    refuse_excluded(excluded, (caller.project_dir or caller.cwd, here.root))

    def write(db: sqlite3.Connection) -> writing.Written:
        owner = caller_project(db, here)
        by = writing.writer(db, owner, here, caller.project_dir or caller.cwd)
        refuse_incognito(caller.settings.home, by)
        return writing.write(db, owner, given, by)

    return written_text(caller.write(write), here.name)


def caller_project(db: sqlite3.Connection, here: identity.Project) -> int:
    """The stored project; one that is not stored yet becomes one."""
    with sqlite.transaction(db):
        return projects.find_or_add(db, here, sqlite.now_ms())


def refuse_excluded(patterns: Sequence[str], folders: Sequence[str]) -> None:
    """Raises Forbidden where the user keeps a project out of memory."""
    if any(identity.is_listed(list(patterns), folder) for folder in folders if folder):
        raise Forbidden(
            "this project is kept out of memory, so nothing was written",
            hint="the setting excluded_projects names it; only the user changes that",
        )


def refuse_incognito(home: Path, by: writing.Writer) -> None:
    """Raises Forbidden where the session that writes is incognito."""
    if by.session_id and (home / event.incognito_mark(by.session_id.encode())).exists():
        raise Forbidden(
            "this session is incognito, so nothing was written",
            hint="the user ends that with /backstory:incognito off",
        )


def written_text(written: writing.Written, name: str) -> str:
    """What came of writing, for a model."""
    of = f"project {render.one_line(name)}"
    if not written.new:
        return f"This is the work state already, {of}: nothing was changed."
    fields = field_lines(written.state)
    text = "\n".join([f"Written, {of}. The work state is now:", *fields])
    if not fields:
        text = f"Cleared, {of}: nothing is written down as being worked on."
    return f"{text}\n{LEFT_OUT}" if written.redacted else text


def with_advice(error: BackstoryError, given: Arguments) -> BackstoryError:
    """The error with what to do about too many items, where that is what is wrong."""
    del given
    if isinstance(error, BadInput) and " items, expected" in error.message:
        error.hint = "keep those that matter most: what is done needs no step"
    return error
