"""Search by meaning over an endpoint: what is sent, what waits, and what fails meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from backstory.recall import meaning, vector_report
from tests.recall.conftest import Store
from tests.recall.embedders.conftest import Serve, Served
from tests.support.embedding_api import embedding, texts
from tests.support.model_api import Request, Scripted, fails


class Switched:
    """A service that can be told to fail, and to be another model."""

    def __init__(self) -> None:
        self.fails: Scripted | None = None
        self.model = embedding()

    def __call__(self, request: Request) -> Scripted:
        return self.fails or self.model(request)


@pytest.fixture
def service() -> Switched:
    """One that works."""
    return Switched()


def remember(store: Store, *titles: str, root: str = "/repo/shop") -> None:
    """Observations of one session."""
    project = store.project(root, root)
    for title in titles:
        store.observation(project, title)


def test_records_are_found_by_what_the_endpoint_says(serve: Serve, store: Store) -> None:
    """Through the same door as the built-in embedder's."""
    remember(store, "apple pie", "steam engine", "garden fence")
    served = serve()
    assert served.embed() == 3
    near = served.near("steam")
    assert (next(iter(near.rows)) >> 2, near.missing) == (2, "")
    found = served.status()
    assert (found["vectors"], found["waiting"], found["failure"]) == (3, 0, "")
    assert found["embedder"] == "openai"
    assert found["model"].endswith("/embed-small/64")


def test_one_question_is_asked_once(serve: Serve, store: Store) -> None:
    """And none where nothing has a vector."""
    remember(store, "apple pie")
    served = serve()
    assert served.near("apple").missing == "no record has a vector yet; 1 wait for one"
    served.embed()
    for _ in range(3):
        served.near("apple")
    assert texts(served.api.requests).count("apple") == 1


@pytest.mark.parametrize("reply", [fails(500), fails(401), fails(429, retry_after="3600")])
def test_after_a_failure_no_question_asks_for_a_while(
    serve: Serve, store: Store, service: Switched, reply: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full text answers and says why; then one asks again, and all is well."""
    remember(store, "apple pie")
    served = serve(service)
    served.embed()
    service.fails = reply
    sent = len(served.api.requests)
    for word in ("steam", "apple", "pie"):
        near = served.near(word)
        assert (near.rows, served.status()["failure"]) == ({}, near.missing)
        assert "127.0.0.1" in near.missing
    assert len(served.api.requests) == sent + 1
    assert served.database.read(served.meaning.count_waiting) == 0
    service.fails = None
    monkeypatch.setattr(meaning, "RETRY_S", 0.0)
    assert served.near("steam").rows
    assert served.status()["failure"] == ""


def test_a_batch_that_failed_waits_on(serve: Serve, store: Store, service: Switched) -> None:
    """And its failure keeps questions from asking."""
    remember(store, "apple pie")
    served = serve(service)
    served.embed()
    remember(store, "steam engine", root="/repo/other")
    service.fails = fails(503)
    with pytest.raises(Exception, match="asked again later"):
        served.meaning.embed_some()
    sent = len(served.api.requests)
    assert served.near("pie").rows == {}
    assert len(served.api.requests) == sent
    found = served.status()
    assert (found["vectors"], found["waiting"]) == (1, 1)
    service.fails = None
    assert served.embed() == 1
    assert served.near("steam").missing == ""


def test_a_text_that_is_refused_is_given_up_alone(serve: Serve, store: Store) -> None:
    """The others of its batch have their vectors, each paid for once."""
    remember(store, *(f"apple {number}" for number in range(9)), "poison", "pear")
    served = serve(embedding(refuses="poison"))
    assert served.embed() == 11
    # the refused one has a mark in place of a vector, so that it is not asked for again
    assert (served.count("vectors"), served.count("unembedded")) == (11, 0)
    answered = [one for one in served.api.requests if "poison" not in "".join(texts([one]))]
    assert len([text for text in texts(answered) if text.startswith("apple")]) == 9


def test_vectors_of_other_dimensions_are_made_anew(
    serve: Serve, store: Store, service: Switched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the same name stands another model: its vectors are compared with none of the old."""
    monkeypatch.setattr(meaning, "RETRY_S", 0.0)
    remember(store, "apple pie", "steam engine")
    served = serve(service)
    served.embed()
    service.model = embedding(32)
    assert "32 dimensions instead of 64" in served.near("steam").missing
    assert served.near("steam").missing == "no record has a vector yet"
    assert served.status()["waiting"] == 2
    assert served.embed() == 4  # two to be taken up, two embedded
    assert served.near("steam").missing == ""
    query = "SELECT e.name, length(v.vector) FROM vectors v JOIN embedders e ON e.id = v.embedder"
    rows = store.db.execute(query).fetchall()
    assert [(name.rpartition("/")[2], size) for name, size in rows] == [("32", 32)] * 2


def test_another_embedder_makes_all_anew_by_itself(serve: Serve, store: Store) -> None:
    """Without a question or a new record; reports say how many are left."""
    remember(store, "apple pie", "steam engine")
    served = serve()
    served.embed()
    other = Served(
        served.settings.home, store, served.api, **served.settings.values | {"embedding_model": "b"}
    )
    told = {"vectors": 0, "waiting": 2, "model": f"openai/{served.api.url[7:]}/b"}
    assert told.items() <= other.status().items()
    assert told.items() <= vector_report.report(store.db, other.settings).items()
    assert other.embed() == 4
    assert {"vectors": 2, "waiting": 0}.items() <= other.status().items()
    other.database.close()


def test_at_the_cap_records_wait(serve: Serve, store: Store) -> None:
    """`drain` does not wait for them; questions go on as far as the cap goes."""
    remember(store, *(f"apple pie number {number} of the whole orchard" for number in range(40)))
    served = serve(daily_input_tokens=400)
    with pytest.raises(Exception, match="today's cap"):
        served.embed()
    found: dict[str, Any] = served.status()
    assert (found["failure"], "today's cap" in found["capped"]) == ("", True)
    assert found["waiting"] == 40 - found["vectors"]
    assert served.database.read(served.meaning.count_waiting) == 0
    assert sum(tokens for tokens, _ in served.calls()) <= 200


def test_nothing_of_an_excluded_project_is_sent(serve: Serve, store: Store) -> None:
    """Also where it was excluded after it was stored: its records are found by their words."""
    remember(store, "apple pie", root="/repo/open")
    remember(store, "steam engine", root="/repo/closed")
    served = serve(excluded_projects=["/repo/closed"])
    assert served.embed() == 2
    assert "steam" not in "".join(texts(served.api.requests))
    assert (served.count("vectors"), served.count("unembedded")) == (2, 0)  # a mark, not a vector
    assert (served.status()["kept_out"], served.status()["refused"]) == (1, 0)
    assert served.near("secret question", 2).missing == "nothing of an excluded project is sent"
    assert "secret" not in "".join(texts(served.api.requests))
    assert served.near("open question", 1).missing == ""
    assert "open question" in texts(served.api.requests)
    again = serve()  # excluded no more
    assert again.embed() >= 1
    assert "steam" in "".join(texts(again.api.requests))


def test_few_records_are_sent_at_a_time(serve: Serve, store: Store) -> None:
    """What one call made is stored before the next is paid for."""
    body = "A sentence that is a thought of its own, and quite long. " * 40
    project = store.project()
    for number in range(40):
        store.observation(project, f"record {number}", body)
    served = serve()
    served.meaning.embed_some()
    assert len(served.api.requests) == 2
    assert 0 < served.count("vectors") < 40
    served.embed()
    assert served.count("vectors") == 40
