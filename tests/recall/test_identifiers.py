"""What code is called is what it is searched by: the record with the name, among look-alikes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from backstory import config
from backstory.recall.meaning import Meaning
from backstory.recall.query import SearchQuery
from backstory.recall.search import Nearest, search
from backstory.storage import sqlite
from backstory.storage.database import Database
from tests.recall.conftest import Store

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/identifiers.jsonl")
    .read_text("utf-8")
    .split("\n")
    if line
]
TELLS = ("{} was looked at", "About {} and what it does", "Why {} broke the build", "Moved {}")


class Memory:
    """All the records, with the vectors of the built-in embedder."""

    def __init__(self, database: Database, nearest: Nearest, wanted: dict[str, int]) -> None:
        self.database = database
        self.nearest = nearest
        self.wanted = wanted  # by the query

    def found(self, text: str, nearest: Nearest | None = None) -> list[str]:
        """The first ids."""
        result = self.database.read(lambda db: search(db, SearchQuery(text, limit=3), nearest))
        return [row.id for row in result.rows]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """One record a name, older than hundreds that hold others like it."""
    home = tmp_path_factory.mktemp("names")
    with closing(sqlite.open_writer(home / "backstory.db")) as db:
        store = Store(db)
        project = store.project()
        with sqlite.transaction(db):
            wanted = {case["query"]: store.observation(project, case["text"]) for case in CASES}
            for tell in TELLS:
                for name in (name for case in CASES for name in case["alike"]):
                    store.observation(project, tell.format(name), f"Then {name} again.")
    database = Database(home / "backstory.db")
    database.start_writer()
    with closing(database):
        meaning = Meaning(database, config.load(home))
        while meaning.embed_some():
            pass
        yield Memory(database, meaning.nearest, wanted)


def test_there_are_enough_of_them(memory: Memory) -> None:
    """25 names among 500 others and more, all with a vector."""
    count = "SELECT (SELECT count(*) FROM observations), (SELECT count(*) FROM vectors)"
    records, made = memory.database.read(lambda db: db.execute(count).fetchone())
    assert len(CASES) == 25
    assert records == made
    assert records - len(CASES) >= 500


@pytest.mark.parametrize("case", CASES, ids=[case["query"] for case in CASES])
def test_a_name_is_in_the_top_three(memory: Memory, case: dict[str, Any]) -> None:
    """With vectors and without; in a sentence, too, with vectors."""
    wanted = str(memory.wanted[case["query"]])
    assert wanted in memory.found(case["query"])
    assert wanted in memory.found(case["query"], memory.nearest)


@pytest.mark.parametrize(
    "query", ["get_user_by_id", "get-user-by-id", "GetUserByID", "getuserbyid"]
)
def test_a_name_is_found_in_the_spelling_of_another_language(memory: Memory, query: str) -> None:
    """One thing is named so in Python, so in a style sheet, so in Go."""
    for nearest in (None, memory.nearest):
        assert str(memory.wanted["getUserById"]) in memory.found(query, nearest)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("login.py", "src/auth/login.py"),
        ("./src/auth/login.py", "src/auth/login.py"),
        ("src\\auth\\login.py", "src/auth/login.py"),
        ("`useEffect`", "useEffect"),
        ('"useEffect"', "useEffect"),
        ("useEffect()", "useEffect"),
        ("v2.0.0-rc.1,", "v2.0.0-rc.1"),
        ("$MAX_RETRIES", "MAX_RETRIES"),
        ("nodejs", "Node.js"),
        ("error ECONNREFUSED?", "ECONNREFUSED"),
    ],
)
def test_a_name_is_found_as_it_is_pasted(memory: Memory, query: str, name: str) -> None:
    """With what stands around it in code or in a sentence."""
    for nearest in (None, memory.nearest):
        assert str(memory.wanted[name]) in memory.found(query, nearest)
