"""One event is a few lines: the call, what it was about, and what matters of its output."""

from __future__ import annotations

from typing import Any

import pytest

from backstory.capture.excerpt import EVENT_TOKENS, excerpt
from backstory.estimate import estimate_tokens
from backstory.records import Status, ToolUse, Turn
from tests.support.turns import Session

MEGA = 3_000_000


def _turn(*uses: ToolUse) -> Turn:
    return Turn(1, "Fix the totals", uses, "Done.", "/home/dev/app", "/home/dev/app", 0)


def _told(name: str, given: Any, output: Any, status: Status = "ok") -> str:
    use = ToolUse(0, "toolu_1", name, given, output, status, 0)
    return excerpt(_turn(use), use)


def _last(session: Session) -> str:
    turn = session.done("")
    return excerpt(turn, turn.tool_uses[-1])


def test_the_first_line_says_what_was_called_and_on_what() -> None:
    """Tool, whose call it was, whether it failed or was refused, and its subject."""
    session = Session()
    session.files["shop/cart.py"] = "total = 1\n"
    assert _last(session.bash("ls -la")) == "Bash: ls -la"
    assert _last(session.edit("shop/cart.py", "1", "2")).startswith("Edit: shop/cart.py\n")
    failed = _last(session.fail("cat x", "cat: x: No such file or directory"))
    assert failed.startswith("Bash failed: cat x\n")
    refused = _last(session.refuse("Write", {"file_path": "/etc/x"}, "not granted"))
    assert refused == "Write refused: /etc/x\n| not granted"
    assert _last(session.subagent("Explore").bash("ls")) == "[Explore] Bash: ls"


def test_a_read_tells_its_range() -> None:
    """A part of a file reads as one; an odd range is left out."""
    file = {"content": "a = 1\n", "startLine": 40, "numLines": 20, "totalLines": 300}
    given = {"file_path": "/home/dev/app/a.py"}
    assert _told("Read", given, {"type": "text", "file": file}).startswith(
        "Read: a.py lines 40-59 of 300\n"
    )
    whole = {**file, "startLine": 1, "numLines": 300}
    assert _told("Read", given, {"file": whole}).startswith("Read: a.py, 300 lines\n")
    assert _told("Read", {**given, "offset": 5}, "").startswith("Read: a.py from line 5")
    assert _told("Read", given, {"file": {**file, "numLines": True}}).startswith("Read: a.py\n")


def test_our_own_tools_are_left_out() -> None:
    """C12: what was recalled is not sent to be learnt again."""
    assert _told("mcp__plugin_backstory_mem__search", {"query": "x"}, "Redis") == ""
    assert _told("Bash", {"command": "backstory search redis"}, {"stdout": "Redis"}) == ""


def test_recalled_text_in_an_output_is_left_out() -> None:
    """C12: the block that a session starts with may be printed by anything."""
    block = "a\n<backstory-memory>\nRedis was chosen\n</backstory-memory>\nb"
    for name, given, output in (
        ("Bash", {"command": f"echo '{block}'"}, {"stdout": block}),
        ("Read", {"file_path": "/home/dev/app/x"}, {"file": {"content": block}}),
        ("Agent", {"prompt": block, "description": "look"}, {"content": [{"text": block}]}),
        ("Write", {"file_path": "/home/dev/app/x", "content": block}, {"content": block}),
        ("mcp__x__y", {"q": block}, [{"type": "text", "text": block}]),
    ):
        told = _told(name, given, output)
        assert "Redis" not in told
        assert told


def test_what_comes_from_outside_is_marked() -> None:
    """Web pages, other people's MCP servers, and what curl brought."""
    assert _told("WebFetch", {"url": "https://a.example/x", "prompt": "how?"}, "text") == (
        "WebFetch (foreign): https://a.example/x\n| asked: how?\n| text"
    )
    assert _told("mcp__tracker__get", {"id": 7}, [{"type": "text", "text": "closed"}]) == (
        "mcp__tracker__get (foreign): id=7\n| closed"
    )
    assert "(foreign)" in _told("Bash", {"command": "curl https://a.example"}, {"stdout": "x"})
    assert "(foreign)" not in _told("Bash", {"command": "curl localhost:80"}, {"stdout": "x"})


