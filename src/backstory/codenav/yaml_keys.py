"""The keys of YAML files, read line by line: nothing in them can crash or delay a parser."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

from backstory.codenav import keys
from backstory.codenav.languages import Language
from backstory.codenav.parts import Comment, Part, shown
from backstory.codenav.symbols import Reading

_KEY = re.compile(
    r"(?:[&!][^\s]+[ ]+)?(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'"
    r"|(?![\[\]{},#|>@`\"'%])(?:[^\s:#]|:(?=\S)|(?<=\S)#|[ \t](?!#))+?)[ \t]*:(?=[ \t]|$)[ \t]*"
)
_ITEM = re.compile(r"-(?:[ \t]+|$)")
_BARE_ITEM = re.compile(r"-(?:[ \t]+[&!]\S+)*[ \t]*(?:#.*)?$")
_SCALAR = re.compile(r"(?:[&!][^\s]+[ \t]+)*[|>][-+\d]*[ \t]*(?:#.*)?$")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")
_BRACKETS = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[ \t]#.*|[\[\]{}]")
_COMMENT = re.compile(r"[ \t]#.*$")
# the keys that tell one item of a list from the others, the best first
_NAMES = ("name", "id", "key", "title", "alias", "path", "uses", "hosts", "image", "type", "run")
_DEPTH = 7
_ITEMS = 20  # of one list
_LONGEST = 1_000  # characters of a line that are looked at
_EACH = 2_000  # lines between two looks at the clock


@dataclass(slots=True)
class _Level:
    """A key, an item or a document that may still go on."""

    indent: int
    place: int  # among the parts; -1 for what is not told
    is_item: bool = False
    count: int = 0  # items below it
    rank: int = len(_NAMES)  # of the key that named it
    rest: int = -1  # the part that stands for more items
    said: dict[str, str] = field(default_factory=dict)  # what names a document


def yaml_keys(text: str, _language: Language, deadline: float) -> Reading:
    """The keys of a YAML text down to some levels, and the items of lists by their names."""
    reader = _Reader()
    cut = False
    lines = text.removesuffix("\n").split("\n")
    marks = sum(1 for line in lines if line.startswith("---"))
    reader.has_documents = marks > 1 or (marks == 1 and not _begins_with_mark(lines))
    for number, line in enumerate(lines, 1):
        if number % _EACH == 0 and time.monotonic() > deadline:
            cut = True
            break
        reader.read(number, line[:_LONGEST].rstrip().expandtabs(2))
    reader.finish()
    return Reading(keys.placed_few(reader.parts), (), tuple(reader.problems), cut)


def _begins_with_mark(lines: list[str]) -> bool:
    """Whether nothing but comments stands before the first mark of a document."""
    filled = (line for line in lines if line.strip() and not line.lstrip().startswith(("#", "%")))
    return next(filled, "").startswith("---")


class _Reader:
    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.problems: list[tuple[int, int]] = []
        self.has_documents = False
        self._levels = [_Level(-1, -1)]
        self._comment = Comment("#")
        self._deeper = -1  # lines that are indented more belong to a text
        self._quote = ""  # what ends a quoted text
        self._depth = 0  # brackets that are open
        self._last = 1  # the last line that says anything
        self._documents = 0

    def read(self, number: int, line: str) -> None:
        """Take in one line."""
        plain = line.lstrip(" ")
        if not plain:
            self._comment.clear()
            return
        indent = len(line) - len(plain)
        if self._goes_on(indent, plain):
            self._last = number
            return
        if self._comment.take(number, plain):
            return
        if line.startswith(("---", "...", "%")):
            self._document(number, line)
            return
        start, doc = self._comment.leave(number)
        self._entry(number, indent, plain, start, doc)
        self._last = number

    def finish(self) -> None:
        """The text is over."""
        self._pop(-2, False)

    def _goes_on(self, indent: int, plain: str) -> bool:
        """Whether a line belongs to a value that began before it."""
        if self._deeper >= 0:
            if indent > self._deeper:
                return True
            self._deeper = -1
        if self._quote:
            if self._quote in plain:
                self._quote = ""
            return True
        if self._depth:
            self._brackets(plain)
            return True
        return False

    def _document(self, number: int, line: str) -> None:
        self._pop(-2, False)
        self._comment.clear()
        self._levels = [_Level(-1, -1)]
        self._last = number
        if self.has_documents and line.startswith("---"):
            self._documents += 1 if self._documents or not self.parts else 2
            self._levels[0].place = len(self.parts)
            self.parts.append(Part(f"document {self._documents}", "section", number, number))

    def _entry(self, number: int, indent: int, plain: str, start: int, doc: str) -> None:
        """Keys and items that begin on a line."""
        while item := _ITEM.match(plain):
            self._pop(indent, True)
            self._item(number, indent, plain, start, doc)
            start, doc = number, ""
            plain = plain[item.end() :]
            indent += item.end()
        key = _KEY.match(plain)
        if key is None:
            self._value(indent - 1, plain)
            return
        self._pop(indent, False)
        name = shown(_bare(key[1])) or '""'
        value = plain[key.end() :]
        self._name_around(name, value)
        place = self._add(Part(name, "property", start, number, -1, "", "."), plain, doc, number)
        self._levels.append(_Level(indent, place))
        self._value(indent, value)

    def _item(self, number: int, indent: int, plain: str, start: int, doc: str) -> None:
        around = self._levels[-1]
        index = around.count
        around.count += 1
        place = -1
        is_object = bool(_KEY.match(plain.lstrip("- "))) or bool(_BARE_ITEM.match(plain))
        if is_object and index < _ITEMS:
            part = Part(f"[{index}]", "property", start, number, -1, "", "")
            place = self._add(part, plain, doc, number)
        elif is_object:
            if around.rest < 0:
                rest = Part("", "property", start, number, -1, "", "")
                around.rest = self._add(rest, plain, "", number)
            if around.rest >= 0:
                part = self.parts[around.rest]
                part.name = f"[{_ITEMS}…{index}]"
                part.signature = f"{index - _ITEMS + 1:,} more items"
        self._levels.append(_Level(indent, place, is_item=True))

    def _add(self, part: Part, plain: str, doc: str, number: int) -> int:
        """A part below the present level; -1 where it is too deep to be told."""
        around = self._levels[-1]
        is_told = around.place >= 0 or around.indent < 0
        if not is_told or len(self._levels) > _DEPTH:
            return -1
        part.parent, part.signature, part.doc, part.line = around.place, shown(plain), doc, number
        if part.parent >= 0 and self.parts[part.parent].kind == "section":
            part.joined = " > "
        self.parts.append(part)
        return len(self.parts) - 1

    def _pop(self, indent: int, is_item: bool) -> None:
        """End what is indented as much as what comes now, or more."""
        while self._levels:
            top = self._levels[-1]
            # the items of a list may stand right below its key
            stays = top.indent < indent or (is_item and top.indent == indent and not top.is_item)
            if stays and top.indent > -2:
                return
            if top.place >= 0:
                self.parts[top.place].end = self._last
            if top.rest >= 0:
                self.parts[top.rest].end = self._last
            self._levels.pop()

    def _name_around(self, key: str, value: str) -> None:
        """An item, or a document, is called by a key in it."""
        around = self._levels[-1]
        said = shown(_bare(_COMMENT.sub("", value).strip()), 60)
        if not said or said[0] in "|>&*{[":
            return
        if around.is_item and around.place >= 0 and key in _NAMES:
            rank = _NAMES.index(key)
            if rank < around.rank:
                around.rank = rank
                self.parts[around.place].name, self.parts[around.place].joined = said, "."
        document = self._levels[0]
        if document.place >= 0 and key in ("kind", "name") and len(self._levels) <= 2:
            document.said.setdefault(key, said)
            words = [document.said[one] for one in ("kind", "name") if one in document.said]
            self.parts[document.place].name = " ".join(words)

    def _value(self, indent: int, value: str) -> None:
        """Look whether a value ends on its line."""
        if _SCALAR.match(value):
            self._deeper = max(indent, 0)
        elif value[:1] in ("'", '"'):
            if not _QUOTED.match(value):
                self._quote = value[0]
        elif value[:1] in ("[", "{") and not value.startswith("{{"):
            self._brackets(value)

    def _brackets(self, text: str) -> None:
        for found in _BRACKETS.finditer(text):
            if found[0] in "[{":
                self._depth += 1
            elif found[0] in "]}":
                self._depth = max(self._depth - 1, 0)


def _bare(name: str) -> str:
    """A text without the quotes around it."""
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'" else name
