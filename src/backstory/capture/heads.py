"""What was checked out when something happened. Git's files are read, git is never run.

Events may wait in the spool for hours, so that the branch of then is no longer that of now: what
HEAD was moved to since is taken back, by its log.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from backstory import project
from backstory.project import Project

LOG_BYTES = 200_000  # of the log's end: some thousand moves
_MOVE = re.compile(r"checkout: moving from (\S+) to \S+")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Heads:
    """The repositories that events came from, each looked up once."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], Project] = {}

    def at(self, cwd: str, project_dir: str, at: int) -> tuple[str, str]:
        """(branch, commit) at a time in milliseconds; "" for what is not known."""
        key = (cwd, project_dir)
        if key not in self.known:
            self.known[key] = _repository(cwd, project_dir)
        here = self.known[key]
        return since_moved(here, *project.head(here), at)


def _repository(cwd: str, project_dir: str) -> Project:
    """The session's; of its worktrees the one that the event happened in."""
    session = project.resolve(cwd, project_dir)
    if not project_dir or not cwd:
        return session
    here = project.resolve(cwd)
    return here if here.common_dir == session.common_dir else session


def since_moved(here: Project, branch: str, commit: str, at: int) -> tuple[str, str]:
    """What HEAD was at a time in milliseconds, given what it is now."""
    if not here.git_dir:
        return branch, commit
    for old, seconds, what in reversed(moves(here, at)):
        if seconds * 1000 <= at:
            break
        commit = "" if set(old) == {"0"} else old
        found = _MOVE.match(what)
        if found:
            branch = "" if _HASH.fullmatch(found[1]) else found[1]
    return branch, commit


def moves(here: Project, since: int = 0) -> list[tuple[str, int, str]]:
    """(the commit before, Unix seconds, what was done) of the latest moves of HEAD, oldest first.

    [] where none is younger than `since`, in milliseconds.
    """
    found = []
    for line in log_lines(Path(here.git_dir, "logs/HEAD"), since):
        about, _, what = line.partition("\t")
        words = about.split()
        if len(words) > 3 and words[-2].isdecimal() and _HASH.fullmatch(words[0]):
            found.append((words[0], int(words[-2]), what))
    return found


def log_lines(path: Path, since: int = 0) -> list[str]:
    """The last lines of a log of git's; [] where it is older than `since`, in milliseconds."""
    try:
        with path.open("rb") as file:
            stat = os.fstat(file.fileno())
            if stat.st_mtime * 1000 <= since:
                return []
            file.seek(max(0, stat.st_size - LOG_BYTES))
            return file.read(LOG_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
