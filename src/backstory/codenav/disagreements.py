"""Where the brackets, quotes and indents of a text disagree, and ways to mend each place.

Nothing here is sure: `mending.py` tries the ways and keeps what helps.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from backstory.codenav.edits import Edit
from backstory.codenav.lexis import (
    CLOSERS,
    OPENERS,
    PUNCTUATION,
    REACH,
    Lexis,
    blanks,
    width,
)
from backstory.codenav.pages import Page, Row

_INSERTED = {b"do": b" do", b"end": b"; end"}
_LABEL = re.compile(
    rb"(?:case\b|default\s*[:=-]|(?:public|private|protected)\s+\w+:|\w+:(?!:)|else|elsif|elif"
    rb"|rescue|ensure|when|in\b|catch|finally|after|\||#|@|\{)"
)
_TAIL = re.compile(
    rb"[ \t]*(?:\{(?:[ \t]*\|[^|\n]*\|)?|=>[ \t]*\{|:|\bdo\b(?:[ \t]*\|[^|\n]*\|)?|;)$"
)
_WORD = re.compile(rb"[\w ./@%$\\-]*")
_GOES_ON = re.compile(rb"(?:[\\,+*/&|=<?.-]|\b(?:and|or|not))$")
_MOST_BACK = 60  # rows that a quote is looked for in
_CODE = re.compile(rb"^[ \t]*(?=\S)", re.MULTILINE)
_MOST_LONGS = 4
_MOST_WAYS = 300
_MOST_POPPED = 20


@dataclass(frozen=True, slots=True)
class Way:
    """One way to mend one place."""

    at: int  # the byte at which its line begins
    tier: int  # lower ones are tried first: 0 and 1 put something in, 2 and 3 take out
    edits: tuple[Edit, ...]
    rank: int = 0  # among those of its line


@dataclass(slots=True)
class _Open:
    """A bracket that is open."""

    mark: bytes
    at: int
    row: int
    indent: int  # of its statement
    most: int  # columns that its other end may stand at
    flat: bool = False  # what it holds is not indented


def disagreements(page: Page) -> list[Way]:
    """What could be done, at most some 300 ways, in the order of the text."""
    return _Walk(page).ways()


def ways_of_line(text: bytes, line: int, lexis: Lexis) -> list[Way]:
    """What could be done to a line (from 1) that cannot be read."""
    lines = text.split(b"\n")
    if not 0 < line <= len(lines):
        return []
    start = sum(len(one) + 1 for one in lines[: line - 1])
    said = lines[line - 1].rstrip()
    indent = len(said) - len(said.lstrip())
    end = start + len(said)
    opens = said.endswith((b"{", b" do"))
    kept = b"{" if said.endswith(b"{") and not said.lstrip().startswith(b"}") else b""
    if lexis.indented:
        kept = b"if 1:" if said.endswith(b":") else b"pass"
    ways = [Way(start, 2, ((start + indent, end, kept),))]
    if opens and not lexis.indented:
        ways.append(Way(start, 3, ((start + indent, end, b""),)))
    return ways


class _Walk:
    """Goes through a text once."""

    def __init__(self, page: Page) -> None:
        self._text = page.text
        self._lexis = page.lexis
        self._rows = page.rows
        self._stack: list[_Open] = []
        self._ways: list[Way] = []
        self._longs = 0
        self._ranks: Counter[tuple[int, int]] = Counter()

    def ways(self) -> list[Way]:
        low = 0
        for at, row in enumerate(self._rows):
            if row.whole:
                self._dedent(at, row)
            indent = low = self._low(at, row, low)
            for token in row.tokens:
                if len(self._ways) > _MOST_WAYS:
                    return self._ways
                kind = token.lastgroup
                if kind == "quote":
                    self._quote(at, token)
                elif kind == "open" or token[0] in (b"(", b"[", b"{"):
                    self._open(at, row, token, indent)
                elif kind in ("bracket", "end"):
                    indent = self._close(at, row, token, indent)
                else:
                    self._long(at, token)
            if self._lexis.indented:
                self._colon(at, row)
            elif self._lexis.semicolons:
                self._semicolon(at, row)
        for one in self._stack[: -_MOST_POPPED - 1 : -1]:
            if not one.flat:
                self._unclosed(one, len(self._rows))
        return self._ways

    def _open(self, at: int, row: Row, token: re.Match[bytes], indent: int) -> None:
        mark, place, column = token[0], token.start(), row.indent
        if token.lastgroup == "open":  # what closes it may stand below the word
            mark = b"do"
            place = token.end() - len(token[0].split()[-1])
            column = max(column, row.indent + place - row.first)
        self._stack.append(_Open(mark, place, at, indent, column))

    def _low(self, at: int, row: Row, before: int) -> int:
        """The indent of the statement that a row goes on with, or begins."""
        if not at:
            return row.indent
        last = self._rows[at - 1]
        goes_on = _GOES_ON.search(self._text, max(last.end - 4, last.first), last.end)
        return min(row.indent, before) if goes_on else row.indent

    def _dedent(self, at: int, row: Row) -> None:
        begins = self._text[row.first : row.end]
        closes = begins[:1] in (b")", b"]", b"}") or bool(re.match(rb"end\b", begins))
        popped: list[_Open] = []
        while self._stack:
            top = self._stack[-1]
            if top.row == at or row.indent > top.indent:
                break
            if row.indent == top.indent:
                if closes or top.flat or (_LABEL.match(begins) and top.mark in (b"{", b"do")):
                    break
                if (
                    top.mark in (b"{", b"do")
                    and top.row == at - 1
                    and self._rows[top.row].end == top.at + len(top.mark)
                ):
                    top.flat = True
                    self._unclosed(top, at, 1)
                    break
            popped.append(self._stack.pop())
        if len(popped) > 1:
            said = b"".join(
                _INSERTED.get(c, c) for c in (CLOSERS[one.mark] for one in popped[:_MOST_POPPED])
            )
            for end in dict.fromkeys((self._rows[at - 1].end, self._rows[popped[-1].row].end)):
                self._add(popped[-1].row, 0, (end, end, said))
        for one in popped[:_MOST_POPPED]:
            self._unclosed(one, at)

    def _close(self, at: int, row: Row, token: re.Match[bytes], indent: int) -> int:
        mark = token[0]
        opener = OPENERS[mark]
        top = self._stack[-1] if self._stack else None
        begins = row.whole and token.start() == row.first
        if top and top.mark == opener:
            if begins and mark in (b"}", b"end") and top.most < row.indent and not top.flat:
                self._lost(at, row, token)
                return indent
            self._stack.pop()
            return min(indent, top.indent)
        below = next(
            (n for n, one in enumerate(reversed(self._stack[-4:])) if one.mark == opener), 0
        )
        if begins and below and self._stack[-1 - below].indent < row.indent:
            below = 0
        if top and begins and not below and top.indent == row.indent and mark in (b"}", b"end"):
            # its head was cut: "foo(a," and then the body
            self._stack.pop()
            end = self._rows[top.row].end
            opening = _INSERTED.get(opener, opener)
            if not opening.startswith(b" "):
                opening = b" " + opening
            self._add(top.row, 0, (end, end, CLOSERS[top.mark] + opening))
            self._add(top.row, 0, (end, end, b"x" + CLOSERS[top.mark] + opening))
            self._add(top.row, 2, (top.at, top.at + len(top.mark), b""))
            self._blank(top.row, at, 3)
            return indent
        if below:
            for _ in range(below):
                inner = self._stack.pop()
                place = token.start()
                self._add(inner.row, 0, (place, place, CLOSERS[inner.mark]))
                self._unclosed(inner, at)
            return min(indent, self._stack.pop().indent)
        self._lost(at, row, token)
        return indent

    def _unclosed(self, top: _Open, until: int, tier: int = 0) -> None:
        """A bracket is open where the row `until` begins."""
        own, last = self._rows[top.row], self._rows[until - 1]
        closer = CLOSERS[top.mark]
        said = _INSERTED.get(closer, closer)
        if top.mark in (b"(", b"["):
            tail = _TAIL.search(self._text, max(top.at + 1, own.end - REACH), own.end)
            if tail:
                place = tail.start()
                self._add(top.row, tier, (place, place, closer))
        self._add(top.row, tier, (last.end, last.end, said))
        if last is not own:
            self._add(top.row, tier, (own.end, own.end, said))
            if self._lexis.indented:
                self._add(top.row, tier, (own.end, own.end, said + b":"))
        self._add(top.row, 2, (top.at, top.at + len(top.mark), b""))
        self._blank(top.row, until - 1, 2 if last is own else 3)

    def _lost(self, at: int, row: Row, token: re.Match[bytes]) -> None:
        """Nothing is open that a bracket could close."""
        head = at - 1
        while head >= 0 and (not self._rows[head].whole or self._rows[head].indent > row.indent):
            head -= 1
        opener = OPENERS[token[0]]
        if head >= 0 and self._rows[head].indent == row.indent and token[0] in (b"}", b"end"):
            end = self._rows[head].end
            said = _INSERTED.get(opener, b" " + opener)
            self._add(head, 0, (end, end, said))
            if opener == b"{":
                self._add(head, 0, (end, end, b"() {"))
            self._blank(head, head, 2, (token.start(), token.end(), b""))
            self._blank(head, at, 3)
        elif token.start() > row.first:
            # somewhere in its line, before it
            for before in (row.first, _word_start(self._text, row.first, token.start())):
                self._add(at, 0, (before, before, opener))
        self._add(at, 0, (token.start(), token.end(), b""))

    def _quote(self, at: int, token: re.Match[bytes]) -> None:
        """A quote has no other end in its line."""
        row, mark = self._rows[at], token[0]
        after = token.end()
        word = _WORD.match(self._text, after, row.end)
        ends = [word.end()] if word else []
        tail = PUNCTUATION.search(self._text, max(after, row.end - REACH), row.end)
        ends.append(tail.start() if tail else row.end)
        for end in dict.fromkeys(ends):
            self._add(at, 0, (end, end, mark))
        before = _word_start(self._text, row.first, token.start())
        self._add(at, 0, (before, before, mark))
        self._add(at, 0, (token.start(), after, b""))
        if len(mark) == 3:
            self._long_quote(at, token.start(), mark, 0)
        self._blank(at, at, 2)

    def _long(self, at: int, token: re.Match[bytes]) -> None:
        """A string over several lines may have swallowed code."""
        text = token[0]
        mark = next((one for one in self._lexis.long if one in text[: len(one) + 2]), b"")
        if not mark or b"\n" not in text:
            return
        row = self._rows[at]
        pattern = self._lexis.head if len(mark) > 1 or mark == b"`" else _CODE
        heads = pattern.finditer(text, text.index(b"\n") + 1)
        head = next((one for one in heads if width(blanks(one[0])) <= row.indent), None)
        if head is None or self._longs == _MOST_LONGS:
            return
        self._longs += 1
        start = token.start() + text.index(mark)
        self._long_quote(at, start, mark, 0)
        line_end = token.start() + text.index(b"\n")
        tail = PUNCTUATION.search(self._text, max(start + len(mark), line_end - REACH), line_end)
        end = tail.start() if tail else line_end
        self._add(at, 0, (end, end, mark))
        before = self._text.rfind(b"\n", 0, token.start() + head.start())
        self._add(at, 0, (before, before, mark))
        place = _word_start(self._text, row.first, start)
        self._add(at, 0, (place, place, mark))
        self._add(at, 0, (start, start + len(mark), b""))

    def _long_quote(self, at: int, start: int, mark: bytes, tier: int) -> None:
        """The end of a string whose beginning lacks a quote."""
        for back in range(at, max(at - _MOST_BACK, -1), -1):
            row = self._rows[back]
            if self._text.startswith(mark[:2], row.first) and row.first != start:
                self._add(
                    back,
                    tier,
                    (row.first, start + len(mark), _breaks(self._text[row.first : start])),
                )
                self._add(back, tier, (row.first, row.first, mark[:1]))
                return
            if self._lexis.head.match(self._text, row.start) and back != at:
                return

    def _colon(self, at: int, row: Row) -> None:
        """Python: a deeper row below one that opens nothing, and none below one that does."""
        if self._stack or at + 1 == len(self._rows):
            return
        below = self._rows[at + 1]
        if not row.whole or not below.whole:
            return
        opens = self._text[row.first : row.end].endswith(b":")
        if below.indent > row.indent and not opens:
            self._add(at, 0, (row.end, row.end, b":"))
            self._add(at, 2, (row.first, row.end, b"if 1:"))
        elif below.indent <= row.indent and opens:
            self._add(at, 0, (row.end, row.end, b" pass"))

    def _semicolon(self, at: int, row: Row) -> None:
        """A statement that does not end where the next one begins."""
        said = self._text[row.first : row.end]
        if not row.whole or not said or said[-1:] in b";{}(,[:.=+-*/&|<>?\\" or said[:1] in b"@[#":
            return
        below = self._rows[at + 1] if at + 1 < len(self._rows) else None
        if below is None or below.indent > row.indent:
            return
        if below.indent < row.indent or self._text[below.first : below.first + 1].isalpha():
            self._add(at, 1, (row.end, row.end, b";"))

    def _add(self, at: int, tier: int, *edits: Edit) -> None:
        self._ranks[at, tier] += 1
        self._ways.append(Way(self._rows[at].start, tier, edits, self._ranks[at, tier]))

    def _blank(self, first: int, last: int, tier: int, *edits: Edit) -> None:
        """Take out rows, and what else is named."""
        start, end = self._rows[first].first, self._rows[last].end
        said = self._text[start:end]
        new = _breaks(said)
        if self._lexis.indented:
            new = (b"if 1:" if said.endswith(b":") and first == last else b"pass") + new
        self._add(first, tier, (start, end, new), *edits)


def _breaks(text: bytes) -> bytes:
    return b"\n" * text.count(b"\n")


def _word_start(text: bytes, least: int, position: int) -> int:
    least = max(least, position - REACH)
    while position > least and (
        text[position - 1 : position].isalnum() or text[position - 1] in b"_. /-:@%$"
    ):
        position -= 1
    while text[position : position + 1] == b" ":
        position += 1
    return position
