"""Programs that stand in for `claude`: real processes that note how they were called."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HEAD = """#!{python} -IS
import json, os, sys, time, signal
def seen(name, value):
    with open({notes!r} + "." + name, "a") as file:
        file.write(json.dumps(value) + "\\n")
seen("argv", sys.argv)
seen("env", dict(os.environ))
seen("cwd", os.getcwd())
seen("pid", os.getpid())
"""
READ = 'sent = sys.stdin.read()\nseen("stdin", sent)\n'


@dataclass(frozen=True)
class FakeClaude:
    """One such program, and what it noted."""

    path: Path

    def noted(self, name: str) -> list[Any]:
        """Every call's argv, env, cwd, pid or stdin, in order."""
        file = Path(f"{self.path}.notes.{name}")
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def fake_claude(folder: Path, body: str, name: str = "claude") -> FakeClaude:
    """A program in a folder that notes its call and then runs the lines of Python given."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(_HEAD.format(python=sys.executable, notes=f"{path}.notes") + body)
    path.chmod(0o755)
    return FakeClaude(path)


def printing(value: object, code: int = 0) -> str:
    """The body of a program that reads its input, prints a value as JSON and ends."""
    return READ + f"print(json.dumps({value!r}))\nsys.exit({code})\n"


def result(**fields: object) -> dict[str, object]:
    """The client's result message: a success, but for the fields given."""
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "api_error_status": None,
        "num_turns": 1,
        "result": "",
        "stop_reason": "end_turn",
        "terminal_reason": "completed",
        "total_cost_usd": 0.00042,
        "usage": {
            "input_tokens": 10,
            "cache_creation_input_tokens": 300,
            "cache_read_input_tokens": 4000,
            "output_tokens": 25,
        },
        "modelUsage": {
            "claude-haiku-4-5": {
                "inputTokens": 10,
                "outputTokens": 25,
                "cacheReadInputTokens": 4000,
                "cacheCreationInputTokens": 300,
            }
        },
        **fields,
    }


def message(*blocks: Mapping[str, object], error: str = "", model: str = "claude-haiku-4-5") -> Any:
    """The client's message of an answer, or of its own words for an error."""
    said = {"model": "<synthetic>" if error else model, "content": list(blocks)}
    return {"type": "assistant", "message": said, **({"error": error} if error else {})}


def is_running(pid: int) -> bool:
    """Whether a process is there, and not only waiting to be reaped."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
