"""Calls of a model: every turn once, within the cap, and whatever comes back, nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backstory.capture import adopt, dispatch, ledger, model_queue, planning, reply, standing
from backstory.capture.providers.base import Answer, Ask, Trouble, Usage
from backstory.storage import sqlite
from tests.support.home import event, tool
from tests.support.modelled import Modelled, Says, answer, observing, row, summary


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for between calls."""
    monkeypatch.setattr(dispatch, "PACE_S", 0.0)
    monkeypatch.setattr(standing, "WAIT_S", (0.01, 0.02))


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Modelled]:
    """A pipeline with a model that answers well."""
    made = Modelled(tmp_path)
    yield made
    made.close()


def uses_sent(pipe: Modelled) -> dict[str, int]:
    """How often each command was sent."""
    commands = [
        f"{session}x{number}x{at}"
        for session in ("s1", "s2")
        for number in range(1, 9)
        for at in range(8)
    ]
    return {name: count for name in commands if (count := pipe.provider.sent(name))}


def test_turns_share_a_call_and_each_event_is_sent_once(pipe: Modelled) -> None:
    """With the rows, the bill and the end of the jobs."""
    for number in range(1, 5):
        pipe.turn(number)
    pipe.drain()
    assert len(pipe.provider.asked) == 1
    assert set(uses_sent(pipe).values()) == {1}
    assert len(uses_sent(pipe)) == 12
    assert pipe.one("SELECT count(*) FROM observations WHERE distilled_by LIKE 'openai/%'") == 4
    assert pipe.one("SELECT count(*) FROM summaries WHERE distilled_by LIKE 'openai/%'") == 4
    assert pipe.rows("SELECT DISTINCT state FROM jobs") == [("done",)]
    ledger = pipe.rows(
        "SELECT provider, model, tokens_in > 500, tokens_out > 20, tool_uses, rows_written, outcome"
        " FROM ledger WHERE provider <> 'rules'"
    )
    assert ledger == [("openai", "small-1", 1, 1, 12, 4, "done")]
    assert pipe.one("SELECT count(*) FROM reservations") == 0
    pipe.drain()
    assert len(pipe.provider.asked) == 1


def test_a_turn_that_goes_on_sends_only_what_is_new(pipe: Modelled) -> None:
    """A subagent that ends after its turn, a turn distilled while it runs."""
    pipe.turn(1)
    pipe.drain()
    late = {"session_id": "s1", "prompt_id": "s1-1"}
    pipe.put(tool("toolu_late", "make s1x1x7", **late))
    pipe.drain()
    assert len(pipe.provider.asked) == 2
    assert uses_sent(pipe) == {"s1x1x0": 1, "s1x1x1": 1, "s1x1x2": 1, "s1x1x7": 1}


def test_a_long_turn_goes_in_parts_and_rules_keep_the_rest(pipe: Modelled) -> None:
    """A batch has an upper bound in tokens."""
    here = {"session_id": "s1", "prompt_id": "s1-1"}
    pipe.put(event("UserPromptSubmit", prompt="Go through all of it.", **here))
    for at in range(120):
        text = " ".join(f"word{at}n{n}" for n in range(300))
        pipe.put(tool(f"toolu_{at}", f"make part{at}", tool_response={"stdout": text}, **here))
    pipe.put(event("Stop", last_assistant_message="Went through all of it.", **here))
    pipe.drain(60)
    assert len(pipe.provider.asked) > 1
    for at in range(120):
        assert pipe.provider.sent(f"part{at}") == 1, at
    assert pipe.one("SELECT model_closed FROM prompts") == 1
    assert pipe.one("SELECT count(*) FROM summaries WHERE distilled_by LIKE 'openai/%'") == 1


