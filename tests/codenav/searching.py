"""Workspaces for the tests of searching: files on disk, an index beside them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backstory.codenav import index, indexing
from backstory.codenav.answer import Answer, Hit, Request
from backstory.codenav.permissions import NO_RULES, Rules
from backstory.codenav.view import view_of
from backstory.codenav.workspace import search


@dataclass(frozen=True)
class Workspace:
    """A folder of files and a data directory."""

    root: Path
    home: Path

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Writes files, by relative path."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def index(self) -> None:
        """Makes the index complete, as the child does."""
        with index.writer(str(self.root), self.home, wait=True) as db:
            assert db is not None
            indexing.build(db, str(self.root))

    def search(self, query: str, *, rules: Rules = NO_RULES, **request: Any) -> Answer:
        """The answer of the production search."""
        asked = Request(query, **request)
        return search(asked, roots=(str(self.root),), home=self.home, rules=rules)

    def names(self, query: str, **request: Any) -> list[str]:
        """The qualified names of the symbols that a search finds, best first."""
        return [hit.qualified_name for hit in self.symbols(query, **request)]

    def symbols(self, query: str, **request: Any) -> list[Hit]:
        """The symbols that a search finds."""
        return [hit for hit in self.search(query, **request).hits if hit.what == "symbol"]

    def files(self, query: str, **request: Any) -> list[str]:
        """The files that a search finds anything in."""
        return list(dict.fromkeys(hit.file for hit in self.search(query, **request).hits))

    def git(self, *arguments: str) -> None:
        """Runs git in the workspace."""
        names = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *names, *arguments], cwd=self.root, check=True, capture_output=True)

    def close(self) -> None:
        """Lets go of the index."""
        view_of(str(self.root), self.home).close()


def workspace(folder: Path, files: Mapping[str, str | bytes], *, indexed: bool = True) -> Workspace:
    """A workspace with these files."""
    made = Workspace(Path(folder).resolve() / "project", Path(folder).resolve() / "home")
    made.root.mkdir()
    made.write(files)
    if indexed:
        made.index()
    return made
