"""The embedders, a row each; which one is used is a setting."""

from __future__ import annotations

from collections.abc import Callable

from backstory.config import Config
from backstory.recall.embedders.base import Embedder, NoVectors


def _builtin(_: Config) -> Embedder:
    from backstory.recall.embedders.builtin import Builtin  # noqa: PLC0415  loads its models

    return Builtin()


def _none(_: Config) -> Embedder:
    raise NoVectors("vectors are switched off")


EMBEDDERS: dict[str, Callable[[Config], Embedder]] = {"builtin": _builtin, "none": _none}


def make(settings: Config) -> Embedder:
    """The embedder that the settings name. Raises NoVectors."""
    return EMBEDDERS[settings["embedder"]](settings)
