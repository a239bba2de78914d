"""What a person wants forgotten, as they say it."""

from __future__ import annotations

from typing import Any

import pytest

from backstory.capture import forget
from backstory.capture.save import save
from backstory.errors import BadInput, NotFound
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline

HERE = {"cwd": "/r"}


@pytest.fixture
def pipe(pipe: Pipeline) -> Pipeline:
    """Two sessions in /r and one in /other, each with a turn; a saved note in /r."""
    for number, (session, folder, word) in enumerate(
        [("s1", "/r", "apple"), ("s2", "/r", "banana"), ("s3", "/other", "apple")]
    ):
        same = {"session_id": session, "cwd": folder, "prompt_id": f"p{number}"}
        pipe.feed(
            event("UserPromptSubmit", prompt=f"We decided to use the {word} parser.", **same),
            tool(f"toolu_{number}", f"make {word}", **same),
            event("Stop", last_assistant_message=f"The {word} parser is in, because.", **same),
        )
    save(pipe.db, 1, "Remember the cherry rule.")
    return pipe


def run(pipe: Pipeline, **arguments: Any) -> dict[str, Any]:
    """The command's answer."""
    return forget.run(pipe.db, arguments)


def hits(pipe: Pipeline, word: str, project: int = 1) -> int:
    """How many documents of a project hold a word."""
    query = f"search_text MATCH 'scope: \"p{project}\" AND {word}'"
    return int(pipe.one(f"SELECT count(*) FROM search_text WHERE {query}"))


def prompts(pipe: Pipeline) -> list[str]:
    """The turns that are left, by session."""
    query = "SELECT s.session_id FROM prompts p JOIN sessions s ON s.id = p.session ORDER BY p.id"
    return [name for (name,) in pipe.rows(query)]


def test_nothing_goes_without_confirmation(pipe: Pipeline) -> None:
    """The preview counts and shows titles."""
    shown = run(pipe, query="apple", **HERE)
    assert shown["would_forget"]["prompts"] == 1
    assert "prompts" in shown["label"]
    assert all("apple" in record["title"].lower() for record in shown["records"])
    assert prompts(pipe) == ["s1", "s2", "s3"]


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ({"query": "APPLE  parser", **HERE}, ["s2", "s3"]),
        ({"query": "make banana", **HERE}, ["s1", "s3"]),
        ({"session": "s2", **HERE}, ["s1", "s3"]),
        ({"everything": True, **HERE}, ["s3"]),
        ({"everything": True, "project": "other"}, ["s1", "s2"]),
        ({"ids": ["p2"], **HERE}, ["s1", "s3"]),
        ({"ids": ["#p1", "p2"]}, ["s3"]),
        ({"start": 0, "end": 1 << 50, **HERE}, ["s3"]),
        ({"end": 1_780_000_003_500, **HERE}, ["s2", "s3"]),
        ({"start": 1_780_000_003_500, **HERE}, ["s1", "s3"]),
    ],
)
def test_turns_go_by_text_session_project_id_or_time(
    pipe: Pipeline, arguments: dict[str, Any], left: list[str]
) -> None:
    """And only those of the project that is meant."""
    answer = run(pipe, confirm=True, **arguments)
    gone = {"s1", "s2", "s3"} - set(left)
    if "make" not in str(arguments):  # raw output alone does not take its whole turn
        assert prompts(pipe) == left
        assert answer["forgotten"]["prompts"] == len(gone)
    assert answer["undo"] == "for one day"
    assert pipe.rows("PRAGMA foreign_key_check") == []
    run(pipe, undo=True)
    assert prompts(pipe) == ["s1", "s2", "s3"]
    assert hits(pipe, "apple") >= 1


def test_an_undo_brings_back_rows_and_what_finds_them(pipe: Pipeline) -> None:
    """The newest first; each once."""
    tables = ("prompts", "tool_uses", "tool_io", "observations", "summaries", "search_text")
    before = {table: sorted(pipe.rows(f"SELECT * FROM {table}"), key=str) for table in tables}
    docs = "SELECT rowid, * FROM search_text ORDER BY rowid"
    index = pipe.rows(docs)
    run(pipe, query="apple", confirm=True, **HERE)
    assert hits(pipe, "apple") == 0
    assert hits(pipe, "apple", 2) > 0
    run(pipe, query="banana", confirm=True, **HERE)
    listed = run(pipe, list=True)["forgotten"]
    assert len(listed) == 2
    assert "apple" not in str(listed)
    assert "prompts" in run(pipe, undo=True)["restored"]
    assert hits(pipe, "banana") > 0
    run(pipe, undo=True)
    assert {t: sorted(pipe.rows(f"SELECT * FROM {t}"), key=str) for t in tables} == before
    assert pipe.rows(docs) == index
    with pytest.raises(NotFound, match="nothing to bring back"):
        run(pipe, undo=True)


