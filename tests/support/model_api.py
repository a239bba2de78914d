"""A model service on this machine: the Messages API, its clouds' paths, and /chat/completions.

    with ModelApi(observing()) as api:
        settings["base_url"] = api.url  # of the Messages API, Bedrock and Vertex AI
        settings["base_url"] = api.url + "/v1"  # of /chat/completions
        …
        assert len(api.requests) == 1 and api.billed[0].tokens_in < 1000

A script is a list of replies, the last of which is repeated, or a function of a request that
gives one. `says` answers in the words of whichever API was asked; `fails`, `hangs`, `closes` and
the like do not answer. Requests may come in parallel; a function is called by several threads.
"""

from __future__ import annotations

import json
import re
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

from backstory.estimate import estimate_tokens

Dialect = Literal["messages", "bedrock", "vertex", "chat", "models", "other"]
Stop = Literal["end", "cut", "refusal"]
MODEL = "stub-small-1"
_TURN = re.compile(r"^## (t\d+)\b")
_EVENT = re.compile(r"^(t\d+e\d+) ")
_DRAFT = re.compile(r"^r(\d+) [a-z_ ]+: (.*?)(?: \[.*)?$")


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object that was sent; {} where there was none."""
        return json.loads(self.raw) if self.raw else {}

    @property
    def dialect(self) -> Dialect:
        """Which API is spoken, by the path."""
        path = self.path.partition("?")[0]
        if path.startswith("/model/") and path.endswith("/invoke"):
            return "bedrock"
        if path.endswith(":rawPredict"):
            return "vertex"
        ends: dict[str, Dialect] = {
            "/v1/messages": "messages",
            "/chat/completions": "chat",
            "/models": "models",
        }
        return next((name for end, name in ends.items() if path.endswith(end)), "other")

    @property
    def instructions(self) -> str:
        """The fixed part."""
        system = self.body.get("system")
        if system is None:
            return text_of(self.body["messages"][0]["content"])
        return text_of(system)

    @property
    def batch(self) -> str:
        """The data: what the first message of a user says."""
        said = (m["content"] for m in self.body.get("messages", []) if m["role"] == "user")
        return text_of(next(said, ""))

    @property
    def shape(self) -> str:
        """How the shape is asked for: schema, tool, json or text."""
        body = self.body
        kind = body.get("response_format", {}).get("type", "text")
        if "output_config" in body or kind == "json_schema":
            return "schema"
        if "tools" in body:
            return "tool"
        return "json" if kind == "json_object" else "text"

    @property
    def tokens(self) -> int:
        """An estimate of all that a model would read."""
        parts = [text_of(self.body.get("system", ""))]
        parts += [text_of(message["content"]) for message in self.body.get("messages", [])]
        shaped = [self.body.get(name) for name in ("output_config", "tools", "response_format")]
        parts += [json.dumps(part) for part in shaped if part]
        return sum(map(estimate_tokens, parts))


@dataclass(frozen=True, slots=True)
class Scripted:
    """One reply. `says`, `fails` and the functions beside them make it."""

    status: int = 200
    text: str | None = None  # said in the words of the API that was asked
    body: bytes = b""  # sent as it is, where there is no text
    headers: Mapping[str, str] = field(default_factory=dict)
    stop: Stop = "end"
    usage: tuple[int, int, int] | None = None  # input, output, cached; None: estimated
    tells_usage: bool = True
    is_streamed: bool = False  # server-sent events, as some gateways always do
    delay_s: float = 0.0
    # what becomes of the reply: sent; never begun; cut off before or in its body; a byte a second
    manner: Literal["whole", "hang", "close", "cut_off", "drip"] = "whole"


@dataclass(frozen=True, slots=True)
class Billed:
    """What one call cost: the model ran, whether its answer arrived or not."""

    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0


Script = Callable[[Request], Scripted] | Sequence[Scripted]


def says(text: str, **fields: Any) -> Scripted:
    """An answer of the model; `fields` are those of Scripted."""
    return Scripted(text=text, **fields)


def fails(status: int, message: str = "it failed", kind: str = "", **headers: str) -> Scripted:
    """A failure in the shape that both APIs share; `retry_after="3"` becomes a header."""
    error = {"type": kind or "some_error", "message": message}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"type": "error", "error": error}).encode()
    return Scripted(status, body=body, headers={"content-type": "application/json", **named})


def sends(body: bytes | str, content_type: str = "application/json", status: int = 200) -> Scripted:
    """A reply that is sent as it is."""
    raw = body.encode() if isinstance(body, str) else body
    return Scripted(status, body=raw, headers={"content-type": content_type})


def hangs() -> Scripted:
    """Takes the request and never answers."""
    return Scripted(text="{}", manner="hang")


def closes() -> Scripted:
    """Takes the request and closes the connection."""
    return Scripted(text="{}", manner="close")


def cut_off(text: str = '{"observations": []}') -> Scripted:
    """Closes the connection in the middle of the answer's body."""
    return Scripted(text=text, manner="cut_off")


