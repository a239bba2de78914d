"""What each event becomes in the database: one function an event.

Nothing reaches a table that did not pass `sanitize.door`.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from backstory import project
from backstory.capture import model_queue, sparing
from backstory.capture.events import Event, is_own
from backstory.capture.heads import Heads
from backstory.config import Config
from backstory.sanitize.door import clean_text, clean_value
from backstory.storage import projects, sql, text_index

ID_LIMIT = 200  # characters of the host's ids
PROMPT_LIMIT = 32_768  # characters kept of a prompt or a closing message
DISTIL_EVERY = 25  # pending tool uses of a running turn; doubling keeps long turns cheap
SAME_PROMPT_MS = 2_000  # two deliveries of one prompt without an id lie closer than this
UNCLOSED_MS = 24 * 3_600_000  # how far back a session's start looks for turns that nobody closed
PLUGIN_CACHE = "/.claude/plugins/"
_SQL = sql.load("capture")
_JOBS = sql.load("distill")


# a tool of the host that writes one file: which argument names it
WRITERS = {"Edit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}


@dataclass(frozen=True, slots=True)
class Session:
    """A session's row, as far as recording needs it."""

    id: int
    project: int


class Recorder:
    """Writes events through one connection, inside the caller's transaction."""

    def __init__(self, db: sqlite3.Connection, config: Config) -> None:
        self.db = db
        self.config = config
        self.touched: set[int] = set()
        self.latest: dict[int, int] = {}
        self.written: list[str] = []  # files that the host says it wrote, by their full path
        self.heads = Heads()
        self.newest: dict[int, Event] = {}  # by turn

    def begin(self) -> None:
        """A new transaction begins: what an undone one remembered is dropped."""
        self.touched = set()
        self.latest = {}
        self.newest = {}

    def finish(self) -> set[int]:
        """Writes what is kept back until a transaction's end; returns the turns with news."""
        for session, at in self.latest.items():
            self.db.execute(_SQL["touch_session"], {"session": session, "at": at})
        for prompt, event in self.newest.items():
            head = self.heads.at(event.cwd, event.project_dir, event.at)
            if any(head):
                self.db.execute(_SQL["checked_out"], (*head, prompt))
        return self.touched

    def record(self, event: Event) -> None:
        """Stores one event. Events that say nothing to us are let go."""
        handler = self.HANDLERS.get(event.name)
        if handler is None or self.unwanted(event):
            return
        session = self.session(event)
        self.latest[session.id] = max(event.at, self.latest.get(session.id, 0))
        handler(self, event, session)

    def unwanted(self, event: Event) -> bool:
        """Whether settings, or our own guards, keep the event out."""
        folder = event.project_dir or event.cwd
        if (folder + "/").startswith(f"{self.config.home}/") or PLUGIN_CACHE in folder + "/":
            return True
        if project.is_listed(self.config["excluded_projects"], folder):
            return True
        tool = event.text("tool_name")
        return bool(tool) and (is_own(tool, event.payload.get("tool_input")) or self.skipped(tool))

    def skipped(self, tool: str) -> bool:
        """Whether the user's settings name this tool."""
        return any(fnmatch.fnmatchcase(tool, one) for one in self.config["skipped_tools"])

    def session(self, event: Event) -> Session:
        """The event's session; its project is fixed when it is first seen."""
        row = self.db.execute(_SQL["session"], (event.session_id,)).fetchone()
        if row:
            return Session(row[0], row[1])
        here = project.resolve(event.cwd, event.project_dir)
        branch, commit = project.head(here)
        owner = projects.find_or_add(self.db, here, event.at)
        cursor = self.db.execute(
            _SQL["add_session"],
            {
                "session_id": event.session_id,
                "project": owner,
                "root": here.root,
                "cwd": event.cwd,
                "worktree": here.worktree,
                "branch": branch,
                "commit_id": commit,
                "at": event.at,
            },
        )
        return Session(int(cursor.lastrowid or 0), owner)

    def turn(self, event: Event, session: Session) -> int:
        """The turn that an event belongs to; what is checked out is asked at the newest of its."""
        prompt = self.turn_of(event, session)
        self.newest[prompt] = max(event, self.newest.get(prompt, event), key=_time)
        return prompt

    def turn_of(self, event: Event, session: Session) -> int:
        """The row of an event's turn: by the host's prompt id, else the latest."""
        if event.prompt_id:
            row = self.db.execute(
                _SQL["prompt_by_host_id"], (session.id, event.prompt_id)
            ).fetchone()
            if row:
                return int(row[0])
            return self.add_prompt(event, session, event.prompt_id, "")
        row = self.db.execute(_SQL["latest_prompt"], (session.id,)).fetchone()
        if row:
            return int(row[0])
        return self.add_prompt(event, session, "before", "", number=0)

    def add_prompt(
        self, event: Event, session: Session, prompt_id: str, text: str, number: int | None = None
    ) -> int:
        """A new turn."""
        if number is None:
            row = self.db.execute(_SQL["latest_prompt"], (session.id,)).fetchone()
            number = int(row[1]) + 1 if row else 1
            if row and row[4] is None:
                # interrupted: no Stop will come for it
                self.open_job(int(row[0]), event.at)
        values = {
            "session": session.id,
            "project": session.project,
            "number": number,
            "prompt_id": prompt_id,
            "text": text,
            "at": event.at,
        }
        return int(self.db.execute(_SQL["add_prompt"], values).lastrowid or 0)

    def open_job(self, prompt: int, at: int) -> None:
        """The turn is to be distilled (again)."""
        self.db.execute(_JOBS["open_job"], {"prompt": prompt, "at": at})

    def session_start(self, event: Event, session: Session) -> None:
        """A session began, or went on after resume, /clear or compaction."""
        if event.text("source") == "resume":
            self.db.execute(_SQL["reopen_session"], {"session": session.id})
        # A host that was killed says nothing; what its last turn did is to be known now.
        span = {"project": session.project, "since": event.at - UNCLOSED_MS}
        for (prompt,) in self.db.execute(_SQL["unclosed_turns"], span).fetchall():
            self.open_job(int(prompt), event.at)

    def prompt(self, event: Event, session: Session) -> None:
        """The user (or the host) said something: a turn begins."""
        text = clean_text(event.text("prompt"), PROMPT_LIMIT)
        prompt_id = event.prompt_id
        if not prompt_id:
            digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
            latest = self.db.execute(_SQL["latest_prompt"], (session.id,)).fetchone()
            if latest and latest[2].startswith(digest) and event.at - latest[3] < SAME_PROMPT_MS:
                return
            prompt_id = f"{digest}-{event.at}"
        row = self.db.execute(_SQL["prompt_by_host_id"], (session.id, prompt_id)).fetchone()
        if row:
            prompt = int(row[0])
            self.db.execute(_SQL["fill_prompt"], {"id": prompt, "text": text, "at": event.at})
        else:
            prompt = self.add_prompt(event, session, prompt_id, text)
        self.newest.setdefault(prompt, event)
        text_index.put(self.db, "prompt", prompt, project=session.project, body=text)

    def tool_use(self, event: Event, session: Session) -> None:
        """A tool call that succeeded."""
        given = event.payload.get("tool_input")
        named = WRITERS.get(event.text("tool_name"), "")
        path = given.get(named) if isinstance(given, dict) else None
        if isinstance(path, str) and path.startswith("/") and "\0" not in path:
            self.written.append(path)
        self.add_tool_use(event, session, event.payload, event.payload.get("tool_response"), "ok")

    def tool_failure(self, event: Event, session: Session) -> None:
        """A tool call that failed."""
        self.add_tool_use(event, session, event.payload, event.payload.get("error"), "failed")

    def tool_batch(self, event: Event, session: Session) -> None:
        """The only event that tells of refused calls; the others are stored already."""
        calls = event.payload.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if not isinstance(call, Mapping) or not _is_id(call.get("tool_use_id")):
                continue
            name, output = str(call.get("tool_name", "")), call.get("tool_response")
            known = (session.id, call["tool_use_id"][:ID_LIMIT])
            if is_own(name, call.get("tool_input")) or self.skipped(name):
                continue
            if self.db.execute(_SQL["has_tool_use"], known).fetchone():
                continue
            # a call that ran has told so itself, before its batch; one that did not was refused,
            # in whatever words the rule or hook that refused it chose
            self.add_tool_use(event, session, call, output, "refused")

    def add_tool_use(
        self, event: Event, session: Session, call: Mapping[str, Any], output: Any, status: str
    ) -> None:
        """One tool use with its raw input and output; a second delivery changes nothing."""
        tool_use_id = call.get("tool_use_id")
        if not isinstance(tool_use_id, str) or not tool_use_id:
            raise ValueError("a tool use without an id")
        prompt = self.turn(event, session)
        values = {
            "session": session.id,
            "prompt": prompt,
            "tool_use_id": tool_use_id[:ID_LIMIT],
            "name": clean_text(str(call.get("tool_name", "")), 200),
            "status": status,
            "agent_id": event.agent_id[:ID_LIMIT],
            "agent_type": event.agent_type[:ID_LIMIT],
            "duration_ms": milliseconds(event.payload.get("duration_ms")),
            "at": event.at,
        }
        cursor = self.db.execute(_SQL["add_tool_use"], values)
        if cursor.rowcount:
            row_id = int(cursor.lastrowid or 0)
        else:
            corrected = self.db.execute(_SQL["correct_tool_use"], values).fetchone()
            if corrected is None:
                return
            row_id = int(corrected[0])
        packed = [pack(call.get("tool_input")), pack(output)]
        size = sum(length for _, length in packed)
        self.db.execute(_SQL["put_tool_io"], (row_id, packed[0][0], packed[1][0], size))
        if status == "ok" and cursor.rowcount:
            agent = event.agent_id[:ID_LIMIT]
            sparing.count(self.db, event.session_id, agent, event.text("cwd"), call, output)
        self.touched.add(prompt)
        uses, distilled, ended = self.db.execute(_SQL["pending_uses"], (prompt,)).fetchone()
        if ended is not None or uses - distilled >= max(DISTIL_EVERY, distilled):
            self.open_job(prompt, event.at)

    def turn_end(self, event: Event, session: Session) -> None:
        """Claude stopped, done or failed."""
        prompt = self.turn(event, session)
        message = clean_text(event.text("last_assistant_message"), PROMPT_LIMIT)
        error = ""
        if event.name == "StopFailure":
            error, message = f"{event.text('error')}: {message[:500]}", ""
        values = {"id": prompt, "at": event.at, "message": message, "error": clean_text(error, 600)}
        self.db.execute(_SQL["end_prompt"], values)
        self.touched.add(prompt)
        self.open_job(prompt, event.at)

    def compaction_begins(self, event: Event, session: Session) -> None:
        """The context is about to be folded: what is pending is distilled first."""
        self.open_job(self.turn(event, session), event.at)

    def compaction(self, event: Event, session: Session) -> None:
        """The context was folded into a summary."""
        summary = clean_text(event.text("compact_summary"), PROMPT_LIMIT)
        values = {
            "session": session.id,
            "prompt": self.turn(event, session),
            "cause": event.text("trigger")[:20],
            "summary": summary,
            "at": event.at,
        }
        self.db.execute(_SQL["add_compaction"], values)

    def agent_start(self, event: Event, session: Session) -> None:
        """A subagent began."""
        self.db.execute(_SQL["start_agent"], self.agent_values(event, session))

    def agent_stop(self, event: Event, session: Session) -> None:
        """A subagent ended, with its finding. /compact sends one without an agent."""
        if event.agent_id:
            message = clean_text(event.text("last_assistant_message"), PROMPT_LIMIT)
            values = {**self.agent_values(event, session), "message": message}
            self.db.execute(_SQL["end_agent"], values)

    def agent_values(self, event: Event, session: Session) -> dict[str, object]:
        """The columns of a subagent."""
        return {
            "session": session.id,
            "prompt": self.turn(event, session),
            "agent_id": event.agent_id[:ID_LIMIT],
            "agent_type": event.agent_type[:ID_LIMIT],
            "at": event.at,
        }

    def session_end(self, event: Event, session: Session) -> None:
        """The session is over; a turn that nobody closed is distilled as it is."""
        values = {"session": session.id, "at": event.at, "reason": event.text("reason")[:40]}
        self.db.execute(_SQL["end_session"], values)
        row = self.db.execute(_SQL["latest_prompt"], (session.id,)).fetchone()
        if row and row[4] is None:
            self.open_job(int(row[0]), event.at)
        model_queue.stop_gathering(self.db, session.id)

    HANDLERS: ClassVar[dict[str, Callable[[Recorder, Event, Session], None]]] = {
        "SessionStart": session_start,
        "UserPromptSubmit": prompt,
        "PostToolUse": tool_use,
        "PostToolUseFailure": tool_failure,
        "PostToolBatch": tool_batch,
        "SubagentStart": agent_start,
        "SubagentStop": agent_stop,
        "PreCompact": compaction_begins,
        "PostCompact": compaction,
        "Stop": turn_end,
        "StopFailure": turn_end,
        "SessionEnd": session_end,
    }


def _time(event: Event) -> int:
    return event.at


def _is_id(value: object) -> bool:
    return isinstance(value, str) and value != ""


def milliseconds(value: Any) -> int | None:
    """A duration as the host sent it; None where it is none."""
    known = isinstance(value, (int, float)) and 0 <= value < 1 << 53
    return int(value) if known else None


def pack(value: Any) -> tuple[bytes, int]:
    """(zlib of the sanitised value's JSON, its size in bytes)."""
    cleaned, _ = clean_value(value)
    data = json.dumps(cleaned, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return zlib.compress(data, 1), len(data)


def unpack(data: bytes | None) -> Any:
    """The value of a stored input or output; None where it is no longer kept."""
    return None if data is None else json.loads(zlib.decompress(data))
