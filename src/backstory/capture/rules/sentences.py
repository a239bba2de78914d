"""A message taken apart into sentences and list items."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backstory.capture.rules.titles import plain

_MESSAGE_LIMIT = 16_000
_SENTENCE_LIMIT = 400

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*$|^\s*\*\*([^*\n]{2,70})\*\*:?\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*•+–]|\d{1,3}[.)、]|\(\d{1,2}\)|[①-⑳])\s+(?:\[[ xX]\]\s+)?(.+)$")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
_BREAK = re.compile(r"(?<=[.!?])[\"'`)\]»”]*\s+|(?<=[。！？])[」』”）)]*\s*|(?<=；)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|cf|resp|incl|excl|bzw|ca|evtl|ggf|inkl|exkl|vgl|sog|bspw|p\.ex|"
    r"ej|pág|aprox|т\.е|[Нн]апр|[Сс]м)|(?:^|(?<=[\s(]))[a-zäöüт]|\b[a-z]\.\s?[A-Z])\.$"
)
_BEFORE_CAPITAL = re.compile(r"\b(?:etc|usw|u\.a|т\.д|т\.п|Mio|Mrd|Std|Dr|Mr|Mrs|Prof)\.$")
_BEFORE_NUMBER = re.compile(
    r"\b(?:no|nr|fig|v|vol|art|abs|ch|sec|ver|max|min|pp?|№|стр)\.$", re.IGNORECASE
)
_ORDINAL = re.compile(r"(?:^|[\s(])\d{1,2}\.$")
# "vom 5. Februar", "beim 2. Versuch": in German the dot makes the number an ordinal.
_ORDINAL_LEAD = re.compile(
    r"\b(?:am|vom|zum|beim|im|ab|bis|seit|der|die|das|den|dem|des|jede[rnms]?|ein|eine[rnms]?|und|"
    r"oder)\s\d{1,2}\.$",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`\n]{1,160}`")
_MARK = re.compile(r"(?:^|(?<=[\s(:：,;，；]))(\d{1,2})[.)]\s")  # of an enumeration in a sentence

_PLAIN_COLUMN = re.compile(
    r"(?:changes?|descriptions?|details?|notes?|values?|what|comments?|说明|描述|вид|описание)?$",
    re.IGNORECASE,
)
_VALUE = re.compile(r"(?:\S\d|[)`'\"])[.!?]$")  # … or follow one that ends in a value
_NAME = re.compile(r"[a-z]\w*(?:[._(/]\w|\()")  # a sentence may begin with `csv.writer`


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or list item, without markdown."""

    text: str
    section: str = ""  # the heading or lead-in that it stands under
    item: bool = False


def sentences(text: str, limit: int = _MESSAGE_LIMIT, *, loose: bool = False) -> list[Sentence]:
    """The sentences of a message in order; code blocks are left out, table rows are items.

    `loose` is for prompts, whose sentences may begin in lower case.
    """
    if len(text) > limit:
        text = text[: limit * 2 // 3] + "\n\n" + text[-limit // 3 :]
    return _Reader(loose=loose).read(text)


def split_prose(text: str, *, loose: bool = False) -> list[str]:
    """The sentences of one paragraph; `loose` where they may begin in lower case, as in chats."""
    parts: list[str] = []
    start = 0
    code = [found.span() for found in _CODE.finditer(text)]
    marks = _enumerated(text)
    for found in _BREAK.finditer(text):
        at = found.start()
        before = text[start:at]
        after = text[found.end() : found.end() + 1]
        if any(first < at < last - 1 for first, last in code) or at in marks:
            continue
        if text[at - 1 : at] == "." and not _ends(before, after, text, found.end(), loose=loose):
            continue
        parts.append(text[start : found.end()].strip())
        start = found.end()
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _ends(before: str, after: str, text: str, at: int, *, loose: bool) -> bool:
    """Whether a full stop ends its sentence."""
    if _ABBREVIATED.search(before[-12:]):
        return False
    ordinal = _ORDINAL.search(before)
    if ordinal and ((after.islower() and not loose) or _ORDINAL_LEAD.search(before[-20:])):
        return False
    if _BEFORE_NUMBER.search(before[-6:]) and after.isdigit():
        return False
    if not after.islower():
        return not (_BEFORE_CAPITAL.search(before[-6:]) and after.isdigit())
    if _BEFORE_CAPITAL.search(before[-6:]):
        return False
    if loose:
        return True
    return bool(_NAME.match(text, at) or _VALUE.search(before))


def _enumerated(text: str) -> frozenset[int]:
    """Where the marks of "1. … 2. … 3. …" inside one sentence end: they end no sentence."""
    found = list(_MARK.finditer(text))
    numbers = [int(mark[1]) for mark in found]
    if numbers[:2] != [1, 2]:
        return frozenset()
    return frozenset(mark.end(1) + 1 for mark in found)


class _Reader:
    def __init__(self, *, loose: bool = False) -> None:
        self.loose = loose
        self.found: list[Sentence] = []
        self.paragraph: list[str] = []
        self.section = ""
        self.lead = ""  # the sentence before a list, "Limits:"
        self.header: list[str] = []  # of the table being read

    def read(self, text: str) -> list[Sentence]:
        fence: list[str] | None = None
        for line in text.splitlines():
            if _FENCE.match(line):
                if fence is None:
                    self._flush()
                    fence = []
                else:
                    self._short_code(fence)
                    fence = None
            elif fence is not None:
                fence.append(line.strip())
            else:
                self._line(line)
        self._flush()
        return self.found

    def _line(self, line: str) -> None:
        if heading := _HEADING.match(line):
            self._flush()
            self.section, self.lead = plain(heading[1] or heading[2]).strip(" :："), ""
        elif item := _ITEM.match(line):
            self._flush()
            self._add(item[2], item=True)
        elif line.lstrip().startswith("|") and line.count("|") > 1:
            self._flush()
            self._row(line)
        elif not line.strip():
            self._flush()
            self.header = []
        else:
            self.paragraph.append(line.strip())

    def _row(self, line: str) -> None:
        if _TABLE_RULE.match(line):
            return
        cells = [plain(cell) for cell in line.strip().strip("|").split("|")]
        if not self.header:
            self.header = cells
            return
        named = [
            cell if _PLAIN_COLUMN.match(name) else f"{name} {cell}"
            for name, cell in zip(self.header[1:], cells[1:], strict=False)
            if cell
        ]
        self._add(": ".join(part for part in (cells[0], ", ".join(named)) if part), item=True)

    def _flush(self) -> None:
        text = plain(" ".join(self.paragraph))
        self.paragraph = []
        if not text:
            return
        self.lead = ""
        for part in split_prose(text, loose=self.loose):
            if part.endswith((":", "：")):
                self.lead = part.rstrip(":：")
                if len(part) > 60:
                    self._add(part.rstrip(":："))
            else:
                self.lead = ""
                self._add(part)

    def _short_code(self, lines: list[str]) -> None:
        code = " ".join(line for line in lines if line)
        if self.lead and code and len(lines) <= 3 and len(code) <= 160:
            self._add(code, item=True)

    def _add(self, text: str, *, item: bool = False) -> None:
        text = plain(text)
        section = (self.lead or self.section) if item else self.section
        # A long item is a paragraph of its own, so its sentences are told apart.
        parts = split_prose(text, loose=self.loose) if len(text) > _SENTENCE_LIMIT // 2 else [text]
        for part in parts:
            if part:
                self.found.append(Sentence(part[:_SENTENCE_LIMIT], section, item))
