"""Claude by the SDK: what is sent, in which shape, with whose key; Bedrock and Vertex AI."""

from __future__ import annotations

import json

import pytest

from backstory.capture import providers
from backstory.capture.providers.base import Label, Trouble, Usage
from tests.support.model_api import ModelApi, Request, Scripted, fails, observing, says, sends
from tests.support.provider_calls import BATCH, KEY, SCHEMA, make, question, settings, trouble_of


def test_a_call_is_one_request_in_the_shape_of_the_schema() -> None:
    """The fixed part is cached, the data is the user's message, and nothing streams."""
    with ModelApi(observing()) as api:
        answer = make("anthropic", base_url=api.url).ask(question())
    assert [row["sources"] for row in json.loads(answer.text)["observations"]] == [["t1e1", "t1e2"]]
    [request] = api.requests
    assert request.path == "/v1/messages"
    assert request.body == {
        "model": "small-1",
        "max_tokens": 1000,
        "system": [
            {
                "type": "text",
                "text": "Write observations.",
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [{"role": "user", "content": BATCH}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }
    assert answer.usage == Usage(api.billed[0].tokens_in, api.billed[0].tokens_out)
    assert answer.model == "small-1"
    assert not answer.is_cut


def test_only_our_own_headers_are_sent() -> None:
    """Nothing of the SDK's, whose headers a variable can set."""
    with ModelApi(observing()) as api:
        make("anthropic", base_url=api.url).ask(question())
        assert set(api.requests[0].headers) <= {
            "host", "content-type", "content-length", "accept", "accept-encoding", "user-agent",
            "anthropic-version", "authorization",
        }  # fmt: skip
        assert api.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_cached_input_counts_as_input() -> None:
    """The ledger prices it apart."""
    with ModelApi([says("{}", usage=(900, 20, 600))]) as api:
        assert make("anthropic", base_url=api.url).ask(question()).usage == Usage(900, 20, 600)


def test_a_gateway_that_tells_no_usage_is_estimated() -> None:
    """The daily cap must not be blind."""
    with ModelApi([says("some words of an answer", tells_usage=False)]) as api:
        usage = make("anthropic", base_url=api.url).ask(question()).usage
    assert usage.tokens_in > 30
    assert usage.tokens_out > 3


def refusing(*shapes: str) -> object:
    """A gateway that does not know those ways to ask for a shape."""
    words = {
        "schema": "output_config: Extra inputs are not permitted",
        "tool": "tools are not supported by this model",
    }

    def reply(request: Request) -> Scripted:
        if request.shape in shapes:
            return fails(400, words[request.shape])
        return says('{"observations": []}')

    return reply


@pytest.mark.parametrize(
    ("refused", "seen"),
    [
        (("schema",), ["schema", "tool", "tool"]),
        (("schema", "tool"), ["schema", "tool", "text", "text"]),
    ],
)
def test_a_shape_that_is_refused_is_asked_for_in_another_way(
    refused: tuple[str, ...], seen: list[str]
) -> None:
    """A forced tool, then plain words; what works is remembered."""
    with ModelApi(refusing(*refused)) as api:  # type: ignore[arg-type]
        asked = make("anthropic", base_url=api.url)
        for _ in range(2):
            assert json.loads(asked.ask(question()).text) == {"observations": []}
        assert [request.shape for request in api.requests] == seen
        assert len(api.billed) == 2
        if seen[-1] == "text":
            assert json.dumps(SCHEMA) in api.requests[-1].instructions


def test_a_request_that_is_refused_in_every_shape_ends() -> None:
    """Three requests, no more."""
    with ModelApi([fails(400, "this tool of a schema is not supported")]) as api:
        assert trouble_of(make("anthropic", base_url=api.url)).kind == "refused"
        assert len(api.requests) == 3


@pytest.mark.parametrize(
    "message", ["prompt is too long: the schema", "model small-1 not found", "billing: schema"]
)
def test_another_reason_is_not_taken_for_the_shape(message: str) -> None:
    """One request, one trouble."""
    with ModelApi([fails(400, message)]) as api:
        assert trouble_of(make("anthropic", base_url=api.url)).kind != "refused"
        assert 1 <= len(api.requests) <= 2


def test_an_answer_that_is_cut_says_so() -> None:
    """Its reader must not take half of it for all."""
    with ModelApi([says('{"observations": [', stop="cut")]) as api:
        assert make("anthropic", base_url=api.url).ask(question()).is_cut


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (says(""), ""),
        (says("You've hit your limit · resets 3pm"), "You've hit your limit · resets 3pm"),
        (sends(json.dumps({"content": [{"type": "text", "text": 1}, 2, None]})), ""),
        (sends(json.dumps({"content": [{"type": "tool_use", "input": {"a": 1}}]})), '{"a": 1}'),
    ],
)
def test_whatever_was_said_is_handed_on(reply: Scripted, text: str) -> None:
    """C5, C6: whether it is an answer is for its reader to say."""
    with ModelApi([reply]) as api:
        assert make("anthropic", base_url=api.url).ask(question()).text == text


def test_a_token_goes_before_a_key() -> None:
    """`auth_token` is for a gateway, "instead of a key"."""
    with ModelApi(observing()) as api:
        make("anthropic", base_url=api.url, auth_token="gw-token-1").ask(question())
        assert api.requests[0].headers["authorization"] == "Bearer gw-token-1"


def test_a_gateway_may_need_no_key() -> None:
    """Then none is sent, and none is looked for."""
    with ModelApi(observing()) as api:
        make("anthropic", base_url=api.url, api_key="").ask(question())
        assert "authorization" not in api.requests[0].headers


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"api_key": ""}, "api_key"),
        ({"cloud": "bedrock"}, "cloud_region"),
        ({"cloud": "bedrock", "cloud_region": "x.evil.example/"}, "cloud_region"),
        ({"cloud": "vertex"}, "cloud_project"),
        ({"ca_file": "/nowhere/ca.pem"}, "ca_file"),
    ],
)
def test_what_is_missing_is_named(given: dict[str, str], word: str) -> None:
    """With the setting that mends it."""
    with pytest.raises(Trouble, match=word) as caught:
        make("anthropic", **given)
    assert caught.value.kind == "setup"


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ({}, Label("anthropic", "claude-haiku-5-5", "your API key")),
        ({"model": "other-1"}, Label("anthropic", "other-1", "your API key")),
        (
            {"base_url": "https://gw.example/api/"},
            Label("anthropic", "claude-haiku-5-5", "gw.example"),
        ),
        (
            {"cloud": "bedrock", "cloud_region": "eu-west-1"},
            Label("anthropic", "eu.anthropic.claude-haiku-4-5-20251001-v1:0", "Bedrock, eu-west-1"),
        ),
        (
            {"cloud": "bedrock", "cloud_region": "ap-south-1"},
            Label(
                "anthropic",
                "global.anthropic.claude-haiku-4-5-20251001-v1:0",
                "Bedrock, ap-south-1",
            ),
        ),
        (
            {"cloud": "vertex", "cloud_project": "p"},
            Label("anthropic", "claude-haiku-4-5@20251001", "Vertex AI, global"),
        ),
    ],
)
def test_the_label_tells_which_model_and_whose_account(given: dict[str, str], label: Label) -> None:
    """A small model where none is set; the user's setting always wins."""
    made = providers.create("anthropic", settings(api_key=KEY, **given))
    assert made.label == label


