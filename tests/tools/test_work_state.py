"""The work state through its tools: written once, kept safe, and read back with its history."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from backstory import config
from backstory.recall.context import EVIDENCE
from backstory.storage import sqlite
from backstory.storage.database import Database
from backstory.tools import serve
from backstory.tools.caller import Caller
from tests.tools.conftest import Client, Memory

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def stored(database: Database) -> list[tuple[Any, ...]]:
    """All states, oldest first."""
    query = "SELECT task, next_steps, open_questions, blockers FROM work_states ORDER BY id"
    return database.read(lambda db: db.execute(query).fetchall())


def test_a_state_is_read_back_as_it_was_written(shop: Client) -> None:
    """With what is evidence and how it is changed."""
    said = shop(
        "work_state_write",
        task="Move prices to cents",
        next_steps=["Change Cart.total", "Run the tests"],
        blockers=["The ledger's owner must agree"],
    )
    assert said.startswith("Written, project shop.")
    text = shop("work_state_read")
    assert text.startswith(EVIDENCE)
    for line in (
        "Task: Move prices to cents",
        "Next steps:",
        "- Change Cart.total",
        "- Run the tests",
        "Blocked by:",
        "- The ledger's owner must agree",
    ):
        assert line in text.splitlines()
        assert line in said.splitlines()
    assert "Open questions" not in text
    assert re.search(r"Work state \(shop\), w1 of \d{4}-\d\d-\d\d \d\d:\d\d:", text)


def test_a_field_that_is_not_given_stays_and_an_empty_one_is_cleared(
    shop: Client, database: Database
) -> None:
    """Lists by [] or by an empty text, the task by an empty text."""
    shop("work_state_write", task="One", next_steps=["a", "b"], open_questions=["c"])
    shop("work_state_write", next_steps=["b"])
    shop("work_state_write", open_questions=[])
    shop("work_state_write", next_steps="")
    assert shop("work_state_write", task="").startswith("Cleared, project shop")
    assert stored(database) == [
        ("One", "a\nb", "c", ""),
        ("One", "b", "c", ""),
        ("One", "b", "", ""),
        ("One", "", "", ""),
        ("", "", "", ""),
    ]
    assert shop("work_state_read").splitlines()[1].startswith("Nothing is written down")


def test_the_same_state_again_is_no_new_one(shop: Client, database: Database) -> None:
    """Whatever the spacing; nor is clearing what is empty."""
    assert "already" in shop("work_state_write", task="")
    shop("work_state_write", task="One", next_steps=["a b"])
    assert "already" in shop("work_state_write", task=" One ", next_steps=["a  b", "a b", ""])
    assert len(stored(database)) == 1


def test_the_history_is_shown_with_its_dates(shop: Client) -> None:
    """The last five, the one in force first."""
    for n in range(7):
        shop("work_state_write", task=f"Task {n}", next_steps=[f"step {n}"])
    text = shop("work_state_read", history=True)
    assert re.findall(r"Task: Task (\d)", text) == ["6", "5", "4", "3", "2"]
    assert len(re.findall(r"^w\d+ of \d{4}-\d\d-\d\d \d\d:\d\d:$", text, re.MULTILINE)) == 4
    assert "step 5" in text
    assert "Task 5" not in shop("work_state_read")


def test_nothing_is_there_at_first(shop: Client) -> None:
    """It is no error."""
    assert shop("work_state_read").startswith("Nothing is written down")
    assert "(nothing)" not in shop("work_state_read", history=True)


def test_sentences_in_one_text_are_parted_by_lines(shop: Client, database: Database) -> None:
    """A comma stands in a sentence; a list as JSON is a list."""
    shop("work_state_write", next_steps="- Fix the total, then test\n- Ask Ann, Bob")
    shop("work_state_write", open_questions='["a, b", "c"]', blockers="One, two")
    assert stored(database)[-1] == (
        "",
        "Fix the total, then test\nAsk Ann, Bob",
        "a, b\nc",
        "One, two",
    )


def test_private_text_and_secrets_are_left_out(shop: Client, memory: Memory) -> None:
    """G1, G2: also where a tag begins in one item and ends in another, or never ends."""
    said = shop(
        "work_state_write",
        task=f"Use {SECRET} for now",
        next_steps=["a <private>zqone", "zqtwo", "zqthree</private> b"],
        open_questions=["c <private>zqfour"],
        blockers=["<private>zqfive</private>"],
    )
    assert "was left out" in said
    shop.caller.database.close()
    held = b"".join(path.read_bytes() for path in memory.home.rglob("*") if path.is_file())
    for word in (SECRET, "zqone", "zqtwo", "zqthree", "zqfour", "zqfive"):
        assert word not in said
        assert word.encode() not in held
    assert "- a [private]" in said
    assert "Blocked by" not in said


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "nothing to write"),
        ({"task": "x" * 501}, "at most 500"),
        ({"next_steps": ["x" * 301]}, "at most 300"),
        ({"next_steps": ["x"] * 21}, "20 items"),
        ({"next_steps": [{"a": 1}]}, "next_steps[0]"),
        ({"todo": "x"}, "no argument 'todo'"),
        ({"task": "<private>all</private>"}, "all of the task is private"),
    ],
)
def test_what_cannot_be_kept_is_refused(
    shop: Client, database: Database, given: dict[str, Any], words: str
) -> None:
    """With what is wrong; nothing is written."""
    assert words in shop.error("work_state_write", **given)
    assert stored(database) == []


def test_too_many_items_are_not_asked_for_in_portions(shop: Client) -> None:
    """A second call would replace the first one's."""
    assert "matter most" in shop.error("work_state_write", next_steps=["x"] * 21)


