"""Which `claude` may be run: the user's, and never one that a project brought along."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backstory.capture.providers.base import Trouble
from backstory.capture.providers.claude_program import FALLBACK_PATH, Ground
from tests.support.fake_claude import fake_claude


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a project that is known, without git."""
    folder = tmp_path / "work/project"
    folder.mkdir(parents=True)
    return folder


def path_of(monkeypatch: pytest.MonkeyPatch, *folders: Path | str) -> None:
    """Sets PATH."""
    monkeypatch.setenv("PATH", ":".join(map(str, folders)))


def refusal(ground: Ground, named: str = "") -> str:
    """Why no program is found."""
    with pytest.raises(Trouble) as caught:
        ground.find(named)
    assert caught.value.kind == "setup"
    return caught.value.message


def test_the_first_on_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell would find it; files that cannot be run do not count."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/claude").write_text("no program")
    second = fake_claude(tmp_path / "b", "").path
    fake_claude(tmp_path / "c", "")
    path_of(monkeypatch, tmp_path / "none", tmp_path / "a", tmp_path / "b", tmp_path / "c")
    assert Ground([]).find("") == str(second)


def test_a_link_is_kept_as_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An update of the client points it elsewhere and removes what it led to."""
    real = fake_claude(tmp_path / "versions", "", "2.1.332").path
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/claude").symlink_to(real)
    path_of(monkeypatch, tmp_path / "bin")
    assert Ground([]).find("") == str(tmp_path / "bin/claude")


def test_the_setting_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is on the PATH; `~` is the home folder."""
    fake_claude(tmp_path / "a", "")
    named = fake_claude(tmp_path / "b", "", "my-claude").path
    path_of(monkeypatch, tmp_path / "a")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Ground([]).find(str(named)) == str(named)
    assert Ground([]).find("~/b/my-claude") == str(named)


def test_no_program_at_all_is_said_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user knows where theirs is."""
    path_of(monkeypatch, tmp_path)
    assert refusal(Ground([])) == "no claude is on the PATH: backstory settings claude_path FILE"


@pytest.mark.parametrize(
    "named", ["claude", "bin/claude", "/nowhere/claude", "/etc", "/etc/passwd"]
)
def test_a_setting_that_is_no_program_is_refused(named: str) -> None:
    """A relative path would mean another file in another folder."""
    assert refusal(Ground([]), named).startswith(f"setting claude_path: {named} is no")


def test_a_program_in_a_project_is_passed_over(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C3: a project's settings can put any folder of its own on the PATH."""
    fake_claude(project / "node_modules/.bin", "")
    good = fake_claude(tmp_path / "bin", "").path
    path_of(monkeypatch, project / "node_modules/.bin", "bin", "", tmp_path / "bin")
    ground = Ground([str(project)])
    assert ground.find("") == str(good)
    assert ground.search_path() == str(tmp_path / "bin")
    path_of(monkeypatch, project / "node_modules/.bin")
    assert "lies in the project" in refusal(ground)
    assert ground.search_path() == FALLBACK_PATH


def test_a_program_in_a_repository_is_refused(tmp_path: Path) -> None:
    """Also in one that no session was in yet, and in a worktree, where .git is a file."""
    program = fake_claude(tmp_path / "clone/bin", "").path
    (tmp_path / "clone/.git").mkdir()
    assert "lies in the repository" in refusal(Ground([]), str(program))
    (tmp_path / "clone/.git").rmdir()
    assert Ground([]).find(str(program)) == str(program)
    (tmp_path / "clone/.git").write_text("gitdir: elsewhere")
    assert "lies in the repository" in refusal(Ground([]), str(program))


@pytest.mark.parametrize("mark", [".hg", ".svn", ".jj"])
def test_a_checkout_need_not_be_git_s(tmp_path: Path, mark: str) -> None:
    """Whatever keeps the versions."""
    program = fake_claude(tmp_path / "clone/bin", "").path
    (tmp_path / "clone" / mark).mkdir()
    assert "lies in the repository" in refusal(Ground([]), str(program))


