"""An isolated home in which the real Claude Code client runs against a scripted model."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.api import Api, Request, Script, Turn
from tests.e2e.terminal import Conversation, Terminal

KEY = "sk-fake-key-of-the-end-to-end-tests"
PLUGIN = "backstory@backstory"
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    """One `claude -p` that has ended, and what it asked the model."""

    stdout: str
    stderr: str
    code: int
    seconds: float
    requests: list[Request]  # all of them
    turns: list[Request]  # those of the main conversation
    subagent_turns: list[Request]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The lines of `--output-format stream-json`."""
        return [json.loads(line) for line in self.stdout.splitlines() if line.startswith("{")]

    def tool_result(self, tool_use_id: str) -> str:
        """What the model was told a call of the main conversation returned."""
        return self._holding(tool_use_id).tool_result(tool_use_id)

    def tool_failed(self, tool_use_id: str) -> bool:
        """Whether that call came back as an error."""
        return self._holding(tool_use_id).tool_failed(tool_use_id)

    def _holding(self, tool_use_id: str) -> Request:
        for request in self.turns:
            if f'"tool_use_id": "{tool_use_id}"' in json.dumps(request.body):
                return request
        said = self.turns[-1].conversation()[-2000:] if self.turns else self.stdout + self.stderr
        raise AssertionError(f"the model saw no result of {tool_use_id}; last: {said}")


