"""Numbers that are written in words or in the digits of other scripts, as 0 to 9."""

from __future__ import annotations

import re
import unicodedata

_OTHER = re.compile(r"(?![0-9])\d|[\u2160-\u2188]")  # and Roman ones
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_VALUES = {
    **{word: number for number, word in enumerate(_UNITS, 1)},
    **{word: number for number, word in enumerate(_TEENS, 10)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}
_SMALL = "|".join((*_UNITS, *_TEENS, *_TENS))
# "three" alone is prose; what is larger than a dozen, or a multiple, is a figure.
_SPELLED = re.compile(
    rf"(?i)(?<![\w-])(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>{'|'.join(_UNITS)}))?"
    rf"|(?P<small>{_SMALL}))(?: (?P<scale>{'|'.join(_SCALES)}))?(?![\w-])"
)
_HINT = re.compile(r"(?i)ty\b|ty-|teen\b|\bhundred|\bthousand|\bmillion")
_CHINESE = {char: at for at, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_CHINESE_SCALES = {"十": 10, "百": 100, "千": 1_000}
# 万一 and 千万 are words; a number begins with a digit, or with ten.
_HAN = re.compile(
    "(?:[一二两三四五六七八九][十百千万]|十[一二三四五六七八九])[零一二两三四五六七八九十百千万]{0,12}"
)


def plain_digits(text: str) -> str:
    """The text with such numbers as figures."""
    if _HINT.search(text):
        text = _SPELLED.sub(_spelled, text)
    if text.isascii():
        return text
    text = _HAN.sub(lambda found: f" {_han(found[0])} ", text)
    return _OTHER.sub(lambda found: f"{unicodedata.numeric(found[0]):.0f}", text)


def _spelled(found: re.Match[str]) -> str:
    word = (found["tens"] or found["small"]).lower()
    number = _VALUES[word] + _VALUES.get((found["unit"] or "").lower(), 0)
    if found["scale"]:
        return str(number * _SCALES[found["scale"].lower()])
    return found[0] if number <= 12 else str(number)


def _han(text: str) -> int:
    total = part = digit = 0
    for char in text:
        if char in _CHINESE:
            digit = _CHINESE[char]
        elif char == "万":
            total, part, digit = (total + part + digit) * 10_000, 0, 0
        else:
            part += (digit or 1) * _CHINESE_SCALES[char]
            digit = 0
    return total + part + digit
