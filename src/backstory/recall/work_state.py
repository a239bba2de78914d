"""What is being worked on, as it was last written down. Thin: a session's start shows it.

A project's newest state is in force, on whatever branch it was written; one with nothing in it
means that the work is done.
"""

from backstory.estimate import estimate_tokens
from backstory.recall.plain import date_of, plain
from backstory.storage import sql
from backstory.storage.lean_sqlite import sqlite3

HISTORY = 5  # states that a reader is shown
LISTS = ("next_steps", "open_questions", "blockers")
TEXTS = ("task", *LISTS)
TOKENS = 200
# Most characters of the task and of an item, and most items of a list: the first that fits.
FITS = ((200, 100, 5), (200, 100, 3), (160, 100, 2), (120, 80, 1), (80, 40, 1), (60, 0, 0))
_LABELS = (("Next", "next_steps"), ("Open", "open_questions"), ("Blocked", "blockers"))

TYPE_CHECKING = False  # typing's own costs an import of typing
if TYPE_CHECKING:
    from typing import Any


def current(db: sqlite3.Connection, project: int) -> "dict[str, Any] | None":
    """The state in force: id, task, the three lists, branch, session (the host's id), at.

    None where there is none, or nothing in it.
    """
    try:
        found = history(db, project, 1)
    except sqlite3.OperationalError:
        # a database of an earlier version, which the worker is about to bring up to date
        return None
    return found[0] if found and any(found[0][name] for name in TEXTS) else None


def history(db: sqlite3.Connection, project: int, limit: int = HISTORY) -> "list[dict[str, Any]]":
    """The newest states, the one in force first, those with nothing in them too."""
    rows = db.execute(sql.load("work_state")["newest"], (project, limit)).fetchall()
    return [
        {
            "id": row[0],
            "task": row[1],
            "next_steps": row[2].splitlines(),
            "open_questions": row[3].splitlines(),
            "blockers": row[4].splitlines(),
            "branch": row[5],
            "at": row[6],
            "session": row[7] or "",
        }
        for row in rows
    ]


def lines(state: "dict[str, Any] | None", tokens: int = TOKENS) -> "list[str]":
    """A state within so many tokens, a line a field, safe to inject; [] for none.

    What did not fit is counted, so that nobody takes the rest for all.
    """
    if state is None:
        return []
    found: "list[str]" = []
    for task, item, most in FITS:
        found = _lines(state, task, item, most)
        if estimate_tokens("\n".join(found)) <= tokens:
            return found
    return []


def _lines(state: "dict[str, Any]", task: int, item: int, most: int) -> "list[str]":
    branch = plain(state["branch"], 60)
    found = ["Work state (%s%s):" % (date_of(state["at"]), ", branch " + branch if branch else "")]
    if state["task"]:
        found.append("Task: %s" % plain(state["task"], task))
    hidden = 0
    for label, name in _LABELS:
        shown = [line for line in [plain(one, item) for one in state[name][:most]] if line]
        hidden += len(state[name]) - len(shown)
        if shown:
            found.append("%s: %s" % (label, " | ".join(shown)))
    if hidden:
        found.append("%d more: work_state_read." % hidden)
    return found
