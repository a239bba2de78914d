"""`#if` and its kin are painted over before a source is parsed.

A grammar of C takes `#if … #endif` for a node, and loses its way where a branch opens a block that
it does not close. Without these lines it reads what stands between them like everything else. Of
branches that are no whole statements, the first one is read; what stands under `#if 0` is not.
Where things are listed, in an enum or behind a `=`, it cannot read any directive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    rb"^[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b"
    rb"(?P<rest>(?:[^\n\\/]|\\\r?\n|\\|/\*.*?(?:\*/|\Z)|/(?!/))*+)"
    rb"|^[ \t]*#(?P<other>(?:[^\n\\/]|\\\r?\n|\\|/\*.*?(?:\*/|\Z)|/(?!/))*+)"
    rb"|/\*.*?(?:\*/|\Z)|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
    # all words up to one of these at once: looking at each would take longer than the parser
    rb"|(?P<brace>[{}])|(?P<text>(?:(?:\d(?:\w|'\w)*+|[^\s{}/\"'#]++|#|/(?![*/]))"
    rb"(?:[ \t\r\f\v]++|\n(?![ \t]*#))*+)++)",
    re.MULTILINE | re.DOTALL,
)
_LINE = re.compile(rb"\n[ \t]*+#")
_LIST = re.compile(rb"enum|=[ \t\r\n]*+[{/#]")
_FIRST = re.compile(rb"[ \t]*+#")
_WORD = re.compile(rb"\d(?:\w|'\w)*|[^\s{}/\"'#]+|[#/]")
# what stands behind a comment in its line goes on; or one that is the last
_INNER = re.compile(rb"(/\*(?:[^*]|\*(?!/))*+\*/)(?=[ \t]*[^\s])|/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
# a line without the \ that goes on in the next one
_JOINED = re.compile(rb"(?:[^\\\n]|\\(?!\r?\n))+")
_ENDS = (b";", b"}", b"{", b":")


@dataclass(slots=True)
class _Branch:
    start: int
    end: int = 0
    dead: bool = False  # under #if 0
    depth: int = 0
    lowest: int = 0
    last: bytes = b";"  # the last thing in it that is no comment
    pieces: int = 0  # words and braces; those that follow one another count once

    @property
    def closes_only(self) -> bool:
        """Whether it is but a `;`: what a body in another branch stands for."""
        return self.pieces == 1 and self.last == b";"

    @property
    def whole(self) -> bool:
        """Whether it can be read beside the others."""
        return self.depth == 0 and self.lowest == 0 and self.last.endswith(_ENDS)


@dataclass(slots=True)
class _Group:
    branches: list[_Branch] = field(default_factory=list)
    condition: bytes = b""  # of the first branch, without what turns it round
    negated: bool = False


@dataclass(slots=True)
class _Blocks:
    """The blocks around a place: whether they list things."""

    stack: list[bool] = field(default_factory=list)
    last: bytes = b""  # the last words
    is_enum: bool = False  # the statement began one

    @property
    def in_list(self) -> bool:
        return bool(self.stack) and self.stack[-1]

    def note(self, found: re.Match[bytes]) -> None:
        token = found[0].rstrip()
        if found.lastgroup == "text":
            self._note_words(token)
        elif token == b"{":
            self.stack.append(self.in_list or self.is_enum or self.last.endswith(b"="))
        elif token == b"}":
            if found.start() == 0 or found.string[found.start() - 1] == 10:
                # a brace at the beginning of a line closes everything: branches of #if may have
                # opened one block twice
                self.stack.clear()
            elif self.stack:
                self.stack.pop()
        self.is_enum = self.is_enum and found.lastgroup == "text"
        self.last = token

    @property
    def may_list(self) -> bool:
        """Whether something is listed in one of them, or where the next one begins."""
        return self.is_enum or self.last.endswith(b"=") or any(self.stack)

    def close(self) -> None:
        """A brace at the beginning of a line was passed."""
        self.stack.clear()
        self.last, self.is_enum = b"}", False

    def _note_words(self, words: bytes) -> None:
        if self.is_enum or b"enum" in words:
            for word in _WORD.findall(words):
                self.is_enum = word == b"enum" or (self.is_enum and word[-1:] not in b";=()")


@dataclass(slots=True)
class _Ahead:
    """What comes next in a source: asked of one place after the other."""

    code: bytes
    line: int = -1  # where the next line with a # begins
    mark: int = -1  # where that # is
    opens: int = -1  # where comments begin and end behind the place last asked of
    closes: int = -1
    asked: int = -1

    def skipped(self, start: int, blocks: _Blocks, is_line: bool) -> int:
        """Where to read on: at the next line with a #, or at what opens a list before it.

        is_line: such a line ends at `start`, or the source begins there.
        """
        if self.mark < start:
            first = start == 0 and _FIRST.match(self.code)
            found = first or _LINE.search(self.code, start)
            self.mark = found.end() if found else len(self.code)
            self.line = found.start() + (not first) if found else len(self.code)
        if self.mark == len(self.code):
            return self.mark
        if is_line:
            place = self.code.rfind(b"\n}", start, self.line) + 2
            if place > 1 and not self._is_comment(place):
                blocks.close()
                start = place
        if self.line <= start or blocks.may_list:
            return start
        place = self.line
        if opening := _LIST.search(self.code, start, self.mark):
            place = self.code.rfind(b"\n", start, opening.start()) + 1
        if self._is_comment(place):
            place = self.code.rfind(b"\n", start, self.code.rfind(b"/*", start, place) + 1) + 1
            if place <= start or self._is_comment(place):
                return start
        return max(place, start)

    def _is_comment(self, place: int) -> bool:
        """Whether a place stands in a comment: one ends before the next one begins."""
        self.opens = self._next(b"/*", place, self.opens)
        self.closes = self._next(b"*/", place, self.closes)
        self.asked = place
        return self.closes < self.opens

    def _next(self, mark: bytes, place: int, known: int) -> int:
        """Where a mark comes next; `known` is where it does from the place last asked of."""
        if place < self.asked:
            found = self.code.find(mark, place, self.asked + 1)
            return known if found < 0 else found
        if known >= place:
            return known
        found = self.code.find(mark, place)
        return len(self.code) + 1 if found < 0 else found


def flattened(code: bytes) -> bytes:
    """The source without its conditional lines: as long as `code`, with the same line breaks."""
    if b"#" not in code:
        return code
    lines: list[tuple[int, int]] = []  # what is painted over
    open_groups: list[_Group] = []
    blocks = _Blocks()
    assumed: dict[bytes, bool] = {}  # conditions by which branches were chosen
    for found in _tokens(code, blocks, open_groups):
        kind = found.lastgroup
        if kind in ("brace", "text"):
            blocks.note(found)
        elif kind == "other":
            lines += [found.span()] if blocks.in_list else _inner_comments(found)
            continue
        if kind == "rest":
            word, condition = found["word"], found["rest"].partition(b"/*")[0].strip()
            if word.startswith(b"if"):
                open_groups.append(_group(word, condition))
            elif not open_groups:
                continue
            group = open_groups[-1]
            if group.branches:
                group.branches[-1].end = found.start()
            lines.append(found.span())
            if word == b"endif":
                open_groups.pop()
                _close(group, open_groups, lines, assumed)
            else:
                dead = word == b"if" and condition in (b"0", b"false")
                group.branches.append(_Branch(found.end(), dead=dead))
        elif open_groups and kind in ("brace", "text"):
            _note(open_groups[-1].branches[-1], blocks.last)
    return _without(lines, code) if lines else code


def _without(lines: list[tuple[int, int]], code: bytes) -> bytes:
    painted = bytearray(code)
    for start, end in lines:
        painted[start:end] = _NO_BREAK.sub(b" ", code[start:end])
    return bytes(painted)


def _tokens(code: bytes, blocks: _Blocks, groups: list[_Group]) -> Iterator[re.Match[bytes]]:
    """The tokens in groups, and outside of them those that say what a line with a # stands in."""
    ahead = _Ahead(code)
    start = ahead.skipped(0, blocks, True)
    while start < len(code):
        for found in _TOKEN.finditer(code, start):
            yield found
            kind = found.lastgroup
            if not groups and kind in ("rest", "other", "brace"):
                start = ahead.skipped(found.end(), blocks, kind != "brace")
                if start > found.end():
                    break
        else:
            return


