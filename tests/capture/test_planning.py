"""What goes into the next call of a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.capture import ledger, planning
from tests.support.home import event, tool
from tests.support.modelled import Modelled


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Modelled]:
    """A pipeline with a model."""
    made = Modelled(tmp_path / "data")
    yield made
    made.close()


def decide(pipe: Modelled, number: int, cwd: Path) -> None:
    """A session in a folder that decides about the same matter as others."""
    here = {"session_id": f"s{number}", "prompt_id": f"s{number}-1", "cwd": str(cwd)}
    pipe.put(event("UserPromptSubmit", prompt="Which parser?", **here))
    pipe.put(tool(f"toolu_{number}", f"make parser{number}", **here))
    said = f"Decision: we use the pebble parser in stage {number} because it is small."
    pipe.put(event("Stop", last_assistant_message=said, **here))


def test_titles_of_an_excluded_folder_are_not_offered(pipe: Modelled, tmp_path: Path) -> None:
    """It was captured before it was excluded, in the same repository as what is distilled now."""
    shop = tmp_path / "shop"
    for folder in (shop / ".git", shop / "vault", shop / "till"):
        folder.mkdir(parents=True)
    (shop / ".git/HEAD").write_text("ref: refs/heads/main\n")
    decide(pipe, 1, shop / "vault")
    decide(pipe, 2, shop / "till")
    pipe.run()
    pipe.database.write(lambda db: db.execute("DELETE FROM jobs WHERE kind = 'model'").rowcount)
    decide(pipe, 3, shop / "till")
    pipe.run()
    pipe.database.write(lambda db: db.execute("UPDATE jobs SET not_before = 0").rowcount)
    assert pipe.one("SELECT count(*) FROM projects") == 1

    def offered(*excluded: str) -> tuple[bool, bool]:
        budget = ledger.budget(pipe.db, pipe.config)
        planned = planning.plan(pipe.db, budget, excluded=excluded)
        assert planned is not None
        return "stage 1" in planned.batch.text, "stage 2" in planned.batch.text

    assert offered() == (True, True)
    assert offered(str(shop / "vault")) == (False, True)


def test_turns_whose_raw_texts_are_gone_are_not_sent(pipe: Modelled) -> None:
    """Their names alone say nothing to a model: they stay with the rules, and wait no longer."""
    for number in range(1, 4):
        pipe.turn(number, uses=12)
    pipe.run()
    pipe.turn(4, uses=12)
    pipe.database.write(lambda db: db.execute("DELETE FROM tool_io").rowcount)
    pipe.drain()
    assert len(pipe.provider.asked) == 1
    assert [pipe.provider.sent(f"s1x{number}x1") for number in range(1, 5)] == [0, 0, 0, 1]
    assert "Please do thing3" not in pipe.provider.asked[0].batch
    assert pipe.rows("SELECT DISTINCT state FROM jobs WHERE kind = 'model'") == [("done",)]
    rows = "SELECT count(*) FROM summaries WHERE distilled_by LIKE 'rules/%'"
    assert pipe.one(rows) == 3
