"""Rows of everyday turns, as a good model writes them, come through whole.

The checks are there for what is made up and for what speaks in another's name. A good row that one
of them damages costs more than a bad one that passes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backstory.capture.batch import Known, Stretch
from backstory.capture.rules.assemble import distill
from backstory.records import ToolUse
from tests.support.answers import ROOT, bash, edit, made, read, row, turn, use

TURNS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "everyday.json").read_text(encoding="utf-8")
)


def reading(number: int, path: str, content: str) -> ToolUse:
    """A file that is read."""
    full = f"{ROOT}/{path}"
    shown = {"type": "text", "file": {"filePath": full, "content": content}}
    return use(number, "Read", {"file_path": full}, shown)


def writing(number: int, path: str, content: str) -> ToolUse:
    """A file that is new."""
    given = {"file_path": f"{ROOT}/{path}", "content": content}
    made_of = {"type": "create", "filePath": f"{ROOT}/{path}", "content": content}
    return use(number, "Write", given, made_of)


def failing(number: int, command: str, printed: str) -> ToolUse:
    """A command that fails."""
    return bash(number, command, printed, "failed")


def finding(number: int, pattern: str, lines: str) -> ToolUse:
    """A search."""
    given = {"pattern": pattern, "output_mode": "content"}
    return use(number, "Grep", given, {"mode": "content", "content": lines, "filenames": []})


def asking(number: int, question: str, chosen: str) -> ToolUse:
    """A question with options, and what the user chose."""
    asked = [{"question": question, "options": [{"label": chosen}]}]
    told = {"questions": [{"question": question}], "answers": {question: chosen}}
    return use(number, "AskUserQuestion", {"questions": asked}, told)


DID: dict[str, Callable[..., ToolUse]] = {
    "read": reading,
    "write": writing,
    "edit": edit,
    "run": bash,
    "fail": failing,
    "grep": finding,
    "ask": asking,
}


@pytest.mark.parametrize("day", TURNS, ids=[day["name"] for day in TURNS])
def test_a_good_row_of_an_everyday_turn_stays_as_it_is(day: dict[str, Any]) -> None:
    """Title, type, story and names are the model's; what was checked is verified."""
    uses = [DID[kind](at, *told) for at, (kind, *told) in enumerate(day["did"], 1)]
    happened = turn(*uses, prompt=day["prompt"], last=day["said"])
    drafts = tuple(
        Known(100 + at, one.type, one.title, one.files_modified + one.files_read, one.evidence)
        for at, one in enumerate(distill(happened).observations)
    )
    blank = {"narrative": "", "facts": [], "files": [], "symbols": [], "concepts": []}
    given = [
        row(**{**blank, **one, "sources": [f"t1e{at}" for at in one["sources"]]})
        for one in ({k: v for k, v in one.items() if k != "verified"} for one in day["rows"])
    ]
    found = read(*given, on=made(Stretch(happened, drafts), candidates=()))
    kept = [one.observation for one in found.written]
    assert [
        (one.title, one.type, one.narrative.replace(" ", ""), list(one.symbols), one.tainted)
        for one in kept
    ] == [
        (one["title"], one["type"], one["narrative"].replace(" ", ""), one["symbols"], False)
        for one in given
    ]
    assert all(
        one.evidence == "verified"
        for one, told in zip(kept, day["rows"], strict=True)
        if told.get("verified")
    )
    assert (found.dropped, found.marked) == (0, 0)
