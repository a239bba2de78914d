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
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|resp|incl|no|nr|bzw|ca|usw|p\.ex|ej|pág|fig|v|т\.е|"
    r"т\.д|напр)"
    r"|\bz\.\s?B|\bd\.\s?h)\.$",
    re.IGNORECASE,
)

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


def sentences(text: str, limit: int = _MESSAGE_LIMIT) -> list[Sentence]:
    """The sentences of a message in order; code blocks are left out, table rows are items."""
    if len(text) > limit:
        text = text[: limit * 2 // 3] + "\n\n" + text[-limit // 3 :]
    return _Reader().read(text)


def split_prose(text: str) -> list[str]:
    """The sentences of one paragraph."""
    parts: list[str] = []
    start = 0
    for found in _BREAK.finditer(text):
        before = text[start : found.start()]
        after = text[found.end() : found.end() + 1]
        if after.islower() and not (_NAME.match(text, found.end()) or _VALUE.search(before)):
            continue
        if _ABBREVIATED.search(before[-12:]):
            continue
        parts.append(text[start : found.end()].strip())
        start = found.end()
    parts.append(text[start:].strip())
    return [part for part in parts if part]


class _Reader:
    def __init__(self) -> None:
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
        for part in split_prose(text):
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
        parts = split_prose(text) if len(text) > _SENTENCE_LIMIT // 2 else [text]
        for part in parts:
            if part:
                self.found.append(Sentence(part[:_SENTENCE_LIMIT], section, item))
