"""Vectors: made in the background, true to their texts, and never needed for an answer."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from backstory.errors import StorageError
from backstory.recall import meaning
from backstory.recall.embedders.base import NoVectors
from backstory.recall.meaning import Meaning, Near, passages_of
from backstory.recall.query import SearchQuery
from backstory.recall.render import search_text
from backstory.recall.search import search
from backstory.storage import forget, text_index
from backstory.storage.database import Database
from tests.recall.conftest import Meant, Store
from tests.support.embedding import HashedWords

LATER = 10_000.0  # seconds: after every wait


@pytest.fixture
def sea(meant: Meant) -> Meant:
    """A store in which `vessel` means what `ship` does, with a ship and a tree, embedded."""
    meant.embedder.synonyms["vessel"] = "ship"
    project = meant.store.project()
    meant.store.observation(project, "The ship left")
    meant.store.observation(project, "A tree grew")
    assert meant.embed() == 2
    return meant


def rewrite(store: Store, record: int, title: str) -> None:
    """Another text for a record, as a distiller writes it."""
    store.db.execute("UPDATE observations SET title = ? WHERE id = ?", (title, record))
    text_index.put(store.db, "observation", record, project=1, type="discovery", title=title)


def pass_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Lets the clock run ahead."""
    clock: Callable[[], float] = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + seconds)


def test_a_record_is_found_by_what_it_means(sea: Meant) -> None:
    """And the answer says that nothing but the meaning led to it."""
    result = sea.search("vessel")
    assert [row.id for row in result.rows] == ["1"]
    assert (result.how, result.backends) == ("meaning", ("full text", "vectors"))
    assert "that may mean the same" in search_text(result, query="vessel").splitlines()[1]
    assert sea.search("ship").how == "all words"
    assert "mean the same" not in search_text(sea.search("ship"), query="ship")


def test_a_text_that_changes_gets_a_new_vector(sea: Meant) -> None:
    """Until then it is found by its words, and by no old meaning."""
    rewrite(sea.store, 1, "The kitchen burned")
    assert (sea.vectors(), sea.waiting()) == ({8}, {4})
    assert sea.found("vessel") == []
    assert sea.found("kitchen") == ["1"]
    assert sea.embed() == 1
    assert (sea.vectors(), sea.waiting()) == ({4, 8}, set())
    sea.embedder.synonyms["galley"] = "kitchen"
    assert sea.found("galley") == ["1"]
    assert sea.found("vessel") == []


def test_a_text_that_changes_while_it_is_embedded_waits_on(sea: Meant) -> None:
    """The vector of the old text is not stored for the new one."""
    rewrite(sea.store, 1, "The cellar flooded")
    sea.embedder.meanwhile = lambda: rewrite(sea.store, 1, "The kitchen burned")
    assert sea.meaning.embed_some() == 1
    assert (sea.vectors(), sea.waiting()) == ({8}, {4})
    sea.embedder.meanwhile = bool
    sea.embed()
    assert sea.embedder.seen[-1].startswith("The kitchen burned")
    assert sea.vectors() == {4, 8}


def test_a_record_that_goes_while_it_is_embedded_leaves_nothing(sea: Meant) -> None:
    """Neither a vector nor something that waits."""
    rewrite(sea.store, 1, "The cellar flooded")

    def remove() -> None:
        sea.store.db.execute("DELETE FROM observations WHERE id = 1")
        text_index.drop(sea.store.db, "observation", 1)

    sea.embedder.meanwhile = remove
    sea.embed()
    assert (sea.vectors(), sea.waiting()) == ({8}, set())


def test_what_waits_without_a_record_waits_no_more(sea: Meant) -> None:
    """Else it would be taken up for ever."""
    sea.store.db.execute("INSERT INTO unembedded VALUES (4000), (4001), (4002)")
    assert sea.meaning.embed_some() == 3
    assert sea.waiting() == set()
    assert sea.meaning.embed_some() == 0


def test_all_kinds_are_embedded(meant: Meant) -> None:
    """By what they say: a prompt by its text, a summary by its parts."""
    meant.embedder.synonyms["vessel"] = "ship"
    store = meant.store
    project = store.project()
    session = store.session(project, "one")
    prompt = store.prompt(project, session, "Where is the ship?")
    summary = store.summary(project, session, prompt, request="A look", learned="a ship sank")
    record = store.observation(project, "A find", facts=("one ship is gone",))
    assert meant.embed() == 3
    assert set(meant.found("vessel")) == {f"p{prompt}", f"s{summary}", str(record)}


