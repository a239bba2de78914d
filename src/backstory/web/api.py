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

from backstory import project
from backstory.capture import save
from backstory.errors import BackstoryError, BadInput
from backstory.recall import context, scope
from backstory.recall.observations import get_observations
from backstory.recall.query import search_query
from backstory.recall.search import search
from backstory.recall.timeline import timeline
from backstory.recall.tool_uses import get_tool_uses
from backstory.storage.database import Database
from backstory.web.guard import over_unix_socket

STATUS = {
    "bad_input": 400,
    "not_found": 404,
    "forbidden": 403,
    "busy": 503,
    "unavailable": 503,
}
BODY_LIMIT = 1_000_000
SCOPE_ARGUMENTS = ("project", "cwd")


@dataclass(frozen=True, slots=True)
class Backend:
    """What the routes need of the worker."""

    database: Database
    health: Callable[[], dict[str, Any]]
    status: Callable[[], dict[str, Any]]
    flush: Callable[[float, bool, bool, bool], Awaitable[dict[str, Any]]]  # see Worker.flush
    stop: Callable[[], None]
    outdated: Callable[[str], bool]  # a newer version asks: it should take over
    forget: Callable[[sqlite3.Connection, Mapping[str, Any]], dict[str, Any]]
    mcp: ASGIApp
    settings: Callable[[str], Any]


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
        Route("/api/context", api.context),
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
            seconds, "all" in given, "requeue" in given, "version" in given
        )
        if self.backend.outdated(given.get("version", "")):
            self.backend.stop()
        elif not answer["more"] and not answer["warning"] and await request.body():
            start = await body_of(request)
            answer["context"] = await anyio.to_thread.run_sync(
                self.backend.database.read, partial(self.start_context, start)
            )
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
        """The arguments of the `search` tool, with project or cwd."""
        arguments = dict(request.query_params)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, roots, rest = within(db, arguments)
            return asdict(search(db, search_query(rest, project_ids=ids, roots=roots)))

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
                db, id_list(rest), project_ids=ids, order=rest.get("orderBy", "")
            )
            return asdict(found)

        return await self.read(run)

    async def tool_uses(self, request: Request) -> Response:
        """Raw tool input and output by id."""
        arguments = await body_of(request)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, _, rest = within(db, arguments)
            only(rest, ("ids", "limit"))
            return asdict(get_tool_uses(db, id_list(rest), project_ids=ids))

        return await self.read(run)

    async def save(self, request: Request) -> Response:
        """Stores a memory word for word."""
        arguments = await body_of(request)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            ids, roots, rest = within(db, arguments, add=True)
            only(rest, ("content", "title", "type", "files"))
            saved = save.save(
                db,
                ids[0],
                text_of(rest, "content"),
                title=text_of(rest, "title"),
                type=text_of(rest, "type") or "discovery",
                files=[shortest(path, roots) for path in files_of(rest)],
            )
            return asdict(saved)

        return JSONResponse(await anyio.to_thread.run_sync(self.backend.database.write, run))

    async def forget(self, request: Request) -> Response:
        """Forgets what the arguments name, or shows what that would be."""
        arguments = await body_of(request)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            return self.backend.forget(db, arguments)

        return JSONResponse(await anyio.to_thread.run_sync(self.backend.database.write, run))

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


def within(
    db: sqlite3.Connection, arguments: Mapping[str, Any], *, add: bool = False
) -> tuple[tuple[int, ...], tuple[str, ...], dict[str, Any]]:
    """(project ids, their roots, the other arguments). Raises BadInput without project or cwd.

    add: a project that is not stored yet becomes one.
    """
    named, cwd = text_of(arguments, "project"), text_of(arguments, "cwd")
    if not named and not cwd:
        raise BadInput(
            "which project?", hint="give project (name, key or folder) or cwd (a folder in it)"
        )
    here = project.resolve(cwd) if cwd else None
    if add and here and not named:
        from backstory.storage import projects, sqlite  # noqa: PLC0415

        found = projects.find_or_add(db, here, sqlite.now_ms())
    else:
        found = scope.project_id(db, here, named)
    rest = {key: value for key, value in arguments.items() if key not in SCOPE_ARGUMENTS}
    return (found,), scope.roots(db, (found,)), rest


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object of a request's body. Raises BadInput."""
    data = await request.body()
    if len(data) > BODY_LIMIT:
        raise BadInput(f"the body has {len(data)} bytes; at most {BODY_LIMIT} are read")
    try:
        found = await request.json()
    except (ValueError, RecursionError):
        raise BadInput("the body is not JSON") from None
    if not isinstance(found, dict):
        raise BadInput("the body must be a JSON object")
    return found


def only(arguments: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    """Raises BadInput where an argument is none of these: nothing is ignored silently."""
    for name in arguments:
        if name not in allowed:
            known = ", ".join((*allowed, *SCOPE_ARGUMENTS))
            raise BadInput(f"unknown argument {name!r}", hint=f"known: {known}")


def id_list(arguments: Mapping[str, Any]) -> list[object]:
    """The ids of a batch. Raises BadInput."""
    ids = arguments.get("ids")
    if not isinstance(ids, list):
        raise BadInput("ids: expected a list of ids")
    return ids


def files_of(arguments: Mapping[str, Any]) -> list[str]:
    """The files of a memory. Raises BadInput."""
    files = arguments.get("files") or []
    if not isinstance(files, list) or not all(isinstance(path, str) for path in files):
        raise BadInput("files: expected a list of texts")
    return files


def shortest(path: str, roots: tuple[str, ...]) -> str:
    """A file's path as records hold it: relative to the project's folder where it is below it."""
    for root in roots:
        if not (short := project.relative(path, root)).startswith("/"):
            return short
    return path


def text_of(arguments: Mapping[str, Any], name: str) -> str:
    """A text argument; "" where it is missing. Raises BadInput for other types."""
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInput(f"{name}: expected text, got {type(value).__name__}")
    return value


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
    body = {
        "error": {"code": "error", "message": type(error).__name__, "hint": "see logs/worker.log"}
    }
    return JSONResponse(body, 500)
