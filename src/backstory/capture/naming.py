"""Names with hyphens that a reader would type: packages and options of commands."""

from __future__ import annotations

import re
from collections.abc import Callable

from backstory.capture.rules.wordlist import wordlist

_FLAG = re.compile(r"(?<![\w.~/+@-])(?:--[A-Za-z][\w-]*|-[A-Z]\w+|-[A-Za-z]{1,2})(?![\w/])")
_KEBAB = re.compile(r"(?<![\w./@-])@?[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+(?![\w/-])")
_INSTALLED = re.compile(
    r"(?i)\b(?:install(?:s|ed|ing)?|(?:npm|pip|uv|yarn|pnpm|cargo|gem|npx|brew|apt)"
    r"(?: (?:install|add|i|get|run))?) $"
)
_CALLED = re.compile(
    r"(?i)\b(?:install\w*|depend\w* on|require[sd]?|import(?:s|ed)?|package|library|module"
    r"|plugin|dependency|crate|gem|add(?:s|ed)?) (?:the |a |an )?$"
)
_CALLING = re.compile(
    r"(?i) (?:package|librar(?:y|ies)|dependenc(?:y|ies)|module|plugin|crate|gem|extension|addon"
    r"|command|tool)s?\b"
)
_ENDS = wordlist("utils util cli sdk lib libs js ts py rs loader parser plugin kit")
_PROSE = wordlist(
    "a an and as at by for from in into is it no non not of off on or out over per the to up vs "
    "with without all back based built down end free full half high in just last less level like "
    "next first long low multi new old one only open part pre post re read safe self side single "
    "so state time two under wide write well"
)


def cut_flags(text: str, is_held: Callable[[str], bool]) -> tuple[str, list[str]]:
    """`text` without the options in it, and those of them that the source lacks."""
    return _FLAG.sub(" ", text), [flag for flag in _FLAG.findall(text) if not is_held(flag)]


def missing_packages(text: str, is_held: Callable[[str], bool]) -> list[str]:
    """The names of packages in `text` that the source holds neither in whole nor in parts."""
    named = (found[0] for found in _KEBAB.finditer(text) if _is_package(found, text))
    return [name for name in named if not is_held(name)]


def _is_package(found: re.Match[str], text: str) -> bool:
    """Whether a word with hyphens is a name rather than prose such as read-only."""
    parts = found[0].lower().lstrip("@").split("-")
    if parts[-1] in _ENDS or found[0].startswith("@"):
        return True
    before, after = text[max(0, found.start() - 40) : found.start()], text[found.end() :][:20]
    if _INSTALLED.search(before):
        return True
    if any(part in _PROSE for part in parts):
        return False
    return len(parts) > 2 or bool(_CALLED.search(before) or _CALLING.match(after))
