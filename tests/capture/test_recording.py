"""What each event becomes in the tables."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from backstory.capture import recording
from tests.support.home import PROMPT, event, tool
from tests.support.pipeline import Pipeline

REFUSED = "Claude requested permissions to use Bash, but you haven't granted it yet."


def test_a_session_with_prompt_call_and_stop_is_stored(pipe: Pipeline) -> None:
    """C17: every id that joins rows is ours."""
    pipe.feed(
        event("SessionStart", prompt_id=None, source="startup"),
        event("UserPromptSubmit", prompt="Fix the cart."),
        tool("toolu_1", "make test"),
        event("Stop", last_assistant_message="Done."),
        event("SessionEnd", prompt_id=None, reason="other"),
    )
    assert pipe.rows("SELECT session_id, end_reason FROM sessions") == [("s1", "other")]
    prompts = pipe.rows("SELECT number, prompt_id, text, last_message FROM prompts")
    assert prompts == [(1, PROMPT, "Fix the cart.", "Done.")]
    uses = pipe.rows("SELECT tool_use_id, name, status, duration_ms, agent_id FROM tool_uses")
    assert uses == [("toolu_1", "Bash", "ok", 5, "")]
    given, answer = pipe.io("toolu_1")
    assert given == {"command": "make test"}
    assert answer["stdout"] == "out"


def test_every_event_delivered_twice_is_stored_once(pipe: Pipeline) -> None:
    """A16, E2: two copies of the plugin, or one that was interrupted after its commit."""
    story = [
        event("SessionStart", prompt_id=None, source="startup"),
        event("UserPromptSubmit", prompt="Fix the cart."),
        tool("toolu_1"),
        event("SubagentStart", agent_id="a1", agent_type="Explore"),
        event("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="Found."),
        event("PostToolUseFailure", tool_name="Read", tool_use_id="toolu_2", error="gone"),
        event("PostCompact", trigger="auto", compact_summary="so far"),
        event("Stop", last_assistant_message="Done."),
        event("SessionEnd", prompt_id=None, reason="other"),
    ]
    for one in story:
        at = pipe.clock // 1_000_000 + 1_000
        pipe.put(one, at=at)
        pipe.put(one, at=at)
    pipe.run()
    tables = ("sessions", "prompts", "tool_uses", "tool_io", "agents", "compactions")
    counts = {table: pipe.one(f"SELECT count(*) FROM {table}") for table in tables}
    assert counts == dict.fromkeys(tables, 1) | {"tool_uses": 2, "tool_io": 2}
    assert pipe.bad() == []
    before = pipe.rows("SELECT id, title, content_hash FROM observations")
    for one in story:
        pipe.put(one)
    pipe.run()
    assert pipe.rows("SELECT id, title, content_hash FROM observations") == before


def test_prompts_without_an_id_are_told_apart_by_their_words_and_time(pipe: Pipeline) -> None:
    """Older clients send none; two deliveries lie closer than two of the same question."""
    at = 1_780_000_100_000
    for offset in (0, 3, 60_000):
        pipe.put(event("UserPromptSubmit", prompt_id=None, prompt="go on"), at=at + offset)
    pipe.put(event("UserPromptSubmit", prompt_id=None, prompt="stop"), at=at + 61_000)
    pipe.run()
    assert pipe.rows("SELECT number, text FROM prompts ORDER BY id") == [
        (1, "go on"),
        (2, "go on"),
        (3, "stop"),
    ]


def test_a_prompt_may_arrive_after_its_first_call(pipe: Pipeline) -> None:
    """Hooks run in parallel: the order of files is not the order of things."""
    pipe.feed(tool("toolu_1"), event("UserPromptSubmit", prompt="Fix the cart."))
    assert pipe.rows("SELECT number, text FROM prompts") == [(1, "Fix the cart.")]
    found = pipe.one("SELECT p.text FROM tool_uses t JOIN prompts p ON p.id = t.prompt")
    assert found == "Fix the cart."


def test_a_call_before_any_prompt_has_a_turn_of_its_own(pipe: Pipeline) -> None:
    """Turn 0: what came before the first prompt."""
    pipe.feed(
        tool("toolu_1", prompt_id=None), event("UserPromptSubmit", prompt_id="p2", prompt="Hello.")
    )
    assert pipe.rows("SELECT number, text FROM prompts ORDER BY number") == [(0, ""), (1, "Hello.")]


def batch(*calls: tuple[str, Any]) -> dict[str, Any]:
    """A PostToolBatch with Bash calls."""
    entries = [
        {
            "tool_name": "Bash",
            "tool_input": {"command": "x"},
            "tool_use_id": id_,
            "tool_response": r,
        }
        for id_, r in calls
    ]
    return event("PostToolBatch", tool_calls=entries)


@pytest.mark.parametrize(
    "answer",
    [
        REFUSED,
        "Permission to use Bash has been denied because Claude Code is running in don't ask mode.",
        "Permission for this action was denied by the Claude Code auto mode classifier.",
        "PreToolUse:Bash hook error: not here",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    ],
)
def test_a_refused_call_is_stored_as_refused(pipe: Pipeline, answer: str) -> None:
    """Only the batch tells of it."""
    pipe.feed(batch(("toolu_1", answer)))
    assert pipe.rows("SELECT tool_use_id, status FROM tool_uses") == [("toolu_1", "refused")]


def test_a_batch_says_nothing_new_of_calls_that_ran(pipe: Pipeline) -> None:
    """Also where their output reads like a refusal."""
    pipe.feed(tool("toolu_1"), batch(("toolu_1", REFUSED), ("toolu_2", "no such call here")))
    found = pipe.rows("SELECT tool_use_id, status FROM tool_uses")
    assert found == [("toolu_1", "ok"), ("toolu_2", "refused")]


def test_a_batch_that_comes_first_is_corrected_by_the_calls_own_event(pipe: Pipeline) -> None:
    """`Permission denied` in the output of a command that failed is no refusal."""
    failed = event(
        "PostToolUseFailure", tool_name="Bash", tool_use_id="toolu_1", error="Exit code 1: denied"
    )
    pipe.feed(batch(("toolu_1", "cat: x: Permission denied: denied")), failed, failed)
    assert pipe.rows("SELECT tool_use_id, status FROM tool_uses") == [("toolu_1", "failed")]
    assert pipe.io("toolu_1")[1] == "Exit code 1: denied"
    pipe.feed(batch(("toolu_1", REFUSED)))
    assert pipe.one("SELECT status FROM tool_uses") == "failed"


def test_one_odd_entry_of_a_batch_takes_no_other_along(pipe: Pipeline) -> None:
    """Ids that are lists, entries that are no objects, our own calls beside others'."""
    payload = batch(("toolu_1", REFUSED))
    own = {"tool_name": "mcp__plugin_backstory_mem__search", "tool_use_id": "toolu_0"}
    odd = ["x", None, {"tool_name": "Bash", "tool_use_id": ["a"], "tool_response": "fine"}, own]
    payload["tool_calls"] = [*odd, *payload["tool_calls"]]
    pipe.feed(payload)
    assert pipe.rows("SELECT tool_use_id FROM tool_uses") == [("toolu_1",)]


