"""The definitions of a source in order, each with all that belongs to it.

Everything here goes by positions: asking a node for its parent or its neighbour takes time that
grows with the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from backstory.codenav.captures import Definition, ImportRange, Piece, Range, Wrapper, marks_of
from backstory.codenav.parse import Match

_STATEMENT_ENDS = b" \t\r\n;,"
_WHITE = b" \t\r\n"
_REACH = 64  # bytes that are looked at together


@dataclass(frozen=True, slots=True)
class Found:
    """What a query found."""

    definitions: list[Definition]  # outer ones before inner ones
    imports: list[ImportRange]
    comments: list[Range]  # in order, none in another


def definitions(
    matches: Iterable[Match], text: bytes, painted: bytes, doc_marks: Sequence[str]
) -> Found:
    """What stands in a source.

    `painted` is what the parser saw of it. A comment before a definition belongs to it when the
    comment begins with one of `doc_marks` ("" for any).
    """
    marks = marks_of(matches, text)
    comments = _outermost(marks.comments)
    pieces = _Pieces(painted, comments, marks.leading)
    wanted = tuple(mark.encode() for mark in doc_marks)
    found = [one for one in marks.best.values() if one.plan.kind]
    found.sort(key=_order)
    result = [one for one in _without_locals(found, marks.locals) if one.read(text)]
    for one in result:
        if one.body in marks.docs and not one.docs:
            one.docs = (marks.docs[one.body],)
        if (one.start, one.end) in marks.wrappers:
            _unwrap(one, marks.wrappers, painted)
        while (end := pieces.from_(one.head)) and end < one.end:
            one.head = _next(painted, end)
        if painted is not text:
            _unpaint(one, text, painted)
        if not pieces.are_none:
            _take_in(one, pieces, painted, wanted)
            _let_go(one, pieces, painted)
    result.sort(key=_order)
    _close_headings(result, len(text))
    return Found(result, sorted(marks.imports.values(), key=lambda one: one.start), comments)


class _Pieces:
    """What may stand before a definition and belong to it."""

    def __init__(self, text: bytes, comments: list[Range], leading: Iterable[Piece]) -> None:
        self._text = text
        self._comments = comments
        self._starts = [start for start, _ in comments]
        # those that are no comments, by their ends, white space left aside
        self.leads = {last_of(text, one.end, one.start): one for one in leading}
        self._by_start = {one.start: one.end for one in leading}
        self.are_none = not comments and not self.leads

    def comment(self, end: int) -> Range | None:
        """The comment that ends there."""
        at = bisect_left(self._starts, end) - 1
        if at < 0:
            return None
        found = start, stop = self._comments[at]
        if stop == end:
            return found
        return found if stop > end and last_of(self._text, stop, start) == end else None

    def from_(self, start: int) -> int:
        """The end of the one that begins there; 0 for none."""
        if start in self._by_start:
            return self._by_start[start]
        at = bisect_left(self._starts, start)
        if at < len(self._starts) and self._starts[at] == start:
            return self._comments[at][1]
        return 0


def last_of(text: bytes, end: int, start: int = 0) -> int:
    """The position after the last byte before `end` that is no white space."""
    if end > start and text[end - 1] not in _WHITE:  # nearly always
        return end
    while end > start:
        piece = text[max(start, end - _REACH) : end]
        if kept := len(piece.rstrip(_WHITE)):
            return end - len(piece) + kept
        end -= len(piece)
    return end


def _next(text: bytes, position: int) -> int:
    while position < len(text) and text[position] in _WHITE:
        position += 1
    return position


def _order(one: Definition) -> tuple[int, int, int, int]:
    return one.start, -one.end, one.at, one.pattern


def _outermost(comments: list[Range]) -> list[Range]:
    """The comments in order, without those that are a part of another."""
    result: list[Range] = []
    last_start = last_end = -1
    for one in sorted(comments):
        start, end = one
        if end > last_end:
            if start == last_start:
                result.pop()
            result.append(one)
            last_start, last_end = one
    return result


def _without_locals(found: Iterable[Definition], functions: list[Range]) -> Iterator[Definition]:
    """The definitions, in order, that are none of a function's own, and stand where they must."""
    functions.sort(reverse=True)
    around: list[tuple[int, int, bool]] = []  # start, end, whether it is a function
    for one in found:
        # a function that begins where a definition does is that definition
        while functions and functions[-1][0] < one.start:
            start, end = functions.pop()
            _enter(around, start, end, True)
        plan = one.plan
        inside = _enter(around, one.start, one.end, plan.is_function)
        if (plan.is_global and inside is True) or (plan.nested and inside is None):
            around.pop()
            continue
        yield one


