"""Forgetting: what goes, a day in which it can come back, and then no trace of its text.

A record takes along what it rests on: its tool calls with their raw input and output, and the
other records that tell the same. Otherwise the text would go on in another table.
"""

from __future__ import annotations

import base64
import json
import re
import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from backstory.errors import NotFound
from backstory.storage import reindex, sql, sqlite, text_index

UNDO_MS = 24 * 3_600_000
SAME = 16  # characters: a line shorter than this does not show that two records tell the same
_SQL = sql.load("forget")

# In the order in which they go back: what others refer to comes first.
TABLES = (
    "prompts",
    "tool_uses",
    "tool_io",
    "agents",
    "compactions",
    "observations",
    "observation_files",
    "observation_queries",
    "observation_tool_uses",
    "summaries",
    "work_states",
)

BESIDE = ("agents", "compactions", "work_states")  # of a turn, beside its records and calls

# The columns by which a row refers to another that may be forgotten too.
PARENTS = {"prompt": "prompts", "tool_use": "tool_uses", "observation": "observations"}
# What makes a row the same thing as one that was recorded again.
IDENTITY = {
    "prompts": ("session", "prompt_id"),
    "tool_uses": ("session", "tool_use_id"),
    "agents": ("session", "agent_id"),
    "compactions": ("session", "created_at"),
    "observations": ("project", "content_hash"),
    "summaries": ("prompt",),
}


@dataclass(slots=True)
class Doomed:
    """The ids that are to go, by table."""

    prompts: set[int] = field(default_factory=set)
    tool_uses: set[int] = field(default_factory=set)
    observations: set[int] = field(default_factory=set)
    summaries: set[int] = field(default_factory=set)
    agents: set[int] = field(default_factory=set)
    compactions: set[int] = field(default_factory=set)
    work_states: set[int] = field(default_factory=set)

    def counts(self) -> dict[str, int]:
        """How many rows of each table."""
        return {f.name: len(getattr(self, f.name)) for f in fields(self) if getattr(self, f.name)}

    def label(self) -> str:
        """The counts in words, without any text of the records."""
        counts = self.counts()
        return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items()) or "nothing"


def add_turn(db: sqlite3.Connection, doomed: Doomed, prompt: int) -> None:
    """A whole turn, with what was written down meanwhile of the work in progress."""
    doomed.prompts.add(prompt)
    for table in (*("tool_uses", "observations", "summaries"), *BESIDE):
        query = _SQL[f"{table.replace('_', ' ')} of turn"]
        getattr(doomed, table).update(row[0] for row in db.execute(query, (prompt,)))


def add_observation(db: sqlite3.Connection, doomed: Doomed, record: int) -> None:
    """One observation, with what it rests on and what else tells the same.

    What was merged into it, or it into, goes along, and what a model made of the same tool calls. A
    turn whose prompt or closing message tells the same goes whole, and one of which a model wrote
    the record without naming any tool call. Raises NotFound.
    """
    row = db.execute(_SQL["turn of observation"], (record,)).fetchone()
    if row is None:
        raise NotFound(f"there is no record {record}")
    group = {record}
    lines: set[str] = set()
    if row[0] is not None:
        texts = dict(db.execute(_SQL["texts of turn"], (row[0],)).fetchall())
        group = kin(db, group)
        lines = {line for one in group for line in told(texts[one])}
        group = kin(db, group | {one for one, text in texts.items() if lines & told(text)})
    uses = uses_of(db, group)
    is_modelled = any(db.execute(_SQL["is of a model"], (one,)).fetchone() for one in group)
    doomed.tool_uses.update(uses)
    doomed.observations.update(group | kin(db, beside(db, uses, is_modelled)))
    if row[0] is None:
        return
    prompt = int(row[0])
    for state, found in db.execute(_SQL["work states around"], (prompt,)).fetchall():
        if any(line in fold(found) for line in lines):
            doomed.work_states.add(state)
    doomed.summaries.update(r[0] for r in db.execute(_SQL["summaries of turn"], (prompt,)))
    said = db.execute("SELECT text || ' ' || last_message FROM prompts WHERE id = ?", (prompt,))
    folded = fold(said.fetchone()[0])
    if any(line in folded for line in lines) or (is_modelled and not uses):
        add_turn(db, doomed, prompt)


def kin(db: sqlite3.Connection, records: Iterable[int]) -> set[int]:
    """Records with all that became one with them in their own turn.

    What a record superseded in other turns is no part of it, and holds again without it.
    """
    return {one for record in records for (one,) in db.execute(_SQL["kin"], (record,))}


def uses_of(db: sqlite3.Connection, records: Iterable[int]) -> set[int]:
    """The tool calls on which records rest."""
    query = _SQL["tool uses of observation"]
    return {use for record in records for (use,) in db.execute(query, (record,))}


def beside(db: sqlite3.Connection, uses: set[int], is_modelled: bool) -> set[int]:
    """What tells the same in words of its own: a model's records on the same tool calls.

    Rules quote, so that their records can be compared; not so with a model's (is_modelled): then
    those of rules go, too, that rest on nothing else.
    """
    found: set[int] = set()
    for use in uses:
        for record, of_model in db.execute(_SQL["distilled from tool use"], (use,)).fetchall():
            if of_model or (is_modelled and uses_of(db, (record,)) <= uses):
                found.add(record)
    return found


