"""A scripted Messages API on the loopback: what the model would do, given as Python data.

A turn is a list of content blocks, or a function that makes them from the request. The main
conversation and each subagent have turns of their own; a request without tools (a title, a probe)
gets a short text and uses up no turn. Every request is kept as it came. Backstory may run the
same client as its model: those requests are known by their instructions and answered apart.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from backstory.capture import prompts

Block = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """One request of the client to the Messages API, as parsed JSON."""

    path: str
    body: Mapping[str, Any]

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model may call, deferred ones too."""
        return [tool["name"] for tool in self.body.get("tools") or [] if "name" in tool]

    @property
    def loaded_tools(self) -> list[str]:
        """The names of the tools whose schemas the model sees."""
        tools = self.body.get("tools") or []
        return [tool["name"] for tool in tools if "name" in tool and not tool.get("defer_loading")]

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """The conversation so far."""
        return list(self.body.get("messages") or [])

    @property
    def is_distilling(self) -> bool:
        """Whether Backstory asks, with its own instructions, through the client."""
        return prompts.load().instructions[:60] in "\n".join(_texts(self.body.get("system")))

    def text(self) -> str:
        """All text that the model sees: system, messages, results of tools."""
        return "\n".join([*_texts(self.body.get("system")), self.conversation()])

    def conversation(self) -> str:
        """The text of the messages alone, results of tools included."""
        return "\n".join(t for message in self.messages for t in _texts(message.get("content")))

    def first_prompt(self) -> str:
        """The text of the first user message: what tells a subagent from the main conversation."""
        for message in self.messages:
            if message.get("role") == "user":
                return "\n".join(_texts(message.get("content")))
        return ""

    def tool_result(self, tool_use_id: str) -> str:
        """What the model was told a call returned.

        Raises:
            KeyError: this request holds no result for that call.
        """
        return "\n".join(_texts(self._result(tool_use_id).get("content")))

    def tool_failed(self, tool_use_id: str) -> bool:
        """Whether the call came back as an error (a refusal is one)."""
        return bool(self._result(tool_use_id).get("is_error"))

    def _result(self, tool_use_id: str) -> Mapping[str, Any]:
        for message in self.messages:
            content = message.get("content")
            for block in content if isinstance(content, list) else ():
                if block.get("type") == "tool_result" and block.get("tool_use_id") == tool_use_id:
                    return dict(block)
        raise KeyError(tool_use_id)


Turn = Sequence[Block] | Callable[[Request], Sequence[Block]]


def text(words: str) -> Block:
    """A block of prose."""
    return {"type": "text", "text": words}


def call(name: str, /, **arguments: Any) -> Block:
    """A call of a tool; its id is `toolu_<number of the main turn>_<position>`."""
    return {"type": "tool_use", "name": name, "input": arguments}


@dataclass
class Script:
    """What the model does: turns of the main conversation, and of each subagent.

    A subagent is known by a phrase of its prompt. Beyond the last turn the model says "Done.".
    `distiller` answers the batches that Backstory sends through the client.
    """

    main: Sequence[Turn]
    subagents: Mapping[str, Sequence[Turn]] = field(default_factory=dict)
    distiller: Callable[[Request], Sequence[Block]] | None = None
    _used: dict[str, int] = field(default_factory=dict)

    def who(self, request: Request) -> str:
        """The phrase of the subagent that asks, or "" for the main conversation."""
        prompt = request.first_prompt()
        return next((phrase for phrase in self.subagents if phrase in prompt), "")

    def answer(self, request: Request) -> list[Block]:
        """The blocks to answer with; a request without tools uses up no turn."""
        if self.distiller is not None and request.is_distilling:
            blocks = self.distiller(request)
            return [{**block, "id": "toolu_distilled"} for block in blocks]
        if not request.tools:
            return [text("ok")]
        who = self.who(request)
        number = self._used.get(who, 0)
        self._used[who] = number + 1
        turns = self.subagents[who] if who else self.main
        turn = turns[number] if number < len(turns) else [text("Done.")]
        blocks = turn(request) if callable(turn) else turn
        prefix = f"toolu_{list(self.subagents).index(who)}s" if who else "toolu"
        return [
            {**block, "id": f"{prefix}_{number}_{place}"} if block["type"] == "tool_use" else block
            for place, block in enumerate(blocks)
        ]


class Api:
    """The server; a context manager. `requests` holds all that have come, in order."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []
        self._changed = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def turns(self) -> list[Request]:
        """The requests of the main conversation, those that used up a turn."""
        with self._changed:
            main = [r for r in self.requests if r.tools and not self.script.who(r)]
            return [r for r in main if not r.is_distilling]

    @property
    def batches(self) -> list[Request]:
        """What Backstory asked through the client."""
        with self._changed:
            return [r for r in self.requests if r.is_distilling]

    @property
    def subagent_turns(self) -> list[Request]:
        """The requests of subagents."""
        with self._changed:
            return [r for r in self.requests if r.tools and self.script.who(r)]

    def wait_for_turns(self, count: int, timeout: float = 30.0) -> list[Request]:
        """Wait until the main conversation has made `count` requests.

        Raises:
            TimeoutError: they did not come within `timeout` seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.turns) >= count, timeout):
                raise TimeoutError(f"{len(self.turns)} of {count} requests in {timeout} s")
        return self.turns

    def wait_for_batches(self, count: int, timeout: float = 30.0) -> None:
        """Wait until Backstory has asked `count` times.

        Raises:
            TimeoutError: it did not within `timeout` seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.batches) >= count, timeout):
                raise TimeoutError(f"{len(self.batches)} of {count} batches in {timeout} s")

    def receive(self, request: Request) -> list[Block]:
        """Keep the request and say what to answer."""
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            if not request.is_distilling:
                return self.script.answer(request)
        return self.script.answer(request)  # it may take its time: a session goes on meanwhile


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], api: Api) -> None:
        super().__init__(address, _Handler)
        self.api = api

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is no failure of the test."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class names it)
        """Keep the test's output clean."""

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        self._send(b"{}", "application/json")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        request = Request(self.path, json.loads(raw or b"{}"))
        if "count_tokens" in self.path:
            count = len(json.dumps(request.body.get("messages", []))) // 4
            self._send_json({"input_tokens": count})
        elif self.path.partition("?")[0] != "/v1/messages":
            self._send_json({})
        else:
            self._answer(request, self.server.api.receive(request))

    def _answer(self, request: Request, blocks: list[Block]) -> None:
        called = any(block["type"] == "tool_use" for block in blocks)
        message = {
            "id": f"msg_{id(request):x}",
            "type": "message",
            "role": "assistant",
            "model": request.body.get("model"),
            "content": blocks,
            "stop_reason": "tool_use" if called else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 20},
        }
        if not request.body.get("stream"):
            self._send_json(message)
            return
        self._send(b"".join(_events(message)), "text/event-stream")

    def _send_json(self, value: object) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _events(message: Mapping[str, Any]) -> Iterator[bytes]:
    """The same message as the stream of server-sent events that the client reads."""
    blocks: list[Block] = message["content"]
    start = {**message, "content": [], "stop_reason": None}
    yield _event("message_start", message=start)
    for index, block in enumerate(blocks):
        empty: Block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block.get("text", "")}
        if block["type"] == "tool_use":
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=stop, usage={"output_tokens": 20})
    yield _event("message_stop")


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _texts(content: object) -> Iterator[str]:
    """Every text in a content value: a string, a block, or a list of blocks."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from _texts(block)
    elif isinstance(content, dict):
        if isinstance(content.get("text"), str):
            yield content["text"]
        yield from _texts(content.get("content"))
