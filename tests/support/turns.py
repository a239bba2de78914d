"""Turns for tests: replayed from recorded hook payloads, or written by hand as a session."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backstory.records import Status, ToolUse, Turn

DATA = Path(__file__).parent.parent / "data"
_PRIVATE = re.compile(r"<private>.*?</private>", re.DOTALL)
_KEY = re.compile(r"sk-ant-[\w-]{20,}")


def clean(value: Any) -> Any:
    """What the sanitiser does to the recorded payloads, as far as they need it."""
    if isinstance(value, str):
        return _KEY.sub("[redacted:anthropic-key]", _PRIVATE.sub("[private]", value))
    if isinstance(value, dict):
        return {name: clean(item) for name, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, list) else value


def recorded(name: str) -> list[Turn]:
    """The turns of a recorded session, `hooks-<name>.jsonl`."""
    lines = (DATA / f"hooks-{name}.jsonl").read_text(encoding="utf-8").splitlines()
    turns: list[Turn] = []
    session = Session()
    for line in lines:
        row = json.loads(line)
        event, session.now = clean(row["event"]), int(row["at"] * 1000)
        kind = event["hook_event_name"]
        if kind == "SessionStart":
            session = Session(root=event["cwd"])
        elif kind == "UserPromptSubmit":
            session.prompt(event["prompt"])
        elif kind == "PostToolUse":
            _use(session, event, event["tool_response"], "ok")
        elif kind == "PostToolUseFailure":
            _use(session, event, event["error"], "failed")
        elif kind == "PostToolBatch":
            for call in event["tool_calls"]:
                if not any(use.tool_use_id == call["tool_use_id"] for use in session.uses):
                    _use(session, {**event, **call}, call["tool_response"], "refused")
        elif kind == "Stop":
            turns.append(session.done(event["last_assistant_message"]))
    return turns


def _use(session: Session, event: Mapping[str, Any], output: object, status: Status) -> None:
    session.uses.append(
        ToolUse(
            id=0,
            tool_use_id=event["tool_use_id"],
            name=event["tool_name"],
            input=event["tool_input"],
            output=output,
            status=status,
            at=session.now,
            duration_ms=event.get("duration_ms"),
            agent_id=event.get("agent_id", ""),
            agent_type=event.get("agent_type", ""),
        )
    )


@dataclass
class Session:
    """A session written by hand: files in memory, tool results in the host's shapes."""

    root: str = "/home/dev/app"
    files: dict[str, str] = field(default_factory=dict)
    uses: list[ToolUse] = field(default_factory=list)
    now: int = 1_796_000_000_000
    number: int = 0
    asked: str = ""
    agent: tuple[str, str] = ("", "")
    count: int = 0

    def prompt(self, text: str) -> Session:
        """Begins a turn."""
        self.number, self.asked, self.uses = self.number + 1, text, []
        return self

    def tool(
        self, name: str, given: Mapping[str, Any], output: Any, status: Status = "ok"
    ) -> Session:
        """One call of any tool."""
        self.count += 1
        self.now += 1_000
        use = ToolUse(
            id=self.count,
            tool_use_id=f"toolu_{self.count:04d}",
            name=name,
            input=given,
            output=output,
            status=status,
            at=self.now,
            agent_id=self.agent[0],
            agent_type=self.agent[1],
        )
        self.uses.append(use)
        return self

    def bash(self, command: str, out: str = "", about: str = "") -> Session:
        """A shell command that succeeded."""
        given = {"command": command} | ({"description": about} if about else {})
        shape = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}
        return self.tool("Bash", given, shape)

    def fail(self, command: str, out: str, code: int = 1, about: str = "") -> Session:
        """A shell command that failed."""
        given = {"command": command} | ({"description": about} if about else {})
        return self.tool("Bash", given, f"Exit code {code}\n{out}", "failed")

    def refuse(self, name: str, given: Mapping[str, Any], why: str) -> Session:
        """A call that was not permitted."""
        return self.tool(name, given, why, "refused")

    def read(self, path: str, content: str = "") -> Session:
        """Reads a file, from memory unless its content is given."""
        content = content or self.files.get(path, "")
        self.files[path] = content
        lines = content.count("\n") + 1
        shape: dict[str, Any] = {
            "filePath": f"{self.root}/{path}",
            "content": content,
            "numLines": lines,
            "startLine": 1,
            "totalLines": lines,
        }
        given = {"file_path": f"{self.root}/{path}"}
        return self.tool("Read", given, {"type": "text", "file": shape})

    def write(self, path: str, content: str) -> Session:
        """Creates or overwrites a file."""
        before = self.files.get(path)
        self.files[path] = content
        shape: dict[str, Any] = {
            "type": "create" if before is None else "update",
            "filePath": f"{self.root}/{path}",
            "content": content,
            "structuredPatch": [],
            "originalFile": before,
        }
        given = {"file_path": f"{self.root}/{path}", "content": content}
        return self.tool("Write", given, shape)

    def edit(self, path: str, old: str, new: str, *, everywhere: bool = False) -> Session:
        """Edits a file that is in memory."""
        before = self.files[path]
        assert old in before, (path, old)
        after = before.replace(old, new) if everywhere else before.replace(old, new, 1)
        self.files[path] = after
        shape: dict[str, Any] = {
            "filePath": f"{self.root}/{path}",
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": _patch(before, after),
            "userModified": False,
            "replaceAll": everywhere,
        }
        given = {"file_path": f"{self.root}/{path}", "old_string": old, "new_string": new}
        return self.tool("Edit", given | {"replace_all": everywhere}, shape)

    def subagent(self, kind: str, agent: str = "a1b2c3") -> Session:
        """The next calls are a subagent's, until `report`."""
        self.agent = (agent, kind)
        return self

    def report(self, asked: str, text: str) -> Session:
        """The subagent's result, as the main agent gets it."""
        agent, kind = self.agent
        self.agent = ("", "")
        given = {"description": asked, "prompt": asked, "subagent_type": kind}
        content = [{"type": "text", "text": text}]
        shape: dict[str, Any] = {
            "status": "completed",
            "agentId": agent,
            "agentType": kind,
            "content": content,
        }
        return self.tool("Agent", given, shape)

    def done(self, message: str) -> Turn:
        """Ends the turn with Claude's closing message."""
        self.now += 1_000
        return Turn(
            number=self.number,
            prompt=self.asked,
            tool_uses=tuple(self.uses),
            last_message=message,
            root=self.root,
            cwd=self.root,
            started_at=self.uses[0].at if self.uses else self.now,
            ended_at=self.now,
        )


def _patch(before: str, after: str) -> list[dict[str, Any]]:
    hunks: list[dict[str, Any]] = []
    old, new = before.splitlines(), after.splitlines()
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[i1:i2]]
            else:
                lines += [f"-{line}" for line in old[i1:i2]] + [f"+{line}" for line in new[j1:j2]]
        hunks.append({"oldStart": group[0][1] + 1, "newStart": group[0][3] + 1, "lines": lines})
    return hunks
