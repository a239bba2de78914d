"""A user of one's own: the real hooks, the real worker, and a data directory to look into."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from backstory import config, instance, paths, runtime
from backstory.errors import BadInput

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 20.0
PROMPT = "00000000-0000-0000-0000-000000000001"


def event(name: str, **fields: Any) -> dict[str, Any]:
    """A payload with the host's own fields first, as the host writes them."""
    head = {
        "session_id": "s1",
        "transcript_path": "/t.jsonl",
        "cwd": "/",
        "prompt_id": PROMPT,
        "permission_mode": "default",
    }
    own = {key: fields.pop(key) for key in list(fields) if key in (*head, "agent_id", "agent_type")}
    merged = {**head, **own, "hook_event_name": name, **fields}
    return {key: value for key, value in merged.items() if value is not None}


def tool(tool_use_id: str, command: str = "ls", **fields: Any) -> dict[str, Any]:
    """A Bash call that succeeded."""
    given: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"stdout": "out", "stderr": "", "interrupted": False},
        "tool_use_id": tool_use_id,
        "duration_ms": 5,
    }
    return event("PostToolUse", **{**given, **fields})


def dump(payload: object) -> bytes:
    """JSON as the host sends it."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def until(condition: Callable[[], T | None], what: str, seconds: float = PATIENCE_S) -> T:
    """The condition's first true value."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)
    return found


class Home:
    """HOME, data directory and project folder of one user.

    Its workers make no vectors, which costs a second each, unless `vectors` is set before.
    """

    vectors = False

    def __init__(self, folder: Path, data: str = "data") -> None:
        self.user = folder / "user"
        self.data = folder / data
        self.project = folder / "shop"
        for path in (self.user, self.project):
            path.mkdir(parents=True, exist_ok=True)
        self.children: list[subprocess.Popen[bytes]] = []
        self.make_runtime("exit 0")  # never let a hook build one in a test

    def environment(self, **more: str) -> dict[str, str]:
        """What the host's processes have. Without settings, no model of the machine's is used."""
        return {
            "HOME": str(self.user),
            "BACKSTORY_HOME": str(self.data),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            **({} if self.has_settings() else {"BACKSTORY_PROVIDER": "rules"}),
            **more,
        }

    def has_settings(self) -> bool:
        """Whether the test set anything; that no vectors are made is ours."""
        try:
            return bool(set(config.read_file(self.data)) - {"embedder"})
        except BadInput:
            return True

    def make_runtime(self, does: str = "") -> None:
        """What the builder leaves behind; with it, hooks can start the worker.

        does: what its interpreter does instead, in sh.
        """
        name = runtime.name_for(runtime.LOCK, sys.version_info[1])
        folder = self.user / ".local/share/backstory/runtime" / name
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        python = folder / "bin/python"
        # the checkout's own bytecode serves all tests: `-I -X pycache_prefix=…` becomes `-I`
        does = does or f'shift 3; exec {shlex.quote(sys.executable)} -I "$@"'
        fresh = python.with_name("python.new")
        fresh.write_text(f"#!/bin/sh\n{does}\n")
        fresh.chmod(0o755)
        fresh.replace(python)  # the old one may be running
        (folder / runtime.READY).touch()

    def hook(
        self, payload: object, *, stdin: bytes | None = None, limits: str = "", **env: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs the hook as hooks.json does; it must exit 0 and print nothing or one document."""
        command = [sys.executable, "-I", "-S", "-X", f"pycache_prefix={self.user / 'pycache'}"]
        command.append(str(ROOT / "hooks/on_event.py"))
        if limits:
            command = ["/bin/sh", "-c", f'{limits}; exec "$@"', "sh", *command]
        done = subprocess.run(
            command,
            input=dump(payload) if stdin is None else stdin,
            env=self.environment(**env),
            cwd=self.project,
            capture_output=True,
            timeout=30,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if done.stdout:
            assert isinstance(json.loads(done.stdout), dict)
        return done

    def says(self, payload: object, **env: str) -> dict[str, Any]:
        """The document that a hook prints; {} for none."""
        done = self.hook(payload, stdin=None, limits="", **env)
        return cast("dict[str, Any]", json.loads(done.stdout or b"{}"))

    def context(self, payload: object, **env: str) -> str:
        """What a SessionStart hook adds to the session."""
        found = self.says(payload, **env).get("hookSpecificOutput", {})
        return str(found.get("additionalContext", ""))

    def start(self) -> dict[str, Any]:
        """Starts the worker without waiting for a hook to do it; its health."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.spawn()
        return until(lambda: instance.health(self.data, 1.0), "the worker answers")

    def program(self) -> list[str]:
        """What is run as the worker."""
        return [str(ROOT / "plugin/launch.py"), "--in-runtime", "worker"]

    def spawn(self) -> subprocess.Popen[bytes]:
        """A worker process, detached as hooks detach it."""
        if not self.vectors and not (self.data / paths.SETTINGS).exists():
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            config.store(self.data, "embedder", "none")
        child = subprocess.Popen(
            [sys.executable, "-I", *self.program()],
            env=self.environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.children.append(child)
        return child

    @property
    def pid(self) -> int:
        """The worker that is on record and runs; 0 where none does."""
        return instance.recorded_pid(self.data) or 0

    def kill(self) -> None:
        """kill -9, waiting until the lock is free."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
        until(lambda: not instance.is_locked(self.data), "the killed worker is gone")

    def end(self) -> None:
        """Ends whatever worker runs, also a stopped one, and keeps hooks from starting another."""
        self.make_runtime("exit 0")
        if self.pid:
            os.kill(self.pid, signal.SIGCONT)
        while self.data.exists() and instance.is_locked(self.data):
            instance.stop(self.data)
            time.sleep(0.1)  # for one that a hook began to start a moment ago
        for child in self.children:
            if child.poll() is None:  # one that has no lock yet would begin to serve
                child.send_signal(signal.SIGCONT)
                child.terminate()
            child.wait(PATIENCE_S)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """The worker's answer over its socket."""
        return instance.ask(self.data, method, path, body)

    def drain(self) -> None:
        """Has the worker take in and distil all that waits."""
        until(
            lambda: (
                not (found := self.ask("POST", "/api/flush?seconds=10&all=1&model=1"))["more"]
                and not found["open_jobs"]
            ),
            "spool and jobs are empty",
        )

    def waiting(self) -> list[Path]:
        """The events in the spool."""
        return sorted((self.data / paths.SPOOL).glob("*.evt"))

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What a query finds in the database, read-only."""
        uri = f"file:{self.data / paths.DATABASE}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=10)) as db:
            return db.execute(query, values).fetchall()

    def one(self, query: str, *values: object) -> Any:
        """The one value that a query finds."""
        return self.rows(query, *values)[0][0]

    def log(self) -> str:
        """What the hooks logged."""
        path = self.data / paths.HOOKS_LOG
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def holds(self, text: str) -> list[str]:
        """The files below the data directory and HOME in which a text stands, in any case."""
        words = text.lower().encode()
        found = []
        for top in (self.data, self.user):
            for path in top.rglob("*"):
                with suppress(FileNotFoundError):
                    if path.is_file() and words in path.read_bytes().lower():
                        found.append(str(path))
        return found


@contextmanager
def a_home(folder: Path, data: str = "data") -> Iterator[Home]:
    """A user whose worker, started by whomever, is ended in the end."""
    home = Home(folder, data)
    try:
        yield home
    finally:
        home.end()
