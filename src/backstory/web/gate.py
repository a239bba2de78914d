"""The route of the gate on Reads: the hook asks, and waits 300 ms."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backstory.errors import BadInput
from backstory.tools.read_gate import ReadGate, asked
from backstory.web.arguments import body_of

if TYPE_CHECKING:
    from backstory.web.api import Backend

WAIT_S = 0.24  # the hook waits 0.3 s, and then asks nothing for 30 s
AT_ONCE = 2  # looks: of more, all would come too late, and hold up what else is asked


def routes(backend: Backend) -> list[Route]:
    """The routes of this module."""

    reads = ReadGate(backend.database, backend.settings)
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def gate(request: Request) -> Response:
        """What to say of a Read: `refuse`, `context`, or nothing."""
        question = asked(await body_of(request))
        if question is None:
            raise BadInput("the body holds no event of a tool", hint="send a PreToolUse event")
        answer: dict[str, Any] = {}
        # a look that takes longer goes on, and its outline is there the next time
        with anyio.move_on_after(WAIT_S):
            answer = await anyio.to_thread.run_sync(
                partial(reads.answer, question, time.monotonic() + WAIT_S),
                abandon_on_cancel=True,
                limiter=limiter,
            )
        return JSONResponse(answer)

    return [Route("/api/gate", gate, methods=["POST"])]
