"""What the host's transcript of a session tells."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

USAGE_BYTES = 65_536  # of the end, where the newest usage stands
CALLS_BYTES = 262_144  # of the end, where the calls of the newest answer stand
WRITTEN_S = 0.11  # within which the host writes a call down; measured: 20 to 80 ms
LOOK_S = 0.01
_WRITES = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})


def context_tokens(transcript: str) -> int:
    """The tokens of a session's context, as its transcript last told them; 0 where it does not."""
    tail = _end_of(transcript, USAGE_BYTES)
    at = tail.rfind(b'"usage":{')
    if at < 0:
        return 0
    return sum(
        _number_after(tail, at, name)
        for name in (b"input_tokens", b"cache_read_input_tokens", b"cache_creation_input_tokens")
    )


def is_written_next(transcript: str, agent: str, call: str, path: str) -> bool:
    """Whether an answer writes a file, one of the newest or that whose calls are being made.

    transcript: the session's; a subagent has its own beside it. call: the id of the call that is
    being made, which the host writes down a moment after it tells its hooks. path: a real path.
    """
    if agent and "/" not in agent:
        transcript = f"{transcript.removesuffix('.jsonl')}/subagents/agent-{agent}.jsonl"
    tail = _end_of(transcript, CALLS_BYTES)
    until = time.monotonic() + WRITTEN_S
    while tail and call.encode() not in tail and time.monotonic() < until:
        time.sleep(LOOK_S)
        tail = _end_of(transcript, CALLS_BYTES)
    for line in reversed(tail.splitlines()):
        if b'"tool_use"' not in line:
            continue
        try:
            blocks = json.loads(line)["message"]["content"]
            if any(_writes(block, path) for block in blocks):
                return True
        except (ValueError, KeyError, TypeError):
            continue
    return False


def _writes(block: object, path: str) -> bool:
    if not isinstance(block, dict) or block.get("name") not in _WRITES:
        return False
    given = block.get("input")
    named = given.get("file_path") or given.get("notebook_path") if isinstance(given, dict) else ""
    return isinstance(named, str) and bool(named) and os.path.realpath(named) == path


def _end_of(transcript: str, size: int) -> bytes:
    """The last bytes of a file; none where it cannot be read."""
    try:
        with Path(transcript).open("rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - size, 0))
            return file.read(size)
    except (OSError, ValueError):
        return b""


def _number_after(data: bytes, at: int, name: bytes) -> int:
    mark = b'"' + name + b'":'
    found = data.find(mark, at, at + 2_000)
    if found < 0:
        return 0
    digits = data[found + len(mark) : found + len(mark) + 12].strip().split(b",")[0].strip(b"} ")
    return int(digits) if digits.isdigit() else 0
