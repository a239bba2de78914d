"""Writing what was distilled: observations with their files, links and index entries, summaries."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import asdict

from backstory.capture.turns import Place
from backstory.estimate import estimate_tokens
from backstory.records import Distilled, Observation, Summary
from backstory.storage import sql, text_index

_SQL = sql.load("distill")


def store(db: sqlite3.Connection, place: Place, distilled: Distilled, by: str) -> int:
    """Makes a turn's records what the rules say (same key, same id); the rows written.

    What a model or the user made of them stays. Where a turn went on since, what is new in a record
    that a model took over becomes a record of its own.
    """
    rows = db.execute(_SQL["turn_rows"], (place.prompt,)).fetchall()
    known = {row[1]: int(row[0]) for row in rows if row[2]}
    taken = {row[1] for row in rows if not row[2]}
    kept: set[int] = set()
    for draft in distilled.observations:
        content_hash = hash_text(place.session_id, str(place.prompt), draft.key)
        if content_hash in taken:
            seen = unseen_since(db, place, draft)
            if seen is None:
                continue
            key = f"{draft.key}:{seen}"
            content_hash = hash_text(place.session_id, str(place.prompt), key)
        record = known.get(content_hash)
        kept.add(put_observation(db, place, draft, by, content_hash, record))
    for record in set(known.values()) - kept:
        db.execute(_SQL["drop_observation"], (record,))
        text_index.drop(db, "observation", record)
    row = db.execute(_SQL["summary_of"], (place.prompt,)).fetchone()
    if row is None or row[1]:
        put_summary(db, place, distilled, by)
    return len(kept)


def unseen_since(db: sqlite3.Connection, place: Place, draft: Observation) -> int | None:
    """How far a model came with the turn, if the record rests on something behind that."""
    for tool_use_id in draft.tool_use_ids:
        asked = {"prompt": place.prompt, "tool_use_id": tool_use_id}
        row = db.execute(_SQL["newest_seen"], asked).fetchone()
        if row:
            return int(row[0])
    return None


def put_observation(
    db: sqlite3.Connection,
    place: Place,
    draft: Observation,
    by: str,
    content_hash: str,
    record: int | None,
) -> int:
    """Writes one observation with its files, links and index entry; returns its id.

    record: the row that it replaces, which keeps its hash.
    """
    values = {
        "project": place.project,
        "session": place.session,
        "prompt": place.prompt,
        "type": draft.type,
        "title": draft.title,
        "narrative": draft.narrative,
        "facts": json.dumps(draft.facts, ensure_ascii=False),
        "concepts": json.dumps(draft.concepts, ensure_ascii=False),
        "symbols": json.dumps(draft.symbols, ensure_ascii=False),
        "evidence": draft.evidence,
        "importance": draft.importance,
        "tainted": int(draft.tainted),
        "agent_type": draft.agent_type,
        "branch": place.branch,
        "commit_id": place.commit_id,
        "distilled_by": by,
        "content_hash": content_hash,
        "tokens": observation_tokens(draft),
        "created_at": draft.at or place.at,
    }
    if record is None:
        row = db.execute(_SQL["add_observation"], values).fetchone()
        if row is None:
            return int(
                db.execute(_SQL["observation_by_hash"], (place.project, content_hash)).fetchone()[0]
            )
        record = int(row[0])
    else:
        db.execute(_SQL["replace_observation"], {**values, "id": record})
        for statement in ("drop_files", "drop_links", "drop_queries"):
            db.execute(_SQL[statement], (record,))
    for path in draft.files_read:
        db.execute(_SQL["add_file"], (record, path, "read"))
    for path in draft.files_modified:
        db.execute(_SQL["add_file"], (record, path, "modified"))
    for tool_use_id in draft.tool_use_ids:
        db.execute(_SQL["add_link"], (record, place.session, tool_use_id))
    for query in draft.queries:
        db.execute(_SQL["add_query"], (record, query))
    text_index.put(
        db,
        "observation",
        record,
        project=place.project,
        type=draft.type,
        title=draft.title,
        body="\n".join((draft.narrative, *draft.facts, *draft.symbols)),
        files=draft.files_modified + draft.files_read,
    )
    return record


def put_summary(
    db: sqlite3.Connection,
    place: Place,
    distilled: Distilled,
    by: str,
    *,
    tainted: bool = False,
) -> None:
    """Writes the turn's summary, or removes the one that no longer holds.

    tainted: it may rest on text of others, whatever the rows rest on.
    """
    summary = distilled.summary
    if summary is None:
        row = db.execute(_SQL["summary_of"], (place.prompt,)).fetchone()
        if row:
            db.execute(_SQL["drop_summary"], row[:1])
            text_index.drop(db, "summary", int(row[0]))
        return
    values = {
        **asdict(summary),
        "project": place.project,
        "session": place.session,
        "prompt": place.prompt,
        "tainted": int(tainted or any(draft.tainted for draft in distilled.observations)),
        "distilled_by": by,
        "tokens": estimate_tokens(summary_text(summary)),
        "created_at": place.at,
    }
    record = int(db.execute(_SQL["put_summary"], values).fetchone()[0])
    text_index.put(
        db,
        "summary",
        record,
        project=place.project,
        title=summary.request,
        body=summary_text(summary),
    )


def summary_text(summary: Summary) -> str:
    """All that a summary says, a line a field."""
    return "\n".join(text for text in asdict(summary).values() if text)


def observation_tokens(draft: Observation) -> int:
    """What the full record costs to read."""
    files = " ".join(draft.files_modified + draft.files_read)
    text = "\n".join((draft.title, draft.narrative, *draft.facts, files))
    return estimate_tokens(text) + 20


def hash_text(*parts: str) -> str:
    """The identity of a record's content or origin."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
