"""`#if` and its kin are painted over before a source is parsed.

A grammar of C takes `#if … #endif` for a node, and loses its way where a branch opens a block that
it does not close. Without these lines it reads what stands between them like everything else. Of
branches that are no whole statements, the first one is read; what stands under `#if 0` is not.
Where things are listed, in an enum or behind a `=`, it cannot read any directive.
"""

from __future__ import annotations

import re
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

    def _note_words(self, words: bytes) -> None:
        if self.is_enum or b"enum" in words:
            for word in _WORD.findall(words):
                self.is_enum = word == b"enum" or (self.is_enum and word[-1:] not in b";=()")


def flattened(code: bytes) -> bytes:
    """The source without its conditional lines: as long as `code`, with the same line breaks."""
    if b"#" not in code:
        return code
    lines: list[tuple[int, int]] = []  # what is painted over
    open_groups: list[_Group] = []
    blocks = _Blocks()
    assumed: dict[bytes, bool] = {}  # conditions by which branches were chosen
    for found in _TOKEN.finditer(code):
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
    painted = bytearray(code)
    for start, end in lines:
        painted[start:end] = _NO_BREAK.sub(b" ", code[start:end])
    return bytes(painted)


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
