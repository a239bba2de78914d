"""Numbers that are written in words or in the digits of other scripts, as 0 to 9."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_OTHER = re.compile(r"(?![0-9])\d|[\u2160-\u2188]")  # and Roman ones
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
}
_VALUES = {
    **{word: number for number, word in enumerate(_UNITS, 1)},
    **{word: number for number, word in enumerate(_TEENS, 10)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}
_SMALL = "|".join((*_UNITS, *_TEENS, *_TENS))
# "three" alone is prose; what is larger than a dozen, or a multiple, is a figure.
_SPELLED = re.compile(
    rf"(?i)(?<![\w-])(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>{'|'.join(_UNITS)}))?"
    rf"|(?P<small>{_SMALL}|an?(?= (?:{'|'.join(_SCALES)})\b)))"
    rf"(?: (?P<scale>{'|'.join(_SCALES)}))?(?![\w-])"
)
_HINT = re.compile(r"(?i)ty\b|ty-|teen\b|\bdozen|\bhundred|\bthousand|\b[mb]illion")
# "eighty-eighty", "one two three four": read out digit by digit, or in pairs
_PAIRS = re.compile(
    rf"(?i)(?<![\w-])({'|'.join((*_TENS, *_TEENS))})[- ]({'|'.join(_TENS)})"
    rf"(?:[- ]({'|'.join(_UNITS)}))?(?![\w-])"
)
_DIGIT = rf"(?:zero|oh|{'|'.join(_UNITS)})"
_ROW = re.compile(rf"(?i)(?<![\w-]){_DIGIT}(?:[- ]{_DIGIT}){{2,}}(?![\w-])")
_VAGUE = {
    "dozens": 12,
    "hundreds": 100,
    "thousands": 1_000,
    "millions": 10**6,
    "billions": 10**9,
}
_MANY = re.compile(rf"(?i)\b(?:{'|'.join(_VAGUE)})\b")
# Small numbers, three to twelve, of the languages that are written with spaces; "elf" and "once"
# are left out, as they mostly are other words.
_COUNTS = {
    word: number
    for words in (
        "three four five six seven eight nine ten eleven twelve",
        "drei vier fünf sechs sieben acht neun zehn - zwölf",
        "trois quatre cinq six sept huit neuf dix onze douze",
        "tres cuatro cinco seis siete ocho nueve diez - doce",
        "três quatro cinco seis sete oito nove dez onze doze",
        "tre quattro cinque sei sette otto nove dieci undici dodici",
        "три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    )
    for number, word in enumerate(words.split(), 3)
    if word != "-"
}
_ROUND = {
    word: number
    for words in (
        "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert",
        "vingt trente quarante cinquante soixante",
        "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa ciento",
        "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem",
        "venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento",
        "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто",
    )
    for number, word in zip(range(20, 110, 10), words.split(), strict=False)
}
_ROUNDED = re.compile(rf"(?i)\b(?:{'|'.join(_ROUND)})\b")
# What events tell the number of; files, steps and the errors found in them a reader may count.
_COUNTED = {
    "test": r"tests?|testes?|pruebas?|тест\w*|测试|用例|テスト|테스트",
    "user": (
        r"users?|customers?|(?:be)?nutzer\w*|kunden|utilisateurs?|usuarios|usuários|utenti|"
        r"пользовател\w*|用户|客户|ユーザー?|사용자"
    ),
}
_WORDY = "|".join(_COUNTS)
_SCALED = "|".join(_SCALES)
_NOUNS = "|".join(f"(?P<{stem}>{words})" for stem, words in _COUNTED.items())
_CLAIM = re.compile(rf"(?i)(?<![\w-])(?P<number>{_WORDY})(?= (?:(?!{_SCALED})\w+ )?(?:{_NOUNS})\b)")
_ANY_COUNT = re.compile(rf"(?i)(?<![\w-])(?P<number>{_WORDY})(?![\w-])")
_HAN_MEASURE = "[个個次条條处處项項名位件例种種本回人つ]"
_HAN_CLAIM = re.compile(rf"(?P<number>[三四五六七八九十]){_HAN_MEASURE}(?=\w{{0,3}}?(?:{_NOUNS}))")
_HAN_COUNT = re.compile(rf"(?P<number>[一二两三四五六七八九十]){_HAN_MEASURE}")
_CHINESE = {char: at for at, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_CHINESE_SCALES = {"十": 10, "百": 100, "千": 1_000}
# 万一 and 千万 are words; a number begins with a digit, or with ten.
_HAN = re.compile(
    "(?:[一二两三四五六七八九][十百千万]|十[一二三四五六七八九])[零一二两三四五六七八九十百千万]{0,12}"
)


def plain_digits(text: str) -> str:
    """The text with such numbers as figures."""
    text = _ROW.sub(lambda found: _joined(found[0].replace("-", " ").split()), text)
    if _HINT.search(text):
        text = _PAIRS.sub(_paired, text)
        text = _SPELLED.sub(_spelled, text)
    text = _ROUNDED.sub(lambda found: str(_ROUND[found[0].lower()]), text)
    if text.isascii():
        return text
    text = _HAN.sub(lambda found: f" {_han(found[0])} ", text)
    return _OTHER.sub(lambda found: f"{unicodedata.numeric(found[0]):.0f}", text)


def small_counts(text: str) -> set[str]:
    """The small numbers that a source spells."""
    spelled = {_small(found) for found in (*_ANY_COUNT.finditer(text), *_HAN_COUNT.finditer(text))}
    return set(map(str, spelled))


def claimed_digits(text: str, occurs: Callable[[str], int]) -> str:
    """The text with small numbers as figures where they are claims: eight tests pass.

    occurs: how often a part of a word stands in the source: who sees eight may count them.
    """

    def claimed(found: re.Match[str]) -> str:
        stem = next(stem for stem in _COUNTED if found[stem])
        number = _small(found)
        return found[0] if occurs(stem) >= number else f" {number} "

    return _HAN_CLAIM.sub(claimed, _CLAIM.sub(claimed, text))


def vague(text: str) -> list[tuple[str, int]]:
    """Words such as "hundreds", and the least number that makes them true."""
    return [(word, _VAGUE[word.lower()]) for word in _MANY.findall(text)]


def _small(found: re.Match[str]) -> int:
    word = found["number"].lower()
    return _COUNTS.get(word) or _CHINESE.get(word, 10)


def _joined(words: list[str]) -> str:
    return "".join(str(_VALUES.get(word.lower(), 0)) for word in words)


def _paired(found: re.Match[str]) -> str:
    last = _VALUES[found[2].lower()] + _VALUES.get((found[3] or "").lower(), 0)
    return f"{_VALUES[found[1].lower()]}{last}"


def _spelled(found: re.Match[str]) -> str:
    word = (found["tens"] or found["small"]).lower()
    number = _VALUES.get(word, 1) + _VALUES.get((found["unit"] or "").lower(), 0)
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
