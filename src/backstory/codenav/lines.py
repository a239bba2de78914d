"""Lines of text that hold a piece of text."""

from __future__ import annotations

import codecs
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from backstory.codenav.ranking import is_test
from backstory.codenav.walk import is_vendored

Read = Callable[[str], bytes | None]  # a file's text in UTF-8 by relative path
Refused = Callable[[str, bytes], str]  # why a file may not answer, "" where it may
_DOCS = re.compile(
    r"\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|tex|pod|org|po|pot|log)$|(?:^|/)(?:docs?|man)/"
    r"|(?:^|/)(?:changelog|changes|history|news|readme|authors|licen[cs]e|copying)[^/]*$",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"\.(?:jsonc?|json5|ya?ml|toml|xml|ini|cfg|conf|properties|csv|tsv|svg|ipynb|lock|snap)$",
    re.IGNORECASE,
)
_CODE = 1  # the place of code and its tests
_BINDS = r"^\W*(?:import|export|from|use|pub|using|global using|alias)\b.*\bas:?\s+{0}(?![\w$])"
_OFFERS = re.compile(r"^\s*(?:export\b|pub\b)")
_PACKAGE = re.compile(r"(?:^|/)(?:__init__|index|mod|lib)\.\w+$")
_MOST_LINES = 2_000  # that are collected before they are ranked
_MOST_OF_FILE = 50
_WIDTH = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One line that holds what was asked for."""

    file: str
    number: int  # from 1
    text: str
    is_exact: bool  # in the same case


@dataclass(frozen=True, slots=True)
class Found:
    """The lines, best first; `total` counts those that were not kept too."""

    lines: tuple[Line, ...] = ()
    total: int = 0
    files: int = 0
    unread: int = 0  # files that were left when the time was over


def lines_with(
    text: str,
    paths: Iterable[str],
    read: Read,
    deadline: float,
    whole: bool = False,
    refused: Refused = lambda _path, _data: "",
) -> Found:
    """The lines of these files that hold a text, in either case.

    whole: as a word of its own. `refused` is asked of files that hold it. `deadline` is a value of
    `time.monotonic()`.
    """
    ordered = sorted(paths, key=lambda path: (_place(path), path))
    kept: list[Line] = []
    total = files = 0
    for at, path in enumerate(ordered):
        if time.monotonic() > deadline:
            return Found(_ranked(kept), total, files, len(ordered) - at)
        data = read(path)
        if not data:
            continue
        found = _lines_of(path, data, text, whole)
        if found and refused(path, data):
            continue
        files += bool(found)
        total += len(found)
        if len(kept) < _MOST_LINES:
            kept += found[:_MOST_OF_FILE]
    return Found(_ranked(kept), total, files)


def shortened(line: str, around: int = 0) -> str:
    """A line without its indent, cut to a readable width; `around` is a place that is kept."""
    text = line.strip()
    at = around - (len(line) - len(line.lstrip()))
    if len(text) <= _WIDTH:
        return text
    start = max(0, min(at - _WIDTH // 3, len(text) - _WIDTH))
    return ("…" if start else "") + text[start : start + _WIDTH] + "…"


def _lines_of(path: str, data: bytes, text: str, whole: bool) -> list[Line]:
    needle = text.encode("utf-8", "replace")
    folded = needle.lower()
    if needle.isascii() and folded not in data.lower():
        return []
    content = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    result = []
    number, counted, end = 1, 0, -1
    for at in _places(content, text, whole):
        if at < end:
            continue
        number += content.count("\n", counted, at)
        start = content.rfind("\n", 0, at) + 1
        end = content.find("\n", at)
        end = len(content) if end < 0 else end
        line = content[start:end]
        result.append(Line(path, number, shortened(line, at - start), text in line))
        counted = at
    return result


def _places(content: str, text: str, whole: bool) -> Iterator[int]:
    """Where a text stands in another, in either case."""
    # the one letter that grows when its case goes would move every place behind it
    lowered, wanted = (one.replace("\u0130", "i").lower() for one in (content, text))
    at = lowered.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        around = lowered[at - 1 : at] + lowered[end : end + 1]
        if not whole or not any(char.isalnum() or char in "_$" for char in around):
            yield at
        at = lowered.find(wanted, end)


@lru_cache(maxsize=100_000)
def _place(path: str) -> int:
    """Where the lines of a file stand among those of others: code, then what tells of it."""
    if is_vendored(path):
        return 4
    if _DOCS.search(path):
        return 3
    return 2 if _DATA.search(path) else int(is_test(path))


def binding(name: str, found: Iterable[Line]) -> list[Line]:
    """Those of some lines that give a name to what has another: `import a as b`, an export."""
    binds = re.compile(_BINDS.format(re.escape(name)))
    chosen = [one for one in found if _place(one.file) <= _CODE and binds.search(one.text)]
    return sorted(chosen, key=lambda one: not _is_offered(one))


def _is_offered(one: Line) -> bool:
    """Whether others get the name from here."""
    return bool(_OFFERS.search(one.text) or _PACKAGE.search(one.file))


def is_documentation(path: str) -> bool:
    """Whether a file tells of code or holds data, and is none itself, by its name."""
    return bool(_DOCS.search(path) or _DATA.search(path))


def _ranked(lines: list[Line]) -> tuple[Line, ...]:
    return tuple(
        sorted(
            lines,
            key=lambda one: (_place(one.file), not one.is_exact, one.file, one.number),
        )
    )
