"""Full records by id: observations, summaries and prompts, with what they rest on."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from backstory.errors import BadInput
from backstory.recall.rows import format_id, parse_id, reading
from backstory.storage import sql
from backstory.storage.text_index import KINDS, Kind

MAX_IDS = 50
_ORDERS = ("", "date_asc", "date_desc")
_QUERIES = sql.load("details")
_SUMMARY = {
    "request": "Request",
    "investigated": "Investigated",
    "learned": "Learned",
    "completed": "Completed",
    "next_steps": "Next steps",
}
_PROMPT = {"last_message": "Answer", "error": "Error"}


@dataclass(frozen=True, slots=True)
class ToolLink:
    """A tool use that a record rests on."""

    id: int
    tool_use_id: str  # the host's
    name: str
    status: str


@dataclass(frozen=True, slots=True)
class Record:
    """One record in full. Fields that its kind does not have are empty."""

    id: str  # "12", "s5", "p7"
    kind: Kind
    type: str
    title: str
    at: int
    project: str
    session: str  # the host's id
    prompt: int | None  # the number of the prompt in its session
    tokens: int
    text: str = ""  # the narrative, or the prompt itself
    sections: tuple[tuple[str, str], ...] = ()  # of a summary or a prompt: heading and text
    facts: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    tool_uses: tuple[ToolLink, ...] = ()
    evidence: str = "stated"
    importance: int = 1
    tainted: bool = False
    agent_type: str = ""
    branch: str = ""
    commit: str = ""
    superseded_by: int | None = None
    distilled_by: str = ""

    def as_json(self) -> dict[str, Any]:
        """For the HTTP API and the CLI's --json."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Records:
    """Records, and the ids for which there are none to give."""

    records: tuple[Record, ...]
    missing: tuple[str, ...] = ()  # no such record
    foreign: tuple[str, ...] = ()  # of a project that was not asked for
    left_out: tuple[str, ...] = ()  # beyond the limit


def get_observations(
    db: sqlite3.Connection,
    ids: Iterable[object],
    *,
    project_ids: tuple[int, ...] = (),
    order: str = "",
    limit: int | None = None,
) -> Records:
    """Full records in the order of the ids, or by date. Raises BadInput, StorageError."""
    if order not in _ORDERS:
        raise BadInput(f"orderBy: got {order!r}, expected date_asc or date_desc")
    wanted = list(dict.fromkeys(parse_id(id_) for id_ in ids))
    if not 1 <= len(wanted) <= MAX_IDS:
        raise BadInput(f"ids: got {len(wanted)}, expected 1 to {MAX_IDS}", hint="ask in portions")
    with reading():
        found: dict[tuple[Kind, int], tuple[int, Record]] = {}
        for kind in KINDS:
            of_kind = [id_ for kind_, id_ in wanted if kind_ == kind]
            if of_kind:
                for project, id_, record in _LOADERS[kind](db, of_kind):
                    found[kind, id_] = (project, record)
    missing = [format_id(*key) for key in wanted if key not in found]
    own = {
        key: record
        for key, (project, record) in found.items()
        if not project_ids or project in project_ids
    }
    foreign = [format_id(*key) for key in wanted if key in found and key not in own]
    records = [own[key] for key in wanted if key in own]
    if order:
        records.sort(key=lambda record: record.at, reverse=order == "date_desc")
    left = [] if limit is None else [record.id for record in records[limit:]]
    return Records(tuple(records[:limit]), tuple(missing), tuple(foreign), tuple(left))


_Loaded = list[tuple[int, int, Record]]  # project, id, record


def _select(db: sqlite3.Connection, query: str, ids: list[int]) -> list[sqlite3.Row]:
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(_QUERIES[query], {"ids": json.dumps(ids)}).fetchall()


def _observations(db: sqlite3.Connection, ids: list[int]) -> _Loaded:
    files: dict[tuple[int, str], list[str]] = defaultdict(list)
    for row in _select(db, "files", ids):
        files[row["observation"], row["mode"]].append(row["path"])
    links: dict[int, list[ToolLink]] = defaultdict(list)
    for row in _select(db, "links", ids):
        link = ToolLink(row["id"], row["tool_use_id"], row["name"], row["status"])
        links[row["observation"]].append(link)
    return [
        (
            row["project_id"],
            row["id"],
            Record(
                id=format_id("observation", row["id"]),
                kind="observation",
                type=row["type"],
                title=row["title"],
                at=row["created_at"],
                project=row["project"],
                session=row["session_id"],
                prompt=row["prompt"],
                tokens=row["tokens"],
                text=row["narrative"],
                facts=_list(row["facts"]),
                concepts=_list(row["concepts"]),
                symbols=_list(row["symbols"]),
                files_read=tuple(files[row["id"], "read"]),
                files_modified=tuple(files[row["id"], "modified"]),
                tool_uses=tuple(links[row["id"]]),
                evidence=row["evidence"],
                importance=row["importance"],
                tainted=bool(row["tainted"]),
                agent_type=row["agent_type"],
                branch=row["branch"],
                commit=row["commit_id"],
                superseded_by=row["superseded_by"],
                distilled_by=row["distilled_by"],
            ),
        )
        for row in _select(db, "observations", ids)
    ]


def _summaries(db: sqlite3.Connection, ids: list[int]) -> _Loaded:
    return [
        (
            row["project_id"],
            row["id"],
            Record(
                id=format_id("summary", row["id"]),
                kind="summary",
                type="summary",
                title=row["request"] or row["completed"] or row["learned"],
                at=row["created_at"],
                project=row["project"],
                session=row["session_id"],
                prompt=row["prompt"],
                tokens=row["tokens"],
                sections=_sections(row, _SUMMARY),
                tainted=bool(row["tainted"]),
                distilled_by=row["distilled_by"],
            ),
        )
        for row in _select(db, "summaries", ids)
    ]


def _prompts(db: sqlite3.Connection, ids: list[int]) -> _Loaded:
    return [
        (
            row["project_id"],
            row["id"],
            Record(
                id=format_id("prompt", row["id"]),
                kind="prompt",
                type="prompt",
                title=row["text"],
                at=row["created_at"],
                project=row["project"],
                session=row["session_id"],
                prompt=row["number"],
                tokens=(len(row["text"]) + len(row["last_message"])) // 3 + 1,
                text=row["text"],
                sections=_sections(row, _PROMPT),
            ),
        )
        for row in _select(db, "prompts", ids)
    ]


def _sections(row: sqlite3.Row, columns: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((heading, row[column]) for column, heading in columns.items() if row[column])


_LOADERS = {"observation": _observations, "summary": _summaries, "prompt": _prompts}


def _list(text: str) -> tuple[str, ...]:
    return tuple(str(item) for item in json.loads(text))
