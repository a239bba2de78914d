"""Finds what a row claims and its turn never showed: paths, hashes, numbers, names."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

from backstory.records import Distilled, Turn

_PATH = re.compile(
    r"(?:[\w@.-]+/)+[\w@.-]+|\b[\w-]+\.(?:py|ts|tsx|js|go|rs|rb|sql|yml|yaml|toml|json|md|sh)\b"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")


def source(turn: Turn) -> str:
    """Everything that the turn's events hold, as one text."""
    uses = [json.dumps([use.input, use.output], ensure_ascii=False) for use in turn.tool_uses]
    text = "\n".join([turn.prompt, turn.last_message, *uses, *turn.earlier_errors])
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")


def claims(distilled: Distilled) -> list[str]:
    """Every text of the rows and the summary."""
    texts: list[str] = []
    for row in distilled.observations:
        texts += [row.title, row.narrative, *row.facts, *row.files_read, *row.files_modified]
    if distilled.summary is not None:
        texts += [str(value) for value in asdict(distilled.summary).values()]
    return texts


def invented(turn: Turn, distilled: Distilled) -> set[str]:
    """Paths, hashes and numbers of the output that are nowhere in the events."""
    known = source(turn)
    found: set[str] = set()
    for text in claims(distilled):
        cut = text.endswith("…")
        for pattern in (_PATH, _HASH, _NUMBER):
            matches = [match.group().strip(".") for match in pattern.finditer(text)]
            if cut:
                matches = matches[:-1]  # the last one may be half a word
            found.update(token for token in matches if token not in known)
    for row in distilled.observations:
        found.update(
            s for s in row.symbols if s.rsplit(".", 1)[-1].rsplit(" > ", 1)[-1] not in known
        )
    return found
