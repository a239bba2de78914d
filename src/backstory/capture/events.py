"""One hook payload, parsed once at the edge.

Fields that every event of the host carries: session_id, cwd, hook_event_name; from the first
prompt on prompt_id; in subagents agent_id and agent_type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backstory.storage import spool

LATEST = 253_402_300_799_999  # the end of the year 9999, Unix milliseconds
PREFIX_OF_OWN_TOOLS = "mcp__plugin_backstory_"


@dataclass(frozen=True, slots=True)
class Event:
    """A payload with what the spool knows of it. `payload` is not sanitised yet."""

    name: str
    session_id: str
    at: int  # Unix milliseconds
    cwd: str
    project_dir: str  # "" where the host set none
    prompt_id: str
    agent_id: str
    agent_type: str
    payload: Mapping[str, Any]

    def text(self, key: str) -> str:
        """A string field of the payload; "" where it is missing or something else."""
        value = self.payload.get(key)
        return value if isinstance(value, str) else ""


def parse(data: bytes) -> Event:
    """The event of one spool file.

    An event that was too large to keep whole is read from its two ends. Raises ValueError where
    the file holds no event.
    """
    header, body = spool.parse(data)
    text = body.decode("utf-8", "replace")
    try:
        payload = json.loads(text)
    except ValueError:
        if "cut" not in header:
            raise
        payload = salvage(text, int(header["cut"]))
    if not isinstance(payload, dict):
        raise ValueError("the payload is not an object")
    name, session_id = payload.get("hook_event_name"), payload.get("session_id")
    if not (isinstance(name, str) and name and isinstance(session_id, str) and session_id):
        raise ValueError("the payload names no event or no session")
    words = {key: _word(payload.get(key)) for key in ("cwd", "prompt_id", "agent_id", "agent_type")}
    at = int(header.get("at") or 0) // 1_000_000
    if not 0 <= at <= LATEST:
        raise ValueError("the event has no time that can be stored")
    return Event(
        name, session_id, at, project_dir=header.get("project_dir", ""), payload=payload, **words
    )


def salvage(text: str, cut: int) -> dict[str, Any]:
    """What the two ends of an oversized payload tell: the host's fields and both ends' text."""
    half = len(text) // 2
    found: dict[str, Any] = {}
    for key in (
        "session_id",
        "cwd",
        "prompt_id",
        "hook_event_name",
        "tool_name",
        "agent_id",
        "agent_type",
    ):
        match = re.search(rf'"{key}"\s*:\s*("(?:[^"\\]|\\.)*")', text[:4096])
        if match:
            found[key] = json.loads(match[1])
    ids = re.findall(r'"tool_use_id"\s*:\s*"([^"\\]+)"', text[:8192] + text[-8192:])
    if ids:
        found["tool_use_id"] = ids[-1]
    at = text.find('"tool_input"')
    given: Any = {}
    if at >= 0:
        try:
            # the input comes before the output, so most often it is whole
            given = json.JSONDecoder().raw_decode(text, text.index(":", at) + 1)[0]
        except ValueError:
            given = {}
    ends = f"{text[:half]}\n[… {cut} bytes cut …]\n{text[half:]}"
    if found.get("hook_event_name") == "UserPromptSubmit":
        found["prompt"] = ends
    else:
        found["tool_input"] = given if isinstance(given, dict) else {}
        found["tool_response"] = ends
        found["error"] = ends
    return found


def is_own(name: str, tool_input: object) -> bool:
    """Whether a tool call is one of ours: recalled text must not be learnt again."""
    if name.startswith(PREFIX_OF_OWN_TOOLS):
        return True
    if name == "Bash" and isinstance(tool_input, Mapping):
        command = tool_input.get("command")
        return isinstance(command, str) and bool(_OWN_COMMAND.search(command))
    return False


_OWN_COMMAND = re.compile(
    r"(?:^|[;&|(]\s*)(?:\S*/)?bin/backstory\b|(?:^|[;&|(]\s*)backstory\s+[a-z]"
)


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
