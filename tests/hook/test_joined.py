"""H5: two folders with one remote share a memory; the user is told once, and can part them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from backstory.project import resolve
from backstory.storage import projects, sqlite


def clone(path: Path) -> Path:
    """A repository with the remote that all of these have."""
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    remote = ["remote", "add", "origin", "git@example.test:shop/cart.git"]
    subprocess.run(["git", "-C", str(path), *remote], check=True)
    return path


def test_a_second_folder_is_announced_once(tmp_path: Path) -> None:
    """By both paths; a worktree or the same folder again is nothing new."""
    db = sqlite.open_writer(tmp_path / "m.db")
    first, second = clone(tmp_path / "one"), clone(tmp_path / "two")
    shop = projects.find_or_add(db, resolve(str(first)), 1)
    assert projects.find_or_add(db, resolve(str(first)), 2) == shop
    assert projects.take_joined(db, 2) == []
    assert projects.find_or_add(db, resolve(str(second)), 3) == shop
    assert projects.take_joined(db, 3) == [("one", [str(first), str(second)])]
    assert projects.take_joined(db, 4) == []
    assert projects.find_or_add(db, resolve(str(second)), 5) == shop
    assert projects.take_joined(db, 5) == []
    db.close()


def test_an_override_parts_them(tmp_path: Path) -> None:
    """The command that the notice names."""
    db = sqlite.open_writer(tmp_path / "m.db")
    first, second = clone(tmp_path / "one"), clone(tmp_path / "two")
    shop = projects.find_or_add(db, resolve(str(first)), 1)
    config = ["config", "--local", "backstory.project", "second-shop"]
    subprocess.run(["git", "-C", str(second), *config], check=True)
    assert projects.find_or_add(db, resolve(str(second)), 2) != shop
    assert resolve(str(second)).keys == ("name:second-shop",)
    db.close()
