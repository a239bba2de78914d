"""What leads to a record besides its own words: the prompt it came of, and those it waits for.

A prompt tells a symptom or a wish, a record what came of it; a later prompt is more like the first.
So a turn's prompt lends its nearness to the turn's records, and a record may hold prompts to which
it would matter, as the model that wrote it expects them (document expansion by query prediction:
Nogueira et al., 2019).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from backstory.storage import sql
from backstory.storage.text_index import KINDS, record_of, rowid
from backstory.storage.tokens import index_text

REPEATED = 0.8  # cosine of two prompts that are the same chore
CHORE = 3  # so many of them: what is asked for again and again leads nowhere

_QUERIES = sql.load("prompt_recall")
_SMALL = sql.load("cues")
_PROMPT = KINDS.index("prompt")


def lent(db: sqlite3.Connection, project: int, near: Mapping[int, float]) -> dict[int, float]:
    """row: cosine of records whose turn began with a prompt that is near."""
    prompts = {record_of(row)[1]: at for row, at in near.items() if row & 3 == _PROMPT}
    if sum(at >= REPEATED for at in prompts.values()) >= CHORE:
        return {}
    asked = {"prompts": json.dumps(list(prompts)), "project": project}
    made = db.execute(_QUERIES["made of"], asked)
    return {rowid("observation", record): prompts[prompt] for record, prompt in made}


def queries_of(db: sqlite3.Connection, records: Iterable[int]) -> dict[int, str]:
    """row: the prompts that a record waits for, one text."""
    found = db.execute(_QUERIES["queries"], (json.dumps(list(records)),))
    return {rowid("observation", record): text for record, text in found}


def holding(texts: Mapping[int, str], matches: Sequence[str]) -> list[list[int]]:
    """For each expression the keys of the texts that hold it, read as the full-text index reads."""
    if not texts:
        return [[] for _ in matches]
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        db.execute(_SMALL["schema"])
        rows = [(row, index_text(text)) for row, text in texts.items()]
        db.executemany(_SMALL["put"], rows)
        return [[row for (row,) in db.execute(_SMALL["holding"], (match,))] for match in matches]
    finally:
        db.close()
