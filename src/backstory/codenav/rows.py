"""The rows of an outline: one a symbol where there is room, and folded where there is not."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from backstory.codenav.folds import NEWLINE, Fold, Size, least
from backstory.codenav.symbols import Symbol
from backstory.estimate import estimate_tokens
from backstory.sanitize.door import plain

DETAILS = frozenset({"field", "constant", "variable"})
_RUN_NAMES = 12  # of fields or constants that share a row
_PACKED_NAMES, _PACKED_NAME = 10, 40  # on one line; characters of each
_INDENT = "  "
_MOST_INDENTS = 12  # deeper levels are indented no further
_ATTRIBUTE_LINES = 30  # between the start of a symbol and its name
_ATTRIBUTE = re.compile(r"(?:@[\w.:]+|#!?\[[^\[\]]*\]|\[[A-Z][^\[\]]*\])")
_SAME_LINE = re.compile(  # right before the head of a symbol
    r"(?:(?:@[\w.:]+(?:\([^()]*\))?\s+|#\[[^\[\]]*\]\s*|\[[A-Z][^\[\]]*\]\s*)+)$"
)
_HEAD = 40  # characters of a signature by which its place in a line is found
_NAME_WITHIN = 160  # characters of a signature that its name is kept in
_PLURALS = {"class": "classes", "property": "properties"}
_ALONE = 4  # a symbol that so few stand beside is still what the file is about


class Rows:
    """The rows of one file's symbols, or of those inside one of them."""

    def __init__(self, symbols: Sequence[Symbol], lines: Sequence[str]) -> None:
        self._symbols = symbols
        self._lines = lines
        self._children: dict[int, list[int]] = {}
        self._sized: dict[int, list[list[Size]]] = {}
        for at, one in enumerate(symbols):
            self._children.setdefault(one.parent, []).append(at)

    def below(self, parent: int, fold: Fold, level: int = 0) -> Iterator[str]:
        """The rows of what stands directly in a symbol (-1: in the file), and of what is in it."""
        children = self._children.get(parent, [])
        if level >= fold.rows:
            if fold.packed and level == fold.rows:
                yield from self._packed(children, fold, level)
            return
        run: list[int] = []
        shown: Symbol | None = None
        for at in children:
            if shown and self._tells_the_same(at, shown):
                continue
            shown = self._symbols[at]
            if self._is_detail(at) and fold.details != "rows":
                run.append(at)
                continue
            yield from self._run(run, fold, level)
            run = []
            yield self.row(at, fold, level)
            yield from self.below(at, fold, level + 1)
        yield from self._run(run, fold, level)

    def row(self, at: int, fold: Fold, level: int = 0) -> str:
        """The row of one symbol, with a count of what is in it and not shown."""
        one = self._symbols[at]
        said = printable(one.signature) or f"{one.kind} {printable(one.name)}"
        said = shortened(said, fold.width, printable(one.name))
        marks = self._attributes(one, fold.width)
        if marks and not said.startswith(marks):
            said = f"{marks} {said}"
        if level < fold.docs and one.doc:
            said += f" — {printable(one.doc)}"
        hidden = self.hidden(at, fold, level + 1)
        return f"{_indent(level)}{place(one)} {said}" + (f" … {hidden}" if hidden else "")

    def hidden(self, parent: int, fold: Fold, level: int = 0) -> str:
        """What stands directly in a symbol and has no row: "3 methods, 2 fields"."""
        children = self._children.get(parent, [])
        if level < fold.rows or (fold.packed and level == fold.rows):
            if fold.details != "count":
                return ""
            children = [at for at in children if self._is_detail(at)]
        return counted(self._symbols[at].kind for at in children)

    def base(self, parent: int) -> int:
        """How many levels there are below a symbol before the first with more than one symbol."""
        levels = 0
        while True:
            inner = [at for at in self._children.get(parent, []) if at in self._children]
            if len(inner) != 1 or len(self._children[parent]) > _ALONE:
                return levels
            (parent,) = inner
            levels += 1

    def size(self, parent: int = -1) -> int:
        """How many symbols stand in one, at any depth."""
        if parent < 0:
            return len(self._symbols)
        inside = {parent}
        for at in range(parent + 1, len(self._symbols)):
            if self._symbols[at].parent in inside:
                inside.add(at)
        return len(inside) - 1

    def cannot_fit(self, parent: int, fold: Fold, room: float) -> bool:
        """Whether a rendering surely costs more tokens than that. Cheap: nothing is rendered."""
        total = 0.0
        for level, found in enumerate(self._sizes(parent)):
            if level > fold.rows or (level == fold.rows and not fold.packed):
                break
            is_packed = level == fold.rows
            for one in found:
                total += least(one, fold, is_packed=is_packed, has_doc=level < fold.docs)
                if total > room:
                    return True
        return False

    def _sizes(self, parent: int) -> list[list[Size]]:
        """By level below a symbol: the sizes of what stands there."""
        if parent not in self._sized:
            found: list[list[Size]] = []
            level = self._children.get(parent, [])
            while level:
                found.append([self._size(at) for at in level])
                level = [below for at in level for below in self._children.get(at, ())]
            self._sized[parent] = found
        return self._sized[parent]

    def _size(self, at: int) -> Size:
        one = self._symbols[at]
        return Size(
            self._is_detail(at),
            len(str(one.start_line)) + (one.end_line > one.start_line) * len(str(one.end_line)),
            len(one.name),
            len(one.signature),
            len(one.doc),
        )

    def most_folded(self, parent: int) -> int:
        """The symbol in which the most stands, to name as the one to open; -1 for none."""
        best, most = -1, 0
        for at in self._children.get(parent, []):
            count = len(self._children.get(at, []))
            if count > most:
                best, most = at, count
        return best

    def _tells_the_same(self, at: int, shown: Symbol) -> bool:
        """Whether a row says all of this symbol already: `int a, b;` is two symbols."""
        one = self._symbols[at]
        return (
            bool(one.signature)
            and (one.start_line, one.end_line, one.signature)
            == (shown.start_line, shown.end_line, shown.signature)
            and at not in self._children
        )

    def _is_detail(self, at: int) -> bool:
        return self._symbols[at].kind in DETAILS and at not in self._children

    def _run(self, run: Sequence[int], fold: Fold, level: int) -> Iterator[str]:
        """Fields or constants that follow each other, as one row."""
        if not run or fold.details == "count":
            return
        ones = [self._symbols[at] for at in run]
        names = list(dict.fromkeys(printable(one.name) for one in ones))
        more = f" … {len(names) - _RUN_NAMES} more" if len(names) > _RUN_NAMES else ""
        span = _span(ones[0].start_line, max(one.end_line for one in ones))
        yield f"{_indent(level)}{span} {', '.join(names[:_RUN_NAMES])}{more}"

    def _packed(self, children: Sequence[int], fold: Fold, level: int) -> Iterator[str]:
        shown = [at for at in children if not self._is_detail(at)]
        if fold.details != "count":
            yield from self._run([at for at in children if self._is_detail(at)], fold, level)
        words = [
            self._packed_word(name, list(same), fold)
            for name, same in groupby(shown, key=lambda at: printable(self._symbols[at].name))
        ]
        for first in range(0, len(words), _PACKED_NAMES):
            yield _indent(level) + ", ".join(words[first : first + _PACKED_NAMES])

    def _packed_word(self, name: str, same: Sequence[int], fold: Fold) -> str:
        """A name among others, once for all that follow one another with it."""
        first, last = self._symbols[same[0]], self._symbols[same[-1]]
        word = shortened(name, _PACKED_NAME) + (f" ×{len(same)}" if len(same) > 1 else "")
        span = _span(first.start_line, max(last.end_line, first.end_line))
        return f"{word} {span}" if fold.packed == "lines" else word

    def _attributes(self, one: Symbol, width: int) -> str:
        """The decorators, attributes or annotations that stand before a signature."""
        name_line = min(one.line, len(self._lines))
        if one.start_line < 1 or width < 56:
            return ""
        found: list[str] = []
        in_comment = False
        first = max(one.start_line, name_line - _ATTRIBUTE_LINES)
        for line in self._lines[first - 1 : name_line - 1]:
            text = line.strip()
            if in_comment or text.startswith("/*"):
                in_comment = "*/" not in text
                continue
            if text[:1] in "@#[" and (mark := _ATTRIBUTE.match(text)):
                if text.startswith(("@doc", "@moduledoc", "@typedoc")):
                    continue
                whole = text if len(text) <= 40 and text.count("(") == text.count(")") else mark[0]
                found.append(whole)
        if name_line >= 1 and not one.signature.startswith("@"):
            line = self._lines[name_line - 1][:400]
            before = line[: max(line.find(one.signature[:_HEAD]), 0)]
            same = _SAME_LINE.search(before[-200:])
            if same and (not found or found[-1] != same[0].strip()):
                found.append(same[0].strip())
        return shortened(printable(" ".join(found)), max(width // 2, 24))


def place(one: Symbol) -> str:
    """The lines of a symbol: "12-40", or "12"."""
    return _span(one.start_line, one.end_line)


def printable(text: str) -> str:
    """One line without characters that hide, reorder or steer."""
    return " ".join(plain(text).split())


def shortened(text: str, width: int, name: str = "") -> str:
    """The head and the tail of a text, some `width` characters; the middle is left out.

    `name` is not: what it is about must be read.
    """
    if len(text) <= width:
        return text
    tail = min(width // 3, 40)
    head = width - tail - 3
    found = text.find(name, 0, _NAME_WITHIN) if name else -1
    if found >= 0 and found + len(name) > head:
        # the name and a little more; the tail would say less than that
        return text[: max(found + len(name), width - 2)].rstrip() + " …"
    end = text[len(text) - tail :]
    # no half word, where there is a whole one
    end = end.partition(" ")[2] if " " in end.strip() and not end[0].isspace() else end
    return f"{text[:head].rstrip()} … {end.lstrip()}"


def counted(kinds: Iterable[str]) -> str:
    """How many there are of each kind: 3 methods, 1 field."""
    counts = Counter("method" if kind == "constructor" else kind for kind in kinds)
    return ", ".join(
        f"{number} {kind if number == 1 else _PLURALS.get(kind, kind + 's')}"
        for kind, number in counts.most_common()
    )


def _span(first: int, last: int) -> str:
    return f"{first}-{last}" if last > first else str(first)


def _indent(level: int) -> str:
    return _INDENT * min(level, _MOST_INDENTS)


def fitting(rows: Iterable[str], room: float) -> tuple[list[str], float]:
    """(the first rows that fit into so many tokens, what they cost; infinite: there are more)."""
    found: list[str] = []
    used = 0.0
    for row in rows:
        cost = estimate_tokens(row) + NEWLINE
        if used + cost > room:
            return found, math.inf
        used += cost
        found.append(row)
    return found, used
