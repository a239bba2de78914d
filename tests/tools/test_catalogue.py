"""What the host is told of the tools: true, short, and the same everywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from backstory.estimate import estimate_tokens
from backstory.hook.handlers import READ_ONLY_TOOLS
from backstory.tools.catalogue import FILE, INSTRUCTIONS, PREFIX, TOOLS, Tool, document

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
    assert set(READ_ONLY_TOOLS) == reading
    assert set("|".join(matchers).split("|")) == reading
    assert PREFIX + "save_memory" not in reading


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
    assert "outputSchema" not in entry, "the host would show the model nothing but its JSON"
    for argument in schema["properties"].values():
        assert argument["type"]
        assert argument["type"] != "integer" or {"minimum", "maximum"} <= set(argument)
        assert argument["type"] != "array" or {"items", "maxItems"} <= set(argument)


def test_only_the_first_steps_of_a_search_are_loaded_at_once() -> None:
    """The others wait behind tool search."""
    assert {tool.name for tool in TOOLS if not tool.deferred} == {"search", "get_observations"}
    entries = {tool.name: tool.as_json() for tool in TOOLS}
    assert entries["timeline"]["_meta"] == {"anthropic/alwaysLoad": False}
    assert "_meta" not in entries["search"]


def test_the_tools_cost_little_to_carry() -> None:
    """They are in every request of every session; the estimate counts JSON's signs in full."""
    seen = [
        json.dumps(
            {
                "name": PREFIX + tool.name,
                "description": tool.description,
                "input_schema": tool.schema,
            },
            separators=(",", ":"),
        )
        for tool in TOOLS
    ]
    assert all(estimate_tokens(tool.description) <= 60 for tool in TOOLS)
    assert sum(map(len, seen)) <= 3_000
    assert sum(map(estimate_tokens, seen)) <= 1_650
    always = [text for text, tool in zip(seen, TOOLS, strict=True) if not tool.deferred]
    assert sum(map(estimate_tokens, always)) <= 640


def test_the_instructions_fit() -> None:
    """The host cuts them at 2,048 characters."""
    assert len(INSTRUCTIONS) <= 2_000
    assert estimate_tokens(INSTRUCTIONS) <= 150
