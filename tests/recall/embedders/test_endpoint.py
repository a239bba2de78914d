"""Vectors of an endpoint: what is sent, what is made of its answers, and what of its failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from backstory.estimate import estimate_tokens
from backstory.recall.embedders import endpoint
from backstory.recall.embedders.base import NoVectors, Passage, Refused
from backstory.recall.embedders.endpoint import Endpoint
from tests.recall.embedders.conftest import KEY, MODEL, Serve
from tests.support.embedding_api import embedding, texts, vector
from tests.support.model_api import Request, Scripted, closes, drips, fails, hangs, sends

SECRET = "zebra crossing the parser of things"


def passages(*bodies: str) -> list[Passage]:
    """Passages without titles."""
    return [Passage("", body) for body in bodies]


def test_a_batch_is_one_request_that_any_such_service_knows(serve: Serve) -> None:
    """With the key as a bearer token and nothing else that tells who we are."""
    served = serve()
    made = served.endpoint()
    rows = made.passages([Passage("Title", "text"), Passage("", "more"), Passage("", " ")])
    request = served.api.requests[-1]
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": MODEL, "input": ["Title. text", "more", "dimensions"]}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert made.name == f"openai/{served.api.url[7:]}/{MODEL}/64"
    assert rows.shape == (3, 64)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
    wanted = np.array(vector("more"))
    assert np.allclose(rows[1], wanted / np.linalg.norm(wanted), atol=1e-5)


def test_without_a_key_none_is_sent(serve: Serve) -> None:
    """Servers on one's own machine want none; a trailing /embeddings is no mistake."""
    served = serve(embedding_key="")
    served.settings.values["embedding_url"] += "/embeddings/"
    served.endpoint()
    assert served.api.requests[0].path == "/v1/embeddings"
    assert "authorization" not in served.api.requests[0].headers


def test_many_texts_are_sent_in_batches(serve: Serve) -> None:
    """64 at most, and as many as one request may hold; the same text once."""
    served = serve()
    made = served.endpoint()
    rows = made.passages(passages(*(f"text {number}" for number in range(150)), "text 0"))
    sizes = [len(request.body["input"]) for request in served.api.requests[1:]]
    assert sizes == [64, 64, 22]
    assert np.array_equal(rows[0], rows[150])
    served.api.requests.clear()
    made.passages(passages(*(f"{number} word" * 500 for number in range(20))))
    for request in served.api.requests:
        assert sum(map(estimate_tokens, request.body["input"])) <= endpoint.MOST_TOKENS


def test_what_is_no_text_for_json_readers_is_replaced(serve: Serve) -> None:
    """F12: a lone surrogate."""
    served = serve()
    served.endpoint().passages(passages("a\ud800b"))
    assert texts(served.api.requests)[-1] == "a?b"


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found["data"].reverse(),
        lambda found: found["data"][0].pop("index"),
        lambda found: [one.pop("index") for one in found["data"]],
    ],
    ids=["another order", "the first without its 0", "no index"],
)
def test_vectors_are_taken_by_their_index(
    serve: Serve, change: Callable[[dict[str, Any]], object]
) -> None:
    """Or by their place, where there is none."""
    rows = serve(embedding(change=change)).endpoint().passages(passages("one", "two", "three"))
    for row, text in zip(rows, ("one", "two", "three"), strict=True):
        wanted = np.array(vector(text))
        assert np.allclose(row, wanted / np.linalg.norm(wanted), atol=1e-5)


def poke(value: Any) -> Callable[[dict[str, Any]], object]:
    """Puts a value into the last vector."""
    return lambda found: found["data"][-1]["embedding"].__setitem__(0, value)


