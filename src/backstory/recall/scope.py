"""Whose memory a call may see: the current project's, or that of one named on purpose."""

from __future__ import annotations

import sqlite3

from backstory import project
from backstory.errors import NotFound
from backstory.storage import projects


def project_id(db: sqlite3.Connection, here: project.Project | None, named: str = "") -> int:
    """The one project that a call is about.

    here: the caller's project. named: a key, a root folder or a name, in its place. Raises
    NotFound where nothing is stored for it: an empty scope would mean every project.
    """
    current = projects.find(db, here) if here is not None else None
    # a project that is not stored yet must not open a namesake by naming itself
    if named and not (here is not None and named in (here.name, here.root, *here.keys)):
        return projects.by_name(db, named, current)
    if current is None:
        label = f"project {here.name!r}" if here else "an unnamed project"
        raise NotFound(
            f"nothing is stored yet for {label}",
            hint="memory begins with the first prompt there; project=NAME asks about another one",
        )
    return current


def roots(db: sqlite3.Connection, project_ids: tuple[int, ...]) -> tuple[str, ...]:
    """The folders that the stored paths of these projects are relative to."""
    marks = ",".join("?" * len(project_ids))
    rows = db.execute(
        f"SELECT root FROM projects WHERE id IN ({marks}) UNION "  # noqa: S608  only marks
        f"SELECT substr(key, 6) FROM project_keys WHERE project IN ({marks}) AND key LIKE 'path:%'",
        (*project_ids, *project_ids),
    )
    return tuple(row[0] for row in rows)
