"""Raw tool calls as text: one page of what may be many, and what was cut from it, and when."""

from __future__ import annotations

import json
import re
from typing import Any

from backstory.estimate import estimate_tokens
from backstory.recall.context import EVIDENCE
from backstory.recall.render import PAGE, finished, harmless, not_given, one_line, when
from backstory.recall.tool_uses import RawToolUse, RawToolUses

_COUNTED = 100_000  # characters that are counted word by word; longer texts by the page's measure
# What is left in the place of text that was not stored.
_CUT = re.compile(r"\[… (\d+) (?:characters|elements|keys) cut …\]|\[… nested too deeply")
_BLOB = re.compile(r"\[[\w.+-]+(?:/[\w.+-]+)?, \d+ bytes\]")
_MASKED = re.compile(r"\[redacted:\w+\]")


def tool_uses_text(result: RawToolUses, offset: int = 0) -> str:
    """The answer of `get_tool_uses`: one page of it, from a character on."""
    whole = "\n\n".join(map(_tool_use_text, result.tool_uses))
    notes = not_given(result.missing, result.foreign, result.left_out)
    page = whole[offset : offset + PAGE - sum(map(len, notes))]
    end = offset + len(page)
    parts = []
    how = "another search when this does not answer."
    if page:
        parts += [EVIDENCE, page]
    elif whole:
        parts.append(f"offset {offset} is past the end: there are {len(whole):,} characters.")
        how = "offset 0 is the beginning."
    if page and len(page) < len(whole):
        rest = f"; offset {end} gives the next" if end < len(whole) else "; that is the end"
        parts.append(f"Cut: characters {offset:,} to {end:,} of {len(whole):,}{rest}.")
        if end < len(whole):
            how = f"the same ids with offset {end}."
    return finished("\n\n".join([*parts, *notes]), _tokens(whole, page), how)


def _tokens(whole: str, page: str) -> int:
    if len(whole) <= _COUNTED or not page:
        return estimate_tokens(whole[:_COUNTED])
    return estimate_tokens(page) * len(whole) // len(page)


def _tool_use_text(use: RawToolUse) -> str:
    duration = "" if use.duration_ms is None else f" · {use.duration_ms} ms"
    agent = f" · by the subagent {use.agent_type}" if use.agent_type else ""
    about = f"{use.status} · {when(use.at)} UTC{duration}{agent} · {use.tool_use_id}"
    lines = [one_line(f"#{use.id} {use.name} · {about}", 400, 400)]
    if use.kept:
        input_, output = _plain(use.input), _plain(use.output)
        lines += [*_left_out(input_ + "\n" + output), "Input:", input_, "Output:", output]
    else:
        lines.append("The raw input and output are no longer kept.")
    return harmless("\n".join(lines))


def _left_out(text: str) -> list[str]:
    """What was never stored of a call, by the marks that were left in its place."""
    parts = []
    if cut := list(_CUT.finditer(text)):
        count = sum(int(mark[1] or 0) for mark in cut if "characters" in mark[0])
        size = f" ({count:,} characters)" if count else ""
        parts.append(f"{len(cut)} cut{size}")
    if blobs := len(_BLOB.findall(text)):
        parts.append(f"{blobs} binary")
    if masked := len(_MASKED.findall(text)):
        parts.append(f"{masked} masked as secret")
    return [f"Not stored, marked in […]: {', '.join(parts)}."] if parts else []


def _plain(value: Any) -> str:
    """A value as a person would write it: text as it is, fields on lines of their own."""
    if value is None:
        return "(none)"
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(
            f"{key}: {item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)}"
            for key, item in value.items()
        )
    return json.dumps(value, ensure_ascii=False)