ODD: dict[str, Callable[[dict[str, Any]], object]] = {
    "one too few": lambda found: found["data"].pop(),
    "one too many": lambda found: found["data"].append(found["data"][0]),
    "one index twice": lambda found: found["data"][-1].update(index=0),
    "an index that is none": lambda found: found["data"][0].update(index="0"),
    "no vector": lambda found: found["data"][0].update(embedding=None),
    "base64": lambda found: [one.update(embedding="AAAA") for one in found["data"]],
    "other lengths": lambda found: found["data"][-1]["embedding"].pop(),
    "no dimensions": lambda found: [one.update(embedding=[]) for one in found["data"]],
    "NaN": poke(float("nan")),
    "infinity": poke(float("inf")),
    "null": poke(None),
    "text": poke("1.0"),
    "nested": poke([1.0]),
    "zeros": lambda found: found["data"][-1].update(embedding=[0.0] * 64),
    "rows that are none": lambda found: found.update(data=[1] * len(found["data"])),
    "no data": lambda found: found.pop("data"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_answer_that_is_none_makes_no_vector(serve: Serve, name: str) -> None:
    """Whatever it is; it may have been billed, so that it counts."""
    asked = 0

    def script(request: Request) -> Scripted:
        nonlocal asked
        asked += 1
        return embedding(change=ODD[name] if asked > 1 else bool)(request)

    served = serve(script)
    made = served.endpoint()
    with pytest.raises(NoVectors) as caught:
        made.passages(passages(SECRET, "two"))
    assert not isinstance(caught.value, Refused)
    assert "zebra" not in str(caught.value)
    assert [state for _, state in served.held()] == ["lost"]


FAILURES: list[tuple[Scripted, str]] = [
    (fails(401, f"bad key {KEY}"), "backstory settings embedding_key"),
    (fails(404, "model not found"), "backstory settings embedding_model NAME"),
    (fails(429, "slow down", retry_after="7"), "it is asked again later"),
    (fails(500, SECRET), "it is asked again later"),
    (fails(503), "it is asked again later"),
    (fails(400, "no such parameter"), "embedding_model NAME names another model"),
    (Scripted(302, headers={"location": "http://127.0.0.1:1/"}), "set embedding_url"),
    (sends("<html>hello</html>", "text/html"), "embedding_url"),
    (sends("{"), "it is asked again later"),
    (closes(), "embedding_url ADDRESS"),
]


@pytest.mark.parametrize(("reply", "words"), FAILURES, ids=[words for _, words in FAILURES])
def test_a_failure_says_what_to_do(serve: Serve, reply: Scripted, words: str) -> None:
    """Without the key, without a text; no redirect is followed, and no text is to blame."""
    asked = 0

    def script(request: Request) -> Scripted:
        nonlocal asked
        asked += 1
        return embedding()(request) if asked == 1 else reply

    served = serve(script)
    made = served.endpoint()
    with pytest.raises(NoVectors) as caught:
        made.passages(passages(SECRET))
    assert words in str(caught.value)
    assert KEY not in str(caught.value)
    assert "zebra" not in str(caught.value)
    assert not isinstance(caught.value, Refused)
    assert caught.value.wait == (7.0 if reply.status == 429 else 0.0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"embedding_url": ""}, "backstory settings embedding_url ADDRESS"),
        ({"embedding_model": ""}, "backstory settings embedding_model NAME"),
        ({"embedding_url": "ftp://x"}, "setting embedding_url takes an http or https address"),
        ({"embedding_url": "http://u:p@x/v1"}, "keys go into embedding_key"),
        ({"embedding_key": "a b"}, "setting embedding_key holds characters"),
        ({"embedding_url": "https://x.invalid", "ca_file": "/none"}, "ca_file"),
        ({"embedding_url": "http://127.0.0.1:9/v1"}, "no connection to 127.0.0.1:9: see that it"),
    ],
)
def test_settings_that_cannot_work_are_named(
    serve: Serve, settings: dict[str, str], words: str
) -> None:
    """When it is made, before any record is taken up."""
    with pytest.raises(NoVectors, match=words):
        serve(**settings).endpoint()


