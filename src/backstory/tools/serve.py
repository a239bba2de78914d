"""Serving the tools: over HTTP inside the worker, or over stdio alone for other hosts.

This is the door where errors become text. The SDK is imported at the first call only: it costs
0.4 s and 40 MB.
"""

from __future__ import annotations

import asyncio
import difflib
import importlib
import json
import logging
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backstory import config, paths
from backstory.config import Config
from backstory.errors import BackstoryError, BadInput, Forbidden, NotFound, describe
from backstory.recall.meaning import Near
from backstory.recall.search import Nearest
from backstory.storage import sqlite
from backstory.storage.database import Database
from backstory.tools.arguments import check
from backstory.tools.caller import Caller
from backstory.tools.catalogue import BY_NAME

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send

DEADLINE_S = 30.0  # of one call; the host itself would wait a day
BY_MEANING = ("search", "timeline")  # tools that find by meaning, beside mem_search
CHARACTERS = 50_000  # more than this the host does not show
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call came to: text that is never empty."""

    text: str
    is_error: bool = False


def answer(name: str, arguments: Mapping[str, Any] | None, caller: Caller) -> Answer:
    """Runs one tool. Never raises: whatever goes wrong is an answer that says what to do."""
    tool = BY_NAME.get(name)
    if tool is None:
        near = difflib.get_close_matches(name, BY_NAME, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(BY_NAME)}"
        return failure(f"there is no tool {name[:60]!r}", hint)
    given = dict(arguments or {})
    try:
        try:
            text = tool.function(caller, check(name, tool.schema, given))
        except (BadInput, NotFound, Forbidden) as error:
            raise tool.mended(error, given) if tool.mended else error from None
    except Exception as error:  # noqa: BLE001  the door
        return _failed(name, error, caller)
    if len(text) > CHARACTERS:
        end = "\n… truncated: narrow the scope (fewer ids, a smaller limit, an offset)"
        text = text[: CHARACTERS - len(end)] + end
    return Answer(text)


def failure(message: str, hint: str = "") -> Answer:
    """An error that a model can act upon."""
    return Answer((f"Error: {message}\nHint: {hint}" if hint else f"Error: {message}"), True)


def too_late(name: str) -> Answer:
    """What a call that took too long answers."""
    return failure(
        f"{name} took longer than {DEADLINE_S:.0f} s and was stopped",
        "narrow the scope: rarer words, dates, a smaller limit",
    )


def _failed(name: str, error: Exception, caller: Caller) -> Answer:
    if time.monotonic() > caller.deadline:
        return too_late(name)
    if isinstance(error, BackstoryError):
        return failure(error.message, error.hint)
    if sqlite.tells_no_room(error):
        return failure(sqlite.NO_ROOM, sqlite.NO_ROOM_HINT)
    # its kind and place alone: a message may quote what is stored
    _LOG.error("the tool %s failed: %s", name, describe(error))
    return failure(f"{name} failed: {type(error).__name__}", "run: backstory doctor")


class App:
    """The ASGI application behind /mcp, at whatever path; stateless, and only POST is answered."""

    def __init__(self, database: Database, settings: Config, nearest: Nearest | None) -> None:
        self._database = database
        self._nearest = nearest
        self._settings = settings
        self._hosting: asyncio.Task[None] | None = None  # from the first call on
        self._ready = asyncio.Event()
        self._manager: StreamableHTTPSessionManager | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            # a GET would open a stream on which a stateless server never says anything
            await _refuse(send, 405, "only POST is answered here", "send a JSON-RPC message")
            return
        await self.warm_up()
        if self._manager is None:
            await _refuse(send, 503, "the tools cannot be served", "run: backstory doctor")
        else:
            await self._manager.handle_request(scope, receive, send)

    async def warm_up(self) -> None:
        """Loads the SDK, unless that has begun, and waits for it."""
        if self._hosting is None:
            self._hosting = asyncio.create_task(self._host())
        await self._ready.wait()

    async def close(self) -> None:
        """Ends what still runs."""
        if self._hosting is not None:
            self._hosting.cancel()
            await asyncio.gather(self._hosting, return_exceptions=True)

    async def _host(self) -> None:
        try:
            # in a thread, so that the worker goes on answering meanwhile
            sdk = await asyncio.to_thread(importlib.import_module, "backstory.tools.sdk")
            manager = sdk.manager(self._database, self._settings, self._nearest)
            # entered and left in this one task: that is what the manager's task group demands
            async with manager.run():
                self._manager = manager
                self._ready.set()
                await asyncio.Event().wait()
        except Exception:  # noqa: BLE001  the worker lives on, and says so
            _LOG.exception("the tools cannot be served")
        finally:
            self._manager = None
            self._ready.set()


def http_app(database: Database, nearest: Nearest | None = None) -> App:
    """The application that the worker mounts; nothing is loaded before its first call."""
    return App(database, config.load(database.path.parent), nearest)


def run_direct(home: Path) -> int:
    """Serves the tools over stdio until the client leaves; nothing else is printed on stdout.

    The database is opened read-only; what writes goes to the worker, which starts where it does
    not run. One that runs answers searches, too: it has the models that find by meaning, which
    each process would have to load for itself. Without one they are answered here, by words alone.
    """
    from backstory.tools import sdk  # noqa: PLC0415  see the module's docstring

    database, settings = Database(home / paths.DATABASE), config.load(home)
    folder, cwd = os.environ.get("CLAUDE_PROJECT_DIR", ""), str(Path.cwd())
    relay = f"direct-{secrets.token_hex(16)}"  # whose the continuations of this process are

    nearest = _no_worker if settings["embedder"] != "none" else None

    async def run(name: str, arguments: dict[str, Any], tool_use_id: str) -> Answer:
        tool = BY_NAME.get(name)
        if tool is not None and not tool.read_only:
            return await asyncio.to_thread(_ask_worker, name, arguments, folder, cwd, relay)
        is_kept = tool is not None and tool.keeps_state
        if is_kept or (name in BY_MEANING and database.path.exists()):
            asked = (name, arguments, folder, cwd, relay, is_kept)
            found = await asyncio.to_thread(_of_worker, *asked)
            if found is not None:
                return found
        deadline = time.monotonic() + DEADLINE_S
        caller = Caller(
            database,
            settings,
            folder,
            cwd,
            tool_use_id=tool_use_id,
            deadline=deadline,
            nearest=nearest,
        )
        return await sdk.in_thread(lambda: answer(name, arguments, caller), name)

    asyncio.run(sdk.serve_stdio(run))
    return 0


def _ask_worker(name: str, arguments: dict[str, Any], folder: str, cwd: str, relay: str) -> Answer:
    from backstory.hook import event, worker_call  # noqa: PLC0415  only this caller needs them

    event.enter_data_dir()
    headers = worker_call.headers(folder, cwd, "", relay)
    return _as_answer(worker_call.call({"name": name, "arguments": arguments}, headers, cwd))


def _of_worker(
    name: str, arguments: dict[str, Any], folder: str, cwd: str, relay: str, start: bool
) -> Answer | None:
    """A worker's answer to what only reads; None where none can give it.

    start: one is started where none runs.
    """
    from backstory.hook import event, wire, worker_call  # noqa: PLC0415  as above

    deadline = time.monotonic() + DEADLINE_S
    params = {"name": name, "arguments": arguments}
    body = worker_call.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = worker_call.headers(folder, cwd, "", relay)
    try:
        event.enter_data_dir()
        try:
            return _as_answer(worker_call.post(body, headers, deadline))
        except wire.Absent:
            if not start or worker_call.start(cwd, deadline):
                return None
            return _as_answer(worker_call.post(body, headers, deadline))
    except worker_call.Late:
        return too_late(name)
    except (wire.Absent, worker_call.Lost, OSError):
        return None


def _as_answer(response: Mapping[str, object]) -> Answer:
    result = response.get("result")
    if not isinstance(result, dict):
        return failure(f"the worker refused the call: {response.get('error')}")
    text = "\n".join(str(block.get("text", "")) for block in result.get("content", ()))
    return Answer(text, bool(result.get("isError")))


def _no_worker(*_: object) -> Near:
    return Near(missing="no worker runs")


async def _refuse(send: Send, status: int, message: str, hint: str) -> None:
    code = "bad_input" if status == 405 else "unavailable"
    body = json.dumps({"error": {"code": code, "message": message, "hint": hint}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 405:
        headers.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
