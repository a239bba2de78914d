"""The answers of mem_search as text."""

from __future__ import annotations

from backstory.recall.context import EVIDENCE
from backstory.recall.mem_search import Surroundings
from backstory.recall.observations import Record, Records
from backstory.recall.onward import MODEL, Onward
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

NOT_KEPT = (
    "the memory cannot be written now (the disk is full, or another process writes), so this "
    "search has no continuation"
)


def index_text(
    result: SearchResult, query: str, continuation: str, most: int, onward: Onward = MODEL
) -> str:
    """The first step: an index, and the continuation to choose from it with.

    continuation: "" where it could not be kept; the index is an answer all the same.
    """
    lines = search_lines(result, query=query)
    if not result.rows:
        return finished("\n".join(lines), 0, "mem_search with fewer or other words.")
    if not continuation:
        lines.append(f"Note: {NOT_KEPT}.")
        return finished("\n".join(lines), full_cost(result.rows), f"{onward.records}.")
    lines.append(f"Continuation: {continuation}")
    most = min(most, len(result.rows))
    how = onward.within(f"mem_search with continuation and up to {most} selectedIds")
    return finished("\n".join(lines), full_cost(result.rows), f"{how}.")


def timeline_text(found: Surroundings, continuation: str, most: int) -> str:
    """The second step: what happened around the chosen records."""
    lines = [EVIDENCE, *_timeline(found)]
    lines.append(f"Continuation: {continuation}")
    how = f"the same call with up to {min(most, len(found.rows))} of these ids: full records."
    return finished("\n".join(lines), full_cost(found.rows), how)


def details_text(found: Records, onward: Onward = MODEL) -> str:
    """The third step: full records."""
    parts = [EVIDENCE, *record_parts(Records(found.records), PAGE), *_gone(found.missing)]
    return finished("\n\n".join(parts), _full(found.records), _after(found.records, onward))


def all_text(
    result: SearchResult,
    query: str,
    around: Surroundings,
    found: Records,
    onward: Onward = MODEL,
) -> str:
    """The three in one."""
    lines = [*search_lines(result, query=query), *_timeline(around)]
    head = "\n".join(lines)
    parts = [head, *record_parts(Records(found.records), PAGE - len(head)), *_gone(found.missing)]
    rows = {row.id: row for row in (*result.rows, *around.rows)}
    return finished("\n\n".join(parts), full_cost(rows.values()), _after(found.records, onward))


def _timeline(found: Surroundings) -> list[str]:
    ids = ", ".join(f"#{id_}" for id_ in found.anchors)
    lines = [f"Around {ids} (→), oldest first, {LEGEND}:"]
    return [*lines, *timeline_lines(found.rows, found.anchors), *_gone(found.gone)]


def _gone(ids: tuple[str, ...]) -> list[str]:
    return [f"No longer in memory: {', '.join(ids)}."] if ids else []


def _full(records: tuple[Record, ...]) -> int:
    return sum(record.tokens for record in records)


def _after(records: tuple[Record, ...], onward: Onward) -> str:
    if any(record.tool_uses for record in records):
        return onward.evidence(is_there=True)
    return "mem_search with another query, where this does not answer."
