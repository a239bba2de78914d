"""The words of the gate on Reads: in place of a Read, or beside it."""

from __future__ import annotations

import json
from dataclasses import replace

from backstory.codenav import names
from backstory.codenav.looking import Looked
from backstory.codenav.render_outline import File, outline_text
from backstory.codenav.rows import printable
from backstory.codenav.wording import TOOLS
from backstory.estimate import estimate_tokens
from backstory.recall import gate
from backstory.recall.read_notes import Notes

LOSING = (
    "It passes although it is large: in this project, outlines in place of whole Reads have lately "
    "cost more than they spared (`backstory stats`)."
)
_NOTES_SHARE = 0.3  # of the answer
_BESIDE_TOKENS = 220
_LEAST_OUTLINE = 120
# The reader called Read, which has no such arguments.
_WORDING = replace(TOOLS, inside='smart_outline symbol="{name}"', budget="smart_outline max_tokens")


def instead(looked: Looked, notes: Notes, budget: int, file: gate.File, path: str) -> str:
    """The answer in place of a whole Read, within `budget` tokens.

    It reads on after "PreToolUse:Read hook error: ", which the newest host puts before it.
    path: by which the tools find the file; "" where none can be printed.
    """
    again = _again(file)
    first = (
        "not a fault: this file is large, so its outline comes first (Backstory). "
        f"The same Read again gives {again}."
    )
    onward = _onward(looked, again, path)
    memory = notes.lines(int(budget * _NOTES_SHARE))
    around = "\n\n".join(filter(None, [first, "\n".join(memory), onward]))
    room = max(budget - estimate_tokens(around) - 8, _LEAST_OUTLINE)
    outline = outline_text([_file(looked)], max_tokens=room, wording=_WORDING)
    return "\n\n".join(filter(None, [first, outline, "\n".join(memory), onward]))


def beside(shown: str, notes: Notes, hinted: gate.File | None) -> str:
    """A word beside a Read that goes on; "" where there is nothing to say."""
    lines = notes.lines(_BESIDE_TOKENS)
    if hinted is not None:
        lines.append(
            f"This file has some {hinted.tokens:,} tokens: smart_outline shows its shape and "
            "smart_unfold single symbols at a fraction of that."
        )
    return "\n".join([f"Backstory on {printable(shown)}:", *lines]) if lines else ""


def _again(file: gate.File) -> str:
    """What the host's Read gives of the whole file."""
    if file.size > gate.WHOLE_BYTES:
        return "nothing, as the host reads no more than 256 KB at once: name offset and limit"
    if file.tokens > gate.DELIVERED_MOST:
        return f"its first {gate.DELIVERED_MOST:,} tokens"
    return "all of it"


def _onward(looked: Looked, again: str, path: str) -> str:
    """The next calls, the way that is always open first."""
    symbols = looked.outline.symbols
    named = names.addresses(symbols)
    longest = max(range(len(symbols)), key=lambda at: _lines_of_code(looked, at))
    calls = [
        "Next, whichever you need:",
        f"- {'everything' if again == 'all of it' else again}: the same Read again",
        "- some lines: Read with offset and limit (Edit needs no more)",
    ]
    if again.startswith("nothing"):
        del calls[1]
    name = json.dumps(named[longest], ensure_ascii=False)
    if path and name == printable(name):
        where = json.dumps(path, ensure_ascii=False)
        calls.append(f"- a symbol: smart_unfold(file_path={where}, symbol_name={name})")
    return "\n".join(calls)


def _lines_of_code(looked: Looked, at: int) -> int:
    """How well a symbol serves as the example: the longest function."""
    one = looked.outline.symbols[at]
    is_function = one.kind in ("function", "method", "constructor")
    return (one.end_line - one.start_line) if is_function else -1


def _file(looked: Looked) -> File:
    source = looked.source
    return File(source.shown, source.text, looked.outline, source.encoding, looked.tokens)
