"""The guided search: an index, the timeline around what was chosen, then full records of a few.

The order is kept here and not left to the caller. What must be known from one call to the next is
a row of the database: ids, bounds and a step, no words. Every refusal names the next right call
with its arguments, quotes nothing but ids and the caller's own continuation, and changes nothing.
"""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from backstory.errors import BadInput, NotFound
from backstory.recall.observations import Records, get_observations
from backstory.recall.query import whole_number
from backstory.recall.rows import Place, find_place, format_id, parse_id, reading
from backstory.recall.timeline import around
from backstory.records import Row
from backstory.storage import sql, sqlite

QUERY_CHARACTERS, QUERY_BYTES = 500, 1024
PROJECT_BYTES = 256
MAX_LIMIT, MAX_DETAILS, MAX_DEPTH = 20, 5, 3
LIMIT, DETAILS, DEPTH = 10, 3, 2  # where the caller gives none
CONTINUATION = r"^ms_[A-Za-z0-9_-]{24}$"
CONTINUATION_LENGTH = 27
LIFE_MS = 30 * 60_000
KEPT = 200  # open searches of a project

MODES = ("guided", "auto")
BEGIN = 'mem_search {"query": "words to look for"}'
_QUERIES = sql.load("guided")
_LISTED = 20  # ids that a refusal names


@dataclass(frozen=True, slots=True)
class Asked:
    """One call's arguments, checked. None where a bound was not given."""

    mode: str = "guided"
    query: str = ""
    limit: int = LIMIT
    details: int | None = None
    before: int | None = None
    after: int | None = None
    continuation: str = ""
    selected: tuple[str, ...] = ()  # as ids are shown: "12", "s5", "p7"


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose a continuation is: nobody else's call may go on with it."""

    project: int
    relay: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A search between two calls."""

    step: int  # the last one that was answered
    details: int
    before: int
    after: int
    ids: tuple[str, ...]  # what may be asked for next


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The answer of the second step."""

    rows: tuple[Row, ...]  # oldest first
    anchors: tuple[str, ...]
    gone: tuple[str, ...] = ()  # chosen, and forgotten since


def asked(arguments: Mapping[str, Any]) -> Asked:
    """What the arguments of one call mean. Raises BadInput."""
    mode = arguments.get("mode", "guided")
    if mode not in MODES:
        _refuse(f"mode: got {str(mode)[:40]!r}, expected guided or auto", next_call(arguments))
    query = str(arguments.get("query", ""))
    _bounded("query", query, QUERY_BYTES, arguments, QUERY_CHARACTERS)
    _bounded("project", str(arguments.get("project", "")), PROJECT_BYTES, arguments)
    found = Asked(
        mode,
        query,
        LIMIT if "limit" not in arguments else _number("limit", arguments, 1, MAX_LIMIT) or LIMIT,
        _number("maxDetails", arguments, 1, MAX_DETAILS),
        _number("depthBefore", arguments, 0, MAX_DEPTH),
        _number("depthAfter", arguments, 0, MAX_DEPTH),
        str(arguments.get("continuation", "")),
        _ids(arguments),
    )
    _fit_together(found, arguments)
    return found


def next_call(arguments: Mapping[str, Any]) -> str:
    """The call that is right whatever else was wrong with these arguments."""
    continuation = arguments.get("continuation")
    if isinstance(continuation, str) and re.fullmatch(CONTINUATION, continuation):
        return _go_on(continuation, ["an id that it showed"])
    return BEGIN


def begin(
    db: sqlite3.Connection, owner: Owner, wanted: Asked, rows: Iterable[Row], now: int
) -> str:
    """Keeps what a first step showed; its continuation. Writes."""
    continuation = f"ms_{secrets.token_urlsafe(18)}"
    with sqlite.transaction(db):
        db.execute(_QUERIES["expire"], {"oldest": now - LIFE_MS})
        db.execute(
            _QUERIES["begin"],
            {
                "continuation": continuation,
                "project": owner.project,
                "relay": owner.relay,
                "bounds": json.dumps(bounds(wanted)),
                "ids": json.dumps(
                    [id_ for row in rows for id_ in (row.id, *row.extra.get("alike", ()))]
                ),
                "now": now,
            },
        )
        db.execute(_QUERIES["crowd"], {"project": owner.project, "kept": KEPT})
    return continuation


def standing(db: sqlite3.Connection, owner: Owner, wanted: Asked, now: int) -> Standing:
    """Where a search stands, once this call is one that it may go on with. Raises BadInput."""
    with reading():
        row = db.execute(_QUERIES["standing"], _key(owner, wanted.continuation, now)).fetchone()
    if row is None:
        # the same words for all of these: nobody learns which continuations there are
        _refuse(
            "this continuation is not open here: it is none, or older than 30 minutes, or belongs"
            " to another session or project",
            f"{BEGIN}, and the same project in every call of one search",
        )
    step, stored, ids = row
    if step >= 3:
        _refuse("this search is finished: its full records were given", BEGIN)
    most, before, after = json.loads(stored)
    at = Standing(step, most, before, after, tuple(json.loads(ids)))
    _check_choice(at, wanted)
    return Standing(
        step,
        most if wanted.details is None else wanted.details,
        before if wanted.before is None else wanted.before,
        after if wanted.after is None else wanted.after,
        at.ids,
    )


def advance(
    db: sqlite3.Connection,
    owner: Owner,
    wanted: Asked,
    at: Standing,
    ids: Iterable[str],
    now: int,
) -> None:
    """Notes that the next step is answered. Writes. Raises BadInput where another call was first.

    ids: what may be asked for next.
    """
    changed = db.execute(
        _QUERIES["advance"],
        {
            **_key(owner, wanted.continuation, now),
            "step": at.step + 1,
            "bounds": json.dumps([at.details, at.before, at.after]),
            "ids": json.dumps(list(ids)),
        },
    )
    if not changed.rowcount:
        hint = _go_on(wanted.continuation, wanted.selected) if at.step == 1 else BEGIN
        _refuse("another call has answered this step in the meantime", hint)


