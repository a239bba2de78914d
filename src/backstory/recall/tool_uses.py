"""Raw input and output of tool calls: what a record rests on, when the record is not enough."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from backstory.errors import BadInput, StorageError
from backstory.recall.rows import reading
from backstory.storage import sql

MAX_IDS = 50
_QUERIES = sql.load("details")
_HOST_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclass(frozen=True, slots=True)
class RawToolUse:
    """One stored tool call. input and output are None once the raw text is no longer kept."""

    id: int
    tool_use_id: str  # the host's
    project: str
    session: str  # the host's id
    name: str
    status: str
    agent_type: str
    duration_ms: int | None
    at: int
    kept: bool  # whether the raw text is still there
    input: Any = None
    output: Any = None

    def as_json(self) -> dict[str, Any]:
        """For the HTTP API and the CLI's --json."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RawToolUses:
    """Tool calls, oldest first, and the ids for which there are none to give."""

    tool_uses: tuple[RawToolUse, ...]
    missing: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # beyond the limit


def get_tool_uses(
    db: sqlite3.Connection,
    ids: Iterable[object],
    *,
    project_ids: tuple[int, ...] = (),
    limit: int | None = None,
) -> RawToolUses:
    """Tool calls by our ids (5, "5") or the host's ("toolu_…"). Raises BadInput, StorageError."""
    wanted = list(dict.fromkeys(_id(id_) for id_ in ids))
    if not 1 <= len(wanted) <= MAX_IDS:
        raise BadInput(f"ids: got {len(wanted)}, expected 1 to {MAX_IDS}", hint="ask in portions")
    arguments = {
        "ids": json.dumps([id_ for id_ in wanted if isinstance(id_, int)]),
        "host_ids": json.dumps([id_ for id_ in wanted if isinstance(id_, str)]),
    }
    found: list[RawToolUse] = []
    seen: set[int | str] = set()
    foreign: list[str] = []
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    with reading():
        rows = cursor.execute(_QUERIES["tool uses"], arguments).fetchall()
    for row in rows:
        id_, host_id = row["id"], row["tool_use_id"]
        seen |= {id_, host_id}
        if project_ids and row["project_id"] not in project_ids:
            foreign.append(host_id if host_id in wanted else str(id_))
        else:
            found.append(_tool_use(row))
    missing = [str(id_) for id_ in wanted if id_ not in seen]
    left = () if limit is None else tuple(str(use.id) for use in found[limit:])
    return RawToolUses(tuple(found[:limit]), tuple(missing), tuple(foreign), left)


def _tool_use(row: sqlite3.Row) -> RawToolUse:
    return RawToolUse(
        id=row["id"],
        tool_use_id=row["tool_use_id"],
        project=row["project"],
        session=row["session_id"],
        name=row["name"],
        status=row["status"],
        agent_type=row["agent_type"],
        duration_ms=row["duration_ms"],
        at=row["created_at"],
        kept=row["input"] is not None,
        input=_unpacked(row["input"]),
        output=_unpacked(row["output"]),
    )


def _id(id_: object) -> int | str:
    text = str(id_).strip().removeprefix("#")
    if isinstance(id_, bool) or not _HOST_ID.fullmatch(text):
        raise BadInput(
            f"got {str(id_)[:40]!r} as the id of a tool use",
            hint="get_observations lists them, for example 5 or toolu_01AbC",
        )
    return int(text) if text.isdecimal() and len(text) < 19 else text


def _unpacked(blob: bytes | None) -> Any:
    if blob is None:
        return None
    try:
        return json.loads(zlib.decompress(blob))
    except (zlib.error, ValueError) as error:
        raise StorageError(
            f"a stored tool call is damaged: {error}", hint="run: backstory doctor"
        ) from error
