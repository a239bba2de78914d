"""Routes about distilling by a model: what it cost, what it would cost, what waits for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backstory import project
from backstory.capture import model_queue, spending, upgrade
from backstory.errors import BadInput, Busy, Unavailable
from backstory.recall import scope
from backstory.recall.query import parse_date, whole_number
from backstory.storage import gates, sqlite
from backstory.web.arguments import body_of, flag, only, text_of

if TYPE_CHECKING:
    from backstory.web.api import Backend

LOOKING_S = 20.0
HOLD_MOST_S = 60
NEEDED = ("daily_input_tokens", "daily_output_tokens", "excluded_projects")


def routes(backend: Backend) -> list[Route]:
    """The routes of this module."""
    api = Spending(backend)
    return [
        Route("/api/stats", api.stats),
        Route("/api/distill", api.distill, methods=["POST"]),
        Route("/api/hold", api.hold, methods=["POST"]),
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
        """What was spent in the last days, by day, project and model, and what Reads spared."""
        arguments = dict(request.query_params)
        only(arguments, ("days",), ())
        days = whole_number("days", arguments.get("days", spending.DAYS), 1, spending.MOST_DAYS)

        def run(db: sqlite3.Connection) -> dict[str, Any]:
            reads = gates.report(db, days, sqlite.now_ms())
            return {**spending.report(db, self.settings, days), "reads": reads}

        return JSONResponse(await self.read(run))

    async def distill(self, request: Request) -> Response:
        """Says who distils and what waits; with upgrade or retry opens jobs for a model."""
        given = await body_of(request)
        only(given, ("upgrade", "dry_run", "since", "retry", "project", "cwd"), ())
        wants_upgrade, is_dry = flag(given, "upgrade"), flag(given, "dry_run")
        wants_retry = flag(given, "retry")
        if wants_upgrade and wants_retry:
            raise BadInput("upgrade and retry are two things", hint="ask for one of them")
        if not wants_upgrade and (is_dry or "project" in given or "since" in given):
            raise BadInput("dry_run, project and since belong to an upgrade", hint="add upgrade")
        distiller = await self.distiller()
        if wants_retry:
            answer: dict[str, Any] = {"retried": await self.write(model_queue.try_again)}
        elif is_dry:
            answer = {"estimate": await self.read(partial(self.estimate, given, distiller))}
        elif wants_upgrade:
            if distiller["provider"] == "rules":
                raise Unavailable(
                    "no model distils, so nothing can be upgraded",
                    hint="`backstory settings provider` chooses one",
                )
            answer = {"opened": await self.write(partial(self.open, given))}
        else:
            answer = await self.read(self.standing)
        return JSONResponse({"distiller": distiller, **answer})

    async def hold(self, request: Request) -> Response:
        """Begins no call of a model for some seconds: the worker is about to be restarted."""
        arguments = dict(request.query_params)
        only(arguments, ("seconds",), ())
        seconds = whole_number("seconds", arguments.get("seconds", ""), 1, HOLD_MOST_S)
        self.backend.hold(seconds)
        return JSONResponse({"held": seconds})

    async def distiller(self) -> dict[str, Any]:
        """Who distils, once that is known: it may take a login's check. Raises Busy."""
        with anyio.move_on_after(LOOKING_S):
            while True:
                status = await anyio.to_thread.run_sync(self.backend.status)
                found: dict[str, Any] = status["distiller"]
                if found["state"] != "looking":
                    return found
                await anyio.sleep(0.1)
        raise Busy("it is not known yet who distils; try again in a moment")

    def standing(self, db: sqlite3.Connection) -> dict[str, Any]:
        """What was spent, what waits, what could be upgraded."""
        spend = spending.summary(db, self.settings)
        return {"spend": spend, "only_rules": spending.only_rules(db)}

    def estimate(
        self, given: Mapping[str, Any], distiller: Mapping[str, Any], db: sqlite3.Connection
    ) -> dict[str, Any]:
        """What an upgrade would cost."""
        found = upgrade.find(db, *self.which(db, given))
        return upgrade.estimate(
            db, self.settings, found, distiller["provider"], distiller["model"]
        ).as_json()

    def open(self, given: Mapping[str, Any], db: sqlite3.Connection) -> int:
        """Opens the jobs of an upgrade; how many."""
        return upgrade.open_upgrades(db, *self.which(db, given))

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

    async def read(self, function: Callable[[sqlite3.Connection], Any]) -> Any:
        """What a function reads."""
        return await anyio.to_thread.run_sync(self.backend.database.read, function)

    async def write(self, function: Callable[[sqlite3.Connection], int]) -> int:
        """How many jobs a function has opened; calls are looked for at once."""
        opened = await anyio.to_thread.run_sync(self.backend.database.write, function)
        self.backend.resume()
        return opened
