"""Which project a path belongs to: one identity per repository, whatever folder it is seen from."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from backstory import project


def git(folder: Path, *arguments: str) -> str:
    """Runs git in a folder, with nobody's settings."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "me@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a commit and no remote."""
    folder = tmp_path.resolve() / "shop"
    (folder / "apps/web").mkdir(parents=True)
    (folder / "apps/web/a.py").touch()
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def resolve(path: Path | str, project_dir: str = "", home: str = "/home/nobody") -> project.Project:
    """The project of a path."""
    return project.resolve(str(path), project_dir, home)


def test_a_plain_folder_is_its_own_project(tmp_path: Path) -> None:
    """Named by its folder, keyed by its real path."""
    folder = tmp_path.resolve() / "Ünï dir"
    folder.mkdir()
    found = resolve(folder)
    assert (found.keys, found.name, found.root) == ((f"path:{folder}",), "Ünï dir", str(folder))
    assert project.head(found) == ("", "")


def test_a_folder_that_is_gone_is_one_too() -> None:
    """Its session may outlive it."""
    assert resolve("/gone/shop").name == "shop"
    assert resolve("/").name == "/"
    assert resolve("").root == "/"


@pytest.mark.parametrize("below", [".", "apps", "apps/web"])
def test_a_subfolder_belongs_to_its_repository(repo: Path, below: str) -> None:
    """H2: after `cd apps/web` the project is the same."""
    found = resolve(repo / below)
    assert (found.key, found.name, found.root) == (f"path:{repo}", "shop", str(repo))
    assert found.worktree == ""


def test_the_head_is_read_without_git(repo: Path) -> None:
    """Branch and commit, packed or not, detached or not."""
    commit = git(repo, "rev-parse", "HEAD")
    assert project.head(resolve(repo)) == ("main", commit)
    git(repo, "pack-refs", "--all")
    assert project.head(resolve(repo)) == ("main", commit)
    git(repo, "checkout", "-q", "-b", "feature/x")
    assert project.head(resolve(repo)) == ("feature/x", commit)
    git(repo, "checkout", "-q", "--detach")
    assert project.head(resolve(repo)) == ("", commit)


def test_a_worktree_shares_its_repositorys_project(repo: Path) -> None:
    """H1: the worktree is an attribute, not another project."""
    git(repo, "worktree", "add", "-q", "../wt-x", "-b", "x")
    found = resolve(repo.parent / "wt-x/apps")
    assert (found.key, found.name, found.root) == (f"path:{repo}", "shop", str(repo))
    assert found.worktree == str(repo.parent / "wt-x")
    assert project.head(found) == ("x", git(repo, "rev-parse", "HEAD"))


def test_a_submodule_is_a_project_of_its_own(repo: Path, tmp_path: Path) -> None:
    """With the remote of its own."""
    library = tmp_path / "library"
    git(repo, "clone", "-q", "--bare", str(repo), str(library))
    git(repo, "submodule", "add", "-q", str(library), "vendor/lib")
    found = resolve(repo / "vendor/lib")
    assert found.name == "lib"
    assert found.root == str(repo / "vendor/lib")
    assert found.key == f"git:file:{library.resolve()}"


def test_a_worktree_of_a_bare_repository(repo: Path) -> None:
    """All its worktrees share the bare folder's project."""
    git(repo, "clone", "-q", "--bare", str(repo), "../shop.git")
    bare = repo.parent / "shop.git"
    git(bare, "remote", "remove", "origin")
    git(bare, "worktree", "add", "-q", "../one", "-b", "one")
    git(bare, "worktree", "add", "-q", "../two", "-b", "two")
    one, two = (resolve(repo.parent / name) for name in ("one", "two"))
    assert one.keys == two.keys == (f"path:{bare}",)
    assert (one.worktree, two.worktree) == (str(repo.parent / "one"), str(repo.parent / "two"))
    assert project.relative(str(repo.parent / "one/a.py"), one.root, "", one.worktree) == "a.py"


def test_clones_of_one_remote_are_one_project(repo: Path, tmp_path: Path) -> None:
    """H4: the remote's key comes first, the path's stays as an alias."""
    before = resolve(repo).keys
    git(repo, "remote", "add", "upstream", "https://example.org/else/other.git")
    git(repo, "remote", "add", "origin", "git@GitHub.com:Me/Shop.git")
    after = resolve(repo).keys
    assert after == ("git:github.com/me/shop", *before)


def test_a_remote_of_another_name_counts_where_there_is_no_origin(repo: Path) -> None:
    """The first in the file."""
    git(repo, "remote", "add", "hub", "https://example.org/me/shop")
    git(repo, "remote", "add", "other", "https://example.org/me/other")
    assert resolve(repo).key == "git:example.org/me/shop"


def test_equal_names_of_folders_are_different_projects(tmp_path: Path) -> None:
    """H5: A/api and B/api."""
    for side in "AB":
        (tmp_path / side / "api").mkdir(parents=True)
    a, b = (resolve(tmp_path / side / "api") for side in "AB")
    assert a.name == b.name == "api"
    assert not set(a.keys) & set(b.keys)


def test_the_hosts_folder_comes_before_the_current_one(repo: Path) -> None:
    """H7: cwd in a temporary folder, CLAUDE_PROJECT_DIR where the work is."""
    assert resolve("/var/tmp/T", str(repo / "apps")).root == str(repo)


