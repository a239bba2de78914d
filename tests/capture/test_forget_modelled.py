"""What a model wrote is forgotten with all that tells the same; undone, a model sees the rest."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.capture import forget, model_queue
from backstory.capture.providers.base import Ask
from backstory.storage import forget as storage
from tests.support.home import event, tool
from tests.support.modelled import Modelled, answer, row, summary

HERE = {"session_id": "s1", "prompt_id": "s1-1"}
TABLES = (*storage.TABLES, "jobs", "search_text")


def merging(ask: Ask) -> str:
    """One row in the place of all drafts, in words of its own."""
    drafts = re.findall(r"^(r\d+) \w+: (.*)$", ask.batch, re.MULTILINE)
    events = re.findall(r"^(t1e\d+) ", ask.batch, re.MULTILINE)
    told = row(
        "t1",
        events,
        title="The limits limit_quince and limit_damson were raised",
        narrative="Both limits, limit_quince and limit_damson, went up from 1 to 2.",
        files=["/r/damson.py", "/r/quince.py"],
        replaces=[ref for ref, title in drafts if "limit_" in title],
    )
    return answer(told)


def pairing(ask: Ask) -> str:
    """Two rows on the first call, one on the second, and a summary."""
    events = re.findall(r"^(t1e\d+) ", ask.batch, re.MULTILINE)
    return answer(
        row("t1", events[:1], title="The quince job is slow", narrative="It waits."),
        row("t1", events[:1], title="Slowness comes from quince", narrative="So."),
        row("t1", events[1:2], title="The damson job is quick", narrative="It runs."),
        summaries=[summary("t1", learned="The quince job is slow.")],
    )


def from_words(ask: Ask) -> str:
    """A row that names no call."""
    return answer(row("t1", [], type="decision", title="Quinces are preferred", narrative="Why."))


def edit(name: str, number: int) -> dict[str, Any]:
    """A limit that is raised in a file of its own."""
    path, old, new = f"/r/{name}.py", f"limit_{name} = 1", f"limit_{name} = 2"
    return event(
        "PostToolUse",
        tool_name="Edit",
        tool_input={"file_path": path, "old_string": old, "new_string": new},
        tool_response={"filePath": path, "oldString": old, "newString": new, "originalFile": old},
        tool_use_id=f"toolu_e{number}",
        **HERE,
    )


@pytest.fixture
def made(tmp_path: Path) -> Iterator[list[Modelled]]:
    """Closes what a test opened."""
    opened: list[Modelled] = []
    yield opened
    for one in opened:
        one.close()


def limits(made: list[Modelled], tmp_path: Path) -> Modelled:
    """A turn of two edits, which a model told as one."""
    made.append(Modelled(tmp_path, merging))
    made[0].put(event("UserPromptSubmit", prompt="Raise both.", **HERE))
    made[0].put(edit("damson", 1))
    made[0].put(edit("quince", 2))
    made[0].put(event("Stop", last_assistant_message="Raised.", **HERE))
    made[0].drain()
    return made[0]


def commands(made: list[Modelled], tmp_path: Path, says: Any = pairing) -> Modelled:
    """A turn of commands, which a model has seen."""
    made.append(Modelled(tmp_path, says))
    made[0].turn(1, uses=4)
    made[0].drain()
    return made[0]


def run(m: Modelled, **arguments: Any) -> dict[str, Any]:
    """The command's answer."""
    return m.database.write(lambda db: forget.run(db, arguments))


def change(m: Modelled, query: str, *values: object) -> None:
    """One statement as the worker writes."""
    m.database.write(lambda db: db.execute(query, values) and None)


def by_model(m: Modelled, words: str = "") -> int:
    """The first record of the model whose title holds some words."""
    query = "SELECT min(id) FROM observations WHERE distilled_by LIKE 'openai%' AND title LIKE ?"
    return int(m.one(query, f"%{words}%"))


def told(m: Modelled) -> str:
    """All that can be read or found."""
    tables = ("observations", "summaries", "prompts", "search_text")
    return str([m.rows(f"SELECT * FROM {table}") for table in tables]).lower()


