"""What is known of vectors without making any: how many there are and are to be made, and why."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from backstory import project
from backstory.capture import trust
from backstory.config import Config
from backstory.recall import embedders
from backstory.recall.embedders.base import NoVectors
from backstory.storage import sql, vectors

_SQL = sql.load("embeddings")


def report(
    db: sqlite3.Connection, settings: Config, failure: str = "", model: str = ""
) -> dict[str, Any]:
    """The embedder, its vectors, the records that wait for one or for a new one, what failed.

    failure, model: what a worker knows of them.
    """
    if settings["embedder"] == "none":
        return _found(settings, "", 0, 0, "")
    try:
        model = model or embedders.named(settings)
        asked = _names(model)
    except NoVectors as error:
        return _found(settings, "", 0, vectors.count_waiting(db), failure or str(error))
    made = db.execute(_SQL["made"], asked).fetchone()[0]
    waiting = vectors.count_waiting(db) + count_others(db, model)
    kept_out, refused = db.execute(_SQL["without"]).fetchone()
    found = _found(settings, model.rstrip("/"), made, waiting, failure)
    return {**found, "kept_out": kept_out, "refused": refused}


def count_others(db: sqlite3.Connection, named: str) -> int:
    """How many vectors of other names are to be made anew, and do not wait for that yet."""
    return int(db.execute(_SQL["to make anew"], _names(named)).fetchone()[0])


def has_others(db: sqlite3.Connection, named: str) -> bool:
    """Whether there are vectors of other names."""
    return bool(db.execute(_SQL["has others"], _names(named)).fetchone()[0])


def kept_out(db: sqlite3.Connection, settings: Config, rows: Sequence[int]) -> set[int]:
    """The rows of which nothing is sent: their project is excluded, or could have made our data."""
    is_out = cache(partial(_is_out, settings))  # most rows are of few folders
    found = db.execute(_SQL["folders"], {"rows": json.dumps(list(rows))})
    return {row for row, *folders in found if is_out(*folders)}


def keeps_out(db: sqlite3.Connection, settings: Config, projects: Sequence[int]) -> bool:
    """Whether nothing of these projects is sent, questions neither; () = all: it is not so."""
    found = db.execute(_SQL["project folders"], {"ids": json.dumps(list(projects))}).fetchall()
    return bool(found) and any(_is_out(settings, *folders) for folders in found)


def _is_out(settings: Config, *folders: str) -> bool:
    excluded = list(settings["excluded_projects"])
    is_listed = any(project.is_listed(excluded, folder) for folder in folders)
    return is_listed or trust.is_inside(settings.home, folders)


def _found(settings: Config, model: str, made: int, waiting: int, failure: str) -> dict[str, Any]:
    return {
        "embedder": settings["embedder"],
        "model": model,
        "vectors": made,
        "waiting": waiting,
        "failure": failure,
    }


def _names(named: str) -> dict[str, str]:
    """A name, or how names begin, for the queries; no name is "/" or begins so."""
    return {"name": named, "within": named if named.endswith("/") else "/"}