def _group(word: bytes, condition: bytes) -> _Group:
    negated = word == b"ifndef" or (word == b"if" and condition[:1] == b"!")
    return _Group([], condition.lstrip(b"!"), negated)


def _inner_comments(found: re.Match[bytes]) -> list[tuple[int, int]]:
    """Comments in a macro: the grammar takes them for its end."""
    if b"/*" not in found[0]:
        return []
    code = found.string
    inner = (one.span(1) for one in _INNER.finditer(code, *found.span()) if one[1])
    return [part.span() for span in inner for part in _JOINED.finditer(code, *span)]


_NO_BREAK = re.compile(rb"[^\r\n]")


def _note(branch: _Branch, token: bytes) -> None:
    branch.last = token
    branch.pieces += 1
    if token == b"{":
        branch.depth += 1
    elif token == b"}":
        branch.depth -= 1
        branch.lowest = min(branch.lowest, branch.depth)


def _close(
    group: _Group,
    around: list[_Group],
    lines: list[tuple[int, int]],
    assumed: dict[bytes, bool],
) -> None:
    """Paint over the branches that are not read, and count the others in the one around."""
    read = alive = [branch for branch in group.branches if not branch.dead]
    if not all(branch.whole for branch in alive):
        # a block that one #ifdef opens, another one with the same condition closes
        holds = assumed.setdefault(group.condition, not group.negated)
        read = alive[:1] if holds != group.negated else alive[1:2]
    elif any(branch.last == b"}" for branch in alive):
        read = [branch for branch in alive if not branch.closes_only]
    lines += [(one.start, one.end) for one in group.branches if one not in read]
    if around and read:
        outer = around[-1].branches[-1]
        for branch in read:
            outer.lowest = min(outer.lowest, outer.depth + branch.lowest)
            outer.depth += branch.depth
            outer.last = branch.last
