"""One payload, parsed once: what is no event is refused, what is too large is read by its ends."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from backstory.capture import events
from backstory.storage import spool
from tests.support.home import dump, event, tool


def filed(body: bytes, **header: object) -> bytes:
    """A spool file."""
    lines = "".join(f"{key}={value}\n" for key, value in {"at": 5_000_000, **header}.items())
    return spool.MAGIC + lines.encode() + b"\n" + body


def test_the_hosts_fields_and_the_spools_are_read() -> None:
    """Times come as milliseconds; missing words are empty."""
    found = events.parse(filed(dump(tool("toolu_1", cwd="/r", agent_id="a1")), project_dir="/p"))
    assert (found.name, found.session_id, found.at) == ("PostToolUse", "s1", 5)
    assert (found.cwd, found.project_dir, found.agent_id, found.agent_type) == (
        "/r",
        "/p",
        "a1",
        "",
    )
    assert found.text("tool_name") == "Bash"
    assert found.text("tool_input") == ""  # no text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b'{"session_id":"s1"}',
        b'{"hook_event_name":"Stop"}',
        dump(event("Stop", session_id="")),
        dump({"session_id": 7, "hook_event_name": "Stop"}),
        dump({"session_id": "s1", "hook_event_name": ["Stop"]}),
        b"\x00\xff\xfe binary",
        b'{"a":' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_event_is_a_value_error(body: bytes) -> None:
    """Whoever takes files in puts it aside."""
    with pytest.raises(ValueError):  # noqa: PT011  the kind is all that counts
        events.parse(filed(body))


@pytest.mark.parametrize("data", [b"", b"{}", spool.MAGIC, spool.MAGIC + b"at=1\n{}"])
def test_what_is_no_spool_file_is_a_value_error(data: bytes) -> None:
    """A foreign file in the spool."""
    with pytest.raises(ValueError, match=r"spool|header"):
        events.parse(data)


@pytest.mark.parametrize("value", [7, None, ["x"], {"a": 1}, True])
def test_words_of_another_type_count_as_missing(value: Any) -> None:
    """Numbers and lists as ids reach no column."""
    payload = {**event("Stop"), "cwd": value, "prompt_id": value, "agent_id": value}
    found = events.parse(filed(dump(payload)))
    assert (found.cwd, found.prompt_id, found.agent_id) == ("", "", "")


def cut(payload: dict[str, Any]) -> events.Event:
    """The event of a payload whose middle was left out, so that the rest is no JSON."""
    body = dump(payload)
    for tail in range(3_000, 3_010):
        kept = body[:3_000] + body[-tail:]
        with suppress(ValueError):
            json.loads(kept)
            continue
        return events.parse(filed(kept, cut=len(body) - len(kept)))
    raise AssertionError("every cut leaves JSON")


def test_a_cut_tool_call_keeps_its_id_input_and_both_ends() -> None:
    """C9, D8: a result of any size is one tool use, not a lost one."""
    output = {"stdout": "HEAD" + 'a"b' * 20_000 + "TAIL"}
    found = cut(tool("toolu_9", "make all", tool_response=output))
    assert found.payload["tool_use_id"] == "toolu_9"
    assert found.payload["tool_input"] == {"command": "make all"}
    answer = found.payload["tool_response"]
    assert "HEAD" in answer
    assert "TAIL" in answer
    assert "bytes cut" in answer


def test_a_cut_prompt_keeps_both_ends() -> None:
    """A pasted log."""
    found = cut(event("UserPromptSubmit", prompt="Why? " + 'a"b' * 20_000 + " Look."))
    assert "Why?" in found.text("prompt")
    assert "Look." in found.text("prompt")
    assert found.prompt_id == event("Stop")["prompt_id"]


def test_a_cut_file_without_a_session_is_a_value_error() -> None:
    """Nothing says whose it was."""
    body = b'{"hook_event_name":"Stop","x":"' + b"y" * 9000
    with pytest.raises(ValueError, match="no session"):
        events.parse(filed(body, cut=1))


@pytest.mark.parametrize(
    ("name", "given", "own"),
    [
        ("mcp__plugin_backstory_mem__search", {}, True),
        ("mcp__other__search", {}, False),
        ("Bash", {"command": "backstory search cart"}, True),
        ("Bash", {"command": "cd x && backstory show 12"}, True),
        ("Bash", {"command": "/p/bin/backstory doctor --json"}, True),
        ("Bash", {"command": "grep -rn backstory src"}, False),
        ("Bash", {"command": "cat docs/backstory.md"}, False),
        ("Bash", {"command": 7}, False),
        ("Bash", "backstory search", False),
        ("Read", {"command": "backstory search cart"}, False),
    ],
)
def test_our_own_calls_are_known(name: str, given: object, own: bool) -> None:
    """Recalled text must not be learnt again."""
    assert events.is_own(name, given) is own


def test_lone_surrogates_in_a_payload_are_no_obstacle() -> None:
    """B9: Windows' consoles and cut emoji produce them."""
    found = events.parse(filed(b'{"session_id":"s1","hook_event_name":"Stop","x":"\\ud83d"}'))
    assert found.payload["x"] == "\ud83d"
    assert json.dumps(found.payload)
