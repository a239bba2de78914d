"""What `claude -p --output-format json --verbose` printed, as an Answer or as Trouble."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from datetime import tzinfo as Zone  # noqa: N812  it is a class
from typing import Any
from zoneinfo import ZoneInfo

from backstory.capture.providers.base import Answer, Trouble, TroubleKind, Usage
from backstory.capture.providers.failures import RETRY_AFTER_MAX, Subject, count, price

KNOWN_VERSION = "2.1.197"  # the oldest that was tried with these flags
# input, output, read from the cache, written to it: as the client names them, and as the API does
_OF_A_MODEL = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
_OF_ALL = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
SYNTHETIC = "<synthetic>"  # the client's own words, in a message of the model's shape

_LIMIT = re.compile(
    r"(hit|reached|exceed\w*) your\b.{0,40}\blimit|usage limit|limit reached|rate.?limit"
    r"|out of (usage|credits)|credit balance|billing|spend(ing)? limit",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"/login|not logged in|api key|log ?in again|authenticat|oauth|session expired"
    r"|does not have access to claude|organization has been disabled",
    re.IGNORECASE,
)
_LONG = re.compile(r"(prompt|request|input) (is )?too (long|large)", re.IGNORECASE)
_MODEL = re.compile(
    r"selected model|model .{0,80}(not exist|not found|not available)", re.IGNORECASE
)
_LATE = re.compile(r"timed? ?out|timeout", re.IGNORECASE)
_AWAY = re.compile(
    r"unable to connect|connection|econn|enotfound|eai_again|network|fetch failed|stream ended"
    r"|socket|certificate|proxy",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"unknown (option|command|argument)|unrecognized (option|argument)", re.IGNORECASE
)
_EPOCH = re.compile(r"\|(\d{10})\b")
_RESETS = re.compile(
    r"resets?(?: at| on)?\s+(?:(?P<month>[A-Z][a-z]{2})[a-z]* (?P<day>\d{1,2})(?:,| at)*\s+)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap]m)(?:\s*\((?P<zone>[\w/+-]+)\))?",
    re.IGNORECASE,
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


@dataclass(frozen=True, slots=True)
class Told:
    """The parts of the output that matter."""

    result: Mapping[str, Any]  # the last message, of type "result"
    messages: tuple[Mapping[str, Any], ...]  # of the assistant
    resets_at: float = 0.0  # Unix seconds: when a limit ends, as the service told it

    @property
    def usage(self) -> Usage:
        """What was billed, all requests of the run together."""
        cost = price(self.result.get("total_cost_usd")) or None
        models = self.result.get("modelUsage")
        used = list(models.values()) if isinstance(models, dict) else []
        sums = [sum(count(u.get(n)) for u in used if isinstance(u, dict)) for n in _OF_A_MODEL]
        if not any(sums):
            said = self.result.get("usage")
            sums = [count(said.get(n)) if isinstance(said, dict) else 0 for n in _OF_ALL]
        fresh, out, cached, written = sums
        return Usage(fresh + cached + written, out, cached, cost)

    def model(self, asked: str) -> str:
        """The model that answered."""
        for message in reversed(self.messages):
            name = message.get("message", {}).get("model")
            if isinstance(name, str) and name and name != SYNTHETIC:
                return name
        return asked

    @property
    def is_unauthorized(self) -> bool:
        """Whether the service did not take the login."""
        return count(self.result.get("api_error_status")) == 401

    @property
    def error(self) -> str:
        """The client's own word for what went wrong; "" where it has none."""
        return next((str(m["error"]) for m in reversed(self.messages) if m.get("error")), "")

    @property
    def said(self) -> str:
        """What the model answered, outside of the client's structured output."""
        given, prose = "", []
        for message in self.messages:
            found = message.get("message", {})
            blocks = found.get("content") if found.get("model") != SYNTHETIC else None
            for block in filter(_is_map, blocks) if isinstance(blocks, list) else ():
                if block.get("type") == "text":
                    prose.append(str(block.get("text", "")))
                elif block.get("name") == "StructuredOutput":
                    given = _arguments(block.get("input"))
        return given or "".join(prose)


def read(output: bytes) -> Told | None:
    """The output, parsed; None where it is not the client's.

    With `--verbose`, which a user's settings may set as well, it is a list of messages.
    """
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        return None
    messages = [m for m in (found if isinstance(found, list) else [found]) if isinstance(m, dict)]
    results = [m for m in messages if m.get("type") == "result"]
    if not results:
        return None
    resets = [_reset_of(m.get("rate_limit_info")) for m in messages]
    assistant = [m for m in messages if m.get("type") == "assistant" and _is_map(m.get("message"))]
    return Told(results[-1], tuple(assistant), max(resets))


def answer(told: Told, subject: Subject) -> Answer:
    """The model's answer. Raises Trouble where there is none."""
    result, usage, model = told.result, told.usage, told.model(subject.model)
    is_cut = result.get("stop_reason") == "max_tokens" or told.error == "max_output_tokens"
    given = result.get("structured_output")
    if given is not None:
        return Answer(json.dumps(given, ensure_ascii=False), model, usage, is_cut)
    words = result.get("result")
    if not result.get("is_error") and isinstance(words, str):
        return Answer(words, model, usage, is_cut)
    # what the model wrote instead of the structured answer is paid for, and may still be of use
    if (result.get("subtype") == "error_max_turns" or is_cut) and told.said:
        return Answer(told.said, model, usage, is_cut)
    raise trouble(told, subject)


