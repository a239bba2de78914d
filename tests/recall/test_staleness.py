"""Whether the files that a record tells of are as they were."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backstory.project import Project, resolve
from backstory.recall import staleness
from backstory.recall.staleness import CHANGED, GONE, Files
from tests.recall.conftest import Store

AT = 1_780_000_000_000


def write(path: Path, at: int) -> None:
    """A file that was last written then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (at / 1000, at / 1000))


@pytest.fixture
def root(tmp_path: Path, store: Store) -> Path:
    """A folder whose files are an hour older than the records, but for one."""
    store.project()
    folder = tmp_path / "shop"
    write(folder / "same.py", AT - 3_600_000)
    write(folder / "new.py", AT + 3_600_000)
    return folder


def mark(store: Store, root: Path | None, *files: str, at: int = AT) -> str:
    """The mark of a record of these files."""
    record = store.observation(1, "Changed them", files=files)
    here = resolve(str(root)) if root is not None else None
    return Files(store.db, here).mark(record, at)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ((), ""),
        (("same.py",), ""),
        (("new.py",), CHANGED),
        (("new.py", "same.py"), CHANGED),
        (("gone.py",), GONE),
        (("gone.py", "same.py"), CHANGED),
        (("same.py/part",), GONE),
        (("/etc/hostname", "../other.py"), ""),
        (("bad\0name",), ""),
    ],
)
def test_marks(store: Store, root: Path, files: tuple[str, ...], expected: str) -> None:
    """All gone, some changed or gone, or as they were; only files below the root are looked at."""
    assert mark(store, root, *files) == expected


def test_a_folder_that_is_not_there_marks_nothing(store: Store, root: Path) -> None:
    """Another machine's, or not mounted: nothing is known of its files."""
    assert mark(store, root / "nowhere", "gone.py") == ""
    assert mark(store, None, "gone.py") == ""


def test_what_a_record_changed_counts_before_what_it_read(store: Store, root: Path) -> None:
    """A file that was only read may change without a word of the record being wrong."""
    record = store.observation(1, "Changed it", files=("same.py",))
    store.db.execute("INSERT INTO observation_files VALUES (?, 'new.py', 'read')", (record,))
    assert Files(store.db, resolve(str(root))).mark(record, AT) == ""


def test_the_files_of_a_later_clone_are_not_changed(store: Store, root: Path) -> None:
    """A clone writes every file anew; what is written after that was changed."""
    log = root / ".git/logs/HEAD"
    log.parent.mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    cloned = AT // 1000 + 7_200
    log.write_text(f"{'0' * 40} {'1' * 40} Me <me@x.org> {cloned} +0100\tclone: from /x/y\n")
    write(root / "cloned.py", (cloned + 3) * 1000)
    write(root / "later.py", (cloned + 3_600) * 1000)
    assert mark(store, root, "cloned.py") == ""
    assert mark(store, root, "later.py") == CHANGED
    assert mark(store, root, "cloned.py", at=(cloned + 1) * 1000 - 5_000) == ""


def test_only_so_many_files_are_looked_at(store: Store, root: Path) -> None:
    """The hook has milliseconds."""
    files = Files(store.db, resolve(str(root)))
    for number in range(staleness.MOST_FILES):
        files.time_of(f"{number}.py")
    assert files.time_of("new.py") is None
    assert files.time_of("1.py") == -1


def test_a_worktrees_own_files_count(store: Store, root: Path) -> None:
    """Stored paths are relative to the root, and each worktree has them."""
    write(root / "wt/new.py", AT - 3_600_000)
    here = Project(("path:/x",), "shop", str(root), worktree=str(root / "wt"))
    record = store.observation(1, "Changed it", files=("new.py",))
    assert Files(store.db, here).mark(record, AT) == ""
