"""Routes about distilling by a model: what it cost, what it would cost, what waits for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backstory import project
from backstory.capture import spending
from backstory.errors import BadInput, Unavailable
from backstory.recall import scope
from backstory.recall.query import parse_date, whole_number
from backstory.web.arguments import body_of, flag, only, text_of

if TYPE_CHECKING:
    from backstory.web.api import Backend

NEEDED = ("daily_input_tokens", "daily_output_tokens", "excluded_projects")


def routes(backend: Backend) -> list[Route]:
    """The routes of this module."""
    api = Spending(backend)
    return [
        Route("/api/stats", api.stats),
        Route("/api/distill", api.distill, methods=["POST"]),
    ]


class Spending:
    """The endpoints."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that reports need."""
        return {name: self.backend.settings(name) for name in NEEDED}

    async def stats(self, request: Request) -> Response:
        """What was spent in the last days, by day, project and model."""
        arguments = dict(request.query_params)
        only(arguments, ("days",), ())
        days = whole_number("days", arguments.get("days", spending.DAYS), 1, spending.MOST_DAYS)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            return spending.report(db, self.settings, days)

        return JSONResponse(await anyio.to_thread.run_sync(self.backend.database.read, run))

    async def distill(self, request: Request) -> Response:
        """Says who distils and what waits; with upgrade or retry opens jobs for a model."""
        given = await body_of(request)
        only(given, ("upgrade", "dry_run", "since", "retry", "project", "cwd"), ())
        wants_upgrade, wants_retry = flag(given, "upgrade"), flag(given, "retry")
        if wants_upgrade and wants_retry:
            raise BadInput("upgrade and retry are two things", hint="ask for one of them")
        is_dry = flag(given, "dry_run")
        if not wants_upgrade and (is_dry or "project" in given or "since" in given):
            raise BadInput("dry_run, project and since belong to an upgrade", hint="add upgrade")
        status = await anyio.to_thread.run_sync(self.backend.status)
        distiller = status.get("distiller") or {}
        if wants_retry:
            opened = await self.write(spending.retry)
            return JSONResponse({"distiller": distiller, "retried": opened})
        if not wants_upgrade:
            return JSONResponse({"distiller": distiller, "spend": status.get("spend")})
        from backstory.capture import upgrade  # noqa: PLC0415

        if is_dry:
            return JSONResponse(await self.estimate(given, distiller))
        if distiller.get("provider", "rules") == "rules":
            raise Unavailable(
                "no model distils, so nothing can be upgraded",
                hint="`backstory settings provider` chooses one; --dry-run tells what it would do",
            )

        def run(db: sqlite3.Connection) -> int:
            return upgrade.open_upgrades(db, *self.which(db, given))

        return JSONResponse({"distiller": distiller, "opened": await self.write(run)})

    async def estimate(
        self, given: Mapping[str, Any], distiller: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What an upgrade would cost."""
        from backstory.capture import upgrade  # noqa: PLC0415

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            found = upgrade.find(db, *self.which(db, given))
            who = (str(distiller.get("provider") or ""), str(distiller.get("model") or ""))
            return upgrade.estimate(db, self.settings, found, *who).as_json()

        found = await anyio.to_thread.run_sync(self.backend.database.read, run)
        return {"distiller": dict(distiller), "estimate": found}

    def which(
        self, db: sqlite3.Connection, given: Mapping[str, Any]
    ) -> tuple[int | None, int, list[str]]:
        """The project (None: all), the time and the exclusions of an upgrade. Raises BadInput."""
        named, cwd = text_of(given, "project"), text_of(given, "cwd")
        owner = None
        if named:
            owner = scope.project_id(db, project.resolve(cwd) if cwd else None, named)
        since = text_of(given, "since")
        return owner, parse_date(since, "since") if since else 0, self.settings["excluded_projects"]

    async def write(self, function: Any) -> int:
        """How many rows a function has changed."""
        return int(await anyio.to_thread.run_sync(self.backend.database.write, function))
