"""What became of the branches on which something was learnt."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory import project
from backstory.capture import branches
from backstory.capture.branches import Branch
from backstory.storage import projects, sqlite
from tests.capture.test_heads import T0, Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with a file, and a branch with two commits that change it."""
    made = Repository(tmp_path.resolve() / "shop")
    change(made, "a.py", "one\n")
    made.git(T0, "checkout", "-q", "-b", "topic")
    change(made, "a.py", "one\ntwo\n")
    change(made, "b.py", "three\n")
    made.git(T0, "checkout", "-q", "main")
    return made


def change(repo: Repository, name: str, text: str) -> str:
    """Writes a file and commits it; the commit's name."""
    (repo.folder / name).write_text(text)
    repo.git(T0, "add", name)
    return repo.commit(T0, f"write {name}")


def state(repo: Repository, name: str = "topic", *commits: str, known: str = "") -> str | None:
    """What becomes of a branch."""
    here = project.resolve(str(repo.folder))
    return branches.find_out(here, [Branch(name, commits, known)]).get(name)


def test_a_branch_with_commits_of_its_own_is_open(repo: Repository) -> None:
    """Also one on which nothing was committed yet, and the current one."""
    assert state(repo) == "open"
    repo.git(T0, "branch", "fresh")
    assert state(repo, "fresh", repo.git(T0, "rev-parse", "HEAD")) == "open"
    repo.git(T0, "checkout", "-q", "topic")
    assert state(repo) == "open"
    assert state(repo, "main") == "merged"


@pytest.mark.parametrize("way", ["merge", "fast-forward", "rebase", "squash", "squash, then more"])
@pytest.mark.parametrize("deleted", [False, True])
def test_a_branch_is_merged_in_whatever_way(repo: Repository, way: str, deleted: bool) -> None:
    """Its commits, the same changes one by one, or all of them as one commit."""
    if way != "fast-forward":
        change(repo, "other.py", "meanwhile\n")
    if way == "merge":
        repo.git(T0, "merge", "-q", "--no-edit", "topic")
    elif way == "fast-forward":
        repo.git(T0, "merge", "-q", "--ff-only", "topic")
    elif way == "rebase":
        repo.git(T0, "cherry-pick", "main..topic")
    else:
        repo.git(T0, "merge", "-q", "--squash", "topic")
        repo.commit(T0, "all of it")
        if "more" in way:
            change(repo, "b.py", "three\nfour\n")
    if deleted:
        repo.git(T0, "branch", "-q", "-D", "topic")
    assert state(repo) == "merged"


def test_what_was_deleted_without_being_merged_is_told(repo: Repository) -> None:
    """By the log of HEAD, else by the commits that records name; once merged, it stays merged."""
    tip = repo.git(T0, "rev-parse", "topic")
    repo.git(T0, "branch", "-q", "-D", "topic")
    assert state(repo) == "deleted"
    (repo.folder / ".git/logs/HEAD").unlink()
    assert state(repo, "topic", tip) == "deleted"
    assert state(repo, "topic", "f" * 40) is None, "a commit that is not here tells nothing"
    assert state(repo, "topic", tip, known="merged") == "merged"
    repo.git(T0, "merge", "-q", "--ff-only", tip)
    assert state(repo, "topic", tip) == "merged"


@pytest.mark.parametrize("depth", [(), ("--depth", "1")], ids=["whole", "shallow"])
def test_in_a_clone_without_its_commits_nothing_is_said_of_it(
    repo: Repository, tmp_path: Path, depth: tuple[str, ...]
) -> None:
    """It may have been merged as one commit, elsewhere."""
    tip = repo.git(T0, "rev-parse", "topic")
    repo.git(T0, "merge", "-q", "--squash", "topic")
    repo.commit(T0, "all of it")
    change(repo, "b.py", "three\nfour\n")
    repo.git(T0, "branch", "-q", "-D", "topic")
    repo.git(T0, "clone", "-q", *depth, f"file://{repo.folder}", str(tmp_path / "clone"))
    here = project.resolve(str(tmp_path / "clone"))
    assert branches.find_out(here, [Branch("topic", (tip,), "")]) == {}


def test_a_branch_that_was_renamed_is_open(repo: Repository) -> None:
    """It goes on under another name, whatever is checked out."""
    repo.git(T0, "branch", "-q", "-m", "topic", "renamed")
    assert state(repo) == "open"


