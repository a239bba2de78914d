"""How a reader goes on from an answer: through a tool as a model does, or at the command line."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Onward:
    """Who reads an answer, and the project that they named; "" for their own."""

    project: str = ""
    at_terminal: bool = False

    @property
    def records(self) -> str:
        """How to read records of an index in full."""
        if self.at_terminal:
            named = f" --project {shlex.quote(self.project)}" if self.project else ""
            return f"`backstory show ID{named}`"
        return self.within("get_observations with ids")

    def within(self, call: str) -> str:
        """A tool's call, in the project that was named: without it the call would be refused."""
        return f"{call} and project={self.project}" if self.project else call

    def offset(self, number: int) -> str:
        """How to get the rows from there on."""
        return f"{'--offset' if self.at_terminal else 'offset'} {number}: more"

    def evidence(self, *, is_there: bool) -> str:
        """What comes after full records."""
        if is_there and not self.at_terminal:
            return (
                f"{self.within('get_tool_uses with an evidence id')}, where this does not answer."
            )
        return "another search when this does not answer."


MODEL = Onward()