def drips(text: str = '{"observations": []}') -> Scripted:
    """Sends a byte a second, headers and all."""
    return Scripted(text=text, manner="drip")


def observing(
    delay_s: float = 0.0, *, merges: bool = False, **fields: Any
) -> Callable[[Request], Scripted]:
    """A model that does as it is told: an observation and a summary for each turn of a batch.

    Each cites the turn's events, and with `merges` replaces its drafts. `fields` override those of
    every observation. Usage is estimated from what was sent.
    """

    def answer(request: Request) -> Scripted:
        if request.dialect == "models":
            return sends(json.dumps({"data": [{"id": MODEL}]}))
        return says(observed(request.batch, merges=merges, **fields), delay_s=delay_s)

    return answer


def observed(batch: str, *, merges: bool = False, **fields: Any) -> str:
    """The answer that `observing` gives to a batch."""
    events: dict[str, list[str]] = {}
    drafts: dict[str, list[str]] = {}
    titles: dict[str, list[str]] = {}
    turn = "t1"
    for line in batch.splitlines():
        if found := _TURN.match(line):
            turn = found.group(1)
            events.setdefault(turn, [])
        elif found := _EVENT.match(line):
            events.setdefault(found.group(1).partition("e")[0], []).append(found.group(1))
        elif found := _DRAFT.match(line):
            drafts.setdefault(turn, []).append(f"r{found.group(1)}")
            titles.setdefault(turn, []).append(found.group(2))
    if not events:  # some other text that names events
        for ref in dict.fromkeys(re.findall(r"\bt\d+e\d+\b", batch)):
            events.setdefault(ref.partition("e")[0], []).append(ref)
    rows = [
        {
            "turn": turn,
            "type": "discovery",
            "title": "What the model made of a turn",
            "narrative": "It says what the turn came to.",
            "facts": titles.get(turn, []) if merges else [],  # what a row replaces, it tells
            "concepts": ["how-it-works"],
            "files": [],
            "symbols": [],
            "queries": [],
            "sources": refs,
            "replaces": drafts.get(turn, []) if merges else [],
            "supersedes": [],
            **fields,
        }
        for turn, refs in events.items()
    ]
    empty = dict.fromkeys(("request", "investigated", "completed", "next_steps"), "")
    summaries = [{"turn": turn, **empty, "learned": "What the turn came to."} for turn in events]
    return json.dumps({"observations": rows, "summaries": summaries})


