"""What the commands share: how they print, and the project and folder that they are about."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from backstory import paths, project
from backstory.errors import BadInput, StorageError, Unavailable
from backstory.recall import scope
from backstory.storage import sqlite
from backstory.storage.database import Database

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
UPDATE = "update the plugin: /plugin marketplace update, then /plugin update backstory"


class Exit(Exception):
    """Ends a command with an exit code that says something."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def json_option(function: F) -> F:
    """--json: the answer for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def project_option(function: F) -> F:
    """--project: another project than the one of the current folder."""
    text = "Another project: its name, folder or key."
    return click.option("--project", "named", default="", metavar="NAME", help=text)(function)


def prepare() -> None:
    """Has the streams print whatever there is: names hold bytes that no encoding knows."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def show(value: Any, text: str, *, as_json: bool) -> None:
    """Prints the JSON of a value, or the text."""
    click.echo(dumps(value) if as_json else text)


def dumps(value: Any) -> str:
    """JSON that the standard output can carry."""
    encoding = (getattr(sys.stdout, "encoding", "") or "utf-8").lower().replace("-", "")
    return json.dumps(value, ensure_ascii=encoding != "utf8", indent=2)


def is_interactive() -> bool:
    """Whether a person sits at both ends."""
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams)


def home() -> Path:
    """The data directory. Raises BadInput where BACKSTORY_HOME is relative to a folder now gone."""
    try:
        return Path(paths.data_dir())
    except FileNotFoundError:
        raise BadInput(
            "BACKSTORY_HOME is relative, and the current folder is gone",
            hint="give BACKSTORY_HOME as an absolute path",
        ) from None


def current_folder() -> str:
    """The current folder; "" where it was deleted or cannot be named."""
    try:
        return os.getcwd()  # noqa: PTH109  a path of bytes that are no text stays as it is
    except OSError:
        return ""


def here() -> project.Project:
    """The project of the current folder. Raises Unavailable where that is gone."""
    folder = current_folder()
    if not folder:
        raise Unavailable(
            "the current folder is gone, so there is no current project",
            hint="go to a folder of the project, or name it with --project",
        )
    return project.resolve(folder)


def here_or_none() -> project.Project | None:
    """The same; None where the current folder is gone."""
    return here() if current_folder() else None


def root() -> str:
    """The current project's folder; "" where there is none."""
    found = here_or_none()
    return found.root if found else ""


def read(function: Callable[[sqlite3.Connection], T]) -> T:
    """A function's result over the database, opened read-only.

    Raises Unavailable where nothing is stored, StorageError where it cannot be read.
    """

    def checked(db: sqlite3.Connection) -> T:
        schema = sqlite.version(db)
        if schema > sqlite.SCHEMA_VERSION:
            known = sqlite.SCHEMA_VERSION
            raise StorageError(
                f"the database has schema {schema}; this version of Backstory knows {known}",
                hint=UPDATE,
            )
        if schema < sqlite.SCHEMA_VERSION:
            raise StorageError(
                "the database is not complete or not up to date", hint="backstory restart"
            )
        return function(db)

    try:
        return Database(home() / paths.DATABASE).read(checked)
    except sqlite3.DatabaseError as error:
        hint = "`backstory doctor` tells more"
        if sqlite.tells_damage(error):
            hint = "`backstory restart` sets a damaged database aside and begins a new one"
        raise StorageError(f"the database cannot be read: {error}", hint=hint) from error


def project_ids(db: sqlite3.Connection, named: str) -> tuple[int, ...]:
    """The project that a command is about. Raises NotFound."""
    return (scope.project_id(db, here_or_none() if named else here(), named),)
