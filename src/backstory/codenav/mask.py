"""What a grammar cannot read is painted over before it is parsed.

`#if` inside a Swift class, `0b1010` in Kotlin: a grammar that trips over them loses all that
stands around. The painted text has the same length, so that every position stays true; names,
signatures and comments are cut from the true text. The patterns are data: `languages.toml`.
"""

from __future__ import annotations

import re
from functools import cache

from backstory.codenav.conditionals import flattened
from backstory.codenav.languages import Language


def masked(code: bytes, language: Language) -> bytes:
    """The text for the parser: as long as `code`, and the same where no pattern matches.

    A pattern paints over its first group, or else all that it matches, line breaks included: only
    byte offsets hold in both texts, rows and columns of nodes don't. A word to paint with stands
    once, and blanks after it; where it has no room, blanks alone.
    """
    if language.conditionals:
        code = flattened(code)
    if not language.mask:
        return code
    painted = bytearray(code)
    for pattern, fill in _patterns(language.mask):
        for match in pattern.finditer(code):
            start, end = match.span(match.re.groups and 1)
            painted[start:end] = _paint(fill, end - start)
    return bytes(painted)


def _paint(fill: bytes, size: int) -> bytes:
    if len(fill) == 1:
        return fill * size
    return fill.ljust(size) if len(fill) < size else b" " * size


@cache
def _patterns(mask: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[bytes], bytes], ...]:
    return tuple((re.compile(regex.encode(), re.MULTILINE), fill.encode()) for regex, fill in mask)
