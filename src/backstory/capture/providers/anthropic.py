"""Claude by the Anthropic SDK: the API itself, a gateway that speaks it, Bedrock, Vertex AI."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from backstory.capture.providers.base import Answer, Ask, Label, Trouble, Usage
from backstory.capture.providers.cloud import Credentials, sign
from backstory.capture.providers.failures import STATUS_OF_TYPE, Subject, count, parsed
from backstory.capture.providers.http_client import Line, Watch, checked_key, sendable
from backstory.estimate import estimate_tokens

if TYPE_CHECKING:
    from backstory.capture.providers import Settings
    from backstory.capture.providers.anthropic_wire import Client, Response

API = "https://api.anthropic.com"
VERSION = "2023-06-01"
MODEL = "claude-haiku-5-5"
CLOUD_MODEL, MODEL_DATE = "claude-haiku-4-5", "20251001"  # the clouds name models by their date
TOOL = "record"

# How the shape of the answer is asked for, the best first. What a service refuses is not asked
# of it again.
Shape = Literal["schema", "tool", "text"]
_NEXT: dict[Shape, Shape] = {"schema": "tool", "tool": "text"}
_REFUSES: dict[Shape, re.Pattern[str]] = {
    "schema": re.compile(
        r"output_config|output_format|structured.?output|json_schema|schema|extra inputs"
        r"|(unknown|unexpected|unsupported|unrecognized|invalid).{0,20}(field|parameter|argument)",
        re.IGNORECASE,
    ),
    "tool": re.compile(r"tool|function", re.IGNORECASE),
}
JSON_ONLY = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"
_LOGIN = {
    "bedrock": "`aws sso login` or `aws configure`",
    "vertex": "`gcloud auth application-default login`",
}
_REGION = re.compile(r"[a-z0-9-]{2,40}")


class Anthropic:
    """Claude, with the user's key, token or cloud account."""

    def __init__(self, settings: Settings) -> None:
        self._cloud: str = settings["cloud"]
        self._region: str = settings["cloud_region"]
        self._project: str = settings["cloud_project"]
        self._key = checked_key("api_key", settings["api_key"])
        self._token = checked_key("auth_token", settings["auth_token"])
        self._check(settings["base_url"])
        self._model: str = settings["model"] or default_model(self._cloud, self._region)
        self._line = Line(settings["base_url"] or self._address(), settings["ca_file"])
        self._credentials: Credentials | None = None
        if self._cloud and not (self._key or self._token):
            kind: Literal["aws", "google"] = "aws" if self._cloud == "bedrock" else "google"
            profile = self._project if kind == "aws" else ""
            self._credentials = Credentials(kind, profile, settings["ca_file"])
        self._shape: Shape = "schema"
        self._lock = threading.Lock()
        self._client: Client | None = None
        note = {"bedrock": f"Bedrock, {self._region}", "vertex": f"Vertex AI, {self._region}"}
        self._note = note.get(self._cloud) or ("your API key" if self._is_direct else self._host)

    @property
    def label(self) -> Label:
        """Which model, and by whose account."""
        return Label("anthropic", self._model, self._note)

    @property
    def _host(self) -> str:
        return self._line.host

    @property
    def _is_direct(self) -> bool:
        return self._line.url == API

    def _check(self, base_url: str) -> None:
        """Completes the settings. Raises Trouble ("setup") where one is missing."""
        if self._cloud == "vertex":
            self._region = self._region or "global"
            if not self._project:
                raise Trouble("setup", "Vertex AI needs its project: setting cloud_project")
        elif self._cloud == "bedrock" and not self._region:
            raise Trouble("setup", "Bedrock needs its region, as us-east-1: setting cloud_region")
        elif not (self._cloud or self._key or self._token or base_url):
            raise Trouble("setup", "the anthropic provider needs a key: backstory settings api_key")
        if self._cloud and not _REGION.fullmatch(self._region):
            raise Trouble("setup", "setting cloud_region takes a region's name, as us-east-1")

    def _address(self) -> str:
        if self._cloud == "bedrock":
            china = ".cn" if self._region.startswith("cn-") else ""
            return f"https://bedrock-runtime.{self._region}.amazonaws.com{china}"
        if self._cloud == "vertex":
            if self._region in ("us", "eu"):
                return f"https://aiplatform.{self._region}.rep.googleapis.com/v1"
            place = "" if self._region == "global" else f"{self._region}-"
            return f"https://{place}aiplatform.googleapis.com/v1"
        return API

    def ask(self, ask: Ask) -> Answer:
        """Makes one call and waits. Raises Trouble."""
        client = self._connected()
        with self._line.watch(ask.timeout) as watch:
            if self._credentials:
                self._credentials.get(watch.left)
            shape = self._shape
            while True:
                response = self._send(client, ask, shape, watch)
                if response.status == 200:
                    answer = self._read(ask, response)
                    self._shape = shape
                    return answer
                subject = self._subject(ask)
                trouble = subject.of_status(response.status, response.headers, response.body)
                if trouble.kind == "login" and self._credentials:
                    self._credentials.forget()
                refused = _REFUSES.get(shape)
                about = subject.about(response.headers, response.body)
                if (
                    response.status not in (400, 422)
                    or trouble.kind not in ("refused", "setup")
                    or not (refused and refused.search(about))
                ):
                    raise trouble
                shape = _NEXT[shape]

    def close(self) -> None:
        """Ends what is under way."""
        self._line.close()
        if self._credentials:
            self._credentials.close()

    def _connected(self) -> Client:
        """The SDK's client. Loading it takes a second or more, before any deadline runs."""
        try:
            from backstory.capture.providers import anthropic_wire  # noqa: PLC0415
        except ImportError as error:
            raise Trouble("setup", f"a library is missing ({error.name})") from None
        with self._lock:
            if self._client is None:
                self._client = anthropic_wire.Client(
                    self._line, self._headers, self._cloud, self._region, self._project
                )
            return self._client

    def _send(self, client: Client, ask: Ask, shape: Shape, watch: Watch) -> Response:
        try:
            return client.create(watch, self._request(ask, shape))
        except Exception as error:  # noqa: BLE001  whatever libraries raise is no answer
            raise self._subject(ask).of_error(error, watch) from None

    def _subject(self, ask: Ask) -> Subject:
        secrets = tuple(secret for secret in (self._key, self._token) if secret)
        login = "backstory settings " + ("auth_token" if self._token else "api_key")
        if self._credentials:
            login = _LOGIN[self._cloud]
        return Subject(self._host, self._model, ask.batch, secrets, login)

    def _headers(self, method: str, url: str, body: bytes) -> dict[str, str]:
        """What proves who we are, to this address."""
        bearer = self._token or self._key
        if self._credentials:
            found = self._credentials.get()
            if self._cloud == "bedrock":
                return sign(found, self._region, method, url, body)
            bearer = found["token"]
        headers = {} if self._cloud else {"anthropic-version": VERSION}
        if bearer:
            headers["authorization"] = f"Bearer {bearer}"
        return headers

    def _request(self, ask: Ask, shape: Shape) -> dict[str, Any]:
        fixed = sendable(ask.instructions)
        if shape == "text":
            fixed += f"\n\n{JSON_ONLY}{json.dumps(ask.schema, ensure_ascii=False)}"
        request: dict[str, Any] = {
            "model": self._model,
            "max_tokens": ask.max_tokens,
            "system": [{"type": "text", "text": fixed, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": sendable(ask.batch)}],
        }
        if shape == "schema":
            request["output_config"] = {
                "format": {"type": "json_schema", "schema": dict(ask.schema)}
            }
        elif shape == "tool":
            request["tools"] = [
                {"name": TOOL, "description": "The answer.", "input_schema": dict(ask.schema)}
            ]
            request["tool_choice"] = {"type": "tool", "name": TOOL}
        return request

    def _read(self, ask: Ask, response: Response) -> Answer:
        """The answer in a 200. Raises Trouble where it is none, or a refusal."""
        found = parsed(response.body)
        subject = self._subject(ask)
        if isinstance(found, dict) and "content" not in found and "error" in found:
            error = found["error"]  # a gateway that fails with 200
            kind = error.get("type") if isinstance(error, dict) else ""
            raise subject.of_status(STATUS_OF_TYPE.get(str(kind), 500), {}, response.body)
        if not isinstance(found, dict) or not isinstance(found.get("content"), list):
            raise subject.of_odd_answer(response.headers)
        text = text_of(found["content"])
        usage = usage_of(found.get("usage"), ask, text)
        stop = found.get("stop_reason")
        if stop == "refusal":
            raise Trouble("refused", f"{self._model} declined to answer", usage=usage)
        model = found.get("model")
        return Answer(
            text,
            model if isinstance(model, str) and model else self._model,
            usage,
            is_cut=stop in ("max_tokens", "model_context_window_exceeded"),
        )


def default_model(cloud: str, region: str) -> str:
    """The small model's name, as that cloud has it."""
    if cloud == "bedrock":
        # profiles that keep the data in the user's part of the world, where there is one
        part = region[:3] if region.startswith(("us-", "eu-")) else "global-"
        return f"{part[:-1]}.anthropic.{CLOUD_MODEL}-{MODEL_DATE}-v1:0"
    return f"{CLOUD_MODEL}@{MODEL_DATE}" if cloud == "vertex" else MODEL


def text_of(blocks: list[Any]) -> str:
    """What the blocks of an answer say: the forced tool's input, else the text."""
    texts: list[str] = []
    for block in blocks:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_use":
            return json.dumps(block.get("input"), ensure_ascii=False)
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
    return "".join(texts)


def usage_of(found: object, ask: Ask, text: str) -> Usage:
    """What was billed; an estimate where a gateway does not tell."""
    if not isinstance(found, Mapping) or not count(found.get("input_tokens")):
        schema = json.dumps(ask.schema)
        sent = sum(map(estimate_tokens, (ask.instructions, ask.batch, schema)))
        return Usage(sent, estimate_tokens(text))
    cached = count(found.get("cache_read_input_tokens"))
    written = count(found.get("cache_creation_input_tokens"))
    return Usage(
        count(found["input_tokens"]) + cached + written, count(found.get("output_tokens")), cached
    )
