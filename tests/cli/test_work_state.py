"""What is being worked on, at a terminal."""

from __future__ import annotations

import json
import os

import pytest

from tests.cli.conftest import Person

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_it_is_set_shown_and_cleared(person: Person) -> None:
    """A field that is not given stays; the same again changes nothing; its history is kept."""
    assert "nothing is written down" in person.ok("work-state")
    person.ok(
        "work-state", "set", "--task", "Prices in cents", "--next", "Cart.total", "--next", "test"
    )
    said = person.ok("work-state", "set", "--question", "What of old orders?", "--blocker", "Ann")
    assert said.splitlines() == [
        "Task: Prices in cents",
        "Next steps:",
        "- Cart.total",
        "- test",
        "Open questions:",
        "- What of old orders?",
        "Blocked by:",
        "- Ann",
    ]
    assert person.ok("work-state") == person.ok("work-state", "show") == said
    assert person.ok("work-state", "set", "--blocker", "Ann").startswith("nothing was changed")
    assert "Ann" not in person.ok("work-state", "set", "--blocker", "")
    assert "nothing is written down" in person.ok("work-state", "clear")
    history = person.ok("work-state", "show", "--history")
    assert history.startswith("nothing is written down")
    assert history.count("Task: Prices in cents") == 3


def test_programs_get_json(person: Person) -> None:
    """Of every part of the command."""
    assert person.run("work-state", "--json").json == {"state": None}
    done = person.run("work-state", "set", "--task", "One", "--json").json
    assert (done["new"], done["state"]["task"]) == (True, "One")
    assert person.run("work-state", "show", "--json").json["state"]["task"] == "One"
    assert person.run("work-state", "clear", "--json").json["new"]
    found = person.run("work-state", "show", "--history", "--json").json
    assert found["state"] is None
    assert [one["task"] for one in found["history"]] == ["", "One"]


def test_another_project_is_named(person: Person) -> None:
    """From anywhere."""
    person.ok("work-state", "set", "--task", "One")
    other = person.home.project.parent / "elsewhere"
    other.mkdir()
    person.patch.chdir(other)
    assert "nothing is written down" in person.ok("work-state")
    assert "Task: One" in person.ok("work-state", "show", "--project", str(person.home.project))
    person.ok("work-state", "set", "--task", "Two", "--project", str(person.home.project))
    person.patch.chdir(person.home.project)
    assert "Task: Two" in person.ok("work-state")


def test_bad_calls_are_told(person: Person) -> None:
    """Before a worker is started."""
    assert "nothing to change" in person.fails("work-state", "set")
    assert "at most 500" in person.fails("work-state", "set", "--task", "x" * 501)
    assert "at most 300" in person.fails("work-state", "set", "--next", "x" * 301)
    assert "at most 20" in person.fails("work-state", "set", *(["--next", "x"] * 21))
    assert "No such command" in person.fails("work-state", "forget", code=64)
    assert "behind show" in person.fails("work-state", "--project", "x", "show", code=64)
    assert not (person.home.data / "worker.json").exists()


def test_secrets_are_left_out(person: Person) -> None:
    """And it says so."""
    said = person.ok("work-state", "set", "--task", f"Use {SECRET}")
    assert SECRET not in said
    assert "was left out" in said


@pytest.mark.parametrize("name", ["excluded", "incognito"])
def test_nothing_is_written_where_nothing_is_kept(person: Person, name: str) -> None:
    """And it says so: in an excluded project, and while the session in the folder is incognito."""
    if name == "excluded":
        settings = {"excluded_projects": [str(person.home.project)]}
        (person.make_folder() / "settings.json").write_text(json.dumps(settings))
    else:
        person.record({"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"})
        person.ok("drain")
        os.close(os.open(person.make_folder("incognito") / "s1", os.O_CREAT, 0o600))
    assert "nothing was written" in person.fails("work-state", "set", "--task", "One")
    assert "nothing is written down" in person.ok("work-state")


def test_forgetting_covers_it(person: Person) -> None:
    """It is shown first, and comes back."""
    person.ok("work-state", "set", "--task", "The zqcanary plan")
    shown = person.ok("forget", "--query", "zqcanary")
    assert "1 work states" in shown
    assert "w1  The zqcanary plan" in shown
    person.ok("forget", "w1", "--yes")
    assert "zqcanary" not in person.ok("work-state", "show", "--history")
    person.ok("forget", "--undo")
    assert "zqcanary" in person.ok("work-state")
