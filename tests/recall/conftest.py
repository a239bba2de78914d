"""A store with the real schema, filled by hand."""

from __future__ import annotations

import itertools
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from backstory import config
from backstory.recall import embedders
from backstory.recall.meaning import Meaning
from backstory.recall.query import SearchQuery
from backstory.recall.search import SearchResult, search
from backstory.storage import sqlite, text_index
from backstory.storage.database import Database
from tests.support.embedding import HashedWords


class Store:
    """Writes records as the worker does, with less to say."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.clock = itertools.count(1_780_000_000_000, 60_000)
        self.uses = itertools.count(1)

    def project(self, name: str = "shop", root: str = "/repo/shop") -> int:
        return self._insert("projects", name=name, root=root, created_at=0)

    def session(
        self, project: int, session_id: str, platform: str = "claude-code", branch: str = ""
    ) -> int:
        at = next(self.clock)
        return self._insert(
            "sessions",
            session_id=session_id,
            project=project,
            root="/repo/shop",
            cwd="/repo/shop",
            platform=platform,
            branch=branch,
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
        queries: tuple[str, ...] = (),
        session: int | None = None,
        prompt: int | None = None,
        evidence: str = "stated",
        importance: int = 1,
        superseded_by: int | None = None,
        concepts: tuple[str, ...] = (),
        agent_type: str = "",
        branch: str = "",
        distilled_by: str = "rules/1",
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
            concepts=json.dumps(list(concepts)),
            agent_type=agent_type,
            branch=branch,
            distilled_by=distilled_by,
            content_hash=f"hash-{next(self.uses)}",
            tokens=50,
            created_at=next(self.clock) if at is None else at,
        )
        for path in files:
            self._insert("observation_files", observation=id_, path=path, mode="modified")
        for query in queries:
            self._insert("observation_queries", observation=id_, query=query)
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


class Meant:
    """A store whose records have vectors, made by an embedder that a test can steer."""

    def __init__(self, folder: Path, store: Store, embedder: HashedWords) -> None:
        self.store = store
        self.embedder = embedder
        self.database = Database(folder / "backstory.db")
        self.database.start_writer()
        self.settings = config.load(folder)
        self.meaning = Meaning(self.database, self.settings)

    def embed(self) -> int:
        """Embeds all that waits; how many records were taken up."""
        done = 0
        while taken := self.meaning.embed_some():
            done += taken
        return done

    def search(self, query: SearchQuery | str) -> SearchResult:
        """A search by words and meaning."""
        asked = SearchQuery(query) if isinstance(query, str) else query
        return self.database.read(lambda db: search(db, asked, self.meaning.nearest))

    def found(self, query: SearchQuery | str) -> list[str]:
        """The ids that it finds."""
        return [row.id for row in self.search(query).rows]

    def vectors(self) -> set[int]:
        """The rows that have a vector."""
        return {
            row
            for (row,) in self.store.db.execute("SELECT row FROM vectors WHERE length(vector) > 1")
        }

    def waiting(self) -> set[int]:
        """The rows that wait for one."""
        return {row for (row,) in self.store.db.execute("SELECT row FROM unembedded")}


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashedWords:
    """What the setting's default names, for this test."""
    made = HashedWords()
    monkeypatch.setattr(embedders, "make", lambda *_: made)
    monkeypatch.setattr(embedders, "named", lambda _: made.name, raising=False)
    return made


@pytest.fixture
def meant(tmp_path: Path, store: Store, embedder: HashedWords) -> Iterator[Meant]:
    """The store, with vectors."""
    made = Meant(tmp_path, store, embedder)
    with closing(made.database):
        yield made