@pytest.mark.parametrize("reply", [hangs(), drips()], ids=["silent", "drips"])
def test_a_question_does_not_hang_on_a_dead_endpoint(
    serve: Serve, reply: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it is dead; the same holds for a batch."""
    monkeypatch.setattr(endpoint, "QUERY_S", 0.2)
    monkeypatch.setattr(endpoint, "PASSAGES_S", 0.2)
    first = True

    def script(request: Request) -> Scripted:
        return embedding()(request) if first else reply

    made = serve(script).endpoint()
    first = False
    with pytest.raises(NoVectors, match=r"gave no answer in 0\.\d+ s"):
        made.query("anything")
    with pytest.raises(NoVectors, match=r"gave no answer in 0\.2 s"):
        made.passages(passages("anything"))


def test_a_text_that_is_too_long_is_cut(serve: Serve) -> None:
    """Only that one; the next ones are cut before they are sent."""
    served = serve(embedding(most_tokens=300))
    made = served.endpoint()
    long = "word " * 600
    rows = made.passages(passages("short", long, "other"))
    assert rows.shape == (3, 64)
    assert served.api.requests[-1].body["input"] != [long]
    served.api.requests.clear()
    made.passages(passages("word again " * 400))
    sent = [estimate_tokens(text) for text in texts(served.api.requests)]
    assert len(sent) <= 3
    assert sent[-1] <= 300


def test_a_question_that_is_too_long_is_cut(serve: Serve) -> None:
    """F3: 500 characters of CJK are more than many models take."""
    served = serve(embedding(most_tokens=256))
    assert served.endpoint().query("解析器" * 200).shape == (1, 64)


def test_a_text_that_does_not_fit_at_any_length_is_refused(serve: Serve) -> None:
    """Where other texts are taken."""

    def script(request: Request) -> Scripted:
        if any("zebra" in text for text in request.body["input"]):
            return fails(413, "too large")
        return embedding()(request)

    made = serve(script).endpoint()
    with pytest.raises(Refused):
        made.passages(passages("zebra " * 50))
    assert made.passages(passages("lion")).shape == (1, 64)


def test_a_refused_text_is_to_blame_where_others_are_taken(serve: Serve) -> None:
    """And no other is paid for twice while it is looked for."""
    served = serve(embedding(refuses="poison"))
    made = served.endpoint()
    with pytest.raises(Refused):
        made.passages(passages("fine", "poison"))
    made.passages(passages("fine"))
    made.passages(passages("fine"))
    assert texts(served.api.requests).count("fine") == 2


def test_a_request_that_is_always_refused_blames_no_text(serve: Serve) -> None:
    """Else every record would be given up."""
    first = True

    def script(request: Request) -> Scripted:
        return embedding()(request) if first else fails(400, "unknown field: input")

    made = serve(script).endpoint()
    first = False
    with pytest.raises(NoVectors) as caught:
        made.passages(passages("fine"))
    assert not isinstance(caught.value, Refused)


def test_a_large_answer_is_read(serve: Serve) -> None:
    """3,072 dimensions of 64 texts are some megabytes; what is larger than any answer is not."""
    large = json.dumps(
        {
            "data": [
                {"index": place, "embedding": [0.0123456789012345 + place] * 3072}
                for place in range(64)
            ]
        }
    )
    one = json.dumps({"data": [{"index": 0, "embedding": [1.0] * 3072}]})
    served = serve(lambda request: sends(large if len(request.body["input"]) == 64 else one))
    rows = served.endpoint().passages(passages(*(f"text {number}" for number in range(64))))
    assert rows.shape == (64, 3072)


def test_an_answer_without_end_is_not_read(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound on what is held in memory."""
    served = serve()
    made = served.endpoint()
    monkeypatch.setattr(endpoint, "ANSWER_BYTES", 1000)
    with pytest.raises(NoVectors, match="more than 1,000 bytes"):
        made.passages(passages("one", "two"))


def test_a_data_directory_that_a_project_could_have_made_is_not_believed(serve: Serve) -> None:
    """It could name any address."""
    served = serve()
    (served.settings.home / ".git").mkdir()
    with pytest.raises(NoVectors, match="nothing is sent to an endpoint"):
        served.endpoint()
    assert served.api.requests == []


def test_what_is_under_way_ends_with_it(serve: Serve) -> None:
    """The worker's end does not wait for an endpoint."""
    made: Endpoint

    def script(request: Request) -> Scripted:
        if request.body["input"] == ["dimensions"]:
            return embedding()(request)
        made.close()
        return hangs()

    served = serve(script)
    made = served.endpoint()
    with pytest.raises(NoVectors):
        made.passages(passages("anything"))
    assert [state for _, state in served.held()] == ["open"]
