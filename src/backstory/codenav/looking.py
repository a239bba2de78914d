"""Opening a file of the workspace for its shape: guarded, read afresh, its outline kept.

What is kept goes by the file's content, so it can never be of an older version.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from backstory.codenav import guard, permissions, source
from backstory.codenav.outline import Outline, outline_of
from backstory.codenav.permissions import Rules
from backstory.codenav.source import Source
from backstory.estimate import estimate_tokens

DEADLINE_S = 5.0  # of one call
_LEAST_S = 0.2  # that even the last of many files gets
_CUT_KEPT_S = 60.0
_MOST_KEPT = 200  # outlines
_MOST_SYMBOLS = 40_000  # in all of them: some 20 MB

_Kept = tuple[Outline, int, float]  # an outline, the file's tokens, until when it counts


@dataclass(frozen=True, slots=True)
class Workspace:
    """What one caller may see."""

    roots: tuple[str, ...]  # real folders; the first is the main one
    rules: Rules
    cwd: str = ""  # relative paths are meant from here first


@dataclass(frozen=True, slots=True)
class Looked:
    """A file, its shape, and what reading it whole would cost."""

    source: Source
    outline: Outline
    tokens: int


def workspace(roots: Sequence[str], cwd: str, config_dir: str = "") -> Workspace:
    """The workspace of a caller. Raises Forbidden where there is none to see.

    config_dir: the host's own folder in the caller's session, whose rules hold too; "" for the
    usual one.
    """
    real = guard.workspace_roots(roots, cwd)
    named = config_dir if config_dir.startswith("/") else ""
    return Workspace(real, permissions.rules_for(real, cwd, config_dir=named), cwd)


class Outlines:
    """The outlines of the files that were last looked at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._symbols = 0

    def look(self, path: str, where: Workspace, deadline: float) -> Looked:
        """A file and its outline. Raises what `source.read` does.

        `deadline` is a value of `time.monotonic()`.
        """
        found = source.read(path, where.roots, where.rules, where.cwd)
        key = (found.digest, found.path)
        with self._lock:
            kept = self._kept.get(key)
            if kept:
                self._kept.move_to_end(key)
        if kept is None or kept[2] < time.monotonic():
            left = max(deadline - time.monotonic(), _LEAST_S)
            outline = outline_of(found.text, found.path, left)
            kept = (outline, estimate_tokens(found.text), math.inf)
            if outline.how == "cut":  # it may come out whole when the machine has more time
                kept = (*kept[:2], time.monotonic() + _CUT_KEPT_S)
            self._keep(key, kept)
        return Looked(found, *kept[:2])

    def _keep(self, key: tuple[str, str], kept: _Kept) -> None:
        with self._lock:
            if former := self._kept.pop(key, None):
                self._symbols -= len(former[0].symbols)
            self._kept[key] = kept
            self._symbols += len(kept[0].symbols)
            while len(self._kept) > _MOST_KEPT or self._symbols > _MOST_SYMBOLS:
                _, dropped = self._kept.popitem(last=False)
                self._symbols -= len(dropped[0].symbols)