def test_a_tools_own_complaint_is_one_line() -> None:
    """C12: an error envelope tells nothing about the project."""
    told = _told("mcp__x__y", {"q": "a"}, {"error": "internal failure E42"}, "failed")
    assert told == "mcp__x__y (foreign) failed: q=a"
    assert "\n" not in _told("TodoWrite", {"todos": [{"content": "a"}] * 50}, {"newTodos": []})


def test_a_picture_is_not_sent() -> None:
    """C9: neither as an object nor as text."""
    data = "iVBORw0KGgo" * 300_000
    shape = {"type": "image", "source": {"type": "base64", "data": data}}
    host = {"type": "image", "file": {"base64": data, "type": "image/png"}}
    for output in (shape, host):
        assert _told("Read", {"file_path": "/home/dev/app/a.png"}, output) == "Read: a.png"
    assert estimate_tokens(_told("mcp__x__shot", {}, data)) < 300


_ODD: list[Any] = [None, True, 7, -1.5, float("nan"), 10**5_000, b"bytes", "", [], {}, [[]]]
_ODD += [{"stdout": 3}, {"file": [1]}, {"content": {"content": None}}, {1: 2}, [None, {"text": 1}]]
_ODD += ["\ud800\x00\x1b[2J", {"filenames": [1, None]}, {"answers": {"a": {"b": 10**5_000}}}]
_ODD += [{"structuredPatch": [{"lines": [1, "+x"]}, 3]}, {"originalFile": 3, "content": ["a"]}]
_NAMES = ["Bash", "Edit", "MultiEdit", "Write", "NotebookEdit", "Read", "Grep", "Glob", "Agent"]
_NAMES += ["WebFetch", "WebSearch", "TodoWrite", "AskUserQuestion", "mcp__x__y", "mcp__", ""]


@pytest.mark.parametrize("name", _NAMES)
def test_odd_inputs_and_outputs_are_told_in_bounds(name: str) -> None:
    """No shape raises, and the first line always stands."""
    deep: Any = "end"
    for _ in range(3_000):
        deep = {"content": [deep]}
    for value in [*_ODD, deep]:
        given = dict.fromkeys(("command", "file_path", "edits", "questions", "prompt"), value)
        for one in (given, value if isinstance(value, dict) else {}):
            told = _told(name, one, value)
            told.encode()
            assert told.splitlines()[0].startswith(name or "unnamed tool")
            assert all(line.startswith("| ") for line in told.splitlines()[1:])
            assert estimate_tokens(told) <= EVENT_TOKENS


_PARTS = ["a", "错", "\n", "error: x\n", "+x\n", '{"a":1},', "1 failed, ", "\x00", "\u2028", "| "]
_PARTS += [
    "Traceback (most recent call last):\n",
    '  File "x.py", line 3\n',
    "x = 1\n",
    "def f():\n",
]


@pytest.mark.parametrize("part", _PARTS)
def test_megabytes_are_cut_to_the_cap(part: str) -> None:
    """Three million characters in any place cost at most what one event may."""
    text = part * (MEGA // len(part))
    path = {"file_path": "/home/dev/app/a.py"}
    for name, given, output in (
        ("Bash", {"command": "make"}, {"stdout": text, "stderr": text}),
        ("Bash", {"command": text, "description": text}, "Exit code 1\n" + text),
        ("Read", path, {"file": {"content": text}}),
        ("Write", {**path, "content": text}, {"type": "create", "content": text}),
        ("Edit", {**path, "old_string": text, "new_string": text[1:]}, {"originalFile": text}),
        ("Grep", {"pattern": text, "path": text}, {"content": text, "filenames": [text] * 3}),
        ("Agent", {"prompt": text, "description": text}, {"content": [{"text": text}]}),
        ("AskUserQuestion", {}, {"answers": {text: text}}),
        ("mcp__x__y", {"q": text, "r": [text]}, [{"type": "text", "text": text}]),
    ):
        assert estimate_tokens(_told(name, given, output)) <= EVENT_TOKENS
