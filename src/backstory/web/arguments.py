"""The arguments of a request: checked, none ignored in silence."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from backstory import project
from backstory.errors import BadInput
from backstory.recall import scope
from backstory.recall.query import whole_number
from backstory.storage import projects, sqlite

BODY_LIMIT = 1_000_000
SCOPE_ARGUMENTS = ("project", "cwd")


def within(
    db: sqlite3.Connection, arguments: Mapping[str, Any], *, add: bool = False
) -> tuple[tuple[int, ...], tuple[str, ...], dict[str, Any]]:
    """(project ids, their roots, the other arguments). Raises BadInput without project or cwd.

    add: a project that is not stored yet becomes one.
    """
    named, cwd = text_of(arguments, "project"), text_of(arguments, "cwd")
    if not named and not cwd:
        raise BadInput(
            "which project?", hint="give project (name, key or folder) or cwd (a folder in it)"
        )
    here = project.resolve(cwd) if cwd else None
    if add and here and not named:
        found = projects.find_or_add(db, here, sqlite.now_ms())
    else:
        found = scope.project_id(db, here, named)
    rest = {key: value for key, value in arguments.items() if key not in SCOPE_ARGUMENTS}
    return (found,), scope.roots(db, (found,)), rest


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object of a request's body. Raises BadInput."""
    data = await request.body()
    if len(data) > BODY_LIMIT:
        raise BadInput(f"the body has {len(data)} bytes; at most {BODY_LIMIT} are read")
    try:
        found = await request.json()
    except (ValueError, RecursionError):
        raise BadInput("the body is not JSON") from None
    if not isinstance(found, dict):
        raise BadInput("the body must be a JSON object")
    return found


def only(
    arguments: Mapping[str, Any],
    allowed: tuple[str, ...],
    scoped: tuple[str, ...] = SCOPE_ARGUMENTS,
) -> None:
    """Raises BadInput where an argument is none of these: nothing is ignored silently.

    scoped: the arguments that say which project, told with the others.
    """
    for name in arguments:
        if name not in allowed:
            known = ", ".join((*allowed, *scoped))
            raise BadInput(f"unknown argument {name!r}", hint=f"known: {known}")


def id_list(arguments: Mapping[str, Any]) -> list[object]:
    """The ids of a batch. Raises BadInput."""
    ids = arguments.get("ids")
    if not isinstance(ids, list):
        raise BadInput("ids: expected a list of ids")
    return ids


def limit_of(arguments: Mapping[str, Any], most: int) -> int | None:
    """How many are wanted; None where that is not given. Raises BadInput."""
    limit = arguments.get("limit")
    return None if limit is None else whole_number("limit", limit, 1, most)


def texts_of(arguments: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts; [] where it is missing. Raises BadInput for anything else."""
    texts = arguments.get(name) or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadInput(f"{name}: expected a list of texts")
    return texts


def shortest(path: str, roots: tuple[str, ...]) -> str:
    """A file's path as records hold it: relative to the project's folder where it is below it."""
    for root in roots:
        if not (short := project.relative(path, root)).startswith("/"):
            return short
    return path


def text_of(arguments: Mapping[str, Any], name: str) -> str:
    """A text argument; "" where it is missing. Raises BadInput for other types."""
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInput(f"{name}: expected text, got {type(value).__name__}")
    return value


def flag(arguments: Mapping[str, Any], name: str) -> bool:
    """A yes or no; False where it is missing. Raises BadInput for other types."""
    value = arguments.get(name, False)
    if not isinstance(value, bool):
        raise BadInput(f"{name}: expected true or false, got {value!r}")
    return value
