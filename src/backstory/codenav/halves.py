"""Lines that somebody seems to be writing just now, told by how they end."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property

from backstory.codenav.edits import Edit
from backstory.codenav.lexis import CLOSERS
from backstory.codenav.pages import Page, Row, depth_of, mark_of

Region = tuple[int, int]  # first and last line, from 1, of what cannot be read

_WITHOUT_BODY = (
    rb"(?:if|elif|elsif|else if|while|for|foreach|switch|match|guard|unless|until)\b"
    rb"(?!\s*\(.*\)\s*\S)"
)
_CONDITION = re.compile(_WITHOUT_BODY + rb"[^{};:]*\Z")
_HALF = re.compile(  # an end that leads on, a condition without its body, a bracket < alone
    rb"(?:[\w)\]?!]\s*(?:\.|->|::|:=|==|!=|&&|\|\||<<|\s\?|\?\?|\?:|=|\+|-)"
    rb"|^\s*" + _WITHOUT_BODY + rb"[^{};:]*"
    rb"|^\s*(?:let|var|val|const)(?:\s+\w+)?|^\s*case\s+[\d.\"'][^\s:{]*"
    rb"|^\s*(?:let|var|val|const|private|public|protected)\s[\w ]+:"
    rb"|^\s*(?:throw|case|when|def|class|import|await|try|begin|lambda|in|return if)"
    rb"|^\s*[@&$*]|=\s*[&*]|^[^<>;]*\w<[\w, ]*|\b(?:new|if|in|not|and|or)|=>)\s*\{?\s*$"
)
_GOES_ON = re.compile(rb"(?:[&|+*/<=?:,(.-]|\b(?:return|and|or))\Z")
_STATEMENT = re.compile(
    rb"(?:if|else|for|foreach|while|switch|return|throw|new|await|case|do|try|catch|using|delete)\b"
)
_CLOSES = (
    b")",
    b"]",
    b"}",
    b"{",
    b"[",
    b"(",
    b".",
    b"?",
    b":",
    b"&",
    b"|",
    b"+",
    b"-",
    b"*",
    b"/",
    b"=",
    b"<",
)
_COMPLETE = b";,}]\"'`\\"  # what half-typed lines do not end with
_WORDS = re.compile(rb"(?!namespace\b|@|#)[\w:<>,*&.\->$ ]*\w")
_UNENDED = re.compile(
    rb"(?!(?:if|for|foreach|while|else|switch|do|try|using|lock|fixed|namespace|class|struct|enum"
    rb"|interface|record|case|default|template)\b|[@#\[]).*[\w)\]\"']"
)
_END = re.compile(rb"end\b")
_FEW_LINES = 3
_NEAR = 4  # lines above a place that cannot be read
_FAR = 20
_MOST_LOOSE = 10
_MOST = 40


class Halves:
    """What may be taken out of a text, or put in, so that more of it can be read, step by step."""

    def __init__(self, mended: Collection[int], *, only_likely: bool) -> None:
        """`mended` are lines (from 1) that were closed already; `only_likely` that nothing is
        taken out for no other reason than that it cannot be read."""
        self._mended = mended
        self._only_likely = only_likely
        self._done: set[int] = set()
        self._has_ended = False

    def edits(self, page: Page, regions: Sequence[Region]) -> list[Edit]:
        """The next step; [] where there is none."""
        lines = _Lines(page, self._done)
        chosen = {line for one in regions for line in lines.likely(one, self._mended)}
        if not chosen and not self._has_ended:
            self._has_ended = True
            ends = {edit for one in regions for edit in lines.ends(one)}
            if ends:
                return sorted(ends)[:_MOST]
        if not chosen:
            chosen = {line for one in regions for line in lines.cut(one)}
        if not chosen and not self._only_likely:
            chosen = {line for one in regions for line in lines.first(one)}
        some = sorted(chosen)[:_MOST]
        self._done.update(some)
        return [edit for line in some if (edit := lines.without(line))]


def suspects(page: Page, regions: Sequence[Region]) -> list[int]:
    """Lines in and above some regions that may be half typed, whatever stands below them."""
    lines = _Lines(page, ())
    return sorted({line for region in regions for line in lines.loosely(region)})[:_MOST_LOOSE]


class _Lines:
    """A text by its lines, from 1."""

    def __init__(self, page: Page, done: Collection[int]) -> None:
        self._text = page.text
        self._lexis = page.lexis
        self._rows = page.rows
        self._places = {
            row.number + 1: at for at, row in enumerate(self._rows) if row.number + 1 not in done
        }

    def likely(self, region: Region, mended: Collection[int]) -> list[int]:
        """The lines in and above a region that were mended, or look half typed."""
        first, last = region
        far = [line for line in range(first - _FAR, last + 1) if line in self._places]
        near = [line for line in far if line >= first - _NEAR]
        closed = [line for line in near if line in mended]
        half = [line for line in near if self._is_half(self._places[line])]
        if not closed and not half:
            half = [line for line in far if self._is_half(self._places[line])]
        if last - first > _FEW_LINES:
            # it is not what was mended that is to blame, but something else
            return half or closed
        return closed or half

    def ends(self, region: Region) -> list[Edit]:
        """What ends the statements in and above a region that lack their end."""
        if not self._lexis.terminated:
            return []
        lines = range(region[0] - _NEAR, region[1] + 1)
        places = [at for line in lines if (at := self._places.get(line)) is not None]
        ends = [self._rows[at].end for at in places if self._lacks_end(at)]
        return [(end, end, b";") for end in ends]

    def cut(self, region: Region) -> list[int]:
        """The lines in and above a small region that end with a word, where no statement does."""
        first, last = region
        if not self._lexis.terminated or last - first > _FEW_LINES:
            return []
        near = [line for line in range(first - _NEAR, last + 1) if line in self._places]
        return [line for line in near if self._is_cut(self._places[line])]

    def loosely(self, region: Region) -> list[int]:
        """The lines in and above a region that end as if more were to come."""
        lines = [line for line in range(region[0] - _NEAR, region[1] + 1) if line in self._places]
        said = {line: self._said(self._places[line]) for line in lines}
        return [line for line in lines if _leads_on(said[line]) and not self._is_head(said[line])]

    def first(self, region: Region) -> list[int]:
        """The first line of a small region that defines nothing."""
        first, last = region
        for line in (*range(first, last + 1), first - 1) if last - first <= _FEW_LINES else ():
            if line in self._places:
                said = self._said(self._places[line])
                if not self._is_head(said) and not said.startswith((b"@", b"#[")):
                    return [line]
        return []

    def without(self, line: int) -> Edit | None:
        """What takes out a line, but not what it opens; None where that cannot be told."""
        row, below = self._rows[self._places[line]], self._below(self._places[line])
        said = self._text[row.first : row.end]
        if any(token.end() > row.end for token in row.tokens):
            return None
        depth = depth_of(row.tokens)
        kept = b""
        if self._lexis.indented:
            is_head = below is not None and below.indent > row.indent
            kept = b"if 1:" if said.endswith(b":") and is_head else b"pass"
        elif depth == 1 and said.endswith(b"{"):
            kept, depth = b"{", 0
        return None if depth else (row.first, row.end, kept)

    def _is_half(self, at: int) -> bool:
        row, below = self._rows[at], self._below(at)
        said = self._said(at)
        if not row.whole or not _leads_on(said) or at in self._inside:
            return False
        if self._is_head(said) and not said.endswith((b"=", b".", b"=>")):
            return False
        if self._is_begun_above(at):
            return False
        if below is None:
            return True
        if below.indent != row.indent:
            return below.indent < row.indent
        return not self._text.startswith(_CLOSES, below.first) and not _END.match(
            self._text, below.first
        )

    def _is_begun_above(self, at: int) -> bool:
        """Whether the line above leads on to this one."""
        if not at or self._lexis.indented or self._rows[at - 1].indent > self._rows[at].indent:
            return False
        return bool(_GOES_ON.search(self._said(at - 1)))

    def _is_cut(self, at: int) -> bool:
        """Whether it ends with a word, where no statement does."""
        row, below = self._rows[at], self._below(at)
        if not _WORDS.fullmatch(self._said(at)) or below is None or at in self._inside:
            return False
        if below.indent != row.indent:
            return below.indent < row.indent
        return not self._text.startswith(_CLOSES, below.first)

    def _lacks_end(self, at: int) -> bool:
        """Whether it is a statement without its last mark."""
        row, below, said = self._rows[at], self._below(at), self._said(at)
        if not row.whole or not _UNENDED.fullmatch(said) or below is None or at in self._inside:
            return False
        if depth_of(row.tokens):
            return False
        if below.indent < row.indent:
            return b"=" in said or bool(_STATEMENT.match(said))
        return below.indent == row.indent and not self._text.startswith(_CLOSES, below.first)

    def _is_head(self, said: bytes) -> bool:
        return bool(self._lexis.head.match(said)) and not _STATEMENT.match(said)

    def _said(self, at: int) -> bytes:
        row = self._rows[at]
        return self._text[row.first : row.end]

    @cached_property
    def _inside(self) -> set[int]:
        """The rows that stand in round or square brackets."""
        opened: list[bytes] = []
        found: set[int] = set()
        for at, row in enumerate(self._rows):
            if opened and opened[-1] in (b"(", b"["):
                found.add(at)
            for token in row.tokens:
                mark = mark_of(token)
                if mark in CLOSERS:
                    opened.append(mark)
                elif mark is not None and opened:
                    opened.pop()
        return found

    def _below(self, at: int) -> Row | None:
        return self._rows[at + 1] if at + 1 < len(self._rows) else None


def _leads_on(said: bytes) -> bool:
    """Whether a line ends as if more were to come."""
    last = said[-1:]
    if last in _COMPLETE:
        return False
    return bool(_HALF.search(said) if last != b")" else _CONDITION.match(said))
