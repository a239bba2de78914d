"""The headings of a text: underlined, marked, numbered, in capitals, or worded like headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backstory.codenav.parts import Heading, shown

_LONGEST = 120
_UNDERLINE = re.compile(r"([=\-~^\"'`*+#.:_])\1{2,}$")
_MARKED = re.compile(r"(#{1,6}|={1,6})[ \t]+(?=\S)(.{1,200}?)(?:[ \t]+\1)?$")
_STARS = re.compile(r"(\*{1,8})[ \t]+(?=\S)(.{1,200})$")
_BANNER = re.compile(r"([=\-~*#+_/])\1{2,}[ \t]*(?=\w)(.{1,100}?)[ \t]*\1{2,}$")
_NUMBERED = re.compile(
    r"(\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){1,5})[.)]?[ \t]+(?=[^\W_a-z\d])"
)
_LEADER = re.compile(r"(?:\.[ \t]?){3,}[ \t]*[\divxlc]+$", re.IGNORECASE)
_CHAPTER = re.compile(
    r"(?:(part|book|volume|act)|(chapter|appendix|annex|article|kapitel|chapitre|cap[ií]tulo)"
    r"|(section|scene|schedule|abschnitt|secci[oó]n))\s+"
    r"(?:[\d.]+|[ivxlc]+|[a-z]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"(?!\s+(?:of|and|or)\b)|(第)[\d一二三四五六七八九十百零〇]+([部编巻卷章回节節条])",
    re.IGNORECASE,
)
_CJK_RANK = {"部": 0, "编": 0, "巻": 0, "卷": 0, "章": 1, "回": 1}
_BRACKETS = re.compile(r"\[([^\][]{1,100})\]$")
_LABEL = re.compile(r"[^\W\d_][^:.;,]{0,60}:$")
_SENTENCE_END = (".", ",", ";", "?", "!", ":")


def headings(lines: Sequence[str], path: str = "") -> list[Heading]:
    """The headings of a text, in order. Which kind is outermost: the one that comes first."""
    kinds: dict[str, int] = {}
    result: list[Heading] = []
    is_org = path.lower().endswith(".org")
    index = 0
    while index < len(lines):
        found = _at(lines, index, is_org)
        if found is None:
            index += 1
            continue
        kind, level, name, title, after = found
        rank = (kinds.setdefault(kind, len(kinds)), level)
        name = shown(name, _LONGEST)
        result.append(Heading(rank, name, title + 1, index + 1 if title > index else 0))
        index = after
    return list(_believable(result, kinds, lines))


def _at(lines: Sequence[str], index: int, is_org: bool) -> tuple[str, int, str, int, int] | None:
    """(kind, level, name, index of the title, index of what follows) of a heading at a line."""
    line = lines[index].strip()
    if not line or len(line) > 4 * _LONGEST:
        return None
    following = lines[index + 1].strip() if index + 1 < len(lines) else ""
    if _UNDERLINE.match(line):
        closing = lines[index + 2].strip() if index + 2 < len(lines) else ""
        is_over = closing[:1] == line[0] and _fits(closing, following)
        if is_over and _UNDERLINE.match(closing) and not _UNDERLINE.match(following):
            return f"over {line[0]}", 0, following, index + 1, index + 3
        return None
    is_after_gap = index == 0 or not lines[index - 1].strip()
    is_flush = not lines[index][0].isspace()
    if is_flush and _UNDERLINE.match(following) and _fits(following, line) and _is_title(line):
        return f"under {following[0]}", 0, line, index, index + 2
    if not is_after_gap and not _UNDERLINE.match(lines[index - 1].strip()):
        marked = _STARS.match(line) if is_org else None
        return (
            ("stars", len(marked[1]), marked[2], index, index + 1) if marked and is_flush else None
        )
    for found in _styles(line, is_org and is_flush, is_flush, lines, index):
        return (*found, index, index + 1)
    return None


def _styles(
    line: str, is_org: bool, is_flush: bool, lines: Sequence[str], index: int
) -> Iterator[tuple[str, int, str]]:
    """(kind, level, name) of a line after a gap that looks like a heading."""
    if is_flush and (marked := _MARKED.match(line)):
        yield marked[1][0], len(marked[1]), marked[2]
    if is_org and (marked := _STARS.match(line)):
        yield "stars", len(marked[1]), marked[2]
    if banner := _BANNER.match(line):
        yield f"banner {banner[1]}", 0, banner[2]
    if len(line) > _LONGEST or _LEADER.search(line):
        return
    if (chapter := _CHAPTER.match(line)) and not line.endswith((".", ",", ";")):
        level = next(at for at, group in enumerate(chapter.groups()) if group)
        yield "chapter", _CJK_RANK.get(chapter[5] or "", 2) if level == 3 else level, line
    below = lines[index + 1].strip() if index + 1 < len(lines) else ""
    if numbered := _NUMBERED.match(line):
        title = _numbered_title(line, numbered.end(), below, is_flush)
        if title:
            yield "numbered", numbered[1].count(".") + 1, title
    if bracket := _BRACKETS.match(line):
        yield "bracket", 0, bracket[1]
    letters = [one for one in line if one.isalpha()]
    is_capital = len(letters) >= 4 and line.upper() == line and line.lower() != line
    is_paragraph = len(line) > 40 and below != "" and not lines[index + 1][0].isspace()
    is_long = is_paragraph or len(line) > 80 or line.endswith(_SENTENCE_END)
    if is_capital and not is_long and "=" not in line:
        yield "capitals", 0, line
    if _LABEL.match(line) and is_flush and _is_indented_below(lines, index):
        yield "label", 0, line.rstrip(":")


def _numbered_title(line: str, start: int, below: str, is_flush: bool) -> str:
    """The title of a line that begins with a number; "" for an item of a list."""
    first, dot, rest = line[start:].partition(". ")
    if dot and rest:  # "2. Grant of Patent License. Subject to the terms …"
        words = [word for word in first.split() if len(word) > 3]
        is_title = len(first) <= 60 and bool(words) and all(word[0].isupper() for word in words)
        return line[: start + len(first)] if is_title else ""
    if line.endswith(_SENTENCE_END):
        return line.rstrip(".:") if len(line) <= 80 and not below and line[-1] in ".:" else ""
    return line if is_flush or not below else ""


def _is_title(line: str) -> bool:
    return len(line) <= _LONGEST and any(one.isalnum() for one in line) and "|" not in line


def _fits(underline: str, title: str) -> bool:
    """Whether an underline is about as long as what it stands below."""
    return bool(title) and len(underline) * 2 >= min(len(title), 2 * _LONGEST)


def _is_indented_below(lines: Sequence[str], index: int) -> bool:
    below = next((line for line in lines[index + 1 : index + 3] if line.strip()), "")
    return below[:1] in (" ", "\t")


def _believable(
    found: list[Heading], kinds: dict[str, int], lines: Sequence[str]
) -> Iterator[Heading]:
    """Without the kinds that are something else here: comments with #, every line in capitals."""
    filled = sum(1 for line in lines if line.strip())
    comments = sum(1 for line in lines if line.lstrip().startswith("#"))
    names = {place: kind for kind, place in kinds.items()}
    counts: dict[str, int] = {}
    for one in found:
        counts[names[one.rank[0]]] = counts.get(names[one.rank[0]], 0) + 1
    for one in found:
        kind = names[one.rank[0]]
        if kind == "#" and comments > 2 * counts[kind]:
            continue
        if kind in ("capitals", "label") and counts[kind] * 2 > max(filled, 4):
            continue
        yield one
