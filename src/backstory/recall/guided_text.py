"""The answers of mem_search as text."""

from __future__ import annotations

from backstory.recall.context import EVIDENCE
from backstory.recall.mem_search import Surroundings
from backstory.recall.observations import Record, Records
from backstory.recall.render import (
    LEGEND,
    PAGE,
    finished,
    full_cost,
    record_parts,
    search_lines,
    timeline_lines,
)
from backstory.recall.search import SearchResult


def index_text(result: SearchResult, query: str, continuation: str, most: int) -> str:
    """The first step: an index, and the continuation to choose from it with."""
    lines = search_lines(result, query=query)
    if not result.rows:
        return finished("\n".join(lines), 0, "mem_search with fewer or other words.")
    lines.append(f"Continuation: {continuation}")
    most = min(most, len(result.rows))
    how = f"mem_search with continuation and up to {most} selectedIds."
    return finished("\n".join(lines), full_cost(result.rows), how)


def timeline_text(found: Surroundings, continuation: str, most: int) -> str:
    """The second step: what happened around the chosen records."""
    lines = [EVIDENCE, *_timeline(found)]
    lines.append(f"Continuation: {continuation}")
    how = f"the same call with up to {min(most, len(found.rows))} of these ids: full records."
    return finished("\n".join(lines), full_cost(found.rows), how)


def details_text(found: Records) -> str:
    """The third step: full records."""
    parts = [EVIDENCE, *record_parts(Records(found.records), PAGE), *_gone(found.missing)]
    return finished("\n\n".join(parts), _full(found.records), _after(found.records))


def all_text(result: SearchResult, query: str, around: Surroundings, found: Records) -> str:
    """The three in one."""
    lines = [*search_lines(result, query=query), *_timeline(around)]
    head = "\n".join(lines)
    parts = [head, *record_parts(Records(found.records), PAGE - len(head)), *_gone(found.missing)]
    rows = {row.id: row for row in (*result.rows, *around.rows)}
    return finished("\n\n".join(parts), full_cost(rows.values()), _after(found.records))


def _timeline(found: Surroundings) -> list[str]:
    ids = ", ".join(f"#{id_}" for id_ in found.anchors)
    lines = [f"Around {ids} (→), oldest first, {LEGEND}:"]
    return [*lines, *timeline_lines(found.rows, found.anchors), *_gone(found.gone)]


def _gone(ids: tuple[str, ...]) -> list[str]:
    return [f"No longer in memory: {', '.join(ids)}."] if ids else []


def _full(records: tuple[Record, ...]) -> int:
    return sum(record.tokens for record in records)


def _after(records: tuple[Record, ...]) -> str:
    if any(record.tool_uses for record in records):
        return "get_tool_uses with an evidence id, where this does not answer."
    return "mem_search with another query, where this does not answer."
