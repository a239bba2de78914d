"""A store, and a service of embeddings that its settings name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from backstory import config
from backstory.recall.embedders.endpoint import Endpoint
from backstory.recall.meaning import Meaning, Near
from backstory.storage.database import Database
from tests.recall.conftest import Store
from tests.support.embedding_api import embedding
from tests.support.model_api import ModelApi, Script

KEY = "sk-test0123456789abcdef"
MODEL = "embed-small"


class Served:
    """A user whose vectors come from an endpoint."""

    def __init__(self, folder: Path, store: Store, api: ModelApi, **settings: Any) -> None:
        self.store = store
        self.api = api
        self.database = Database(folder / "backstory.db")
        self.database.start_writer()
        values = {one.name: one.default for one in config.SETTINGS}
        values |= {"embedder": "openai", "embedding_url": f"{api.url}/v1", "embedding_key": KEY}
        self.settings = config.Config(folder, values | {"embedding_model": MODEL} | settings)
        self.meaning = Meaning(self.database, self.settings)

    def endpoint(self) -> Endpoint:
        """The embedder, as the table makes it; it has asked for its dimensions."""
        return Endpoint(self.settings, self.database)

    def embed(self) -> int:
        """Embeds all that waits; how many records were taken up."""
        done = 0
        while taken := self.meaning.embed_some() or self.meaning.make_anew():
            done += taken
        return done

    def near(self, text: str, *projects: int) -> Near:
        """What a question finds."""
        return self.database.read(lambda db: self.meaning.nearest(db, text, projects))

    def status(self) -> dict[str, Any]:
        """What reports tell."""
        return self.database.read(self.meaning.status)

    def calls(self) -> list[tuple[int, str]]:
        """(tokens, outcome) of the ledger."""
        query = "SELECT tokens_in, outcome FROM ledger WHERE provider = 'embeddings' ORDER BY id"
        return list(self.store.db.execute(query))

    def held(self) -> list[tuple[int, str]]:
        """(tokens, state) of what is reserved."""
        return list(self.store.db.execute("SELECT tokens_in, state FROM reservations ORDER BY id"))

    def count(self, table: str) -> int:
        """How many rows a table has."""
        found = self.store.db.execute(f"SELECT count(*) FROM {table}")
        return int(found.fetchone()[0])


Serve = Callable[..., Served]


@pytest.fixture
def serve(tmp_path: Path, store: Store) -> Iterator[Serve]:
    """Makes such a user: serve(script, **settings)."""
    with ExitStack() as stack:

        def make(script: Script | None = None, **settings: Any) -> Served:
            api = stack.enter_context(ModelApi(script or embedding()))
            made = Served(tmp_path, store, api, **settings)
            stack.enter_context(closing(made.database))
            return made

        yield make
