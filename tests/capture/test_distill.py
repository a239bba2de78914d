"""Jobs claimed, turns read, rows replaced: all or nothing, and never lost."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import pytest

from backstory.capture import distill, rules
from backstory.records import Distilled, Observation, Summary, Turn
from backstory.storage import sqlite
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline

TURN = (
    event("UserPromptSubmit", prompt="Fix the rounding in the cart."),
    tool("toolu_1", "make test"),
    event("Stop", last_assistant_message="Rounding fixed: cents are summed as integers."),
)


class Distiller:
    """Stands in for the rules, which others test: says what it is told to, or fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.turns: list[Turn] = []
        self.error: Exception | None = None
        self.answer = Distilled(
            (
                Observation(
                    "fix",
                    "bugfix",
                    "Fixed rounding in Cart.total",
                    files_read=("src/cart.py",),
                    files_modified=("src/cart.py", "tests/test_cart.py"),
                    tool_use_ids=("toolu_1", "toolu_unknown"),
                ),
                Observation("why", "decision", "Cents are integers"),
            ),
            Summary(request="Fix the rounding", completed="Fixed"),
        )
        monkeypatch.setattr(rules, "distill", self.distill)

    def distill(self, turn: Turn) -> Distilled:
        """Like rules.distill."""
        self.turns.append(turn)
        if self.error:
            raise self.error
        return self.answer


@pytest.fixture
def distiller(monkeypatch: pytest.MonkeyPatch) -> Distiller:
    """A distiller under the test's control."""
    return Distiller(monkeypatch)


def titles(pipe: Pipeline) -> dict[int, str]:
    """The records by id."""
    return dict(pipe.rows("SELECT id, title FROM observations ORDER BY id"))


def jobs(pipe: Pipeline) -> list[tuple[Any, ...]]:
    """State and attempts of every job."""
    return pipe.rows("SELECT state, attempts FROM jobs ORDER BY id")


def found(pipe: Pipeline, word: str) -> int:
    """How many documents of the index hold a word."""
    return int(pipe.one("SELECT count(*) FROM search_text WHERE search_text MATCH ?", word))


