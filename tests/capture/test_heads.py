"""What was checked out when something happened."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from backstory import project
from backstory.capture import heads
from backstory.capture.heads import Heads
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline

T0 = 1_780_000_000  # seconds


class Repository:
    """A repository whose moves happen at times that the test gives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git(T0, "init", "-q")

    def git(self, at: int, *arguments: str) -> str:
        """Runs git at a time, in seconds, with nobody's settings."""
        when = f"{at} +0000"
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
            **{
                f"GIT_{who}_{what}": "me@example.org"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        }
        command = ["git", "-c", "init.defaultBranch=main", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, at: int, message: str = "work") -> str:
        """An empty commit; its name."""
        self.git(at, "commit", "-q", "--allow-empty", "-m", message)
        return self.git(at, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with one commit."""
    made = Repository(tmp_path.resolve() / "shop")
    made.commit(T0, "first")
    return made


def test_what_is_checked_out_now_is_taken_back_to_the_time_of_an_event(repo: Repository) -> None:
    """Events may wait for hours in the spool."""
    first = repo.git(T0, "rev-parse", "HEAD")
    repo.git(T0 + 100, "checkout", "-q", "-b", "topic/a")
    second = repo.commit(T0 + 200)
    repo.git(T0 + 300, "checkout", "-q", "--detach", first)
    repo.git(T0 + 400, "checkout", "-q", "main")
    folder = str(repo.folder)
    times = {0: ("main", first), 100: ("topic/a", first), 250: ("topic/a", second)}
    times |= {350: ("", first), 500: ("main", first)}
    for seconds, expected in times.items():
        assert Heads().at(folder, "", (T0 + seconds) * 1000) == expected
    assert Heads().at(folder, "", (T0 - 10) * 1000) == ("main", "")


def test_a_folder_without_a_repository_has_no_branch(tmp_path: Path) -> None:
    """Nor has one that is gone."""
    assert Heads().at(str(tmp_path), "", T0 * 1000) == ("", "")
    assert Heads().at("/nowhere/at/all", "/nowhere", T0 * 1000) == ("", "")


def test_a_log_that_is_no_log_tells_nothing(repo: Repository) -> None:
    """What is checked out now is all that is known then."""
    (repo.folder / ".git/logs/HEAD").write_bytes(b"\xff\xfe\x00 nonsense\n\t\nx y z\n")
    here = project.resolve(str(repo.folder))
    assert heads.moves(here) == []
    assert Heads().at(str(repo.folder), "", 0)[0] == "main"


def test_an_event_in_another_worktree_is_of_that_ones_branch(repo: Repository) -> None:
    """Also while the host's project folder stays; another repository's cwd changes nothing."""
    repo.git(T0 + 10, "worktree", "add", "-q", "-b", "side", str(repo.folder.parent / "side"))
    other = Repository(repo.folder.parent / "other")
    other.commit(T0)
    other.git(T0, "checkout", "-q", "-b", "elsewhere")
    found = Heads()
    at = (T0 + 50) * 1000
    assert found.at(str(repo.folder.parent / "side"), str(repo.folder), at)[0] == "side"
    assert found.at(str(other.folder), str(repo.folder), at)[0] == "main"


@pytest.mark.parametrize(
    ("name", "says", "branch"),
    [
        ("rebase-merge/head-name", "refs/heads/topic\n", "topic"),
        ("rebase-apply/head-name", "refs/heads/topic\n", "topic"),
        ("BISECT_START", "topic/a\n", "topic/a"),
        ("BISECT_START", "2" * 40 + "\n", ""),
    ],
)
def test_while_a_branch_is_rebased_or_bisected_it_is_still_the_branch(
    repo: Repository, name: str, says: str, branch: str
) -> None:
    """HEAD is detached meanwhile."""
    (repo.folder / ".git/HEAD").write_text("1" * 40 + "\n")
    (repo.folder / ".git" / name).parent.mkdir(exist_ok=True)
    (repo.folder / ".git" / name).write_text(says)
    here = project.resolve(str(repo.folder))
    assert project.head(here) == (branch, "1" * 40)


def test_each_turn_remembers_its_own_branch(pipe: Pipeline, repo: Repository) -> None:
    """A session may switch branches; its records are those of the turn's branch."""
    folder = str(repo.folder)
    pipe.clock = T0 * 10**9
    edit = {
        "tool_name": "Edit",
        "tool_input": {"file_path": f"{folder}/a.py", "old_string": "a = 1", "new_string": "a = 2"},
        "tool_response": {"filePath": f"{folder}/a.py", "structuredPatch": []},
        "cwd": folder,
    }

    def turn(number: int) -> None:
        prompt = f"{number}" * 8
        pipe.put(event("UserPromptSubmit", prompt_id=prompt, prompt="Change a.", cwd=folder))
        pipe.put(event("PostToolUse", prompt_id=prompt, tool_use_id=f"toolu_{number}", **edit))
        pipe.put(event("Stop", prompt_id=prompt, last_assistant_message="Done.", cwd=folder))

    pipe.put(event("SessionStart", prompt_id=None, source="startup", cwd=folder))
    turn(1)
    repo.git(T0 + 10, "checkout", "-q", "-b", "topic")
    commit = repo.commit(T0 + 11)
    pipe.clock = (T0 + 12) * 10**9
    turn(2)
    repo.git(T0 + 100, "checkout", "-q", "main")
    pipe.run()
    turns = pipe.rows("SELECT branch, commit_id <> '' FROM prompts ORDER BY id")
    assert turns == [("main", 1), ("topic", 1)]
    assert pipe.one("SELECT commit_id FROM prompts WHERE branch = 'topic'") == commit
    found = pipe.rows("SELECT DISTINCT branch FROM observations ORDER BY branch")
    assert found == [("main",), ("topic",)]


def test_a_turn_without_a_known_branch_has_its_sessions(pipe: Pipeline) -> None:
    """As turns of earlier versions have."""
    pipe.feed(event("SessionStart", prompt_id=None, source="startup"), tool("toolu_1"))
    assert pipe.rows("SELECT branch, commit_id FROM prompts") == [("", "")]
    pipe.db.execute("UPDATE sessions SET branch = 'old', commit_id = 'c'")
    pipe.feed(event("UserPromptSubmit", prompt="Remember: totals are cents."))
    pipe.feed(tool("toolu_2", "make test"), event("Stop", last_assistant_message="Done, 3 passed."))
    branches = pipe.rows("SELECT DISTINCT branch FROM observations")
    assert branches in ([], [("old",)])
