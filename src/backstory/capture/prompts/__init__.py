"""The instructions that models are given: one file a prompt, its version in the first line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_HEAD = "version: "


@dataclass(frozen=True, slots=True)
class Prompt:
    """The fixed part of a call, and the version that its rows are marked with."""

    instructions: str
    version: str


@cache
def load(name: str = "observe") -> Prompt:
    """The prompt of that name. Raises ValueError where its file does not begin with a version."""
    text = (files(__name__) / f"{name}.md").read_text(encoding="utf-8")
    head, _, instructions = text.partition("\n")
    version = head.removeprefix(_HEAD).strip()
    if not head.startswith(_HEAD) or not version:
        raise ValueError(f"prompt {name} does not begin with `{_HEAD}…`")
    return Prompt(instructions.strip(), version)
