"""Builds the hook payloads of a session in the exact shapes of the host, and notes what is planted.

s = Session("cart", "/home/lena/shop")
s.ask("Totals are off by a cent")
s.bash("pytest -q", "1 failed", fail=1)
s.edit("shop/cart.py", "a", "b", before="…", after="…")
s.done("Fixed: …")
s.fact("why were totals off", "2.675", where="output")
"""

from __future__ import annotations

import difflib
import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

Where = Literal["prompt", "message", "output", "diff", "command", "commit", "agent", "web"]

START = 1_790_000_000_000  # Unix milliseconds of the first session
STDOUT_LIMIT = 30_000  # characters that the host keeps of a command's output
_CONTEXT = 3  # lines around a hunk of structuredPatch


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a colleague asks for weeks later.

    tokens: what one record must hold, all of them, to prove that it carries the fact; "a|b" means
    either. kind: a word for the report, such as "cause" or "limit".
    """

    query: str
    tokens: tuple[str, ...]
    where: Where
    kind: str
    session: str  # the host's id
    name: str
    turn: int


class Session:
    """A session under construction: events with their times, and facts."""

    def __init__(self, name: str, root: str, start: str = "startup") -> None:
        self.name = name
        self.root = root
        self.events: list[tuple[int, dict[str, Any]]] = []
        self.facts: list[Fact] = []
        self.falsehoods: list[tuple[str, ...]] = []
        self.files: dict[str, str] = {}
        self.turn = 0
        self.id = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
        self._at = START + int(hashlib.sha256(name.encode()).hexdigest()[:6], 16) * 60_000
        self._prompt_id = ""
        self._agent: dict[str, str] = {}
        self._calls = 0
        self._together: list[dict[str, Any]] | None = None
        self._emit("SessionStart", {"source": start}, tool=False)

    # what the user and Claude say

    def ask(self, prompt: str) -> None:
        """The user says something: a turn begins."""
        self.turn += 1
        self._at += 90_000
        self._prompt_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.name}/{self.turn}"))
        self._emit("UserPromptSubmit", {"prompt": prompt}, tool=False, mode=True)

    def done(self, message: str) -> None:
        """Claude stops with its last message."""
        values = {"stop_hook_active": False, "last_assistant_message": message.strip("\n")}
        self._emit("Stop", {**values, "background_tasks": [], "session_crons": []})

    def end(self, reason: str = "prompt_input_exit") -> Session:
        """The session ends."""
        self._emit("SessionEnd", {"reason": reason}, tool=False)
        return self

    def fact(self, query: str, *tokens: str, where: Where, kind: str) -> None:
        """Plants a fact in what was built so far."""
        self.facts.append(Fact(query, tokens, where, kind, self.id, self.name, self.turn))

    def wrong(self, *tokens: str) -> None:
        """Says what is false here: a record that holds all of these tokens tells a falsehood."""
        self.falsehoods.append(tokens)

    # tools

    def bash(self, command: str, output: str = "", why: str = "", fail: int = 0) -> None:
        """A command with its merged output; fail: its exit code."""
        output = output.strip("\n")
        asked: dict[str, Any] = {"command": command}
        if why:
            asked["description"] = why
        if fail:
            self._failure("Bash", asked, f"Exit code {fail}\n{output}".rstrip())
            return
        answer: dict[str, Any] = {
            "stdout": output[:STDOUT_LIMIT],
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": not output,
        }
        if len(output) > STDOUT_LIMIT:
            answer["persistedOutputPath"] = f"/home/dev/.claude/tool-results/{self._calls}.txt"
            answer["persistedOutputSize"] = len(output.encode())
        self._success("Bash", asked, answer, output[:STDOUT_LIMIT])

    def read(self, path: str, content: str = "", offset: int = 0, total: int = 0) -> None:
        """A file read; content becomes the file's known text when it is read whole."""
        full = self._path(path)
        content = content.lstrip("\n") or self.files.get(full, "")
        asked: dict[str, Any] = {"file_path": full}
        lines = content.count("\n") + 1
        if offset:
            asked |= {"offset": offset, "limit": lines}
        else:
            self.files[full] = content
        first = offset or 1
        numbered = "\n".join(f"{first + i}\t{t}" for i, t in enumerate(content.split("\n")))
        file = {"filePath": full, "content": content, "numLines": lines, "startLine": first}
        file["totalLines"] = total or first + lines - 1
        self._success("Read", asked, {"type": "text", "file": file}, numbered)

    def read_missing(self, path: str) -> None:
        """A read of a file that is not there."""
        error = "File does not exist. Note: your current working directory is " + self.root + "."
        self._failure("Read", {"file_path": self._path(path)}, error)

    def edit(self, path: str, old: str, new: str, before: str = "", after: str = "") -> None:
        """An edit; before and after: the rest of the file where it was not read or written."""
        full = self._path(path)
        old, new = old.strip("\n"), new.strip("\n")
        original = self.files.get(full) or before.lstrip("\n") + old + after
        if old not in original:
            raise ValueError(f"{path}: the text to replace is not in the file")
        self.files[full] = original.replace(old, new, 1)
        asked = {"file_path": full, "old_string": old, "new_string": new, "replace_all": False}
        answer = {
            "filePath": full,
            "oldString": old,
            "newString": new,
            "originalFile": original,
            "structuredPatch": patch(original, self.files[full]),
            "userModified": False,
            "replaceAll": False,
        }
        said = f"The file {full} has been updated successfully. (file state is current in your"
        self._success("Edit", asked, answer, said + " context — no need to Read it back)")

    def write(self, path: str, content: str) -> None:
        """A file written: created, or replaced where it was known."""
        full = self._path(path)
        content = content.lstrip("\n")
        original = self.files.get(full)
        self.files[full] = content
        answer = {
            "type": "create" if original is None else "update",
            "filePath": full,
            "content": content,
            "structuredPatch": [] if original is None else patch(original, content),
            "originalFile": original,
            "userModified": False,
        }
        said = f"File created successfully at: {full}"
        if original is not None:
            said = f"The file {full} has been updated successfully."
        self._success("Write", {"file_path": full, "content": content}, answer, said)

    def refused(self, tool: str, asked: dict[str, Any], why: str) -> None:
        """A call that a rule, a hook or the user refused: only its batch tells of it."""
        self._batch(tool, asked, why, self._next_id())

    def other(self, tool: str, asked: dict[str, Any], answer: Any, said: str = "") -> None:
        """Any other tool: WebFetch, WebSearch, TodoWrite, an MCP tool."""
        self._success(tool, asked, answer, said or str(answer))

    def fetch(self, url: str, prompt: str, result: str) -> None:
        """A web page, as a small model answered about it."""
        answer = {"bytes": 48_211, "code": 200, "codeText": "OK", "result": result.strip("\n")}
        answer |= {"durationMs": 2_140, "url": url}
        self._success("WebFetch", {"url": url, "prompt": prompt}, answer, result)

    def web_search(self, query: str, *results: tuple[str, str]) -> None:
        """A web search with (title, url) results."""
        links = [{"title": title, "url": url} for title, url in results]
        answer = {"query": query, "results": [{"tool_use_id": "srv", "content": links}]}
        self._success("WebSearch", {"query": query}, {**answer, "durationSeconds": 1.9}, str(links))

    @contextmanager
    def agent(self, kind: str, what: str, prompt: str, result: str) -> Iterator[None]:
        """A subagent; the calls inside are its own."""
        use, agent_id = self._next_id(), hashlib.sha256(prompt.encode()).hexdigest()[:17]
        self._agent = {"agent_id": agent_id, "agent_type": kind}
        self._emit("SubagentStart", {}, tool=False)
        yield
        result = result.strip("\n")
        stop = {"stop_hook_active": False, "last_assistant_message": result}
        folder = f"/home/dev/.claude/projects/x/{self.id}/subagents"
        stop["agent_transcript_path"] = f"{folder}/agent-{agent_id}.jsonl"
        self._emit("SubagentStop", {**stop, "background_tasks": [], "session_crons": []})
        self._agent = {}
        answer = {
            "status": "completed",
            "prompt": prompt,
            "agentId": agent_id,
            "agentType": kind,
            "content": [{"type": "text", "text": result}],
            "resolvedModel": "claude-haiku-4-5-20251001",
            "totalDurationMs": 41_873,
            "totalTokens": 23_119,
            "totalToolUseCount": 4,
            "usage": {"input_tokens": 12, "output_tokens": 840, "service_tier": "standard"},
            "toolStats": {"readCount": 2, "searchCount": 0, "bashCount": 2, "editFileCount": 0},
        }
        asked = {"description": what, "prompt": prompt, "subagent_type": kind}
        self._success("Agent", asked, answer, answer["content"], use)

    @contextmanager
    def parallel(self) -> Iterator[None]:
        """Calls that Claude sent in one message: they share a batch event."""
        self._together = []
        yield
        calls, self._together = self._together, None
        self._emit("PostToolBatch", {"tool_calls": calls})

    # how the host tells of it

    def _success(
        self, tool: str, asked: dict[str, Any], answer: Any, said: Any, use: str = ""
    ) -> None:
        use = use or self._next_id()
        call = {"tool_name": tool, "tool_input": asked, "tool_response": answer}
        self._emit("PostToolUse", {**call, "tool_use_id": use, "duration_ms": self._took()})
        self._batch(tool, asked, said, use)

    def _failure(self, tool: str, asked: dict[str, Any], error: str) -> None:
        use = self._next_id()
        call = {"tool_name": tool, "tool_input": asked, "tool_use_id": use, "error": error}
        failed = {**call, "is_interrupt": False, "duration_ms": self._took()}
        self._emit("PostToolUseFailure", failed)
        self._batch(tool, asked, error, use)

    def _batch(self, tool: str, asked: dict[str, Any], said: Any, use: str) -> None:
        call = {"tool_name": tool, "tool_input": asked, "tool_use_id": use, "tool_response": said}
        if self._together is not None:
            self._together.append(call)
        else:
            self._emit("PostToolBatch", {"tool_calls": [call]})

    def _emit(
        self, name: str, values: dict[str, Any], *, tool: bool = True, mode: bool = False
    ) -> None:
        self._at += 2_500
        folder = self.root.replace("/", "-")
        event: dict[str, Any] = {
            "session_id": self.id,
            "transcript_path": f"/home/dev/.claude/projects/{folder}/{self.id}.jsonl",
            "cwd": self.root,
        }
        if self._prompt_id:
            event["prompt_id"] = self._prompt_id
        if tool or mode:
            event["permission_mode"] = "default"
        event |= self._agent
        if tool:
            event["effort"] = {"level": "high"}
        self.events.append((self._at, {**event, "hook_event_name": name, **values}))

    def _path(self, path: str) -> str:
        return path if path.startswith("/") else f"{self.root}/{path}"

    def _next_id(self) -> str:
        self._calls += 1
        digest = hashlib.sha256(f"{self.name}/{self._calls}".encode()).hexdigest()
        return "toolu_01" + digest[:22]

    def _took(self) -> int:
        return 7 + self._calls * 37 % 900


def patch(old: str, new: str) -> list[dict[str, Any]]:
    """The host's structuredPatch of a change."""
    a, b = old.splitlines(), new.splitlines()
    hunks = []
    for group in difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(_CONTEXT):
        lines = []
        for tag, i, i2, j, j2 in group:
            if tag == "equal":
                lines += [f" {line}" for line in a[i:i2]]
                continue
            lines += [f"-{line}" for line in a[i:i2]] + [f"+{line}" for line in b[j:j2]]
        first, last = group[0], group[-1]
        hunks.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": last[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": last[4] - first[3],
                "lines": lines,
            }
        )
    return hunks