def surroundings(
    db: sqlite3.Connection,
    project_ids: tuple[int, ...],
    ids: Iterable[str],
    before: int,
    after: int,
) -> Surroundings:
    """What happened around each of some records. Raises NotFound where none is left."""
    anchors: list[Place] = []
    gone: list[str] = []
    with reading():
        for shown in ids:
            found = find_place(db, *parse_id(shown))
            if found is None or (project_ids and found[1] not in project_ids):
                gone.append(shown)
            else:
                anchors.append(found[0])
        if not anchors:
            raise _all_gone(gone)
        rows = around(db, anchors, before, after, project_ids)
    return Surroundings(tuple(rows), tuple(place.shown_id for place in anchors), tuple(gone))


def details(db: sqlite3.Connection, project_ids: tuple[int, ...], ids: Iterable[str]) -> Records:
    """Full records. Raises NotFound where none is left."""
    found = get_observations(db, ids, project_ids=project_ids)
    gone = (*found.missing, *found.foreign)
    if not found.records:
        raise _all_gone(gone)
    return Records(found.records, gone)


def bounds(wanted: Asked) -> tuple[int, int, int]:
    """maxDetails, depthBefore and depthAfter of a first step or of an auto call."""
    return (
        DETAILS if wanted.details is None else wanted.details,
        DEPTH if wanted.before is None else wanted.before,
        DEPTH if wanted.after is None else wanted.after,
    )


def _key(owner: Owner, continuation: str, now: int) -> dict[str, object]:
    return {
        "continuation": continuation,
        "project": owner.project,
        "relay": owner.relay,
        "oldest": now - LIFE_MS,
    }


def _fit_together(found: Asked, arguments: Mapping[str, Any]) -> None:
    if found.continuation and found.mode == "auto":
        _refuse("mode auto takes no continuation", f"{next_call(arguments)}, without a mode")
    if found.continuation and "query" in arguments:
        _refuse("got a query and a continuation", f"{next_call(arguments)} goes on; {BEGIN} begins")
    if found.selected and not found.continuation:
        _refuse("selectedIds without a continuation", f"{BEGIN}; its answer has the continuation")
    if not found.continuation and not found.query.strip():
        _refuse("there is nothing to look for", BEGIN)
    if found.continuation and not re.fullmatch(CONTINUATION, found.continuation):
        _refuse("continuation: expected ms_ and 24 characters, as an answer gave it", BEGIN)


def _check_choice(at: Standing, wanted: Asked) -> None:
    at_most = at.details if wanted.details is None else wanted.details
    some = at.ids[: min(at_most, at.details)]
    hint = _go_on(wanted.continuation, some)
    if len(at.ids) > len(some):
        more = "" if len(at.ids) <= _LISTED else ", …"
        hint += f"; ids to choose from: {', '.join(at.ids[:_LISTED])}{more}"
    if at_most > at.details:
        _refuse(f"maxDetails: got {at_most}, and this search began with {at.details}", hint)
    if not wanted.selected:
        _refuse("the continuation needs selectedIds", hint)
    strangers = [id_ for id_ in wanted.selected if id_ not in at.ids]
    if strangers:
        step = "index" if at.step == 1 else "timeline"
        _refuse(f"{', '.join(strangers)}: not in the {step} that this search showed", hint)
    if len(wanted.selected) > at_most:
        _refuse(f"selectedIds: got {len(wanted.selected)}, expected 1 to {at_most}", hint)


def _ids(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    given = arguments.get("selectedIds")
    if given is None:
        return ()
    if not isinstance(given, list) or not 1 <= len(given) <= MAX_DETAILS:
        _refuse(f"selectedIds: expected a list of 1 to {MAX_DETAILS} ids", next_call(arguments))
    try:
        ids = [format_id(*parse_id(id_)) for id_ in given]
    except BadInput as error:
        _refuse(f"selectedIds: {error.message}; {error.hint}", next_call(arguments))
    twice = {id_ for id_ in ids if ids.count(id_) > 1}
    if twice:
        _refuse(f"selectedIds: {', '.join(sorted(twice))} is given twice", next_call(arguments))
    return tuple(ids)


def _number(name: str, arguments: Mapping[str, Any], least: int, most: int) -> int | None:
    if arguments.get(name) is None:
        return None
    try:
        return whole_number(name, arguments[name], least, most)
    except BadInput as error:
        _refuse(error.message, next_call(arguments))


def _bounded(
    name: str, text: str, most: int, arguments: Mapping[str, Any], characters: int = 0
) -> None:
    size = len(text.encode("utf-8", "replace"))
    if characters and len(text) > characters:
        shorter = f"got {len(text)} characters, expected at most {characters}"
    elif size > most:
        shorter = f"got {size} bytes, expected at most {most}"
    else:
        return
    _refuse(f"{name}: {shorter}", next_call(arguments))


def _go_on(continuation: str, ids: Iterable[str]) -> str:
    call = {"continuation": continuation, "selectedIds": list(ids)}
    return f"mem_search {json.dumps(call, ensure_ascii=False)}"


def _all_gone(ids: Iterable[str]) -> NotFound:
    return NotFound(f"no longer in memory: {', '.join(ids)}", hint=f"choose others, or {BEGIN}")


def _refuse(message: str, right: str) -> NoReturn:
    raise BadInput(message, hint=right)
