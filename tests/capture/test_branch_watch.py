"""The worker looks at branches when a session starts, and notes what became of them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from backstory import project
from backstory.capture.branch_watch import BranchWatch
from backstory.recall import context
from backstory.storage import projects, sqlite
from backstory.storage.database import Database
from tests.capture.test_heads import T0, Repository


def filled(folder: Path, repo: Repository) -> Database:
    """A store with a record on each of three branches, and one of a project that is gone."""
    db = sqlite.open_writer(folder / "backstory.db")
    here = projects.find_or_add(db, project.resolve(str(repo.folder)), 0)
    gone = projects.find_or_add(db, project.resolve(str(folder / "gone")), 0)
    for owner, branch in ((here, "done"), (here, "lost"), (here, "side"), (gone, "any")):
        db.execute(
            "INSERT INTO observations (project, type, title, branch, distilled_by, content_hash,"
            " tokens, created_at) VALUES (?, 'decision', ?, ?, 'x', ?, 1, 1780000000000)",
            (owner, f"Rule of {branch}", branch, f"h{owner}{branch}"),
        )
        db.execute(
            "INSERT OR IGNORE INTO sessions (session_id, project, root, cwd, started_at, last_at)"
            " VALUES (?, ?, '/', '/', 0, 0)",
            (f"s{owner}", owner),
        )
    db.close()
    made = Database(folder / "backstory.db")
    made.start_writer()
    return made


async def woken(database: Database) -> None:
    """Lets the watch look once at each project."""
    watch = BranchWatch(database)
    loop = asyncio.create_task(watch.run())
    watch.wake.set()
    async with asyncio.timeout(20):
        while not database.read(lambda db: db.execute("SELECT 1 FROM branches").fetchall()):
            await asyncio.sleep(0.02)
    loop.cancel()
    with suppress(asyncio.CancelledError):
        await loop


def test_a_start_is_told_what_holds_here_first(tmp_path: Path) -> None:
    """What was merged is everyone's; an open branch's is marked, a deleted one's comes last."""
    repo = Repository(tmp_path.resolve() / "shop")
    repo.commit(T0)
    for name in ("done", "lost", "side"):
        repo.git(T0, "checkout", "-q", "-b", name)
        (repo.folder / f"{name}.py").write_text("x\n")
        repo.git(T0, "add", f"{name}.py")
        repo.commit(T0)
        repo.git(T0, "checkout", "-q", "main")
    repo.git(T0, "merge", "-q", "--no-edit", "done")
    repo.git(T0, "branch", "-q", "-D", "done", "lost")
    repo.git(T0, "checkout", "-q", "-b", "here")
    database = filled(tmp_path, repo)
    try:
        asyncio.run(woken(database))
        states = database.read(lambda db: dict(db.execute("SELECT name, state FROM branches")))
        assert states == {"done": "merged", "lost": "deleted", "side": "open"}
        text = database.read(lambda db: context.of_session(db, str(repo.folder), "", 50, 2_400))
    finally:
        database.close()
    rows = [line for line in text.splitlines() if "Rule of" in line]
    assert [row.split("Rule of ")[1] for row in rows] == [
        "done ~1",
        "side [side] ~1",
        "lost [deleted branch] ~1",
    ]
    assert "[of another branch]" in text
