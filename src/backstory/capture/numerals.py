"""The numbers of a text, in every way that they may be meant: 1,000 is 1000 and 1.0 is 1.

A number inside an identifier belongs to the identifier and is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

_NUMBER = re.compile(
    r"(?<!\w)(?P<lead>[vV]?)(?!0[xX][0-9a-fA-F])"
    r"(?P<number>[0-9]{1,3}(?:(?P<mark>[,'_ ])[0-9]{3}(?![0-9]))(?:(?P=mark)[0-9]{3}(?![0-9]))*+"
    r"(?:[.,][0-9]++)?|[0-9]++(?:[.,:/x×-][0-9]++)*+)"
    r"(?P<tail>\w*+)"
)
_UNIT = re.compile(r"[^\W\d_]{0,12}")
_ORDINAL = frozenset(("st", "nd", "rd", "th", "er", "re", "e", "ème", "º", "ª", "o", "a"))
_SMALL = 3  # "the 3rd attempt": a count that everyone can see
_SCALE = {"k": 3, "m": 6, "b": 9}
_POWER = re.compile(r"e([0-9]{1,2})")
_PHRASES = re.compile(
    r"(?i)(?<!\w)(?:utf-?(?:8|16|32)|iso[- ]?8601|x86-64|[1-5]xx|[23]d|2fa|24/7|v8)(?!\w)"
)
_LIST_MARK = re.compile(r"(?:^|(?<=\s))\(?[0-9]{1,2}\)(?=\s|$)|^\s*[0-9]{1,2}\.(?=\s)")
_SPLIT = re.compile(r"[:/x×-]")
_DATE = re.compile(r"([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})")
_DATE_BACKWARDS = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})")
_LONGEST = 200  # characters of what is one number, or a list of some
_PARTS = 6  # of a version
_NAMED_DIGITS = re.compile(r"(?:v|[^\W\d]{2,})([0-9]{1,9})")
_NAMES = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_SPELLED = {word: str(number) for number, word in enumerate(_NAMES)} | {
    "once": "1",
    "twice": "2",
    "first": "1",
    "second": "2",
    "third": "3",
    "both": "2",
}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"


def held_numbers(text: str, words: Iterable[str]) -> frozenset[str]:
    """All numbers of a source, and `words` that hold or spell one; in lower case."""
    held: set[str] = set()
    for found in dict.fromkeys(match.groups() for match in _NUMBER.finditer(text)):
        _, number, _, tail = found
        if len(number) > _LONGEST:
            continue
        for reading in _readings(number):
            held.update(one for one in reading if not one.startswith("month "))
            for one in reading:
                held.update(one.split("-"))  # the year of a date
                parts = one.split(".")
                if 2 < len(parts) <= _PARTS:  # 3.11.4 is a 3.11, 1.5 is no 1
                    held.update(".".join(parts[:end]) for end in range(1, len(parts)))
        if tail:
            held.add(_plain(number) + tail.casefold())
            held.update(_scaled(number, tail.casefold()))
    for word in words:
        if word in _SPELLED:
            held.add(_SPELLED[word])
        if len(word) > 2 and word[:3] in _MONTHS:
            held.add(f"month {_MONTHS.index(word[:3]) // 4 + 1}")
        if digits := _NAMED_DIGITS.fullmatch(word):
            held.add(_plain(digits[1]))
    return frozenset(held)


def cut_numbers(
    text: str, held: frozenset[str], is_held: Callable[[str], bool]
) -> tuple[str, list[str]]:
    """`text` without its numbers, and those of them that `held` lacks.

    is_held: whether what begins with a digit and is no number (a hash, an id) is known.
    """
    missing: list[str] = []

    def judge(found: re.Match[str]) -> str:
        number, tail = found["number"], found["tail"].casefold()
        if not _UNIT.fullmatch(tail) or _is_hash(found[0]):
            missing.extend([] if is_held(found[0]) else [found[0]])
        elif not _holds(held, number, tail) and not is_held(found[0]):
            missing.append(found[0])
        return " "

    text = _PHRASES.sub(" ", _LIST_MARK.sub(" ", text))
    return _NUMBER.sub(judge, text), missing


def _is_hash(text: str) -> bool:
    # five digits and a letter are a figure and its unit
    return bool(
        re.fullmatch(r"(?i)(?=.*[a-f])(?:[0-9a-f]{7,40}|(?![0-9]{5})(?=.*[0-9])[0-9a-f]{6})", text)
    )


def _holds(held: frozenset[str], number: str, tail: str) -> bool:
    if len(number) > _LONGEST:
        return False
    if tail in _SCALE or _POWER.fullmatch(tail):
        return _plain(number) + tail in held or any(one in held for one in _scaled(number, tail))
    if tail in _ORDINAL and number.isdigit() and int(number[:9]) <= _SMALL:
        return True
    return any(all(one in held for one in reading) for reading in _readings(number))


def _scaled(number: str, tail: str) -> Iterator[str]:
    """10k as 10000, 1e6 as 1000000."""
    power = _POWER.fullmatch(tail)
    zeros = int(power[1]) if power else _SCALE.get(tail, 0)
    whole, _, part = number.partition(".")
    if zeros and len(part) <= zeros and (whole + part).isdigit():
        yield _plain(whole + part + "0" * (zeros - len(part)))


def _readings(number: str) -> Iterator[list[str]]:
    """The ways to read a number; each is one number, or several that were joined."""
    if date := _DATE.fullmatch(number):
        yield from _dated(date[1], date[3], date[4])
    elif date := _DATE_BACKWARDS.fullmatch(number):
        yield from _dated(date[3], date[2], date[1])
    elif mark := next((mark for mark in ",'_ " if mark in number), ""):
        groups = number.split(mark)
        if all(len(group.partition(".")[0]) == 3 for group in groups[1:]):
            yield [_plain("".join(groups))]
        elif len(groups) == 2 and mark == "," and groups[1].isdigit():  # 2,5 and 1.000,50
            yield [_plain(groups[0].replace(".", "") + "." + groups[1])]
        yield [one for group in groups for one in _pieces(group)]
    else:
        groups = number.split(".")
        if len(groups) > 1 and len(groups[0]) <= 3 and all(len(g) == 3 for g in groups[1:]):
            yield [_plain("".join(groups))]
        yield list(_pieces(number))


def _dated(year: str, month: str, day: str) -> Iterator[list[str]]:
    month, day = month.lstrip("0"), day.lstrip("0")
    yield [f"{year}-{month}-{day}"]
    yield [year, f"month {month}", day]


def _pieces(number: str) -> Iterator[str]:
    return (_plain(piece) for piece in _SPLIT.split(number) if piece)


def _plain(number: str) -> str:
    """Without zeros that say nothing."""
    whole, dot, part = number.partition(".")
    whole = whole.lstrip("0") or "0"
    if not dot:
        return whole
    if "." not in part:
        part = part.rstrip("0")
    return f"{whole}.{part}" if part else whole
