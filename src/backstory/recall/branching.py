"""Whose branch a record was made on, as a session's start sees it. Thin: hook processes load it.

What became of a branch is found out by the worker; here only the checked-out one is looked up.
"""

from backstory.project import Project, branch_of, default_branch
from backstory.storage import sql
from backstory.storage.lean_sqlite import sqlite3

HERE, EVERYONES, OTHER, DELETED = range(4)
USUAL = ("main", "master", "trunk")  # what counts as everyone's where nothing names the default
MARKS = {HERE: "", EVERYONES: "", DELETED: "deleted branch"}


class Branches:
    """The branches of a project. current: the checked-out one, "" where there is none."""

    def __init__(self, current: str, default: str, states: "dict[str, str]") -> None:
        self.current = current
        self.default = default
        self.states = states

    def is_everyones(self, name: str) -> bool:
        """Whether what was learnt there holds for all: no branch, the default one, a merged one."""
        return (
            not name
            or self.states.get(name) == "merged"
            or name == self.default
            or (not self.default and name in USUAL)
        )

    @property
    def is_topic(self) -> bool:
        """Whether the current branch is one for some work alone."""
        return bool(self.current) and not (
            self.current == self.default or (not self.default and self.current in USUAL)
        )

    def place(self, name: str) -> int:
        """HERE, EVERYONES, OTHER or DELETED: how near a branch is to the current one."""
        if name and name == self.current:
            return HERE if self.is_topic else EVERYONES
        if self.is_everyones(name):
            return EVERYONES
        if self.states.get(name) == "deleted":
            return DELETED
        # without a branch of its own, nothing is another's
        return OTHER if self.current else EVERYONES


def load(db: sqlite3.Connection, project: int, here: "Project | None") -> Branches:
    """The branches of a project as they are known.

    here: where the session runs; without a repository there, the newest session's branch counts.
    """
    queries = sql.load("context")
    current = default = ""
    if here is not None and here.git_dir:
        current, default = branch_of(here), default_branch(here)
    else:
        row = db.execute(queries["session_branch"], (project,)).fetchone()
        current = row[0] if row else ""
    try:
        states = dict(db.execute(queries["branch_states"], (project,)).fetchall())
    except sqlite3.OperationalError:
        # a database of an earlier version, which the worker is about to bring up to date
        states = {}
    return Branches(current, default, states)