def test_a_turns_records_summary_links_and_ledger_are_written_together(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """C8: complete means that the rows are there."""
    pipe.feed(*TURN)
    assert list(titles(pipe).values()) == ["Fixed rounding in Cart.total", "Cents are integers"]
    assert pipe.rows("SELECT path, mode FROM observation_files ORDER BY path, mode") == [
        ("src/cart.py", "modified"),
        ("src/cart.py", "read"),
        ("tests/test_cart.py", "modified"),
    ]
    linked = (
        "SELECT t.tool_use_id FROM observation_tool_uses o JOIN tool_uses t ON t.id = o.tool_use"
    )
    assert pipe.rows(linked) == [("toolu_1",)]
    assert pipe.rows("SELECT request, completed FROM summaries") == [("Fix the rounding", "Fixed")]
    ledger = pipe.rows("SELECT provider, tool_uses, rows_written, tokens_in FROM ledger")
    assert ledger == [("rules", 1, 2, 0)]
    assert jobs(pipe) == [("done", 1)]
    assert found(pipe, "rounding") == 3  # record, summary, prompt
    assert pipe.one("SELECT distilled_by FROM observations LIMIT 1") == rules.RULES_VERSION


def test_the_distiller_gets_the_whole_turn(pipe: Pipeline, distiller: Distiller) -> None:
    """C11: both what was asked and what came back."""
    pipe.feed(
        TURN[0],
        event("SubagentStart", agent_id="a1", agent_type="Explore"),
        tool("toolu_0", "ls", agent_id="a1", agent_type="Explore"),
        event("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="Seen."),
        *TURN[1:],
    )
    turn = distiller.turns[-1]
    assert (turn.number, turn.prompt) == (1, "Fix the rounding in the cart.")
    assert turn.last_message.startswith("Rounding fixed")
    assert [use.tool_use_id for use in turn.tool_uses] == ["toolu_0", "toolu_1", ""]
    assert turn.tool_uses[0].agent_type == "Explore"
    assert turn.tool_uses[1].input == {"command": "make test"}
    assert turn.tool_uses[1].output["stdout"] == "out"
    # what a subagent of the background found is in no tool result
    assert "Seen." in str(turn.tool_uses[2].output)
    assert turn.ended_at is not None


def test_a_second_pass_keeps_ids_replaces_rows_and_drops_what_no_longer_holds(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """E6: the same key is the same row; what others saved stays."""
    pipe.feed(*TURN)
    before = titles(pipe)
    pipe.db.execute("UPDATE observations SET distilled_by = 'user' WHERE title LIKE 'Cents%'")
    changed = Observation("fix", "bugfix", "Fixed Cart.total and Cart.tax", evidence="verified")
    distiller.answer = Distilled((changed, Observation("new", "change", "Added a test")), None)
    pipe.feed(TURN[2])
    after = titles(pipe)
    assert after[min(before)] == "Fixed Cart.total and Cart.tax"
    assert "Cents are integers" in after.values()
    assert "Added a test" in after.values()
    assert pipe.one("SELECT count(*) FROM summaries") == 0
    assert found(pipe, "tax") == 1
    assert found(pipe, "rounding") == 1  # the prompt: the summary left the index too
    distiller.answer = Distilled()
    pipe.feed(TURN[2])
    assert list(titles(pipe).values()) == ["Cents are integers"]
    assert pipe.one("SELECT count(*) FROM observation_files") == 0
    assert len(set(after)) == 3


def test_nothing_worth_recording_is_an_outcome(pipe: Pipeline, distiller: Distiller) -> None:
    """C6: done, with no rows."""
    distiller.answer = Distilled()
    pipe.feed(*TURN)
    assert titles(pipe) == {}
    assert jobs(pipe) == [("done", 1)]
    assert pipe.one("SELECT distilled_uses FROM prompts") == 1


def wait(pipe: Pipeline) -> None:
    """Lets the time until every job is due pass."""
    pipe.db.execute("UPDATE jobs SET not_before = 0")


def test_a_turn_that_fails_is_tried_again_and_given_up_in_the_end(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """D4: five attempts with growing pauses, then the dead letters, from where it can come back."""
    distiller.error = RuntimeError("captured text")
    pipe.feed(*TURN)
    pauses = []
    for attempt in range(1, distill.ATTEMPTS):
        assert jobs(pipe) == [("pending", attempt)]
        pauses.append(pipe.one("SELECT not_before FROM jobs") - sqlite.now_ms())
        pipe.run()
        assert jobs(pipe) == [("pending", attempt)]  # not due yet
        wait(pipe)
        pipe.run()
    assert pauses == sorted(pauses)
    assert pauses[0] > distill.BACKOFF_MS
    assert jobs(pipe) == [("dead", distill.ATTEMPTS)]
    assert "captured" not in pipe.one("SELECT error FROM jobs")
    assert "RuntimeError" in pipe.one("SELECT error FROM jobs")
    assert pipe.one("SELECT count(*) FROM tool_uses") == 1
    wait(pipe)
    pipe.run()
    assert jobs(pipe) == [("dead", distill.ATTEMPTS)]
    distiller.error = None
    assert distill.requeue(pipe.db) == 1
    pipe.run()
    assert jobs(pipe) == [("done", 1)]
    assert len(titles(pipe)) == 2


def test_a_failing_turn_holds_no_other_up(pipe: Pipeline, distiller: Distiller) -> None:
    """And leaves nothing half written."""
    original = distiller.distill

    def picky(turn: Turn) -> Distilled:
        if "poison" in turn.prompt:
            return Distilled((Observation("a", "change", "Half"), Observation("b", "x", None)))  # type: ignore[arg-type]
        return original(turn)

    rules.distill = picky  # undone by the fixture
    pipe.feed(
        event("UserPromptSubmit", session_id="s0", prompt="poison"),
        event("Stop", session_id="s0"),
        *TURN,
    )
    assert [state for state, _ in jobs(pipe)] == ["pending", "done"]
    assert "Half" not in titles(pipe).values()


def test_new_events_of_a_turn_open_its_job_again(pipe: Pipeline, distiller: Distiller) -> None:
    """Also one that was given up: what is new may be what it lacked."""
    distiller.error = RuntimeError()
    pipe.feed(*TURN)
    pipe.db.execute("UPDATE jobs SET state = 'dead'")
    distiller.error = None
    pipe.feed(tool("toolu_2"))
    assert jobs(pipe) == [("done", 1)]


def claim(pipe: Pipeline) -> None:
    """What a worker that is killed at the next moment leaves behind."""
    for one in TURN:
        pipe.put(one)
    pipe.db.execute("UPDATE jobs SET state = 'done'")
    from backstory.capture import ingest, recording

    ingest.ingest(pipe.db, pipe.config, recording.Recorder(pipe.db, pipe.config), 1e18)
    now = sqlite.now_ms()
    values = {"now": now, "until": now + distill.LEASE_MS}
    assert pipe.db.execute(distill._SQL["claim_job"], values).fetchone()


def test_a_job_whose_worker_was_killed_is_freed_by_the_next(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """D1, D2: at its start, for all sessions, without waiting for the lease."""
    claim(pipe)
    pipe.run()
    assert jobs(pipe) == [("leased", 1)]
    assert distill.release_jobs(pipe.db) == 1
    pipe.run()
    assert jobs(pipe) == [("done", 2)]
    assert len(titles(pipe)) == 2


def test_a_lease_that_ran_out_is_claimed_again(pipe: Pipeline, distiller: Distiller) -> None:
    """D1: whoever held it."""
    claim(pipe)
    pipe.db.execute("UPDATE jobs SET leased_until = 1")
    pipe.run()
    assert jobs(pipe) == [("done", 2)]


def test_a_turn_that_kills_its_worker_is_given_up(pipe: Pipeline, distiller: Distiller) -> None:
    """A parser that crashes the process: it is not tried for ever."""
    claim(pipe)
    for _ in range(distill.ATTEMPTS):
        distill.release_jobs(pipe.db)
        pipe.db.execute("UPDATE jobs SET state = 'leased', attempts = attempts + 1")
    distill.release_jobs(pipe.db)
    pipe.run()
    assert pipe.one("SELECT state FROM jobs") == "dead"
    assert "the worker ended" in pipe.one("SELECT error FROM jobs")
    assert distiller.turns == []


def test_a_database_that_fails_costs_the_turn_no_attempt(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """A full disk is not the turn's fault; it is due again at once."""
    original = distiller.distill

    def full(turn: Turn) -> Distilled:
        pages = pipe.one("PRAGMA page_count")
        pipe.db.execute(f"PRAGMA max_page_count = {pages}").fetchall()
        row = Observation("a", "change", "T", narrative=" ".join(map(str, range(200_000))))
        return Distilled((row,))

    rules.distill = full  # undone by the fixture
    with pytest.raises(sqlite3.OperationalError, match="full"):
        pipe.feed(*TURN)
    assert jobs(pipe) == [("pending", 0)]
    pipe.db.execute("PRAGMA max_page_count = 1000000").fetchall()
    rules.distill = original
    pipe.run()
    assert jobs(pipe) == [("done", 1)]


def test_the_end_of_a_session_distils_a_turn_that_nobody_closed(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """`claude -p` with --max-turns sends no Stop."""
    pipe.feed(*TURN[:2], event("SessionEnd", prompt_id=None, reason="other"))
    assert len(titles(pipe)) == 2


def test_an_interrupted_turn_is_distilled_at_the_next_prompt(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """Escape sends no Stop, and a long session may never fall quiet."""
    pipe.feed(*TURN[:2])
    assert titles(pipe) == {}
    pipe.feed(event("UserPromptSubmit", prompt_id="p2", prompt="Try another way."))
    assert len(titles(pipe)) == 2
    assert [turn.number for turn in distiller.turns] == [1]


def test_the_turn_of_a_killed_host_is_distilled_at_the_next_start(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """Ctrl-C in `claude -p` sends neither Stop nor SessionEnd; another project's stays as it is."""
    pipe.feed(*TURN[:2], tool("toolu_9", session_id="s9", cwd="/other"))
    pipe.feed(event("SessionStart", session_id="s2", prompt_id=None, source="startup"))
    assert [turn.prompt for turn in distiller.turns] == [TURN[0]["prompt"]]
    pipe.feed(event("SessionStart", session_id="s3", prompt_id=None, source="startup"))
    assert len(distiller.turns) == 1  # nothing new in it


def test_compaction_distils_what_is_pending(pipe: Pipeline, distiller: Distiller) -> None:
    """So that what comes after it can be told."""
    pipe.feed(*TURN[:2], event("PreCompact", trigger="auto"))
    assert len(titles(pipe)) == 2


def test_running_turns_can_be_distilled_on_demand(pipe: Pipeline, distiller: Distiller) -> None:
    """Before something is forgotten, for one."""
    pipe.clock = time.time_ns()
    pipe.feed(*TURN[:2])
    assert titles(pipe) == {}
    assert distill.open_jobs_now(pipe.db) == 1
    assert distill.count_open(pipe.db) == 1
    pipe.run()
    assert len(titles(pipe)) == 2
    assert distill.count_open(pipe.db) == 0
    assert distill.open_jobs_now(pipe.db) == 0


def test_a_session_goes_on_after_a_restart(tmp_path: Any, distiller: Distiller) -> None:
    """C18: the next event of a session with a stored summary."""
    first = Pipeline(tmp_path / "data")
    first.feed(*TURN)
    first.close()
    second = Pipeline(tmp_path / "data")
    second.clock = first.clock
    second.feed(
        event("UserPromptSubmit", prompt_id="p2", prompt="And now the tax."),
        tool("toolu_2", prompt_id="p2"),
        event("Stop", prompt_id="p2"),
    )
    assert second.one("SELECT count(*) FROM sessions") == 1
    assert second.one("SELECT count(*) FROM summaries") == 2
    assert second.rows("PRAGMA foreign_key_check") == []
    second.close()


def test_a_turn_without_its_raw_texts_can_still_be_distilled(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """They are kept for 90 days only."""
    pipe.feed(*TURN)
    pipe.db.execute("DELETE FROM tool_io")
    pipe.feed(TURN[2])
    assert distiller.turns[-1].tool_uses[0].input == {}
    assert jobs(pipe) == [("done", 1)]


def test_one_summary_and_distinct_ids_for_the_same_content(
    pipe: Pipeline, distiller: Distiller
) -> None:
    """E6: two drafts of one key are one row."""
    twin = Observation("fix", "bugfix", "Fixed it")
    distiller.answer = Distilled((twin, twin))
    pipe.feed(*TURN)
    assert list(titles(pipe).values()) == ["Fixed it"]
    pipe.feed(TURN[2])
    assert list(titles(pipe).values()) == ["Fixed it"]
