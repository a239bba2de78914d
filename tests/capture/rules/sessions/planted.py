"""A session with facts planted in it, and the questions that should find them."""

from __future__ import annotations

from dataclasses import dataclass

from backstory.records import Turn


@dataclass(frozen=True)
class Planted:
    """A fact: what somebody would ask, and texts that a row answering it must hold."""

    query: str
    needles: tuple[str, ...]


def ask(query: str, *needles: str) -> Planted:
    """A planted fact."""
    return Planted(query, needles)


@dataclass(frozen=True)
class Told:
    """The turns of one session and what is planted in them."""

    name: str
    turns: tuple[Turn, ...]
    facts: tuple[Planted, ...]
