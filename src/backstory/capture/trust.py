"""Whether the data directory may be believed where it says whom to send what was captured.

A project's own settings can put HOME and BACKSTORY_HOME into our environment, and so name a folder
that it brought along as ours, with a settings.json in it.
"""

from __future__ import annotations

import os
import pwd
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from backstory import paths
from backstory.config import Config

MARKS = (".git", ".hg", ".svn", ".jj")  # of a checkout
OWN_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")  # of a project
ABOUT_HOME = "the data directory "  # what every reason of unsafe_home begins with
_KNOWN = "SELECT root FROM sessions UNION SELECT cwd FROM sessions UNION SELECT root FROM projects"


def unsafe_home(config: Config, roots: Sequence[str] = ()) -> str:
    """Why no model is used with this data directory; "" where it is the user's own.

    roots: folders of projects, as `known_folders` tells them. The usual place in the user's home
    is always theirs. Another one is not where a project could have made it: in a checkout, or in
    the folder of a session that has settings of its own, without which it could not have named it.
    """
    own = own_home()
    if is_usual(config.home):
        return ""
    known = project_folders(roots)
    for place in places(config.home):
        for folder in (place, *place.parents):
            if folder == own or folder in own.parents:
                continue
            if why := _mark(folder, known):
                return (
                    f"{ABOUT_HOME}lies in {folder}, {why}, which could have made it: BACKSTORY_HOME"
                    " must name a folder outside of projects, or nothing"
                )
    return ""


def is_usual(home: Path) -> bool:
    """Whether a data directory is the one in the user's home, where no project can put it."""
    return home.resolve() == Path(paths.base_dir({"HOME": str(own_home())})).resolve()


def is_inside(home: Path, folders: Sequence[str]) -> bool:
    """Whether a data directory lies in one of these folders of a session, which then could have
    made it. They may be newer than what `unsafe_home` was told."""
    if is_usual(home):
        return False
    known = project_folders(folders)
    return any(
        _mark(folder, known)
        for place in places(home)
        for folder in (place, *place.parents)
        if folder in known
    )


def known_folders(db: sqlite3.Connection) -> tuple[str, ...]:
    """The folders of every session and project: no program in them is run, nothing believed."""
    return tuple(folder for (folder,) in db.execute(_KNOWN) if folder)


def own_home() -> Path:
    """The user's home, whatever the environment says."""
    return Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()


def project_folders(roots: Sequence[str]) -> frozenset[Path]:
    """Those of the roots that are projects: a session in the home folder does not make it one."""
    own = own_home()
    return frozenset(_resolved(roots)) - {own, *own.parents}


def places(path: Path) -> tuple[Path, ...]:
    """Where a path is, and where its links lead to."""
    straight = Path(os.path.normpath(path.absolute()))
    return tuple(dict.fromkeys((straight, straight.parent.resolve(), path.resolve())))


def holds(folder: Path, name: str) -> bool:
    """Whether a folder has such an entry."""
    try:
        (folder / name).lstat()
    except OSError:
        return False
    return True


def is_checkout(folder: Path) -> bool:
    """Whether it is the top of a work tree."""
    return any(holds(folder, mark) for mark in MARKS)


def _mark(folder: Path, known: frozenset[Path]) -> str:
    if is_checkout(folder):
        return "a repository"
    if folder in known and any(holds(folder, name) for name in OWN_SETTINGS):
        return "the folder of a session with settings of its own"
    return ""


def _resolved(roots: Sequence[str]) -> Iterator[Path]:
    for root in roots:
        if root.startswith("/") and "\0" not in root:
            try:
                yield Path(root).resolve()
            except (OSError, RuntimeError):  # links in a circle
                yield Path(os.path.normpath(root))