def test_a_long_record_is_found_by_each_of_its_parts(meant: Meant) -> None:
    """One vector of all of it would be near to nothing."""
    meant.embedder.synonyms["vessel"] = "ship"
    other = " ".join(f"Filler{number} is told here at some length." for number in range(60))
    project = meant.store.project()
    long = meant.store.observation(project, "Things", f"{other}\n{'The ship left. ' * 40}\n{other}")
    for number in range(30):
        meant.store.observation(project, f"Another{number}")
    meant.embed()
    assert meant.found("the vessel left")[0] == str(long)
    assert len(passages_of("t", other)) > 2
    parts = passages_of("title", f"{other} {other} {other} {other}")
    assert 8 <= len(parts) <= meaning.MOST_PARTS
    assert [part.title for part in parts] == ["title"] + [""] * (len(parts) - 1)


def test_the_prompts_that_a_record_waits_for_are_a_part_of_their_own(meant: Meant) -> None:
    """It is found by them, and by its own words as well as before."""
    parts = passages_of("title", "body", "why is it slow what about the cache")
    assert [(one.title, one.body) for one in parts] == [
        ("title", "body"),
        ("", "why is it slow what about the cache"),
    ]
    assert passages_of("title", "body", "") == passages_of("title", "body")
    project = meant.store.project()
    waits = ("the vessel sinks", "harbour fees")
    record = meant.store.observation(project, "Cargo", "Bananas.", queries=waits)
    meant.store.observation(project, "Weather", "Rain.")
    meant.embed()
    assert meant.found("the vessel sinks")[0] == str(record)
    assert meant.found("bananas")[0] == str(record)


@pytest.mark.parametrize("text", ["", "\n", "x" * 5_000, "\n\n\n", ". . . ", "。" * 700])
def test_any_text_has_at_least_one_part(text: str) -> None:
    """And none of its first characters is lost."""
    parts = passages_of("title", text)
    assert parts
    assert parts[0].title == "title"
    joined = "".join(part.body for part in parts)
    assert joined.strip() == text[: meaning.PART * meaning.MOST_PARTS].strip()


