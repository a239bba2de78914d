"""The tools that read and write what is being worked on; HTTP writes through here, too."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backstory import project as identity
from backstory.capture import work_state as writing
from backstory.errors import BackstoryError, BadInput, Forbidden
from backstory.hook import event
from backstory.recall import render, work_state
from backstory.recall.context import EVIDENCE
from backstory.storage import projects, sqlite
from backstory.tools.caller import Caller
from backstory.tools.memory import Arguments

HEADINGS = (
    ("next_steps", "Next steps"),
    ("open_questions", "Open questions"),
    ("blockers", "Blocked by"),
)
NOTHING = "Nothing is written down as being worked on"
LEFT_OUT = "What is private or looked like a secret was left out."
_ONWARD = "work_state_write changes it: a field that is not given stays, an empty one is cleared."
_OLDER_TOKENS = 150


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


def state_text(states: Sequence[Mapping[str, Any]], name: str, *, history: bool = False) -> str:
    """States, the one in force first, for a reader."""
    of = f" ({render.one_line(name)})" if name else ""
    if not states:
        return f"{NOTHING} in this project{of}. work_state_write does that."
    newest, *older = states
    lines = [EVIDENCE]
    if any(newest[field] for field in work_state.TEXTS):
        lines += [f"Work state{of}, {_told(newest)}:", *field_lines(newest), _ONWARD]
    else:
        lines += [f"{NOTHING}{of} since {_told(newest)}.", _ONWARD]
    if history:
        lines.append(f"Before that, the newest of {work_state.HISTORY - 1} at most first:")
        lines += [line for state in older for line in older_lines(state)] or ["(nothing)"]
    return "\n".join(lines)


def field_lines(state: Mapping[str, Any]) -> list[str]:
    """The fields of a state that say something, an item a line."""
    lines = []
    if state["task"]:
        lines.append(f"Task: {render.harmless(state['task'])}")
    for field, heading in HEADINGS:
        if state[field]:
            lines.append(f"{heading}:")
            lines += [f"- {render.harmless(item)}" for item in state[field]]
    return lines


def older_lines(state: Mapping[str, Any]) -> list[str]:
    """A state of the history, in brief."""
    _, *told = work_state.lines(dict(state), _OLDER_TOKENS)
    return [f"{_told(state)}:", *(f"  {line}" for line in told or ["(cleared)"])]


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


def _told(state: Mapping[str, Any]) -> str:
    branch = render.one_line(state["branch"], 60)
    return f"w{state['id']} of {render.when(state['at'])}" + (f" on {branch}" if branch else "")
