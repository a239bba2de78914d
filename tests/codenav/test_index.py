"""The index of a workspace, as a file that may be lost at any time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from backstory.codenav import index
from backstory.codenav.index import own_texts
from backstory.codenav.outline import outline_of
from tests.codenav.searching import Workspace, workspace

FILES = {"cart.py": "class Cart:\n    def total(self):\n        return 1\n"}


@pytest.fixture
def project(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, FILES)


def path_of(project: Workspace) -> Path:
    return index.path_of(str(project.root), project.home)


def test_only_the_user_may_read_it(project: Workspace) -> None:
    """It holds the words of their code."""
    path = path_of(project)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_every_workspace_has_its_own(tmp_path: Path) -> None:
    """By its whole path."""
    assert index.path_of("/a/b", tmp_path) != index.path_of("/a/c", tmp_path)


def test_one_of_another_version_is_made_anew(project: Workspace) -> None:
    """Its rows would be others now."""
    with sqlite3.connect(path_of(project)) as db:
        db.execute("UPDATE meta SET value = 'older' WHERE name = 'version'")
    db.close()
    assert index.open_reader(path_of(project)) is None
    project.index()
    assert project.names("total")[0] == "Cart.total"


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 400, b"SQLite format 3\0" * 300])
def test_a_damaged_one_is_made_anew(project: Workspace, damage: bytes) -> None:
    """It is never an error to the caller."""
    project.close()
    path_of(project).write_bytes(damage)
    assert project.names("total") == ["Cart.total"]
    project.index()
    assert project.names("total") == ["Cart.total"]


def test_damage_within_is_noticed_and_answered_around(project: Workspace) -> None:
    """A page that cannot be read: the files themselves are looked through."""
    project.close()
    path = path_of(project)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    assert project.names("total") == ["Cart.total"]


def test_a_second_writer_is_turned_away(project: Workspace) -> None:
    """And may wait if it wants to."""
    root = str(project.root)
    with index.writer(root, project.home) as first, index.writer(root, project.home) as second:
        assert first is not None
        assert second is None


def test_the_versions_of_languages_count(project: Workspace) -> None:
    """The digest is the same for everyone who has the same queries."""
    assert index.version() == index.version()
    assert len(index.version()) == 24


def test_lines_belong_to_the_innermost_symbol() -> None:
    """And those of fields to what they stand in."""
    text = "import os\nclass A:\n    x = 1\n    def f(self):\n        return 2\n\nprint(3)\n"
    found = outline_of(text, "a.py").symbols
    bodies, rest = own_texts(text, found)
    by_name = dict(zip((one.qualified_name for one in found), bodies, strict=True))
    assert by_name == {
        "A": "class A:\n    x = 1",
        "A.x": "",
        "A.f": "    def f(self):\n        return 2",
    }
    assert rest == "import os\n\nprint(3)\n"


def test_names_that_are_no_unicode_are_kept(tmp_path: Path) -> None:
    """Such files are found, and shown as they are to be opened."""
    project = workspace(tmp_path, {"a.py": "def first(): pass\n"})
    odd = project.root / "b\udcff.py"
    odd.write_text("def second(): pass\n")
    project.index()
    assert project.files("second")[0] == "b\udcff.py"