def add_tool_use(db: sqlite3.Connection, doomed: Doomed, use: int) -> None:
    """One tool call, and the observations that rest on it."""
    doomed.tool_uses.add(use)
    for (record,) in db.execute(_SQL["observations on tool use"], (use,)).fetchall():
        if record not in doomed.observations:
            add_observation(db, doomed, record)


def add_matching(db: sqlite3.Connection, doomed: Doomed, project: int, text: str) -> None:
    """Everything of a project in which the words of a text stand together, raw tool I/O too."""
    words = fold(text)
    for record, found in db.execute(_SQL["observation texts"], (project,)).fetchall():
        if words in fold(found):
            add_observation(db, doomed, record)
    for record, found in db.execute(_SQL["summary texts"], (project,)).fetchall():
        if words in fold(found):
            doomed.summaries.add(record)
    for state, found in db.execute(_SQL["work state texts"], (project,)).fetchall():
        if words in fold(found):
            doomed.work_states.add(state)
    for name in ("prompt texts", "agent texts", "compaction texts"):
        for prompt, found in db.execute(_SQL[name], (project,)).fetchall():
            if words in fold(found):
                add_turn(db, doomed, prompt)
    for use, given, answer in db.execute(_SQL["tool texts"], (project,)).fetchall():
        if any(words in fold(unescaped(blob)) for blob in (given, answer)):
            add_tool_use(db, doomed, use)


def add_selected(db: sqlite3.Connection, doomed: Doomed, name: str, values: dict[str, Any]) -> None:
    """The turns that a named query selects, and what belongs to none of them in the same span."""
    for (prompt,) in db.execute(_SQL[name], values).fetchall():
        add_turn(db, doomed, prompt)
    span = {"start": 0, "end": 1 << 62, **values}
    if name == "turns of session":
        doomed.work_states.update(r[0] for r in db.execute(_SQL["work states of session"], span))
        return
    doomed.observations.update(r[0] for r in db.execute(_SQL["saved within"], span))
    doomed.work_states.update(r[0] for r in db.execute(_SQL["work states within"], span))


def turn_of(db: sqlite3.Connection, kind: str, record: int) -> int:
    """The turn of a summary or prompt. Raises NotFound."""
    if kind == "prompt":
        row = db.execute("SELECT id FROM prompts WHERE id = ?", (record,)).fetchone()
    else:
        row = db.execute(_SQL["turn of summary"], (record,)).fetchone()
    if row is None:
        raise NotFound(f"there is no record {kind[0]}{record}")
    return int(row[0])


def forget(db: sqlite3.Connection, doomed: Doomed) -> None:
    """Deletes, and keeps the rows for a day. In one transaction of its own."""
    with sqlite.transaction(db):
        rows = {table: _rows(db, table, doomed) for table in TABLES}
        rows["jobs"] = _selected(db, "jobs of turns", doomed.prompts)
        rows["superseded"] = _selected(db, "superseded by", doomed.observations)
        packed = zlib.compress(json.dumps(rows, ensure_ascii=False).encode("utf-8"))
        db.execute(_SQL["add"], (sqlite.now_ms(), doomed.label(), packed))
        gone = (doomed.observations, doomed.summaries, doomed.prompts)
        for kind, records in zip(text_index.KINDS, gone, strict=True):
            for record in records:
                text_index.drop(db, kind, record)
        touched = {row["prompt"] for table in TABLES for row in rows[table] if row.get("prompt")}
        for prompt in touched:
            db.execute(_SQL["drop job error"], (prompt,))  # a service may have quoted the turn
        for table in ("observations", "summaries", "tool_uses", *BESIDE, "prompts"):
            for chunk in _chunks(getattr(doomed, table)):
                db.execute(f"DELETE FROM {table} WHERE id IN ({chunk})")  # noqa: S608  our ints
        db.execute(_SQL["forget spared reads"])  # they name files of the sessions
        db.execute(_SQL["forget branches"])  # a branch's name can tell, too


@dataclass(frozen=True, slots=True)
class Undone:
    """What came back."""

    label: str
    prompts: tuple[int, ...]  # the turns that came back, in whole or in part


