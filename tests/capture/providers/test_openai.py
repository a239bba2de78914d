"""Any /chat/completions endpoint: what is sent, in which shape, and what is made of the answer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from backstory.capture import providers
from backstory.capture.providers import chat_answer
from backstory.capture.providers.base import Label, Trouble, Usage
from backstory.capture.providers.failures import Subject
from tests.support.model_api import ModelApi, Request, Scripted, fails, observing, says, sends
from tests.support.provider_calls import BATCH, KEY, SCHEMA, make, question, settings, trouble_of


def test_a_call_is_one_request_in_the_shape_of_the_schema() -> None:
    """With the key as a bearer token and nothing else that tells who we are."""
    with ModelApi(observing()) as api:
        answer = make("openai", base_url=api.url + "/v1/").ask(question())
    assert json.loads(answer.text)["observations"][0]["sources"] == ["t1e1", "t1e2"]
    [request] = api.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "small-1",
        "max_tokens": 1000,
        "messages": [
            {"role": "system", "content": "Write observations."},
            {"role": "user", "content": BATCH},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "record", "strict": True, "schema": SCHEMA},
        },
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert answer.usage == Usage(api.billed[0].tokens_in, api.billed[0].tokens_out)


def test_an_answer_that_streams_is_read_whole() -> None:
    """Some gateways always send events."""
    text = json.dumps({"observations": [], "note": "你好 " * 50})
    with ModelApi([says(text, is_streamed=True, usage=(100, 20, 5))]) as api:
        answer = make("openai", base_url=api.url + "/v1").ask(question())
    assert json.loads(answer.text) == json.loads(text)
    assert answer.usage == Usage(100, 20, 5)


@pytest.mark.parametrize(
    ("stream", "kind"),
    [
        ('data: {"choices": [{"delta": {"content": "{}"}}]}\n\n', "unreachable"),
        ("data: \n\n", "unreachable"),
        ('data: {"error": {"code": 429, "message": "slow"}}\n\n', "limit"),
        ('data: {"error": {"message": "broke"}}\n\ndata: [DONE]\n\n', "busy"),
        ('data: 3\n\ndata: {"choices": 3}\n\ndata: {"choices": [3]}\n\n', "unreachable"),
    ],
)
def test_a_stream_without_its_end_is_no_answer(stream: str, kind: str) -> None:
    """Half an answer is none."""
    with ModelApi([sends(stream, "text/event-stream")]) as api:
        assert trouble_of(make("openai", base_url=api.url)).kind == kind


def refusing(shapes: dict[str, str], status: int = 400) -> Callable[[Request], Scripted]:
    """A server that does not know those ways to ask for a shape."""

    def reply(request: Request) -> Scripted:
        if request.shape in shapes:
            return fails(status, shapes[request.shape])
        return says('{"observations": []}')

    return reply


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("shapes", "seen"),
    [
        (
            {"schema": "'response_format' of type 'json_schema' is not supported"},
            ["schema", "json", "json"],
        ),
        (
            {"schema": "unknown field response_format", "json": "unknown field response_format"},
            ["schema", "json", "text", "text"],
        ),
    ],
)
def test_a_shape_that_is_refused_is_asked_for_in_another_way(
    status: int, shapes: dict[str, str], seen: list[str]
) -> None:
    """JSON mode, then plain words, both with the schema in the instructions; it is remembered."""
    with ModelApi(refusing(shapes, status)) as api:
        asked = make("openai", base_url=api.url)
        for _ in range(2):
            assert json.loads(asked.ask(question()).text) == {"observations": []}
        assert [request.shape for request in api.requests] == seen
        assert json.dumps(SCHEMA) in api.requests[-1].instructions
        assert api.requests[-1].instructions.startswith("Write observations.")


def test_the_name_of_the_limit_is_found_out() -> None:
    """Newer models know max_completion_tokens alone."""

    def reply(request: Request) -> Scripted:
        if "max_tokens" in request.body:
            return fails(
                400, "Unsupported parameter: 'max_tokens' is not supported with this model"
            )
        return says("{}")

    with ModelApi(reply) as api:
        asked = make("openai", base_url=api.url)
        asked.ask(question())
        asked.ask(question())
        limits = [request.body.get("max_completion_tokens") for request in api.requests]
        assert limits == [None, 1000, 1000]
        assert {request.shape for request in api.requests} == {"schema"}


PLAIN = {"schema": "response_format is unsupported", "json": "response_format is unsupported"}


def plain(*texts: str) -> Callable[[Request], Scripted]:
    """A server that knows plain words only, and says these one after another."""
    left = list(texts)

    def reply(request: Request) -> Scripted:
        if request.shape != "text":
            return fails(400, PLAIN[request.shape])
        return says(left.pop(0), usage=(100, 10, 0))

    return reply


def test_one_question_is_billed_once() -> None:
    """The cap holds one call: prose is handed on, and the next question is put more plainly."""
    answers = ("Sure, here it is!", '{"observations": []}', '{"observations": []}')
    with ModelApi(plain(*answers)) as api:
        asked = make("openai", base_url=api.url)
        found = [asked.ask(question()) for _ in answers]
        assert [answer.text for answer in found] == list(answers)
        assert [answer.usage for answer in found] == [Usage(100, 10)] * 3
        sent = [request.body["messages"][-1]["content"] for request in api.requests]
        told = f"{BATCH}\n\nAnswer with the JSON object only: no word before it, none behind it."
        assert sent == [BATCH, BATCH, BATCH, told, told]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"observations": []}\n```',
        '<think>Let me see {"a": 1}.</think>\n{"observations": []}',
        '<think>so</think>```\n{"observations": []}\n```\n',
    ],
)
def test_fences_and_thinking_around_the_object_are_left_out(text: str) -> None:
    """Local models like both."""
    with ModelApi([says(text)]) as api:
        assert make("openai", base_url=api.url).ask(question()).text == '{"observations": []}'


def test_a_server_that_heeds_no_shape_is_asked_in_words() -> None:
    """Some take any field and ignore it: after two answers in prose, the schema is written out."""
    with ModelApi([says("Sure!"), says("Sure!"), says('{"observations": []}')]) as api:
        asked = make("openai", base_url=api.url)
        for number in range(3):
            asked.ask(question())
            assert len(api.requests) == number + 1
        assert [request.shape for request in api.requests] == ["schema", "schema", "text"]


def test_a_server_that_read_a_part_of_the_batch_is_found_out() -> None:
    """C11: a short context drops what does not fit, without a word."""
    batch = "t1e1 Bash the build failed again\n" * 600
    with ModelApi([says('{"observations": []}', usage=(2048, 20, 0))]) as api:
        trouble = trouble_of(make("openai", base_url=api.url), question(batch))
    assert trouble.kind == "too_long"
    assert "2048" in trouble.message
    assert trouble.usage == Usage(2048, 20)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4, "cost": 0.25}, Usage(9, 4, 0, 0.25)),
        ({"prompt_tokens": 9, "prompt_tokens_details": None, "cost": True}, Usage(9, 0)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": -1}}, Usage(9, 0)),
        # what the ledger could not hold, or a report not show
        ({"prompt_tokens": 9, "completion_tokens": 2**63, "cost": float("inf")}, Usage(9, 0)),
        ({"prompt_tokens": 9, "cost": float("nan")}, Usage(9, 0)),
        ({"prompt_tokens": 9, "cost": -1}, Usage(9, 0)),
    ],
)
def test_usage_is_read_as_far_as_it_is_told(usage: dict[str, Any], expected: Usage) -> None:
    """OpenRouter tells the price, too."""
    body = {"choices": [{"message": {"content": "{}"}}], "usage": usage}
    with ModelApi([sends(json.dumps(body))]) as api:
        assert make("openai", base_url=api.url).ask(question()).usage == expected


def test_usage_that_is_not_told_is_estimated() -> None:
    """The daily cap must not be blind."""
    with ModelApi([says("some words of an answer", tells_usage=False)]) as api:
        usage = make("openai", base_url=api.url).ask(question()).usage
    assert usage.tokens_in > 30
    assert usage.tokens_out > 3


def test_an_answer_in_parts_is_joined() -> None:
    """As some services send it."""
    parts = [{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}, {"type": "x"}]
    body = {"choices": [{"message": {"content": parts}}]}
    with ModelApi([sends(json.dumps(body))]) as api:
        assert make("openai", base_url=api.url).ask(question()).text == '{"a": 1}'


def test_an_answer_that_is_cut_says_so_and_is_not_asked_for_again() -> None:
    """It would be cut again."""
    with ModelApi([says('{"observations": [', stop="cut")]) as api:
        assert make("openai", base_url=api.url).ask(question()).is_cut
        assert len(api.requests) == 1


def test_a_compressed_answer_is_bounded_by_what_it_holds() -> None:
    """A small one can unfold to anything."""
    bomb = Scripted(
        body=gzip.compress(b" " * 50_000_000),
        headers={"content-type": "application/json", "content-encoding": "gzip"},
    )
    with ModelApi([bomb]) as api:
        assert trouble_of(make("openai", base_url=api.url)).kind == "refused"
        assert trouble_of(make("anthropic", base_url=api.url)).kind == "refused"


def test_a_local_server_needs_no_key() -> None:
    """Then none is sent."""
    with ModelApi(observing()) as api:
        make("openai", base_url=api.url + "/v1", api_key="").ask(question())
        assert "authorization" not in api.requests[0].headers


def test_the_address_is_needed_and_examples_are_given() -> None:
    """There is no default service."""
    with pytest.raises(Trouble, match="openrouter") as caught:
        make("openai")
    assert caught.value.kind == "setup"
    assert "11434" in caught.value.message


def test_the_only_model_of_a_server_is_taken() -> None:
    """A local server often has one."""
    with ModelApi(observing()) as api:
        asked = make("openai", base_url=api.url + "/v1", model="")
        assert asked.label.model == "its only model"
        asked.ask(question())
        asked.ask(question())
        paths = [request.path for request in api.requests]
        assert paths == ["/v1/models", "/v1/chat/completions", "/v1/chat/completions"]
        assert api.requests[1].body["model"] == asked.label.model == "stub-small-1"


@pytest.mark.parametrize(
    "reply",
    [
        sends('{"data": [{"id": "m1"}, {"id": "m2"}]}'),
        sends('{"data": []}'),
        sends('{"data": 3}'),
        sends('{"data": [3, {"id": 4}]}'),
        sends("nothing"),
        fails(404, "no such path"),
    ],
)
def test_where_it_has_several_models_one_must_be_named(reply: Scripted) -> None:
    """C12: no batch is sent to a model that nobody chose."""
    with ModelApi([reply]) as api:
        trouble = trouble_of(make("openai", base_url=api.url, model=""))
        assert trouble.kind == "setup"
        assert "settings model" in trouble.message
        assert len(api.requests) == 1


def test_the_label_tells_where_it_runs() -> None:
    """A person must see where the batches go."""
    made = providers.create(
        "openai", settings(base_url="https://openrouter.ai/api/v1/chat/completions", model="m/x")
    )
    assert made.label == Label("openai", "m/x", "openrouter.ai")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "delta",
                    "content",
                    "usage",
                    "error",
                    "finish_reason",
                    "model",
                ]
            ),
            inner,
        )
    ),
    max_leaves=15,
)


@given(JSON, st.booleans())
@bounds(max_examples=300, deadline=None)
def test_any_answer_is_read_or_is_trouble(body: object, is_stream: bool) -> None:
    """No shape of JSON brings another error."""
    raw = json.dumps(body).encode()
    if is_stream:
        raw = b"data: " + raw + b"\n\ndata: [DONE]\n\n"
    try:
        said = chat_answer.read(raw, {}, Subject("h", "m", "b"), "sent")
    except Trouble:
        return
    assert isinstance(said.text, str)
