"""What the user is told at a session's start, and how often."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from backstory import config, health, paths
from backstory.capture.dispatch import Dispatcher
from backstory.health import Notices
from tests.support.pipeline import Pipeline


class Distiller:
    """A dispatcher that is in whatever state the test needs."""

    def __init__(self) -> None:
        self.state = "ready"
        self.reason = ""

    def status(self) -> dict[str, str]:
        return {"state": self.state}

    def trouble(self) -> str:
        return self.reason


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipeline]:
    """A store."""
    made = Pipeline(tmp_path / "data")
    yield made
    made.close()


def told(pipe: Pipeline, distiller: Distiller, of_model: str = "") -> list[str]:
    """What a session's start tells, by a worker that was just begun."""
    notices = Notices(pipe.config)
    notices.look(pipe.db, cast("Dispatcher", distiller))
    return notices.take(of_model)


def test_nothing_is_told_where_all_is_well(pipe: Pipeline) -> None:
    """And no file is written for it."""
    assert told(pipe, Distiller()) == []
    assert not (pipe.home / paths.WARNED).exists()


def test_a_cap_that_is_used_up_is_told_once_a_day(
    pipe: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the worker was begun anew meanwhile; a cap of 0 is the user's own wish."""
    distiller = Distiller()
    distiller.state = "capped"
    (said,) = told(pipe, distiller)
    assert "today's cap" in said
    assert told(pipe, distiller) == []
    tomorrow = time.gmtime(time.time() + 86_400)
    with monkeypatch.context() as patched:
        patched.setattr(time, "gmtime", lambda: tomorrow)
        assert len(told(pipe, distiller)) == 1
    off = config.load(pipe.home)
    off.values["daily_input_tokens"] = 0
    assert health.cap_used(off, "capped") == ""


def test_a_provider_that_fails_is_told_once_a_day_and_not_twice_at_once(pipe: Pipeline) -> None:
    """What is told once of a pause says the same."""
    distiller = Distiller()
    distiller.reason = "distilling with openai is paused: no answer"
    assert told(pipe, distiller, "distilling is paused until 12:00") == [
        "distilling is paused until 12:00"
    ]
    assert told(pipe, distiller) == []


def test_turns_that_were_given_up_and_many_unreadable_events_are_told(pipe: Pipeline) -> None:
    """With what to do about it."""
    pipe.feed({**turn_event(), "hook_event_name": "UserPromptSubmit", "prompt": "Do it."})
    pipe.db.execute(
        "INSERT OR REPLACE INTO jobs (kind, prompt, state, created_at) "
        "SELECT 'rules', id, 'dead', 0 FROM prompts"
    )
    for number in range(health.MANY_BAD):
        path = pipe.config.spool / "bad" / str(number)
        path.parent.mkdir(exist_ok=True)
        path.touch()
    said = told(pipe, Distiller())
    assert "1 turn could not be distilled; `backstory drain --requeue` tries again" in said
    assert any(f"{health.MANY_BAD} events" in one for one in said)


def turn_event() -> dict[str, object]:
    """The host's own fields."""
    return {"session_id": "s1", "cwd": "/", "transcript_path": "/t"}


def test_a_file_that_cannot_be_kept_does_not_silence_a_notice(pipe: Pipeline) -> None:
    """It is told at every start then."""
    (pipe.home / paths.WARNED).mkdir()
    distiller = Distiller()
    distiller.state = "capped"
    assert len(told(pipe, distiller)) == 1
    assert len(told(pipe, distiller)) == 1
