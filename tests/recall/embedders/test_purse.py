"""What vectors of an endpoint cost: counted, reserved before, and half of the day's cap at most."""

from __future__ import annotations

import pytest

from backstory.capture import ledger, spending
from backstory.capture.providers.base import Label, Usage
from backstory.estimate import estimate_tokens
from backstory.recall.embedders import endpoint, purse
from backstory.recall.embedders.base import Capped, NoVectors, Passage
from backstory.storage import sqlite
from backstory.storage.database import Database
from tests.recall.embedders.conftest import MODEL, Serve
from tests.support.embedding_api import embedding
from tests.support.model_api import Request, Scripted, fails, hangs

ONE = [Passage("", "one text of some words")]
COST = estimate_tokens("one text of some words")


@pytest.mark.parametrize("tells", [True, False])
def test_a_batch_is_a_row_of_the_ledger(serve: Serve, tells: bool) -> None:
    """With what the service told, else an estimate; what is told of models counts no batch."""
    served = serve(embedding(tells_usage=tells))
    made = served.endpoint()
    made.passages(ONE)
    probe = estimate_tokens("dimensions")
    assert served.calls() == [(COST + probe, "done")]
    assert served.held() == []
    found = spending.report(served.store.db, served.settings.values)
    assert found["embeddings"]["tokens_in"] == COST + probe
    assert found["today"]["tokens_in"] == COST + probe
    assert found["left"]["tokens_in"] == 500_000 - COST - probe
    assert found["batch"] == {}
    [row] = found["by_model"]
    assert (row["provider"], row["model"], row["calls"]) == ("embeddings", MODEL, 1)


def test_a_failure_costs_nothing_unless_it_may_have(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody knows is counted as it was reserved."""
    monkeypatch.setattr(endpoint, "PASSAGES_S", 0.2)
    replies = [fails(429), fails(500), hangs()]

    def script(request: Request) -> Scripted:
        if request.body["input"] == ["dimensions"]:
            return embedding()(request)
        return replies.pop(0)

    served = serve(script)
    made = served.endpoint()
    for _ in range(2):
        with pytest.raises(NoVectors):
            made.passages(ONE)
        assert (served.calls(), served.held()) == ([], [])
    with pytest.raises(NoVectors):
        made.passages(ONE)
    [(tokens, state)] = served.held()
    assert (tokens >= COST, state) == (True, "lost")


def test_half_of_the_days_cap_is_the_most(serve: Serve) -> None:
    """Nothing is sent beyond it; the next day is a new one."""
    served = serve(daily_input_tokens=8 * COST)
    made = served.endpoint()
    texts = [[Passage("", f"one text of some word{letter}")] for letter in "abcdefgh"]
    made.passages(texts[0])
    made.passages(texts[1])
    with pytest.raises(Capped, match="daily_input_tokens N"):
        list(map(made.passages, texts))
    sent = len(served.api.requests)
    with pytest.raises(Capped):
        made.passages(texts[-1])
    with pytest.raises(Capped):
        made.query("a question that is longer than what is left of the cap by far")
    assert len(served.api.requests) == sent
    assert sum(tokens for tokens, _ in served.calls()) <= 4 * COST
    served.store.db.execute("UPDATE ledger SET at = at - 86400000")
    made.passages(texts[-1])


def test_what_distilling_took_is_gone(serve: Serve) -> None:
    """The cap is one."""
    served = serve(daily_input_tokens=1000)
    with sqlite.transaction(served.store.db):
        spent, label = Usage(990), Label("openai", "m")
        ledger.settle(served.store.db, -1, label, spent, project=None)
    made = served.endpoint()
    with pytest.raises(Capped):
        made.passages(ONE)


def test_a_batch_that_is_more_than_is_left_goes_in_parts(serve: Serve) -> None:
    """A small cap is used as far as it goes."""
    served = serve(daily_input_tokens=12 * COST)
    made = served.endpoint()
    with pytest.raises(Capped):
        made.passages([Passage("", f"one text of some word{letter}") for letter in "abcdefgh"])
    assert served.calls()
    assert sum(tokens for tokens, _ in served.calls()) <= 6 * COST


def test_questions_are_counted_too(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory at first; they count against the cap at once, and are written after a while."""
    served = serve()
    made = served.endpoint()
    made.query("what was decided")
    cost = estimate_tokens("what was decided") + estimate_tokens("dimensions")
    made.tidy()
    assert served.calls() == []
    monkeypatch.setattr(purse, "UNWRITTEN_S", 0.0)
    made.tidy()
    made.tidy()
    assert served.calls() == [(cost, "done")]
    made.query("what was decided later")
    made.close()
    assert len(served.calls()) == 2


def test_a_process_that_does_not_write_asks_no_endpoint(serve: Serve) -> None:
    """What it cost could not be counted."""
    served = serve()
    with pytest.raises(NoVectors, match="by the worker alone"):
        endpoint.Endpoint(served.settings, Database(served.database.path))
    assert served.api.requests == []


def test_an_embedding_tells_nothing_of_how_long_answers_are(serve: Serve) -> None:
    """Else a call that was lost would count for less."""
    served = serve()
    with sqlite.transaction(served.store.db):
        ledger.settle(served.store.db, -1, Label("openai", "m"), Usage(10, 4000), project=None)
    made = served.endpoint()
    for letter in "abc":
        made.passages([Passage("", letter)])
    assert ledger.usual_output(served.store.db) == 4000


def test_a_lost_batch_is_not_the_days_first_lost_answer(serve: Serve) -> None:
    """The first of a model keeps all that it may have had."""
    served = serve()
    with sqlite.transaction(served.store.db):
        for label, out in ((Label(ledger.EMBEDDINGS, "e"), 0), (Label("openai", "m"), 9000)):
            ledger.lose(served.store.db, ledger.reserve(served.store.db, None, label, 10, out))
    query = "SELECT tokens_out FROM reservations ORDER BY id"
    assert served.store.db.execute(query).fetchall() == [(0,), (9000,)]
