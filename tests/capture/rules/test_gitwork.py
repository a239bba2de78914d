"""Commits, branches, pull requests and installations."""

from __future__ import annotations

import pytest

from backstory.capture.rules.gitwork import commits, events
from backstory.capture.rules.packages import installs
from backstory.capture.rules.steps import read_steps
from tests.support.turns import Session


@pytest.mark.parametrize(
    ("command", "out", "number", "subject"),
    [
        ("git commit -m 'Fix x'", "[main 1a2b3c4] Fix x\n 1 file changed", "1a2b3c4", "Fix x"),
        ("git commit -qam 'Fix x' && git log --oneline -1", "9f8e7d6 Fix x", "9f8e7d6", "Fix x"),
        ("git commit -q -m 'Fix x'", "", "", "Fix x"),
        ("git commit", "[dev (root-commit) 0aa1bb2] Start", "0aa1bb2", "Start"),
        ("git revert --no-edit abc1234", '[main 5d5d5d5] Revert "y"', "5d5d5d5", 'Revert "y"'),
    ],
)
def test_a_commit_has_its_subject_and_the_hash_that_was_printed(
    command: str, out: str, number: str, subject: str
) -> None:
    """A hash comes from the output alone."""
    (commit,) = commits(read_steps(Session().bash(command, out).done("")))
    assert (commit.hash, commit.subject) == (number, subject)


@pytest.mark.parametrize(
    "out", ["On branch main\nnothing to commit, working tree clean", "no changes added to commit"]
)
def test_nothing_to_commit_is_no_commit(out: str) -> None:
    """What git says counts, not what was asked."""
    assert commits(read_steps(Session().bash("git commit -m x || true", out).done(""))) == []


def test_a_commit_that_a_hook_refused_is_no_commit() -> None:
    """A failed command made nothing."""
    s = Session().fail("git commit -m 'Fix x'", "ruff.....Failed\n- hook id: ruff")
    assert commits(read_steps(s.done(""))) == []


@pytest.mark.parametrize(
    ("command", "out", "text"),
    [
        ("git switch -c feat/x", "", "Created branch feat/x"),
        ("git checkout -b fix/y main", "", "Created branch fix/y"),
        ("git merge dev", "Merge made by the 'ort' strategy.", "Merged dev"),
        ("git tag v1.2.0", "", "Tagged v1.2.0"),
        ("git push origin main", "", "Pushed origin main"),
        (
            "gh pr create --title 'Add x' --body y",
            "https://github.com/a/b/pull/77",
            "Opened pull request #77: Add x",
        ),
        (
            "git merge dev",
            "CONFLICT (content): Merge conflict in a.py",
            "git merge conflict in a.py",
        ),
        (
            "git bisect run ./t.sh",
            "abc1234 is the first bad commit\ncommit abc1234\n\n    Break it\n",
            "git bisect: first bad commit is abc1234 Break it",
        ),
    ],
)
def test_other_git_work_is_told(command: str, out: str, text: str) -> None:
    """In a few words each."""
    assert [e.text for e in events(read_steps(Session().bash(command, out).done("")))] == [text]


def test_listing_tags_and_branches_is_no_work() -> None:
    """Looking at git changes nothing."""
    s = Session().bash("git tag -l v1; git branch --list x; git checkout main")
    assert events(read_steps(s.done(""))) == []


@pytest.mark.parametrize(
    ("command", "out", "text"),
    [
        ("pip install 'x>=1'", "Successfully installed x-1.4 y-2", "Installed x 1.4 (pip)"),
        ("npm i -D vitest", "added 3 packages", "Installed vitest (npm)"),
        ("pnpm add zod", "dependencies:\n+ zod 3.23.8", "Installed zod 3.23.8 (pnpm)"),
        ("uv add httpx", " + httpx==0.28.1", "Installed httpx 0.28.1 (uv)"),
        (
            "cargo add serde",
            "      Adding serde v1.0.210 to dependencies",
            "Installed serde 1.0.210 (cargo)",
        ),
        (
            "go get github.com/a/b",
            "go: added github.com/a/b v1.2.3",
            "Installed github.com/a/b v1.2.3 (go)",
        ),
        ("npm uninstall left-pad", "removed 1 package", "Uninstalled left-pad (npm)"),
        ("python -m pip install -r dev.txt rich", "", "Installed rich (pip)"),
    ],
)
def test_an_installation_names_packages_and_reported_versions(
    command: str, out: str, text: str
) -> None:
    """A version is given when the manager printed it."""
    assert [i.text() for i in installs(read_steps(Session().bash(command, out).done("")))] == [text]


def test_installing_what_a_lock_file_lists_is_no_news() -> None:
    """`npm install` and `pip install -r` name nothing."""
    s = Session().bash("npm install; pip install -r requirements.txt; pip install -e .")
    assert installs(read_steps(s.done(""))) == []
