"""The JSON API: routes in one list, one error shape, answers from `recall/`."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from backstory.capture import save
from backstory.errors import BackstoryError, BadInput, StorageError
from backstory.recall import context
from backstory.recall.observations import MAX_IDS, get_observations
from backstory.recall.query import search_query
from backstory.recall.search import Nearest, search
from backstory.recall.timeline import timeline
from backstory.recall.tool_uses import get_tool_uses
from backstory.storage import reindex, sqlite, text_index
from backstory.storage.database import Database
from backstory.web import gate, prompt, spending, work_state
from backstory.web.arguments import (
    body_of,
    flag,
    id_list,
    limit_of,
    only,
    shortest,
    text_of,
    texts_of,
    within,
)
from backstory.web.guard import over_unix_socket

STATUS = {
    "bad_input": 400,
    "not_found": 404,
    "forbidden": 403,
    "busy": 503,
    "unavailable": 503,
}
INDEXING_S = 600.0  # a second makes some 4,000 records anew


@dataclass(frozen=True, slots=True)
class Backend:
    """What the routes need of the worker."""

    database: Database
    health: Callable[[], dict[str, Any]]
    status: Callable[[], dict[str, Any]]
    flush: Callable[[float, bool, bool, bool, bool], Awaitable[dict[str, Any]]]  # see Worker.flush
    stop: Callable[[], None]
    outdated: Callable[[str], bool]  # a newer version asks: it should take over
    forget: Callable[[sqlite3.Connection, Mapping[str, Any]], dict[str, Any]]
    mcp: ASGIApp
    settings: Callable[[str], Any]
    resume: Callable[[], object] = dict  # has a model asked again, whatever failed before
    nearest: Nearest | None = None  # finds by meaning
    hold: Callable[[float], object] = float  # for so many seconds no call of a model is begun


def app(backend: Backend) -> Starlette:
    """The application of a worker."""
    api = Api(backend)
    routes = [
        Route("/api/health", api.health),
        Route("/api/status", api.status),
        Route("/api/flush", api.flush, methods=["POST"]),
        Route("/api/stop", api.stop, methods=["POST"]),
        Route("/api/search", api.search),
        Route("/api/timeline", api.timeline),
        Route("/api/observations/batch", api.observations, methods=["POST"]),
        Route("/api/tool-uses/batch", api.tool_uses, methods=["POST"]),
        Route("/api/memory", api.save, methods=["POST"]),
        Route("/api/forget", api.forget, methods=["POST"]),
        Route("/api/index", api.index, methods=["POST"]),
        Route("/api/context", api.context),
        *spending.routes(backend),
        *gate.routes(backend),
        *prompt.routes(backend),
        *work_state.routes(backend),
        Route("/mcp", backend.mcp),
    ]
    return Starlette(
        routes=routes,
        exception_handlers={
            BackstoryError: known_error,
            HTTPException: http_error,
            Exception: unknown_error,
        },
    )


class Api:
    """The endpoints."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    async def health(self, request: Request) -> Response:
        """Whether the worker does its work; no data. Only the socket's callers learn the folder."""
        answer = self.backend.health()
        if not over_unix_socket(request.scope):
            answer = {key: answer[key] for key in ("status", "version")}
        return JSONResponse(answer)

    async def status(self, _: Request) -> Response:
        """Health with numbers."""
        return JSONResponse(await anyio.to_thread.run_sync(self.backend.status))

    async def flush(self, request: Request) -> Response:
        """Takes in what is waiting; asked by a newer version, this worker ends afterwards."""
        given = request.query_params
        try:
            seconds = float(given.get("seconds", "0.25"))
        except ValueError:
            seconds = math.nan
        if math.isnan(seconds):
            raise BadInput("seconds: expected a number")
        seconds = min(max(seconds, 0.0), 60.0)
        answer = await self.backend.flush(
            seconds, "all" in given, "requeue" in given, "version" in given, "model" in given
        )
        if self.backend.outdated(given.get("version", "")):
            self.backend.stop()
        elif not answer["more"] and not answer["warning"] and await request.body():
            start = await body_of(request)
            answer["context"] = await anyio.to_thread.run_sync(
                self.backend.database.read, partial(self.start_context, start)
            )
            if session := text_of(start, "session"):
                prompt.tell_anew(self.backend, session, answer["context"])
        return JSONResponse(answer)

    def start_context(self, start: Mapping[str, Any], db: sqlite3.Connection) -> str:
        """What a session that starts is told, so that its hook need not load SQLite."""
        return context.of_session(
            db,
            text_of(start, "cwd"),
            text_of(start, "project_dir"),
            self.backend.settings("context_observations"),
            self.backend.settings("context_tokens"),
            text_of(start, "session"),
        )

    async def stop(self, _: Request) -> Response:
        """Ends the worker once this answer is out."""
        self.backend.stop()
        return JSONResponse({"stopping": True})

    async def search(self, request: Request) -> Response:
        """The arguments of the `search` tool, with project or cwd; repeated ones are a list."""
        given = request.query_params
        arguments: dict[str, Any] = {
            name: values[0] if len(values := given.getlist(name)) == 1 else values for name in given
        }

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, roots, rest = within(db, arguments)
            return asdict(
                search(db, search_query(rest, project_ids=ids, roots=roots), self.backend.nearest)
            )

        return await self.read(run)

    async def timeline(self, request: Request) -> Response:
        """The arguments of the `timeline` tool, with project or cwd."""
        arguments = dict(request.query_params)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, roots, rest = within(db, arguments)
            only(rest, ("anchor", "query", "depth_before", "depth_after"))
            found = timeline(
                db,
                anchor=rest.get("anchor"),
                query=rest.get("query"),
                before=rest.get("depth_before", 3),
                after=rest.get("depth_after", 3),
                project_ids=ids,
                roots=roots,
                nearest=self.backend.nearest,
            )
            return asdict(found)

        return await self.read(run)

    async def observations(self, request: Request) -> Response:
        """Full records by id."""
        arguments = await body_of(request)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, _, rest = within(db, arguments)
            only(rest, ("ids", "orderBy", "limit"))
            found = get_observations(
                db,
                id_list(rest),
                project_ids=ids,
                order=rest.get("orderBy", ""),
                limit=limit_of(rest, MAX_IDS),
            )
            return asdict(found)

        return await self.read(run)

    async def tool_uses(self, request: Request) -> Response:
        """Raw tool input and output by id."""
        arguments = await body_of(request)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, _, rest = within(db, arguments)
            only(rest, ("ids", "limit"))
            limit = limit_of(rest, MAX_IDS)
            return asdict(get_tool_uses(db, id_list(rest), project_ids=ids, limit=limit))

        return await self.read(run)

    async def save(self, request: Request) -> Response:
        """Stores a memory word for word."""
        arguments = await body_of(request)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, roots, rest = within(db, arguments, add=True)
            only(rest, ("content", "title", "type", "files", "queries"))
            saved = save.save(
                db,
                ids[0],
                text_of(rest, "content"),
                title=text_of(rest, "title"),
                type=text_of(rest, "type") or "discovery",
                files=[shortest(path, roots) for path in texts_of(rest, "files")],
                queries=texts_of(rest, "queries"),
            )
            return asdict(saved)

        return JSONResponse(await anyio.to_thread.run_sync(self.backend.database.write, run))

    async def forget(self, request: Request) -> Response:
        """Forgets what the arguments name, or shows what that would be."""
        arguments = await body_of(request)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            return self.backend.forget(db, arguments)

        return JSONResponse(await anyio.to_thread.run_sync(self.backend.database.write, run))

    async def index(self, request: Request) -> Response:
        """Whether the full-text index is sound; with rebuild it is made anew first."""
        arguments = await body_of(request)
        only(arguments, ("rebuild",), ())
        is_anew = flag(arguments, "rebuild")

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            records = reindex.rebuild(db) if is_anew else None
            return {"sound": text_index.is_sound(db), "records": records}

        write = partial(self.backend.database.write, run, INDEXING_S)
        return JSONResponse(await anyio.to_thread.run_sync(write))

    async def context(self, request: Request) -> Response:
        """The session start context, as text."""
        arguments = dict(request.query_params)
        rows = self.backend.settings("context_observations")
        tokens = self.backend.settings("context_tokens")

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, _, rest = within(db, arguments)
            only(rest, ())
            name = db.execute("SELECT name FROM projects WHERE id = ?", ids).fetchone()[0]
            return {"context": context.render(db, ids[0], name, rows, tokens)}

        return await self.read(run)

    async def read(self, function: Callable[[sqlite3.Connection], dict[str, Any]]) -> Response:
        """The JSON of what a function reads."""
        return JSONResponse(await anyio.to_thread.run_sync(self.backend.database.read, function))


def known_error(_: Request, error: Exception) -> Response:
    """An error of ours."""
    assert isinstance(error, BackstoryError)
    return JSONResponse(error.as_json(), STATUS.get(error.code, 500))


def http_error(_: Request, error: Exception) -> Response:
    """An error of the framework: no route, wrong method."""
    assert isinstance(error, HTTPException)
    code = "not_found" if error.status_code == 404 else "bad_input"
    body = {
        "error": {"code": code, "message": str(error.detail), "hint": "see docs/architecture.md"}
    }
    return JSONResponse(body, error.status_code)


def unknown_error(_: Request, error: Exception) -> Response:
    """A bug: named by its kind alone, since its message may quote what was captured."""
    if sqlite.tells_no_room(error):
        return known_error(_, StorageError(sqlite.NO_ROOM, hint=sqlite.NO_ROOM_HINT))
    if isinstance(error, sqlite3.Error):
        # SQLite's own words name tables at most
        text = f"the database cannot be used: {str(error)[:120]}"
        return known_error(_, StorageError(text, hint="`backstory doctor` tells more"))
    body = {
        "error": {"code": "error", "message": type(error).__name__, "hint": "see logs/worker.log"}
    }
    return JSONResponse(body, 500)
