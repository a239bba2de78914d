"""How a reader is told to ask on: by the arguments of a tool, or on a command line."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

_PATH = 100  # characters of a path that is said again


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of one door. In braces: the file's path, the name of a symbol or of lines."""

    unfold: str
    lines: str  # where it is plain that the file is asked for again
    inside: str
    budget: str
    results: str
    narrow: str
    uses: str
    whole: str
    elsewhere: str
    quotes: bool = False  # whether paths and names are quoted for a shell

    def say(self, words: str, file: str = "", name: str = "") -> str:
        """One of the texts above, filled in."""
        if self.quotes:
            file = shlex.quote(file) if len(file) <= _PATH else "FILE"
            name = shlex.quote(name)
        return words.format(file=file, name=name)


TOOLS = Wording(
    unfold="smart_unfold {file} {name}",
    lines='symbol_name="{name}"',
    inside='symbol="{name}"',
    budget="max_tokens",
    results="max_results",
    narrow="path, kind, language or file_pattern",
    uses="references=true",
    whole="read it with Read, or lines as {name}",
    elsewhere="smart_outline lists what is in it; smart_search finds it elsewhere",
)
COMMANDS = Wording(
    unfold="`backstory unfold {file} {name}`",
    lines="`backstory unfold {file} {name}`",
    inside="--symbol {name}",
    budget="--max-tokens",
    results="--max-results",
    narrow="PATH, --kind, --language or --pattern",
    uses="--references",
    whole="`backstory unfold {file} {name}` shows lines of it",
    elsewhere="`backstory outline {file}` lists what is in it; "
    "`backstory symbols {name}` finds it elsewhere",
    quotes=True,
)
