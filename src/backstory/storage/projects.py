"""Projects in the database: found by any key they were ever known by."""

from __future__ import annotations

import sqlite3

from backstory import project as identity
from backstory.errors import BadInput, NotFound
from backstory.storage import sql

_SQL = sql.load("capture")


def find(db: sqlite3.Connection, project: identity.Project) -> int | None:
    """The stored project of an identity, or None."""
    for key in project.keys:
        row = db.execute(_SQL["project_by_key"], (key,)).fetchone()
        if row:
            return int(row[0])
    return None


def find_or_add(db: sqlite3.Connection, project: identity.Project, at: int) -> int:
    """The stored project of an identity; keys not seen before become its aliases."""
    found = find(db, project)
    known = found is not None
    if found is None:
        cursor = db.execute(
            _SQL["add_project"], {"name": project.name, "root": project.root, "at": at}
        )
        found = int(cursor.lastrowid or 0)
    for key in project.keys:
        added = db.execute(_SQL["add_project_key"], {"key": key, "project": found, "at": at})
        if known and added.rowcount and key.startswith("path:"):
            db.execute(_SQL["joined"], (found,))
    return found


def take_joined(db: sqlite3.Connection, at: int) -> list[tuple[str, list[str]]]:
    """(name, folders) of the projects that a second folder joined since; each is told once."""
    joined = []
    for project, name in db.execute(_SQL["newly_joined"]).fetchall():
        folders = [row[0] for row in db.execute(_SQL["folders"], (project,))]
        db.execute(_SQL["announced"], (at, project))
        joined.append((str(name), folders))
    return joined


def by_name(db: sqlite3.Connection, name: str, current: int | None = None) -> int:
    """The project that a person or a tool named: by key, root folder, or name.

    A name that several projects share means the current one if it is among them. Raises NotFound
    with the nearest names, BadInput where the name is ambiguous.
    """
    rows = db.execute(
        "SELECT DISTINCT p.id, p.name, p.root FROM projects p LEFT JOIN project_keys k"
        " ON k.project = p.id WHERE k.key = :n OR p.root = :n OR p.name = :n",
        {"n": name},
    ).fetchall()
    ids = [int(row[0]) for row in rows]
    if current in ids and current is not None:
        return current
    if len(ids) == 1:
        return ids[0]
    if ids:
        roots = ", ".join(str(row[2]) for row in rows)
        raise BadInput(f"{len(ids)} projects are called {name!r}", hint=f"name its folder: {roots}")
    known = [
        str(row[0]) for row in db.execute("SELECT name FROM projects ORDER BY id DESC LIMIT 8")
    ]
    raise NotFound(f"there is no project {name!r}", hint=f"known: {', '.join(known) or 'none yet'}")
