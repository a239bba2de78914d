"""What is read of a file after its outline was given in place of a Read: that is what counts."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from typing import Any

from backstory.capture.rules.printed import printed
from backstory.estimate import estimate_tokens
from backstory.recall import gate
from backstory.storage import gates

_LOOKED_AT = 200_000  # characters; the host gives no more than 25,000 tokens


def count(
    db: sqlite3.Connection, session: str, agent: str, cwd: str, call: Mapping[str, Any], output: Any
) -> None:
    """Adds a call that went well to the answers of its session and agent that it came after."""
    if call.get("tool_name") not in ("Read", "Bash") or not gates.has_any(db, session):
        return
    given, got = call.get("tool_input"), output
    if not isinstance(given, Mapping) or not isinstance(got, Mapping):
        return
    if call["tool_name"] == "Read":
        file = got.get("file")
        text = file.get("content") if isinstance(file, Mapping) else None
        paths = [str(given.get("file_path", ""))]
    else:
        text = got.get("stdout")
        paths = printed(str(given.get("command", "")), cwd)
    if not isinstance(text, str) or not text:
        return
    tokens = estimate_tokens(text[:_LOOKED_AT])
    if call["tool_name"] == "Read":
        first = given.get("offset")
        tokens = gate.numbered(
            tokens, text.count("\n") + 1, first if isinstance(first, int) and first > 0 else 1
        )
    tokens = min(tokens, gate.DELIVERED_MOST)
    for path in paths:
        if gates.read_later(db, (session, agent, os.path.realpath(path)), tokens):
            return
