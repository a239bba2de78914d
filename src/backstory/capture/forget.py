"""What a person wants forgotten, as the CLI and the API say it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from backstory import project
from backstory.capture import model_queue
from backstory.errors import BadInput, NotFound
from backstory.storage import forget, projects, sql, sqlite, text_index

_SQL = sql.load("forget")
_RULES = sql.load("distill")

KINDS = {**dict(zip("sp", text_index.KINDS[1:], strict=True)), "w": "work state"}
TABLES = {"summary": "summaries", "prompt": "prompts", "work state": "work_states"}
# What each argument takes.
ARGUMENTS: dict[str, tuple[type, str]] = {
    "ids": (list, "a list of ids"),
    "query": (str, "text"),
    "project": (str, "text"),
    "cwd": (str, "text"),
    "session": (str, "text"),
    "start": (int, "a time in milliseconds"),
    "end": (int, "a time in milliseconds"),
    "everything": (bool, "true or false"),
    "confirm": (bool, "true or false"),
    "undo": (bool, "true or false"),
    "purge": (bool, "true or false"),
    "list": (bool, "true or false"),
}


def run(db: sqlite3.Connection, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Shows what would be forgotten, or with `confirm` forgets it.

    ids: "12" a record, "s5"/"p7" a whole turn, "w9" a work state. query: literal text, raw tool
    I/O too. session: the host's id. start, end: Unix milliseconds. everything: the whole project.
    undo, purge, list: bring back the last, remove for good now, say what can come back. Raises
    BadInput, NotFound.
    """
    for name, value in arguments.items():
        if name not in ARGUMENTS:
            raise BadInput(f"unknown argument {name!r}", hint=f"known: {', '.join(ARGUMENTS)}")
        kind, words = ARGUMENTS[name]
        if value is not None and type(value) is not kind:
            raise BadInput(f"{name}: expected {words}, got {type(value).__name__}")
    if arguments.get("undo"):
        return {"restored": undo(db)}
    if arguments.get("purge"):
        return {"purged": forget.purge(db, 1 << 62)}
    if arguments.get("list"):
        return {"forgotten": forget.listed(db)}
    doomed = select(db, arguments)
    counts = doomed.counts()
    titles = [
        {"id": str(row[0]), "title": row[1]}
        for record in sorted(doomed.observations)[:20]
        for row in db.execute("SELECT id, title FROM observations WHERE id = ?", (record,))
    ]
    titles += [
        {"id": f"w{state}", "title": row[0] or "(work state)"}
        for state in sorted(doomed.work_states)[-20:]
        for row in db.execute("SELECT task FROM work_states WHERE id = ?", (state,))
    ]
    if arguments.get("confirm") and counts:
        forget.forget(db, doomed)
        return {"forgotten": counts, "label": doomed.label(), "undo": "for one day"}
    return {"would_forget": counts, "label": doomed.label(), "records": titles}


def undo(db: sqlite3.Connection) -> str:
    """Brings back the last, and has a model see what it has not seen; the label. Raises NotFound.

    A young turn that never waited for a model goes by the rules again, which know whether there is
    one now; of an old one the raw calls may be gone.
    """
    undone = forget.undo(db)
    now = sqlite.now_ms()
    with sqlite.transaction(db):
        for prompt in undone.prompts:
            db.execute(_SQL["end is unseen"], {"prompt": prompt})
            if db.execute(_SQL["has job of kind"], (prompt, "model")).fetchone():
                model_queue.open_job(db, prompt)
            elif db.execute(_SQL["is recent"], (prompt, now - forget.UNDO_MS)).fetchone():
                db.execute(_RULES["open_job"], {"prompt": prompt, "at": now})
    return undone.label


def select(db: sqlite3.Connection, arguments: Mapping[str, Any]) -> forget.Doomed:
    """The rows that the arguments name. Raises BadInput where they name none."""
    doomed = forget.Doomed()
    ids, query, session = (arguments.get(name) for name in ("ids", "query", "session"))
    span = arguments.get("start") is not None or arguments.get("end") is not None
    if not (ids or query or session or span or arguments.get("everything")):
        raise BadInput(
            "what is to be forgotten?",
            hint="name ids, or one of query, session, a date range, or the whole project",
        )
    owner = _project(db, arguments)
    for one in ids or []:
        add_id(db, doomed, str(one).strip().removeprefix("#"), owner)
    if session:
        before = len(doomed.prompts), len(doomed.work_states)
        forget.add_selected(db, doomed, "turns of session", {"session": session})
        if (len(doomed.prompts), len(doomed.work_states)) == before:
            raise NotFound(f"nothing is stored of session {session}")
    if query:
        if len(forget.fold(query)) < 3:
            raise BadInput("the text is too short", hint="give at least three characters")
        forget.add_matching(db, doomed, _known(owner), query)
    if span:
        values = {
            "project": _known(owner),
            "start": arguments.get("start") or 0,
            "end": 1 << 62 if arguments.get("end") is None else arguments["end"],
        }
        forget.add_selected(db, doomed, "turns within", values)
    if arguments.get("everything"):
        forget.add_selected(db, doomed, "turns of project", {"project": _known(owner)})
    return doomed


def add_id(db: sqlite3.Connection, doomed: forget.Doomed, text: str, owner: int | None) -> None:
    """One id as a person writes it. Raises BadInput, NotFound."""
    kind, digits = (KINDS.get(text[:1].lower(), ""), text[1:]) if text[:1].isalpha() else ("", text)
    if not digits.isdecimal() or (text[:1].isalpha() and not kind):
        raise BadInput(f"{text!r} is no id", hint="ids look like 12, s5, p7 or w9")
    record = int(digits)
    table = TABLES.get(kind, "observations")
    row = db.execute(f"SELECT project FROM {table} WHERE id = ?", (record,)).fetchone()  # noqa: S608  names of ours
    if row is None or (owner is not None and row[0] != owner):
        raise NotFound(f"there is no record {text} here", hint="--project names another project")
    if kind == "work state":
        doomed.work_states.add(record)
    elif kind:
        forget.add_turn(db, doomed, forget.turn_of(db, kind, record))
    else:
        forget.add_observation(db, doomed, record)


def _project(db: sqlite3.Connection, arguments: Mapping[str, Any]) -> int | None:
    cwd, named = arguments.get("cwd"), arguments.get("project")
    current = projects.find(db, project.resolve(cwd)) if cwd else None
    return projects.by_name(db, named, current) if named else current


def _known(owner: int | None) -> int:
    if owner is None:
        raise NotFound(
            "nothing is stored for this project", hint="--project NAME names another one"
        )
    return owner