def test_one_call_a_session_and_two_in_all(pipe: Modelled, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever waits."""
    monkeypatch.setattr(planning, "TURNS", 1)
    pipe.provider.delay_s = 0.05
    for number in range(1, 4):
        for session in ("s1", "s2"):
            pipe.turn(number, session=session)
    pipe.drain()
    assert len(pipe.provider.asked) == 6
    assert pipe.provider.most_at_once == 2
    assert set(uses_sent(pipe).values()) == {1}


def replacing(ask: Ask) -> str:
    """Takes the first draft over, and the others into it."""
    drafts = dict(re.findall(r"^(r\d+) [\w ]+: ([^\[\n]*)", ask.batch, re.MULTILINE))
    told = " ".join(f"{title.strip()}." for title in drafts.values())
    return answer(
        row("t1", ["t1e1"], title="Merged by the model", narrative=told, replaces=list(drafts)),
        summaries=[summary()],
    )


def test_a_row_of_the_rules_is_replaced_under_its_id(tmp_path: Path) -> None:
    """What was merged into it stays readable, and points to it; rules do not take it back."""
    pipe = Modelled(tmp_path, replacing)
    here = {"session_id": "s1", "prompt_id": "s1-1"}
    pipe.put(event("UserPromptSubmit", prompt="Decide and test.", **here))
    pipe.put(tool("toolu_1", "pytest -q", tool_response={"stdout": "5 passed in 1.0s"}, **here))
    pipe.put(
        tool(
            "toolu_0",
            tool_name="Write",
            tool_input={"file_path": "/shop/tax.py", "content": "RATE = 19\n"},
            tool_response={"type": "create", "filePath": "/shop/tax.py"},
            **here,
        )
    )
    pipe.put(
        event(
            "Stop",
            last_assistant_message="Decision: we use the pebble parser because it is small.",
            **here,
        )
    )
    pipe.run()
    before = pipe.rows("SELECT id FROM observations ORDER BY id")
    assert len(before) > 1
    pipe.drain()
    after = pipe.rows("SELECT id, title, superseded_by FROM observations ORDER BY id")
    assert [r[0] for r in after] == [r[0] for r in before]
    assert after[0][1] == "Merged by the model"
    assert {r[2] for r in after[1:]} == {after[0][0]}
    links = pipe.rows("SELECT tool_use FROM observation_tool_uses WHERE observation = 1")
    assert len(links) == 2
    pipe.put(tool("toolu_2", "ls", **here))
    pipe.drain()
    assert pipe.one("SELECT title FROM observations WHERE id = ?", after[0][0]) == (
        "Merged by the model"
    )
    assert pipe.rows("SELECT rowid FROM search_text WHERE search_text MATCH 'merged'")
    pipe.close()


KINDS: list[tuple[Says, int]] = [
    (lambda ask: Trouble("busy", "overloaded"), 0),
    (lambda ask: Trouble("unreachable", "connection refused"), 0),
    (lambda ask: Trouble("limit", "slow down", retry_after=0.01), 0),
    (lambda ask: Trouble("refused", "400"), 0),
    (lambda ask: "You've hit your limit · resets 3pm", 1),
    (lambda ask: "", 1),
    (lambda ask: "I would say that all went well.", 1),
    (lambda ask: '{"observations": 5}', 1),
    (lambda ask: '{"observations": [{"turn": "t1", "type"', 1),
    (lambda ask: "x" * 3_000_000, 1),
    (lambda ask: RuntimeError("a bug of ours"), 0),
]


@pytest.mark.parametrize(("says", "billed"), KINDS)
def test_after_a_bad_answer_the_batch_is_done_rightly(
    tmp_path: Path, says: Says, billed: int
) -> None:
    """C5, C8: kept, tried again, done once; no row of it, and no bill that was not one."""
    answers: list[Says] = [says]
    pipe = Modelled(tmp_path, lambda ask: answers.pop(0)(ask) if answers else observing(ask))
    pipe.provider.usage = Usage(1_000, 100)
    pipe.turn(1)
    pipe.drain()
    if pipe.one("SELECT state FROM jobs WHERE kind = 'model'") != "done":
        pipe.database.write(lambda db: db.execute("UPDATE jobs SET not_before = 0"))
        pipe.drain()
    assert len(pipe.provider.asked) == 2
    assert pipe.one("SELECT count(*) FROM observations WHERE distilled_by LIKE 'openai/%'") == 1
    good = pipe.one("SELECT count(*) FROM ledger WHERE outcome = 'done' AND provider <> 'rules'")
    bad = pipe.one("SELECT count(*) FROM ledger WHERE outcome <> 'done'")
    assert (good, bad) == (1, billed)
    assert pipe.one("SELECT count(*) FROM reservations") == 0
    pipe.close()


@pytest.mark.parametrize(
    "said", ["No observations to record.", '{"observations": [], "summaries": []}']
)
def test_nothing_worth_recording_is_an_outcome(tmp_path: Path, said: str) -> None:
    """C6: one call, the batch done, the rules' rows as they were."""
    pipe = Modelled(tmp_path, lambda ask: said)
    pipe.turn(1)
    pipe.run()
    before = pipe.rows("SELECT id, title FROM observations")
    pipe.drain()
    assert len(pipe.provider.asked) == 1
    assert pipe.rows("SELECT id, title FROM observations") == before
    assert pipe.one("SELECT state FROM jobs WHERE kind = 'model'") == "done"
    assert pipe.rows("SELECT outcome FROM ledger WHERE provider <> 'rules'") == [("nothing",)]
    pipe.close()


def test_an_answer_that_is_never_of_use_is_given_up_and_can_be_requeued(tmp_path: Path) -> None:
    """D4: a dead letter with its reason; a provider that fails five times is paused, once told."""
    pipe = Modelled(tmp_path, lambda ask: "All went well, I think.")
    pipe.turn(1)
    for _ in range(8):
        pipe.dispatcher.standing.until = 0.0
        pipe.database.write(lambda db: db.execute("UPDATE jobs SET not_before = 0"))
        pipe.drain(5)
    assert len(pipe.provider.asked) == model_queue.ATTEMPTS
    state, error = pipe.rows("SELECT state, error FROM jobs WHERE kind = 'model'")[0]
    assert (state, error) == ("dead", "its answers are not what was asked for")
    assert "paused" in pipe.dispatcher.trouble()
    assert "paused until" in pipe.dispatcher.take_notice()
    assert "paused" not in pipe.dispatcher.take_notice()
    assert pipe.one("SELECT count(*) FROM summaries") == 1
    pipe.provider.says = observing
    pipe.dispatcher = pipe.new_dispatcher()
    assert pipe.database.write(model_queue.requeue_dead) == 1
    pipe.drain()
    assert pipe.one("SELECT state FROM jobs WHERE kind = 'model'") == "done"
    assert pipe.dispatcher.trouble() == ""
    pipe.close()


def test_an_outage_costs_the_turns_no_attempt(tmp_path: Path) -> None:
    """D4: however long it lasts; one call at a time is tried, and a pause after five."""
    pipe = Modelled(tmp_path, lambda ask: Trouble("busy", "529 overloaded"))
    for number in range(1, 4):
        pipe.turn(number)
    pipe.drain(5)
    for _ in range(10):
        pipe.dispatcher.standing.until = 0.0
        pipe.drain(5)
    assert pipe.provider.most_at_once <= 2
    assert pipe.rows("SELECT DISTINCT state, attempts FROM jobs WHERE kind = 'model'") == [
        ("pending", 0)
    ]
    pipe.provider.says = observing
    pipe.dispatcher.standing.until = 0.0
    pipe.drain()
    assert pipe.rows("SELECT DISTINCT state FROM jobs") == [("done",)]
    assert pipe.one("SELECT count(*) FROM ledger WHERE provider <> 'rules'") == 1
    pipe.close()


def test_a_refused_key_is_told_at_once(tmp_path: Path) -> None:
    """Asking again would not mend it."""
    pipe = Modelled(tmp_path, lambda ask: Trouble("login", "the key was refused"))
    pipe.turn(1)
    pipe.drain(5)
    assert len(pipe.provider.asked) == 1
    assert "the key was refused" in pipe.dispatcher.trouble()
    assert "the key was refused" in pipe.dispatcher.take_notice()
    pipe.close()


@pytest.mark.parametrize("cap", [{"daily_input_tokens": 9_000}, {"daily_output_tokens": 2_000}])
def test_the_cap_is_not_passed_and_rules_have_the_rest(
    tmp_path: Path, cap: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By no more than one call; drain does not wait for tomorrow."""
    monkeypatch.setattr(planning, "TURNS", 1)
    pipe = Modelled(tmp_path, observing, **cap)
    for number in range(1, 9):
        pipe.turn(number, uses=8)
    pipe.drain(10)
    calls = pipe.rows("SELECT tokens_in, tokens_out FROM ledger WHERE provider <> 'rules'")
    assert 0 < len(calls) < 8
    column, most = ("daily_input_tokens", 0), ("daily_output_tokens", 1)
    for name, at in (column, most):
        assert sum(call[at] for call in calls) <= pipe.config[name] + max(c[at] for c in calls)
    assert pipe.dispatcher.status()["state"] == "capped"
    assert pipe.dispatcher.trouble() == ""
    waiting = pipe.rows(
        "SELECT count(*), count(DISTINCT s.prompt) FROM jobs j JOIN summaries s USING (prompt)"
        " WHERE j.kind = 'model' AND j.state = 'pending' AND s.distilled_by LIKE 'rules/%'"
    )
    assert waiting == [(8 - len(calls), 8 - len(calls))]
    pipe.close()


def test_a_turn_that_does_not_fit_what_is_left_of_the_cap_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its least part may be more than that: then today is over, and nothing is planned again."""
    monkeypatch.setattr(planning, "LEAST_TOKENS", 10)
    pipe = Modelled(tmp_path, daily_input_tokens=planning.fixed_tokens() + 40)
    pipe.turn(1, uses=12)
    pipe.drain(5)
    assert pipe.provider.asked == []
    assert pipe.dispatcher.status()["state"] == "capped"
    assert pipe.dispatcher.plan(pipe.db) is None
    pipe.close()


def test_what_was_forgotten_during_a_call_does_not_come_back(tmp_path: Path) -> None:
    """A turn in part: it is asked again with what is left of it."""
    said: list[str] = []

    def forgetting(ask: Ask) -> str:
        if not said:
            query = "DELETE FROM tool_uses WHERE tool_use_id = 'toolu_s1_1_0'"
            made.database.write(lambda db: db.execute(query))
        said.append(ask.batch)
        return observing(ask)

    made = Modelled(tmp_path, forgetting)
    made.turn(1)
    made.drain()
    assert len(said) == 2
    assert "s1x1x0" in said[0]
    assert "make s1x1x0" not in said[1]
    assert made.one("SELECT count(*) FROM observations WHERE distilled_by LIKE 'openai/%'") == 1
    made.close()


def claimed(pipe: Modelled) -> tuple[planning.Plan, int, ledger.Budget]:
    """A turn's call, claimed and not made yet, and what was left of the cap before."""
    pipe.turn(1)
    pipe.run()
    pipe.database.write(model_queue.open_recent)
    planned = pipe.dispatcher.plan(pipe.db)
    assert planned is not None
    label, budget = pipe.provider.label, ledger.budget(pipe.db, pipe.config)
    return planned, pipe.database.write(lambda db: adopt.claim(db, planned, label, budget)), budget


def test_a_call_that_was_lost_is_made_again_and_counts(tmp_path: Path) -> None:
    """D1, D2: the worker was killed between claim and commit."""
    pipe = Modelled(tmp_path)
    planned, call, budget = claimed(pipe)
    label = pipe.provider.label
    assert call
    assert pipe.dispatcher.plan(pipe.db) is None
    again = pipe.database.write(lambda db: adopt.claim(db, planned, label, budget))
    assert again == 0
    pipe.database.write(model_queue.release_jobs)
    left = ledger.budget(pipe.db, pipe.config)
    assert left.tokens_in == budget.tokens_in - planned.tokens_in
    pipe.drain()
    assert len(pipe.provider.asked) == 1
    assert pipe.one("SELECT count(*) FROM observations WHERE distilled_by LIKE 'openai/%'") == 1
    assert pipe.rows("SELECT state FROM reservations") == [("lost",)]
    pipe.close()


def test_a_reply_to_a_lease_that_ran_out_is_billed_and_not_stored_twice(tmp_path: Path) -> None:
    """Another call has the turn by then."""
    pipe = Modelled(tmp_path)
    planned, call, _ = claimed(pipe)
    label = pipe.provider.label
    assert pipe.database.write(lambda db: model_queue.expire(db, (call,))) == 0
    assert pipe.database.write(lambda db: model_queue.expire(db, ())) == 1
    pipe.drain()
    asked = pipe.provider.asked[0]
    late = reply.read(observing(asked), planned.batch)
    given = Answer("", "small-1", Usage(100, 10))
    rows = pipe.database.write(
        lambda db: adopt.commit(db, planned, call, label, given, late, "x/y/z", 5)
    )
    assert rows == 0
    assert pipe.one("SELECT count(*) FROM observations WHERE distilled_by LIKE 'openai/%'") == 1
    assert pipe.one("SELECT count(*) FROM ledger WHERE provider <> 'rules'") == 2
    pipe.close()


def test_a_trifle_is_not_asked_about(pipe: Modelled) -> None:
    """A greeting costs nothing."""
    here: dict[str, Any] = {"session_id": "s1", "prompt_id": "s1-1"}
    pipe.put(event("UserPromptSubmit", prompt="Hello", **here))
    pipe.put(event("Stop", last_assistant_message="Hi.", **here))
    pipe.drain()
    assert pipe.provider.asked == []
    assert pipe.one("SELECT count(*) FROM jobs WHERE kind = 'model' AND state <> 'done'") == 0
    assert pipe.one("SELECT count(*) FROM reservations") == 0


def test_small_turns_wait_for_company_and_large_ones_do_not(pipe: Modelled) -> None:
    """One call for several questions."""
    pipe.turn(1, uses=2)
    pipe.run()
    now = sqlite.now_ms()
    due = pipe.one("SELECT not_before FROM jobs WHERE kind = 'model'")
    assert due > now + model_queue.GATHER_MS / 2
    pipe.turn(2, uses=model_queue.WORTHWHILE)
    pipe.run()
    assert pipe.one("SELECT min(not_before) FROM jobs WHERE kind = 'model'") <= sqlite.now_ms()
    assert len(model_queue.next_jobs(pipe.db, sqlite.now_ms())) == 2
