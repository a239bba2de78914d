"""The SDK's low-level server around our tools. Import it late: see serve.py."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from backstory import __version__
from backstory.config import Config
from backstory.recall.search import Nearest
from backstory.storage.database import Database
from backstory.tools import caller, serve
from backstory.tools.catalogue import INSTRUCTIONS, SERVER, TOOLS

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

TOOL_USE_ID = "claudecode/toolUseId"  # the host's, in a call's _meta
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
# The worker checks Host, Origin and token on every route; this is the second lock.
SECURITY = TransportSecuritySettings(
    allowed_hosts=[*_HOSTS, *(f"{host}:*" for host in _HOSTS)],
    allowed_origins=[f"http://{host}:*" for host in _HOSTS],
)
_THREADS = 8  # calls that run at once; one that hangs must not hold up the others

Run = Callable[[str, dict[str, Any], str, Any], Awaitable[serve.Answer]]


def build(run: Run) -> Server[Any]:
    """A server that lists the catalogue and has `run` answer: (name, arguments, id, request)."""
    listed = types.ListToolsResult.model_validate({"tools": [tool.as_json() for tool in TOOLS]})

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context, params
        return listed

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        meta: dict[str, Any] = dict(params.meta or {})
        tool_use_id = str(meta.get(TOOL_USE_ID, ""))
        found = await run(params.name, params.arguments or {}, tool_use_id, context.request)
        content = types.TextContent(type="text", text=found.text)
        return types.CallToolResult(content=[content], is_error=found.is_error)

    return Server(
        SERVER,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


_limiter: anyio.CapacityLimiter | None = None


async def in_thread(function: Callable[[], serve.Answer], name: str) -> serve.Answer:
    """The function's answer, or that it took too long."""
    global _limiter  # noqa: PLW0603  it belongs to the event loop, so it is made in one
    _limiter = _limiter or anyio.CapacityLimiter(_THREADS)
    with anyio.move_on_after(serve.DEADLINE_S + 1):
        return await anyio.to_thread.run_sync(function, abandon_on_cancel=True, limiter=_limiter)
    return serve.too_late(name)


def manager(
    database: Database, settings: Config, nearest: Nearest | None = None
) -> StreamableHTTPSessionManager:
    """The server over HTTP, one fresh transport a request. Its `run` is its life."""

    async def run(
        name: str, arguments: dict[str, Any], tool_use_id: str, request: Any
    ) -> serve.Answer:
        deadline = time.monotonic() + serve.DEADLINE_S
        asking = caller.from_headers(
            database, settings, request.headers, tool_use_id, deadline, nearest
        )
        return await in_thread(lambda: serve.answer(name, arguments, asking), name)

    return StreamableHTTPSessionManager(
        build(run), json_response=True, stateless=True, security_settings=SECURITY
    )


async def serve_stdio(
    run: Callable[[str, dict[str, Any], str], Awaitable[serve.Answer]],
) -> None:
    """The server over this process's stdin and stdout, until the client leaves."""

    async def without_request(
        name: str, arguments: dict[str, Any], tool_use_id: str, request: Any
    ) -> serve.Answer:
        del request
        return await run(name, arguments, tool_use_id)

    server = build(without_request)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
