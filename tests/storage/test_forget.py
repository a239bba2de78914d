"""What is forgotten can come back for a day, whatever happens meanwhile; then it is in no file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.capture.save import save
from backstory.storage import forget, gates, sqlite, text_index
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline

CANARY = "zqcanaryword"
STORY = (
    event("UserPromptSubmit", prompt=f"We decided to use {CANARY} because it is fast."),
    tool("toolu_1", f"make {CANARY}", tool_response={"stdout": f"built {CANARY}", "stderr": ""}),
    event("SubagentStop", agent_id="a1", last_assistant_message=f"I found {CANARY}."),
    event("PostCompact", trigger="auto", compact_summary=f"So far {CANARY}."),
    event("Stop", last_assistant_message=f"{CANARY} is in place."),
)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipeline]:
    """A turn whose every part tells the same word, and another that does not."""
    pipeline = Pipeline(tmp_path / "data")
    pipeline.feed(*STORY)
    pipeline.feed(
        event("UserPromptSubmit", prompt_id="p2", prompt="Add the invoice export."),
        event("Stop", prompt_id="p2", last_assistant_message="Export added, because asked."),
    )
    yield pipeline
    pipeline.close()


def all_of(pipe: Pipeline, text: str = CANARY) -> forget.Doomed:
    """Everything in which the text stands."""
    doomed = forget.Doomed()
    forget.add_matching(pipe.db, doomed, 1, text)
    return doomed


def everything(pipe: Pipeline) -> str:
    """All texts of all tables but what can come back."""
    tables = ("prompts", "observations", "summaries", "agents", "compactions", "search_text")
    texts = [str(pipe.rows(f"SELECT * FROM {table}")) for table in tables]
    texts += [
        forget.unescaped(blob)
        for row in pipe.rows("SELECT input, output FROM tool_io")
        for blob in row
    ]
    return "\n".join(texts)


def files_with(folder: Path, word: str) -> list[str]:
    """The files in which the bytes of a word stand, in any case."""
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes().lower()
    ]


def test_every_copy_of_a_text_goes(pipe: Pipeline) -> None:
    """G1: prompt, call, subagent, compaction, record, summary and index."""
    assert everything(pipe).count(CANARY) > 8
    forget.forget(pipe.db, all_of(pipe))
    assert CANARY not in everything(pipe)
    assert "invoice" in everything(pipe)


def test_after_a_purge_no_file_holds_it(pipe: Pipeline) -> None:
    """Neither the database, nor its WAL, nor the spool: in raw bytes, also parts of the word."""
    assert files_with(pipe.home, CANARY)
    forget.forget(pipe.db, all_of(pipe))
    assert forget.purge(pipe.db) == 0  # its day is not over
    assert forget.listed(pipe.db)
    assert forget.purge(pipe.db, sqlite.now_ms() + 1) == 1
    assert forget.listed(pipe.db) == []
    assert files_with(pipe.home, CANARY) == []
    assert files_with(pipe.home, CANARY[2:]) == []  # an index shares the beginnings of words
    assert files_with(pipe.home, "invoice")
    pipe.close()
    assert files_with(pipe.home, CANARY[2:]) == []


def test_a_day_later_it_goes_for_good(pipe: Pipeline) -> None:
    """Not earlier."""
    forget.forget(pipe.db, all_of(pipe))
    pipe.db.execute("UPDATE forgotten SET at = at - ?", (forget.UNDO_MS - 60_000,))
    assert forget.purge(pipe.db) == 0
    pipe.db.execute("UPDATE forgotten SET at = at - 120000")
    assert forget.purge(pipe.db) == 1


def counts(pipe: Pipeline) -> dict[str, int]:
    """Rows of every table that can be forgotten."""
    return {table: pipe.one(f"SELECT count(*) FROM {table}") for table in forget.TABLES}


def indexed(pipe: Pipeline, word: str) -> set[tuple[str, int]]:
    """The records whose documents hold a word."""
    rows = pipe.rows("SELECT rowid FROM search_text WHERE search_text MATCH ?", word)
    return {text_index.record_of(row) for (row,) in rows}


def test_an_undo_is_exact(pipe: Pipeline) -> None:
    """Ids, links, raw bytes and index."""
    before = {t: sorted(pipe.rows(f"SELECT * FROM {t}"), key=str) for t in forget.TABLES}
    index = pipe.rows("SELECT rowid, * FROM search_text ORDER BY rowid")
    forget.forget(pipe.db, all_of(pipe))
    forget.undo(pipe.db)
    assert {t: sorted(pipe.rows(f"SELECT * FROM {t}"), key=str) for t in forget.TABLES} == before
    assert pipe.rows("SELECT rowid, * FROM search_text ORDER BY rowid") == index


def test_what_came_meanwhile_keeps_its_ids_and_its_index(pipe: Pipeline) -> None:
    """An id is never given twice: the newest record forgotten, another captured, then undone."""
    newest = pipe.one("SELECT max(id) FROM observations")
    doomed = forget.Doomed()
    forget.add_turn(pipe.db, doomed, pipe.one("SELECT max(id) FROM prompts"))
    assert newest in doomed.observations
    forget.forget(pipe.db, doomed)
    pipe.feed(
        event("UserPromptSubmit", prompt_id="p3", prompt="We decided to use bananas."),
        event("Stop", prompt_id="p3", last_assistant_message="Bananas, because they are cheap."),
    )
    later = indexed(pipe, "bananas")
    assert later
    assert all(record > newest for kind, record in later if kind == "observation")
    forget.undo(pipe.db)
    assert indexed(pipe, "bananas") == later
    assert ("prompt", 2) in indexed(pipe, "invoice")
    assert pipe.rows("PRAGMA foreign_key_check") == []


def test_a_turn_that_went_on_meanwhile_takes_its_past_back(pipe: Pipeline) -> None:
    """Its prompt was recorded again, under another id, by a later call."""
    before = counts(pipe)
    forget.forget(pipe.db, all_of(pipe))
    pipe.feed(tool("toolu_2", "make invoices"), STORY[1])
    renewed = pipe.one("SELECT id FROM prompts WHERE prompt_id = ?", STORY[0]["prompt_id"])
    assert renewed > 2
    forget.undo(pipe.db)
    after = counts(pipe)
    assert after["prompts"] == before["prompts"]
    assert after["tool_uses"] == before["tool_uses"] + 1
    assert after["observations"] >= before["observations"]
    assert pipe.rows("SELECT DISTINCT prompt FROM tool_uses") == [(renewed,)]
    assert pipe.rows("PRAGMA foreign_key_check") == []
    assert CANARY in pipe.one("SELECT text FROM prompts WHERE id = ?", renewed)
    assert {one for one in indexed(pipe, CANARY) if one[0] == "prompt"} == {("prompt", renewed)}
    pipe.feed(STORY[4])
    assert pipe.rows("SELECT count(*) FROM jobs WHERE state <> 'done'") == [(0,)]


def test_the_same_words_saved_again_meanwhile_stay_one(pipe: Pipeline) -> None:
    """The record that is there now wins."""
    first = save(pipe.db, 1, "Deploy on Tuesdays.", files=("deploy.sh",))
    doomed = forget.Doomed()
    forget.add_observation(pipe.db, doomed, first.id)
    forget.forget(pipe.db, doomed)
    second = save(pipe.db, 1, "Deploy on Tuesdays.", files=("deploy.sh",))
    assert second.new
    assert second.id > first.id
    forget.undo(pipe.db)
    assert indexed(pipe, "tuesdays") == {("observation", second.id)}
    assert pipe.rows("PRAGMA foreign_key_check") == []


def test_the_label_tells_no_text(pipe: Pipeline) -> None:
    """It is listed for a day."""
    forget.forget(pipe.db, all_of(pipe))
    (entry,) = forget.listed(pipe.db)
    assert CANARY not in str(entry)
    assert "1 prompts" in entry["label"]
    assert forget.Doomed().label() == "nothing"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": ["x", {"b": "y"}], "n": 7}, ["a", "x", "b", "y", "n", "7"]),
        ("text", ["text"]),
        (None, [""]),
        ([True], ["True"]),
    ],
)
def test_raw_texts_are_searched_as_written(value: Any, found: list[str]) -> None:
    """Not as JSON escapes them."""
    from backstory.capture.recording import pack

    assert forget.unescaped(pack(value)[0]).split("\n") == found
    assert forget.unescaped(None) == ""


def test_purging_takes_along_damaged_copies(tmp_path: Path) -> None:
    """A database that was set aside may hold what was forgotten."""
    path = tmp_path / "m.db"
    db = sqlite.open_writer(path)
    copy = tmp_path / "m.db.damaged-20260101-000000"
    copy.write_text("the text")
    assert forget.purge(db, 1 << 62) == 0
    assert copy.exists()
    forget.forget(db, forget.Doomed())
    assert forget.purge(db, 1 << 62) == 1
    assert not copy.exists()
    db.close()


def test_files_and_branches_go_with_their_session(pipe: Pipeline) -> None:
    """Their names are texts, too; other sessions keep their rows."""
    pipe.db.execute("UPDATE sessions SET branch = 'feature/acme', commit_id = 'abc'")
    session = pipe.one("SELECT session_id FROM sessions LIMIT 1")
    for name, path in ((session, f"/repo/{CANARY}.py"), ("another", "/repo/b.py")):
        gates.add(pipe.db, 1, (name, "", path), gates.Spared(20_000, 1_000), 1)
    doomed = forget.Doomed()
    for (prompt,) in pipe.rows("SELECT p.id FROM prompts p JOIN sessions s ON s.id = p.session"):
        forget.add_turn(pipe.db, doomed, prompt)
    forget.forget(pipe.db, doomed)
    assert pipe.rows("SELECT path FROM gates") == [("/repo/b.py",)]
    assert pipe.rows("SELECT DISTINCT branch, commit_id FROM sessions") == [("", "")]
