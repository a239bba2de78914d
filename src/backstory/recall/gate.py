"""Whether a whole Read passes, gets a word beside it, or is answered with the file's outline.

Pure: all that counts is given, and nothing is looked up. The hook sees to it that no Read is
refused twice, and never asks about one that names a part of a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from backstory import project

Mode = Literal["redirect", "advise", "off"]
MODES: Mapping[str, Mode] = {"redirect": "redirect", "advise": "advise", "off": "off"}

DELIVERED_MOST = 25_000  # tokens that the host's Read gives of a whole file, however large
ANSWER_MOST, ANSWER_LEAST = 1_400, 250  # tokens of a refusal
_DIGIT = 1.12  # tokens, as estimate.py counts them
_SHARE = 0.056  # of what the Read would deliver; 6 % is promised, and the estimate is not exact
HINT_TOKENS = 4_000  # from which an outline is worth a hint
LEAST_SYMBOLS = 4  # fewer say too little of a large file

# What is read for its content: an outline in its place would be a loss.
NOT_SOURCE = frozenset(
    {
        *("json", "yaml", "toml", "xml", "ini", "properties", "notebook"),
        *("markdown", "latex", "html", "css", "scss"),
        *("terraform", "make", "cmake", "dockerfile", "nix"),
    }
)
_KEPT_WHOLE = ("/.claude/", "/skills/")  # what tells Claude how to work


@dataclass(frozen=True, slots=True)
class File:
    """What the decision needs to know of a file."""

    tokens: int  # of all its text, as Read would give it: see numbered()
    language: str = ""  # "" where it is none that we know
    symbols: int = 0
    is_outlined: bool = False  # by its language's own query, to the end
    is_machine_made: bool = False  # generated or minified
    is_guidance: bool = False  # see is_guidance()
    notes: int = 0  # records of memory that are about it


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a Read, and why."""

    action: Literal["pass", "advise", "redirect"]
    why: str
    hint: bool = False  # the advice names smart_outline


def decide(file: File, mode: Mode, threshold: int) -> Decision:
    """What becomes of a whole Read that this session and agent ask for the first time.

    threshold: tokens from which a file counts as large.
    """
    if mode == "off":
        return Decision("pass", "switched off here")
    against = _against(file)
    is_large = file.tokens >= threshold and budget(file.tokens) >= ANSWER_LEAST
    if is_large and not against:
        if mode == "redirect":
            return Decision("redirect", "a large source file")
        return Decision("advise", "a large source file", hint=True)
    hint = not against and file.tokens >= HINT_TOKENS
    if file.notes:
        return Decision("advise", against or "not large", hint)
    return Decision("pass", against or "not large")


def _against(file: File) -> str:
    if not file.language or file.language in NOT_SOURCE:
        return "no source code"
    if file.is_guidance:
        return "tells Claude how to work"
    if file.is_machine_made:
        return "generated or minified"
    if not file.is_outlined or file.symbols < LEAST_SYMBOLS:
        return "has no outline that could stand for it"
    return ""


def numbered(tokens: int, lines: int) -> int:
    """The tokens of a text of so many lines once each has its number, as Read gives it."""
    digits, low = 0, 1
    while low <= lines:
        digits += lines - low + 1  # numbers that have a digit there
        low *= 10
    return tokens + round(_DIGIT * digits)


def budget(tokens: int) -> int:
    """The most tokens of an answer in place of a Read of that many."""
    return min(ANSWER_MOST, int(min(tokens, DELIVERED_MOST) * _SHARE))


def is_guidance(path: str) -> bool:
    """Whether a file, by its absolute path, belongs to what tells Claude how to work."""
    return any(part in path for part in _KEPT_WHOLE)


def mode_for(path: str, below_root: str, mode: str, exceptions: Sequence[str]) -> Mode:
    """The mode for a file: the last exception that names it, else the setting.

    path: absolute; below_root: relative to the project. An exception is `GLOB` (which means off)
    or `GLOB=MODE`: a folder (`~` allowed), or a glob over the whole or the relative path.
    """
    found = MODES.get(mode, "redirect")
    for exception in exceptions:
        pattern, separator, named = exception.rpartition("=")
        if not separator or named.strip() not in MODES:
            pattern, named = exception, "off"
        pattern = pattern.strip()
        if pattern and _names(pattern, path, below_root):
            found = MODES[named.strip()]
    return found


def _names(pattern: str, path: str, below_root: str) -> bool:
    if pattern.startswith(("/", "~")):
        return project.is_listed([pattern], path)
    short = pattern.removeprefix("./")
    return any(
        fnmatchcase(one, wanted)
        for one in (below_root, below_root.rpartition("/")[2])
        for wanted in (short, short.rstrip("/") + "/*")
    ) or fnmatchcase(path, pattern)
