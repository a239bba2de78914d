"""What went wrong with a call, as Trouble: its kind, and words that hold nothing they must not.

A service's own message is worth showing, and may quote the request or a key. So at most 200
characters of it are kept, without keys and without anything that stands in the batch.
"""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from backstory.capture.providers.base import ANSWER_LIMIT, Trouble, TroubleKind, Usage
from backstory.capture.providers.http_client import TooLarge, Watch
from backstory.sanitize import door

MESSAGE_CHARS = 200
READ_CHARS = 2_000  # of a message that are looked at
ECHO_CHARS = 12  # so many in a row that stand in the batch, too, are an echo of it
RETRY_AFTER_MAX = 7 * 86_400.0
_NO_BILL = 10**9  # tokens or USD: so much is a mistake, and more would not fit the ledger
_GAP = "[…]"
# what looks like a key: long, of letters and digits, or after a word that announces one
_KEY = re.compile(
    r"(?i:\b(?:bearer|key|token|secret)\b[\"']?\s*[:=]?\s*[\"']?)(?=[\w./+*-]*[\d*])[\w./+*-]{6,}"
    r"|\b(?:sk|pk|rk|gsk|xai|AIza|AKIA|ASIA|ya29)[-_.]?[\w./+*-]{6,}"
)
_LONG = re.compile(r"[\w/+*-]{24,}={0,2}")
_TOO_LONG = re.compile(
    r"prompt is too long|input is too long|context.{0,8}(length|window|size)|maximum context"
    r"|too many (input |total )?tokens|reduce the (length|size)|request (is )?too large"
    r"|exceeds? the (maximum|available|model'?s?) .{0,40}(tokens|context|length)"
    r"|token (count|limit).{0,40}exceed|string too long",
    re.IGNORECASE,
)
_BILLING = re.compile(
    r"credit balance|billing|insufficient.{0,9}(quota|funds|credit|balance)|out of credits"
    r"|payment|purchase|spend(ing)?.limit|usage limit",
    re.IGNORECASE,
)
_KEY_REFUSED = re.compile(
    r"api.?key.{0,20}(not valid|invalid|expired|not found)|(invalid|incorrect).{0,12}api.?key"
    r"|authentication|unauthori[sz]ed|(security|auth) token.{0,30}(invalid|expired)",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model.{0,120}(not found|not exist|not loaded|unknown|invalid|not supported|no longer"
    r"|isn.t (supported|available)|not (a valid|available|enabled))"
    r"|(no such|unknown|invalid|unsupported|not a valid|failed to load|no endpoints found for)"
    r".{0,9}model|model identifier",
    re.IGNORECASE | re.DOTALL,
)
_RETRY_DELAY = re.compile(rb'"retryDelay"\s*:\s*"([\d.]+)s"')
# classes of httpx: what was wrong before there was a network, and what kept us from one
_OURS = {"LocalProtocolError", "UnsupportedProtocol"}
_UNCONNECTED = {"ConnectError", "ConnectTimeout", "ProxyError"}
# the Messages API's names of failures, where a gateway gives them with another status
STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a call was about, so that its failure is named and nothing of it is quoted."""

    host: str
    model: str
    sent: str  # the batch
    secrets: tuple[str, ...] = ()
    login: str = "backstory settings api_key"  # what to do where the key is refused
    settings: tuple[str, str] = ("model", "base_url")  # that name the model and the address

    def quote(self, message: str) -> str:
        """At most 200 characters of a service's message, one line, without keys or echoes."""
        return short(self.bare(message))

    def bare(self, message: str) -> str:
        """A message without keys or echoes."""
        text = " ".join(door.plain(message[:READ_CHARS]).split())
        for secret in self.secrets:
            text = text.replace(secret, _GAP)
        text = without_echo(text, " ".join(self.sent.split()))
        text = _KEY.sub(_GAP, door.clean_text(text, READ_CHARS))
        return _LONG.sub(self._unless_ours, text)

    def _unless_ours(self, found: re.Match[str]) -> str:
        """A long word, unless it is a part of the model's name or a plain one."""
        word = found.group()
        is_plain = not re.search(r"\d", word) or word in self.model
        return word if is_plain else _GAP

    def about(self, headers: Mapping[str, str], body: bytes) -> str:
        """What the body of a failure says, without keys or echoes."""
        return self.bare(message_of(body, headers.get("content-type", "")))

    def of_status(
        self, status: int, headers: Mapping[str, str], body: bytes, usage: Usage | None = None
    ) -> Trouble:
        """The trouble behind an HTTP status and its body."""
        about = self.about(headers, body)
        kind, words = self._kind(status, about)
        if 300 <= status < 400:
            address = self.settings[1]
            words = f"{self.host} redirects (HTTP {status}): set {address} to the final address"
        else:
            words = f"{words} (HTTP {status})" + (f": {short(about)}" if about else "")
        wait = retry_after(headers, body) if kind in ("limit", "busy", "timeout") else None
        return Trouble(kind, words, wait, usage or Usage())

    def _kind(self, status: int, about: str) -> tuple[TroubleKind, str]:
        """The kind of a status, and how its message begins."""
        host = self.host
        if status == 402 or (status in (400, 403, 429) and _BILLING.search(about)):
            return "limit", f"{host}: the account's credit or limit is used up"
        if status == 413 or (status in (400, 422, 429, 500) and _TOO_LONG.search(about)):
            return "too_long", f"the batch is too long for {self.model or 'the model'}"
        if status == 401 or (status == 400 and _KEY_REFUSED.search(about)):
            return "login", f"{host} refuses the key: {self.login}"
        if status == 403:
            return "login", f"{host} forbids the use of {self.model or 'the model'}"
        if status in (404, 405, 410) or (status in (400, 422) and _MODEL.search(about)):
            return "setup", (
                f"{host} does not know model {self.model!r} or this address: "
                f"backstory settings {self.settings[0]} NAME, or {self.settings[1]} ADDRESS"
            )
        if status == 429:
            return "limit", f"{host}: too many requests or tokens"
        if status in (408, 504, 524):
            return "timeout", f"{host} gave up waiting for the model"
        if status >= 500 or status in (409, 424, 425):
            return "busy", f"{host} has a fault of its own"
        if 300 <= status < 400:
            return "setup", ""
        return "refused", f"{host} refused the request"

    def of_error(self, error: BaseException, watch: Watch) -> Trouble:
        """The trouble behind an exception of httpx or httpx2, whose classes are named alike."""
        chain = causes(error)
        if ours := next((one for one in chain if isinstance(one, Trouble)), None):
            return ours
        names = {base.__name__ for one in chain for base in type(one).__mro__}
        if any(isinstance(one, TooLarge) for one in chain):
            words = f"the answer is larger than {ANSWER_LIMIT:,} bytes"
            return Trouble("refused", words, may_be_billed=True)
        if any(isinstance(one, ssl.SSLCertVerificationError) for one in chain):
            return Trouble(
                "unreachable",
                f"the certificate of {self.host} is not trusted: where a proxy or gateway has its "
                "own, backstory settings ca_file FILE",
            )
        is_network = "TransportError" in names and not names & _OURS
        if names & _UNCONNECTED or (is_network and not watch.was_sent):
            return Trouble("unreachable", f"no connection to {self.host}")
        if not is_network and not watch.was_sent:
            return Trouble("setup", f"no request can be made to {self.host} with these settings")
        if watch.is_over or "TimeoutException" in names:
            return self._silence(watch)
        return self.of_broken_answer() if is_network else self.of_odd_answer({})

    def _silence(self, watch: Watch) -> Trouble:
        words = f"{self.host} gave no answer in {watch.seconds:g} s"
        return Trouble("timeout", words, may_be_billed=True)

    def of_broken_answer(self) -> Trouble:
        """The trouble behind an answer that has no end."""
        words = f"{self.host} closed the connection before its answer ended"
        return Trouble("unreachable", words, may_be_billed=True)

    def of_odd_answer(self, headers: Mapping[str, str]) -> Trouble:
        """The trouble behind a 200 that is not the API's."""
        if "html" in headers.get("content-type", ""):
            todo = f"backstory settings {self.settings[1]} ADDRESS"
            return Trouble("setup", f"{self.host} answers with a web page: {todo}")
        words = f"{self.host} answered with something that is no answer of its API"
        return Trouble("busy", words, may_be_billed=True)


def causes(error: BaseException) -> list[BaseException]:
    """An exception and what it came from, at most ten."""
    chain: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and len(chain) < 10:
        chain.append(at)
        at = at.__cause__ or at.__context__
    return chain


def short(text: str) -> str:
    """At most 200 characters."""
    return text if len(text) <= MESSAGE_CHARS else text[: MESSAGE_CHARS - 1] + "…"


def without_echo(text: str, sent: str) -> str:
    """A text without the runs that stand in what was sent, plain or as JSON."""
    if not sent:
        return text
    sent += "\n" + json.dumps(sent, ensure_ascii=False)
    kept: list[str] = []
    at = 0
    while at < len(text):
        end = at + ECHO_CHARS
        if end > len(text) or text[at:end] not in sent:
            kept.append(text[at])
            at += 1
            continue
        while end < len(text) and text[at : end + 1] in sent:
            end += 1
        kept.append(_GAP)
        at = end
    return "".join(kept)


def parsed(body: bytes) -> Any:
    """The JSON of a body; None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def message_of(body: bytes, content_type: str) -> str:
    """What the body of a failure says: its code, its message, and an upstream's own words."""
    found = parsed(body)
    if isinstance(found, list) and found:
        found = found[0]  # Gemini's
    if not isinstance(found, dict):
        text = body[:READ_CHARS].decode("utf-8", "replace")
        return "" if "html" in content_type or text.lstrip().startswith("<") else text
    error = found.get("error", found)
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return ""
    words = [error.get(name) for name in ("message", "Message", "detail", "code", "type", "status")]
    metadata = error.get("metadata")
    if isinstance(metadata, dict):
        words.append(metadata.get("raw"))  # OpenRouter's: what the upstream said
    said = [word for word in words if isinstance(word, str) and word and word != "error"]
    return "; ".join(said)


def retry_after(headers: Mapping[str, str], body: bytes = b"") -> float | None:
    """Seconds to wait, where the service told them: in milliseconds, seconds, or as a date."""
    waits: list[float] = []
    with suppress(KeyError, ValueError):
        waits.append(float(headers["retry-after-ms"]) / 1000)
    with suppress(KeyError, ValueError):
        waits.append(float(headers["retry-after"]))
    if not waits:
        with suppress(KeyError, ValueError, TypeError, OverflowError):
            waits.append(parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    if not waits and (delay := _RETRY_DELAY.search(body)):
        with suppress(ValueError):
            waits.append(float(delay.group(1)))
    if not waits or waits[0] != waits[0]:
        return None
    return min(max(0.0, waits[0]), RETRY_AFTER_MAX)


def count(value: object) -> int:
    """A number of tokens that a service told; 0 where it is none."""
    return value if type(value) is int and 0 < value < _NO_BILL else 0


def price(value: object) -> float | None:
    """A price in USD that a service told; None where it is none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < _NO_BILL:
        return float(value)
    return None
