"""What the client prints, as it was recorded from both pinned versions and shortened."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from backstory.capture.providers import claude_said
from backstory.capture.providers.base import Answer, Trouble, Usage
from backstory.capture.providers.failures import Subject
from tests.support.fake_claude import message, result

BATCH = "<turn>The customer Ottokar Zwiebel has card number twelve.</turn>"
SUBJECT = Subject("Claude", "haiku", BATCH, ("sk-ant-a-secret-key",))
INIT = {"type": "system", "subtype": "init"}
TEXT = {"type": "text", "text": '{"observations": []}'}
REJECTED = {"status": "rejected", "resetsAt": time.time() + 3000, "rateLimitType": "five_hour"}


def read(*messages: Any) -> Answer:
    """The answer in these messages."""
    told = claude_said.read(json.dumps([INIT, *messages]).encode())
    assert told is not None
    return claude_said.answer(told, SUBJECT)


def failure(*messages: Any) -> Trouble:
    """The trouble in these messages."""
    with pytest.raises(Trouble) as caught:
        read(*messages)
    return caught.value


def error(words: str, status: int | None = None, **fields: object) -> dict[str, object]:
    """The client's result for an error."""
    return result(is_error=True, result=words, api_error_status=status, modelUsage={}, **fields)


def test_the_structured_answer_is_the_answer() -> None:
    """The object that the client has checked against the schema, as JSON text."""
    found = read(message(TEXT), result(result="{}", structured_output={"title": "Überblick"}))
    assert json.loads(found.text) == {"title": "Überblick"}
    assert found.model == "claude-haiku-4-5"
    assert not found.is_cut


def test_cached_input_counts_as_input() -> None:
    """What was read from the cache and what was written to it were both sent."""
    found = read(result(structured_output={}))
    assert found.usage == Usage(4310, 25, 4000, 0.00042)


def test_usage_is_read_from_the_result_where_no_model_is_named() -> None:
    """An older form."""
    assert read(result(structured_output={}, modelUsage={})).usage == Usage(4310, 25, 4000, 0.00042)


def test_a_result_alone_is_understood_as_well() -> None:
    """Without --verbose the client prints an object, not a list."""
    told = claude_said.read(json.dumps(result(structured_output={"a": 1})).encode())
    assert told is not None
    assert claude_said.answer(told, SUBJECT).text == '{"a": 1}'


def test_an_answer_in_prose_is_handed_on() -> None:
    """C5: it is paid for; its reader decides what it is worth."""
    ends = result(is_error=True, subtype="error_max_turns", result=None, errors=["Reached maximum"])
    assert read(message(TEXT), ends).text == '{"observations": []}'


def test_an_answer_of_another_shape_is_handed_on() -> None:
    """The client did not take it, and so printed no structured output."""
    given = {"type": "tool_use", "name": "StructuredOutput", "input": {"titel": "x"}}
    ends = result(is_error=True, subtype="error_max_turns", result=None)
    assert read(message(TEXT, given), ends).text == '{"titel": "x"}'


def test_a_cut_answer_says_so() -> None:
    """Its JSON is not whole, and its text is what there is of it."""
    raw = {"__unparsedToolInput": {"raw": '{"title": "Hal', "len": 14}}
    given = {"type": "tool_use", "name": "StructuredOutput", "input": raw}
    ends = result(is_error=True, subtype="error_max_turns", stop_reason="max_tokens", result=None)
    found = read(message(given), ends)
    assert (found.text, found.is_cut) == ('{"title": "Hal', True)


def test_prose_that_was_cut_again_and_again_is_an_answer() -> None:
    """The client goes on three times and then calls it an error."""
    words = "API Error: Claude's response exceeded the 6000 output token maximum."
    notice = message({"type": "text", "text": words}, error="max_output_tokens")
    found = read(message(TEXT), message(TEXT), notice, result(is_error=True, result=words))
    assert (found.text, found.is_cut) == ('{"observations": []}' * 2, True)


def test_a_call_of_another_tool_is_no_answer() -> None:
    """There is no such tool; nothing was run."""
    given = {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}
    ends = result(is_error=True, subtype="error_max_turns", result=None, errors=["Reached maximum"])
    found = failure(message(given), ends)
    assert (found.kind, found.usage.tokens_in) == ("refused", 4310)


FAILURES = [
    ("Not logged in · Please run /login", None, "authentication_failed", "login"),
    ("Invalid API key · Fix external API key", 401, "authentication_failed", "login"),
    ("API Error: 401 Invalid API key · Please run /login", None, "", "login"),
    ("Your account does not have access to Claude. Please login again", 403, "", "login"),
    ("Failed to authenticate: OAuth token revoked. Please log in again", 403, "", "login"),
    ("You've hit your limit · resets 2:13pm (UTC)", 429, "rate_limit", "limit"),
    ("You've hit your weekly limit · resets Dec 4, 12am (UTC)", None, "", "limit"),
    ("You've reached your Fable limit", None, "", "limit"),
    ("Claude AI usage limit reached|1735689600", None, "", "limit"),
    ("API Error: Request rejected (429) · This request would exceed it", 429, "", "limit"),
    ("Credit balance is too low", 400, "billing_error", "limit"),
    ("API Error: 529 Overloaded. This is a server-side issue", 529, "overloaded", "busy"),
    ("API Error: 500 Internal server error. Usually temporary — try again", 500, "", "busy"),
    ("Prompt is too long · the request is ~300000 tokens", 400, "invalid_request", "too_long"),
    ("Request too large (max 32MB). Try with a smaller file.", 413, "", "too_long"),
    ("There's an issue with the selected model (x). It may not exist", 404, "", "setup"),
    ("API Error: Unable to connect to API (ConnectionRefused)", None, "unknown", "unreachable"),
    ("API Error: Connection to the API was lost (StreamTruncated).", None, "", "unreachable"),
    ("API Error: Stream ended without receiving any events", None, "", "unreachable"),
    ("API Error: Request timed out.", None, "", "timeout"),
    ("API Error: 400 messages.0: odd", 400, "invalid_request", "refused"),
]


