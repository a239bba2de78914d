"""What is being worked on, as text for a model or a person who asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from backstory.recall import render, work_state
from backstory.recall.context import EVIDENCE

HEADINGS = (
    ("next_steps", "Next steps"),
    ("open_questions", "Open questions"),
    ("blockers", "Blocked by"),
)
NOTHING = "Nothing is written down as being worked on"
_ONWARD = "work_state_write changes it: a field that is not given stays, an empty one is cleared."
_OLDER_TOKENS = 150


def state_text(states: Sequence[Mapping[str, Any]], name: str, *, history: bool = False) -> str:
    """States, the one in force first, for a reader."""
    of = f" ({render.one_line(name)})" if name else ""
    if not states:
        return f"{NOTHING} in this project{of}. work_state_write does that."
    newest, *older = states
    lines = [EVIDENCE]
    if any(newest[field] for field in work_state.TEXTS):
        lines += [f"Work state{of}, {_told(newest)}:", *field_lines(newest), _ONWARD]
    else:
        lines += [f"{NOTHING}{of} since {_told(newest)}.", _ONWARD]
    if history:
        lines.append(f"Before that, the newest of {work_state.HISTORY - 1} at most first:")
        lines += [line for state in older for line in older_lines(state)] or ["(nothing)"]
    return "\n".join(lines)


def field_lines(state: Mapping[str, Any]) -> list[str]:
    """The fields of a state that say something, an item a line."""
    lines = []
    if state["task"]:
        lines.append(f"Task: {render.harmless(state['task'])}")
    for field, heading in HEADINGS:
        if state[field]:
            lines.append(f"{heading}:")
            lines += [f"- {render.harmless(item)}" for item in state[field]]
    return lines


def older_lines(state: Mapping[str, Any]) -> list[str]:
    """A state of the history, in brief."""
    _, *told = work_state.lines(dict(state), _OLDER_TOKENS)
    return [f"{_told(state)}:", *(f"  {line}" for line in told or ["(cleared)"])]


def _told(state: Mapping[str, Any]) -> str:
    branch = render.one_line(state["branch"], 60)
    return f"w{state['id']} of {render.when(state['at'])}" + (f" on {branch}" if branch else "")