def test_projects_that_become_known_later_count(project: Path) -> None:
    """The worker runs for days; where they cannot be read, nothing is run."""
    program = fake_claude(project / "bin", "").path
    known: list[str] = []
    ground = Ground(lambda: tuple(known))
    assert ground.find(str(program)) == str(program)
    known.append(str(project))
    ground.refresh()
    assert "lies in the project" in refusal(ground, str(program))

    def locked() -> tuple[str, ...]:
        raise OSError("secret")

    with pytest.raises(Trouble, match="OSError") as caught:
        Ground(locked)
    assert caught.value.kind == "busy"
    assert "secret" not in caught.value.message


def test_a_way_through_links_into_a_project_is_refused(project: Path, tmp_path: Path) -> None:
    """Whichever part of the path is the link: the file, or a folder above it."""
    inside = fake_claude(project / "bin", "").path
    outside = tmp_path / "bin"
    outside.mkdir()
    (outside / "claude").symlink_to(inside)
    (tmp_path / "linked").symlink_to(project / "bin")
    ground = Ground([str(project)])
    assert "lies in the project" in refusal(ground, str(outside / "claude"))
    assert "lies in the project" in refusal(ground, str(tmp_path / "linked/claude"))
    around = outside / ".." / project.relative_to(tmp_path) / "bin/claude"
    assert "lies in the project" in refusal(ground, str(around))


def test_a_link_that_lies_in_a_project_is_refused(project: Path, tmp_path: Path) -> None:
    """The project could point it elsewhere at any time."""
    good = fake_claude(tmp_path / "bin", "").path
    (project / "claude").symlink_to(good)
    assert "lies in the project" in refusal(Ground([str(project)]), str(project / "claude"))


@pytest.mark.parametrize("place", ["bin/claude", "bin"])
def test_what_anyone_may_change_is_refused(tmp_path: Path, place: str) -> None:
    """The program itself, or the folder where another could take its place."""
    program = fake_claude(tmp_path / "bin", "").path
    (tmp_path / place).chmod(0o777)
    assert "may be changed by anyone" in refusal(Ground([]), str(program))


def test_a_session_in_the_home_folder_or_in_the_root_forbids_nothing(tmp_path: Path) -> None:
    """Neither is a project; all programs would lie in one."""
    program = fake_claude(tmp_path / "bin", "").path
    home = os.path.realpath(os.path.expanduser("~root" if os.getuid() == 0 else "~"))
    for root in ("/", home):
        assert Ground([root]).find(str(program)) == str(program)


@pytest.mark.parametrize(
    ("checkout", "is_fine"),
    [(".nvm", True), (".local/share/tool", True), ("", True), ("code/repo", False)],
)
def test_checkouts_of_tools_and_a_home_in_git_are_fine(
    tmp_path: Path, checkout: str, is_fine: bool
) -> None:
    """nvm lives in a git checkout of its own, and some keep all of their home in git."""
    program = fake_claude(tmp_path / checkout / "bin", "").path
    (tmp_path / checkout / ".git").mkdir()
    ground = Ground([])
    ground.own_home = tmp_path
    assert (ground.fault(str(program)) == "") is is_fine


def test_a_home_in_a_project_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C3: its .claude/settings.json would be taken for the user's, and can name programs."""
    monkeypatch.setenv("HOME", str(project / "home"))
    with pytest.raises(Trouble, match=r"HOME is .* lies in the project") as caught:
        Ground([str(project)]).home()
    assert caught.value.kind == "setup"


def test_a_home_that_is_not_told_is_the_account_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """A login shell would say the same."""
    monkeypatch.delenv("HOME")
    assert Ground([]).home() == os.path.realpath(os.path.expanduser("~"))
