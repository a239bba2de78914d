"""Keeping the full-text index true: one document a record, pre-tokenised.

A document that changed loses its vector in the same transaction and waits for a new one.
"""

from __future__ import annotations

import sqlite3
from typing import Literal

from backstory.storage import sql
from backstory.storage.tokens import index_text

Kind = Literal["observation", "summary", "prompt"]
KINDS: tuple[Kind, ...] = ("observation", "summary", "prompt")
_SQL = sql.load("distill")
_NO_DAMAGE = ("locked", "busy", "interrupted", "full", "readonly")  # an error says so itself


def rowid(kind: Kind, record: int) -> int:
    """The index's row of a record."""
    return record * 4 + KINDS.index(kind)


def record_of(row: int) -> tuple[Kind, int]:
    """(kind, id) of a row of the index."""
    return KINDS[row & 3], row >> 2


def scope_filter(projects: tuple[int, ...], kinds: tuple[str, ...], types: tuple[str, ...]) -> str:
    """The expression that keeps a search to these; "" when it is to everything."""
    sets = (
        [f'"p{project}"' for project in projects],
        [f'"k{kind}"' for kind in kinds],
        ['"t' + type_.replace("_", "") + '"' for type_ in types],
    )
    parts = [f"({' OR '.join(words)})" for words in sets if words]
    return f"scope : ({' AND '.join(parts)})" if parts else ""


def put(
    db: sqlite3.Connection,
    kind: Kind,
    record: int,
    *,
    project: int,
    type: str = "",  # noqa: A002  the column's name
    title: str = "",
    body: str = "",
    files: tuple[str, ...] = (),
    keep_vector: bool = False,
) -> None:
    """Writes a record's document, in place of an earlier one.

    keep_vector: it says what the earlier one said.
    """
    scope = f"p{project} k{kind}"
    if type:
        # a word of letters alone: the tokeniser would split security_alert
        scope += f" t{type.replace('_', '')}"
    row = rowid(kind, record)
    db.execute(_SQL["drop_text"], (row,))
    for statement in () if keep_vector else ("drop_vector", "await_vector"):
        db.execute(_SQL[statement], (row,))
    paths = index_text(" ".join(files)) if files else ""
    db.execute(_SQL["put_text"], (row, scope, index_text(title), index_text(body), paths))


def drop(db: sqlite3.Connection, kind: Kind, record: int) -> None:
    """Takes a record out of the index."""
    for statement in ("drop_text", "drop_vector", "await_no_vector"):
        db.execute(_SQL[statement], (rowid(kind, record),))


def is_readable(db: sqlite3.Connection) -> bool:
    """Whether every document can be found and ranked, as far as one who only reads can tell.

    Raises sqlite3.Error where that cannot be told now; so do the two below.
    """
    found, kept = _asked(db, "rank_all_texts"), _asked(db, "count_texts")
    return found is not None and found == kept


def finds_any(db: sqlite3.Connection) -> bool:
    """Whether the index finds anything at all, where it should: an answer without hits may be
    the silence of a damaged one. Takes no time."""
    return _asked(db, "any_text") == 1


def is_sound(db: sqlite3.Connection) -> bool:
    """Whether the index passes its own check, word by word, and holds what the records say.

    Only the writer may ask.
    """
    checked = _asked(db, "check_text") is not None
    return checked and is_readable(db) and _asked(db, "missing_texts") == 0


def _asked(db: sqlite3.Connection, statement: str) -> int | None:
    """The number that a question to the index comes to, 0 where to none; None where it fails."""
    try:
        row = db.execute(_SQL[statement]).fetchone()
    except sqlite3.DatabaseError as error:
        if any(words in str(error) for words in _NO_DAMAGE):
            raise
        return None
    return int(row[0]) if row else 0
