"""The tree of a JSON text with the place of everything in it, whatever is wrong with the text.

Comments, single quotes, keys without quotes, trailing commas and several values in one text are
read too. Standard library only, no recursion; other threads run in between.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"(?:\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?)([ \t\r\n]*:)?"
    r"|[{}\[\],]|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    # numbers and words, a whole row of them at once
    r"|[^\s{}\[\],:\"'/]++(?:[ \t\r\n]*+,[ \t\r\n]*+[^\s{}\[\],:\"'/]++)*+([ \t\r\n]*:)?",
    re.DOTALL,
)
_OPEN = {"{": "}", "[": "]"}
_MOST_PROBLEMS = 20
_EACH = 4096  # tokens between two looks at the clock


@dataclass(slots=True)
class Node:
    """A value. Positions are characters."""

    kind: str  # { [ " or . for numbers and words
    start: int  # of its key where it has one
    value: int  # where the value itself begins
    end: int = -1
    key: str = ""
    children: list[Node] = field(default_factory=list)  # those that are kept
    count: int = 0  # of all
    index: int = 0  # its place among all
    rest: tuple[int, int] = (-1, -1)  # where the objects begin and end that are not kept


@dataclass(slots=True)
class Tree:
    """What was read of a text: `root` is an array of the values at the top."""

    root: Node
    problems: list[int] = field(default_factory=list)  # where something does not fit
    cut: bool = False


def tree(
    text: str, deadline: float, depth: int = 6, items: int = 10, strings: bool = False
) -> Tree:
    """The tree of a text, down to `depth` levels.

    Of an array, the first `items` objects and arrays are kept; with `strings`, its strings too.
    `deadline` is a value of `time.monotonic()`.
    """
    result = Tree(Node("[", 0, 0))
    reader = _Reader(text, result, depth, items, strings)
    for number, token in enumerate(_TOKEN.finditer(text)):
        if number % _EACH == 0 and time.monotonic() > deadline:
            result.cut = True
            break
        reader.read(token)
    reader.finish()
    return result


def string(text: str, start: int, end: int) -> str:
    """The meaning of a string in a text."""
    raw = text[start:end]
    if "\\" in raw:
        try:
            return str(json.loads(raw, strict=False))
        except ValueError:
            pass
    return raw.strip("\"'")


class _Reader:
    def __init__(self, text: str, result: Tree, depth: int, items: int, strings: bool) -> None:
        self._text = text
        self._tree = result
        self._depth, self._items, self._strings = depth, items, strings
        self._open: list[tuple[str, Node | None, Node | None]] = []  # what closes it, it, its array
        self._at: Node | None = result.root
        self._key: tuple[str, int] | None = None

    def read(self, token: re.Match[str]) -> None:
        """Take in one token."""
        start, mark = token.start(), token[0][0]
        if mark in "{[":
            self._open_one(mark, start)
        elif mark in "}]":
            self._close(mark, start)
        elif mark == ",":
            self._key = None
        elif mark != "/":
            is_string = mark in "\"'"
            if not is_string and "," in token[0]:
                start = self._row(token)
            colon = token[1] or token[2]
            if colon and self._is_object():
                end = token.end() - len(colon)
                self._key = (string(self._text, start, end) if self._at else "", start)
            elif is_string or not colon:
                self._scalar('"' if is_string else ".", start, token.end() - len(colon or ""))

    def _row(self, token: re.Match[str]) -> int:
        """Take in all but the last one of a row of words; where that one begins."""
        last = token[0].rindex(",")
        if self._at is not None and self._key is None:
            self._at.count += token[0].count(",")
        elif self._at is not None:
            self._scalar(".", token.start(), token.start() + token[0].index(","))
            self._at.count += token[0].count(",") - 1
        rest = token[0][last + 1 :]
        return token.start() + last + 1 + len(rest) - len(rest.lstrip())

    def finish(self) -> None:
        """Close what is still open at the end of the text."""
        size = len(self._text)
        if self._open:
            self._problem(max(size - 1, 0))
        while self._open:
            self._pop(size)
        self._tree.root.end = size

    def _is_object(self) -> bool:
        return bool(self._open) and self._open[-1][0] == "}"

    def _node(self, kind: str, start: int) -> Node | None:
        """A new value in the present one; None when it is not kept."""
        around, key, self._key = self._at, self._key, None
        if around is None:
            return None
        index = around.count
        around.count += 1
        if len(self._open) >= self._depth:
            return None
        if around.kind == "[":
            if kind == "." or (kind == '"' and not self._strings):
                return None
            if len(around.children) >= self._items:
                return None
        name, at = key or ("", start)
        node = Node(kind, at, start, key=name, index=index)
        around.children.append(node)
        return node

    def _scalar(self, kind: str, start: int, end: int) -> None:
        node = self._node(kind, start)
        if node is not None:
            node.end = end

    def _open_one(self, mark: str, start: int) -> None:
        around = self._at
        node = self._node(mark, start)
        is_rest = node is None and around is not None and around.kind == "["
        self._open.append((_OPEN[mark], around, node))
        if is_rest and around is not None and len(self._open) <= self._depth:
            around.rest = (around.rest[0] if around.rest[0] >= 0 else start, start + 1)
        self._at = node

    def _close(self, mark: str, position: int) -> None:
        if not self._open or self._open[-1][0] != mark:
            self._problem(position)
            if not any(one[0] == mark for one in self._open[-3:]):
                return
            while self._open[-1][0] != mark:
                self._pop(position)
        self._pop(position + 1)

    def _pop(self, end: int) -> None:
        _, around, node = self._open.pop()
        if node is not None:
            node.end = end
        elif around is not None and around.rest[0] >= 0:
            around.rest = (around.rest[0], end)
        self._at = around
        self._key = None

    def _problem(self, position: int) -> None:
        if len(self._tree.problems) < _MOST_PROBLEMS:
            self._tree.problems.append(position)
