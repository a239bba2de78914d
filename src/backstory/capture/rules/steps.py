"""The tool uses of a turn, read once: what each one is, what it printed, which file it names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from backstory.capture.rules.paths import relative
from backstory.capture.rules.shell import Command, parse
from backstory.capture.rules.titles import strip_ansi
from backstory.records import ToolUse, Turn

Kind = Literal["shell", "edit", "read", "search", "agent", "web", "mcp", "ask", "noise"]

# Results stand at the end of an output, causes often at its start.
_HEAD, _TAIL = 6_000, 10_000

_KINDS: dict[str, Kind] = {
    "Bash": "shell",
    "PowerShell": "shell",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "Read": "read",
    "NotebookRead": "read",
    "Glob": "search",
    "Grep": "search",
    "LS": "search",
    "Agent": "agent",
    "Task": "agent",
    "WebFetch": "web",
    "WebSearch": "web",
    "AskUserQuestion": "ask",
}
_OWN = re.compile(r"^mcp__(?:plugin_)?backstory")


@dataclass(frozen=True, slots=True)
class Step:
    """One tool use as the rules see it."""

    index: int  # its place in the turn
    use: ToolUse
    kind: Kind
    text: str  # what it printed or said, without colours, head and tail of a long one
    path: str = ""  # the file it names, relative to the root
    commands: tuple[Command, ...] = ()
    cwd: str = ""  # where a shell step started

    @property
    def ok(self) -> bool:
        """Whether the host called it a success; a pipe may still hide a failure."""
        return self.use.status == "ok"

    @property
    def script(self) -> str:
        """The shell text of a shell step."""
        return field(self.use.input, "command")

    @property
    def output(self) -> Mapping[str, Any]:
        """The structured result, empty where there is none."""
        return self.use.output if isinstance(self.use.output, Mapping) else {}

    @property
    def purpose(self) -> str:
        """What Claude said that the call is for."""
        return field(self.use.input, "description")


def field(values: object, name: str) -> str:
    """A text field of a mapping; "" when it is absent or no text."""
    value = values.get(name) if isinstance(values, Mapping) else None
    return value if isinstance(value, str) else ""


def read_steps(turn: Turn) -> list[Step]:
    """The turn's steps in order, `cd` in the main agent's shell carried from one to the next."""
    steps: list[Step] = []
    cwd = turn.cwd or turn.root
    for index, use in enumerate(turn.tool_uses):
        kind = _kind(use)
        commands: tuple[Command, ...] = ()
        if kind == "shell":
            commands = parse(field(use.input, "command"))
        step = Step(
            index=index,
            use=use,
            kind=kind,
            text=_capped(text_of(use.output)),
            path=_path(use, turn),
            commands=commands,
            cwd=turn.cwd if use.agent_id else cwd,
        )
        steps.append(step)
        if kind == "shell" and step.ok and not use.agent_id and commands:
            cwd = _moved(cwd, commands, step.text, turn)
    return steps


def _kind(use: ToolUse) -> Kind:
    if _OWN.match(use.name):
        return "noise"
    kind: Kind = "mcp" if use.name.startswith("mcp__") else _KINDS.get(use.name, "noise")
    if kind != "shell" and _is_error_envelope(use.output):
        return "noise"
    return kind


def _is_error_envelope(output: object) -> bool:
    """A tool's own complaint in JSON: nothing about the project."""
    if isinstance(output, Mapping):
        return bool(output.get("error") or output.get("isError")) and not (
            output.get("stdout") or output.get("file") or output.get("filePath")
        )
    text = text_of(output)[:400].lstrip()
    return bool(
        re.match(r'\{\s*"(?:error|errors|isError|error_code)"\s*:\s*(?!null|false|\[\])', text)
    )


def _path(use: ToolUse, turn: Turn) -> str:
    for name in ("file_path", "notebook_path", "path"):
        if path := field(use.input, name):
            return relative(path, turn.root, turn.cwd)
    return ""


def _moved(cwd: str, commands: tuple[Command, ...], text: str, turn: Turn) -> str:
    last = commands[-1]
    folder = last.folder
    if last.program == "cd" and last.arguments:
        folder = posixpath.join(folder, last.arguments[0])
    if not folder or "$" in folder or "cwd was reset" in text:
        return cwd
    target = posixpath.normpath(posixpath.join(cwd, folder))
    # The host takes the shell back to the project when it leaves it.
    root = turn.root.rstrip("/")
    return target if target == root or target.startswith(root + "/") else cwd


def text_of(output: object) -> str:
    """The text that a tool's result carries, whatever its shape."""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        return "\n".join(part for part in (text_of(item) for item in output[:50]) if part)
    if not isinstance(output, Mapping):
        return ""
    if "stdout" in output or "stderr" in output:
        return "\n".join(p for p in (field(output, "stdout"), field(output, "stderr")) if p)
    for name in ("content", "text", "result", "file", "results", "filenames", "output"):
        if name in output and (text := text_of(output[name])):
            return text
    title, url = field(output, "title"), field(output, "url")
    return f"{title} {url}".strip()


def _capped(text: str) -> str:
    if len(text) > _HEAD + _TAIL:
        head, tail = text[:_HEAD], text[-_TAIL:]
        text = head[: head.rfind("\n") + 1 or _HEAD] + tail[tail.find("\n") + 1 :]
    return strip_ansi(text).replace("\r\n", "\n").replace("\r", "\n")