def test_subagents_calls_carry_their_agent(pipe: Pipeline) -> None:
    """C14: so that recall can leave them out."""
    pipe.feed(
        event("UserPromptSubmit", prompt="Look around."),
        event("SubagentStart", agent_id="a1", agent_type="Explore"),
        tool("toolu_1", agent_id="a1", agent_type="Explore"),
        event("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="Found."),
        event("SubagentStop", agent_id=None, last_assistant_message="a compaction's"),
    )
    assert pipe.rows("SELECT agent_id, agent_type FROM tool_uses") == [("a1", "Explore")]
    agents = pipe.rows("SELECT agent_id, agent_type, last_message, ended_at > 0 FROM agents")
    assert agents == [("a1", "Explore", "Found.", 1)]


def test_a_subagent_that_ends_unannounced_is_stored(pipe: Pipeline) -> None:
    """Its start may have been lost."""
    pipe.feed(event("SubagentStop", agent_id="a1", last_assistant_message="Found."))
    assert pipe.rows("SELECT agent_id, last_message FROM agents") == [("a1", "Found.")]


def test_compactions_are_stored(pipe: Pipeline) -> None:
    """With what the host folded the context into."""
    pipe.feed(
        event("UserPromptSubmit", prompt="Go."),
        event("PreCompact", trigger="manual"),
        event("PostCompact", trigger="manual", compact_summary="We fixed the cart."),
    )
    found = pipe.rows("SELECT cause, summary FROM compactions")
    assert found == [("manual", "We fixed the cart.")]


def test_a_failed_turn_keeps_its_error(pipe: Pipeline) -> None:
    """StopFailure stands in for Stop."""
    pipe.feed(
        event("UserPromptSubmit", prompt="Go."),
        event("StopFailure", error="server_error", last_assistant_message="API Error: 500"),
    )
    found = pipe.rows("SELECT error, last_message FROM prompts")
    assert found == [("server_error: API Error: 500", "")]


def test_a_resumed_session_is_open_again(pipe: Pipeline) -> None:
    """And keeps its row."""
    pipe.feed(event("SessionStart", source="startup"), event("SessionEnd", reason="other"))
    assert pipe.one("SELECT ended_at FROM sessions") is not None
    pipe.feed(event("SessionStart", source="resume"))
    assert pipe.rows("SELECT ended_at, end_reason FROM sessions") == [(None, "")]


def test_the_project_is_fixed_when_the_session_is_first_seen(pipe: Pipeline) -> None:
    """H2: a later `cd` into a subfolder or elsewhere changes nothing."""
    pipe.feed(event("SessionStart", cwd="/r", source="startup"))
    pipe.feed(tool("toolu_1", cwd="/r/apps/web"), tool("toolu_2", cwd="/elsewhere"))
    assert pipe.rows("SELECT root, cwd FROM sessions") == [("/r", "/r")]
    assert pipe.rows("SELECT name FROM projects") == [("r",)]


def test_the_hosts_project_folder_counts_before_the_current_one(pipe: Pipeline) -> None:
    """H7: a temporary cwd of a subagent or an SDK is no project."""
    pipe.feed(tool("toolu_1", cwd="/var/tmp/T"), project_dir="/r")
    assert pipe.rows("SELECT name, root FROM projects") == [("r", "/r")]


@pytest.mark.parametrize("folder", ["/home/me/.claude/plugins/cache/x", "{home}", "{home}/spool"])
def test_our_own_folders_are_no_projects(pipe: Pipeline, folder: str) -> None:
    """H7: neither the plugin cache nor the data directory."""
    pipe.feed(tool("toolu_1", cwd=folder.format(home=pipe.home)))
    assert pipe.one("SELECT count(*) FROM sessions") == 0


def test_our_own_tools_are_not_stored(pipe: Pipeline) -> None:
    """C12: recalled text must not come back as something new."""
    pipe.feed(
        tool("toolu_1", tool_name="mcp__plugin_backstory_mem__search", tool_input={"query": "x"}),
        tool("toolu_2", "backstory search cart"),
    )
    assert pipe.one("SELECT count(*) FROM tool_uses") == 0


def test_excluded_projects_and_skipped_tools_are_left_out(tmp_path: Any) -> None:
    """Also where the event reached the spool before the setting was made."""
    pipe = Pipeline(
        tmp_path / "data", excluded_projects=["/secret", "*/tmp*"], skipped_tools=["We*"]
    )
    pipe.feed(
        tool("toolu_1", session_id="a", cwd="/secret/deep"),
        tool("toolu_2", session_id="b", cwd="/home/tmp-x"),
        tool("toolu_3", session_id="c", cwd="/secretary"),
        tool("toolu_4", session_id="c", cwd="/secretary", tool_name="WebFetch"),
        batch(("toolu_5", REFUSED)) | {"session_id": "c"},
    )
    assert pipe.rows("SELECT tool_use_id FROM tool_uses") == [("toolu_3",), ("toolu_5",)]
    assert pipe.rows("SELECT session_id FROM sessions") == [("c",)]
    pipe.close()


def test_long_texts_are_capped_head_and_tail(pipe: Pipeline) -> None:
    """D8: a pasted megabyte is stored once, and short."""
    pipe.feed(event("UserPromptSubmit", prompt="Why? " + "x" * 1_000_000 + " Look."))
    text = pipe.one("SELECT text FROM prompts")
    assert len(text) <= recording.PROMPT_LIMIT
    assert text.startswith("Why? ")
    assert text.endswith(" Look.")


def test_images_are_stored_as_their_kind_and_size(pipe: Pipeline) -> None:
    """C9: three megabytes of base64 tell nobody anything."""
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" + "A" * 3_000_000}
    pipe.feed(tool("toolu_1", tool_response=[{"type": "image", "source": source}]))
    _, answer = pipe.io("toolu_1")
    assert "image/png" in str(answer)
    assert len(str(answer)) < 500
    assert pipe.one("SELECT size FROM tool_io") < 1_000


def test_secrets_reach_no_table(pipe: Pipeline) -> None:
    """G4: in prompts, inputs, outputs, closing messages and compaction summaries."""
    secret = "ghp_" + "a1B2" * 9
    pipe.feed(
        event("UserPromptSubmit", prompt=f"the token is {secret}"),
        tool("toolu_1", f"curl -H 'Authorization: Bearer {secret}'", tool_response=secret),
        event("PostCompact", trigger="auto", compact_summary=secret),
        event("Stop", last_assistant_message=f"I used {secret}."),
    )
    for table in ("prompts", "compactions", "observations", "summaries"):
        assert secret not in str(pipe.rows(f"SELECT * FROM {table}"))
    assert secret not in str(pipe.io("toolu_1"))


ODD = [
    {"tool_input": "a string"},
    {"tool_input": ["a", 1]},
    {"tool_input": None, "tool_response": None},
    {"tool_input": {"command": "\ud83d lone"}, "tool_response": "\udc00"},
    {"tool_response": {"n": 10**30, "f": 1e308, "big": [10**400]}},
    {"duration_ms": 10**30},
    {"duration_ms": -5},
    {"duration_ms": 1.5},
    {"duration_ms": "7"},
    {"tool_name": 7},
    {"tool_name": "x" * 100_000},
    {"tool_use_id": "x" * 1_000_000},
    {"agent_id": "a" * 1_000_000, "agent_type": "\u202e\x00"},
    {"cwd": "relative/./path"},
    {"cwd": ""},
    {"prompt_id": "p\x00q"},
    {"session_id": "../../etc/passwd"},
    {"session_id": "a\nb\x00c"},
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_values_cost_their_field_and_not_the_call(pipe: Pipeline, odd: dict[str, Any]) -> None:
    """A hostile or broken payload is stored as far as it can be, and distilled without harm."""
    pipe.feed(event("UserPromptSubmit", prompt="Go."), tool("toolu_1") | odd, tool("toolu_2"))
    pipe.feed(event("Stop", last_assistant_message="Done.", **_session(odd)))
    assert pipe.bad() == []
    assert pipe.one("SELECT count(*) FROM tool_uses") == 2
    assert pipe.one("SELECT max(length(tool_use_id)) FROM tool_uses") <= recording.ID_LIMIT
    assert pipe.rows("SELECT state FROM jobs WHERE state <> 'done'") == []


def _session(odd: dict[str, Any]) -> dict[str, Any]:
    return {key: odd[key] for key in ("session_id", "prompt_id") if key in odd}


HOPELESS = [
    {"tool_use_id": ""},
    {"tool_use_id": 7},
    {"tool_use_id": None},
    {"session_id": "\ud800"},  # escaped, as JSON can hold it
    {"cwd": "/a\x00b"},
]


@pytest.mark.parametrize("odd", HOPELESS, ids=range(len(HOPELESS)))
def test_what_cannot_be_stored_goes_aside_alone(pipe: Pipeline, odd: dict[str, Any]) -> None:
    """The events before and after it are taken in."""
    pipe.put(tool("toolu_1"))
    pipe.put(None, raw=json.dumps(tool("toolu_x") | odd).encode())
    pipe.put(tool("toolu_3"))
    pipe.run()
    uses = pipe.rows("SELECT tool_use_id FROM tool_uses")
    assert uses == [("toolu_1",), ("toolu_3",)]
    assert len(pipe.bad()) == 1


def test_a_long_turn_is_distilled_while_it_runs(pipe: Pipeline) -> None:
    """At 25 calls, then at each doubling: what happened survives a session that never stops."""
    pipe.feed(event("UserPromptSubmit", prompt="Fix everything."))
    opened = []
    for number in range(60):
        pipe.feed(tool(f"toolu_{number}", f"make step{number}"))
        opened.append(pipe.one("SELECT distilled_uses FROM prompts"))
    assert opened[23] == 0
    assert opened[24] == 25
    assert opened[48] == 25
    assert opened[49] == 50


def test_text_is_stored_as_it_was_written(pipe: Pipeline) -> None:
    """B9, B10: any script, also decomposed."""
    texts = ["поиск в корзине", "修复购物车", unicodedata.normalize("NFD", "Café"), "🛒 ok"]
    for number, text in enumerate(texts):
        pipe.feed(event("UserPromptSubmit", prompt_id=f"p{number}", prompt=text, cwd="/tmp/Ünï"))
    assert [text for (text,) in pipe.rows("SELECT text FROM prompts ORDER BY id")] == texts
    assert pipe.one("SELECT name FROM projects") == "Ünï"
