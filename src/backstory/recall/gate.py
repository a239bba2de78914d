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
WHOLE_BYTES = 262_144  # of a larger file it gives nothing unless a part is named
REFUSED_TOKENS = 60  # what it says then
ANSWER_MOST, ANSWER_LEAST = 1_400, 250  # tokens of a refusal
_DIGIT = 1.12  # tokens, as estimate.py counts them
_SHARE = 0.056  # of what the Read would deliver; 6 % is promised, and the estimate is not exact
_PROMISED = 0.06
ANSWER_CAP = 1_500
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
_KEPT_WHOLE = ".claude"  # a folder of what tells Claude how to work; a plugin's skills are another
_WORKTREES = "/.claude/worktrees/"  # where the host puts sessions with a copy of their own


@dataclass(frozen=True, slots=True)
class File:
    """What the decision needs to know of a file."""

    tokens: int  # of all its text, as Read would give it: see numbered()
    size: int = 0  # bytes
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


def numbered(tokens: int, lines: int, first: int = 1) -> int:
    """The tokens of a text of so many lines once each has its number, as Read gives it.

    first: the number of its first line.
    """
    return tokens + round(_DIGIT * (_digits(first + lines - 1) - _digits(first - 1)))


def _digits(last: int) -> int:
    """How many digits the numbers from 1 have."""
    digits, low = 0, 1
    while low <= last:
        digits += last - low + 1  # numbers that have a digit there
        low *= 10
    return digits


def would_deliver(tokens: int, size: int) -> int:
    """The tokens that the host's Read gives of a whole file of that many tokens and bytes."""
    return REFUSED_TOKENS if size > WHOLE_BYTES else min(tokens, DELIVERED_MOST)


def budget(tokens: int) -> int:
    """The most tokens of an answer in place of a Read of that many."""
    return min(ANSWER_MOST, int(min(tokens, DELIVERED_MOST) * _SHARE))


def is_guidance(below_root: str) -> bool:
    """Whether a file, by its path in the project, belongs to what tells Claude how to work."""
    path = "/" + below_root
    if _WORKTREES in path:
        path = "/" + path.partition(_WORKTREES)[2].partition("/")[2]
    return f"/{_KEPT_WHOLE}/" in path or path.startswith("/skills/")


def is_within_share(answer: int, tokens: int) -> bool:
    """Whether an answer costs little enough of what a Read of so many tokens would give."""
    return answer <= min(ANSWER_CAP, _PROMISED * min(tokens, DELIVERED_MOST))


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
    # "**/" stands for no folder, too
    shorter = short.replace("**/", "")
    return any(
        fnmatchcase(one, wanted)
        for one in (below_root, below_root.rpartition("/")[2])
        for wanted in (short, short.rstrip("/") + "/*", shorter)
    ) or fnmatchcase(path, pattern)
