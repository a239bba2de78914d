"""What a grammar cannot read is painted over before it is parsed.

`#if` inside a Swift class, `0b1010` in Kotlin: a grammar that trips over them loses all that
stands around. The painted text has the same length, so that every position stays true; names,
signatures and comments are cut from the true text. The patterns are data: `languages.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from backstory.codenav.conditionals import flattened
from backstory.codenav.languages import Language, Paint

_AROUND = 3_000  # bytes before and behind a hint
_BEYOND = 400  # bytes behind a line that are looked at


@dataclass(frozen=True, slots=True)
class _Pattern:
    pattern: re.Pattern[bytes]
    fill: bytes
    words: tuple[bytes, ...]
    hint: re.Pattern[bytes] | None
    lines: tuple[bytes, ...]
    unless: re.Pattern[bytes] | None


def masked(code: bytes, language: Language) -> bytes:
    """The text for the parser: as long as `code`, and the same where no pattern matches.

    A pattern paints over its groups, or else all that it matches, line breaks included: only
    byte offsets hold in both texts, rows and columns of nodes don't. A word to paint with stands
    once, and blanks after it; where it has no room, blanks alone.
    """
    if not language.mask and not language.conditionals:
        return code
    true, code = code, flattened(code) if language.conditionals else code
    painted = bytearray(code)
    code = b"\n" + code  # so that the first line begins like the others
    places: dict[bytes, list[int]] = {}
    for one in _patterns(language.mask):
        if one.words and not any(word in code for word in one.words):
            continue
        groups = one.pattern.groups
        for match in _in_lines(one, code, places) if one.lines else _found(one, code):
            for group in range(min(groups, 1), groups + 1):
                start, end = match.span(group)
                if max(start, 1) < end and not _is_kept(one.unless, code, start):
                    painted[max(start - 1, 0) : end - 1] = _painted(one.fill, end - max(start, 1))
    return true if painted == true else bytes(painted)


def _is_kept(unless: re.Pattern[bytes] | None, code: bytes, start: int) -> bool:
    """Whether what looks like something to paint over is a name: its line says so."""
    if unless is None:
        return False
    name = unless.match(code, max(code.rfind(b"\n", 0, start + 1), 0))
    return name is not None and name.start(1) == start


def _in_lines(
    one: _Pattern, code: bytes, places: dict[bytes, list[int]]
) -> Iterator[re.Match[bytes]]:
    """The matches that begin at lines with one of the words, or with the break before one."""
    for word in one.lines:
        if word not in places:
            places[word] = [found.start() for found in re.finditer(re.escape(word), code)]
    spans: list[list[int]] = []
    for place in sorted(place for word in one.lines for place in places[word]):
        if spans and place < spans[-1][1]:
            continue
        start, stop = code.rfind(b"\n", 0, place), code.find(b"\n", place)
        stop = len(code) if stop < 0 else stop
        if spans and start <= spans[-1][1] + _BEYOND:
            spans[-1][1] = stop
        else:
            spans.append([start, stop])
    for start, stop in spans:
        for match in one.pattern.finditer(code, start, stop + _BEYOND):
            if match.start() >= stop:
                break
            yield match


def _found(one: _Pattern, code: bytes) -> Iterator[re.Match[bytes]]:
    if not one.hint:
        yield from one.pattern.finditer(code)
        return
    done = 0
    for hint in one.hint.finditer(code):
        if hint.start() >= done:
            start = max(done, hint.start() - _AROUND)
            done = hint.end() + _AROUND
            yield from one.pattern.finditer(code, start, done)


def _painted(fill: bytes, size: int) -> bytes:
    if len(fill) == 1:
        return fill * size
    return fill.ljust(size) if len(fill) < size else b" " * size


@cache
def _patterns(mask: tuple[Paint, ...]) -> tuple[_Pattern, ...]:
    return tuple(
        _Pattern(
            re.compile(one.regex.encode(), re.MULTILINE),
            one.fill.encode(),
            tuple(word.encode() for word in one.words),
            re.compile(one.hint.encode(), re.MULTILINE) if one.hint else None,
            tuple(word.encode() for word in one.lines),
            re.compile(one.unless.encode(), re.MULTILINE) if one.unless else None,
        )
        for one in mask
    )
