"""The full-text index made from the records: of those that came back, or all of it anew."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from functools import partial
from typing import Any

from backstory.storage import sql, sqlite, text_index

_SQL = sql.load("reindex")
_AT_ONCE = 200  # records


def rebuild(db: sqlite3.Connection) -> int:
    """How many records the new index holds. Their vectors stay. Raises sqlite3.Error."""
    with sqlite.transaction(db):
        _start_over(db)
        count = 0
        for stored in _portions(db):
            put_back(db, stored, keep_vectors=True)
            count += sum(len(stored[name]) for name in ("observations", "summaries", "prompts"))
    return count


def put_back(
    db: sqlite3.Connection, stored: dict[str, list[dict[str, Any]]], *, keep_vectors: bool = False
) -> None:
    """Puts records that are there again into the full-text index.

    keep_vectors: their text is what it was.
    """
    put = partial(text_index.put, db, keep_vector=keep_vectors)
    for o in stored["observations"]:
        paths = [f["path"] for f in stored["observation_files"] if f["observation"] == o["id"]]
        body = "\n".join((o["narrative"], *_texts(o["facts"]), *_texts(o["symbols"])))
        put(
            "observation",
            o["id"],
            project=o["project"],
            type=o["type"],
            title=o["title"],
            body=body,
            files=tuple(paths),
        )
    for s in stored["summaries"]:
        names = ("request", "investigated", "learned", "completed", "next_steps")
        body = "\n".join(s[name] for name in names if s[name])
        put("summary", s["id"], project=s["project"], title=s["request"], body=body)
    for p in stored["prompts"]:
        put("prompt", p["id"], project=p["project"], body=p["text"])


def _start_over(db: sqlite3.Connection) -> None:
    """Puts an empty index in place of what there is, which may be beyond opening."""
    db.execute("PRAGMA writable_schema = ON")
    try:
        db.execute(_SQL["forget index"])
        for part in ("data", "idx", "content", "docsize", "config"):
            db.execute(_SQL["drop part"].replace("{part}", part))
    finally:
        db.execute("PRAGMA writable_schema = RESET")
    db.execute(_SQL["create index"])


def _texts(stored: str) -> list[str]:
    """A JSON list of texts; [] of what is none, which must not keep the others from being found."""
    try:
        found = json.loads(stored)
    except ValueError:
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _portions(db: sqlite3.Connection) -> Iterator[dict[str, list[dict[str, Any]]]]:
    for table in ("observations", "summaries", "prompts"):
        after = 0
        while rows := _rows(db, table, {"after": after, "limit": _AT_ONCE}):
            after = rows[-1]["id"]
            found: dict[str, list[dict[str, Any]]] = {
                "observations": [],
                "observation_files": [],
                "summaries": [],
                "prompts": [],
                table: rows,
            }
            if table == "observations":
                ids = json.dumps([row["id"] for row in rows])
                found["observation_files"] = _rows(db, "files", {"ids": ids})
            yield found


def _rows(db: sqlite3.Connection, query: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    cursor = db.execute(_SQL[query], values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]