class Home:
    """A HOME of its own for one client: nothing of the machine's user reaches it."""

    def __init__(
        self, path: Path, claude: Path, *, tool_search: bool = True, vectors: bool = False
    ) -> None:
        self.path = path
        self.claude = claude
        self.tool_search = tool_search
        self.vectors = vectors
        path.mkdir(parents=True, exist_ok=True)

    @property
    def data(self) -> Path:
        """Backstory's per-user folder, which is its data directory as well."""
        return self.path / ".local/share/backstory"

    def share_runtime(self, base: Path) -> None:
        """Use the runtime that another per-user folder holds, so that none is built here."""
        self.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.data / "runtime").symlink_to(base / "runtime")
        if not self.vectors:
            # models take 150 MB in each worker, and many users live side by side here
            (self.data / "settings.json").touch(0o600)
            (self.data / "settings.json").write_text('{"embedder": "none"}')
        shutil.copy(base / "python", self.data / "python")

    def environment(self, url: str = "", extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """A built environment: the caller's PATH, the client before it, and no more of its own."""
        return {
            "HOME": str(self.path),
            "PATH": f"{self.claude.parent}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "ENABLE_TOOL_SEARCH": "true" if self.tool_search else "false",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **(extra or {}),
        }

    def command(
        self,
        *arguments: str,
        cwd: Path | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the client that needs no model, `claude plugin …` for one."""
        return subprocess.run(
            [self.claude, *arguments],
            cwd=cwd or self.path,
            env=self.environment("http://127.0.0.1:9", extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
        )

    def install(self, marketplace: str | Path) -> None:
        """Add a marketplace and install the plugin from it, as a user does."""
        for arguments in (("marketplace", "add", str(marketplace)), ("install", PLUGIN)):
            done = self.command("plugin", *arguments)
            assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"

    def backstory(
        self, *arguments: str, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of Backstory's own, as this user."""
        return subprocess.run(
            ["sh", ROOT / "bin/backstory", *arguments],
            cwd=cwd or self.path,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
        )

    def drain(self) -> None:
        """Wait until the worker has taken in and distilled all that was captured."""
        done = self.backstory("drain", "--timeout", "30")
        assert done.returncode == 0, done.stdout + done.stderr

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What a query finds in the database, read from outside."""
        address = f"file:{self.data / 'backstory.db'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=5)) as database:
            return database.execute(query, values).fetchall()

    def run(
        self,
        prompt: str,
        *arguments: str,
        cwd: Path,
        turns: Sequence[Turn] = (),
        subagents: Mapping[str, Sequence[Turn]] | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> Result:
        """Run `claude -p PROMPT ARGUMENTS…` in a folder and wait until it has ended."""
        with Api(Script(turns, subagents or {})) as api:
            return self.run_with(api, prompt, *arguments, cwd=cwd, extra=extra)

    def run_with(
        self,
        api: Api,
        prompt: str,
        *arguments: str,
        cwd: Path,
        extra: Mapping[str, str] | None = None,
    ) -> Result:
        """The same with a model that was there before, and still is afterwards."""
        seen = len(api.requests), len(api.turns), len(api.subagent_turns)
        started = time.monotonic()
        with self._started(["-p", prompt, *arguments], api, cwd, extra) as process:
            stdout, stderr = process.communicate(timeout=100)
        seconds = time.monotonic() - started
        return Result(
            stdout.decode(errors="replace"),
            stderr.decode(errors="replace"),
            process.returncode,
            seconds,
            api.requests[seen[0] :],
            api.turns[seen[1] :],
            api.subagent_turns[seen[2] :],
        )

    @contextmanager
    def converse(
        self, api: Api, *arguments: str, cwd: Path, extra: Mapping[str, str] | None = None
    ) -> Iterator[Conversation]:
        """Several prompts to one `claude -p`, over stream-json on its stdin."""
        formats = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        command = ["-p", *formats, *arguments]
        with self._started(command, api, cwd, extra, stdin=subprocess.PIPE) as process:
            yield Conversation(process)

    @contextmanager
    def interact(
        self, api: Api, *arguments: str, cwd: Path, extra: Mapping[str, str] | None = None
    ) -> Iterator[Terminal]:
        """The interactive client in a terminal, past its first-run questions."""
        state_file = self.path / ".claude.json"
        state = json.loads(state_file.read_text()) if state_file.exists() else {}
        projects = state.setdefault("projects", {})
        projects.setdefault(str(cwd), {})["hasTrustDialogAccepted"] = True
        state |= {"hasCompletedOnboarding": True, "theme": "dark"}
        state["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
        state_file.write_text(json.dumps(state))
        command = [str(self.claude), *arguments]
        with Terminal(command, cwd, self.environment(api.url, extra)) as terminal:
            yield terminal

    @contextmanager
    def _started(
        self,
        arguments: Sequence[str],
        api: Api,
        cwd: Path,
        extra: Mapping[str, str] | None,
        stdin: int = subprocess.DEVNULL,
    ) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            [self.claude, *arguments],
            cwd=cwd,
            env=self.environment(api.url, extra),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        with process:
            try:
                yield process
            finally:
                end_group(process.pid)

    def worker(self) -> dict[str, Any]:
        """What the worker says of itself in `worker.json`; empty when there is none."""
        try:
            found: dict[str, Any] = json.loads((self.data / "worker.json").read_text())
        except (OSError, ValueError):
            return {}
        return found

    def kill_worker(self) -> int:
        """Kill the worker with -9, wait for its end, and give its pid; 0 when there was none."""
        pid = int(self.worker().get("pid", 0))
        if not pid or not _is_worker(pid):
            return 0
        os.kill(pid, signal.SIGKILL)
        # a process loses its memory first: its socket takes connections for a moment longer
        ends = time.monotonic() + 20
        while _is_worker(pid) or self._is_listening():
            assert time.monotonic() < ends, f"process {pid} outlives SIGKILL"
        return pid

    def _is_listening(self) -> bool:
        """Whether something takes connections on the worker's socket."""
        with socket.socket(socket.AF_UNIX) as asked:
            # by a descriptor: a path of a socket may have 108 bytes, and ours has more
            folder = os.open(self.data, os.O_RDONLY)
            try:
                asked.connect(f"/proc/self/fd/{folder}/worker.sock")
            except OSError:
                return False
            finally:
                os.close(folder)
            return True

    def close(self) -> None:
        """End what may still run here."""
        self.kill_worker()


def end_group(pid: int) -> None:
    """End a process group that we started, whatever is left of it."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _is_worker(pid: int) -> bool:
    # a pid can be used again by a stranger: only ever end a process that runs our code
    command = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True
    ).stdout
    return "launch.py" in command or "backstory" in command