def kept(m: Modelled) -> dict[str, list[tuple[Any, ...]]]:
    """All rows; of jobs what decides about them."""
    jobs = "prompt, kind, state, attempts"
    return {
        table: sorted(m.rows(f"SELECT {jobs if table == 'jobs' else '*'} FROM {table}"), key=str)
        for table in TABLES
    }


def test_what_was_merged_into_a_record_goes_with_it(made: list[Modelled], tmp_path: Path) -> None:
    """And does not become current again; an undo brings back who superseded whom."""
    m = limits(made, tmp_path)
    merged = m.rows("SELECT id FROM observations WHERE superseded_by = ?", by_model(m))
    assert merged
    before = kept(m)
    run(m, ids=[str(by_model(m))], confirm=True)
    m.run()
    assert "limit_" not in told(m)
    assert m.rows("SELECT count(*) FROM tool_io") == [(0,)]
    run(m, undo=True)
    assert kept(m) == before


def test_a_merged_draft_takes_along_what_it_became(made: list[Modelled], tmp_path: Path) -> None:
    """Its text is in there, whichever calls that cites."""
    m = limits(made, tmp_path)
    draft = m.one("SELECT id FROM observations WHERE superseded_by IS NOT NULL")
    change(m, "DELETE FROM observation_tool_uses WHERE observation = ?", by_model(m))
    run(m, ids=[str(draft)], confirm=True)
    assert "limit_" not in told(m)


def test_merging_is_followed_through(made: list[Modelled], tmp_path: Path) -> None:
    """A draft of a draft, too."""
    m = commands(made, tmp_path)
    first, second, third = (by_model(m, words) for words in ("quick", "slow", "Slowness"))
    change(m, "DELETE FROM observation_tool_uses")
    change(m, "UPDATE observations SET superseded_by = ? WHERE id = ?", first, second)
    change(m, "UPDATE observations SET superseded_by = ? WHERE id = ?", second, third)
    run(m, ids=[str(first)], confirm=True)
    assert m.rows("SELECT id FROM observations WHERE id IN (?, ?)", second, third) == []


def test_what_else_a_model_made_of_the_same_call_goes(made: list[Modelled], tmp_path: Path) -> None:
    """It tells the same in other words: so does the summary. What rests on other calls stays."""
    m = commands(made, tmp_path)
    before = kept(m)
    run(m, ids=[str(by_model(m, "quince job"))], confirm=True)
    assert "quince" not in told(m)
    assert "damson" in told(m)
    assert m.one("SELECT count(*) FROM tool_uses") == 3
    run(m, undo=True)
    assert kept(m) == before


def test_what_rules_quote_of_a_models_call_goes(made: list[Modelled], tmp_path: Path) -> None:
    """The model paraphrases what they quote, so that their texts do not show it."""
    m = commands(made, tmp_path)
    use = m.one("SELECT tool_use FROM observation_tool_uses WHERE observation = ?", by_model(m))
    change(
        m,
        "INSERT INTO observations (project, session, prompt, type, title, distilled_by,"
        " content_hash, tokens, created_at) SELECT project, session, id, 'discovery',"
        " 'ValueError: quince', 'rules/1', 'h', 1, 1 FROM prompts",
    )
    quoting = m.one("SELECT max(id) FROM observations")
    change(m, "INSERT INTO observation_tool_uses VALUES (?, ?)", quoting, use)
    run(m, ids=[str(by_model(m))], confirm=True)
    assert "quince" not in told(m)


def test_a_models_record_of_words_alone_takes_the_turn(
    made: list[Modelled], tmp_path: Path
) -> None:
    """It rests on the prompt and the closing message, which would go on telling it."""
    m = commands(made, tmp_path, from_words)
    run(m, ids=[str(by_model(m, "Quinces"))], confirm=True)
    assert m.rows("SELECT * FROM prompts") == []


def test_what_it_superseded_in_other_turns_holds_again(
    made: list[Modelled], tmp_path: Path
) -> None:
    """Until the undo; also where both are forgotten, the older one first in the table."""
    m = commands(made, tmp_path)
    older = by_model(m, "quick")
    m.turn(2, uses=4)
    m.drain()
    newer = m.one("SELECT max(id) FROM observations WHERE distilled_by LIKE 'openai%'")
    change(m, "UPDATE observations SET superseded_by = ? WHERE id = ?", newer, older)
    link = "SELECT superseded_by FROM observations WHERE id = ?"
    run(m, ids=[str(newer)], confirm=True)
    assert m.one(link, older) is None
    run(m, undo=True)
    assert m.one(link, older) == newer
    run(m, session="s1", confirm=True)
    assert m.rows("SELECT * FROM observations") == []
    run(m, undo=True)
    assert m.one(link, older) == newer
    assert m.rows("PRAGMA foreign_key_check") == []


