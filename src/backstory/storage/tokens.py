"""The one tokeniser in front of full text: what is written and what is asked are folded alike.

SQLite's unicode61 cuts `getUserById` into one word, `get_user_by_id` into four, and a Chinese
sentence into one; so text is cut here and the table only sees plain words between spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, lru_cache

MAX_TEXT = 200_000  # characters of one column that are indexed
MAX_QUERY = 1_000  # characters of a query that are looked at
MAX_TERMS = 32  # terms of a query that are looked for
_MAX_WORD = 64  # longer runs are keys, hashes and blobs: nobody types them whole
_MIN_PREFIX = 3  # letters; shorter beginnings match half of everything
_MIN_STEM = 5  # letters; longer words may have been typed beyond their stem
_MAX_BORDERS = 2  # borders of letters and digits in a word; one with more is a hash, kept whole

# Scripts written without spaces (Han, kana, Hangul, Thai, Lao, Burmese, Khmer).
_UNSPACED = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003134f\u1100-\u11ff\uac00-\ud7a3"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
_WORD = re.compile(
    r"""(?:(?<![\w)\]])\.(?=[A-Za-z])        # .NET, .env; not the dot of login.py
      |(?<!\w)__(?=[^\W_]+(?:_[^\W_]+)*__(?!\w)))?  # __init__ is not init
    [^\W_]+(?:[_-]+[^\W_]+)*                 # snake_case and kebab-case are one
    (?:\+\+|\#(?!\w)|\.(?:[jJ][sS]|NET)(?!\w)|['’](?:s|S|t|re|ll|ve|d|m)(?!\w))?""",
    re.VERBOSE,
)
_HUMP = re.compile(
    r"[_-]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])"  # HTTP|Server, but URLs
    r"|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"
)
_BORDER = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
# What stands between words and is no part of a name. Not / . - _ :: and the like: src/auth/login.py
# is one thing, title:login is two words.
_BETWEEN = re.compile(r"""[\s,;|&()\[\]{}<>*!?=~^"]+|(?<!:):(?!:)|(?<=[^\W_])\+(?=[^\W_])""")
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTED = re.compile(r'"([^"]*)"')
_HEX = re.compile(r"[0-9a-f]{4,}")
_LETTERS = str.maketrans("ёЁأإآٱىة", "еЕااااي\u0647")  # spelled either way by the same person


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a query asks for, as FTS5 expressions made of quoted words only."""

    text: str = field(compare=False)  # as it was typed: asked twice, a word weighs no more
    strict: str  # the word, identifier or phrase itself
    words: tuple[str, ...]  # its parts, for a looser question
    prefix: str  # like strict, and words that begin so
    phrase: bool = False  # it stood in quotation marks: never loosened


def index_text(text: str) -> str:
    """Words between spaces, ready for a column of the full-text table.

    Parts stand in the order of the text, so that phrases work; the whole identifiers
    (`getuserbyid`) follow at the end, once each.
    """
    words, wholes = _cut(_fold(text[:MAX_TEXT]))
    if wholes:
        words += dict.fromkeys(wholes)
    return " ".join(words)


def plain_words(text: str) -> str:
    """The words of a text, nothing but in their order: one text can be looked for in another."""
    return " ".join(_cut(_fold(text[:MAX_TEXT]), last_single=False)[0])


def counted(text: str) -> dict[str, int]:
    """The words that `index_text` makes of a text and how often: many times quicker than those."""
    text = _fold(text[:MAX_TEXT])
    if not text.isascii():
        text = _RUN.sub(lambda run: f" {' '.join(_pairs(run.group(), last_single=True))} ", text)
    total: dict[str, int] = {}
    wholes = set()
    for word, count in Counter(_WORD.findall(text)).items():
        if word.islower() and word.isalpha():
            small = word if word.isascii() else word.casefold()
            total[small] = total.get(small, 0) + count
            continue
        parts, whole = _expand(word)
        for part in parts:
            total[part] = total.get(part, 0) + count
        if whole:
            wholes.add(whole)
    for whole in wholes:
        total[whole] = total.get(whole, 0) + 1
    return total


def query_terms(text: str) -> tuple[Term, ...]:
    """The terms of a query. Nothing in it is syntax but a pair of quotation marks."""
    text = text[:MAX_QUERY]
    terms: list[Term] = []
    at = 0
    for found in _QUOTED.finditer(text):
        terms += _plain_terms(text[at : found.start()])
        words, _ = _cut(_fold(found.group(1)), last_single=False)
        if words:
            expression = _quote(words)
            terms.append(Term(found.group(1), expression, tuple(words), expression, phrase=True))
        at = found.end()
    terms += _plain_terms(text[at:])
    return tuple(dict.fromkeys(terms))[:MAX_TERMS]


def _plain_terms(text: str) -> list[Term]:
    terms = []
    for chunk in _BETWEEN.split(_fold(text)):
        at = 0
        for run in _RUN.finditer(chunk):
            terms += _identifier(chunk[at : run.start()])
            terms.append(_unspaced(run.group()))
            at = run.end()
        terms += _identifier(chunk[at:])
    return terms


def _identifier(chunk: str) -> list[Term]:
    """At most one term: a word, an identifier, a path, a version, an address."""
    words, wholes = _cut(chunk)
    if not words:
        return []
    phrase = _quote(words)
    found = _WORD.findall(chunk)
    whole = _quote(wholes) if wholes and len(found) == 1 else ""
    if whole and (found[0][-1] in "+#" or not wholes[0].startswith(words[0])):
        return [Term(chunk, whole, tuple(words), whole)]  # C++ is not "c", .NET is not "net"
    if whole:
        beginning = f"({whole} * OR {_beginning(words)})"
        return [Term(chunk, f"({whole} OR {phrase})", tuple(words), beginning)]
    return [Term(chunk, phrase, tuple(words), _beginning(words))]


def _beginning(words: list[str]) -> str:
    """Words of which the last may go on."""
    last = words[-1]
    if len(last) < _MIN_PREFIX or last.isdigit():
        return _quote(words)
    expression = f"{_quote(words)} *"
    if len(words) == 1 and len(last) > _MIN_STEM and last.isascii():
        # the index holds stems: "roundi" begins no stem of rounding, "roun" does
        expression = f"({expression} OR {_quote([last[:-2]])} *)"
    return expression


def _unspaced(run: str) -> Term:
    pairs = _pairs(run, last_single=False)
    if len(run) == 1:
        expression = f"{_quote([run])} *"  # the first letter of a pair, or the last of a run
        return Term(run, expression, (run,), expression)
    phrase = _quote(pairs)
    return Term(run, phrase, tuple(pairs), phrase)


def _quote(words: list[str]) -> str:
    return '"' + " ".join(words).replace('"', '""') + '"'


def _fold(text: str) -> str:
    """One spelling for what looks alike; marks that only decorate or hide are gone."""
    if text.isascii():
        return text.replace("\0", " ")
    text = unicodedata.normalize("NFKC", _SURROGATE.sub(" ", text)).replace("\0", " ")
    return _marks().sub("", text).translate(_LETTERS)


@cache
def _marks() -> re.Pattern[str]:
    """Combining marks and invisible characters: unicode61 would cut a word at each."""
    kinds = {"Mn", "Mc", "Me", "Cf"}
    codes = (*range(0x80, 0x3100), *range(0xA000, 0xAC00), *range(0xFB00, 0x10000))
    marks = "".join(chr(code) for code in codes if unicodedata.category(chr(code)) in kinds)
    return re.compile(f"[{re.escape(marks)}\u0640]+")  # and the Arabic stretch


def _cut(text: str, *, last_single: bool = True) -> tuple[list[str], list[str]]:
    """(words in order, whole identifiers) of folded text."""
    if not text.isascii():
        text = _RUN.sub(lambda run: f" {' '.join(_pairs(run.group(), last_single))} ", text)
    words: list[str] = []
    wholes: list[str] = []
    for word in _WORD.findall(text):
        if word.islower() and word.isalpha():
            words.append(word if word.isascii() else word.casefold())
            continue
        parts, whole = _expand(word)
        words += parts
        if whole:
            wholes.append(whole)
    return words, wholes


def _pairs(run: str, last_single: bool) -> list[str]:
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    if last_single or not pairs:
        pairs.append(run[-1])
    return pairs


@lru_cache(maxsize=8_192)
def _expand(word: str) -> tuple[tuple[str, ...], str]:
    """The parts of one identifier, and the whole of it where that says more."""
    bare, whole_suffix = _suffix(word)
    named = {".": "dot", "_": "dunder"}.get(bare[:1], "")
    bare = bare.lstrip("._")
    if len(bare) > _MAX_WORD and "_" not in bare and "-" not in bare:
        return (bare[:_MAX_WORD].casefold(),), ""
    parts: list[str] = []
    for piece in re.split(r"[_-]+", bare):
        borders = len(_BORDER.findall(piece))
        if borders > _MAX_BORDERS or (borders == _MAX_BORDERS and _HEX.fullmatch(piece)):
            parts.append(piece[:_MAX_WORD].casefold())
        else:
            parts += (part.casefold() for part in _HUMP.split(piece) if part)
    if whole_suffix in ("js", "net"):
        return (*parts, whole_suffix), "".join(parts) + whole_suffix
    if len(parts) == 1 and not whole_suffix and not named:
        return tuple(parts), ""
    whole = named + "".join(parts) + whole_suffix
    return tuple(parts), whole if len(whole) <= _MAX_WORD else ""


def _suffix(word: str) -> tuple[str, str]:
    """A word without the special ending it has, and the letters that stand for that."""
    if word.endswith("++"):
        return word[:-2], "plusplus"
    if word.endswith("#"):
        return word[:-1], "sharp"
    if word[-3:].lower() == ".js":
        return word[:-3], "js"
    if word.endswith(".NET") and len(word) > len(".NET"):
        return word[:-4], "net"
    bare, mark, ending = word.replace("’", "'").partition("'")
    # "the user's" is about the user; "don't" is one word
    return (bare, "") if ending in ("s", "S") or not mark else (bare + ending, "")
