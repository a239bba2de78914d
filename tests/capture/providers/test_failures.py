"""What both HTTP providers make of everything that can go wrong, against a real server."""

from __future__ import annotations

import json
import socket
import threading
import time
from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.capture.providers.base import Provider, Trouble, Usage
from backstory.capture.providers.failures import Subject, retry_after
from tests.support.model_api import (
    ModelApi,
    Script,
    Scripted,
    closes,
    cut_off,
    drips,
    fails,
    hangs,
    says,
    sends,
)
from tests.support.provider_calls import BATCH, KEY, make, question, trouble_of

BOTH = pytest.mark.parametrize("name", ["anthropic", "openai"])
PATHS = {"anthropic": "", "openai": "/v1"}


def provider(name: str, api: ModelApi) -> Provider:
    """A provider that asks the stub."""
    return make(name, base_url=api.url + PATHS[name])


def meet(name: str, script: Script, timeout: float = 10.0) -> Trouble:
    """The trouble that comes of a script."""
    with ModelApi(script) as api:
        return trouble_of(provider(name, api), question(timeout=timeout))


@BOTH
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "too_long"),
        (400, "This model's maximum context length is 8192 tokens", "too_long"),
        (400, "Your credit balance is too low to access the API", "limit"),
        (400, "API key not valid. Please pass a valid API key.", "login"),
        (400, "some-model is not a valid model ID", "setup"),
        (400, "messages: at least one message is required", "refused"),
        (401, "invalid x-api-key", "login"),
        (402, "Insufficient credits", "limit"),
        (403, "Your organisation may not use this model", "login"),
        (403, "billing is not active for this account", "limit"),
        (404, "model: small-1", "setup"),
        (405, "Method Not Allowed", "setup"),
        (408, "Request timed out", "timeout"),
        (409, "conflict", "busy"),
        (413, "Request exceeds the maximum size", "too_long"),
        (418, "I am a teapot", "refused"),
        (429, "rate limited", "limit"),
        (429, "Request too large for small-1: Limit 10000, Requested 15000", "too_long"),
        (429, "You exceeded your current quota, check your plan and billing details", "limit"),
        (500, "internal error", "busy"),
        (502, "bad gateway", "busy"),
        (503, "loading the model", "busy"),
        (504, "upstream timed out", "timeout"),
        (529, "Overloaded", "busy"),
    ],
)
def test_a_status_and_its_message_become_one_kind(
    name: str, status: int, message: str, kind: str
) -> None:
    """C5, C9: what is the service's is not held against the batch, and what is too long is told."""
    with ModelApi([fails(status, message)]) as api:
        trouble = trouble_of(provider(name, api))
        assert trouble.kind == kind
        assert str(status) in trouble.message
        assert len(api.requests) == 1
        assert not api.billed


@BOTH
@pytest.mark.parametrize(
    ("header", "value", "seconds"),
    [
        ("retry_after", "7", 7.0),
        ("retry_after", "0.5", 0.5),
        ("retry_after_ms", "1500", 1.5),
        ("retry_after", "-3", 0.0),
        ("retry_after", "999999999", 604800.0),
        ("retry_after", "soon", None),
        ("retry_after", "nan", None),
        ("x_other", "7", None),
    ],
)
def test_the_time_to_wait_is_read(
    name: str, header: str, value: str, seconds: float | None
) -> None:
    """Seconds or milliseconds, within a week."""
    assert meet(name, [fails(429, "slow down", **{header: value})]).retry_after == seconds
    assert meet(name, [fails(529, "Overloaded", **{header: value})]).retry_after == seconds


@BOTH
def test_the_time_to_wait_may_be_a_date(name: str) -> None:
    """As the standard has it."""
    date = formatdate(time.time() + 90, usegmt=True)
    wait = meet(name, [fails(429, "slow down", retry_after=date)]).retry_after
    assert wait is not None
    assert 60 < wait <= 91


