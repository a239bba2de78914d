"""The values that travel between the parts; frozen, made once at the edge.

Times are Unix milliseconds in UTC. Ids without a comment are keys of our own database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

OBSERVATION_TYPES = (
    "bugfix",
    "feature",
    "refactor",
    "change",
    "discovery",
    "decision",
    "security_alert",
    "security_note",
    "sensitive",
)
CONCEPTS = (
    "how-it-works",
    "why-it-exists",
    "what-changed",
    "problem-solution",
    "gotcha",
    "pattern",
    "trade-off",
)

Status = Literal["ok", "failed", "refused"]
Evidence = Literal["verified", "stated"]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool by Claude, sanitised."""

    id: int  # row id; 0 before it is stored
    tool_use_id: str  # the host's, "toolu_…"
    name: str  # "Bash", "Edit", "mcp__server__tool"
    input: Mapping[str, Any]
    output: Any  # the host's tool_response (PostToolUse), an error text, or None
    status: Status
    at: int
    duration_ms: int | None = None
    agent_id: str = ""  # "" = the main agent
    agent_type: str = ""  # "Explore", "general-purpose"


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened between one prompt and the next: the unit that is distilled."""

    number: int  # 1 for the first prompt of the session, 0 for what came before any
    prompt: str  # "" where there was none
    tool_uses: tuple[ToolUse, ...]  # in order of time, main agent and subagents
    last_message: str  # Claude's closing message, "" while the turn runs
    root: str  # the project's root folder, absolute; paths below it are stored relative to it
    cwd: str
    started_at: int
    ended_at: int | None = None  # None while the turn runs
    error: str = ""  # what StopFailure said
    earlier_errors: tuple[str, ...] = ()  # titles of errors still open from earlier turns


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing worth knowing later, before it has a row."""

    key: str  # stable within its turn: the same key replaces the same row
    type: str  # one of OBSERVATION_TYPES
    title: str  # what a person would search for, at most 100 characters
    narrative: str = ""  # a few sentences of plain text
    facts: tuple[str, ...] = ()  # one finding a string, each true by itself
    concepts: tuple[str, ...] = ()  # of CONCEPTS
    files_read: tuple[str, ...] = ()  # relative to the root where they are below it, "/" separated
    files_modified: tuple[str, ...] = ()  # from real write events only
    symbols: tuple[str, ...] = ()  # qualified names whose lines were touched
    queries: tuple[str, ...] = ()  # prompts to which it would matter, in other words; not shown
    evidence: Evidence = "stated"
    tool_use_ids: tuple[str, ...] = ()  # the host's ids that it rests on
    tainted: bool = False  # rests on web pages or foreign MCP output: found, never injected
    importance: int = 1  # 0 routine reads … 3 decisions, fixes, failures
    agent_type: str = ""  # "" = the main agent
    at: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """What one turn came to; every field plain text, "" where there is nothing to say."""

    request: str = ""
    investigated: str = ""
    learned: str = ""
    completed: str = ""
    next_steps: str = ""


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a distiller made of one turn. No observations and no summary is a valid outcome."""

    observations: tuple[Observation, ...] = ()
    summary: Summary | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of an index: enough to choose by, at a few tokens."""

    id: str  # "12" for an observation, "s5" for a summary, "p7" for a prompt
    kind: Literal["observation", "summary", "prompt"]
    type: str
    title: str
    at: int
    tokens: int  # what the full record costs to read
    project: str = ""
    session: str = ""  # the host's session id
    extra: Mapping[str, Any] = field(default_factory=dict)
