"""What the host is told of the tools: true, short, and the same everywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from backstory.estimate import estimate_tokens
from backstory.hook.handlers import READ_ONLY_TOOLS, WRITING_TOOLS
from backstory.tools.catalogue import FILE, INSTRUCTIONS, PREFIX, TOOLS, Tool, document
from backstory.tools.memory import WORKFLOW

ROOT = Path(__file__).resolve().parents[2]
NAMES = [tool.name for tool in TOOLS]


def test_the_relays_file_is_made_from_the_table() -> None:
    """Run `python -m backstory.tools.catalogue` after a change."""
    assert (ROOT / FILE).read_text(encoding="utf-8") == document()


def test_exactly_the_reading_tools_run_unasked() -> None:
    """The hook's matcher, the hook's list and the annotations name the same tools."""
    reading = {PREFIX + tool.name for tool in TOOLS if tool.read_only}
    hooks = json.loads((ROOT / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    matchers = [entry["matcher"] for entry in hooks["PreToolUse"]]
    assert matchers[1:] == ["|".join(WRITING_TOOLS), "Read", "Bash"], (
        "only refused, and the gate's own"
    )
    assert set(READ_ONLY_TOOLS) == reading
    assert set(matchers[0].split("|")) == reading
    assert set(WRITING_TOOLS).isdisjoint(reading)


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_names_fit_every_host(tool: Tool) -> None:
    """F16: one name of 65 characters, or with a space, takes the whole client down."""
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", PREFIX + tool.name)


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_schemas_are_explicit_and_bounded(tool: Tool) -> None:
    """Every argument is declared with a type; numbers and lists have bounds."""
    entry = tool.as_json()
    schema = entry["inputSchema"]
    assert schema["type"] == "object"
    assert schema.get("additionalProperties", True) is tool.open
    assert set(schema.get("required", ())) <= set(schema["properties"])
    assert set(schema["properties"]) == set(tool.properties)
    assert "outputSchema" not in entry, "the host would show the model nothing but its JSON"
    for name, argument in tool.properties.items():
        told = schema["properties"][name]
        # that a text is a text goes without saying where the arguments are many
        assert told == argument or (not tool.wordy and told | {"type": "string"} == argument)
        assert argument["type"]
        assert argument["type"] != "integer" or {"minimum", "maximum"} <= set(argument)
        assert argument["type"] != "array" or {"items", "maxItems"} <= set(argument)


def test_only_first_steps_are_loaded_at_once() -> None:
    """The others wait behind tool search."""
    always = {tool.name for tool in TOOLS if not tool.deferred}
    code = {"smart_search", "smart_outline", "smart_unfold"}
    assert always == {"mem_search", "get_observations", *code}
    entries = {tool.name: tool.as_json() for tool in TOOLS}
    assert entries["search"]["_meta"] == {"anthropic/alwaysLoad": False}
    assert "_meta" not in entries["mem_search"]


def test_older_ways_say_that_they_are() -> None:
    """One tool for a search; the three that older clients know stay, and say Legacy."""
    said = {tool.name: tool.description for tool in TOOLS}
    assert {name for name, text in said.items() if "Legacy" in text} == {
        "search",
        "timeline",
        "get_observations",
    }
    assert "only when details can't answer" in said["get_tool_uses"]
    assert INSTRUCTIONS.index("mem_search") < INSTRUCTIONS.index("get_observations")
    assert WORKFLOW.startswith("Use mem_search for all memory search")
    names = ["mem_search", "search (", "timeline (", "get_observations (", "get_tool_uses"]
    assert [WORKFLOW.index(name) for name in names] == sorted(map(WORKFLOW.index, names))


def test_a_guided_search_declares_all_its_bounds() -> None:
    """What the server checks again is what the host is told."""
    told = next(tool for tool in TOOLS if tool.name == "mem_search").as_json()["inputSchema"]
    assert "required" not in told
    assert {
        name: (one["minimum"], one["maximum"])
        for name, one in told["properties"].items()
        if one["type"] == "integer"
    } == {"limit": (1, 20), "maxDetails": (1, 5), "depthBefore": (0, 3), "depthAfter": (0, 3)}
    assert told["properties"]["mode"]["enum"] == ["guided", "auto"]
    assert told["properties"]["query"]["maxLength"] == 500
    assert told["properties"]["continuation"] == {
        "type": "string",
        "minLength": 27,
        "maxLength": 27,
        "pattern": "^ms_[A-Za-z0-9_-]{24}$",
    }
    assert told["properties"]["selectedIds"]["items"] == {"type": ["string", "integer"]}


def test_the_tools_cost_little_to_carry() -> None:
    """Counted: each entry of tools/list as compact JSON, four bytes a token.

    The estimator, which takes every sign of JSON for a token, more than doubles that; what the host
    carries in every request stays below the bar in its measure too.
    """
    entries = {
        tool.name: json.dumps(tool.as_json(), separators=(",", ":"), ensure_ascii=False)
        for tool in TOOLS
    }
    tokens = {name: len(entry.encode()) / 4 for name, entry in entries.items()}
    assert sum(tokens.values()) / len(TOOLS) <= 130
    assert tokens.pop("mem_search") <= 215, "its nine arguments alone are 150 with their bounds"
    assert tokens.pop("work_state_write") <= 155, "three lists of texts, each with its bounds"
    assert max(tokens.values()) <= 140
    assert all(estimate_tokens(tool.description) <= 60 for tool in TOOLS)
    always = [entries[tool.name] for tool in TOOLS if not tool.deferred]
    assert sum(len(entry.encode()) / 4 for entry in always) <= 1_100
    assert sum(map(estimate_tokens, always)) <= 1_700


def test_the_instructions_fit() -> None:
    """The host cuts them at 2,048 characters."""
    assert len(INSTRUCTIONS) <= 2_000
    assert estimate_tokens(INSTRUCTIONS) <= 200
