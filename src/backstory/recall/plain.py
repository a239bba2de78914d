"""Recalled text and dates as they are injected unasked. Thin: hook processes load it."""

import time

# Nothing that steers a terminal, hides text or looks like markup goes into a prompt unasked.
_HIDDEN = dict.fromkeys(
    [
        *range(32),
        *range(127, 160),
        *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFEFF, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0x200B, 0x2010),
        *range(0x2028, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),  # variants of characters, by which text can be hidden
        *range(0xFFF0, 0xFFFC),
        *range(0x1BCA0, 0x1BCA4),
        *range(0x1D173, 0x1D17B),
        *range(0xE0000, 0xE1000),
        *map(ord, "<>"),
    ],
    " ",
)


def plain(text: str, limit: int) -> str:
    """One line that is safe to inject: no control, bidi or zero-width characters, no URLs."""
    words = [word for word in text.translate(_HIDDEN).split() if "://" not in word]
    line = " ".join(words)
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut) + "…"


def date_of(at: int) -> str:
    """The day of a time in milliseconds, UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime(at / 1000))