def test_bedrock_is_asked_by_its_path() -> None:
    """With a Bedrock API key."""
    with ModelApi(observing()) as api:
        asked = make("anthropic", base_url=api.url, cloud="bedrock", cloud_region="us-east-1")
        asked.ask(question())
        [request] = api.requests
        assert request.path == "/model/small-1/invoke"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert "model" not in request.body
        assert request.body["anthropic_version"]


def test_vertex_is_asked_by_its_path() -> None:
    """With a token that the user set, as a gateway has it."""
    with ModelApi(observing()) as api:
        asked = make(
            "anthropic",
            base_url=api.url + "/v1",
            cloud="vertex",
            cloud_project="proj",
            cloud_region="us-east5",
            auth_token="ya29.token",
        )
        asked.ask(question())
        [request] = api.requests
        assert request.path == (
            "/v1/projects/proj/locations/us-east5/publishers/anthropic/models/small-1:rawPredict"
        )
        assert request.headers["authorization"] == "Bearer ya29.token"


def test_a_model_that_cannot_stand_in_a_path_is_a_setting_to_mend() -> None:
    """Nothing is sent."""
    with ModelApi(observing()) as api:
        asked = make(
            "anthropic", base_url=api.url, cloud="bedrock", cloud_region="us-east-1", model=".."
        )
        trouble = trouble_of(asked)
        assert trouble.kind == "setup"
        assert not trouble.may_be_billed
        assert not api.requests
