"""A store with the real schema, filled by hand."""

from __future__ import annotations

import itertools
import json
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.storage import sqlite, text_index


class Store:
    """Writes records as the worker does, with less to say."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.clock = itertools.count(1_780_000_000_000, 60_000)
        self.uses = itertools.count(1)

    def project(self, name: str = "shop", root: str = "/repo/shop") -> int:
        return self._insert("projects", name=name, root=root, created_at=0)

    def session(self, project: int, session_id: str, platform: str = "claude-code") -> int:
        at = next(self.clock)
        return self._insert(
            "sessions",
            session_id=session_id,
            project=project,
            root="/repo/shop",
            cwd="/repo/shop",
            platform=platform,
            started_at=at,
            last_at=at,
        )

    def prompt(
        self, project: int, session: int, text: str, number: int = 1, at: int | None = None
    ) -> int:
        at = next(self.clock) if at is None else at
        id_ = self._insert(
            "prompts",
            session=session,
            project=project,
            number=number,
            prompt_id=f"prompt-{at}",
            text=text,
            created_at=at,
        )
        text_index.put(self.db, "prompt", id_, project=project, body=text)
        return id_

    def observation(
        self,
        project: int,
        title: str,
        narrative: str = "",
        *,
        type_: str = "discovery",
        facts: tuple[str, ...] = (),
        files: tuple[str, ...] = (),
        session: int | None = None,
        prompt: int | None = None,
        evidence: str = "stated",
        importance: int = 1,
        superseded_by: int | None = None,
        at: int | None = None,
    ) -> int:
        id_ = self._insert(
            "observations",
            project=project,
            session=session,
            prompt=prompt,
            type=type_,
            title=title,
            narrative=narrative,
            facts=json.dumps(list(facts)),
            evidence=evidence,
            importance=importance,
            superseded_by=superseded_by,
            distilled_by="rules/1",
            content_hash=f"hash-{next(self.uses)}",
            tokens=50,
            created_at=next(self.clock) if at is None else at,
        )
        for path in files:
            self._insert("observation_files", observation=id_, path=path, mode="modified")
        body = "\n".join((narrative, *facts))
        text_index.put(
            self.db,
            "observation",
            id_,
            project=project,
            type=type_,
            title=title,
            body=body,
            files=files,
        )
        return id_

    def summary(self, project: int, session: int, prompt: int, **fields: str | int) -> int:
        at = fields.pop("at", None) or next(self.clock)
        id_ = self._insert(
            "summaries",
            project=project,
            session=session,
            prompt=prompt,
            distilled_by="rules/1",
            tokens=40,
            created_at=at,
            **fields,
        )
        text = "\n".join(str(value) for value in fields.values())
        title = str(fields.get("request", ""))
        text_index.put(self.db, "summary", id_, project=project, title=title, body=text)
        return id_

    def tool_use(
        self, session: int, prompt: int, host_id: str, name: str, input_: Any, output: Any
    ) -> int:
        id_ = self._insert(
            "tool_uses",
            session=session,
            prompt=prompt,
            tool_use_id=host_id,
            name=name,
            status="ok",
            created_at=next(self.clock),
        )
        packed = [zlib.compress(json.dumps(value).encode()) for value in (input_, output)]
        self._insert("tool_io", tool_use=id_, input=packed[0], output=packed[1], size=1)
        return id_

    def link(self, observation: int, tool_use: int) -> None:
        self._insert("observation_tool_uses", observation=observation, tool_use=tool_use)

    def _insert(self, table: str, **values: object) -> int:
        names = ", ".join(values)
        marks = ", ".join("?" for _ in values)
        statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"
        return self.db.execute(statement, tuple(values.values())).lastrowid or 0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    db = sqlite.open_writer(tmp_path / "backstory.db")
    yield Store(db)
    db.close()