def test_a_record_takes_what_it_rests_on_and_what_tells_the_same(pipe: Pipeline) -> None:
    """Else the text would go on in another table."""
    record = pipe.one("SELECT id FROM observations WHERE project = 1 AND title LIKE '%apple%'")
    run(pipe, ids=[record], confirm=True, **HERE)
    for table in ("prompts", "observations", "summaries"):
        assert "apple" not in str(pipe.rows(f"SELECT * FROM {table} WHERE project = 1"))
    assert hits(pipe, "apple") == 0
    assert hits(pipe, "apple", 2) > 0


def test_a_saved_memory_goes_by_its_id_and_by_its_words(pipe: Pipeline) -> None:
    """It belongs to no turn."""
    record = pipe.one("SELECT id FROM observations WHERE distilled_by = 'user'")
    assert run(pipe, ids=[str(record)], confirm=True)["forgotten"] == {"observations": 1}
    run(pipe, undo=True)
    assert run(pipe, query="cherry rule", **HERE)["would_forget"] == {"observations": 1}


def test_the_prompts_that_a_record_waits_for_go_and_come_back_with_it(pipe: Pipeline) -> None:
    """A text that stands in them alone is forgotten, too."""
    record = pipe.one("SELECT id FROM observations WHERE distilled_by = 'user'")
    add = "INSERT INTO observation_queries (observation, query) VALUES (?, 'where do plums grow')"
    pipe.db.execute(add, (record,))
    assert run(pipe, query="do plums grow", confirm=True, **HERE)["forgotten"] == {
        "observations": 1
    }
    assert pipe.rows("SELECT * FROM observation_queries") == []
    run(pipe, undo=True)
    assert pipe.rows("SELECT * FROM observation_queries") == [(record, "where do plums grow")]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, BadInput, "what is to be forgotten"),
        (HERE, BadInput, "what is to be forgotten"),
        ({"qery": "x"}, BadInput, "unknown argument 'qery'"),
        ({"ids": ["x5"]}, BadInput, "is no id"),
        ({"ids": ["1; DROP TABLE prompts"]}, BadInput, "is no id"),
        ({"ids": [999]}, NotFound, "no record 999"),
        ({"ids": ["p3"], **HERE}, NotFound, "no record p3 here"),
        ({"ids": ["s999"]}, NotFound, "no record s999"),
        ({"session": "nope"}, NotFound, "nothing is stored of session"),
        ({"query": " a ", **HERE}, BadInput, "too short"),
        ({"query": "apple", "cwd": "/unknown"}, NotFound, "nothing is stored for this project"),
        ({"everything": True, "project": "nope"}, NotFound, "no project 'nope'"),
    ],
)
def test_what_is_not_clear_forgets_nothing(
    pipe: Pipeline, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    """The message says what to do."""
    with pytest.raises(error, match=words):
        run(pipe, confirm=True, **arguments)
    assert prompts(pipe) == ["s1", "s2", "s3"]


def test_a_text_that_looks_like_syntax_is_only_text(pipe: Pipeline) -> None:
    """F1: nothing in it is an operator."""
    for text in ('"', "100% OR", "a' OR 1=1 --", "*** NEAR(", "appl%"):
        if len(text) > 2:
            assert run(pipe, query=text, **HERE)["would_forget"] == {}


def test_a_record_that_quotes_its_prompt_takes_the_turn_along(pipe: Pipeline) -> None:
    """Else the text would go on in the prompt."""
    same = {"session_id": "s9", "cwd": "/r", "prompt_id": "p9"}
    pipe.feed(
        event("UserPromptSubmit", prompt="Why does zanzibar time out after the deploy?", **same),
        tool("toolu_9", "grep -rn timeout gateway.py", **same),
        event("Stop", last_assistant_message="The pool is exhausted: raise it to 40.", **same),
    )
    query = "SELECT id FROM observations WHERE narrative LIKE '%zanzibar%' ORDER BY id DESC LIMIT 1"
    run(pipe, ids=[str(pipe.one(query))], confirm=True, **HERE)
    assert hits(pipe, "zanzibar") == 0
    assert "s9" not in prompts(pipe)