def test_a_branch_that_another_grows_out_of_is_open(repo: Repository) -> None:
    """What is checked out holds it, and is no less unfinished."""
    repo.git(T0, "checkout", "-q", "-b", "stacked", "topic")
    change(repo, "c.py", "five\n")
    assert state(repo) == "open"
    assert state(repo, "stacked") == "open"


def test_a_branch_that_only_followed_is_open(repo: Repository) -> None:
    """Records on it name several commits, none of which was made there."""
    repo.git(T0, "branch", "follower")
    first = repo.git(T0, "rev-parse", "HEAD")
    second = change(repo, "c.py", "five\n")
    repo.git(T0, "checkout", "-q", "follower")
    repo.git(T0, "merge", "-q", "--ff-only", "main")
    repo.git(T0, "checkout", "-q", "main")
    (repo.folder / ".git/logs/HEAD").unlink()
    assert state(repo, "follower", second, first) == "open"


def test_a_branch_of_the_remote_is_open(repo: Repository) -> None:
    """It was pushed and removed here."""
    tip = repo.git(T0, "rev-parse", "topic")
    repo.git(T0, "update-ref", "refs/remotes/origin/topic", tip)
    repo.git(T0, "branch", "-q", "-D", "topic")
    assert state(repo) == "open"


def test_where_git_is_missing_or_refuses_nothing_is_said(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was known stays."""
    assert branches.find_out(project.resolve(str(tmp_path)), [Branch("topic", ())]) == {}
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tmp_path))
        assert state(repo) is None
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
        patched.setattr(branches, "GIT_S", 0.1)
        assert state(repo) is None


def test_a_repositorys_own_settings_run_nothing(repo: Repository, tmp_path: Path) -> None:
    """A cloned repository must not have programs run by being looked at."""
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "diff.x.textconv"):
        repo.git(T0, "config", name, str(trap))
    for name in ("diff.x.command", "filter.x.smudge", "filter.x.clean", "gpg.program"):
        repo.git(T0, "config", name, str(trap))
    (repo.folder / ".git/info/attributes").write_text("* diff=x filter=x\n")
    (repo.folder / "other.py").write_text("x\n")
    before = sorted(path.name for path in (repo.folder / ".git").rglob("*"))
    assert state(repo) == "open"
    assert not (tmp_path / "sprung").exists()
    assert sorted(path.name for path in (repo.folder / ".git").rglob("*")) == before


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An empty store."""
    made = sqlite.open_writer(tmp_path / "backstory.db")
    yield made
    made.close()


def test_the_branches_of_records_are_looked_at_now_and_then(
    db: sqlite3.Connection, repo: Repository
) -> None:
    """The newest first, with the commits that records name; at most every few minutes."""
    owner = projects.find_or_add(db, project.resolve(str(repo.folder)), 0)
    for at, (name, commit) in enumerate((("b", "1"), ("a", "2"), ("", "3"), ("b", "4"), ("c", ""))):
        db.execute(
            "INSERT INTO observations (project, type, title, branch, commit_id, distilled_by,"
            " content_hash, tokens, created_at) VALUES (?, 'change', 't', ?, ?, 'x', ?, 1, ?)",
            (owner, name, commit, f"h{at}", at),
        )
    assert branches.wanted(db, owner, 0) == [
        Branch("c", ()),
        Branch("b", ("4", "1")),
        Branch("a", ("2",)),
    ]
    branches.put(db, owner, {"a": "open", "b": "deleted"}, 1_000)
    assert branches.wanted(db, owner, 2_000) == []
    later = branches.wanted(db, owner, 1_000 + branches.EVERY_MS)
    assert [one.state for one in later] == ["", "deleted", "open"]
    branches.put(db, owner, {"a": "merged"}, 5_000)
    assert dict(db.execute("SELECT name, state FROM branches")) == {"a": "merged", "b": "deleted"}
    assert branches.root_of(db, owner) == repo.folder


def test_git_is_not_asked_again_where_no_commit_is_new(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing patches of a large history takes seconds."""
    here = project.resolve(str(repo.folder))
    before: branches.Looks = {}
    asked: list[str] = []
    real = branches._state

    def counted(*given: object) -> str:
        asked.append("x")
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(branches, "_state", counted)
    for _ in range(3):
        assert branches.find_out(here, [Branch("topic", ())], before) == {"topic": "open"}
    assert len(asked) == 1
    repo.git(T0, "merge", "-q", "--no-edit", "topic")
    assert branches.find_out(here, [Branch("topic", ())], before) == {"topic": "merged"}
    assert len(asked) == 2
