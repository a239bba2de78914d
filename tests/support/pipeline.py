"""Spool, ingest and distil in this process, on the real schema."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from backstory import config, paths
from backstory.capture.pump import Pump
from backstory.capture.recording import unpack
from backstory.storage import spool, sqlite
from tests.support.home import dump

START = 1_780_000_000_000_000_000  # nanoseconds


class Pipeline:
    """What the worker does between the spool and the tables, pass by pass."""

    def __init__(self, home: Path, **settings: Any) -> None:
        self.home = home
        paths.make_private_dir(str(home / paths.SPOOL))
        if settings:
            (home / paths.SETTINGS).write_text(json.dumps(settings))
        self.config = config.load(home)
        self.db: sqlite3.Connection = sqlite.open_writer(self.config.database)
        self.pump = Pump(self.config)
        self.clock = START

    def put(
        self, payload: object, *, at: int = 0, project_dir: str = "", raw: bytes | None = None
    ) -> Path:
        """Adds an event to the spool, a second after the one before unless a time is given."""
        self.clock = at * 1_000_000 if at else self.clock + 1_000_000_000
        data = dump(payload) if raw is None else raw
        head = f"at={self.clock}\nproject_dir={project_dir}\n\n"
        path = self.config.spool / f"{self.clock:020d}-{len(list(self.config.spool.iterdir()))}.evt"
        path.write_bytes(spool.MAGIC + head.encode("utf-8", "surrogateescape") + data)
        return path

    def run(self) -> None:
        """Passes until nothing is left to do at once."""
        while self.pump.run(self.db, 5.0):
            pass

    def feed(self, *payloads: object, **more: Any) -> None:
        """Takes these events in and distils what is due."""
        for payload in payloads:
            self.put(payload, **more)
        self.run()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What a query finds."""
        return self.db.execute(query, values).fetchall()

    def one(self, query: str, *values: object) -> Any:
        """The one value that a query finds."""
        return self.rows(query, *values)[0][0]

    def io(self, tool_use_id: str) -> tuple[Any, Any]:
        """A tool use's stored input and output."""
        query = "SELECT i.input, i.output FROM tool_io i JOIN tool_uses t ON t.id = i.tool_use"
        given, answer = self.rows(f"{query} WHERE t.tool_use_id = ?", tool_use_id)[0]
        return unpack(given), unpack(answer)

    def bad(self) -> list[Path]:
        """The files put aside."""
        return sorted((self.config.spool / spool.BAD).glob("*"))

    def close(self) -> None:
        """Closes the database."""
        self.db.close()
