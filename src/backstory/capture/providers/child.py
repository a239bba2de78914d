"""Programs that we run for an answer: fed, read and timed, and never left behind."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

_LEASH = str(Path(__file__).with_name("leash.py"))
STDERR_LIMIT = 20_000  # bytes that are kept
END_S = 3.0  # what a program that was told to end gets, all in all
LOOK_S = 1.0  # between two looks whether it has ended
_CHUNK = 65_536

End = Literal["itself", "late", "too_large", "closed"]


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that has ended."""

    code: int  # 128 and more: by a signal
    stdout: bytes
    stderr: bytes
    end: End = "itself"


class Children:
    """The programs that run for one owner; used from several threads at once."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: set[_Run] = set()
        self._is_closed = False

    def run(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        sent: bytes = b"",
        seconds: float,
        limit: int,
    ) -> Finished:
        """Runs a program, `sent` on its standard input, and waits until it has ended.

        It is ended after `seconds`, or when it has written more than `limit` bytes. Raises OSError
        where no process can be started.
        """
        with self._changed:
            if self._is_closed:
                return Finished(0, b"", b"", "closed")
            run = _Run(command, env, cwd)
            self._running.add(run)
        try:
            return run.to_its_end(sent, seconds, limit)
        finally:
            run.let_go()
            with self._changed:
                self._running.discard(run)
                self._changed.notify_all()

    def close(self) -> None:
        """Ends them all and waits until they have ended; nothing runs afterwards."""
        with self._changed:
            self._is_closed = True
            for run in self._running:
                run.stop("closed")
            self._changed.wait_for(lambda: not self._running, END_S)


class _Run:
    """One program, behind its leash."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self._lock = threading.Lock()
        self._end: End = "itself"
        held, self._rope = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", _LEASH, str(held), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(env),
                cwd=cwd,
                pass_fds=(held,),
                start_new_session=True,
                bufsize=0,
            )
        except OSError:
            self.let_go()
            raise
        finally:
            os.close(held)

    def stop(self, end: End) -> None:
        """Has the program ended; the first reason counts."""
        with self._lock:
            if self._rope >= 0:
                self._end = end
        self.let_go()

    def let_go(self) -> None:
        """Lets go of the leash: what still runs behind it is ended."""
        with self._lock:
            rope, self._rope = self._rope, -1
        if rope >= 0:
            os.close(rope)

    def to_its_end(self, sent: bytes, seconds: float, limit: int) -> Finished:
        """Feeds and reads the program until it has ended."""
        deadline = time.monotonic() + seconds
        with self._process as process, selectors.DefaultSelector() as watched:
            stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
            assert stdin is not None
            assert stdout is not None
            assert stderr is not None
            said, told = bytearray(), bytearray()
            watched.register(stdout, selectors.EVENT_READ, said)
            watched.register(stderr, selectors.EVENT_READ, told)
            os.set_blocking(stdin.fileno(), False)
            watched.register(stdin, selectors.EVENT_WRITE)
            rest = memoryview(sent)
            while len(watched.get_map()) > (0 if stdin.closed else 1):
                ready = watched.select(min(LOOK_S, max(0.0, deadline - time.monotonic())))
                for key, _ in ready:
                    if key.fileobj is stdin:
                        rest = _feed(watched, stdin, rest)
                    else:
                        _read(watched, key)
                del told[STDERR_LIMIT:]
                if len(said) > limit:
                    self.stop("too_large")
                    break
                if time.monotonic() >= deadline:
                    self.stop("late")
                    break
                if not ready and process.poll() is not None:
                    break  # something that it left behind holds its output open
            self._wait(deadline - time.monotonic())
        return Finished(process.returncode, bytes(said[:limit]), bytes(told), self._end)

    def _wait(self, seconds: float) -> None:
        """Waits for the process itself, which may live on with its output closed."""
        if self._end == "itself":
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(max(0.0, seconds))
        if self._process.returncode is None:
            self.stop("late")
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
        if self._process.returncode is None:
            self._process.kill()


def _feed(watched: selectors.BaseSelector, pipe: IO[bytes], rest: memoryview) -> memoryview:
    """Writes what the program takes now; the rest. Closes the pipe after the last byte."""
    try:
        rest = rest[os.write(pipe.fileno(), rest[:_CHUNK]) :] if rest else rest
    except BlockingIOError:
        return rest
    except OSError:  # it reads no more
        rest = rest[:0]
    if not rest:
        watched.unregister(pipe)
        pipe.close()
    return rest


def _read(watched: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    """Takes what the program has written."""
    data = os.read(key.fd, _CHUNK)
    key.data.extend(data)
    if not data:
        watched.unregister(key.fileobj)
