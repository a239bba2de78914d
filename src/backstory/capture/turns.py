"""Turns as they were stored: what a distiller reads."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from typing import Any

from backstory.capture.recording import unpack
from backstory.records import ToolUse, Turn
from backstory.storage import sql

_SQL = sql.load("distill")
_MODEL = sql.load("model")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn's records belong."""

    prompt: int
    session: int
    session_id: str
    project: int
    branch: str
    commit_id: str
    at: int


def load_turn(db: sqlite3.Connection, prompt: int) -> tuple[Turn, Place]:
    """A turn with everything that was captured of it. Raises LookupError where it is gone."""
    turn, place, _ = _turn(db, prompt)
    uses = [_tool_use(r) for r in db.execute(_SQL["turn_tool_uses"], (prompt,))]
    uses += missing_findings(db, prompt, uses)
    asked = {"session": place.session, "prompt": prompt}
    titles = tuple(title for (title,) in db.execute(_SQL["open_errors"], asked))
    return replace(turn, tool_uses=tuple(uses), earlier_errors=titles), place


def _turn(db: sqlite3.Connection, prompt: int) -> tuple[Turn, Place, tuple[int, int]]:
    row = db.execute(_SQL["turn"], (prompt,)).fetchone()
    if row is None:
        raise LookupError("the turn is no longer stored")
    number, text, last, error, started, ended, root, cwd, session, owner, session_id = row[:11]
    turn = Turn(
        number=number,
        prompt=text,
        tool_uses=(),
        last_message=last,
        root=row[13] or root,
        cwd=cwd,
        started_at=started,
        ended_at=ended,
        error=error,
    )
    place = Place(prompt, session, session_id, owner, row[11], row[12], ended or started)
    return turn, place, (row[14], row[15])


@dataclass(frozen=True, slots=True)
class Unseen:
    """What no model has seen of a turn."""

    turn: Turn  # its tool uses in the order in which they were stored
    place: Place
    opens: bool  # no model has seen its beginning
    has_end: bool  # it has ended, and no model has seen that


def load_unseen(db: sqlite3.Connection, prompt: int, most: int = 1000) -> Unseen:
    """The part of a turn that no model has seen, of at most so many tool uses.

    Raises LookupError where the turn is gone.
    """
    turn, place, (seen, closed) = _turn(db, prompt)
    uses = [_tool_use(r) for r in db.execute(_MODEL["stretch_uses"], (prompt, most))]
    has_end = turn.ended_at is not None and not closed
    if has_end:
        every = [_tool_use(r) for r in db.execute(_SQL["turn_tool_uses"], (prompt,))]
        uses += missing_findings(db, prompt, every)
    return Unseen(replace(turn, tool_uses=tuple(uses)), place, not seen and not closed, has_end)


def _tool_use(row: tuple[Any, ...]) -> ToolUse:
    return ToolUse(
        id=row[0],
        tool_use_id=row[1],
        name=row[2],
        input=_mapping(unpack(row[8])),
        output=unpack(row[9]),
        status=row[3],
        at=row[4],
        duration_ms=row[5],
        agent_id=row[6],
        agent_type=row[7],
    )


def _mapping(value: object) -> dict[str, Any]:
    """A tool's input; what is no object tells the rules nothing."""
    return value if isinstance(value, dict) else {}


def missing_findings(db: sqlite3.Connection, prompt: int, uses: list[ToolUse]) -> list[ToolUse]:
    """What subagents of the background found: no tool result of the turn carries it."""
    told = json.dumps(
        [use.output for use in uses if use.name in ("Agent", "Task")], ensure_ascii=False
    )
    found = []
    for agent_id, agent_type, message, ended in db.execute(_SQL["turn_agents"], (prompt,)):
        if json.dumps(message, ensure_ascii=False)[1:-1] not in told:
            output = {"status": "completed", "content": [{"type": "text", "text": message}]}
            asked = {"subagent_type": agent_type}
            found.append(ToolUse(0, "", "Agent", asked, output, "ok", ended, None, agent_id, ""))
    return found
