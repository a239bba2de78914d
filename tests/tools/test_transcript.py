"""The size of a session's context, from the host's transcript."""

from __future__ import annotations

import json
from pathlib import Path

from backstory.tools.transcript import context_tokens


def line(**usage: int) -> str:
    """An answer of the model, as the host writes it."""
    message = {"role": "assistant", "usage": {**usage, "output_tokens": 9}}
    return json.dumps({"type": "assistant", "message": message}, separators=(",", ":")) + "\n"


def test_the_newest_usage_counts_with_what_was_cached(tmp_path: Path) -> None:
    """What was read from the cache and written to it is context, too."""
    path = tmp_path / "t.jsonl"
    last = line(input_tokens=7, cache_creation_input_tokens=900, cache_read_input_tokens=60_000)
    path.write_text(line(input_tokens=5) + "x" * 100_000 + "\n" + last + '{"type":"user"}\n')
    assert context_tokens(str(path)) == 60_907


def test_what_tells_nothing_is_nought(tmp_path: Path) -> None:
    """No file, an empty one, one that never answered, odd numbers."""
    path = tmp_path / "t.jsonl"
    assert context_tokens(str(path)) == 0
    assert context_tokens("") == 0
    assert context_tokens("/a\0b") == 0
    for text in ("", '{"type":"user"}\n', '{"usage":{"input_tokens":"many"}}', '{"usage":{'):
        path.write_text(text)
        assert context_tokens(str(path)) == 0
