"""What a session is told beside a Read, or in its place: the file's outline and what memory knows.

Everything that goes wrong here means that the Read passes without a word.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backstory import project as identity
from backstory.capture.rules.printed import printed
from backstory.codenav import guard, looking, sift
from backstory.codenav.languages import detect
from backstory.codenav.looking import Looked, Workspace
from backstory.codenav.rows import printable
from backstory.errors import BackstoryError
from backstory.estimate import estimate_tokens
from backstory.recall import gate, read_notes
from backstory.recall.read_notes import Notes
from backstory.storage import gates, projects, sqlite
from backstory.storage.database import Database
from backstory.tools import code, spared_text
from backstory.tools.transcript import context_tokens, is_written_next

SMALL_BYTES = 2 * gate.HINT_TOKENS  # below it a file is not opened: it cannot be worth an outline
LARGEST_BYTES = 1_000_000  # what is larger takes longer than the hook waits
ASKED_KEPT = 10_000
_HEAD = 4_096
_NOTHING: dict[str, Any] = {}

_Where = tuple[str, str, str]  # the host's session id, the agent's id, the real path


@dataclass(frozen=True, slots=True)
class Asked:
    """One event of the host, as far as it matters here."""

    session: str
    agent: str
    cwd: str
    project_dir: str
    config_dir: str
    transcript: str
    call: str  # its id
    tool: str
    input: Mapping[str, Any]
    is_incognito: bool = False  # nothing of it may be remembered


def asked(body: Mapping[str, Any]) -> Asked | None:
    """The question in a request's body; None where it is none."""
    event = body.get("event")
    if not isinstance(event, Mapping) or not isinstance(event.get("tool_input"), Mapping):
        return None
    texts = {
        name: value if isinstance(value := event.get(name), str) else ""
        for name in ("session_id", "agent_id", "cwd", "transcript_path", "tool_use_id", "tool_name")
    }
    folders = {
        name: value if isinstance(value := body.get(name), str) else ""
        for name in ("project_dir", "config_dir")
    }
    return Asked(
        session=texts["session_id"],
        agent=texts["agent_id"],
        cwd=texts["cwd"],
        project_dir=folders["project_dir"],
        config_dir=folders["config_dir"],
        transcript=texts["transcript_path"],
        call=texts["tool_use_id"],
        tool=texts["tool_name"],
        input=event["tool_input"],
        is_incognito=body.get("incognito") is True,
    )


