"""Files that a session wrote are read into the indexes in use at once, in a thread of their own.

A search would find them out by itself; this keeps that search short.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from pathlib import Path

_SEARCHES = "backstory.codenav.workspace"


class Renewal:
    """Keeps the indexes of one data directory up with what is written."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._waiting: dict[str, None] = {}
        self._thread: threading.Thread | None = None

    def written(self, paths: Iterable[str]) -> None:
        """Tells that files were written, by full path. Returns at once, and never raises.

        Where nobody has searched a workspace yet, there is no index in use, and nothing is loaded.
        """
        told = dict.fromkeys(paths)
        if not told or _SEARCHES not in sys.modules:
            return
        with self._lock:
            self._waiting.update(told)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="renewal", daemon=True)
                self._thread.start()

    def settle(self, patience_s: float) -> None:
        """Waits until what was told is done, so many seconds at most."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(patience_s)

    def _run(self) -> None:
        from backstory.codenav import workspace  # noqa: PLC0415  it is loaded: see written

        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                path = next(iter(self._waiting))
                del self._waiting[path]
            workspace.touch(path, self._home)