def test_a_home_in_git_swallows_no_project(tmp_path: Path) -> None:
    """Dotfiles kept in a repository."""
    home = tmp_path.resolve()
    git(home, "init", "-q")
    (home / "work/shop").mkdir(parents=True)
    assert resolve(home / "work/shop", home=str(home)).root == str(home / "work/shop")
    assert resolve(home, home=str(home)).root == str(home)


def test_only_the_users_own_config_overrides(repo: Path) -> None:
    """A committed file cannot name another project; the override stands alone."""
    (repo / ".backstory").write_text("project = victim")
    (repo / ".gitconfig").write_text("[backstory]\nproject = victim\n")
    git(repo, "remote", "add", "origin", "https://example.org/me/shop")
    assert resolve(repo).key == "git:example.org/me/shop"
    git(repo, "config", "--local", "backstory.project", "my shop")
    found = resolve(repo)
    assert (found.keys, found.name) == (("name:my shop",), "my shop")
    assert found.root == str(repo)


def test_a_symlink_leads_to_the_same_project(repo: Path, tmp_path: Path) -> None:
    """F17: a symlinked root."""
    link = tmp_path / "link"
    link.symlink_to(repo)
    assert resolve(link / "apps").keys == resolve(repo).keys


@pytest.mark.parametrize(
    "content", [b"", b"gitdir:", b"gitdir: /nowhere", b"\xff\x00", b"x" * 9999]
)
def test_a_broken_git_file_breaks_nothing(tmp_path: Path, content: bytes) -> None:
    """Hooks read it."""
    (tmp_path / ".git").write_bytes(content)
    assert resolve(tmp_path).name


def test_a_git_folder_without_a_head_is_no_repository(tmp_path: Path) -> None:
    """An empty one, as some tools leave behind."""
    (tmp_path / "shop/.git").mkdir(parents=True)
    found = resolve(tmp_path / "shop")
    assert found.git_dir == ""


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://github.com/Me/Shop.git", "github.com/me/shop"),
        ("https://github.com/me/shop/", "github.com/me/shop"),
        ("https://me:secret@github.com/me/shop", "github.com/me/shop"),
        ("git@github.com:me/shop.git", "github.com/me/shop"),
        ("ssh://git@github.com:22/me/shop.git", "github.com/me/shop"),
        ("git://github.com/me/shop", "github.com/me/shop"),
        ("HTTPS://GitHub.COM/me/shop", "github.com/me/shop"),
        ('"https://github.com/me/shop"', "github.com/me/shop"),
        ("ssh://me@host.example:2222/~me/Shop.git", "host.example/~me/Shop"),
        ("host.example:Group/Sub/Shop", "host.example/Group/Sub/Shop"),
        ("https://[::1]/me/shop", "[::1]/me/shop"),
        ("file:///srv/git/shop/", "file:/srv/git/shop"),
        ("/srv/git/shop", "file:/srv/git/shop"),
        ("../shop", ""),
        ("./shop", ""),
        ("~/shop", ""),
        ("shop", ""),
        ("", ""),
        ("https://github.com/", ""),
        ("https://", ""),
        (":", ""),
    ],
)
def test_spellings_of_a_remote(url: str, key: str) -> None:
    """No user, password, port or suffix; only one host is known to ignore the case of paths."""
    assert project.normalise_remote(url) == key


@pytest.mark.parametrize(
    "path",
    ["src/a.py", "./src/a.py", "src//a.py", "src/x/../a.py", "{root}/src/a.py", "{link}/src/a.py"],
)
def test_one_spelling_of_a_file(tmp_path: Path, path: str) -> None:
    """F17: what is written and what is asked for meet, also behind a symlink."""
    root = tmp_path.resolve() / "repo"
    (root / "src").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(root)
    given = path.format(root=root, link=link)
    assert project.relative(given, str(root)) == "src/a.py"


def test_files_elsewhere_keep_their_whole_path(tmp_path: Path) -> None:
    """And a project at / shortens nothing."""
    root = str(tmp_path / "repo")
    assert project.relative("/etc/hosts", root) == "/etc/hosts"
    assert project.relative(root + "sitory/a.py", root) == root + "sitory/a.py"
    assert project.relative(root, root) == "."
    assert project.relative("/etc/hosts", "/") == "/etc/hosts"
    assert project.relative("a.py", root, root + "/apps/web") == "apps/web/a.py"
    assert project.relative("..\\a.py", root, root + "/apps") == "a.py"
    assert project.relative("/wt/a.py", root, "", "/wt") == "a.py"


@pytest.mark.parametrize(
    ("patterns", "listed"),
    [
        ([], False),
        (["/home/me/secret"], True),
        (["/home/me/secret/"], True),
        (["/home/me"], True),
        (["/home/me/secr"], False),
        (["/home/*/secret"], True),
        (["/home/*"], True),
        (["*/me"], True),
        (["*secret*"], True),
        (["/"], True),
        (["~"], False),
    ],
)
def test_folders_and_globs_that_keep_a_project_out(patterns: list[str], listed: bool) -> None:
    """Everything below a folder counts."""
    assert project.is_listed(patterns, "/home/me/secret") is listed
