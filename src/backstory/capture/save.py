"""What a person or Claude asks to remember, word for word."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from backstory.capture.claims import queries_of
from backstory.capture.writing import hash_text
from backstory.errors import BadInput
from backstory.estimate import estimate_tokens
from backstory.records import OBSERVATION_TYPES
from backstory.sanitize.door import clean_text, clean_title
from backstory.sanitize.private import MARK
from backstory.storage import sql, sqlite, text_index

CONTENT_LIMIT = 4_000  # characters
_SQL = sql.load("distill")


@dataclass(frozen=True, slots=True)
class Saved:
    """The record's id, and whether it is new: the same words are stored once a project."""

    id: int
    new: bool
    redacted: bool


def save(
    db: sqlite3.Connection,
    project: int,
    content: str,
    *,
    title: str = "",
    type: str = "discovery",  # noqa: A002  the column's name
    files: Sequence[str] = (),
    queries: Sequence[str] = (),
) -> Saved:
    """Stores a memory. Raises BadInput for empty or too long content and unknown types.

    queries: prompts to which it will matter, in other words than its own.
    """
    if not content.strip():
        raise BadInput("there is nothing to save: content is empty")
    if len(content) > CONTENT_LIMIT:
        raise BadInput(
            f"content has {len(content)} characters; at most {CONTENT_LIMIT} are stored",
            hint="save the essence, or several memories",
        )
    if type not in OBSERVATION_TYPES:
        raise BadInput(f"there is no type {type!r}", hint=f"types: {', '.join(OBSERVATION_TYPES)}")
    text = clean_text(content)
    if not text.replace(MARK, "").strip():
        raise BadInput("there is nothing to save: all of the content is private")
    paths = list(dict.fromkeys(clean_text(path, 1000) for path in files))
    heading = clean_title(clean_text(title or text.strip().splitlines()[0] if text.strip() else ""))
    heading = heading or "Saved memory"
    content_hash = hash_text("saved", fold(text))
    tokens = estimate_tokens(f"{heading}\n{text}\n{' '.join(paths)}") + 20
    values = {
        "project": project,
        "session": None,
        "prompt": None,
        "type": type,
        "title": heading,
        "narrative": text,
        "facts": "[]",
        "concepts": "[]",
        "symbols": "[]",
        "evidence": "stated",
        "importance": 3,
        "tainted": 0,
        "agent_type": "",
        "branch": "",
        "commit_id": "",
        "distilled_by": "user",
        "content_hash": content_hash,
        "tokens": tokens,
        "created_at": sqlite.now_ms(),
    }
    with sqlite.transaction(db):
        row = db.execute(_SQL["add_observation"], values).fetchone()
        if row is None:
            row = db.execute(_SQL["observation_by_hash"], (project, content_hash)).fetchone()
            return Saved(int(row[0]), False, False)
        record = int(row[0])
        for path in paths:
            db.execute(_SQL["add_file"], (record, path, "read"))
        for query in queries_of(queries):
            db.execute(_SQL["add_query"], (record, query))
        text_index.put(
            db,
            "observation",
            record,
            project=project,
            type=type,
            title=heading,
            body=text,
            files=tuple(paths),
        )
    return Saved(record, True, is_shortened(content, text))


def is_shortened(content: str, text: str) -> bool:
    """Whether a secret or a private part was taken out."""
    return any(mark in text and mark not in content for mark in ("[redacted:", MARK))


def fold(text: str) -> str:
    """Text without what does not change its meaning: case, spacing, Unicode's spelling variants."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
