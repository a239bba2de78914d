"""Writing down what is being worked on: who writes, and what is kept of odd input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backstory import project
from backstory.capture import work_state
from backstory.errors import BadInput
from backstory.estimate import estimate_tokens
from backstory.recall import work_state as reading
from backstory.storage import sqlite
from tests.recall.conftest import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database of its own."""
    db = sqlite.open_writer(tmp_path / "backstory.db")
    yield Store(db)
    db.close()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository on main with a linked worktree `feature` beside it, as git lays them out."""
    shop, feature = tmp_path / "shop", tmp_path / "feature"
    linked = shop / ".git/worktrees/feature"
    linked.mkdir(parents=True)
    (shop / "web").mkdir()
    feature.mkdir()
    (shop / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (linked / "HEAD").write_text("ref: refs/heads/cents\n")
    (linked / "commondir").write_text("../..\n")
    (feature / ".git").write_text(f"gitdir: {linked}\n")
    return tmp_path


def opened(store: Store, name: str, cwd: Path, *, ended: bool = False, ago: int = 0) -> None:
    """A session that began in a folder, as ingest records it; the newest unless days ago."""
    here = project.resolve(str(cwd))
    row = store.session(1, name)
    last = sqlite.now_ms() + row - ago * 86_400_000
    store.db.execute(
        "UPDATE sessions SET cwd = ?, root = ?, worktree = ?, last_at = ?, ended_at = ?"
        " WHERE id = ?",
        (str(cwd), here.root, here.worktree, last, last if ended else None, row),
    )


@pytest.mark.parametrize(
    ("folder", "session", "branch"),
    [
        ("shop", "at-root", "main"),
        ("shop/web", "in-web", "main"),
        ("feature", "in-worktree", "cents"),
    ],
)
def test_the_writer_is_the_open_session_of_the_folder(
    store: Store, repository: Path, folder: str, session: str, branch: str
) -> None:
    """H1: a worktree's session is none of the root's, though they share the project."""
    store.project("shop", str(repository / "shop"))
    opened(store, "ended", repository / "shop", ended=True)
    opened(store, "at-root", repository / "shop")
    opened(store, "in-web", repository / "shop/web")
    opened(store, "ended-too", repository / "feature", ended=True)
    opened(store, "in-worktree", repository / "feature")
    cwd = str(repository / folder)
    by = work_state.writer(store.db, 1, project.resolve(cwd), cwd)
    assert (by.session_id, by.branch) == (session, branch)


def test_a_session_that_is_over_writes_nothing(store: Store, repository: Path) -> None:
    """Nor does one that went silent before the last one ended, or days ago."""
    store.project("shop", str(repository / "shop"))
    cwd = str(repository / "shop")
    here = project.resolve(cwd)
    opened(store, "silent", repository / "shop", ago=2)
    assert work_state.writer(store.db, 1, here, cwd).session is None
    opened(store, "open", repository / "shop")
    assert work_state.writer(store.db, 1, here, cwd).session_id == "open"
    opened(store, "ended", repository / "shop", ended=True)
    assert work_state.writer(store.db, 1, here, cwd).session is None


def test_a_folder_below_belongs_to_the_session_at_the_root(store: Store, repository: Path) -> None:
    """A command may run further down; another project's sessions are nobody here."""
    store.project("shop", str(repository / "shop"))
    store.project("other", "/other")
    opened(store, "at-root", repository / "shop")
    cwd = str(repository / "shop/web")
    here = project.resolve(cwd)
    assert work_state.writer(store.db, 1, here, cwd).session_id == "at-root"
    assert work_state.writer(store.db, 2, here, cwd) == work_state.Writer(branch="main")


_PIECES = st.sampled_from(
    [
        *("word ", "价格", "😀", "\n", "\u2028", "\x85", "\x1c", "\x00", "\ud800", "\u202e", "- "),
        *("<private>", "</private>", "[private]", "<backstory-memory>", "https://x.test", "'", ";"),
    ]
)
_TEXTS = st.lists(_PIECES, max_size=12).map("".join)
_STATES = st.fixed_dictionaries(
    {},
    optional={
        "task": _TEXTS,
        **dict.fromkeys(reading.LISTS, st.lists(_TEXTS, max_size=5)),
    },
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(state=_STATES)
def test_whatever_is_written_is_read_back_and_written_once(
    store: Store, state: dict[str, Any]
) -> None:
    """As it was stored, within its bounds, and safe to inject."""
    if not store.db.execute("SELECT 1 FROM projects").fetchone():
        store.project()
    try:
        written = work_state.write(store.db, 1, state)
    except BadInput:
        assert not state or "private" in state["task"]
        return
    found = reading.history(store.db, 1, 1)
    if found:
        assert {name: found[0][name] for name in reading.TEXTS} == written.state
    assert not work_state.write(store.db, 1, state).new
    text = "\n".join(reading.lines(reading.current(store.db, 1)))
    assert estimate_tokens(text) <= reading.TOKENS
    assert not set(text) & set("<>\x00\x1c\x85\u2028\u202e")