def test_the_time_to_wait_may_stand_in_the_body() -> None:
    """Gemini tells it there."""
    body = b'{"error": {"details": [{"@type": "RetryInfo", "retryDelay": "34.5s"}]}}'
    assert retry_after({}, body) == 34.5
    assert retry_after({"retry-after": "x"}, b'{"retryDelay": "1.2.3s"}') is None


@BOTH
@pytest.mark.parametrize("script", [hangs(), drips()], ids=["hang", "drip"])
def test_the_deadline_holds_for_the_whole_call(name: str, script: Scripted) -> None:
    """A service that says nothing, or a byte a second, is left when time is up."""
    trouble = meet(name, [script], timeout=1.5)
    assert trouble.kind == "timeout"
    assert trouble.may_be_billed


@BOTH
@pytest.mark.parametrize("script", [closes(), cut_off()], ids=["before", "within"])
def test_a_connection_that_is_closed_is_no_answer(name: str, script: Scripted) -> None:
    """And it may have been billed: nobody knows."""
    trouble = meet(name, [script])
    assert trouble.kind == "unreachable"
    assert trouble.may_be_billed


@BOTH
def test_nothing_that_listens_is_unreachable_and_free(name: str) -> None:
    """Nothing was sent."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    trouble = trouble_of(make(name, base_url=f"http://127.0.0.1:{port}/v1"))
    assert trouble.kind == "unreachable"
    assert not trouble.may_be_billed


@BOTH
def test_an_answer_has_an_end(name: str) -> None:
    """3 MB are no answer of ours; a reader that goes on would be someone's memory."""
    for reply in (sends(b" " * 3_000_000), fails(500, "x" * 3_000_000)):
        trouble = meet(name, [reply])
        assert trouble.kind == "refused"
        assert "1,000,000 bytes" in trouble.message


@BOTH
@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"{}", b"\xff\xfe", b"[" * 50_000, b'{"content": 1}']
)
def test_a_200_that_is_no_answer_is_the_services_fault(name: str, body: bytes) -> None:
    """C12: what is not the API's is never read as an observation."""
    trouble = meet(name, [sends(body)])
    assert trouble.kind == "busy"
    assert trouble.may_be_billed


@BOTH
def test_an_answer_that_cannot_be_unpacked_is_the_services_fault(name: str) -> None:
    """What was promised as gzip is not."""
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    trouble = meet(name, [Scripted(body=b"not gzip", headers=headers)])
    assert trouble.kind == "busy"
    assert trouble.may_be_billed


@BOTH
def test_a_server_that_is_silent_before_the_request_is_free(name: str) -> None:
    """A listener that never shakes hands was sent nothing of the batch."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        asked = make(name, base_url=f"https://127.0.0.1:{silent.getsockname()[1]}")
        trouble = trouble_of(asked, question(timeout=0.5))
    assert trouble.kind == "unreachable"
    assert not trouble.may_be_billed


@BOTH
def test_a_web_page_means_a_wrong_address(name: str) -> None:
    """A captive portal, or a gateway's front page."""
    page = sends("<html><body>Welcome zebra</body></html>", "text/html; charset=utf-8")
    trouble = meet(name, [page])
    assert trouble.kind == "setup"
    assert "base_url" in trouble.message


@BOTH
def test_a_redirect_is_not_followed(name: str) -> None:
    """The batch goes to the address that the user gave, and to no other."""
    with ModelApi([says("{}")]) as other:
        move = Scripted(307, body=b"", headers={"location": other.url + "/v1/messages"})
        trouble = meet(name, [move])
        assert trouble.kind == "setup"
        assert not other.requests


@BOTH
def test_a_refusal_of_the_model_is_told_with_its_price(name: str) -> None:
    """It was billed, and asking again brings the same."""
    trouble = meet(name, [says("", stop="refusal", usage=(500, 3, 100))])
    assert trouble.kind == "refused"
    assert trouble.usage == Usage(500, 3, 100)


@BOTH
def test_an_error_within_a_200_is_an_error(name: str) -> None:
    """Some gateways fail that way."""
    error = {"type": "error", "error": {"type": "rate_limit_error", "code": 429, "message": "no"}}
    assert meet(name, [sends(json.dumps(error))]).kind == "limit"


