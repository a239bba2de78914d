"""Whose data directory it is: C3, a project's settings can name a folder of the project as ours."""

from __future__ import annotations

import pwd
from pathlib import Path
from types import SimpleNamespace

import pytest

from backstory import config, paths
from backstory.capture.trust import is_inside, known_folders, unsafe_home
from tests.support.home import event
from tests.support.pipeline import Pipeline


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, as the account has it."""
    folder = tmp_path / "home/me"
    folder.mkdir(parents=True)
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_dir=str(folder)))
    return folder


def reason(folder: Path, *roots: Path) -> str:
    """Why a data directory is not believed."""
    folder.mkdir(parents=True, exist_ok=True)
    return unsafe_home(config.Config(folder, {}), [str(root) for root in roots])


@pytest.mark.parametrize("mark", [".git", ".hg", ".svn", ".jj"])
def test_one_in_a_project_is_not_believed(own: Path, mark: str) -> None:
    """Whatever keeps its versions; and a project that names our folder has settings for that."""
    project = own / "code/shop"
    assert reason(project / "deep/data") == ""
    (project / mark).mkdir()
    for folder in (project / "deep/data", project):
        said = reason(folder)
        assert str(project) in said
        assert "BACKSTORY_HOME" in said


def test_a_worktree_s_mark_is_a_file(own: Path) -> None:
    """One that leads nowhere counts, too."""
    folder = own / "tree"
    folder.mkdir()
    (folder / ".git").symlink_to("nowhere")
    assert reason(folder / "data")


def test_one_in_the_folder_of_a_session_with_settings_is_not_believed(own: Path) -> None:
    """What was unpacked from an archive has no mark; without settings it cannot have named us."""
    project = own / "Downloads/shop"
    assert reason(project / "data", project) == ""
    (project / ".claude").mkdir()
    (project / ".claude/settings.local.json").write_text("{}")
    assert reason(project / "data", own / "other", project / "data/deeper") == ""
    assert "the folder of a session" in reason(project / "data", project)
    assert "the folder of a session" in reason(project, project)
    assert is_inside(project / "data", [str(project)])
    assert not is_inside(project / "data", [str(own / "other"), str(own)])


def test_sessions_in_the_home_or_the_root_folder_say_nothing(own: Path) -> None:
    """Nor does a home that is kept in git, or that has settings of its own."""
    (own / ".git").mkdir()
    (own / ".claude").mkdir()
    assert reason(own / "data", own, own.parent, Path("/"), Path("relative"), Path()) == ""


def test_the_usual_place_is_always_the_user_s(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the account's home: what the environment says of it may be a project's word."""
    usual = Path(paths.base_dir({"HOME": str(own)}))
    assert reason(usual, usual, usual.parent) == ""
    (usual / ".git").mkdir()
    assert reason(usual) == ""
    (own / "link").symlink_to(usual)
    assert reason(own / "link") == ""
    project = own / "shop"
    monkeypatch.setenv("HOME", str(project))
    (project / ".git").mkdir(parents=True)
    assert reason(Path(paths.base_dir())) != ""


def test_links_are_followed_and_looked_at(own: Path) -> None:
    """A link into a project, and one out of it."""
    project, elsewhere = own / "shop", own / "elsewhere"
    (project / ".hg").mkdir(parents=True)
    elsewhere.mkdir()
    (project / "data").symlink_to(elsewhere)
    assert reason(project / "data")
    (elsewhere / "link").symlink_to(project)
    assert reason(elsewhere / "link" / "new")
    assert reason(elsewhere) == ""


def test_odd_roots_are_passed_over(own: Path) -> None:
    """They come from what a host wrote."""
    (own / "round").symlink_to("round")
    unsafe_home(config.Config(own / "data", {}), ["", "a\0b", "/a\0b", str(own / "round")])


def test_known_are_the_roots_and_the_folders_of_all_sessions(tmp_path: Path) -> None:
    """A session may have begun below its project's root."""
    (tmp_path / "shop/deep").mkdir(parents=True)
    (tmp_path / "shop/.git").mkdir()
    pipe = Pipeline(tmp_path / "data")
    pipe.feed(event("UserPromptSubmit", prompt="Hello.", cwd=str(tmp_path / "shop/deep")))
    assert set(known_folders(pipe.db)) >= {str(tmp_path / "shop/deep")}
    pipe.db.close()
