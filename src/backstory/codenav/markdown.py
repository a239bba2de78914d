"""The sections of Markdown, by its headings."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

from backstory.codenav import keys
from backstory.codenav.languages import Language
from backstory.codenav.parts import Heading, sections, shown
from backstory.codenav.symbols import Reading

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(?:[-*+] |\d+[.)] )?[ \t]*(`{3,}|~{3,})([^`]*)$")
# what cannot be the title above an underline: lists, tables, quotes, indented code
_NO_TITLE = re.compile(r"\s*(?:[-*+>] |[>|]|\d+[.)] )|    |\t|.*\|")
_ITEM = re.compile(r"\s*(?:[-*+>] |>|\d+[.)] )")
_MOST_TITLE = 3  # lines
_LINK = re.compile(
    r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}(?:\s[^()]{0,100})?\)|\[[^\[\]]{0,100}\])"
)
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|</?[A-Za-z][^<>]{0,200}>|\{#[\w-]+\}$")
_LONGEST = 1_000
_EACH = 2_000  # lines between two looks at the clock


def markdown(text: str, _language: Language, deadline: float) -> Reading:
    """The sections of a Markdown text. Code in fences and comments holds no headings."""
    lines = [line[:_LONGEST].rstrip() for line in text.split("\n")]
    if not lines[-1]:
        lines.pop()
    found = list(_headings(lines, deadline))
    cut = time.monotonic() > deadline
    return Reading(keys.bounded(sections(found, lines)), (), (), cut)


def _headings(lines: Sequence[str], deadline: float) -> Iterator[Heading]:
    fence = ""
    is_comment = False
    start = _after_front_matter(lines)
    for at in range(start, len(lines)):
        line = lines[at]
        if at % _EACH == 0 and time.monotonic() > deadline:
            return
        if is_comment or (line.lstrip().startswith("<!--") and not fence):
            is_comment = "-->" not in line
            continue
        if fence or line.lstrip(" \t-*+.0123456789)").startswith(("```", "~~~")):
            fence = _fence(line, fence)
            continue
        if heading := _HEADING.match(line):
            yield Heading((len(heading[1]),), _name(heading[2] or ""), at + 1, 0, shown(line))
        elif at > start and (underline := _UNDERLINE.match(line)):
            first = _first_of_title(lines, at, start)
            if first < at:
                title = " ".join(lines[first:at])
                level = 1 if underline[1][0] == "=" else 2
                yield Heading((level,), _name(title), first + 1, 0, shown(title))


def _first_of_title(lines: Sequence[str], end: int, start: int) -> int:
    """Where the title of an underlined heading begins; `end` where there is none."""
    first = end
    while first > start and lines[first - 1].strip() and not _UNDERLINE.match(lines[first - 1]):
        if _NO_TITLE.match(lines[first - 1]) or _HEADING.match(lines[first - 1]):
            return end if first == end or _ITEM.match(lines[first - 1]) else first
        if end - first >= _MOST_TITLE:
            return end
        first -= 1
    return first


def _after_front_matter(lines: Sequence[str]) -> int:
    """The index of the first line behind the settings that a text may begin with."""
    first = next((at for at, line in enumerate(lines[:20]) if line), 0)
    if not lines or lines[first] not in ("---", "+++"):
        return 0
    for at in range(first + 1, min(len(lines), 500)):
        if lines[at] in (lines[first], "..."):
            return at + 1
    return 0


def _fence(line: str, fence: str) -> str:
    """What ends the code after a line that may begin or end a fence."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return found[1]
    return "" if found[1].startswith(fence) and not found[2].strip() else fence


def _name(title: str) -> str:
    plain = _EMPHASIS.sub("", _LINK.sub(r"\1", title)).strip()
    return shown(plain or title) or "(no title)"
