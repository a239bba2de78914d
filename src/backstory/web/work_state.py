"""The route of what is being worked on."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backstory import project as identity
from backstory.capture import work_state as writing
from backstory.recall import work_state
from backstory.recall.query import whole_number
from backstory.tools.work_state import refuse_excluded, refuse_incognito
from backstory.web.arguments import SCOPE_ARGUMENTS, body_of, only, text_of, within

if TYPE_CHECKING:
    from backstory.web.api import Backend

MOST_HISTORY = 100


def routes(backend: Backend) -> list[Route]:
    """The routes of this module."""
    api = WorkState(backend)
    return [
        Route("/api/work-state", api.show),
        Route("/api/work-state", api.write, methods=["POST"]),
    ]


class WorkState:
    """The endpoints."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    async def show(self, request: Request) -> Response:
        """The state in force, null where there is none, and the newest `history` (5) of all."""
        arguments = dict(request.query_params)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, _, rest = within(db, arguments)
            only(rest, ("history",))
            most = whole_number("history", rest.get("history", work_state.HISTORY), 0, MOST_HISTORY)
            return shown(db, ids[0], most)

        return JSONResponse(await anyio.to_thread.run_sync(self.backend.database.read, run))

    async def write(self, request: Request) -> Response:
        """Writes it down: a field that is not given keeps its value, an empty one is cleared."""
        arguments = await body_of(request)
        database = self.backend.database

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            fields = {name: arguments[name] for name in arguments if name not in SCOPE_ARGUMENTS}
            only(fields, work_state.TEXTS)
            writing.check(fields)  # before a project is made for it
            ids, roots, _ = within(db, arguments, add=True)
            cwd, named = text_of(arguments, "cwd"), text_of(arguments, "project")
            refuse_excluded(self.backend.settings("excluded_projects"), (cwd, *roots))
            by = writing.Writer()
            if cwd and not named:
                by = writing.writer(db, ids[0], identity.resolve(cwd), cwd)
            refuse_incognito(database.path.parent, by)
            return asdict(writing.write(db, ids[0], fields, by))

        return JSONResponse(await anyio.to_thread.run_sync(database.write, run))


def shown(db: sqlite3.Connection, owner: int, most: int) -> dict[str, Any]:
    """The state in force, and the newest of all."""
    return {
        "state": work_state.current(db, owner),
        "history": work_state.history(db, owner, most),
    }