def test_an_embedder_that_fails_leaves_full_text_and_says_so(
    sea: Meant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F11: it is asked again later, and what waited is embedded then."""
    sea.embedder.failure = "the endpoint is down"
    sea.store.observation(1, "The ship came back")
    with pytest.raises(NoVectors, match="endpoint is down"):
        sea.embed()
    result = sea.search("ship harbour")
    assert {row.id for row in result.rows} == {"1", "3"}
    assert result.note == "found by words alone: the endpoint is down"
    assert "the endpoint is down" in search_text(result, query="ship harbour")
    assert result.backends == ("full text",)
    assert sea.waiting() == {12}
    sea.embedder.failure = ""
    pass_time(monkeypatch, LATER)
    assert sea.embed() == 1
    assert set(sea.found("vessel")) == {"1", "3"}
    assert sea.search("vessel").note == ""


def test_a_text_that_is_refused_stops_no_other(meant: Meant) -> None:
    """Found by its words as before, and not sent again."""
    project = meant.store.project()
    for number in range(20):
        secret = "forbidden" if number in (3, 17) else "fine"
        meant.store.observation(project, f"Thing{number} is {secret}")
    meant.embedder.refused = "forbidden"
    assert meant.embed() == 20
    assert meant.waiting() == set()
    assert len(meant.vectors()) == 18
    assert set(meant.found("forbidden")[:2]) == {"4", "18"}
    assert meant.database.read(meant.meaning.status)["refused"] == 2


def another(sea: Meant, name: str) -> Meaning:
    """What a worker has after its embedder became another."""
    sea.embedder.name = name
    sea.meaning = Meaning(sea.database, sea.settings)
    return sea.meaning


def test_until_they_are_made_anew_words_find_and_the_answer_says_so(sea: Meant) -> None:
    """Vectors of two embedders are never compared."""
    another(sea, "hashed/2")
    assert sea.found("vessel") == []
    result = sea.search("ship harbour")
    assert [row.id for row in result.rows] == ["1"]
    assert "no record has a vector yet; 2 wait for one" in result.note
    assert sea.database.read(sea.meaning.count_waiting) == 2  # who waits for all waits for these


def test_switched_off_is_said(sea: Meant, tmp_path: Path) -> None:
    """Full text answers, nothing is loaded, and nobody waits."""
    (tmp_path / "settings.json").write_text('{"embedder": "none"}')
    off = Meant(tmp_path, sea.store, sea.embedder)
    asked = len(sea.embedder.asked)
    try:
        assert off.meaning.is_off
        result = off.search("ship harbour")
        assert [row.id for row in result.rows] == ["1"]
        assert "switched off" in result.note
        sea.store.observation(1, "New")
        assert off.database.read(off.meaning.count_waiting) == 0
        assert not off.meaning.is_loaded
        assert len(sea.embedder.asked) == asked
    finally:
        off.database.close()


def test_what_is_forgotten_has_no_vector(sea: Meant) -> None:
    """Brought back, it gets one again."""
    doomed = forget.Doomed()
    forget.add_observation(sea.store.db, doomed, 1)
    forget.forget(sea.store.db, doomed)
    assert (sea.vectors(), sea.waiting()) == ({8}, set())
    assert sea.found("vessel") == []
    forget.undo(sea.store.db)
    assert sea.waiting() == {4}
    sea.embed()
    assert sea.found("vessel") == ["1"]


def test_models_are_let_go_when_nobody_asks(sea: Meant, monkeypatch: pytest.MonkeyPatch) -> None:
    """And loaded again by the next question."""
    sea.meaning.release_unused()
    loaded = [sea.meaning.is_loaded]
    pass_time(monkeypatch, meaning.UNUSED_S + 1)
    sea.meaning.release_unused()
    loaded.append(sea.meaning.is_loaded)
    assert sea.found("vessel") == ["1"]
    assert [*loaded, sea.meaning.is_loaded] == [True, False, True]


def test_a_question_that_was_asked_before_is_not_embedded_again(sea: Meant) -> None:
    """However it is punctuated; only the newest are remembered."""
    before = len(sea.embedder.asked)
    for text in ("Vessel left", "vessel left?", "(vessel) left!"):
        sea.search(text)
    assert sea.embedder.asked[before:] == ["vessel left"]
    for number in range(meaning._REMEMBERED):
        sea.search(f"vessel w{number}x")
    sea.search("vessel left")
    assert sea.embedder.asked.count("vessel left") == 2


def test_a_process_that_only_reads_finds_by_meaning(sea: Meant) -> None:
    """As `mcp --direct` does, beside the worker."""
    reader = Database(sea.database.path)
    try:
        near = Meaning(reader, sea.settings)
        found = reader.read(lambda db: search(db, SearchQuery("vessel"), near.nearest))
        assert [row.id for row in found.rows] == ["1"]
    finally:
        reader.close()


def test_a_process_that_only_reads_works_before_there_are_vectors(
    meant: Meant, store: Store
) -> None:
    """It writes nothing, and says what is missing."""
    store.observation(store.project(), "The ship left")
    reader = Database(meant.database.path)
    try:
        near = Meaning(reader, meant.settings)
        found = reader.read(lambda db: search(db, SearchQuery("ship harbour"), near.nearest))
        assert [row.id for row in found.rows] == ["1"]
        assert "no record has a vector yet" in found.note
    finally:
        reader.close()
    assert store.db.execute("SELECT count(*) FROM embedders").fetchone() == (0,)


@pytest.mark.parametrize("damage", ["UPDATE vectors SET vector = x'01'", "DROP TABLE vectors"])
def test_damaged_vectors_leave_full_text(sea: Meant, damage: str) -> None:
    """F11: whether or not they were loaded before."""
    assert sea.found("vessel") == ["1"]
    sea.store.db.execute(damage)
    for fresh in (False, True):
        if fresh:
            sea.meaning = Meaning(sea.database, sea.settings)
        result = sea.search("ship harbour")
        assert [row.id for row in result.rows] == ["1"]
        assert result.backends == ("full text",)
        assert sea.found("vessel") == []
    assert sea.search("ship harbour").note


def test_an_embedder_that_breaks_leaves_full_text(
    sea: Meant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F11: an error that nobody foresaw is no reason to answer nothing."""

    def broken(_: str) -> None:
        raise RuntimeError("secret text in a message")

    monkeypatch.setattr(sea.embedder, "query", broken)
    result = sea.search("ship harbour")
    assert [row.id for row in result.rows] == ["1"]
    assert result.note.startswith("found by words alone")
    assert "secret" not in result.note


def test_an_interrupted_search_is_not_taken_for_an_answer(store: Store) -> None:
    """A call's time is over: that is a failure, not fewer hits."""
    store.observation(store.project(), "The ship left")

    def interrupted(*_: object) -> Near:
        raise sqlite3.OperationalError("interrupted")

    with pytest.raises(StorageError, match="interrupted"):
        search(store.db, SearchQuery("ship harbour"), interrupted)


def test_many_that_wait_are_told_of(meant: Meant, embedder: HashedWords) -> None:
    """A question that finds by meaning while much is not embedded says so."""
    embedder.synonyms["vessel"] = "ship"
    project = meant.store.project()
    for number in range(meaning.BATCH + 2):
        meant.store.observation(project, f"The ship left {number}")
    meant.meaning.embed_some()
    assert meant.search("vessel").note == ""
    for number in range(meaning.BATCH):
        meant.store.observation(project, f"A tree grew {number}")
    assert f"{meaning.BATCH + 2} records have no vector yet" in meant.search("vessel").note


def test_whoever_waits_for_vectors_does_not_wait_for_an_embedder_that_fails(
    sea: Meant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`drain` ends: nothing more can be made now; later it waits again."""
    sea.embedder.failure = "the endpoint is down"
    sea.store.observation(1, "The ship came back")
    assert sea.database.read(sea.meaning.count_waiting) == 1
    with pytest.raises(NoVectors):
        sea.embed()
    assert sea.database.read(sea.meaning.count_waiting) == 0
    sea.embedder.failure = ""
    pass_time(monkeypatch, LATER)
    sea.embed()
    sea.store.observation(1, "The ship left again")
    assert sea.database.read(sea.meaning.count_waiting) == 1


def test_a_refused_text_that_changes_meanwhile_is_tried_again(sea: Meant) -> None:
    """What was refused is the old text."""
    rewrite(sea.store, 1, "forbidden")
    sea.embedder.refused = "forbidden"
    # the first of the two is embedded while the other, which was refused, is written anew
    rewrite(sea.store, 2, "A bush grew")
    sea.embedder.meanwhile = lambda: rewrite(sea.store, 1, "The kitchen burned")
    sea.meaning.embed_some()
    assert sea.waiting() == {4}
    sea.embedder.meanwhile = bool
    sea.embed()
    assert sea.vectors() == {4, 8}


def test_another_embedders_vectors_are_made_anew(sea: Meant) -> None:
    """A worker that nobody asks anything does it too, and says how far it is."""
    made = another(sea, "hashed/2")
    assert made.embed_some() == 0
    assert made.make_anew() == 2
    assert sea.waiting() == {4, 8}
    assert sea.database.read(made.status)["waiting"] == 2
    assert sea.embed() == 2
    while made.make_anew():
        pass
    found = sea.database.read(made.status)
    assert (found["model"], found["vectors"], found["waiting"]) == ("hashed/2", 2, 0)
    names = "SELECT DISTINCT name FROM vectors v JOIN embedders e ON e.id = v.embedder"
    assert sea.store.db.execute(names).fetchall() == [("hashed/2",)]
    assert sea.found("vessel") == ["1"]


def test_what_another_embedder_refuses_is_asked_of_it_once(sea: Meant) -> None:
    """A vector of the old one that stays must not be made anew for ever."""
    made = another(sea, "hashed/2")
    sea.embedder.refused = "tree"
    for _ in range(6):
        made.make_anew()
        while made.embed_some():
            pass
    assert (made.make_anew(), sea.waiting(), sea.vectors()) == (0, set(), {4})
    # and the next embedder is asked again
    sea.embedder.refused = ""
    last = another(sea, "hashed/3")
    assert last.make_anew() == 2
    while last.embed_some():
        pass
    assert sea.vectors() == {4, 8}


def test_text_without_sentences_is_cut_all_the_same() -> None:
    """Logs and code: each 600 characters have their vector."""
    parts = passages_of("log", "x" * 2_000)
    assert [len(part.body) for part in parts] == [600, 600, 600, 200]
