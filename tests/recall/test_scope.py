"""Whose memory a call may see."""

from __future__ import annotations

import pytest

from backstory.errors import BadInput, NotFound
from backstory.project import Project
from backstory.recall import scope
from tests.recall.conftest import Store


def place(key: str) -> Project:
    """A caller's project."""
    return Project((key,), key.rsplit("/", 1)[-1], key.removeprefix("path:"))


@pytest.fixture
def two(store: Store) -> Store:
    """Two projects of one name."""
    for number, root in enumerate(("/a/api", "/b/api"), 1):
        store.project("api", root)
        store.db.execute(
            "INSERT INTO project_keys (key, project, created_at) VALUES (?, ?, 1)",
            (f"path:{root}", number),
        )
    return store


def test_without_a_name_it_is_the_current_project(two: Store) -> None:
    """F10: never all of them."""
    assert scope.project_id(two.db, place("path:/b/api")) == 2
    assert scope.project_id(two.db, place("path:/b/api"), "api") == 2
    assert scope.project_id(two.db, place("path:/b/api"), "/a/api") == 1
    with pytest.raises(BadInput, match="2 projects"):
        scope.project_id(two.db, None, "api")


@pytest.mark.parametrize("here", [None, place("path:/c/new")])
def test_an_unknown_project_is_not_every_project(two: Store, here: Project | None) -> None:
    """An empty scope would be."""
    with pytest.raises(NotFound, match="nothing is stored yet"):
        scope.project_id(two.db, here)


def test_the_folders_of_a_project_are_all_it_was_seen_in(two: Store) -> None:
    """F17: a path is asked for from any of its clones."""
    two.db.execute("INSERT INTO project_keys VALUES ('path:/clone/api', 1, 1)")
    two.db.execute("INSERT INTO project_keys VALUES ('git:host/me/api', 1, 1)")
    assert sorted(scope.roots(two.db, (1,))) == ["/a/api", "/clone/api"]
    assert sorted(scope.roots(two.db, (1, 2))) == ["/a/api", "/b/api", "/clone/api"]
    assert scope.roots(two.db, ()) == ()
