"""Payloads made at random from odd pieces: each call is stored, each turn is distilled."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.support.home import event
from tests.support.pipeline import Pipeline

TOOLS = [
    "Edit",
    "Write",
    "Read",
    "Bash",
    "Grep",
    "Glob",
    "Agent",
    "Task",
    "WebFetch",
    "WebSearch",
    "NotebookEdit",
    "MultiEdit",
    "TodoWrite",
    "Skill",
    "ExitPlanMode",
    "AskUserQuestion",
    "mcp__x__y",
]
GIVEN = [
    "file_path",
    "old_string",
    "new_string",
    "content",
    "command",
    "pattern",
    "path",
    "prompt",
    "subagent_type",
    "url",
    "query",
    "notebook_path",
    "edits",
    "todos",
    "description",
    "replace_all",
    "output_mode",
]
ANSWERED = [
    "filePath",
    "oldString",
    "newString",
    "originalFile",
    "structuredPatch",
    "stdout",
    "stderr",
    "interrupted",
    "type",
    "file",
    "content",
    "status",
    "agentId",
    "totalTokens",
    "filenames",
    "numFiles",
    "mode",
    "url",
    "code",
    "result",
    "text",
    "lines",
]
VALUES: list[Any] = [
    None,
    "",
    0,
    -1,
    1.5,
    True,
    [],
    {},
    "a\nb\x00c",
    "/",
    "..",
    "/r/a.py",
    "\ud800",
    "x" * 5_000,
    ["a", 1, None],
    {"a": {"b": []}},
    [{"oldStart": "x", "lines": [1]}],
    [{"lines": "abc"}],
    [{"type": "text", "text": 5}],
    10**30,
    'git commit -m "x',
    "pytest -q; cd $(",
    "'\"`$((",
    "FAILED tests/x.py::a - b\n1 failed",
    "rm -rf /",
    "Error: x\n  at y",
    "🛒" * 50,
    "<private>",
    "sed -i s/a/b/ x <<EOF\n",
    {"filePath": 3, "content": ["x"]},
]


class Chance:
    """Values, objects and events, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        """Anything that JSON can hold."""
        kind = self.dice.random()
        if kind < 0.7 or depth > 3:
            return self.dice.choice(VALUES)
        if kind < 0.85:
            return [self.value(depth + 1) for _ in range(self.dice.randint(0, 4))]
        return self.fields(GIVEN + ANSWERED, depth + 1)

    def fields(self, names: list[str], depth: int = 0) -> dict[str, Any]:
        """An object with some of these fields."""
        count = self.dice.randint(0, 5)
        return {self.dice.choice(names): self.value(depth) for _ in range(count)}

    def call(self, number: int, prompt: str) -> dict[str, Any]:
        """A tool call that went well or not."""
        known = self.dice.random() < 0.85
        return event(
            self.dice.choice(("PostToolUse", "PostToolUse", "PostToolUseFailure")),
            prompt_id=prompt,
            cwd=self.dice.choice(("/r", "/r/x", "", 5, "rel")),
            tool_name=self.dice.choice(TOOLS),
            tool_use_id=f"toolu_{number}",
            tool_input=self.fields(GIVEN) if known else self.value(),
            tool_response=self.fields(ANSWERED) if known else self.value(),
            error=self.value(),
        )

    def others(self, prompt: str) -> list[dict[str, Any]]:
        """What else may come in a turn, and its end."""
        odd = [
            event("SubagentStop", agent_id=self.value(), last_assistant_message=self.value()),
            event("PostToolBatch", tool_calls=self.value()),
            event("PostCompact", trigger=self.value(), compact_summary=self.value()),
            event("SubagentStart", agent_id=self.value(), agent_type=self.value()),
        ]
        end = event(
            self.dice.choice(("Stop", "StopFailure", "SessionEnd")),
            last_assistant_message=self.value(),
            error=self.value(),
            reason=self.value(),
        )
        return [{**one, "prompt_id": prompt} for one in (*odd, end)]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whatever_a_turn_is_made_of_it_is_stored_and_distilled(pipe: Pipeline, seed: int) -> None:
    """No event goes aside, no job fails, no reference dangles."""
    chance = Chance(seed)
    number = 0
    for turn in range(40):
        prompt = f"p{turn}"
        texts = [value for value in VALUES if isinstance(value, str)]
        pipe.put(event("UserPromptSubmit", prompt_id=prompt, prompt=chance.dice.choice(texts)))
        for _ in range(chance.dice.randint(1, 8)):
            pipe.put(chance.call(number, prompt))
            number += 1
        for one in chance.others(prompt):
            pipe.put(one)
    pipe.run()
    assert pipe.bad() == []
    assert pipe.rows("SELECT error FROM jobs WHERE state <> 'done'") == []
    assert pipe.one("SELECT count(*) FROM tool_uses WHERE tool_use_id LIKE 'toolu_%'") == number
    assert pipe.rows("PRAGMA foreign_key_check") == []