def undo(db: sqlite3.Connection) -> Undone:
    """Brings back what was forgotten last, with the jobs that its turns had. Raises NotFound."""
    row = db.execute(_SQL["newest"]).fetchone()
    if row is None:
        raise NotFound("there is nothing to bring back", hint="what is forgotten is kept one day")
    stored = json.loads(zlib.decompress(row[3]))
    moved: dict[tuple[str, int], int] = {}
    with sqlite.transaction(db):
        # a record may refer to one that comes after it
        links = [
            {"id": o["id"], "superseded_by": o["superseded_by"]} for o in stored["observations"]
        ]
        for values in stored["observations"]:
            values["superseded_by"] = None
        back = {
            table: [one for one in stored.get(table, ()) if restore(db, table, one, moved)]
            for table in TABLES
        }
        for link in (*links, *stored.get("superseded", ())):
            record, by = (
                moved.get(("observations", link[name]), link[name])
                for name in ("id", "superseded_by")
            )
            db.execute(_SQL["supersede again"], {"id": record, "by": by})
        for job in stored.get("jobs", ()):
            prompt = moved.get(("prompts", job["prompt"]), job["prompt"])
            db.execute(_SQL["restore job"], {**job, "prompt": prompt})
        reindex.put_back(db, back)
        db.execute(_SQL["drop"], (row[0],))
    turns = {values["id"] for values in stored["prompts"]}
    turns.update(values["prompt"] for values in stored["tool_uses"])
    return Undone(str(row[2]), tuple(sorted(turns)))


def restore(
    db: sqlite3.Connection, table: str, values: dict[str, Any], moved: dict[tuple[str, int], int]
) -> bool:
    """Puts one row back; False where the same thing was recorded again meanwhile.

    Then its id in `moved` leads to the new row, which those that refer to it get instead.
    """
    for column, owner in PARENTS.items():
        if column in values:
            values[column] = moved.get((owner, values[column]), values[column])
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    cursor = db.execute(
        f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})",  # noqa: S608  our schema
        [_decoded(value) for value in values.values()],
    )
    if cursor.rowcount:
        return True
    if table in IDENTITY:
        columns = IDENTITY[table]
        same = " AND ".join(f"{column} = ?" for column in columns)
        query = f"SELECT id FROM {table} WHERE {same}"  # noqa: S608  our schema
        found = db.execute(query, [values[column] for column in columns]).fetchone()
        moved[table, values["id"]] = int(found[0])
        values["id"] = int(found[0])
        if table == "prompts":
            # recorded again by a late call, it has everything but its words
            seen = {"model_uses": 0, "model_closed": 0, **values}
            return db.execute(_SQL["refill prompt"], seen).rowcount > 0
    return False


def purge(db: sqlite3.Connection, before: int | None = None) -> int:
    """Removes for good what was forgotten before a time (default: a day ago); returns how many."""
    limit = sqlite.now_ms() - UNDO_MS if before is None else before
    gone = db.execute(_SQL["drop overdue"], (limit,)).rowcount
    if gone:
        sqlite.purge(db)
        # a damaged database that was set aside may hold the same text
        path = Path(db.execute("PRAGMA database_list").fetchone()[2])
        for name in sqlite.damaged_files(path):
            path.with_name(name).unlink(missing_ok=True)
    return gone


def listed(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """What can still be brought back, newest first."""
    rows = db.execute(_SQL["listed"])
    return [{"id": row[0], "at": row[1], "label": row[2]} for row in rows]


def told(text: str) -> set[str]:
    """The sentences and lines of a record, folded, that are long enough to compare."""
    parts = re.split(r"[\n\"]|(?<=[.!?])\s|[。！？]", text)
    # "Asked: …" quotes the prompt, which was perhaps too long to be quoted whole
    parts += [part.partition(": ")[2] for part in parts if ": " in part[:24]]
    lines = (fold(part).removesuffix("…").strip() for part in parts)
    return {line for line in lines if len(line) >= SAME}


def fold(text: str) -> str:
    """Text for comparing: case and spacing do not count."""
    return " ".join(text.casefold().split())


def unescaped(blob: bytes | None) -> str:
    """The strings of a stored input or output, as text."""
    if blob is None:
        return ""
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            for key, item in value.items():
                found.append(str(key))
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif value is not None:
            found.append(str(value))

    walk(json.loads(zlib.decompress(blob)))
    return "\n".join(found)


def _rows(db: sqlite3.Connection, table: str, doomed: Doomed) -> list[dict[str, Any]]:
    owner, column = {
        "tool_io": ("tool_uses", "tool_use"),
        "observation_files": ("observations", "observation"),
        "observation_queries": ("observations", "observation"),
        "observation_tool_uses": ("observations", "observation"),
    }.get(table, (table, "id"))
    rows: list[dict[str, Any]] = []
    for chunk in _chunks(getattr(doomed, owner)):
        cursor = db.execute(f"SELECT * FROM {table} WHERE {column} IN ({chunk})")  # noqa: S608  our ints
        names = [column_[0] for column_ in cursor.description]
        rows += [
            {name: _encoded(value) for name, value in zip(names, row, strict=True)}
            for row in cursor
        ]
    return rows


def _selected(db: sqlite3.Connection, name: str, ids: Iterable[int]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for one in sorted(ids):
        cursor = db.execute(_SQL[name], (one,))
        names = [column[0] for column in cursor.description]
        rows += [dict(zip(names, row, strict=True)) for row in cursor]
    return rows


def _encoded(value: Any) -> Any:
    return {"b64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _decoded(value: Any) -> Any:
    return base64.b64decode(value["b64"]) if isinstance(value, dict) else value


def _chunks(ids: Iterable[int]) -> Iterable[str]:
    ordered = sorted(ids)
    for at in range(0, len(ordered), 500):
        yield ",".join(map(str, ordered[at : at + 500]))
