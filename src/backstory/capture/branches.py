"""What became of the branches on which something was learnt: open, merged, or deleted unmerged.

Found out by the worker, off every hook's way. Git runs with nothing of the repository's settings
that starts programs, takes no locks, writes nothing and fetches nothing; where it is missing or
refuses, what was known stays.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from backstory import project
from backstory.capture.heads import moves
from backstory.project import Project
from backstory.storage import sql, sqlite

EVERY_MS = 300_000  # how often a project is looked at, at most
MOST = 40  # branches looked at in one go, the newest first
GIT_S = 5.0  # of one command
TOTAL_S = 30.0  # of all
FILES = 200  # of a branch that are compared
USUAL = ("main", "master", "trunk")
_GIT = (
    *("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
)
_SQL = sql.load("branches")


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch as records know it. commits: those that they name, the newest first."""

    name: str
    commits: tuple[str, ...]
    state: str = ""  # what was last known


class Unknown(Exception):
    """Git is missing, refuses or takes too long."""


def wanted(db: sqlite3.Connection, owner: int, now: int) -> list[Branch]:
    """The branches of a project that are to be looked at; [] where that was done just now.

    One that was merged or deleted is looked at again: its name may be used anew.
    """
    row = db.execute(_SQL["checked"], (owner,)).fetchone()
    if row[0] is not None and 0 <= now - row[0] < EVERY_MS:
        return []
    states = dict(db.execute(_SQL["states"], (owner,)).fetchall())
    found = []
    for (name,) in db.execute(_SQL["names"], {"project": owner, "limit": MOST}).fetchall():
        commits = [commit for (commit,) in db.execute(_SQL["commits"], (owner, name))]
        found.append(Branch(name, tuple(commits), states.get(name, "")))
    return found


def put(db: sqlite3.Connection, owner: int, states: dict[str, str], now: int) -> None:
    """Notes what became of the branches of a project."""
    with sqlite.transaction(db):
        for name, state in states.items():
            db.execute(_SQL["put"], {"project": owner, "name": name, "state": state, "at": now})


Looks = dict[tuple[str, str], tuple[tuple[str, ...], str]]  # by repository and branch


def find_out(
    here: Project, branches: Sequence[Branch], before: Looks | None = None
) -> dict[str, str]:
    """The state of each branch that can be told.

    before: what earlier looks found; where no commit is new since, git is not asked again.
    """
    if not here.git_dir:
        return {}
    git = _Git(here)
    try:
        refs = git.refs()
        targets = git.targets(refs)
    except Unknown:
        return {}
    if not targets:
        return {}
    tips = _own_tips(here)
    before = {} if before is None else before
    states = {}
    for branch in branches:
        key = (here.git_dir, branch.name)
        own = (tips.get(branch.name, ""), *branch.commits, *_tips(branch.name, refs))
        seen = (*own, *(refs[target] for target in targets))
        if before.get(key, ((), ""))[0] != seen:
            with suppress(Unknown):
                before[key] = (seen, _state(git, branch, refs, targets, tips))
        if before.get(key, ((), ""))[0] == seen:
            states[branch.name] = before[key][1]
    return states


def _tips(name: str, refs: dict[str, str]) -> list[str]:
    """The commits of a branch that is there: its own, then those of remotes."""
    own = refs.get(f"refs/heads/{name}")
    return [
        *([own] if own else []),
        *(tip for ref, tip in refs.items() if _remote_name(ref) == name),
    ]


def _state(
    git: _Git,
    branch: Branch,
    refs: dict[str, str],
    targets: list[str],
    tips: dict[str, str],
) -> str:
    """merged: nothing is on it that the default branch or HEAD has not got, in whatever form."""
    if branch.name in (git.default(refs), *(() if git.default(refs) else USUAL)):
        return "merged"
    exists = next(iter(_tips(branch.name, refs)), "")
    own = tips.get(branch.name, "")
    is_new = _is_without_commits(git.here, branch.name) or len(set(branch.commits)) < 2
    if exists and not own and is_new:
        # nothing was committed on it yet, so nothing can have been merged
        return "open"
    if exists:
        # another that grows out of it holds it, too, and is no less unfinished
        name = git.default(refs)
        own_ref, usual = f"refs/heads/{branch.name}", f"refs/heads/{name}"
        others = [one for one in targets if one in (usual, f"refs/remotes/origin/{name}")]
        is_merged = any(git.holds(one, exists) for one in others if one != own_ref)
        return "merged" if is_merged else "open"
    if branch.state == "merged":
        return "merged"
    tip = next((one for one in (own, *branch.commits) if one and git.knows(one)), "")
    if tip and any(git.holds(one, tip) for one in targets):
        return "merged"
    if not tip or git.is_shallow():
        raise Unknown  # what is not here tells nothing: another clone may know more
    # it may go on under another name
    return "open" if git.is_held(tip) else "deleted"