def test_a_project_that_is_new_gets_a_state(database: Database, tmp_path: Path) -> None:
    """It becomes one by the first thing that is written."""
    (tmp_path / "new").mkdir()
    client = Client(database, tmp_path / "new")
    client("work_state_write", task="Begin")
    assert "Task: Begin" in client("work_state_read")


def test_each_project_has_its_own(shop: Client, database: Database, memory: Memory) -> None:
    """F10."""
    shop("work_state_write", task="Of the shop")
    assert "Of the shop" not in Client(database, memory.lamp)("work_state_read")


def test_the_session_in_this_folder_is_recorded(
    shop: Client, database: Database, memory: Memory
) -> None:
    """The newest that has not ended; none where none is open."""

    def sessions(cwd: str, ended: int | None) -> None:
        database.write(
            lambda db: db.execute(
                "UPDATE sessions SET cwd = ?, ended_at = ?, last_at = ?"
                " WHERE session_id = 'session-cart'",
                (cwd, ended, sqlite.now_ms()),
            )
        )

    def newest() -> Any:
        query = "SELECT session FROM work_states ORDER BY id DESC LIMIT 1"
        return database.read(lambda db: db.execute(query).fetchone()[0])

    sessions(str(memory.shop), None)
    shop("work_state_write", task="One")
    assert newest() == 1
    sessions(str(memory.shop), 5)
    shop("work_state_write", task="Two")
    assert newest() is None


def test_the_branch_is_recorded(shop: Client, memory: Memory) -> None:
    """Of the folder that the caller works in."""
    git = memory.shop / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/feature/cents\n")
    shop("work_state_write", task="One")
    assert "on feature/cents" in shop("work_state_read")


def test_an_excluded_project_is_not_written(database: Database, memory: Memory) -> None:
    """And says so, without a word of what was to be written."""
    (memory.home / "settings.json").write_text(
        json.dumps({"excluded_projects": [str(memory.shop)]})
    )
    said = Client(database, memory.shop).error("work_state_write", task="zqsecret plan")
    assert "kept out of memory" in said
    assert "zqsecret" not in said
    assert stored(database) == []


def test_an_incognito_session_is_not_written(
    shop: Client, database: Database, memory: Memory
) -> None:
    """The mark that the command leaves counts here, too."""
    query = "UPDATE sessions SET cwd = ?, last_at = ? WHERE session_id = 'session-cart'"
    database.write(lambda db: db.execute(query, (str(memory.shop), sqlite.now_ms())))
    (memory.home / "incognito").mkdir()
    (memory.home / "incognito/session-cart").touch()
    assert "incognito" in shop.error("work_state_write", task="One")
    assert stored(database) == []


def test_old_states_do_not_pile_up(shop: Client, database: Database) -> None:
    """A hundred are kept of a project."""
    for n in range(105):
        shop("work_state_write", task=f"Task {n}")
    states = stored(database)
    assert (len(states), states[0][0], states[-1][0]) == (100, "Task 5", "Task 104")


def test_a_caller_without_a_folder_is_told(database: Database, memory: Memory) -> None:
    """Reading and writing."""
    caller = Caller(database, config.load(memory.home))
    for name, given in (("work_state_read", {}), ("work_state_write", {"task": "x"})):
        found = serve.answer(name, given, caller)
        assert found.is_error
        assert "names no" in found.text
