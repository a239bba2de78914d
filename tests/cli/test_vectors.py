"""Finding by meaning at the command line: set up, told of, asked of a running worker."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from backstory import config, paths
from backstory.cli import vectors
from tests.cli.conftest import Person, turn
from tests.support.embedding_api import embedding, texts
from tests.support.home import until
from tests.support.model_api import ModelApi, hangs

KEY = "sk-test0123456789abcdef"


@pytest.fixture
def api() -> Iterator[ModelApi]:
    """A service of embeddings that knows a fruit's other name."""
    with ModelApi(embedding(synonyms={"pawpaw": "papaya"})) as api:
        yield api


@pytest.fixture
def worked(person: Person) -> Person:
    """Somebody with two turns, and no vectors yet."""
    person.ok("settings", "provider", "rules")
    person.ok("settings", "embedder", "none")
    person.remember(*turn("papaya"), *turn("quince", "s2"))
    return person


def choose(person: Person, api: ModelApi) -> str:
    """Has an endpoint make the vectors; what is said of it."""
    person.ok("settings", "embedding_url", f"{api.url}/v1")
    person.ok("settings", "embedding_key", KEY)
    person.ok("settings", "embedding_model", "embed-small")
    return person.ok("settings", "embedder", "openai")


def test_a_person_gets_the_hits_that_claude_gets(worked: Person, api: ModelApi) -> None:
    """From a real worker, by meaning too; without one by words alone, and the note says so."""
    choose(worked, api)
    worked.ok("drain", "--timeout", "30")
    found = worked.run("search", "pawpaw", "--json").json
    assert "papaya" in found["rows"][0]["title"]
    assert found["how"] == "meaning"
    assert found["note"] == ""
    around = worked.run("timeline", "--query", "pawpaw", "--json").json
    assert around["anchor"] == found["rows"][0]["id"]
    assert "may mean the same" in around["note"]
    branch = worked.run("search", "pawpaw", "--file", "a.py", "--file", "b.py", "--json").json
    assert branch["rows"] == []
    worked.ok("stop")
    found = worked.run("search", "pawpaw", "--json").json
    assert (found["rows"], "no worker runs" in found["note"]) == ([], True)
    assert "words alone" in worked.ok("search", "papaya")
    assert "words alone" in worked.ok("timeline", "--query", "papaya")
    assert "words alone" not in worked.ok("search")
    assert worked.home.pid == 0
    sent = "".join(texts(api.requests))
    assert "papaya" in sent
    assert "pawpaw" in sent
    stats = worked.ok("stats")
    assert "of that for vectors: " in stats
    assert "embeddings embed-small" in stats


def test_a_key_in_a_question_is_not_sent(worked: Person, api: ModelApi) -> None:
    """What is asked passes the same door as what is stored."""
    choose(worked, api)
    worked.ok("drain", "--timeout", "30")
    worked.ok("search", "what", "of", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789AAAA")
    sent = texts(api.requests)[-1]
    assert sent.startswith("what of")
    assert "abcdefghij" not in sent


def test_settings_say_what_they_mean(worked: Person, api: ModelApi) -> None:
    """Before anything is missing, and what is sent where."""
    assert "embedder openai` uses it" in worked.ok("settings", "embedding_model", "small")
    worked.ok("settings", "embedding_model", "--unset")
    assert "backstory settings embedding_url ADDRESS" in worked.ok("settings", "embedder", "openai")
    told = choose(worked, api)
    assert f"are sent to {api.url[7:]}; embed-small embeds all records anew" in told
    assert "at most 250,000 tokens a day" in told
    assert "records to be embedded, in the background" in told
    assert "words alone are searched" in worked.ok("settings", "embedder", "none")
    assert "nothing is sent anywhere" in worked.ok("settings", "embedder", "--unset")
    listed = worked.ok("settings")
    assert "embedding_key = (set)" in listed
    assert KEY not in listed
    assert "takes no user name" in worked.run("settings", "embedding_url", "http://a:b@c/v1").err
    assert "http or https" in worked.run("settings", "embedding_url", "localhost:11434").err


def test_status_and_doctor_tell_of_vectors(worked: Person, api: ModelApi) -> None:
    """With a worker and without; what failed, and what to do."""
    assert "vectors are switched off" in worked.run("status").out
    choose(worked, api)
    worked.ok("drain", "--timeout", "30")
    count = worked.home.one("SELECT count(*) FROM vectors")
    for running in (True, False):
        worked.ok("start" if running else "stop")
        told = worked.run("status").out
        assert f": {count} records\n" in told
        found = {one["name"]: one for one in worked.run("doctor", "--json").json}
        assert found["vectors"]["ok"]
    worked.ok("settings", "embedding_model", "--unset")
    for running in (True, False):
        worked.ok("start" if running else "stop")
        if running:
            worked.run("search", "pawpaw")
        found = {one["name"]: one for one in worked.run("doctor", "--json").json}
        assert not found["vectors"]["ok"]
        assert "backstory settings embedding_model NAME" in found["vectors"]["advice"]


def test_an_endpoint_that_hangs_holds_nothing_up(worked: Person, api: ModelApi) -> None:
    """Neither what waits for it nor the worker's end, which is asked for and not forced."""
    answer = embedding()
    api.script = lambda request: (
        answer(request) if request.body["input"] == ["dimensions"] else hangs()
    )
    choose(worked, api)
    pid = worked.home.pid
    worked.run("drain", "--timeout", "0.5", "--json")
    until(lambda: len(api.requests) > 1, "a batch is under way")
    assert "has stopped" in worked.ok("stop")
    assert worked.home.pid != pid
    assert worked.home.one("SELECT count(*) FROM reservations WHERE state = 'open'") == 1
    worked.ok("settings", "embedder", "none")
    worked.ok("start")
    assert worked.home.one("SELECT count(*) FROM reservations WHERE state = 'open'") == 0


def test_a_session_without_models_asks_no_endpoint(worked: Person, api: ModelApi) -> None:
    """BACKSTORY_PROVIDER=rules: nothing is sent to anybody."""
    choose(worked, api)
    worked.ok("stop")
    worked.patch.setenv("BACKSTORY_PROVIDER", "rules")
    sent = len(api.requests)
    worked.remember(*turn("medlar", "s3"))
    worked.ok("search", "pawpaw")
    assert len(api.requests) == sent


def test_a_key_in_the_clear_is_warned_of(person: Person) -> None:
    """On the way to another machine."""
    folder = person.make_folder()
    values = {"embedder": "openai", "embedding_url": "http://example.org/v1"}
    (folder / paths.SETTINGS).write_text(json.dumps(values))
    assert vectors.unencrypted(config.load(folder)) == ""
    (folder / paths.SETTINGS).write_text(json.dumps(values | {"embedding_key": KEY}))
    assert "unencrypted" in vectors.unencrypted(config.load(folder))
    assert "give embedding_url an https address" in person.run("doctor").out
