"""Any endpoint that speaks /chat/completions: OpenRouter, Gemini, Ollama, LM Studio, vLLM, …"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import httpx

from backstory.capture.providers.base import Answer, Ask, Label, Trouble, Usage
from backstory.capture.providers.chat_answer import Said, object_in, read
from backstory.capture.providers.failures import Subject, parsed
from backstory.capture.providers.http_client import (
    CONNECT_S,
    Line,
    Watch,
    checked_key,
    read_bounded,
    sendable,
)
from backstory.estimate import estimate_tokens

if TYPE_CHECKING:
    from backstory.capture.providers import Settings

NEEDS_ADDRESS = (
    "the openai provider needs an address: backstory settings base_url ADDRESS, for example "
    "https://openrouter.ai/api/v1, https://generativelanguage.googleapis.com/v1beta/openai, "
    "http://127.0.0.1:11434/v1 (Ollama), http://127.0.0.1:1234/v1 (LM Studio) or "
    "http://127.0.0.1:8000/v1 (vLLM)"
)
# How the shape of the answer is asked for, the best first. What a service refuses is not asked
# of it again.
Shape = Literal["schema", "json", "text"]
_NEXT: dict[Shape, Shape] = {"schema": "json", "json": "text"}
_REFUSES_SHAPE = re.compile(
    r"response_format|json_schema|json_object|structured.?output|schema|grammar|strict"
    r"|json mode|response_mime_type|unsupported|not support",
    re.IGNORECASE,
)
_REFUSES_LIMIT = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)
JSON_ONLY = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"
# Said behind the batch, in a later call, to a model that answered such instructions in prose.
REMINDER = "Answer with the JSON object only: no word before it, none behind it."
# A server that reads less than half of a long batch has cut it without a word (Ollama does).
LONG = 3_000  # tokens of a batch from which that can be told
PROSE_LIMIT = 2  # so many answers in a row that are no JSON: the shape is ignored there


class OpenAI:
    """A model behind an OpenAI-compatible endpoint."""

    def __init__(self, settings: Settings) -> None:
        if not settings["base_url"]:
            raise Trouble("setup", NEEDS_ADDRESS)
        self._key = checked_key("auth_token", settings["auth_token"]) or checked_key(
            "api_key", settings["api_key"]
        )
        base = str(settings["base_url"]).rstrip("/").removesuffix("/chat/completions")
        self._line = Line(base, settings["ca_file"])
        self._model: str = settings["model"]
        self._shape: Shape = "schema"
        self._limit = "max_tokens"
        self._prose = 0
        self._is_reminded = False
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    @property
    def label(self) -> Label:
        """Which model, and where."""
        return Label("openai", self._model or "its only model", self._line.host)

    def ask(self, ask: Ask) -> Answer:
        """Makes one call and waits. Raises Trouble.

        A refusal that costs nothing may come before it; what is billed is never more than one: the
        caller has reserved so much. An answer in prose is returned as it is, and changes how the
        next question is put.
        """
        with self._line.watch(ask.timeout) as watch:
            if not self._model:
                self._model = self._only_model(ask, watch)
            said, shape = self._call(ask, watch)
        found = object_in(said.text)
        if said.text.strip():
            self._learn(found is not None or said.is_cut, shape)
        self._check_read(ask, said.usage)
        return Answer(found or said.text, said.model or self._model, said.usage, said.is_cut)

    def close(self) -> None:
        """Ends what is under way."""
        self._line.close()

    def _learn(self, is_json: bool, shape: Shape) -> None:
        """Remembers whether the shape is heeded: some servers take any field and heed none."""
        self._prose = 0 if is_json else self._prose + 1
        if shape == "text":
            self._is_reminded = self._is_reminded or not is_json
        elif self._prose >= PROSE_LIMIT:
            self._shape = "text"

    def _check_read(self, ask: Ask, usage: Usage) -> None:
        """Raises Trouble ("too_long") where the model was given a part of the batch only."""
        batch = estimate_tokens(ask.batch)
        if batch >= LONG and usage.tokens_in < batch / 2:
            raise Trouble(
                "too_long",
                f"{self._line.host} read {usage.tokens_in} of about {batch} tokens: give the model "
                "a longer context (Ollama: OLLAMA_CONTEXT_LENGTH=32768)",
                usage=usage,
            )

    def _call(self, ask: Ask, watch: Watch) -> tuple[Said, Shape]:
        """One answer, in the best shape that the service takes."""
        shape, limit = self._shape, self._limit
        subject = self._subject(ask)
        while True:
            request = self._request(ask, shape, limit)
            status, headers, body = self._send("POST", "/chat/completions", request, subject, watch)
            if status == 200:
                self._shape, self._limit = shape, limit
                return read(body, headers, subject, sent_text(request)), shape
            trouble = subject.of_status(status, headers, body)
            about = subject.about(headers, body)
            if status not in (400, 422, 500, 501) or trouble.kind not in (
                "refused",
                "setup",
                "busy",
            ):
                raise trouble
            if _REFUSES_LIMIT.search(about) and limit == "max_tokens":
                limit = "max_completion_tokens"
            elif shape in _NEXT and _REFUSES_SHAPE.search(about):
                shape = _NEXT[shape]
            else:
                raise trouble

    def _request(self, ask: Ask, shape: Shape, limit: str) -> dict[str, Any]:
        fixed, batch = sendable(ask.instructions), sendable(ask.batch)
        if shape != "schema":
            schema = json.dumps(ask.schema, ensure_ascii=False)
            fixed = f"{fixed}\n\n{JSON_ONLY}{schema}"
        if shape == "text" and self._is_reminded:
            batch = f"{batch}\n\n{REMINDER}"
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": fixed},
                {"role": "user", "content": batch},
            ],
            limit: ask.max_tokens,
        }
        if shape == "schema":
            wanted = {"name": "record", "strict": True, "schema": dict(ask.schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif shape == "json":
            request["response_format"] = {"type": "json_object"}
        return request

    def _only_model(self, ask: Ask, watch: Watch) -> str:
        """The model of an endpoint that has one. Raises Trouble ("setup") else."""
        subject = self._subject(ask)
        status, headers, body = self._send("GET", "/models", None, subject, watch)
        if status not in (200, 404, 405):
            raise subject.of_status(status, headers, body)
        found = parsed(body)
        rows = found.get("data") if status == 200 and isinstance(found, dict) else None
        rows = rows if isinstance(rows, list) else []
        names = [row.get("id") for row in rows if isinstance(row, dict)]
        if len(names) == 1 and isinstance(names[0], str):
            return names[0]
        few = ", ".join(str(name)[:60] for name in names[:5])
        raise Trouble(
            "setup",
            "the openai provider needs a model: backstory settings model NAME"
            + (f"; {self._line.host} has {few}" + (" …" if len(names) > 5 else "") if few else ""),
        )

    def _subject(self, ask: Ask) -> Subject:
        return Subject(self._line.host, self._model, ask.batch, (self._key,) if self._key else ())

    def _send(
        self,
        method: str,
        path: str,
        request: Mapping[str, Any] | None,
        subject: Subject,
        watch: Watch,
    ) -> tuple[int, httpx.Headers, bytes]:
        """One exchange, whatever its status. Raises Trouble where there was none."""
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    transport=httpx.HTTPTransport(
                        verify=self._line.trust,
                        trust_env=False,
                        proxy=self._line.proxy,
                        limits=httpx.Limits(max_keepalive_connections=0),  # calls are minutes apart
                    ),
                    trust_env=False,
                )
        headers = {"user-agent": "backstory", "accept": "application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        if request is not None:
            headers["content-type"] = "application/json"
        try:
            with self._client.stream(
                method,
                self._line.url + path,
                headers=headers,
                content=None if request is None else json.dumps(request).encode(),
                timeout=httpx.Timeout(watch.left, connect=min(CONNECT_S, watch.left)),
                extensions={"trace": watch.trace},
            ) as response:
                return response.status_code, response.headers, read_bounded(response.iter_bytes())
        except Exception as error:  # noqa: BLE001  whatever libraries raise is no answer
            raise subject.of_error(error, watch) from None


def sent_text(request: Mapping[str, Any]) -> str:
    """What a request gives a model to read, for estimates."""
    parts = [message["content"] for message in request["messages"]]
    if request.get("response_format", {}).get("type") == "json_schema":
        parts.append(json.dumps(request["response_format"]["json_schema"]["schema"]))
    return "\n".join(parts)
