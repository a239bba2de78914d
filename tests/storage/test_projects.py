"""Projects in the database, by any key they were ever known by."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from backstory.errors import BadInput, NotFound
from backstory.project import Project
from backstory.storage import projects, sqlite


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """An empty database."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    sqlite.migrate(connection)
    yield connection
    connection.close()


def place(*keys: str, name: str = "api", root: str = "/a/api") -> Project:
    """A project's identity."""
    return Project(keys, name, root)


def test_a_project_is_found_by_every_key_it_had(db: sqlite3.Connection) -> None:
    """H4: a repository that gets a remote later keeps its history."""
    first = projects.find_or_add(db, place("path:/a/api"), 1)
    again = projects.find_or_add(db, place("git:host/me/api", "path:/a/api"), 2)
    moved = projects.find_or_add(db, place("git:host/me/api", "path:/b/api", root="/b/api"), 3)
    assert first == again == moved
    assert projects.find(db, place("path:/b/api")) == first
    assert projects.find(db, place("path:/c")) is None
    assert db.execute("SELECT count(*) FROM project_keys").fetchone() == (3,)


def test_equal_names_are_not_equal_projects(db: sqlite3.Connection) -> None:
    """H5: the name is only a label."""
    a = projects.find_or_add(db, place("path:/a/api"), 1)
    b = projects.find_or_add(db, place("path:/b/api", root="/b/api"), 1)
    assert a != b
    assert projects.by_name(db, "api", a) == a
    assert projects.by_name(db, "api", b) == b
    assert projects.by_name(db, "/b/api") == b
    assert projects.by_name(db, "path:/a/api") == a
    with pytest.raises(BadInput, match="2 projects are called 'api'") as caught:
        projects.by_name(db, "api")
    assert "/a/api" in caught.value.hint
    assert "/b/api" in caught.value.hint


def test_a_name_that_is_unknown_gets_the_known_ones(db: sqlite3.Connection) -> None:
    """The error tells how to go on."""
    with pytest.raises(NotFound, match="no project 'x'") as caught:
        projects.by_name(db, "x")
    assert "none yet" in caught.value.hint
    projects.find_or_add(db, place("path:/a/api"), 1)
    with pytest.raises(NotFound) as caught:
        projects.by_name(db, "%")
    assert "api" in caught.value.hint
