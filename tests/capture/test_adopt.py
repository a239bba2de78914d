"""What a model's rows end, when other calls write at the same time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backstory.capture.providers.base import Ask
from tests.support.home import event, tool
from tests.support.modelled import Modelled, answer, row

ENDED = "The pebble parser is given up because its tree is too large"


def decide(pipe: Modelled, number: int, said: str) -> None:
    """A session that ends with a decision on the same matter as others."""
    here = {"session_id": f"s{number}", "prompt_id": f"s{number}-1"}
    pipe.put(event("UserPromptSubmit", prompt="Which parser?", **here))
    pipe.put(tool(f"toolu_{number}", f"make pebble{number}", **here))
    pipe.put(event("Stop", last_assistant_message=f"Decision: {said}", **here))


def offered(ask: Ask) -> list[str]:
    """The older records in a call's text."""
    return re.findall(r"^#(\d+) ", ask.batch, re.MULTILINE)


@pytest.mark.parametrize("change", ["", "title = 'Pebbles are round'", "distilled_by = 'x/y/z'"])
def test_a_record_that_says_something_else_by_now_is_not_ended(tmp_path: Path, change: str) -> None:
    """C5: another call wrote it while this one was under way."""

    def says(ask: Ask) -> str:
        ids = offered(ask)
        if change:
            pipe.database.write(lambda db: db.execute(f"UPDATE observations SET {change}").rowcount)
        return answer(row(title=ENDED, type="decision", supersedes=[f"#{one}" for one in ids]))

    pipe = Modelled(tmp_path / "data", says)
    decide(pipe, 1, "we use the pebble parser because it is small.")
    pipe.run()
    pipe.database.write(lambda db: db.execute("DELETE FROM jobs WHERE kind = 'model'").rowcount)
    pipe.database.write(
        lambda db: db.execute("UPDATE prompts SET model_closed = 1, model_uses = 9").rowcount
    )
    decide(pipe, 2, "the pebble parser is given up because its tree is too large.")
    pipe.drain()
    assert "1" in offered(pipe.provider.asked[-1])
    ended = pipe.one("SELECT superseded_by IS NOT NULL FROM observations WHERE id = 1")
    assert bool(ended) == (not change)
    pipe.close()


def put_off(pipe: Modelled, state: str) -> None:
    """The first turn's job for a model is far off, or given up."""
    change = "UPDATE jobs SET state = ?, attempts = 1, not_before = 9e15 WHERE kind = 'model'"
    pipe.database.write(lambda db: db.execute(f"{change} AND prompt = 1", (state,)).rowcount)


def test_a_draft_that_a_model_has_still_to_look_at_is_not_offered(tmp_path: Path) -> None:
    """C5: what it will say is not known yet. Once the turn is left to the rules, it is."""
    pipe = Modelled(tmp_path / "data", lambda ask: answer())
    decide(pipe, 1, "we use the pebble parser because it is small.")
    decide(pipe, 2, "the pebble parser is given up because its tree is too large.")
    pipe.run()
    put_off(pipe, "pending")
    pipe.drain(until=lambda: bool(pipe.provider.asked))
    assert "1" not in offered(pipe.provider.asked[-1])
    put_off(pipe, "dead")
    decide(pipe, 3, "we use the pebble parser no more because it is slow.")
    pipe.drain(until=lambda: len(pipe.provider.asked) > 1)
    assert "1" in offered(pipe.provider.asked[-1])
    pipe.close()
