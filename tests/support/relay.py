"""The relay as the host starts it, beside a plugin folder whose launcher is ours."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 20.0

# What `plugin/launch.py worker-spawn` comes to once the runtime is there.
LAUNCH = """\
import os, sys
code = "import sys; sys.path.insert(0, %r); from backstory import worker; sys.exit(worker.main())"
os.execv(%r, [%r, "-c", code])
"""


class Place:
    """An isolated home, and a copy of the plugin folder in links."""

    def __init__(self, folder: Path, *, ready: bool = True, launch: str = "") -> None:
        self.root = folder / "plugin root é"
        self.home = folder / "home"
        self.data = folder / "Ünïcode dir"
        self.project = folder / "shop"
        for path in (self.root / "plugin", self.home, self.project):
            path.mkdir(parents=True, exist_ok=True)
        for name in ("src", "requirements.lock", "plugin/relay.py", "plugin/tools.json"):
            (self.root / name).symlink_to(ROOT / name)
        text = launch or LAUNCH % (str(ROOT / "src"), sys.executable, sys.executable)
        (self.root / "plugin/launch.py").write_text(text, encoding="utf-8")
        if ready:
            self.make_runtime()

    def make_runtime(self) -> None:
        """What the builder leaves behind."""
        code = f"import sys; sys.path.insert(0, {str(self.root / 'src')!r})\n"
        code += f"from backstory import runtime; print(runtime.path_for({'requirements.lock'!r}, "
        code += "sys.version_info[1]))"
        done = subprocess.run(
            [sys.executable, "-c", code], env=self.env(), capture_output=True, text=True, check=True
        )
        runtime = Path(done.stdout.strip())
        (runtime / "bin").mkdir(parents=True)
        (runtime / "bin/python").symlink_to(sys.executable)
        (runtime / ".ready").touch()

    def env(self, **more: str) -> dict[str, str]:
        """What a host gives its servers."""
        return {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "BACKSTORY_HOME": str(self.data),
            "CLAUDE_PROJECT_DIR": str(self.project),
            **more,
        }

    @contextmanager
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        """A worker that listens; ended afterwards."""
        worker = subprocess.Popen(
            [sys.executable, str(self.root / "plugin/launch.py")], env=self.env()
        )
        try:
            wait_until((self.data / "worker.json").exists)
            yield worker
        finally:
            worker.kill()
            worker.wait()

    def end_worker(self) -> None:
        """Ends the worker that the relay started, and waits until it is gone."""
        try:
            pid = json.loads((self.data / "worker.json").read_text(encoding="utf-8"))["pid"]
            os.kill(pid, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            return
        wait_until(lambda: not _exists(pid))

    @contextmanager
    def relay(self, **more: str) -> Iterator[Host]:
        """A relay and its host."""
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(self.root / "plugin/relay.py")],
            env=self.env(**more),
            cwd=self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        host = Host(process)
        try:
            yield host
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()


class Host:
    """The client's side of the pipe."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.ids = iter(range(1, 1000))
        self.rest = b""

    def send(self, message: object) -> None:
        """One message, as a line."""
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        """Bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, patience: float = PATIENCE_S) -> Any:
        """The next line, parsed; it must come."""
        line = self.line(patience)
        assert line, "no line came"
        return json.loads(line)

    def line(self, patience: float = PATIENCE_S) -> bytes:
        """The next line; b"" at the end, or where none comes."""
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        until = time.monotonic() + patience
        while b"\n" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                return b""
            chunk = os.read(descriptor, 65536)
            if not chunk:
                return b""
            self.rest += chunk
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """The answer to a request."""
        id_ = next(self.ids)
        self.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        answer = cast("dict[str, Any]", self.read())
        assert answer["id"] == id_
        return answer

    def call(self, name: str, /, **arguments: object) -> tuple[str, bool]:
        """(text, whether it is an error) of a tool call."""
        meta = {"claudecode/toolUseId": "toolu_1"}
        return text_of(self.ask("tools/call", name=name, arguments=arguments, _meta=meta))

    def leave(self) -> int:
        """Closes stdin, as a host does that ends; the relay's exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


def text_of(answer: dict[str, Any]) -> tuple[str, bool]:
    """(text, whether it is an error) of an answer to tools/call."""
    (block,) = answer["result"]["content"]
    assert block["type"] == "text"
    assert block["text"]
    assert "structuredContent" not in answer["result"]
    return block["text"], bool(answer["result"].get("isError"))


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Any) -> None:
    """Returns once the condition holds; fails where it never does."""
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.02)