@BOTH
@pytest.mark.parametrize(
    "echo",
    [
        f"bad request: {BATCH}",
        f"bad request: {json.dumps(BATCH)}",
        "invalid value: 'please mend the zebra parser'",
        f"the key {KEY} is wrong",
        f"Authorization: Bearer {KEY}",
        "Incorrect API key provided: sk-ant-te**********6789. You can find your key",
        "token=abcdef123456 secret: 9f8e7d6c5b4a39281706",
    ],
)
def test_a_message_holds_no_key_and_no_echo(name: str, echo: str) -> None:
    """It is logged, shown in `status`, and kept with the job."""
    for status in (400, 401, 500):
        message = meet(name, [fails(status, echo)]).message
        for part in ("zebra", "sk-ant", "6789", "abcdef123456", "9f8e7d6c", "t1e1"):
            assert part not in message


@BOTH
def test_a_message_is_short_and_of_one_line(name: str) -> None:
    """Whatever the service says."""
    said = meet(name, [fails(418, "no way\n\x1b[31m\u202e " * 400)]).message
    assert len(said) < 300
    assert said.isprintable()


@BOTH
def test_closing_ends_what_is_under_way(name: str) -> None:
    """A worker that ends does not wait for a model."""
    with ModelApi([hangs()]) as api:
        asked = provider(name, api)
        found: list[Trouble] = []

        def call() -> None:
            try:
                asked.ask(question(timeout=60))
            except Trouble as trouble:
                found.append(trouble)

        thread = threading.Thread(target=call)
        thread.start()
        while not api.requests:
            thread.join(0.01)
        asked.close()
        thread.join()
        assert [trouble.kind for trouble in found] == ["unreachable"]
        assert trouble_of(asked).kind == "unreachable"
        assert len(api.requests) == 1


@BOTH
def test_calls_may_be_made_at_the_same_time(name: str) -> None:
    """Two threads, one provider."""
    with ModelApi(lambda request: says('{"n": 1}', delay_s=0.2)) as api:
        asked = provider(name, api)
        asked.ask(question())
        threads = [threading.Thread(target=asked.ask, args=(question(),)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(api.requests) == len(api.billed) == 7
        assert api.most_at_once > 1


@BOTH
@pytest.mark.parametrize(
    "address",
    ["ftp://x", "x.example", "http://", "http://a:b@x/v1", "http://x/v1?k=1", "http://x:99999999"],
)
def test_an_address_that_is_none_is_told_at_once(name: str, address: str) -> None:
    """Before anything is sent."""
    with pytest.raises(Trouble, match="base_url") as caught:
        make(name, base_url=address)
    assert caught.value.kind == "setup"


@BOTH
@pytest.mark.parametrize("key", ["a b", "ключ", "a\nb"])
def test_a_key_that_cannot_be_one_is_told_at_once(name: str, key: str) -> None:
    """And not quoted."""
    with pytest.raises(Trouble, match="set it again") as caught:
        make(name, base_url="http://127.0.0.1:1/v1", api_key=key)
    assert caught.value.kind == "setup"
    assert key not in caught.value.message


@BOTH
def test_text_that_is_no_unicode_can_be_sent(name: str) -> None:
    """A lone surrogate in a tool's output must not stop a batch."""
    with ModelApi([says('{"n": 1}')]) as api:
        provider(name, api).ask(question("t1e1 \ud83d and \x00 and 你好"))
        assert api.requests[0].batch == "t1e1 ? and \x00 and 你好"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["error", "message", "code", "type", "metadata", "raw", "detail"]),
                inner,
            )
        ),
        max_leaves=12,
    )
)
@settings(max_examples=200, deadline=None)
def test_any_body_of_a_failure_can_be_told(body: object) -> None:
    """Whatever it is, it becomes a short message."""
    raw = json.dumps(body).encode()
    trouble = Subject("h", "m", "batch").of_status(400, {}, raw)
    assert len(trouble.message) < 450