def waiting(made: list[Modelled], tmp_path: Path) -> Modelled:
    """A turn that waits for a model."""
    made.append(Modelled(tmp_path, pairing))
    made[0].turn(1, uses=4)
    made[0].run()
    assert states(made[0]) == ["pending"]
    return made[0]


def states(m: Modelled) -> list[str]:
    """The model's jobs."""
    return [state for (state,) in m.rows("SELECT state FROM jobs WHERE kind = 'model'")]


@pytest.mark.parametrize("state", ["pending", "leased"])
def test_a_turn_that_waited_for_a_model_waits_again_after_an_undo(
    made: list[Modelled], tmp_path: Path, state: str
) -> None:
    """A call that held it has lost it."""
    m = waiting(made, tmp_path)
    change(m, "UPDATE jobs SET state = ?, call = 9 WHERE kind = 'model'", state)
    run(m, session="s1", confirm=True)
    assert states(m) == []
    run(m, undo=True)
    assert states(m) == ["pending"]
    assert m.one("SELECT call FROM jobs WHERE kind = 'model'") == 0
    m.drain()
    assert states(m) == ["done"]
    assert m.provider.sent("s1x1x0") == 1


def test_calls_that_come_back_behind_the_model_are_sent(
    made: list[Modelled], tmp_path: Path
) -> None:
    """Their turn's job ended while they were away."""
    m = waiting(made, tmp_path)

    def all_calls(db: sqlite3.Connection) -> None:
        doomed = storage.Doomed()
        doomed.tool_uses.update(use for (use,) in db.execute("SELECT id FROM tool_uses"))
        storage.forget(db, doomed)

    m.database.write(all_calls)
    m.drain()
    assert states(m) == ["done"]
    run(m, undo=True)
    assert states(m) == ["pending"]
    m.drain()
    assert m.provider.sent("s1x1x0") == 1


def test_a_turn_forgotten_before_there_was_a_model_is_sent_after_an_undo(
    made: list[Modelled], tmp_path: Path
) -> None:
    """If it is of the last day; an older one is left as it is."""
    m = waiting(made, tmp_path)
    change(m, "DELETE FROM jobs WHERE kind = 'model'")
    run(m, session="s1", confirm=True)
    run(m, undo=True)
    m.run()
    assert states(m) == ["pending"]
    change(m, "DELETE FROM jobs WHERE kind = 'model'")
    change(m, "UPDATE prompts SET created_at = created_at - ?", 2 * storage.UNDO_MS)
    run(m, session="s1", confirm=True)
    run(m, undo=True)
    m.run()
    assert states(m) == []


def test_what_a_model_has_seen_is_not_sent_again_after_an_undo(
    made: list[Modelled], tmp_path: Path
) -> None:
    """Also where the turn was recorded again meanwhile: only what came since is new."""
    m = commands(made, tmp_path)
    run(m, session="s1", confirm=True)
    run(m, undo=True)
    m.drain()
    assert len(m.provider.asked) == 1
    run(m, session="s1", confirm=True)
    m.put(tool("toolu_late", "make late", **HERE))
    m.run()
    run(m, undo=True)
    m.database.write(model_queue.open_recent)
    m.drain()
    assert m.provider.sent("s1x1x0") == 1
    assert m.provider.sent("late") == 1
    assert m.one("SELECT ended_at IS NOT NULL FROM prompts") == 1


def test_no_words_of_a_service_stay_in_a_job(made: list[Modelled], tmp_path: Path) -> None:
    """An error may quote what was sent."""
    m = commands(made, tmp_path)
    change(m, "UPDATE jobs SET error = 'bad request: quince'")
    run(m, ids=[str(by_model(m, "quince job"))], confirm=True)
    assert "quince" not in str(m.rows("SELECT * FROM jobs"))
