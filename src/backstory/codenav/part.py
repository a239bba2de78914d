"""What one workspace answers to a search."""

from __future__ import annotations

from dataclasses import dataclass, field

from backstory.codenav import lines, references
from backstory.codenav.answer import Counts
from backstory.codenav.ranking import Candidate


@dataclass(slots=True)
class Part:
    """What one workspace answers."""

    root: str
    symbols: list[Candidate] = field(default_factory=list)
    is_named: bool = False  # the best symbols have the very name that was asked for
    lines_first: bool = False  # they hold what was asked for, symbols only its words
    files: list[tuple[str, float, str]] = field(default_factory=list)
    bindings: list[lines.Line] = field(default_factory=list)  # give the name to something else
    lines: lines.Found = field(default_factory=lines.Found)
    uses: references.Uses = field(default_factory=references.Uses)
    languages: dict[str, str] = field(default_factory=dict)  # of the files in the answer
    counts: Counts = field(default_factory=Counts)
    complete: bool = True
    notes: list[str] = field(default_factory=list)
