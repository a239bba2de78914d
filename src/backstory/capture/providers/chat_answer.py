"""An answer of /chat/completions, sent whole or as a stream of events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backstory.capture.providers.base import Trouble, Usage
from backstory.capture.providers.failures import Subject, count, parsed, price
from backstory.estimate import estimate_tokens

_THINKING = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
_FENCE = re.compile(r"\s*```[a-zA-Z]*\n(.*?)\n?```\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """One answer."""

    text: str
    model: str  # "" where it is not told
    usage: Usage
    is_cut: bool


def object_in(text: str) -> str | None:
    """The JSON object that an answer is, out of its fence and behind its thinking; else None."""
    if thinking := _THINKING.match(text):
        text = text[thinking.end() :]
    if fence := _FENCE.fullmatch(text):
        text = fence.group(1)
    try:
        return text if isinstance(json.loads(text), dict) else None
    except (ValueError, RecursionError):
        return None


def read(body: bytes, headers: Mapping[str, str], subject: Subject, sent: str) -> Said:
    """The answer in a 200. Raises Trouble where it is none, or a refusal."""
    is_stream = "event-stream" in headers.get("content-type", "") or body.startswith(b"data:")
    found = joined(body, subject) if is_stream else parsed(body)
    if not isinstance(found, dict):
        raise subject.of_odd_answer(headers)
    choice = first_choice(found)
    error = found.get("error") or choice.get("error")
    if error:  # a gateway that fails with 200
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        usage = usage_of(found.get("usage"), "", "") if found.get("usage") else None
        raise subject.of_status(status, {}, json.dumps({"error": error}).encode(), usage)
    if not isinstance(choice.get("message"), dict):
        raise subject.of_odd_answer(headers)
    message = choice["message"]
    text = text_of(message.get("content"))
    usage = usage_of(found.get("usage"), sent, text)
    if choice.get("finish_reason") == "content_filter" or (message.get("refusal") and not text):
        raise Trouble("refused", f"{subject.model} declined to answer", usage=usage)
    model = found.get("model")
    return Said(
        text,
        model if isinstance(model, str) else "",
        usage,
        is_cut=choice.get("finish_reason") in ("length", "max_tokens"),
    )


def joined(body: bytes, subject: Subject) -> dict[str, Any]:
    """A stream's events as the one answer that they make. Raises Trouble where it has no end."""
    answer: dict[str, Any] = {}
    texts: list[str] = []
    finish: object = None
    is_ended = False
    for data in events(body):
        if data == "[DONE]":
            is_ended = True
            break
        event = parsed(data.encode())
        if not isinstance(event, dict):
            continue
        if event.get("error"):
            return event
        answer.update({name: event[name] for name in ("model", "usage") if event.get(name)})
        choice = first_choice(event)
        part = choice.get("delta") or choice.get("message")
        if isinstance(part, dict):
            texts.append(text_of(part.get("content")))
        finish = choice.get("finish_reason") or finish
    if not is_ended and finish is None:
        raise subject.of_broken_answer()
    message = {"content": "".join(texts)}
    return {**answer, "choices": [{"message": message, "finish_reason": finish}]}


def first_choice(found: Mapping[str, Any]) -> dict[str, Any]:
    """The first choice of an answer or an event; {} where there is none."""
    choices = found.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def events(body: bytes) -> Iterator[str]:
    """The data of each event of a stream."""
    for block in re.split(r"\r?\n\r?\n", body.decode("utf-8", "replace")):
        lines = [line[5:].strip() for line in block.splitlines() if line.startswith("data:")]
        if lines:
            yield "\n".join(lines)


def text_of(content: object) -> str:
    """The text of a message: a string, or parts of it."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def usage_of(found: object, sent: str, text: str) -> Usage:
    """What was billed; an estimate where the endpoint does not tell."""
    if not isinstance(found, dict) or not count(found.get("prompt_tokens")):
        return Usage(estimate_tokens(sent), estimate_tokens(text))
    details = found.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    return Usage(
        count(found["prompt_tokens"]),
        count(found.get("completion_tokens")),
        cached,
        price(found.get("cost")),  # OpenRouter tells it
    )
