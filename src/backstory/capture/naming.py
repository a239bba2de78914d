"""Names that a reader would type and that look like words: packages, options, targets, folders."""

from __future__ import annotations

import re
from collections.abc import Callable

from backstory.capture.rules.wordlist import wordlist

_FLAG = re.compile(
    r"(?<![\w.@~+$%/\\-])(?:--[A-Za-z][\w-]*|-[A-Z]\w+|-[A-Za-z]{1,2})(?![\w@~+$%/\\-]|\.\w)"
)
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

# Cart::refund, Cart->refund, Cart#refund; no link into a page, and no arrow between words.
_QUALIFIED = re.compile(r"(?<![\w.@~+$%/\\-])[^\W\d]\w*(?:(?:::|->|#)[^\W\d]\w*)+(?:\(\))?")
_INSTALL = re.compile(
    r"\b(?:pip3?|uv(?: pip)?|pipx|poetry|conda|npm|pnpm|yarn|bun|cargo|gem|go|brew|apt(?:-get)?|"
    r"composer) (?:install|add|i|get|require)(?: -\S+)* (@?[A-Za-z][\w-]*)(?![\w./])"
)
# "The upstream library" is prose: a word is a name where it is written like one.
_ARTICLED = re.compile(
    r"\b[Tt]he (?=[a-z]*[0-9_])([a-z][a-z0-9_]{3,}) "
    r"(?:package|library|crate|gem|dependency|folder|directory)\b"
)
_NAMED = re.compile(
    r"\b(?:package|library|crate|gem|module|plugin|tool|folder|directory) (?:called|named) (\w+)"
)
_SCRIPT = re.compile(r"\b(?:npm|pnpm|yarn|bun) run ([A-Za-z][\w:.-]*)")
_TARGET = re.compile(
    r"(?:\b(?:[Rr]uns?|ran|running|via|using|with|by|invokes?|executes?|command) |^)"
    r"make ([a-z][\w-]+)(?=[\s.,;:)]|$)"
)
_FILE = re.compile(
    r"(?i)\b(?:(?:docker|container|jenkins|(?:gnu)?make|vagrant|proc|gem|rake|pip|brew|caddy|just|pod|"
    r"fast|tilt|snake)file|codeowners)\b"
)
_FOLDER = re.compile(r"(?<![\w./~@\\-])([\w.-]*\w{2})/(?=[\s.,;:)]|$)")
# What stands behind "npm install" or "make", or before "package", in a sentence.
_TALK = wordlist(
    "is was works worked fails failed failing needs needed runs ran step steps command commands "
    "them this that these everything dependencies packages again it sure use room sense every "
    "some any same other whole wrong right current working root home parent main core base new "
    "old own local global system standard native shared common internal external public private "
    "separate missing installed required optional extra third party small large single latest "
    "older newer original python npm node rust ruby java code source test tests build output "
    "target temporary temp data cache config project user client server utility helper wrapper "
    "software given entire following first second last corresponding underlying relevant "
    "respective official popular lightweight"
)


def cut_qualified(text: str, is_held: Callable[[str], bool]) -> tuple[str, list[str]]:
    """`text` without the members of classes in it, and those of them that the source lacks."""
    found = _QUALIFIED.findall(text)
    return _QUALIFIED.sub(" ", text), [name for name in found if not is_held(name)]


def missing_targets(text: str, has_word: Callable[[str], bool]) -> list[str]:
    """What `text` would have a reader install, run or open, and the source does not name."""
    named = [*_INSTALL.findall(text), *_NAMED.findall(text), *_TARGET.findall(text)]
    named += _ARTICLED.findall(text)
    named = [name for name in named if name.lower() not in _TALK | _PROSE]
    named += [*_SCRIPT.findall(text), *_FILE.findall(text), *_FOLDER.findall(text)]
    return [name for name in named if not all(map(has_word, re.findall(r"\w+", name)))]


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
    if any(part.istitle() for part in found[0].split("-")[1:]):  # E-Mail-Adresse
        return False
    if parts[-1] in _ENDS or found[0].startswith("@"):
        return True
    before, after = text[max(0, found.start() - 40) : found.start()], text[found.end() :][:20]
    if _INSTALLED.search(before):
        return True
    if any(part in _PROSE for part in parts):
        return False
    return len(parts) > 2 or bool(_CALLED.search(before) or _CALLING.match(after))
