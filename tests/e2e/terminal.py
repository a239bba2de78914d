"""Two ways to talk with a client that stays: stream-json on its stdin, and a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import queue
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_ESCAPES = re.compile(
    r"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b."
)


class Conversation:
    """A `claude -p --input-format stream-json`: one prompt after another in one process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.events: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def say(self, prompt: str, timeout: float = 60.0) -> dict[str, Any]:
        """Send a prompt (or a slash command) and wait for its result event.

        Raises:
            TimeoutError: no result came within `timeout` seconds.
        """
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        while True:
            try:
                line = self._lines.get(timeout=timeout)
            except queue.Empty:
                raise TimeoutError(f"no result of {prompt!r} in {timeout} s") from None
            if not line:
                raise EOFError(f"the client ended before the result of {prompt!r}")
            event: dict[str, Any] = json.loads(line)
            self.events.append(event)
            if event.get("type") == "result":
                return event

    def end(self, timeout: float = 30.0) -> int:
        """Close its stdin and give its exit status."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(timeout)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(b"{"):
                self._lines.put(line)
        self._lines.put(b"")


class Terminal:
    """The interactive client in a pseudo-terminal of 200 columns."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._output = ""
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(10)
        self._reader.join(10)
        os.close(self._master)

    @property
    def screen(self) -> str:
        """Everything it has printed, without control sequences."""
        with self._changed:
            return _ESCAPES.sub("", self._output)

    def enter(self, line: str) -> None:
        """Type a line, and press Enter once it shows: in one go it would count as a paste."""
        before = len(self.screen)
        os.write(self._master, line.encode())
        self.wait_for(lambda screen: _squeezed(line) in _squeezed(screen[before:]))
        os.write(self._master, b"\r")

    def wait_for(self, happened: Callable[[str], bool], timeout: float = 30.0) -> str:
        """Wait until the text printed so far satisfies a condition, and give it.

        Raises:
            TimeoutError: it did not within `timeout` seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: happened(self.screen), timeout):
                raise TimeoutError(f"not seen in {timeout} s; the end: {self.screen[-1500:]!r}")
            return self.screen

    def settle(self, quiet: float = 0.7) -> None:
        """Wait until it has printed nothing for `quiet` seconds: it has drawn its new state."""
        with self._changed:
            while self._changed.wait(quiet):
                pass

    def end(self, timeout: float = 30.0) -> int:
        """Leave with `/exit` and give the exit status."""
        self.enter("/exit")
        return self._process.wait(timeout)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            with self._changed:
                self._output += data.decode(errors="replace")
                self._changed.notify_all()


def _squeezed(words: str) -> str:
    # the client moves the cursor instead of printing a space
    return "".join(words.split())
