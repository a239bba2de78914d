"""mem_search: first an index, then what happened around it, and details only of what was chosen."""

from __future__ import annotations

import logging
import sqlite3
from typing import Any

from backstory.errors import BackstoryError, Busy, Unavailable, describe
from backstory.recall import guided_text, mem_search, search
from backstory.recall.mem_search import Asked, Owner
from backstory.recall.onward import Onward
from backstory.recall.query import SearchQuery, relative_text
from backstory.recall.search import SearchResult
from backstory.records import Row
from backstory.storage import sqlite
from backstory.tools.caller import Caller, Scope
from backstory.tools.memory import nothing_yet

Arguments = dict[str, Any]
log = logging.getLogger(__name__)


def search_memory(caller: Caller, given: Arguments) -> str:
    """One step of a guided search, or all of them in mode auto."""
    asked = mem_search.asked(given)
    onward = Onward(given.get("project", ""))
    scope = caller.scope(onward.project)
    if asked.continuation:
        return _go_on(caller, scope, asked, onward)
    if scope.is_empty:
        return nothing_yet(scope)
    query = SearchQuery(
        text=relative_text(asked.query, scope.roots), project_ids=scope.ids, limit=asked.limit
    )
    if asked.mode == "auto":
        return caller.read(lambda db: _all_at_once(db, caller, scope, asked, query, onward))
    found = caller.read(lambda db: search.search(db, query, caller.nearest))
    continuation = _kept(caller, _owner(caller, scope), asked, found.rows) if found.rows else ""
    most = mem_search.bounds(asked)[0]
    return guided_text.index_text(found, asked.query, continuation, most, onward)


def _kept(caller: Caller, owner: Owner, asked: Asked, rows: tuple[Row, ...]) -> str:
    """The continuation of what a first step showed; "" where it cannot be kept."""
    try:
        return caller.write(lambda db: mem_search.begin(db, owner, asked, rows, sqlite.now_ms()))
    except (sqlite3.Error, Busy, Unavailable) as error:
        log.warning("a search cannot be kept: %s", describe(error))
        return ""


def _go_on(caller: Caller, scope: Scope, asked: Asked, onward: Onward) -> str:
    owner, now = _owner(caller, scope), sqlite.now_ms()

    def look(db: sqlite3.Connection) -> tuple[mem_search.Standing, str, list[str]]:
        at = mem_search.standing(db, owner, asked, now)
        if at.step == 1:
            found = mem_search.surroundings(db, scope.ids, asked.selected, at.before, at.after)
            text = guided_text.timeline_text(found, asked.continuation, at.details)
            # what was chosen comes first: it is what a refusal offers
            shown = [*found.anchors, *(row.id for row in found.rows)]
            return at, text, list(dict.fromkeys(shown))
        records = mem_search.details(db, scope.ids, asked.selected)
        return at, guided_text.details_text(records, onward), []

    at, text, next_ids = caller.read(look)
    # last, so that a call that fails has used nothing up, and one of two that race is told so
    try:
        caller.write(lambda db: mem_search.advance(db, owner, asked, at, next_ids, now))
    except (sqlite3.Error, Busy, Unavailable) as error:
        log.warning("a step cannot be kept: %s", describe(error))
        # answered now, the same step could be answered again
        raise Busy(
            "the memory cannot be written now (the disk is full, or another process writes)",
            hint=f"repeat the same call in a moment; {onward.records} works meanwhile",
        ) from None
    return text


def _all_at_once(
    db: sqlite3.Connection,
    caller: Caller,
    scope: Scope,
    asked: Asked,
    query: SearchQuery,
    onward: Onward,
) -> str:
    found: SearchResult = search.search(db, query, caller.nearest)
    if not found.rows:
        return guided_text.index_text(found, asked.query, "", 0)
    most, before, after = mem_search.bounds(asked)
    chosen = [row.id for row in found.rows[:most]]
    around = mem_search.surroundings(db, scope.ids, chosen, before, after)
    records = mem_search.details(db, scope.ids, chosen)
    return guided_text.all_text(found, asked.query, around, records, onward)


def _owner(caller: Caller, scope: Scope) -> Owner:
    return Owner(scope.ids[0], caller.relay)


def with_next_call(error: BackstoryError, given: Arguments) -> BackstoryError:
    """The error with the right next call in its hint, where it names none yet."""
    if "mem_search {" not in error.hint:
        hint = f"{error.hint}; " if error.hint else ""
        error.hint = f"{hint}{mem_search.next_call(given)}"
    return error
