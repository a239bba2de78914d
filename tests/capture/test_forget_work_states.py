"""What was being worked on is forgotten with the rest, comes back for a day, and is gone then."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.capture import forget as asked
from backstory.capture import work_state
from backstory.errors import BadInput, NotFound
from backstory.recall.work_state import current
from backstory.storage import forget, sqlite
from tests.support.home import event
from tests.support.pipeline import START, Pipeline

CANARY = "zqcanaryword"
SESSION = event("Stop")["session_id"]


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipeline]:
    """Two turns, each with a state that was written down in it, and one of no session."""
    pipeline = Pipeline(tmp_path / "data")
    for n, task in enumerate((f"Try {CANARY} first", "Add the invoice export")):
        pipeline.feed(
            event("UserPromptSubmit", prompt_id=f"p{n}", prompt=f"Do part {n} of the work."),
            event("Stop", prompt_id=f"p{n}", last_assistant_message=f"Part {n} is in place."),
        )
        write(pipeline, task, session=1)
    write(pipeline, "By hand", session=None)
    yield pipeline
    pipeline.close()


def write(pipe: Pipeline, task: str, *, session: int | None) -> None:
    """Writes a state down now, by the clock of the events."""
    by = work_state.Writer(session, SESSION if session else "")
    written = work_state.write(pipe.db, 1, {"task": task}, by)
    at = pipe.clock // 1_000_000 + 100
    pipe.db.execute("UPDATE work_states SET created_at = ? WHERE id = ?", (at, written.id))


def tasks(pipe: Pipeline) -> list[str]:
    """The tasks of all states, oldest first."""
    return [task for (task,) in pipe.rows("SELECT task FROM work_states ORDER BY id")]


def ask(pipe: Pipeline, **arguments: Any) -> dict[str, Any]:
    """What forgetting these comes to, once it was confirmed."""
    name = pipe.one("SELECT name FROM projects WHERE id = 1")
    return asked.run(pipe.db, {"project": name, "confirm": True, **arguments})


FIRST, SECOND, BY_HAND = f"Try {CANARY} first", "Add the invoice export", "By hand"


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ({"query": CANARY}, [SECOND, BY_HAND]),
        ({"query": "TRY  zqcanary"}, [SECOND, BY_HAND]),
        ({"session": SESSION}, [BY_HAND]),
        ({"everything": True}, []),
        ({"ids": ["w1", "w3"]}, [SECOND]),
        ({"start": START // 1_000_000 + 3_500}, [FIRST]),
        ({"end": START // 1_000_000 + 3_000}, [SECOND, BY_HAND]),
    ],
)
def test_each_way_of_forgetting_covers_them(
    pipe: Pipeline, arguments: dict[str, Any], left: list[str]
) -> None:
    """By words, session, project, id and date; what was there before comes back by an undo."""
    before = pipe.rows("SELECT * FROM work_states ORDER BY id")
    shown = ask(pipe, **arguments, confirm=False)
    assert shown["would_forget"]["work_states"] == 3 - len(left)
    assert "work states" in shown["label"]
    assert pipe.rows("SELECT * FROM work_states ORDER BY id") == before
    ask(pipe, **arguments)
    assert tasks(pipe) == left
    assert "work states" in asked.undo(pipe.db)
    assert pipe.rows("SELECT * FROM work_states ORDER BY id") == before


def test_a_preview_shows_which(pipe: Pipeline) -> None:
    """Their ids and tasks."""
    shown = ask(pipe, session=SESSION, confirm=False)
    assert [one for one in shown["records"] if one["id"].startswith("w")] == [
        {"id": "w1", "title": FIRST},
        {"id": "w2", "title": SECOND},
    ]


def test_a_turn_takes_along_what_was_written_down_in_it(pipe: Pipeline) -> None:
    """Up to the next prompt."""
    prompt = pipe.one("SELECT id FROM prompts WHERE prompt_id = 'p0'")
    ask(pipe, ids=[f"p{prompt}"])
    assert tasks(pipe) == [SECOND, BY_HAND]


def test_a_record_takes_along_a_state_that_tells_the_same(pipe: Pipeline) -> None:
    """As it does with the other records of its turn."""
    record = pipe.one(
        "INSERT INTO observations (project, session, prompt, type, title, distilled_by,"
        " content_hash, tokens, created_at) SELECT 1, session, id, 'decision', ?, 'rules/1', 'h',"
        " 9, created_at FROM prompts WHERE prompt_id = 'p0' RETURNING id",
        f"Try {CANARY.upper()} first",
    )
    ask(pipe, ids=[str(record)])
    assert tasks(pipe) == [SECOND, BY_HAND]


def test_the_state_before_holds_again(pipe: Pipeline) -> None:
    """As with a record whose successor is forgotten."""
    ask(pipe, ids=["w3"])
    state = current(pipe.db, 1)
    assert state is not None
    assert state["task"] == SECOND


def test_after_its_day_no_file_holds_it(pipe: Pipeline) -> None:
    """G1: in raw bytes."""
    ask(pipe, query=CANARY)
    assert forget.purge(pipe.db, sqlite.now_ms() + 1) == 1
    held = b"".join(path.read_bytes() for path in pipe.home.rglob("*") if path.is_file())
    assert CANARY.encode() not in held.lower()
    assert b"invoice" in held


def test_what_an_earlier_version_forgot_comes_back(pipe: Pipeline) -> None:
    """It knew no work states."""
    ask(pipe, query="Part 0")
    stored = json.loads(zlib.decompress(pipe.one("SELECT rows FROM forgotten")))
    del stored["work_states"]
    packed = zlib.compress(json.dumps(stored).encode())
    pipe.db.execute("UPDATE forgotten SET rows = ?", (packed,))
    asked.undo(pipe.db)
    assert pipe.one("SELECT count(*) FROM prompts WHERE prompt_id = 'p0'") == 1


def test_an_id_that_is_none_is_told(pipe: Pipeline) -> None:
    """Nothing goes."""
    with pytest.raises(NotFound, match="no record w99"):
        ask(pipe, ids=["w99"])
    with pytest.raises(BadInput, match="is no id"):
        ask(pipe, ids=["w"])
    assert len(tasks(pipe)) == 3
