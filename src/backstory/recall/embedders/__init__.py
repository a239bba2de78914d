"""The embedders, a row each; which one is used is a setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from backstory.config import Config
from backstory.recall.embedders.base import Embedder, NoVectors
from backstory.storage.database import Database


@dataclass(frozen=True, slots=True)
class Row:
    """One embedder."""

    make: Callable[[Config, Database], Embedder]  # raises NoVectors
    # what its vectors are named, without loading it; with a "/" at the end: how their names begin
    named: Callable[[Config], str]  # raises NoVectors


def _builtin(_: Config, __: Database) -> Embedder:
    from backstory.recall.embedders.builtin import Builtin  # noqa: PLC0415  loads its models

    return Builtin()


def _builtin_name(_: Config) -> str:
    from backstory.recall.embedders import builtin  # noqa: PLC0415

    return builtin.name()


def _openai(settings: Config, database: Database) -> Embedder:
    from backstory.recall.embedders.endpoint import Endpoint  # noqa: PLC0415  loads HTTP

    return Endpoint(settings, database)


def _openai_name(settings: Config) -> str:
    from backstory.recall.embedders import endpoint  # noqa: PLC0415

    return endpoint.name(settings)


def _none(_: Config, __: Database) -> Embedder:
    raise NoVectors("vectors are switched off")


def _no_name(_: Config) -> str:
    raise NoVectors("vectors are switched off")


EMBEDDERS: dict[str, Row] = {
    "builtin": Row(_builtin, _builtin_name),
    "openai": Row(_openai, _openai_name),
    "none": Row(_none, _no_name),
}


def make(settings: Config, database: Database) -> Embedder:
    """The embedder that the settings name. Raises NoVectors."""
    return EMBEDDERS[settings["embedder"]].make(settings, database)


def named(settings: Config) -> str:
    """The name of its vectors; with a "/" at the end how their names begin. Raises NoVectors."""
    return EMBEDDERS[settings["embedder"]].named(settings)
