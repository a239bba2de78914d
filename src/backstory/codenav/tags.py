"""The elements of HTML, XML and what looks like it, whatever is wrong with the text.

Standard library only, no recursion; other threads run in between.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field

_TAG = re.compile(
    r"<(?:(/)[ \t]*)?([A-Za-z_][\w:.\-]{0,100})"
    r"((?:[^\"'<>{]|\"[^\"]{0,9000}\"|'[^']{0,9000}'|\{(?:[^{}]|\{[^{}]{0,900}\}){0,900}+\}|\{)*+)>"
)
_TAG_NAME = re.compile(r"<([A-Za-z_][\w:.\-]{0,100})(?=[\s/>])")
_STOP = re.compile("[\"'>]")
_MOST_ENDLESS = 3
_ATTRIBUTE = re.compile(r"([^\s=\"'{}/]{1,80})(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+)))?")
_SKIPPED = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<%", "%>"), ("<?", "?>"), ("<!", ">"))
_VOID = frozenset(
    (
        *("area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link"),
        *("meta", "param", "source", "track", "wbr"),
    )
)
_RAW = frozenset(("script", "style", "textarea", "title"))
_CLOSED_BY = {  # elements that end where one of these begins
    "li": ("li",),
    "dt": ("dt", "dd"),
    "dd": ("dt", "dd"),
    "tr": ("tr", "td", "th"),
    "td": ("td", "th"),
    "th": ("td", "th"),
    "option": ("option",),
    "tbody": ("thead", "tbody", "tr", "td", "th"),
    **dict.fromkeys(("p", "div", "ul", "ol", "table", "section", "pre", "form"), ("p",)),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), ("p",)),
}
_MOST_PROBLEMS = 20
_EACH = 512  # tags between two looks at the clock


@dataclass(slots=True)
class Element:
    """An element. Positions are characters."""

    name: str
    start: int
    inside: int  # where its start tag ends
    parent: int  # index of the element around it
    depth: int
    attributes: str = ""  # as they are written
    end: int = -1
    close: int = -1  # where its end tag begins

    def attribute(self, *names: str) -> str:
        """The value of the first of these attributes that it has."""
        found = {
            match[1].lower(): match[2] or match[3] or match[4] or ""
            for match in _ATTRIBUTE.finditer(self.attributes[:4000])
        }
        return next((found[name] for name in names if found.get(name)), "")

    def has(self, name: str) -> bool:
        """Whether it has an attribute."""
        return any(one[1].lower() == name for one in _ATTRIBUTE.finditer(self.attributes[:4000]))


@dataclass(slots=True)
class Elements:
    """What was read of a text, in order of the start tags."""

    found: list[Element] = field(default_factory=list)
    problems: list[int] = field(default_factory=list)  # end tags and elements without a partner
    cut: bool = False


def elements(text: str, deadline: float, html: bool) -> Elements:
    """The elements of a text. With `html`, some need no end tag, and names are in lower case.

    `deadline` is a value of `time.monotonic()`.
    """
    reader = _Reader(text, html)
    position, turns = text.find("<"), 0
    while position >= 0:
        turns += 1
        if turns % _EACH == 0 and time.monotonic() > deadline:
            reader.result.cut = True
            break
        position = text.find("<", reader.read(position))
    reader.finish()
    return reader.result


class _Reader:
    def __init__(self, text: str, html: bool) -> None:
        self.result = Elements()
        self._text, self._html = text, html
        self._lower = ""  # the text in lower case, once it is needed
        self._open: list[int] = []
        self._names: Counter[str] = Counter()
        self._endless = 0  # start tags that did not end

    def read(self, position: int) -> int:
        """Take in what begins with this "<"; where to go on."""
        text = self._text
        for opening, closing in _SKIPPED:
            if text.startswith(opening, position):
                end = text.find(closing, position + len(opening))
                return end + len(closing) if end >= 0 else len(text)
        tag = _TAG.match(text, position)
        if tag is not None and tag[1]:
            self._close(self._called(tag[2]), position, tag.end())
            return tag.end()
        if tag is not None:
            return self._start(self._called(tag[2]), position, tag.start(3), tag.end(3))
        return self._start_long(position)

    def _called(self, name: str) -> str:
        return name.lower() if self._html else name

    def _start_long(self, position: int) -> int:
        """Take in a start tag with longer values than a pattern should read."""
        tag = _TAG_NAME.match(self._text, position)
        if tag is None or self._endless >= _MOST_ENDLESS:
            return position + 1
        end = tag.end()
        while stop := _STOP.search(self._text, end):
            if stop[0] == ">":
                return self._start(self._called(tag[1]), position, tag.end(), stop.start())
            end = self._text.find(stop[0], stop.end()) + 1
            if not end:
                break
        self._endless += 1  # not to be tried for each of many
        return position + 1

    def finish(self) -> None:
        """Close what is open at the end of the text."""
        size = len(self._text)
        for index in self._open:
            one = self.result.found[index]
            if not self._html or one.name in _RAW:
                self._problem(one.start)
            one.end = one.close = size

    def _start(self, name: str, start: int, head: int, stop: int) -> int:
        if self._html:
            while self._open and self._top().name in _CLOSED_BY.get(name, ()):
                self._pop(start, start)
        parent = self._open[-1] if self._open else -1
        attributes, end = self._text[head:stop], stop + 1
        one = Element(name, start, end, parent, len(self._open), attributes)
        self.result.found.append(one)
        if attributes.endswith("/") or (self._html and name in _VOID):
            one.end = one.close = end
            return end
        self._open.append(len(self.result.found) - 1)
        self._names[name] += 1
        is_raw = self._html and (name in _RAW or one.attribute("lang") == "pug")
        return self._raw_end(name, end) if is_raw else end

    def _raw_end(self, name: str, position: int) -> int:
        """The place of the end tag of an element whose content holds no tags."""
        # letters that get longer in lower case would move every place after them
        self._lower = self._lower or (
            self._text.lower() if self._text.isascii() else re.sub("[A-Z]+", _low, self._text)
        )
        end = self._lower.find("</" + name, position)
        return end if end >= 0 else len(self._text)

    def _close(self, name: str, start: int, end: int) -> None:
        if not self._names[name]:
            if not (self._html and name in _VOID | {"p"}):
                self._problem(start)
            return
        while self._top().name != name:
            if not self._html:
                self._problem(self._top().start)
            self._pop(start, start)
        self._pop(start, end)

    def _top(self) -> Element:
        return self.result.found[self._open[-1]]

    def _pop(self, close: int, end: int) -> None:
        one = self.result.found[self._open.pop()]
        self._names[one.name] -= 1
        one.close, one.end = close, end

    def _problem(self, position: int) -> None:
        if len(self.result.problems) < _MOST_PROBLEMS:
            self.result.problems.append(position)


def _low(found: re.Match[str]) -> str:
    return found[0].lower()
