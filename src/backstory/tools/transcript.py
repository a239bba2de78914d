"""What the host's transcript of a session tells."""

from __future__ import annotations

import os
from pathlib import Path

USAGE_BYTES = 65_536  # of the end, where the newest usage stands


def context_tokens(transcript: str) -> int:
    """The tokens of a session's context, as its transcript last told them; 0 where it does not."""
    try:
        with Path(transcript).open("rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - USAGE_BYTES, 0))
            tail = file.read(USAGE_BYTES)
    except (OSError, ValueError):
        return 0
    at = tail.rfind(b'"usage":{')
    if at < 0:
        return 0
    return sum(
        _number_after(tail, at, name)
        for name in (b"input_tokens", b"cache_read_input_tokens", b"cache_creation_input_tokens")
    )


def _number_after(data: bytes, at: int, name: bytes) -> int:
    mark = b'"' + name + b'":'
    found = data.find(mark, at, at + 2_000)
    if found < 0:
        return 0
    digits = data[found + len(mark) : found + len(mark) + 12].strip().split(b",")[0].strip(b"} ")
    return int(digits) if digits.isdigit() else 0
