"""One event as a few lines: what was called, what it was about, and the part of it that matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from backstory.capture.events import is_own
from backstory.capture.rules.bounds import bounded
from backstory.capture.rules.foreign import is_foreign
from backstory.capture.rules.reads import Interest
from backstory.capture.rules.steps import Step, read_steps, text_of
from backstory.capture.rules.steps import field as text_field
from backstory.capture.shown import COMMAND, Scene, ends_first, is_short, shown
from backstory.capture.trimming import GAP_PRICE, one_line, quoted, trim
from backstory.estimate import estimate_tokens
from backstory.records import ToolUse, Turn
from backstory.sanitize import door

EVENT_TOKENS = 900  # no event is longer

_UNREADABLE = "[an input or output that cannot be read]"


def excerpt(turn: Turn, use: ToolUse) -> str:
    """The event in at most 900 tokens, its data lines marked; "" for a tool of our own."""
    if is_own(use.name, use.input):
        return ""
    try:
        return _told(_scene(turn, use))
    except (RecursionError, ValueError):
        # nested too deeply, or a number of too many digits
        return _told(_scene(turn, replace(use, input={}, output=_UNREADABLE)))


def _scene(turn: Turn, use: ToolUse) -> Scene:
    if "backstory-memory" in f"{use.input!r}{use.output!r}".lower():
        given, found = door.clean_value(use.input)[0], door.clean_value(use.output)[0]
        use = replace(use, input=given, output=found)
    alone = replace(turn, prompt="", last_message="", error="", earlier_errors=(), tool_uses=(use,))
    (step,) = read_steps(bounded(alone))
    text = text_of(step.use.output)
    missing = text_of(use.output).count("\n") - text.count("\n")
    return Scene(step, text, _interest(turn.prompt, turn.last_message), turn.root, missing)


@lru_cache(maxsize=4)  # the events of a turn are asked for one after the other
def _interest(prompt: str, message: str) -> Interest:
    return Interest(prompt, message)


def _told(scene: Scene) -> str:
    head, body = _head(scene.step), shown(scene)
    text = "\n".join([head, *quoted(body)])
    if estimate_tokens(text) > EVENT_TOKENS:
        room = EVENT_TOKENS - estimate_tokens(head) - 2 * GAP_PRICE
        text = "\n".join([head, *quoted(trim(body, ends_first(len(body)), room))])
    return text


def _head(step: Step) -> str:
    use = step.use
    agent = f"[{one_line(use.agent_type or 'subagent', 30, 12)}] " if use.agent_id else ""
    name = one_line(use.name, 60, 30) or "unnamed tool"
    foreign = " (foreign)" if is_foreign(step) or use.name.startswith("mcp__") else ""
    status = f" {use.status}" if use.status in ("failed", "refused") else ""
    about = one_line(_about(step), COMMAND)
    return f"{agent}{name}{foreign}{status}" + (f": {about}" if about else "")


def _about(step: Step) -> str:
    given = step.use.input
    if step.kind == "shell":
        return step.script if is_short(step.script) else step.purpose or "a script"
    if step.kind == "edit":
        return step.path
    if step.kind == "read":
        return f"{step.path}{_range(step)}"
    if step.kind == "search":
        return _searched(step)
    if step.kind == "agent":
        kind, asked = text_field(given, "subagent_type"), text_field(given, "description")
        return " ".join(part for part in (f"[{kind}]" if kind else "", asked) if part)
    if step.kind == "web":
        return text_field(given, "url") or text_field(given, "query")
    return "" if step.kind == "ask" else _brief(given)


def _range(step: Step) -> str:
    file = step.output.get("file")
    told = [_number(file, name) for name in ("startLine", "numLines", "totalLines")]
    if all(told):
        first, count, total = told
        if count == total:
            return f", {total} lines"
        return f" lines {first}-{first + count - 1} of {total}"
    first, count = (_number(step.use.input, name) for name in ("offset", "limit"))
    return f" from line {first}" + (f", {count} lines" if count else "") if first else ""


def _number(values: object, name: str) -> int:
    """A count in a mapping, 0 where there is none."""
    value = values.get(name) if isinstance(values, Mapping) else None
    return value if type(value) is int and 0 < value < 10**9 else 0


def _searched(step: Step) -> str:
    given, found = step.use.input, step.output
    parts = [text_field(given, "pattern"), f"in {step.path}" if step.path else ""]
    parts += [text_field(given, name) for name in ("glob", "type")]
    parts += [f"({count} files)" for count in [_number(found, "numFiles")] if count]
    return " ".join(part for part in parts if part)


def _brief(value: object) -> str:
    """A value in one short text; texts within it are cut."""
    if isinstance(value, Mapping):
        pairs = [(str(name)[:40], _brief(item)) for name, item in list(value.items())[:8]]
        return ", ".join(f"{name}={said}" for name, said in pairs if said)
    if isinstance(value, (list, tuple)):
        return "; ".join(part for part in map(_brief, value[:6]) if part)
    return "" if value is None else str(value)[:120]
