"""Strings that do not end where they should."""

from __future__ import annotations

import re

from backstory.codenav.edits import Edit, edited
from backstory.codenav.lexis import CLOSERS, PUNCTUATION, REACH, Lexis, blanks, width
from backstory.codenav.pages import Page

_BEFORE = b" \t\n(=,[{:+."  # a quote that begins a string, and
_BEHIND = re.compile(rb"[\w#$*%<@&^~/]")
_WITH_HOLES = re.compile(rb"(?:\b[rRbB]?[fFtT][rRbB]?|\$@?|@\$)[\"']")
_BRACKETS = frozenset({"bracket", "end", "open"})
_MOST_QUOTES = 6  # that may be lost


def lost_quotes(page: Page) -> list[Edit]:
    """The ends of strings over several lines that took in what is none.

    Where a quote is missing, all that follows is read inside out: one string ends in the line in
    which the next one begins, and so on.
    """
    found: list[Edit] = []
    for _ in range(_MOST_QUOTES):
        lost = _lost_quote(Page(edited(page.text, found), page.lexis) if found else page)
        if lost is None:
            break
        at, _, mark = lost
        at -= sum(len(new) for start, _, new in found if start < at)
        if any(start == at for start, _, _ in found):
            break
        found.append((at, at, mark))
        found.sort()
    return found


def lost_holes(page: Page) -> list[Edit]:
    """The ends of what is put into a string, where one has none before the quote at the end of a
    line."""
    if not page.lexis.hole:
        return []
    text = page.hidden
    found: list[Edit] = []
    opener, closer = page.lexis.hole, CLOSERS[page.lexis.hole[-1:]]
    for token in page.tokens:
        if token.lastgroup in _BRACKETS:
            continue
        said = token[0]
        at = said.find(opener)
        if at < 0 or _mark(said) is None or said.count(closer, at) >= said.count(opener[-1:], at):
            continue
        if opener == b"{" and not _WITH_HOLES.search(
            text, max(token.start() - 2, 0), token.start() + 4
        ):
            continue
        line_end = text.find(b"\n", token.end())
        line_end = len(text) if line_end < 0 else line_end
        if line_end - token.end() < REACH and PUNCTUATION.match(text, token.end(), line_end):
            end = token.end() - len(_mark(said) or b"")
            found.append((end, end, closer))
    return found


def _lost_quote(page: Page) -> Edit | None:
    text, lexis = page.hidden, page.lexis
    before = -1  # where the line ends in which the last string over several lines ended
    first: re.Match[bytes] | None = None
    for token in page.tokens:
        if token.lastgroup in _BRACKETS:
            continue
        said = token[0]
        if b"\n" not in said or _mark(said) is None:
            if token.lastgroup == "quote" and first is not None and token.start() < before:
                return _closed(text, lexis, first)
            continue
        if first is None or token.start() > before:
            first = token
        elif first is not token:
            return _closed(text, lexis, first)
        end = text.find(b"\n", token.end())
        before = end if end >= 0 else len(text)
        start = text.rfind(b"\n", 0, token.start()) + 1
        indent = width(blanks(text[start : token.start()]))
        at = token.end() - len(_mark(said) or b"")
        if text[at - 1 : at] in _BEFORE and _BEHIND.match(text, token.end()):
            return _closed(text, lexis, token)
        if _mark(said) not in (b'"', b"'"):
            continue
        for head in lexis.head.finditer(said, said.index(b"\n") + 1):
            if width(blanks(head[0])) <= indent:
                return _closed(text, lexis, token)
    return None


def _closed(text: bytes, lexis: Lexis, token: re.Match[bytes]) -> Edit | None:
    said = token[0].split(b"\n")[0]
    mark = _mark(said)
    if mark is None:
        return None
    line_end = token.start() + len(said.rstrip())
    opening = token.start() + said.find(mark) + len(mark) if mark in said else line_end
    tail = PUNCTUATION.search(text, max(opening, line_end - REACH), line_end)
    end = tail.start() if tail else line_end
    if lexis.hole and text.startswith(lexis.hole, end - 1):
        end += 1
    return (end, end, mark)


def _mark(said: bytes) -> bytes | None:
    """What ends a string that begins so."""
    if said.startswith(b"%"):
        found = re.match(rb"%\w*([\[({])", said)
        return CLOSERS[found[1]] if found else None
    found = re.match(rb"""[\w@$%#]{0,3}("{3}|'{3}|["'`])""", said)
    return found[1] if found else None
