"""Any endpoint that speaks /embeddings: OpenAI, Gemini, Ollama, LM Studio, vLLM, LiteLLM, …"""

from __future__ import annotations

import json
import math
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from backstory.capture.providers.base import Trouble, TroubleKind
from backstory.capture.providers.failures import Subject, count, parsed
from backstory.capture.providers.http_client import (
    CONNECT_S,
    Line,
    TooLarge,
    checked_key,
    read_bounded,
    sendable,
)
from backstory.capture.trust import known_folders, unsafe_home
from backstory.config import Config
from backstory.estimate import estimate_tokens
from backstory.recall.embedders.base import Capped, Changed, NoVectors, Passage, Refused, Remote
from backstory.recall.embedders.purse import Purse
from backstory.storage.database import Database

if TYPE_CHECKING:
    from backstory.recall.embedders.base import Matrix

NEEDS = (
    "the openai embedder needs an address and a model: backstory settings embedding_url ADDRESS, "
    "for example https://api.openai.com/v1, "
    "https://generativelanguage.googleapis.com/v1beta/openai, http://127.0.0.1:11434/v1 (Ollama) "
    "or http://127.0.0.1:1234/v1 (LM Studio), and backstory settings embedding_model NAME"
)
PASSAGES_S = 20.0
QUERY_S = 3.0  # a question must not hang where nobody answers
MOST = 64  # texts in a batch
MOST_TOKENS = 8_000  # estimated, in a batch
MARGIN = 1.25  # what a batch may cost beyond the estimate
QUERY_CHARS = 500
LEAST_ROOM = 200  # tokens of a text that every model is tried with
LEAST_CHARS = 40  # what is cut to less means nothing
KEPT = 256  # the latest texts, whose vectors are not paid for again
ANSWER_BYTES = 32_000_000
LARGEST = 16_384  # dimensions
PROBE = "dimensions"
LATER = "; it is asked again later"
ADVICE: dict[TroubleKind, str] = {
    "unreachable": ": see that it runs, or name another: backstory settings embedding_url ADDRESS",
    "limit": LATER,
    "busy": LATER,
    "timeout": LATER,
    "refused": "; backstory settings embedding_model NAME names another model",
}


def name(settings: Config) -> str:
    """How the names of its vectors begin: their dimensions follow. Raises NoVectors."""
    address, model = settings["embedding_url"], settings["embedding_model"]
    if not address or not model:
        raise NoVectors(NEEDS)
    return f"openai/{host(settings)}/{model}/"


def host(settings: Config) -> str:
    """Where texts are sent."""
    return urlsplit(str(settings["embedding_url"])).netloc


