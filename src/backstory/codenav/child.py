"""Outlines made in a short-lived process: of large sources, and by grammars that may crash.

A parser holds the interpreter's lock in long stretches, and a hostile text can end the process or
keep it for good. In a process of its own it stalls nobody, and is ended when its time is over.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from backstory import paths
from backstory.codenav import generic, languages, plain
from backstory.codenav.outline import Import, Outline, Problem
from backstory.codenav.symbols import Symbol

AT_ONCE = 2  # children; other callers wait within their time
_RESERVE = 0.1  # the part of the time that is kept for the plain shape
_CHUNK = 65_536
_MOST_ANSWERED = 16_000_000  # bytes
_HEAD = 20_000  # characters that may hold a #! line, or tell languages with one ending apart
_PLAIN = 500_000  # characters of which the plain shape is made
_SOURCES = str(Path(__file__).resolve().parents[2])
_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from backstory.codenav import child_main; "
    "child_main.main(sys.argv[2], float(sys.argv[3]))"
)

FREE = threading.BoundedSemaphore(AT_ONCE)


def outline_in_child(text: str, path: str, deadline_s: float) -> Outline:
    """The outline of a text, made by `outline_of` in a process that lives for this alone.

    Takes `deadline_s` seconds at most. Where the process crashes, or is too late, the outline is
    of the plain text and says "cut". Raises nothing.
    """
    deadline = time.monotonic() + deadline_s * (1 - _RESERVE)
    if FREE.acquire(timeout=max(0.0, deadline_s * (1 - _RESERVE))):
        try:
            answer = _answer(text.encode("utf-8", "surrogatepass"), path, deadline)
        finally:
            FREE.release()
        with suppress(ValueError, TypeError, IndexError, KeyError):
            return outline_from(answer)
    return _shape(text, path, deadline_s * _RESERVE)


def _answer(source: bytes, path: str, deadline: float) -> bytes:
    """What the child writes until it ends; less where it crashes or `deadline` passes."""
    left = deadline - time.monotonic()
    try:
        process = _start(path, left)
    except OSError:
        return b""
    said = bytearray()
    try:
        with process, selectors.DefaultSelector() as watched:
            _talk(process, watched, source, said, deadline)
            # what still runs then is of no use any more
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()
    return bytes(said)


def _start(path: str, seconds: float) -> subprocess.Popen[bytes]:
    keep = ("HOME", "LANG", "LC_ALL", "TMPDIR", "PATH")
    env = {name: os.environ[name] for name in keep if name in os.environ}
    prefix = f"pycache_prefix={sys.pycache_prefix or paths.base_dir() + '/pycache'}"
    where = os.fsencode(path).decode("utf-8", "replace")
    return subprocess.Popen(
        [sys.executable, "-I", "-X", prefix, "-c", _CODE, _SOURCES, where, f"{seconds:.3f}"],
        # every process that we start carries the mark, so that nothing observes it
        env={**env, paths.CHILD: "1"},
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,
    )


def _talk(
    process: subprocess.Popen[bytes],
    watched: selectors.BaseSelector,
    source: bytes,
    said: bytearray,
    deadline: float,
) -> None:
    """Feeds the child and reads it, until it closes its output or `deadline` passes."""
    assert process.stdin is not None
    assert process.stdout is not None
    rest = memoryview(source)
    os.set_blocking(process.stdin.fileno(), False)
    watched.register(process.stdin, selectors.EVENT_WRITE)
    watched.register(process.stdout, selectors.EVENT_READ)
    while len(said) <= _MOST_ANSWERED and (left := deadline - time.monotonic()) > 0:
        for key, _ in watched.select(left):
            if key.fileobj is process.stdout:
                piece = os.read(key.fd, _CHUNK)
                if not piece:
                    return
                said += piece
                continue
            try:
                rest = rest[os.write(key.fd, rest[:_CHUNK]) :] if rest else rest
            except BlockingIOError:
                continue
            except BrokenPipeError:
                rest = rest[:0]
            if not rest:
                watched.unregister(process.stdin)
                process.stdin.close()


def outline_from(answer: bytes) -> Outline:
    """The outline of a whole answer. Raises ValueError for less.

    Each line is parsed for itself: one large document would hold the interpreter's lock.
    """
    head, *parts = answer.split(b"\n")
    about: dict[str, Any] = json.loads(head)
    # looking for garbage among so many new objects would hold the lock, too
    collects = gc.isenabled()
    gc.disable()
    try:
        symbols = tuple(Symbol(*one) for part in parts if part for one in json.loads(part))
    finally:
        if collects:
            gc.enable()
    if len(symbols) != about["count"]:
        raise ValueError("cut short")
    return Outline(
        about["language"],
        symbols,
        tuple(Import(tuple(names), first, last) for names, first, last in about["imports"]),
        tuple(Problem(first, last) for first, last in about["problems"]),
        about["lines"],
        about["how"],
    )


def _shape(text: str, path: str, seconds: float) -> Outline:
    """The plain shape of a text that could not be outlined in time."""
    start = text[:_PLAIN]
    if len(text) > _PLAIN:
        start = start[: start.rfind("\n") + 1] or start
    known = languages.detect(path, text[:_HEAD])
    name = known.name if known else generic.grammar_of(path, text[:_HEAD])
    said, sections = plain.plain_outline(start, path, time.monotonic() + max(seconds, 0.2))
    lines = text.count("\n") + (text != "" and not text.endswith("\n"))
    return Outline(name or said, sections, (), (), lines, "cut")