def _enter(
    around: list[tuple[int, int, bool]], start: int, end: int, is_function: bool
) -> bool | None:
    """Whether a function is the innermost of what contains a range; None where nothing does."""
    while around and around[-1][1] <= start:
        around.pop()
    if around and around[-1][0] == start and around[-1][1] == end:
        # several names of one node stand beside each other
        around.pop()
    inside = None
    for each in reversed(around):
        if end <= each[1]:
            inside = each[2]
            break
    around.append((start, end, is_function))
    return inside


def _unwrap(one: Definition, wrappers: Mapping[Range, Wrapper], text: bytes) -> None:
    """Let a definition begin, and end, where the statement around it does."""
    inner = (one.start, one.end)
    while inner in wrappers:
        wrapper = wrappers[inner]
        if wrapper.range == inner:
            return
        start, end = wrapper.range
        one.head = min(one.head, wrapper.head)
        one.start = min(one.start, start)
        rest = text[one.end : end] if end - one.end < 100 else b"?"
        if not rest.strip(_STATEMENT_ENDS):
            one.end = max(one.end, end)
        inner = wrapper.range


def _unpaint(one: Definition, text: bytes, painted: bytes) -> None:
    """Let a definition begin with what was painted over before it in its line."""
    start = one.start
    while start > 0 and painted[start - 1] in b" \t" and text[start - 1] not in b"\r\n":
        start -= 1
    start = _next(text, start)
    if start < one.start:
        if one.head == one.start:
            one.head = start
        one.start = start


def _take_in(one: Definition, pieces: _Pieces, text: bytes, wanted: tuple[bytes, ...]) -> None:
    """Let a definition begin with the attributes and the doc comment before it."""
    start, docs = one.start, list[Range]()
    while True:
        end = last_of(text, start)
        if pieces.leads and (lead := pieces.leads.get(end)):
            start = one.start = lead.start
            if lead.doc:
                docs.append(lead.doc)
            continue
        comment = pieces.comment(end)
        if comment is None or text.count(b"\n", end, start) > 1:
            break
        start = comment[0]
        if not _begins_line(text, start):
            break
        # a comment of another kind counts when it stands below something that does
        if text.startswith(wanted, start) and not (start == 0 and text.startswith(b"#!")):
            one.start = start
            docs.append(comment)
    if docs:
        one.docs = tuple(reversed(docs))


def _let_go(one: Definition, pieces: _Pieces, text: bytes) -> None:
    """Let a definition end before the comments at its end, which some grammars count in."""
    end = last_of(text, one.end, one.at)
    while end not in pieces.leads and (comment := pieces.comment(end)):
        start, stop = comment
        if start <= max(one.at, one.body) or stop < end or not _begins_line(text, start):
            return
        one.end = end = last_of(text, start, one.at)


def _begins_line(text: bytes, position: int) -> bool:
    if position > 0 and text[position - 1] == 10:
        return True
    while position > 0:
        before = text[max(0, position - _REACH) : position].rstrip(b" \t")
        if before:
            return before[-1] == 10
        position -= _REACH
    return True


def _close_headings(found: Iterable[Definition], size: int) -> None:
    """Let each heading end where the next one of its level, or of a higher one, begins."""
    waiting: list[Definition] = []
    for one in found:
        if one.plan.level:
            while waiting and waiting[-1].plan.level >= one.plan.level:
                waiting.pop().end = one.start
            waiting.append(one)
    for one in waiting:
        one.end = size
