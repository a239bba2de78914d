"""Which files a workspace has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backstory.codenav.permissions import NO_RULES
from backstory.codenav.walk import files_below, is_vendored
from tests.codenav.searching import Workspace, workspace


def listed(project: Workspace) -> set[str]:
    return set(files_below(str(project.root), NO_RULES).files)


@pytest.fixture(params=["git", "folders"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    """The same files with a repository and without one."""
    made = workspace(
        tmp_path,
        {
            "a.py": "a = 1\n",
            "src/b.py": "b = 1\n",
            "src/gen/c.py": "c = 1\n",
            "build/d.py": "d = 1\n",
            "x.log": "log\n",
            "keep.log": "log\n",
            "deep/.gitignore": "inner/\n!kept.log\n",
            "deep/inner/e.py": "e = 1\n",
            "deep/kept.log": "kept\n",
            ".gitignore": "build/\n*.log\n!keep.log\n/src/gen\n",
            "日本/ファイル.py": "f = 1\n",
        },
        indexed=False,
    )
    if request.param == "git":
        made.git("init", "-q")
    return made


def test_ignored_files_are_not_listed(project: Workspace) -> None:
    """By the ignore files of the root and of folders, with what they take back."""
    assert listed(project) == {
        ".gitignore",
        "a.py",
        "src/b.py",
        "keep.log",
        "deep/.gitignore",
        "deep/kept.log",
        "日本/ファイル.py",
    }


def test_links_are_not_followed(project: Workspace, tmp_path: Path) -> None:
    """G5: neither a file nor a folder outside comes in through a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "o.py").write_text("o = 1\n")
    (project.root / "link.py").symlink_to(outside / "o.py")
    (project.root / "folder").symlink_to(outside)
    found = files_below(str(project.root), NO_RULES)
    assert not [path for path in found.files if "link" in path or "folder" in path]
    assert found.skipped["link"] == 2


def test_what_keeps_secrets_is_counted_and_not_listed(project: Workspace) -> None:
    """G5: names alone are enough."""
    project.write({".env": "KEY=1\n", "id_rsa": "key\n"})
    found = files_below(str(project.root), NO_RULES)
    assert not {".env", "id_rsa"} & set(found.files)
    assert found.skipped["secret-like"] == 2


def test_a_pipe_is_not_opened(project: Workspace) -> None:
    """Opening one would wait for whoever writes it."""
    os.mkfifo(project.root / "pipe.py")
    assert "pipe.py" not in listed(project)


def test_files_that_git_still_has_but_the_disk_not_are_left_out(tmp_path: Path) -> None:
    """A deleted file is in git's index until the next commit."""
    made = workspace(tmp_path, {"a.py": "", "b.py": ""}, indexed=False)
    made.git("init", "-q")
    made.git("add", ".")
    (made.root / "a.py").unlink()
    assert listed(made) == {"b.py"}


def test_repositories_inside_are_listed_too(tmp_path: Path) -> None:
    """Git itself names a nested one as a single entry."""
    made = workspace(tmp_path, {"a.py": "", "sub/b.py": "", "sub/deeper/c.py": ""}, indexed=False)
    made.git("init", "-q")
    for folder in ("sub", "sub/deeper"):
        Workspace(made.root / folder, made.home).git("init", "-q")
    assert listed(made) == {"a.py", "sub/b.py", "sub/deeper/c.py"}


def test_other_worktrees_of_the_repository_are_left_out(tmp_path: Path) -> None:
    """Where agents make them: the same code once more, and editing it would change another tree."""
    made = workspace(tmp_path, {"a.py": "a = 1\n"}, indexed=False)
    made.git("init", "-q")
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "x")
    made.git("worktree", "add", "-q", ".claude/worktrees/feat")
    found = files_below(str(made.root), NO_RULES)
    assert set(found.files) == {"a.py"}
    assert found.skipped["other worktrees"] == 1
    inner = made.root / ".claude/worktrees/feat"
    assert set(files_below(str(inner), NO_RULES).files) == {"a.py"}, "asked for by itself"


def test_a_root_that_git_ignores_is_walked(tmp_path: Path) -> None:
    """It was named, so its files are wanted."""
    made = workspace(tmp_path, {".gitignore": "out/\n", "out/a.py": ""}, indexed=False)
    made.git("init", "-q")
    assert set(files_below(str(made.root / "out"), NO_RULES).files) == {"a.py"}


def test_a_repository_cannot_run_programs(tmp_path: Path) -> None:
    """A hostile configuration names a program that git would run for a listing."""
    made = workspace(tmp_path, {"a.py": ""}, indexed=False)
    made.git("init", "-q")
    mark = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    made.git("config", "core.fsmonitor", str(program))
    assert "a.py" in listed(made)
    assert not mark.exists()


def test_a_damaged_repository_is_walked_by_its_folders(tmp_path: Path) -> None:
    """Git fails, the files are there."""
    made = workspace(tmp_path, {"a.py": "", ".git/HEAD": "nonsense"}, indexed=False)
    assert listed(made) == {"a.py"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("node_modules/x/index.js", True),
        ("web/node_modules/x/index.js", True),
        ("vendor/github.com/x.go", True),
        ("third_party/x.c", True),
        (".venv/lib/python3/site-packages/x.py", True),
        ("src/vendors.py", False),
        ("vendor.py", False),
        ("src/distance/a.py", False),
    ],
)
def test_code_of_others_is_known_by_its_folder(path: str, expected: bool) -> None:
    """It is ranked last."""
    assert is_vendored(path) is expected


@pytest.mark.parametrize("has_git", [False, True])
def test_a_listing_that_takes_too_long_is_cut(tmp_path: Path, has_git: bool) -> None:
    """What is near the root is on it, what others wrote is not."""
    files = {f"{folder}/f{at}.py": "" for folder in ("a/b", "node_modules/x") for at in range(250)}
    project = workspace(tmp_path, {**files, "top.py": ""}, indexed=False)
    if has_git:
        project.git("init", "-q")
    listing = files_below(str(project.root), NO_RULES, deadline=0.0)
    assert listing.is_cut
    assert "top.py" in listing.files
    assert not any(path.startswith("node_modules/x/f9") for path in listing.files)
