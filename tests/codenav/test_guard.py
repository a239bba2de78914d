"""Which folders are a workspace, and what a walk leaves out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from backstory.codenav import guard
from backstory.codenav.permissions import NO_RULES, rules_for
from backstory.errors import Forbidden
from tests.codenav import workspace


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "users/me"
    (home / "proj/src").mkdir(parents=True)
    (home / ".claude").mkdir()
    monkeypatch.setenv("HOME", str(home))
    return Path(os.path.realpath(home))


def test_the_hosts_folders_are_the_workspace(home: Path, tmp_path: Path) -> None:
    """Real ones, in the host's order; nothing is added to them."""
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "link").symlink_to(home / "proj")
    roots = (str(tmp_path / "link"), str(home / "proj"), str(other))
    assert guard.workspace_roots(roots, "/tmp") == (str(home / "proj"), os.path.realpath(other))


def test_without_them_it_is_the_repository_else_the_working_folder(home: Path) -> None:
    assert guard.workspace_roots((), str(home / "proj/src")) == (str(home / "proj/src"),)
    subprocess.run(["git", "init", "-q", str(home / "proj")], check=True)
    assert guard.workspace_roots((), str(home / "proj/src")) == (str(home / "proj"),)


def test_a_worktree_is_a_workspace_of_its_own(home: Path) -> None:
    run = ["git", "-C", str(home / "proj"), "-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run(["git", "init", "-q", str(home / "proj")], check=True)
    subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*run, "worktree", "add", "-q", str(home / "tree")], check=True)
    assert guard.workspace_roots((), str(home / "tree")) == (str(home / "tree"),)


@pytest.mark.parametrize("above", ["", "..", "../..", "../../../../../../../.."])
def test_the_home_folder_and_what_is_above_it_are_none(above: str, home: Path) -> None:
    wide = str(home / above)
    for roots, cwd in (((wide,), ""), ((), wide), ((wide, "/"), wide)):
        with pytest.raises(Forbidden, match="is no workspace: it is the home folder, or above"):
            guard.workspace_roots(roots, cwd)
    assert guard.workspace_roots((wide, str(home / "proj")), "") == (str(home / "proj"),)


def test_a_home_folder_in_git_does_not_make_all_of_it_a_workspace(home: Path) -> None:
    subprocess.run(["git", "init", "-q", str(home)], check=True)
    subprocess.run(["git", "init", "-q", str(home.parent)], check=True)
    assert guard.workspace_roots((), str(home / "proj")) == (str(home / "proj"),)


def test_no_workspace_is_told(home: Path) -> None:
    with pytest.raises(Forbidden, match="names no workspace"):
        guard.workspace_roots((), "")
    with pytest.raises(Forbidden, match="names no workspace"):
        guard.workspace_roots(("relative",), "also/relative")
    with pytest.raises(Forbidden, match="is no folder any more"):
        guard.workspace_roots((str(home / "gone"),), "")


def test_a_folder_may_be_meant_as_well(tmp_path: Path) -> None:
    """For a search below it."""
    top = workspace.build(tmp_path)
    roots = (os.path.realpath(top),)
    place = guard.resolve("src/shop", roots, NO_RULES)
    assert (place.shown, place.is_folder, place.root) == ("src/shop", True, roots[0])
    assert guard.resolve(".", roots, NO_RULES).shown == "."
    assert guard.resolve(str(top), roots, NO_RULES).is_folder
    assert not guard.resolve("src/main.ts", roots, NO_RULES).is_folder


def test_folders_of_secrets_and_of_the_users_rules_are_refused(tmp_path: Path) -> None:
    top = workspace.build(tmp_path)
    workspace.forbid(top, deny=["Read(docs/**)"])
    roots = (os.path.realpath(top),)
    rules = rules_for(roots, managed=())
    (top / "secrets").mkdir()
    for path in (".aws", "docs"):
        with pytest.raises(Forbidden):
            guard.resolve(path, roots, rules)
    assert guard.resolve("secrets", roots, rules).is_folder  # its name alone tells nothing


def test_a_walk_learns_why_it_leaves_a_file_out(tmp_path: Path) -> None:
    top = workspace.build(tmp_path)
    workspace.forbid(top, deny=["Read(docs/**)"], ask=["Read(*.ts)"])
    rules = rules_for((str(top),), managed=())
    reasons = {
        "src/shop/cart.py": "",
        "src/": "",
        "docs/guide.md": "denied by your rules",
        "docs/": "denied by your rules",
        "src/main.ts": "denied by your rules",
        ".env": "secret-like",
        ".aws/": "secret-like",
    }
    for path, reason in reasons.items():
        assert guard.refusal(f"{os.path.realpath(top)}/{path}", rules) == reason, path


def test_what_is_shown_can_be_printed() -> None:
    assert guard.shown_as("src/价格.py") == "src/价格.py"
    assert guard.shown_as("a\n\x1b[31m\u202eb") == r"a\n\x1b[31m\u202eb"
    assert guard.shown_as("a\udcff") == r"a\xff"


def test_a_neighbour_with_the_same_beginning_is_outside() -> None:
    assert guard.is_below("/a/b/c", "/a/b")
    assert guard.is_below("/a/b", "/a/b")
    assert not guard.is_below("/a/bc", "/a/b")
    assert guard.is_below("/a", "/")
