"""Whose branch a record was made on."""

from __future__ import annotations

from pathlib import Path

import pytest

from backstory.project import resolve
from backstory.recall import branching
from backstory.recall.branching import DELETED, EVERYONES, HERE, OTHER, Branches
from tests.recall.conftest import Store

STATES = {"done": "merged", "gone": "deleted", "open": "open"}


@pytest.mark.parametrize(
    ("current", "default", "places"),
    [
        ("fix", "main", [EVERYONES, HERE, EVERYONES, OTHER, OTHER, DELETED, EVERYONES]),
        ("main", "main", [EVERYONES, OTHER, EVERYONES, OTHER, OTHER, DELETED, EVERYONES]),
        ("fix", "develop", [EVERYONES, HERE, OTHER, OTHER, OTHER, DELETED, EVERYONES]),
        ("fix", "", [EVERYONES, HERE, EVERYONES, OTHER, OTHER, DELETED, EVERYONES]),
        ("", "main", [EVERYONES, EVERYONES, EVERYONES, EVERYONES, EVERYONES, DELETED, EVERYONES]),
        ("gone", "main", [EVERYONES, OTHER, EVERYONES, OTHER, OTHER, HERE, EVERYONES]),
    ],
)
def test_the_place_of_a_branch(current: str, default: str, places: list[int]) -> None:
    """No branch, the default one and a merged one are everyone's; so are all where none is out."""
    names = ["", "fix", "main", "open", "unknown", "gone", "done"]
    branches = Branches(current, default, STATES)
    assert [branches.place(name) for name in names] == places


def test_the_branch_is_the_checked_out_one_else_the_newest_sessions(
    tmp_path: Path, store: Store
) -> None:
    """A folder that is gone has no repository any more."""
    store.project()
    store.session(1, "s1", branch="main")
    store.session(1, "s2", branch="fix")
    store.db.execute("INSERT INTO branches VALUES (1, 'done', 'merged', 0)")
    found = branching.load(store.db, 1, resolve(str(tmp_path / "nowhere")))
    assert (found.current, found.default, found.states) == ("fix", "", {"done": "merged"})
    git = tmp_path / ".git/refs/remotes/origin"
    git.mkdir(parents=True)
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/topic/a\n")
    (git / "HEAD").write_text("ref: refs/remotes/origin/develop\n")
    found = branching.load(store.db, 1, resolve(str(tmp_path)))
    assert (found.current, found.default, found.is_topic) == ("topic/a", "develop", True)


def test_a_database_of_an_earlier_version_knows_no_branches(store: Store) -> None:
    """The hook may read it before the worker has brought it up to date."""
    store.project()
    store.db.execute("DROP TABLE branches")
    assert branching.load(store.db, 1, None).states == {}