def _is_without_commits(here: Project, name: str) -> bool:
    """Whether a branch's own log tells of moves alone, and of none that made a commit."""
    log = Path(here.common_dir, "logs/refs/heads", name)
    try:
        lines = log.read_text("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return False
    said = [line.partition("\t")[2] for line in lines]
    return bool(said) and all(
        one.startswith(("branch: Created", "reset: ")) or one.endswith(": Fast-forward")
        for one in said
    )


def _remote_name(ref: str) -> str:
    """`topic/a` of `refs/remotes/origin/topic/a`."""
    parts = ref.split("/", 3)
    return parts[3] if len(parts) > 3 and parts[1] == "remotes" else ""


def _own_tips(here: Project) -> dict[str, str]:
    """The last commit that was made on each branch, as the log of HEAD tells."""
    # each move names the commit before it; what came of a move is in the next one
    log = moves(here)
    if not log:
        return {}
    after = [old for old, _, _ in log[1:]] + [project.head(here)[1]]
    name, tips = "", {}
    for (_, _, what), commit in zip(log, after, strict=True):
        if what.startswith("checkout: moving from "):
            name = what.rpartition(" to ")[2].strip()
        elif what.startswith(("commit", "cherry-pick", "revert", "merge", "pull")) and name:
            tips[name] = commit
    return tips


class _Git:
    """Git's own word on one repository, within one deadline."""

    def __init__(self, here: Project) -> None:
        self.here = here
        self.deadline = time.monotonic() + TOTAL_S

    def run(self, *arguments: str, fine: Iterable[int] = (0,)) -> str:
        """What a command prints. Raises Unknown."""
        return self.output_of([self.start(arguments, subprocess.DEVNULL)], fine)

    def patch_ids(self, *arguments: str) -> set[str]:
        """What identifies the changes that a command prints, which may be many megabytes."""
        first = self.start(arguments, subprocess.DEVNULL)
        try:
            assert first.stdout is not None
            second = self.start(("patch-id", "--stable"), first.stdout)
            first.stdout.close()
        except Unknown:
            end(first)
            raise
        lines = self.output_of([second, first], (0,)).splitlines()
        return {line.split(" ", 1)[0] for line in lines}

    def start(self, arguments: Sequence[str], given: int | IO[bytes]) -> subprocess.Popen[bytes]:
        """A command of git's under way. Raises Unknown."""
        try:
            return subprocess.Popen(
                [*_GIT, f"--git-dir={self.here.git_dir}", *arguments],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise Unknown from error

    def output_of(self, processes: list[subprocess.Popen[bytes]], fine: Iterable[int]) -> str:
        """What the first of them prints; all have ended then. Raises Unknown."""
        try:
            left = min(GIT_S, self.deadline - time.monotonic())
            output, _ = processes[0].communicate(timeout=max(0.0, left))
        except subprocess.TimeoutExpired as error:
            raise Unknown from error
        finally:
            for process in processes:
                end(process)
        if processes[0].returncode not in fine:
            raise Unknown
        return output.decode("utf-8", "replace")

    def refs(self) -> dict[str, str]:
        """Every branch, here and of remotes, with its commit."""
        listed = self.run(
            "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/remotes"
        )
        return dict(line.rsplit(" ", 1) for line in listed.splitlines() if " " in line)

    def default(self, refs: dict[str, str]) -> str:
        """The name of the default branch; "" where nothing tells it."""
        named = project.default_branch(self.here)
        if named:
            return named
        return next((name for name in USUAL if f"refs/heads/{name}" in refs), "")

    def targets(self, refs: dict[str, str]) -> list[str]:
        """What a branch may have been merged into."""
        name = self.default(refs)
        possible = (f"refs/heads/{name}", f"refs/remotes/origin/{name}")
        found = [ref for ref in possible if ref in refs]
        current = f"refs/heads/{project.branch_of(self.here)}"
        return [*found, *([current] if current in refs and current not in found else [])]

    def knows(self, commit: str) -> bool:
        """Whether a commit is here."""
        return bool(self.run("rev-list", "--no-walk", "--ignore-missing", commit, "--").strip())

    def is_shallow(self) -> bool:
        """Whether the repository has only the newest of its history."""
        return Path(self.here.common_dir, "shallow").exists()

    def is_held(self, commit: str) -> bool:
        """Whether some branch has a commit."""
        asked = ("--contains", commit, "--count=1", "refs/heads", "refs/remotes")
        return bool(self.run("for-each-ref", "--format=%(refname)", *asked).strip())

    def holds(self, target: str, tip: str) -> bool:
        """Whether a branch has what a commit brings: itself, its changes, or its files."""
        merged = self.run("rev-list", "-n", "1", tip, f"^{target}", "--").strip() == ""
        return merged or self.has_changes(target, tip) or self.is_squashed(target, tip)

    def has_changes(self, target: str, tip: str) -> bool:
        """Whether each of its commits was applied there: a rebase, or picked one by one."""
        lines = self.run("cherry", target, tip).splitlines()
        return bool(lines) and all(line.startswith("-") for line in lines)

    def is_squashed(self, target: str, tip: str) -> bool:
        """Whether one commit there makes the same change as all of the branch together."""
        base = self.run("merge-base", target, tip, fine=(0, 1)).strip()
        if not base:
            return False
        plain = ("--no-ext-diff", "--no-textconv", "--no-color")
        paths = self.run("diff", *plain, "--name-only", "-z", base, tip, "--").split("\0")[:-1]
        if not paths or len(paths) > FILES:
            return False
        names = [f":(top,literal){path}" for path in paths]
        same = self.run("diff", *plain, "--name-only", tip, target, "--", *names)
        if not same:
            return True
        change = self.patch_ids("diff", *plain, base, tip, "--", *names)
        since = ("log", *plain, "-p", "--no-merges", "-n", "200", f"{base}..{target}")
        return bool(change) and change <= self.patch_ids(*since, "--", *names)


def end(process: subprocess.Popen[bytes]) -> None:
    """Has a command and what it started ended."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def environment() -> dict[str, str]:
    """What git gets: no settings of the system's, no locks, no questions, no network."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.environ.get("HOME", "/"),
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_PAGER": "cat",
    }


def root_of(db: sqlite3.Connection, owner: int) -> Path | None:
    """The folder that a project was last seen in; None where it is gone."""
    row = db.execute(_SQL["root"], (owner,)).fetchone()
    folder = Path(row[0]) if row else None
    return folder if folder is not None and folder.is_dir() else None
