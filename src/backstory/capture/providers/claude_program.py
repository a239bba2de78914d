"""Which `claude` is run, and with which PATH and HOME: never one that a project brought along.

A project's own settings can put any PATH and HOME into the environment that reaches the worker. So
a program, a folder of programs or a home is refused when it lies in a project or in a checkout,
or when everyone on the machine may change it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from backstory.capture import trust
from backstory.capture.providers.base import Trouble

NAME = "claude"
FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin"
# where package managers live in git checkouts of their own
_SYSTEM = ("/opt", "/usr", "/home/linuxbrew")


# Folders of projects; a function where they are looked up anew each time: more become known.
Roots = Sequence[str] | Callable[[], Sequence[str]]


class Ground:
    """What may be run and believed, next to the folders of the known projects."""

    def __init__(self, roots: Roots) -> None:
        self.own_home = trust.own_home()
        self._look_up = roots if callable(roots) else None
        self._given: Sequence[str] = () if callable(roots) else roots
        self._roots = trust.project_folders(self._given)
        self.refresh()

    def refresh(self) -> None:
        """Looks up which projects there are by now. Raises Trouble ("busy") where that fails."""
        if self._look_up is None:
            return
        try:
            given = self._look_up()
        except Exception as error:  # noqa: BLE001  whatever it is, nothing is run on a guess
            why = type(error).__name__
            raise Trouble("busy", f"the known projects could not be read ({why})") from None
        if given != self._given:
            self._given, self._roots = given, trust.project_folders(given)

    def home(self) -> str:
        """The user's home. Raises Trouble ("setup") where the environment names a strange one."""
        named = os.environ.get("HOME", "")
        if not named or Path(named).resolve() == self.own_home:
            return named or str(self.own_home)
        if why := self._placed_badly(Path(named)):
            raise Trouble("setup", f"HOME is {named}, which {why}: start the worker from elsewhere")
        return named

    def search_path(self) -> str:
        """The PATH without folders that a project could have filled."""
        entries = os.environ.get("PATH", "").split(":")
        kept = [e for e in entries if e.startswith("/") and not self._folder_fault(Path(e))]
        return ":".join(kept) or FALLBACK_PATH

    def find(self, named: str) -> str:
        """The program that is set, else the first good one on PATH, as an absolute path.

        Links stay: an update points them elsewhere, and the shims of version managers go by the
        name they are called by. What they lead to is looked at. Raises Trouble ("setup").
        """
        if named:
            path = os.path.expanduser(named)  # noqa: PTH111  pathlib raises where there is no home
            if why := self.fault(path):
                raise Trouble("setup", f"setting claude_path: {named} {why}")
            return path
        faults = []
        for candidate in _on_path():
            why = self.fault(candidate)
            if not why:
                return candidate
            faults.append(f"{candidate} {why}")
        if faults:
            raise Trouble("setup", f"{faults[0]}: backstory settings claude_path names another one")
        raise Trouble("setup", "no claude is on the PATH: backstory settings claude_path FILE")

    def fault(self, path: str) -> str:
        """Why a program is not run; "" where nothing speaks against it."""
        if not path.startswith("/"):
            return "is no absolute path"
        program = Path(path)
        if not (program.is_file() and os.access(path, os.X_OK)):
            return "is no program"
        return self._placed_badly(program) or _open_to_all(program.resolve())

    def _folder_fault(self, folder: Path) -> str:
        if not folder.is_dir():
            return "is no folder"
        return self._placed_badly(folder) or _open_to_all(folder.resolve())

    def _placed_badly(self, path: Path) -> str:
        """Why the place is a project's, where it is, or the one it leads to."""
        for place in trust.places(path):
            for top in (place, *place.parents):
                if top in self._roots:
                    return f"lies in the project {top}"
                if trust.is_checkout(top) and not self._is_for_programs(top):
                    return f"lies in the repository {top}"
        return ""

    def _is_for_programs(self, top: Path) -> bool:
        """Whether a checkout is a tool's own (nvm, asdf, Homebrew), or the whole home or disk."""
        if top == self.own_home or top in self.own_home.parents:
            return True
        if top.is_relative_to(self.own_home):
            return top.relative_to(self.own_home).parts[0].startswith(".")
        return str(top).startswith(_SYSTEM)


def _on_path() -> Iterator[str]:
    for entry in os.environ.get("PATH", "").split(":"):
        candidate = f"{entry.rstrip('/')}/{NAME}"
        if entry.startswith("/") and os.access(candidate, os.X_OK) and Path(candidate).is_file():
            yield candidate


def _open_to_all(path: Path) -> str:
    """Whether anyone on the machine may change the path, or put another one in its place."""
    for place in (path, *path.parents):
        try:
            mode = place.stat().st_mode
        except OSError:
            return "cannot be looked at"
        is_sticky = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
        if mode & stat.S_IWOTH and not is_sticky:
            return f"may be changed by anyone ({place})"
    return ""
