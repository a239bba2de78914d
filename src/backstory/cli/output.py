"""What the commands share: how they print, and the project and folder that they are about."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from backstory import config, paths, project
from backstory.recall import scope
from backstory.storage.database import Database

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


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


def show(value: Any, text: str, *, as_json: bool) -> None:
    """Prints the JSON of a value, or the text."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2) if as_json else text)


def home() -> Path:
    """The data directory."""
    return Path(paths.data_dir())


def here() -> project.Project:
    """The project of the current folder."""
    return project.resolve(str(Path.cwd()))


def read(function: Callable[[sqlite3.Connection], T]) -> T:
    """A function's result over the database, opened read-only."""
    return Database(config.load().database).read(function)


def project_ids(db: sqlite3.Connection, named: str) -> tuple[int, ...]:
    """The project that a command is about."""
    return (scope.project_id(db, here(), named),)