def trouble(told: Told, subject: Subject) -> Trouble:
    """The trouble behind a result that says it is an error."""
    result = told.result
    errors = result.get("errors")
    words = str(result.get("result") or "")
    if not words and isinstance(errors, list):
        words = " ".join(map(str, errors))
    status = count(result.get("api_error_status"))
    if result.get("stop_reason") == "refusal":
        return Trouble("refused", "the model refuses to answer this batch", usage=told.usage)
    kind, sentence = _kind(words, status, f"{told.error} {result.get('terminal_reason')}")
    wait = None
    if kind == "limit":
        wait = seconds_until(told.resets_at) if told.resets_at else reset_in(words)
    about = subject.quote(words)
    return Trouble(kind, f"{sentence}: {about}" if about else sentence, wait, told.usage)


def ended(code: int, stderr: str, subject: Subject) -> Trouble:
    """The trouble behind a program that ended without the client's output."""
    if _OLD.search(stderr):
        return Trouble(
            "setup",
            f"your claude does not know an option that is needed: update it to {KNOWN_VERSION} or "
            "later (`claude update`)",
        )
    kind, sentence = _kind(stderr, 0, "")
    if kind == "refused":
        kind, sentence = "busy", f"claude ended with code {code} and no answer"
    if code in (126, 127):
        kind, sentence = "setup", "claude cannot be run: backstory settings claude_path FILE"
    about = subject.quote(stderr)
    return Trouble(kind, f"{sentence}: {about}" if about else sentence)


def _kind(words: str, status: int, tags: str) -> tuple[TroubleKind, str]:
    """The kind of an error, and how its message begins."""
    if "prompt_too_long" in tags or status == 413 or _LONG.search(words):
        return "too_long", "the batch is too long for the model"
    if status in (402, 429) or _has(tags, "rate_limit", "billing_error") or _LIMIT.search(words):
        return "limit", "your Claude account has reached a limit"
    if status in (401, 403) or "authentication_failed" in tags or _LOGIN.search(words):
        return "login", "claude cannot log in: run `claude` and /login"
    if status == 404 or _MODEL.search(words):
        return "setup", "claude cannot use this model: backstory settings model NAME"
    if status in (408, 504) or (not status and _LATE.search(words)):
        return "timeout", "Claude gave no answer in time"
    if status >= 500 or _has(tags, "overloaded"):
        return "busy", f"Claude has a fault of its own (HTTP {status})"
    if not status and _AWAY.search(words):
        return "unreachable", "claude cannot reach its service, or lost the connection"
    return "refused", f"Claude refused the request (HTTP {status})" if status else "no answer"


def seconds_until(moment: float) -> float:
    """From now until a Unix time; never negative, at most a week."""
    return min(max(0.0, moment - time.time()), RETRY_AFTER_MAX)


def reset_in(words: str, now: datetime | None = None) -> float | None:
    """Seconds until a limit ends, where a notice tells it: "resets Dec 4, 3:05pm (UTC)"."""
    now = now or datetime.now(UTC)
    if epoch := _EPOCH.search(words):
        return min(max(0.0, int(epoch[1]) - now.timestamp()), RETRY_AFTER_MAX)
    found = _RESETS.search(words)
    if not found:
        return None
    here = now.astimezone(_zone(found["zone"]))
    try:
        at = here.replace(
            hour=int(found["hour"]) % 12 + (12 if found["half"].lower() == "pm" else 0),
            minute=int(found["minute"] or 0),
            second=0,
            microsecond=0,
        )
        if found["month"]:
            month = _MONTHS.index(found["month"].lower()) + 1
            at = at.replace(month=month, day=int(found["day"]))
            if at < here - timedelta(days=180):
                at = at.replace(year=at.year + 1)
        elif at < here:
            at += timedelta(days=1)
    except ValueError:  # no such month, day or hour
        return None
    return min(max(0.0, (at - here).total_seconds()), RETRY_AFTER_MAX)


def _zone(name: str | None) -> Zone | None:
    """A time zone by its name; None, the machine's own, where it is not known."""
    if name in ("UTC", "GMT", "Z"):
        return UTC
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None


def _reset_of(info: object) -> float:
    """When a limit that refuses requests ends; 0 where none does."""
    if not isinstance(info, dict) or info.get("status") != "rejected":
        return 0.0
    moment = info.get("resetsAt")
    return float(moment) if isinstance(moment, int | float) else 0.0


def _arguments(given: object) -> str:
    """What the structured answer holds; one that was cut is the text that there is of it."""
    raw = given.get("__unparsedToolInput") if isinstance(given, dict) else None
    if isinstance(raw, dict):
        return str(raw.get("raw", ""))
    return json.dumps(given, ensure_ascii=False)


def _has(tags: str, *words: str) -> bool:
    return any(word in tags for word in words)


def _is_map(value: object) -> bool:
    return isinstance(value, dict)