class ModelApi:
    """The service, while its context lasts."""

    def __init__(self, script: Script, tls: ssl.SSLContext | None = None) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.billed: list[Billed] = []
        self.most_at_once = 0
        self.ended = threading.Event()
        self._at_once = 0
        self._lock = threading.Lock()
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle(self) -> None:
                with suppress(ConnectionError, ssl.SSLError):
                    super().handle()

            def do_GET(self) -> None:
                api.serve(self)

            def do_POST(self) -> None:
                api.serve(self)

            def log_message(self, *arguments: Any) -> None:
                """Says nothing."""

        class Server(ThreadingHTTPServer):
            request_queue_size = 64  # of those who come at the same time
            daemon_threads = True

            def handle_error(self, *arguments: Any) -> None:
                """A client that does not trust us, or that left, is a test's own business."""

        self._server = Server(("127.0.0.1", 0), Handler)
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = (
            f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_address[1]}"  # no path
        )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """One request and its reply."""
        length = int(handler.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        request = Request(handler.command, handler.path, headers, handler.rfile.read(length))
        with self._lock:
            place = len(self.requests)
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if callable(self.script):
                reply = self.script(request)
            else:
                reply = self.script[min(place, len(self.script) - 1)]
            self._give(handler, request, reply)
        finally:
            with self._lock:
                self._at_once -= 1

    def _give(self, handler: BaseHTTPRequestHandler, request: Request, reply: Scripted) -> None:
        if reply.delay_s:
            self.ended.wait(reply.delay_s)
        body, kind = reply.body, ""
        if reply.text is not None:
            usage = bill(request, reply)
            with self._lock:
                self.billed.append(usage)
            body, kind = rendered(request, reply, usage)
        handler.close_connection = reply.manner != "whole"
        if reply.manner == "hang":
            self.ended.wait()
        if reply.manner in ("hang", "close"):
            return
        headers = {**({"content-type": kind} if kind else {}), **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} Scripted", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        if reply.manner == "drip":
            for at in range(len(head + body)):
                handler.wfile.write((head + body)[at : at + 1])
                if self.ended.wait(1.0):
                    return
            return
        if reply.manner == "cut_off":
            body = body[: len(body) // 2]
        handler.wfile.write(head + body)


def bill(request: Request, reply: Scripted) -> Billed:
    """What a call costs: what the script says, else an estimate of what was sent and said."""
    if reply.usage:
        return Billed(*reply.usage)
    return Billed(request.tokens, estimate_tokens(reply.text or ""))


def rendered(request: Request, reply: Scripted, usage: Billed) -> tuple[bytes, str]:
    """An answer in the words of the API that was asked, and its content type."""
    if request.dialect == "chat":
        return _chat(request, reply, usage)
    text = reply.text or ""
    stops = {"end": "end_turn", "cut": "max_tokens", "refusal": "refusal"}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    if request.shape == "tool" and reply.stop == "end":
        with suppress(ValueError):
            name = request.body["tool_choice"]["name"]
            blocks = [
                {"type": "tool_use", "id": "toolu_1", "name": name, "input": json.loads(text)}
            ]
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", MODEL),
        "content": blocks,
        "stop_reason": stops[reply.stop],
        "stop_sequence": None,
    }
    if reply.tells_usage:
        message["usage"] = {
            "input_tokens": usage.tokens_in - usage.tokens_cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": usage.tokens_cached,
            "output_tokens": usage.tokens_out,
        }
    return json.dumps(message).encode(), "application/json"


def _chat(request: Request, reply: Scripted, usage: Billed) -> tuple[bytes, str]:
    stops = {"end": "stop", "cut": "length", "refusal": "content_filter"}
    head = {"id": "chatcmpl-1", "model": request.body.get("model", MODEL)}
    told: dict[str, Any] = {}
    if reply.tells_usage:
        told["usage"] = {
            "prompt_tokens": usage.tokens_in,
            "completion_tokens": usage.tokens_out,
            "prompt_tokens_details": {"cached_tokens": usage.tokens_cached},
        }
    text = reply.text or ""
    if not reply.is_streamed:
        said = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": said, "finish_reason": stops[reply.stop]}
        whole = {**head, "object": "chat.completion", "choices": [choice], **told}
        return json.dumps(whole).encode(), "application/json"
    parts = [text[at : at + 40] for at in range(0, len(text), 40)]
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": {"content": part}, "finish_reason": None}]}
        for part in parts
    ]
    end = {"index": 0, "delta": {}, "finish_reason": stops[reply.stop]}
    chunks += [{**head, "choices": [end]}, {**head, "choices": [], **told}]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return ("".join(lines) + "data: [DONE]\n\n").encode(), "text/event-stream"


def text_of(content: object) -> str:
    """The text of a message: a string, or the text of its blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(str(block.get("text", "")) for block in content)