@pytest.mark.parametrize(("words", "status", "tag", "kind"), FAILURES)
def test_each_failure_of_the_client_has_its_kind(
    words: str, status: int | None, tag: str, kind: str
) -> None:
    """C5, C12: an error is trouble, never an answer."""
    found = failure(message({"type": "text", "text": words}, error=tag), error(words, status))
    assert found.kind == kind
    assert len(found.message) < 300


def test_a_refusal_of_the_model_is_refused_and_was_billed() -> None:
    """Asking the same again would be refused again."""
    found = failure(result(is_error=True, result="API Error: can't help", stop_reason="refusal"))
    assert (found.kind, found.usage.tokens_out) == ("refused", 25)


def test_the_end_of_a_limit_is_taken_from_the_event_that_tells_it() -> None:
    """To the second, while the notice names a clock."""
    rejected = {**REJECTED, "resetsAt": time.time() + 3000}
    event = {"type": "rate_limit_event", "rate_limit_info": rejected}
    found = failure(event, error("You've hit your limit · resets 2:13pm (UTC)", 429))
    assert found.retry_after == pytest.approx(3000, abs=60)


def test_a_limit_that_still_allows_requests_does_not_count() -> None:
    """The client tells of a limit that comes near, too."""
    warned = {"type": "rate_limit_event", "rate_limit_info": {**REJECTED, "status": "allowed"}}
    assert failure(warned, error("Request rejected (429)", 429)).retry_after is None


NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOUR = 3600.0


@pytest.mark.parametrize(
    ("words", "hours"),
    [
        ("You've hit your limit · resets 3pm (UTC)", 3),
        ("You've hit your limit · resets 2:30pm (UTC)", 2.5),
        ("resets 9am (UTC)", 21),
        ("resets 12am (UTC)", 12),
        ("resets at 3pm (Europe/Berlin)", 2),
        ("Your limit resets Dec 4, 12:00pm (UTC)", 96),
        ("resets Jan 1 at 1am (UTC)", 7 * 24),
        (f"usage limit reached|{int(NOON.timestamp()) + 7200}", 2),
        ("resets Nov 29, 3pm (UTC)", 0),
    ],
)
def test_the_end_of_a_limit_is_read_from_the_notice(words: str, hours: float) -> None:
    """Clock times with their zone, dates, and the older epoch; a week at most."""
    assert claude_said.reset_in(words, NOON) == pytest.approx(hours * HOUR)


@pytest.mark.parametrize(
    "words", ["You've hit your limit", "resets soon", "resets Feb 30, 3pm (UTC)", "resets 99:99pm"]
)
def test_a_notice_without_a_time_tells_none(words: str) -> None:
    """Then the wait is chosen by whoever asks."""
    assert claude_said.reset_in(words, NOON) is None


def test_an_unknown_zone_is_the_machine_s_own() -> None:
    """Better a few hours wrong than no time at all."""
    assert claude_said.reset_in("resets 3pm (Mars/Olympus)", NOON) is not None


def test_messages_hold_no_key_and_nothing_that_was_captured() -> None:
    """A service may quote the request that it refuses."""
    words = f"API Error: 400 bad text {BATCH} with key sk-ant-a-secret-key"
    found = failure(error(words, 400))
    assert "Zwiebel" not in found.message
    assert "secret" not in found.message
    assert found.message.startswith("Claude refused the request (HTTP 400)")


@pytest.mark.parametrize("output", [b"", b"oops", b"[]", b"[1, null]", b'{"type": "system"}'])
def test_output_that_is_not_the_client_s_is_none(output: bytes) -> None:
    """Then the exit code and stderr tell what happened."""
    assert claude_said.read(output) is None


@pytest.mark.parametrize(
    ("code", "stderr", "kind", "words"),
    [
        (1, "error: unknown option '--safe-mode'", "setup", "2.1.197"),
        (127, "cannot be started: No such file or directory", "setup", "claude_path"),
        (137, "", "busy", "137"),
        (1, "Invalid API key · Please run /login", "login", "/login"),
        (1, "TypeError: fetch failed ECONNREFUSED", "unreachable", "connection"),
    ],
)
def test_a_program_that_prints_nothing_is_understood_by_its_end(
    code: int, stderr: str, kind: str, words: str
) -> None:
    """An older client does not know our options, and says so."""
    found = claude_said.ended(code, stderr, SUBJECT)
    assert found.kind == kind
    assert words in found.message


@pytest.mark.parametrize(
    "messages",
    [
        [{"type": "result"}],
        [{"type": "assistant", "message": {"content": "x"}}, {"type": "result", "result": 5}],
        [
            {"type": "assistant", "message": {"content": [1]}},
            {"type": "result", "is_error": True, "subtype": "error_max_turns"},
        ],
        [{"type": "result", "usage": [], "modelUsage": {"a": 1}, "total_cost_usd": "free"}],
        [{"type": "rate_limit_event", "rate_limit_info": 5}, {"type": "result", "errors": 5}],
    ],
)
def test_odd_shapes_are_trouble_and_nothing_worse(messages: list[dict[str, object]]) -> None:
    """Another version of the client may say other things."""
    assert failure(*messages).kind in ("refused", "busy")
