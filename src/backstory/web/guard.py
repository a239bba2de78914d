"""Who may call over TCP: a page or host of this machine that knows the token.

The Unix socket lies in a folder that only the user can enter; there the file system is the guard.
"""

from __future__ import annotations

import hmac
import json

from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Guard:
    """Refuses foreign hosts, foreign origins and calls without the token, before any route."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http" and not over_unix_socket(scope):
            refusal = self.refusal(scope)
            if refusal:
                await refuse(send, *refusal)
                return
        await self.app(scope, receive, send)

    def refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        """(status, code, message), or None where the call may pass."""
        headers: dict[str, str] = {}
        for raw_name, raw_value in scope["headers"]:
            name = raw_name.decode("latin-1").lower()
            if name in headers and name in ("host", "origin", "authorization"):
                return 400, "bad_input", f"two {name} headers"
            headers[name] = raw_value.decode("latin-1")
        port = (scope.get("server") or ("", 0))[1]
        hosts = {f"{name}:{port}" for name in LOOPBACK}
        if headers.get("host", "") not in hosts:
            return 403, "forbidden", "this host name is not ours"
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in hosts:
            return 403, "forbidden", "this origin may not call"
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if scope["path"] != "/api/health" and not hmac.compare_digest(
            given.encode(), self.token.encode()
        ):
            return 401, "unauthorized", "the token of worker.json is needed"
        return None


def over_unix_socket(scope: Scope) -> bool:
    """Whether the connection came over the Unix socket: it has no port."""
    server = scope.get("server")
    return server is not None and server[1] is None


async def refuse(send: Send, status: int, code: str, message: str) -> None:
    """Sends the one error shape."""
    hint = "see docs/architecture.md, HTTP" if status == 401 else ""
    body = json.dumps({"error": {"code": code, "message": message, "hint": hint}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