class Endpoint(Remote):
    """A model behind an OpenAI-compatible endpoint. Is asked when it is made: for its dimensions.

    What is sent was sanitised before it was stored, and a question before it comes here. Raises
    NoVectors.
    """

    def __init__(self, settings: Config, database: Database) -> None:
        start = name(settings)
        if why := unsafe_home(settings, database.read(known_folders)):
            raise NoVectors(f"nothing is sent to an endpoint: {why}")
        self._model: str = settings["embedding_model"]
        address = str(settings["embedding_url"]).rstrip("/").removesuffix("/embeddings")
        try:
            self._key = checked_key("embedding_key", settings["embedding_key"])
            self._line = Line(address, settings["ca_file"], "embedding_url")
        except Trouble as trouble:
            raise NoVectors(trouble.message) from None
        import numpy as np  # noqa: PLC0415  0.1 s: only who uses vectors loads it

        self._np = np
        self._purse = Purse(database, settings, self._model)
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._room = MOST_TOKENS  # tokens of one text that the model takes, as far as is known
        self._is_closed = False
        self._client = httpx.Client(
            transport=httpx.HTTPTransport(
                verify=self._line.trust,
                trust_env=False,
                proxy=self._line.proxy,
                limits=httpx.Limits(max_keepalive_connections=0),  # calls are far apart
            ),
            trust_env=False,
        )
        self.most = MOST
        self.dimensions = 0
        self.dimensions = self.query(PROBE).shape[1]
        self.name = f"{start}{self.dimensions}"

    def passages(self, passages: Sequence[Passage]) -> Matrix:
        """One row a passage, of length 1. Raises NoVectors."""
        texts = [self._fitting(text_of(one)) for one in passages]
        fresh = [text for text in dict.fromkeys(texts) if text not in self._kept]
        made = {text: self._kept[text] for text in texts if text in self._kept}
        for batch in batches(fresh):
            made |= dict(zip(batch, self._rows(batch), strict=True))
        rows: Matrix = self._np.stack([made[text] for text in texts])
        return rows

    def query(self, text: str) -> Matrix:
        """One row, of length 1. Raises NoVectors."""
        ends = time.monotonic() + QUERY_S
        text = self._fitting(text[:QUERY_CHARS].strip() or PROBE)
        while True:
            try:
                return self._ask_one(text, ends - time.monotonic())
            except Trouble as trouble:
                if trouble.kind == "too_long" and len(text) > 2 * LEAST_CHARS:
                    text = text[: len(text) // 2]
                else:
                    raise no_vectors(trouble) from None

    def tidy(self) -> None:
        """Writes down what questions have cost, now and then."""
        self._purse.tidy()

    def close(self) -> None:
        """Ends what is under way, for good."""
        self._is_closed = True
        self._line.close()
        self._purse.tidy(at_once=True)

    def _ask_one(self, text: str, seconds: float) -> Matrix:
        """The vector of a question. Raises Trouble."""
        expected = estimate_tokens(text)
        self._purse.check(expected)
        try:
            found, tokens = self._exchange([text], seconds)
        except Trouble as trouble:
            self._purse.note(expected if trouble.may_be_billed else trouble.usage.tokens_in)
            raise
        self._purse.note(tokens)
        return found

    def _rows(self, texts: list[str]) -> list[Any]:
        """The vectors of a batch, in parts where it is too long. Raises NoVectors."""
        try:
            found = list(self._paid(texts))
        except Capped:
            if len(texts) == 1:
                raise
            return self._halves(texts)
        except Trouble as trouble:
            if trouble.kind == "too_long" and len(texts) > 1:
                return self._halves(texts)
            if trouble.kind == "too_long":
                found = [self._cut(texts[0])]
            else:
                raise self._judged(trouble) from None
        for text, row in zip(texts, found, strict=True):
            self._kept[text] = row
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    def _halves(self, texts: list[str]) -> list[Any]:
        middle = len(texts) // 2
        return self._rows(texts[:middle]) + self._rows(texts[middle:])

    def _cut(self, text: str) -> Any:
        """The vector of as much of a text as the model takes. Raises NoVectors."""
        while len(text) > 2 * LEAST_CHARS:
            # the next texts are cut before they are sent; one odd text says little about others
            self._room = max(LEAST_ROOM, min(self._room, estimate_tokens(text) * 3 // 4))
            text = text[: len(text) // 2]
            try:
                return self._paid([text])[0]
            except Trouble as trouble:
                if trouble.kind != "too_long":
                    raise self._judged(trouble) from None
        raise Refused(f"{self._line.host} takes no part of a text")

    def _judged(self, trouble: Trouble) -> NoVectors:
        """What a trouble with a batch means: texts are to blame only where others are taken."""
        if trouble.kind != "refused":
            return no_vectors(trouble)
        try:
            self.query(PROBE)
        except NoVectors as error:
            return NoVectors(str(error)) if isinstance(error, Refused) else error
        return Refused(trouble.message)

    def _paid(self, texts: list[str]) -> Matrix:
        """The vectors of a batch, paid for whatever comes of it. Raises Trouble, Capped."""
        expected = sum(map(estimate_tokens, texts))
        call = self._purse.reserve(math.ceil(expected * MARGIN))
        started = time.monotonic()
        try:
            found, tokens = self._exchange(texts, PASSAGES_S)
        except Trouble as trouble:
            if self._is_closed:  # the next worker finds what was reserved
                raise
            if trouble.may_be_billed:
                self._purse.lose(call)
            else:
                self._purse.settle(call, trouble.usage.tokens_in, outcome=trouble.kind)
            raise
        self._purse.settle(call, tokens, round((time.monotonic() - started) * 1000))
        return found

    def _exchange(self, texts: list[str], seconds: float) -> tuple[Matrix, int]:
        """(the vectors, tokens that they cost). Raises Trouble; Changed for other dimensions."""
        secrets = (self._key,) if self._key else ()
        subject = Subject(
            self._line.host,
            self._model,
            "\n".join(texts),
            secrets,
            "backstory settings embedding_key",
            ("embedding_model", "embedding_url"),
        )
        status, headers, body = self._send(texts, subject, seconds)
        if status != 200:
            raise subject.of_status(status, headers, body)
        found = parsed(body)
        if not isinstance(found, dict) or not isinstance(found.get("data"), list):
            raise subject.of_odd_answer(headers)
        usage = found.get("usage")
        told = usage if isinstance(usage, dict) else {}
        tokens = count(told.get("prompt_tokens")) or count(told.get("total_tokens"))
        vectors = self._vectors(found["data"], len(texts))
        if self.dimensions and vectors.shape[1] != self.dimensions:
            raise Changed(
                f"{self._line.host} answered {vectors.shape[1]} dimensions instead of "
                f"{self.dimensions}: the vectors are made anew"
            )
        return vectors, tokens or sum(map(estimate_tokens, texts))

    def _vectors(self, data: list[Any], wanted: int) -> Matrix:
        """The vectors of an answer in the order of its texts. Raises Trouble."""
        np = self._np
        if len(data) != wanted:
            raise self._odd(f"{len(data)} vectors for {wanted} texts")
        rows = [row if isinstance(row, dict) else {} for row in data]
        places = [row.get("index", place) for place, row in enumerate(rows)]  # some leave out 0
        if sorted(place for place in places if type(place) is int) != list(range(wanted)):
            raise self._odd("vectors of which nobody knows whose they are")
        in_order = sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])
        ordered = [row.get("embedding") for _, row in in_order]
        try:
            found = np.array(ordered)
        except ValueError:  # of different lengths
            raise self._odd("vectors of different dimensions") from None
        if found.ndim != 2 or found.dtype.kind not in "fiu" or not 0 < found.shape[1] <= LARGEST:
            raise self._odd("something that is no vectors")
        lengths = np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._odd("vectors with numbers that are none")
        unit: Matrix = (found / lengths).astype(np.float32)
        return unit

    def _odd(self, what: str) -> Trouble:
        """The trouble behind an answer that is billed and of no use."""
        words = f"{self._line.host} answered {what}: see that {self._model} is made for embeddings"
        return Trouble("busy", words, may_be_billed=True)

    def _send(
        self, texts: list[str], subject: Subject, seconds: float
    ) -> tuple[int, httpx.Headers, bytes]:
        """One exchange, whatever its status. Raises Trouble where there was none."""
        headers = {
            "user-agent": "backstory",
            "accept": "application/json",
            "content-type": "application/json",
        }
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        content = json.dumps({"model": self._model, "input": texts}).encode()
        with self._line.watch(max(seconds, 0.0)) as watch:
            try:
                with self._client.stream(
                    "POST",
                    f"{self._line.url}/embeddings",
                    headers=headers,
                    content=content,
                    timeout=httpx.Timeout(watch.left, connect=min(CONNECT_S, watch.left)),
                    extensions={"trace": watch.trace},
                ) as response:
                    body = read_bounded(response.iter_bytes(), ANSWER_BYTES)
                    return response.status_code, response.headers, body
            except TooLarge:
                raise self._odd(f"more than {ANSWER_BYTES:,} bytes") from None
            except Exception as error:  # noqa: BLE001  whatever libraries raise is no answer
                raise subject.of_error(error, watch) from None

    def _fitting(self, text: str) -> str:
        """As much of a text as the model is known to take."""
        text = sendable(text)
        while (tokens := estimate_tokens(text)) > self._room:
            text = text[: min(len(text) - 1, len(text) * self._room // tokens)]
        return text


def text_of(passage: Passage) -> str:
    """What is sent of a passage; an empty text would be refused."""
    return ". ".join(part for part in (passage.title, passage.body) if part.strip()) or PROBE


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts as they are sent together."""
    batch: list[str] = []
    size = 0
    for text in texts:
        tokens = estimate_tokens(text)
        if batch and (len(batch) == MOST or size + tokens > MOST_TOKENS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += tokens
    if batch:
        yield batch


def no_vectors(trouble: Trouble) -> NoVectors:
    """A trouble as it is told, with what to do."""
    kind = Refused if trouble.kind in ("refused", "too_long") else NoVectors
    error = kind(trouble.message + ADVICE.get(trouble.kind, ""))
    error.wait = trouble.retry_after or 0.0
    return error