class ReadGate:
    """Answers the hook's questions; one a worker."""

    def __init__(self, database: Database, settings: Callable[[str], Any]) -> None:
        self.database = database
        self.settings = settings
        self._lock = threading.Lock()
        self._asked: OrderedDict[_Where, None] = OrderedDict()

    def answer(self, question: Asked, deadline: float) -> dict[str, Any]:
        """`refuse` or `context` with the text, and `files` for a command; else the call passes.

        deadline: a value of `time.monotonic()` after which nobody waits for the answer.
        """
        try:
            if question.tool == "Read":
                return self._of_file(question, str(question.input.get("file_path", "")), deadline)
            return self._of_command(question, str(question.input.get("command", "")), deadline)
        except (BackstoryError, OSError, ValueError, sqlite3.Error):
            return _NOTHING

    def _of_file(self, question: Asked, path: str, deadline: float) -> dict[str, Any]:
        place = self._place(question, path)
        if place is None:
            return _NOTHING
        found, where, mode, here = place
        if not self._is_first((question.session, question.agent, found.path)):
            return {"asked": True}  # the mark is for the call that asked first
        notes, project_id, is_losing = self._memory(question, found, here)
        if is_losing and mode == "redirect":
            mode = "advise"
        looked = self._look(found, where)
        file = _file(found, looked, notes, self._below(question, found, here))
        decided = gate.decide(file, mode, self.settings("read_gate_tokens"))
        if decided.action == "pass" or time.monotonic() > deadline:
            return _NOTHING
        if decided.action == "redirect" and looked is not None:
            text = spared_text.instead(
                looked, notes, gate.budget(file.tokens), file, _callable(question, found)
            )
            cost = estimate_tokens(text)
            is_cheap = cost >= gate.ANSWER_LEAST and gate.is_within_share(cost, file.tokens)
            if is_cheap and not self._is_written_next(question, found):
                return self._refusal(question, found, file, (project_id, notes, text))
            decided = gate.Decision("advise", "its outline says little", hint=bool(file.symbols))
        notes = notes.untold()
        text = spared_text.beside(found.shown, notes, file if decided.hint else None)
        if text and is_losing and file.tokens >= self.settings("read_gate_tokens"):
            text += "\n" + spared_text.LOSING
        self._told(question, notes)
        return {"context": text} if text else _NOTHING

    def _of_command(self, question: Asked, command: str, deadline: float) -> dict[str, Any]:
        """A word beside a command that prints a large source file; it is never refused."""
        for path in printed(command, question.cwd):
            place = self._place(question, path)
            if place is None:
                continue
            found, where, _, here = place
            looked = self._look(found, where)
            notes, _, _ = self._memory(question, found, here)
            file = _file(found, looked, notes, self._below(question, found, here))
            large = self.settings("read_gate_tokens")
            is_large = gate.decide(file, "redirect", large).action == "redirect"
            if is_large and time.monotonic() < deadline:
                notes = notes.untold()
                text = spared_text.beside(found.shown, notes, file)
                self._told(question, notes)
                return {"context": text, "files": [found.path]}
        return _NOTHING

    def _place(
        self, question: Asked, path: str
    ) -> tuple[guard.Place, Workspace, gate.Mode, identity.Project] | None:
        """The file, if the host reads it unasked: no rule speaks of it, and it lies where it works.

        The rest of the repository is the workspace of our tools alone: the host asks first.
        """
        here = identity.resolve(question.cwd, question.project_dir)
        folder = question.project_dir or question.cwd
        where = looking.workspace((), folder, question.config_dir)
        found = guard.resolve(path, where.roots, where.rules, question.cwd)
        if found.is_folder or not guard.is_below(found.path, os.path.realpath(folder)):
            return None
        below = self._below(question, found, here)
        mode = gate.mode_for(
            found.path, below, self.settings("read_gate"), self.settings("read_gate_exceptions")
        )
        return None if mode == "off" else (found, where, mode, here)

    def _below(self, question: Asked, found: guard.Place, here: identity.Project) -> str:
        """The file's path in the project, as records have it."""
        return identity.relative(found.path, here.root, question.cwd, here.worktree)

    def _memory(
        self, question: Asked, found: guard.Place, here: identity.Project
    ) -> tuple[Notes, int, bool]:
        """(what memory holds of the file, the project's row, whether the gate loses there)."""
        if not self.database.path.exists():
            return Notes(), 0, False

        def run(db: sqlite3.Connection) -> tuple[Notes, int, bool]:
            project_id = projects.find(db, here)
            if project_id is None:
                return Notes(), 0, False
            path = self._below(question, found, here)
            notes = read_notes.of_file(db, project_id, path, question.session, found.path)
            return notes, project_id, gates.is_losing(db, project_id, sqlite.now_ms())

        return self.database.read(run)

    def _look(self, found: guard.Place, where: Workspace) -> Looked | None:
        """The file and its outline, where it may be large enough to need one."""
        size = Path(found.path).stat().st_size
        if not SMALL_BYTES <= size <= LARGEST_BYTES or sift.refused_by_name(found.path, size):
            return None
        language = detect(found.path, _first_line(found.path))
        if language is None or language.name in gate.NOT_SOURCE:
            return None
        return code.outlines.look(found.path, where, time.monotonic() + looking.DEADLINE_S)

    def _refusal(
        self,
        question: Asked,
        found: guard.Place,
        file: gate.File,
        told: tuple[int, Notes, str],
    ) -> dict[str, Any]:
        """The outline in place of the Read, which is counted."""
        project_id, notes, text = told
        where = (question.session, question.agent, found.path)
        if project_id and not question.is_incognito:
            spared = gates.Spared(
                would_deliver=gate.would_deliver(file.tokens, file.size),
                given=estimate_tokens(text),
                context=context_tokens(question.transcript),
            )
            at = sqlite.now_ms()
            self.database.submit(lambda db: gates.add(db, project_id, where, spared, at))
        self._told(question, notes)
        return {"refuse": text}

    def _is_written_next(self, question: Asked, found: guard.Place) -> bool:
        """Whether the answer that reads the file edits it as well: that must not fail."""
        return is_written_next(question.transcript, question.agent, question.call, found.path)

    def _is_first(self, where: _Where) -> bool:
        """Whether this agent asks about the file for the first time; of several at once, one."""
        with self._lock:
            if where in self._asked:
                return False
            self._asked[where] = None
            while len(self._asked) > ASKED_KEPT:
                self._asked.popitem(last=False)
        return not self.database.path.exists() or not self.database.read(
            lambda db: gates.is_answered(db, *where)
        )

    def _told(self, question: Asked, notes: Notes) -> None:
        """Prompt recall must not tell the same records again."""
        if notes.rows and not question.is_incognito:
            ids = [row.id for row in notes.rows]
            at = sqlite.now_ms()
            self.database.submit(lambda db: read_notes.told(db, question.session, ids, at))


def _first_line(path: str) -> str:
    """The beginning of a file, which may say what runs it."""
    with Path(path).open("rb") as file:
        return file.read(_HEAD).decode("utf-8", "replace")


def _callable(question: Asked, found: guard.Place) -> str:
    """The path by which a tool finds the file again; "" where none can be printed."""
    folders = [folder for folder in (question.cwd, question.project_dir) if folder]
    reached = {os.path.realpath(Path(one, found.shown)) for one in folders}
    is_short = reached == {found.path}
    path = found.shown if is_short else found.path
    return path if path == printable(path) == path.strip() else ""


def _file(found: guard.Place, looked: Looked | None, notes: Notes, below: str) -> gate.File:
    """What the decision needs to know. below: its path in the project."""
    if looked is None:
        return gate.File(tokens=0, notes=len(notes.rows))
    language = looked.outline.language
    return gate.File(
        tokens=gate.numbered(looked.tokens, looked.outline.lines),
        size=Path(found.path).stat().st_size,
        language=language,
        symbols=len(looked.outline.symbols),
        is_outlined=looked.outline.how == "query",
        is_machine_made=bool(sift.machine_made(looked.source.text, language)),
        is_guidance=gate.is_guidance(below),
        notes=len(notes.rows),
    )
