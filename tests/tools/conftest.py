"""Two projects with a memory each, and callers who work in one of them."""

from __future__ import annotations

import itertools
import re
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

CONTINUATION = re.compile(r"ms_[A-Za-z0-9_-]{24}")
NEVER = "ms_" + "x" * 24  # a continuation that never was


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


@dataclass(frozen=True, slots=True)
class Place:
    """A shop with a dozen records more, and somebody who works there."""

    shop: Client
    ids: list[str]  # of the twelve, oldest first; kestrels are what they are about
    foreign: str  # a record of another project

    def begin(self, **more: Any) -> tuple[str, list[str]]:
        """(continuation, ids of the index) of a first step."""
        text = self.shop("mem_search", query="kestrel", **more)
        return continuation_of(text), shown(text)

    def choose(self, **more: Any) -> tuple[str, list[str]]:
        """(continuation, ids of the timeline) after the second step."""
        continuation, _ = self.begin(**more)
        middle = self.ids[6]
        text = self.shop("mem_search", continuation=continuation, selectedIds=[middle])
        return continuation, shown(text)

    def finish(self) -> tuple[str, list[str]]:
        """The same after the third."""
        continuation, ids = self.choose()
        self.shop("mem_search", continuation=continuation, selectedIds=ids[:1])
        return continuation, ids


def continuation_of(text: str) -> str:
    """The continuation that an answer gives."""
    found = CONTINUATION.search(text)
    assert found, text
    return found[0]


def shown(text: str) -> list[str]:
    """The ids of an answer's index rows."""
    return re.findall(r"^(?:→ |  )?#([sp]?\d+) ", text, re.MULTILINE)


def states(database: Database) -> list[Any]:
    """What is kept of open searches."""
    return database.read(
        lambda db: db.execute("SELECT * FROM guided_searches ORDER BY continuation").fetchall()
    )


def later(db: Any) -> Store:
    """A store that goes on where the one that filled the database ended."""
    store = Store(db)
    taken = db.execute("SELECT max(id) FROM observations").fetchone()[0]
    store.uses = itertools.count(taken * 100)
    store.clock = itertools.count(1_780_100_000_000, 60_000)
    return store


@pytest.fixture
def place(database: Database, memory: Memory, shop: Client) -> Place:
    """Twelve records about kestrels, each with a text that no index shows."""
    owner = shop.caller.scope().ids[0]

    def fill(db: Any) -> list[str]:
        store = later(db)
        return [
            str(store.observation(owner, f"Kestrel {n} seen", f"nest number {n}"))
            for n in range(12)
        ]

    return Place(shop, database.write(fill), str(memory.theirs))
