"""Writing down what is being worked on: sanitised, bounded, and the same state only once."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backstory import project as identity
from backstory.errors import BadInput
from backstory.recall.work_state import LISTS, TEXTS, history
from backstory.sanitize.door import clean_value
from backstory.sanitize.private import MARK
from backstory.storage import sql, sqlite

TASK_LIMIT = 500  # characters
ITEM_LIMIT = 300
ITEMS = 20
KEPT = 100  # states of a project; the oldest go
OPEN_MS = 24 * 3_600_000  # a session of which nothing was heard for longer is over
_NOTHING: dict[str, Any] = {"task": "", **{name: [] for name in LISTS}}
_SQL = sql.load("work_state")


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes: the session, as far as it is known, and the branch."""

    session: int | None = None  # the row
    session_id: str = ""  # the host's
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """The state in force, and whether it is a new one."""

    id: int
    new: bool
    redacted: bool
    state: dict[str, Any]  # its four fields


def writer(db: sqlite3.Connection, owner: int, here: identity.Project, cwd: str) -> Writer:
    """Who writes from a folder: the newest session there, unless it has ended.

    The host does not say which session calls; two at once in one folder are taken for each other.
    """
    branch, _ = identity.head(here)
    since = sqlite.now_ms() - OPEN_MS
    for folder in dict.fromkeys(filter(None, (cwd, here.worktree or here.root))):
        values = {"project": owner, "folder": folder, "since": since}
        row = db.execute(_SQL["session"], values).fetchone()
        if row and row[2] is None:
            return Writer(int(row[0]), str(row[1]), branch)
    return Writer(branch=branch)


def write(
    db: sqlite3.Connection, owner: int, given: Mapping[str, Any], by: Writer | None = None
) -> Written:
    """Writes a state down. A field that is not given keeps its value, an empty one is cleared.

    given: `task`, a text; `next_steps`, `open_questions`, `blockers`, lists of texts. Raises
    BadInput where nothing is given, and for what is too long or all private.
    """
    check(given)
    cleaned = {name: clean(name, value) for name, value in given.items()}
    redacted = any(hides for _, hides in cleaned.values())
    by = by or Writer()
    with sqlite.transaction(db):
        before = history(db, owner, 1)
        now = {name: before[0][name] if before else _NOTHING[name] for name in TEXTS}
        after = {**now, **{name: value for name, (value, _) in cleaned.items()}}
        if after == now:
            return Written(before[0]["id"] if before else 0, False, redacted, after)
        values = {
            "project": owner,
            "session": by.session,
            "branch": by.branch,
            "task": after["task"],
            **{name: "\n".join(after[name]) for name in LISTS},
            "at": sqlite.now_ms(),
        }
        record = int(db.execute(_SQL["add"], values).fetchone()[0])
        db.execute(_SQL["drop old"], {"project": owner, "kept": KEPT})
    return Written(record, True, redacted, after)


def check(given: Mapping[str, Any]) -> None:
    """Raises BadInput where the fields are none, or not what they should be."""
    if not given:
        raise BadInput("there is nothing to write", hint=f"give one or more of {', '.join(TEXTS)}")
    for name, value in given.items():
        if name not in TEXTS:
            raise BadInput(f"unknown field {name!r}", hint=f"known: {', '.join(TEXTS)}")
        if name == "task":
            _check_text(name, value, TASK_LIMIT)
            continue
        if not isinstance(value, list):
            raise BadInput(f"{name}: expected a list of texts, got {type(value).__name__}")
        if len(value) > ITEMS:
            hint = "keep those that matter most; what is done needs no step"
            raise BadInput(f"{name}: got {len(value)} items, at most {ITEMS} are kept", hint=hint)
        for place, item in enumerate(value):
            _check_text(f"{name}[{place}]", item, ITEM_LIMIT)


def clean(name: str, value: Any) -> tuple[Any, bool]:
    """A field as it is stored, each text on one line, and whether something was left out of it.

    Raises BadInput where that leaves nothing of a task.
    """
    found, secrets = clean_value(value)
    texts = [found] if name == "task" else found
    limit = TASK_LIMIT if name == "task" else ITEM_LIMIT
    lines = [" ".join(text.split())[:limit] for text in texts]
    kept = list(dict.fromkeys(line for line in lines if line.replace(MARK, "").strip()))
    hides = bool(secrets) or any(MARK in line for line in lines)
    if name != "task":
        return kept, hides
    if hides and not kept:
        raise BadInput("there is nothing to write: all of the task is private")
    return "".join(kept), hides


def _check_text(name: str, value: Any, limit: int) -> None:
    if not isinstance(value, str):
        raise BadInput(f"{name}: expected text, got {type(value).__name__}")
    if len(value) > limit:
        hint = "say it shorter; what is to be remembered in full goes to save_memory"
        raise BadInput(f"{name}: got {len(value)} characters, at most {limit} are kept", hint=hint)
