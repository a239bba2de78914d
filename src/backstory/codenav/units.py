"""One statement of a text by its indents: its own rows, and those that stand below them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from backstory.codenav.edits import Edit
from backstory.codenav.lexis import CLOSERS, OPENERS, PUNCTUATION, REACH, Lexis
from backstory.codenav.pages import Row, depth_of, mark_of

_TAIL = re.compile(rb"[ \t]*(?:\{|=>[ \t]*\{|:|;|,|\bdo\b(?:[ \t]*\|[^|\n]*\|)?)$")
_LABEL = re.compile(
    rb"(?:case\b|default\s*[:=-]|(?:public|private|protected)\s+\w+:|\w+:(?!:)|else\b|elsif\b"
    rb"|rescue\b|ensure\b|when\b|in\b|\|)"
)
_AFTER = re.compile(rb"(?:else|catch|finally|except)\b")
_GUARDED = re.compile(
    rb"[ \t]*(?:\}[ \t]*)?(?:else[ \t]+)?(?:if|elsif|elif|for|foreach|while|switch|match|when|catch"
    rb"|guard|unless|until|with)\b"
)
_CONDITION = re.compile(rb"\b(?:if|elsif|for|foreach|while|switch|match|when|catch|with)\s*\Z")
_MOST_ROWS = 80  # that the arguments of a call, or the head of a function, go on for
_MOST_HEAD = 12  # rows


@dataclass(slots=True)
class Work:
    """A text that is gone through, and what is found to be done to it."""

    text: bytes
    lexis: Lexis
    rows: list[Row]
    edits: list[Edit] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)  # from 1: of single statements
    left: int = 0  # rows that may still be looked at

    def put(self, at: int, new: bytes, end: int = -1) -> None:
        self.edits.append((at, at if end < 0 else end, new))


@dataclass(slots=True)
class Open:
    """A bracket that is open."""

    mark: bytes
    at: int
    row: int
    block: int = -1  # where a block begins in it


class Unit:
    """A row, what is indented below it, and the rows that go on with it: `} else {`, `end`."""

    def __init__(self, work: Work, start: int, high: int, *, is_awaited: bool) -> None:
        self._work = work
        self.start = start
        self.pending: list[Unit] = []  # blocks below that are not indented, or half typed
        self._is_awaited = is_awaited  # the end of a block that was opened before
        self.heads: list[int] = []
        self.inner: list[tuple[int, int]] = []  # rows that stand below
        self.opened: list[Open] = []
        self.strays: list[tuple[re.Match[bytes], int]] = []
        self._inserted: list[tuple[int, bytes]] = []
        self._quoted: list[Edit] = []
        self._last_closed: dict[int, int] = {}
        self._take(start)
        at = self._absorbed(start + 1, high)
        at = self._absorbed(self._behind_head(at, high), high)
        indent = work.rows[start].indent
        while at < high:
            row = work.rows[at]
            if not row.whole:
                self._take(at)
                at += 1
            elif row.indent > indent:
                begin = at
                while at < high and (work.rows[at].indent > indent or not work.rows[at].whole):
                    at += 1
                self.inner.append((begin, at))
            elif row.indent == indent and self._goes_on(row):
                self._take(at)
                at = self._absorbed(at + 1, high)
            else:
                break
        self.end = at

    @property
    def is_flat(self) -> bool:
        """Whether it opens a block, and nothing stands below it."""
        return (
            not self.inner
            and len(self.opened) == 1
            and self.opened[0].mark in (b"{", b"do")
            and not self.strays
            and self.opened[0].row == self.heads[-1]
        )

    def _goes_on(self, row: Row) -> bool:
        said = self._work.text[row.first : row.end]
        if said[:1] in (b")", b"]", b"}") or re.match(rb"end\b", said):
            is_block = said[:1] not in (b")", b"]")
            opens = any((one.mark in (b"{", b"do")) == is_block for one in self.opened)
            return opens or (bool(self.opened) and not self._is_awaited)
        if said[:1] == b"{":
            last = self._work.rows[self.heads[-1]]
            ending = self._work.text[last.end - 1 : last.end]
            return not self.inner and not self.opened and ending not in (b";", b"{", b"}")
        is_after = _AFTER.match(said) and not self._work.lexis.ends
        blocks = [n for n, one in enumerate(self.opened) if one.mark in (b"{", b"do")]
        if not blocks or not (is_after or _LABEL.match(said)) or (is_after and not self.inner):
            return False
        while len(self.opened) > blocks[-1] + 1:
            one = self.opened.pop()
            self._inserted.append((self._place(one), _said(one.mark)))
        if is_after:
            last = self._work.rows[self.inner[-1][1] - 1]
            self._inserted.append((last.end, b"}"))
            self.opened.pop()
        return True

    def _behind_head(self, at: int, high: int) -> int:
        """The row behind a head that goes on over several rows and opens its block in the last."""
        work, own = self._work, self._work.rows[self.start]
        if work.lexis.ends:
            return self._behind_joined(at, high)
        if self.opened or self.strays or work.lexis.indented:
            return at
        if at >= high or work.rows[at].indent <= own.indent:
            return at
        if _is_done(work.text, work.rows[at - 1]):
            return at
        for last in range(at, min(high, at + _MOST_HEAD)):
            row = work.rows[last]
            if row.indent <= own.indent:
                return at
            if not _is_done(work.text, row):
                continue
            if not work.text.startswith(b"{", row.end - 1):
                return at
            if last + 1 < high and work.rows[last + 1].indent > work.rows[at].indent:
                return at
            for one in range(at, last + 1):
                self._take(one)
            return last + 1
        return at

    def _behind_joined(self, at: int, high: int) -> int:
        """The row behind those that what ends with a comma or a backslash goes on in."""
        work, indent = self._work, self._work.rows[self.start].indent
        while not self.opened and at < high and work.rows[at].indent > indent:
            last = work.rows[at - 1]
            if not work.text.startswith((b",", b"\\"), last.end - 1):
                break
            self._take(at)
            at += 1
        return at

    def _absorbed(self, at: int, high: int) -> int:
        """The row behind those that the arguments begun in the last one go on for."""
        while self.opened and self.opened[-1].mark in (b"(", b"["):
            end = self._end_of_arguments(at, high)
            if end < 0:
                break
            for one in range(at, end):
                self._take(one)
            at = end
        return at

    def _end_of_arguments(self, at: int, high: int) -> int:
        work, indent = self._work, self._work.rows[self.start].indent
        expected = [CLOSERS[one.mark] for one in self.opened]
        least = len(expected)
        for number in range(at, min(high, at + _MOST_ROWS)):
            row = work.rows[number]
            if row.whole and row.indent <= indent:
                begins = work.text[row.first : row.first + 1]
                if row.indent < indent or begins not in (b")", b"]", b"}"):
                    return -1
            is_closed = False
            for token in row.tokens:
                mark = mark_of(token)
                if mark is None:
                    if token.lastgroup == "quote":
                        return -1
                elif mark in CLOSERS:
                    expected.append(CLOSERS[mark])
                elif not expected or expected.pop() != mark:
                    return -1
                is_closed = is_closed or len(expected) < least
            if is_closed:
                return number + 1
        return -1

    def _take(self, at: int) -> None:
        """One more row of its own."""
        self.heads.append(at)
        row = self._work.rows[at]
        skipped = -1
        for token in row.tokens:
            if token.start() < skipped:
                continue
            mark = mark_of(token)
            if mark is None:
                if token.lastgroup == "quote":
                    tail = PUNCTUATION.search(
                        self._work.text, max(token.end(), row.end - REACH), row.end
                    )
                    skipped = tail.start() if tail else row.end
                    self._quoted.append((skipped, skipped, token[0]))
            elif mark in CLOSERS:
                place = token.end() - len(token[0].split()[-1])
                if mark == b"{" and self.opened and self.opened[-1].block < 0:
                    self.opened[-1].block = place
                self.opened.append(Open(mark, place, at))
            else:
                self._close(token, mark, at)

    def _close(self, token: re.Match[bytes], mark: bytes, at: int) -> None:
        opener = OPENERS[mark]
        if self.opened and self.opened[-1].mark == opener:
            one = self.opened.pop()
            self._last_closed[one.row] = token.end()
            return
        inner = next((n for n, one in enumerate(reversed(self.opened)) if one.mark == opener), 0)
        if not inner:
            row = self._work.rows[at]
            if mark == b"}" and token.start() == row.first and self.opened and self.inner:
                self._cut_head(closes=self._work.text[token.end() : token.end() + 1])
            else:
                self.strays.append((token, at))
            return
        row = self._work.rows[at]
        for _ in range(inner):
            one = self.opened.pop()
            place = token.start()
            if one.row != at and token.start() == row.first:
                place = self._place(one)
            elif one.mark != b"{":
                held = self._work.text[one.at + 1 : place]
                place -= len(held) - len(held.rstrip(b"; \t"))
            self._inserted.append((place, _said(one.mark)))
        self.opened.pop()

    def _cut_head(self, closes: bytes) -> None:
        """Somebody is writing the head: what is open in it is closed, and the block begun, or only
        that where the bracket behind the block `closes` what is open."""
        end = self._work.rows[self.inner[0][0] - 1].end
        if closes == CLOSERS[self.opened[-1].mark]:
            self._inserted.append((end, b"{"))
            return
        said = b"".join(_said(one.mark) for one in reversed(self.opened))
        self._inserted.append((end, said + b" {"))
        self.opened.clear()

    def _place(self, one: Open) -> int:
        """Where a bracket is closed that nothing closes."""
        work, row = self._work, self._work.rows[one.row]
        below = next((end for start, end in self.inner if start > one.row), 0)
        tail = _TAIL.search(work.text, max(one.at + 1, row.end - REACH), row.end)
        end = tail.start() if tail else row.end
        if one.mark == b"(" and one.block >= 0 and self._is_head_of_block(one):
            return one.at + 1 + len(work.text[one.at + 1 : one.block].rstrip())
        if one.mark in (b"{", b"do"):
            last = work.rows[max(below, self.end_so_far) - 1]
            return last.end if below else row.end
        if not below:
            return end
        begins = work.text[row.start : row.end]
        if _GUARDED.match(begins) or work.lexis.head.match(begins):
            return end
        if one.row in self._last_closed and self._last_closed[one.row] > one.at:
            return self._last_closed[one.row]
        return work.rows[below - 1].end

    def _is_head_of_block(self, one: Open) -> bool:
        """Whether what a bracket holds is a condition, or arguments, and the block is not in it."""
        text, row = self._work.text, self._work.rows[one.row]
        held = text[one.at + 1 : one.block].strip()
        if held.endswith((b"=>", b"->", b",", b"(", b":", b"=")) or b"function" in held:
            return False
        before = text[row.first : one.at]
        return bool(_CONDITION.search(before)) or (not held and before[-1:].isalnum())

    @property
    def end_so_far(self) -> int:
        return max([self.heads[-1] + 1, *(end for _, end in self.inner)])

    def take_back(self, inner: Unit) -> None:
        """Closes what is open with brackets of what stands below."""
        while inner.strays and self.opened and self.opened[-1].mark in (b"(", b"["):
            if OPENERS[inner.strays[0][0][0]] != self.opened[-1].mark:
                break
            inner.strays.pop(0)
            self.opened.pop()

    def mend(self) -> None:
        """Closes what is open, and takes out what closes nothing."""
        for token, at in self.strays:
            self._work.put(token.start(), b"", token.end())
            self._told(at)
        for edit in self._quoted:
            self._work.put(edit[0], edit[2])
            self._told(self.heads[-1])
        for place, said in self._inserted:
            self._work.put(place, said)
            for at in self.heads:
                if self._work.rows[at].start <= place <= self._work.rows[at].end:
                    self._told(at)
        if self._work.lexis.indented and self.inner and self._block_depth() == 0:
            head = self._work.rows[self.inner[0][0] - 1]
            if self._work.text[head.end - 1 : head.end] not in (b":", b"\\"):
                self._work.put(head.end, b":")
        while self.opened:
            one = self.opened.pop()
            said = _said(one.mark)
            if one.mark in (b"(", b"[") and self._work.lexis.indented and self.inner:
                row = self._work.rows[one.row]
                if self._place(one) == row.end:
                    said += b":"
            self._work.put(self._place(one), said)
            self._told(one.row)

    def _block_depth(self) -> int:
        """The brackets that are open where what stands below begins."""
        rows = self._work.rows[self.start : self.inner[0][0]]
        return depth_of(token for row in rows for token in row.tokens)

    def _told(self, at: int) -> None:
        if not self.inner:
            self._work.lines.add(self._work.rows[at].number + 1)


def _is_done(text: bytes, row: Row) -> bool:
    return text[row.end - 1 : row.end] in (b"{", b"}", b";")


def _said(mark: bytes) -> bytes:
    return b"; end" if mark == b"do" else CLOSERS[mark]
