"""One request of the Anthropic SDK, over a connection that nothing but the settings decides.

The SDK takes addresses, headers and keys from `ANTHROPIC_*` and `AWS_*` variables, which a project
can set. So everything it could look up is given to it, and the transport below writes the headers
itself: what the SDK put there does not leave this machine. Importing this takes about a second.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import anthropic
import httpx2

from backstory.capture.providers.http_client import CONNECT_S, Headers, Line, Watch, read_bounded

# ANTHROPIC_LOG=debug would have it log requests, and with them what was captured
logging.getLogger("anthropic").setLevel(logging.WARNING)

KEPT = ("content-type", "retry-after", "retry-after-ms")
_WATCH: ContextVar[Watch] = ContextVar("watch")
_PLACEHOLDER = "set-by-the-transport"


@dataclass(frozen=True, slots=True)
class Response:
    """What came back, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(httpx2.HTTPTransport):
    """Sends with our own headers and reads a bounded answer. Raises TooLarge."""

    def __init__(self, line: Line, headers: Headers) -> None:
        super().__init__(
            verify=line.trust,
            trust_env=False,
            proxy=line.proxy,
            limits=httpx2.Limits(max_keepalive_connections=0),  # calls are minutes apart
        )
        self._headers = headers

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends one request and reads all of its answer."""
        body = request.read()
        url = request.url
        own = {
            "host": url.netloc.decode("ascii"),
            "content-type": "application/json",
            "content-length": str(len(body)),
            "accept": "application/json",
            "accept-encoding": "identity",
            "user-agent": "backstory",
        }
        own.update(self._headers(request.method, str(url), body))
        bare = httpx2.Request(
            request.method,
            url,
            headers=own,
            content=body,
            extensions={**request.extensions, "trace": _WATCH.get().trace},
        )
        response = super().handle_request(bare)
        response.request = bare
        try:
            answer = read_bounded(response.iter_bytes())
        finally:
            response.close()
        kept = {name: response.headers[name] for name in KEPT if name in response.headers}
        return httpx2.Response(response.status_code, headers=kept, content=answer)


class Client:
    """A client of the SDK whose every request goes by the line, with those headers."""

    def __init__(
        self, line: Line, headers: Headers, cloud: str = "", region: str = "", project: str = ""
    ) -> None:
        http = httpx2.Client(
            transport=Transport(line, headers), trust_env=False, follow_redirects=False
        )
        # whatever is left out here is looked up in variables and files
        common: dict[str, Any] = {
            "base_url": line.url,
            "max_retries": 0,
            "open_telemetry": False,
            "http_client": http,
        }
        self._sdk: anthropic.Anthropic | anthropic.AnthropicBedrock | anthropic.AnthropicVertex
        if cloud == "bedrock":
            self._sdk = anthropic.AnthropicBedrock(
                aws_region=region, api_key=_PLACEHOLDER, **common
            )
        elif cloud == "vertex":
            self._sdk = anthropic.AnthropicVertex(
                region=region, project_id=project, access_token=_PLACEHOLDER, **common
            )
        else:
            self._sdk = anthropic.Anthropic(api_key=_PLACEHOLDER, webhook_key="", **common)

    def create(self, watch: Watch, request: Mapping[str, Any]) -> Response:
        """Creates a message. Raises what httpx2 and the SDK raise where there was no answer."""
        token = _WATCH.set(watch)
        limits = httpx2.Timeout(watch.left, connect=min(CONNECT_S, watch.left))
        messages = self._sdk.messages.with_raw_response
        try:
            raw = messages.create(**request, timeout=limits).http_response
        except anthropic.APIStatusError as error:
            raw = error.response
        finally:
            _WATCH.reset(token)
        return Response(raw.status_code, raw.headers, raw.content)
