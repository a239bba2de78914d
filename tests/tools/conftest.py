"""Two projects with a memory each, and callers who work in one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backstory import config, project
from backstory.storage import projects, sqlite
from backstory.storage.database import Database
from backstory.tools import serve
from backstory.tools.caller import Caller
from tests.recall.conftest import Store


@dataclass(frozen=True, slots=True)
class Memory:
    """A data directory with a project `shop` and another, `lamp`, and their records' ids."""

    home: Path
    shop: Path
    lamp: Path
    ours: int
    theirs: int
    our_use: int
    their_use: int


def fill(home: Path, shop: Path, lamp: Path) -> Memory:
    """Makes the database. Nothing of it is open afterwards."""
    home.mkdir(parents=True, exist_ok=True)
    db = sqlite.open_writer(home / "backstory.db")
    store = Store(db)
    found: list[int] = []
    for folder, thing in ((shop, "cart"), (lamp, "bulb")):
        folder.mkdir(parents=True, exist_ok=True)
        owner = projects.find_or_add(db, project.resolve(str(folder)), 0)
        session = store.session(owner, f"session-{thing}")
        prompt = store.prompt(owner, session, f"Why is the {thing} wrong?")
        used = store.tool_use(
            session, prompt, f"toolu_{thing}", "Bash", {"command": f"pytest {thing}"}, "1 failed"
        )
        record = store.observation(
            owner,
            f"Fixed rounding in {thing}.total",
            f"The {thing} rounded twice. Preis für поиск 検索.",
            type_="bugfix",
            files=(f"src/{thing}.py",),
            session=session,
            prompt=prompt,
            evidence="verified",
        )
        store.link(record, used)
        store.summary(owner, session, prompt, request=f"Fix the {thing}", completed="Fixed.")
        found += [record, used]
    db.close()
    return Memory(home, shop, lamp, found[0], found[2], found[1], found[3])


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A filled data directory."""
    return fill(tmp_path / "data", tmp_path / "shop", tmp_path / "lamp")


@pytest.fixture
def database(memory: Memory) -> Iterator[Database]:
    """The database, with its writer."""
    database = Database(memory.home / "backstory.db")
    database.start_writer()
    yield database
    database.close()


class Client:
    """Calls tools as somebody who works in a folder."""

    def __init__(self, database: Database, folder: Path, relay: str = "relay-1") -> None:
        settings = config.load(database.path.parent)
        self.caller = Caller(database, settings, cwd=str(folder), relay=relay)

    def __call__(self, name: str, /, **arguments: Any) -> str:
        """The text of an answer that must not be an error."""
        found = serve.answer(name, arguments, self.caller)
        assert not found.is_error, found.text
        return found.text

    def error(self, name: str, /, **arguments: Any) -> str:
        """The text of an answer that must be an error."""
        found = serve.answer(name, arguments, self.caller)
        assert found.is_error, found.text
        return found.text


@pytest.fixture
def shop(database: Database, memory: Memory) -> Client:
    """Somebody in the shop."""
    return Client(database, memory.shop)
