"""What is being worked on, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from backstory.errors import BackstoryError
from tests.support.home import Home, a_home, event


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A worker with a session that is open in project shop."""
    with a_home(tmp_path_factory.mktemp("work-state")) as home:
        home.start()
        home.hook(event("UserPromptSubmit", prompt="Go on.", cwd=str(home.project)))
        home.drain()
        yield home


def write(worker: Home, **body: Any) -> dict[str, Any]:
    """The answer to a POST in the project."""
    return worker.ask("POST", "/api/work-state", {"cwd": str(worker.project), **body})


def show(worker: Home, more: str = "") -> dict[str, Any]:
    """The answer to a GET in the project."""
    return worker.ask("GET", f"/api/work-state?cwd={worker.project}{more}")


def test_it_is_written_once_and_shown_with_its_history(worker: Home) -> None:
    """Fields that are not given stay; session and branch of the writer are recorded."""
    assert show(worker)["state"] is None
    written = write(worker, task="Move prices to cents", next_steps=["Change Cart.total"])
    assert written["new"]
    assert not write(worker, task="Move prices to cents")["new"]
    write(worker, blockers=["The ledger"])
    found = show(worker)
    assert found["state"] | {"at": 0, "id": 0} == {
        "id": 0,
        "task": "Move prices to cents",
        "next_steps": ["Change Cart.total"],
        "open_questions": [],
        "blockers": ["The ledger"],
        "branch": "",
        "session": event("Stop")["session_id"],
        "at": 0,
    }
    assert [one["blockers"] for one in found["history"]] == [["The ledger"], []]
    assert len(show(worker, "&history=1")["history"]) == 1
    named = worker.ask("GET", "/api/work-state?project=shop")
    assert named["state"] == found["state"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "nothing to write"),
        ({"task": 5}, "task: expected text"),
        ({"next_steps": "one"}, "next_steps: expected a list"),
        ({"blockers": [1]}, "blockers[0]: expected text"),
        ({"task": "x", "todo": "y"}, "unknown argument 'todo'"),
        ({"task": "x" * 501}, "at most 500"),
        ({"next_steps": ["x"] * 21}, "at most 20"),
    ],
)
def test_bad_input_is_told(worker: Home, body: dict[str, Any], words: str) -> None:
    """Nothing is written, and no project is made."""
    with pytest.raises(BackstoryError) as caught:
        worker.ask("POST", "/api/work-state", {"cwd": "/never/seen", **body})
    assert caught.value.code == "bad_input"
    assert words in caught.value.message
    with pytest.raises(BackstoryError, match="nothing is stored yet"):
        worker.ask("GET", "/api/work-state?cwd=/never/seen")


def test_it_can_be_forgotten(worker: Home) -> None:
    """And brought back."""
    write(worker, task="The zqcanary plan")
    body = {"cwd": str(worker.project), "query": "zqcanary", "confirm": True}
    assert worker.ask("POST", "/api/forget", body)["forgotten"] == {"work_states": 1}
    assert "zqcanary" not in str(show(worker))
    worker.ask("POST", "/api/forget", {"cwd": str(worker.project), "undo": True})
    assert show(worker)["state"]["task"] == "The zqcanary plan"
