"""Which answers come first: names by how well they fit, questions by the words that they share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from backstory.codenav.index import folded
from backstory.codenav.query import Query
from backstory.codenav.slips import distance
from backstory.codenav.walk import is_vendored
from backstory.codenav.words import alike, counted_words, short_words, stem
from backstory.storage.tokens import index_text, plain_words

# what a field's words weigh: path and what it stands in, name, documentation, its lines (the last
# two hold one another)
_WEIGHTS = (0.6, 1.5, 1.5, 1.0)
_SATURATION = 1.2
_LENGTH = 0.75
_ALIKE = 0.55  # a word that says nearly the same, beside the word itself
# beside the best score of words, which is 1: all that was asked for in one symbol, and in the names
# around it; each e-fold of its length, since a question seldom asks for a line
_COVERAGE = 1.2
_AROUND = 0.2
_SIZE = 0.13
_AS_NAME = 0.1  # for each point of a name that has all the words of a question
# what a cosine is worth: of name and documentation, of all of a symbol, of the names around it
_NEAR = (0.9, 0.9, 0.5)
_MOST_NEAR = 80
_GIST = 80  # words of a symbol's lines
_GIST_LENGTH = 600  # characters
_GIST_READ = 2_000  # characters that they are taken from

_EXACT, _SAME, _JOINED, _BEGINS, _PARTS, _INSIDE, _RESEMBLES = 100, 90, 88, 66, 62, 50, 44
_SMALL = 22  # less for a value in small letters where a type's or a macro's name was asked for
_INNER = 4  # less for what only the body of a function can name
_SLIPPED = 60  # one slip of the pen
_WRITTEN = 4.0  # the parts of a name in the order that they were asked for
_KINDS = {
    **dict.fromkeys(("class", "interface", "trait", "struct", "enum", "function", "type"), 5.0),
    **dict.fromkeys(("method", "constructor", "macro", "module", "namespace"), 4.0),
    **dict.fromkeys(("property", "constant"), 2.0),
    **dict.fromkeys(("variable", "field", "impl"), 1.0),
    **dict.fromkeys(("section", "test"), -2.0),
}
_FUNCTION = re.compile(  # what a name is given in a signature
    r"[^=!<>]=\s*\(*\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*(?::[^=]*)?=>|\w+\s*=>)"
)
# what a question seldom asks for: in code, parts of a text and values
_DETAILS = frozenset({"variable", "field", "property"})
_BODIES = frozenset({"function", "method", "constructor", "test"})
_ASKED_KINDS = {"section": 0.7, "constant": 0.65, "variable": 0.65, "field": 0.65, "test": 0.6}
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|__tests__|specs?|fixtures?|mocks?)/"
    r"|[-_.][Tt]ests?/|[a-z]Tests?/|(?:^|/)(?:test_|conftest\.)"
    r"|[._-](?:test|spec|tests)\.\w+$|Tests?\.\w+$"
)
_OF_TESTS = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?)/|[._-](?:test|spec)\.\w+$")
_ASIDE = re.compile(
    r"(?:^|/)(?:examples?|samples?|docs?|bench\w*|demos?|scripts|extras|legacy)/",
    re.IGNORECASE,
)
_MADE = re.compile(  # by a program, most likely
    r"(?:^|/)(?:generated|autogen\w*|gen)/|[._]pb2?(?:_grpc)?\.|\.g(?:en|enerated)?\.\w+$"
    r"|\.designer\.|_generated\.|zz_generated",
    re.IGNORECASE,
)
_STUB = re.compile(r"\.pyi$|\.d\.[cm]?ts$")
_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|inl)$")
_DATA = re.compile(r"\.(?:json|ya?ml|toml|xml|ini|cfg|properties|html?|s?css|less|ipynb|md)$")
_PACKAGE = frozenset({"__init__", "index", "mod", "lib", "main"})


@dataclass(slots=True)
class Candidate:
    """A symbol that may be an answer, wherever it was found."""

    file: str  # relative to the root
    name: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    line: int
    signature: str
    doc: str
    parent: str = ""  # a qualified name
    within: str = ""  # the kind of what it stands in, where that is known
    key: object = None  # of whoever found it
    score: float = 0.0
    why: str = ""
    found_by: set[str] = field(default_factory=set)


Body = Callable[[Candidate], str]  # its lines, "" where the file is gone
Nearness = Callable[[str, Sequence[str]], Sequence[float]]  # of texts to a question


@lru_cache(maxsize=16_384)
def is_test(path: str) -> bool:
    """Whether a file is about testing."""
    return bool(_TEST.search(path))


def is_aside(path: str) -> bool:
    """Whether a file lies beside what a project is about: examples, documentation, scripts."""
    return bool(_ASIDE.search(path))


def by_name(query: Query, found: Sequence[Candidate]) -> list[Candidate]:
    """The candidates by how well their names fit; those that don't are left out."""
    result = []
    for one in found:
        tier, why = _tier(query, one)
        if tier:
            one.score, one.why = tier + _merit(query, one), why
            result.append(one)
    return sorted(result, key=_order)


def by_words(
    query: Query,
    found: Sequence[Candidate],
    body: Body,
    with_word: Mapping[str, int],
    total: int,
    nearness: Nearness | None = None,
) -> list[Candidate]:
    """The candidates by the words that they share with a question."""
    bodies = [body(one) for one in found]
    fields = [
        (*map(short_words, (_surroundings(one), one.name, one.doc)), counted_words(text))
        for one, text in zip(found, bodies, strict=True)
    ]
    lengths = [sum(parts[-1].values()) + sum(parts[1].values()) for parts in fields]
    mean = max(sum(lengths) / max(len(lengths), 1), 1.0)
    weights = {word: _rarity(with_word.get(word, 0), total) for word in query.words}
    every = sum(weights.values()) or 1.0
    fits = []
    for one, parts, length in zip(found, fields, lengths, strict=True):
        norm = _SATURATION * (1 - _LENGTH + _LENGTH * length / mean)
        fit = 0.0
        one.score = _SIZE * math.log(length + 5)
        for word, weight in weights.items():
            strength, share = _strength(word, weight, parts, norm, with_word, total)
            fit += weight * strength
            one.score += _COVERAGE * weight / every * share
            one.score += _AROUND * weight / every * (word in parts[0])
        one.why = "words"
        fits.append(fit)
    best = max(fits, default=0.0) or 1.0
    for one, fit in zip(found, fits, strict=True):
        if query.joined and not one.found_by.isdisjoint(("begins", "parts")):
            one.score += _AS_NAME * max(_in_parts(query.text, one.name), 0.0)
        one.score = (one.score + fit / best) * place_factor(one.file, one.kind, query)
    known = {id(one): text for one, text, fit in zip(found, bodies, fits, strict=True) if fit}
    ranked = sorted((one for one in found if id(one) in known), key=_order)
    if nearness is not None and len(ranked) > 1:
        first = ranked[:_MOST_NEAR]
        _lift(query, first, [known[id(one)] for one in first], nearness)
        ranked.sort(key=_order)
    return ranked


def _lift(
    query: Query, found: Sequence[Candidate], bodies: Sequence[str], nearness: Nearness
) -> None:
    """Adds to each score how near its meaning is to the question's: of its head, and in all."""
    heads = [f"{plain_words(one.name)}. {one.doc}" for one in found]
    gists = [
        f"{head} {' '.join(index_text(text[:_GIST_READ]).split()[:_GIST])}"[:_GIST_LENGTH]
        for head, text in zip(heads, bodies, strict=True)
    ]
    around = [plain_words(_surroundings(one)) or one.name for one in found]
    texts = [*heads, *gists, *around]
    apart = list(dict.fromkeys(texts))
    near = dict(zip(apart, nearness(" ".join(query.asked), apart), strict=True))
    values = [
        sum(weight * near[text] for weight, text in zip(_NEAR, own, strict=True))
        for own in zip(heads, gists, around, strict=True)
    ]
    mean = sum(values) / len(values)
    for one, value in zip(found, values, strict=True):
        one.score += (value - mean) * place_factor(one.file, one.kind, query)


def _tier(query: Query, one: Candidate) -> tuple[float, str]:
    name, asked = folded(one.name), query.joined
    if not asked:
        return 0.0, ""
    if one.name in (query.name, query.text):  # the text of .menu is the name of a style
        # in small letters, a member or local is meant no more than a type written with a large one
        is_inner = one.kind in ("field", "property") or one.within in _BODIES
        is_vague = one.kind in _DETAILS and is_inner and one.name.islower() and one.name.isalpha()
        tier, why = _SAME + 1.5 if is_vague else float(_EXACT), "exact name"
    elif name == asked:
        tier, why = (_SAME, "same name") if query.name else (_JOINED, "name in words")
        tier -= 4 * (not query.name.islower())  # large letters were meant as they are
        tier -= 4 * (one.name[0] == "_" != query.name[:1])  # for nobody else
        is_small = query.name[:1].isupper() and one.name[:1].islower()
        tier -= _SMALL * (is_small and one.kind in _DETAILS)
    elif name.startswith(asked):
        tier, why = _BEGINS + 6 * len(asked) / len(name), "begins so"
    elif "parts" in one.found_by:
        tier, why = _PARTS + _in_parts(query.name or query.text, one.name), "parts"
    elif asked in name and "like" not in one.found_by:
        tier, why = _INSIDE + 6 * len(asked) / len(name), "part of the name"
    elif "like" in one.found_by:
        apart = distance(asked, name)
        tier, why = _SLIPPED if apart == 1 else _RESEMBLES - 3 * apart, "similar name"
    else:
        return 0.0, ""
    points, place = _owned(query, one)
    return tier + points, f"{why}, {place}" if place else why


def _in_parts(asked: str, name: str) -> float:
    """What it is worth that a name has the parts asked for: all of them, in order, little else."""
    own, wanted = plain_words(name).split(), plain_words(asked).split()
    stems, wanted_stems = list(map(stem, own)), list(map(stem, wanted))
    pairs = zip(wanted, wanted_stems, strict=True)
    found = sum(1.0 if word in own else 0.6 * (form in stems) for word, form in pairs)
    points = 12.0 * found / max(len(wanted), 1) + 6.0 * min(len(wanted) / max(len(own), 1), 1.0)
    if _in_order(wanted, own):
        points += _WRITTEN
    elif _in_order(wanted_stems, stems):
        points += _WRITTEN / 2
    return points - 14


def _owned(query: Query, one: Candidate) -> tuple[float, str]:
    """What speaks for a symbol that an owner was named with, and where else it is."""
    if not query.owners:
        return 0.0, ""
    chain, owners = _chain(one), [folded(owner) for owner in query.owners]
    own = re.split(r" > |\.", one.qualified)[:-1][-len(owners) :]
    if own == list(query.owners):
        return 10.0, ""
    if [folded(part) for part in own] == owners:
        return 9.0, ""
    if chain[-len(owners) - 1 : -1] == owners:
        return 4.0, ""  # a file or folder of that name
    return (0.0, "") if _in_order(owners, chain[:-1]) else (-30.0, "elsewhere")


def _chain(one: Candidate) -> list[str]:
    """The names that lead to a symbol: folders, file, what it stands in, itself."""
    folders = re.sub(r"\.\w+$", "", one.file).split("/")
    if folders[-1] in _PACKAGE:
        folders.pop()
    return [folded(part) for part in (*folders, *re.split(r" > |\.", one.qualified))]


def _in_order(wanted: Sequence[str], chain: Sequence[str]) -> bool:
    rest = iter(chain)
    return all(any(part == one for part in rest) for one in wanted)


def _merit(query: Query, one: Candidate) -> float:
    """What speaks for a symbol beside its name, a few points."""
    is_callable = one.kind in ("constant", "variable") and _FUNCTION.search(one.signature)
    merit = _KINDS["function"] if is_callable else _KINDS.get(one.kind, 0.0)
    merit -= min(one.qualified.count("."), 4) * 0.5
    # the methods of an object that a function makes are called from elsewhere
    merit -= _INNER * (one.within in _BODIES and one.kind not in ("method", "property"))
    merit -= min(one.file.count("/"), 6) * 0.2
    # what follows the name, not the comment before it: a body says more than a declaration
    length = max(one.end_line - one.line, 0)
    merit += min(math.log2(length + 1), 6) * 0.25
    if not length and one.kind in ("function", "method", "constructor", "struct", "class"):
        merit -= 1.5
        merit -= 3 * (one.signature.endswith(";") or bool(_HEADER.search(one.file)))
    # a rule of styles is asked for by its sign: .menu, #top
    if _DATA.search(one.file) and (one.name != query.text or query.text == query.name):
        merit -= 5
    stem = one.file.rpartition("/")[2].partition(".")[0]
    if folded(stem) == folded(one.name):
        merit += 2
    if is_vendored(one.file):
        merit -= 15
    if _TEST.search(one.file) and "test" not in query.words:
        merit -= 6 if _OF_TESTS.search(one.file) else 4  # testing/ may be what a library is for
    if _STUB.search(one.file):
        merit -= 4
    if is_aside(one.file):
        merit -= 6
    if _MADE.search(one.file):
        merit -= 4
    return merit


def _surroundings(one: Candidate) -> str:
    """The path of a symbol's file and the names that it stands in."""
    return f"{one.file.rpartition('.')[0]} {one.parent}"


def place_factor(path: str, kind: str, query: Query) -> float:
    """What a symbol is worth to a question because of what it is and where it stands; 1 is all."""
    factor = _ASKED_KINDS.get(kind, 1.0)
    if is_vendored(path):
        factor *= 0.6
    if is_test(path) and "test" not in query.words:
        factor *= 0.6
    return factor


def _rarity(count: int, total: int) -> float:
    return math.log(1 + (total - count + 0.5) / (count + 0.5)) if count < total else 0.01


def _strength(
    word: str,
    weight: float,
    parts: Sequence[Mapping[str, int]],
    norm: float,
    with_word: Mapping[str, int],
    total: int,
) -> tuple[float, float]:
    """How much of a word a symbol has, and whether (1), in words that say nearly the same if so."""
    best = _saturated(word, parts, norm)
    has = 1.0 if best else 0.0
    for other in alike().get(word, ()):
        share = _saturated(other, parts, norm)
        if share:
            rarity = min(1.0, _rarity(with_word.get(other, 0), total) / max(weight, 0.01))
            best = max(best, _ALIKE * share * rarity)
            has = max(has, _ALIKE)
    return best, has


def _saturated(word: str, parts: Sequence[Mapping[str, int]], norm: float) -> float:
    count = 0.0
    for weight, part in zip(_WEIGHTS, parts, strict=True):
        if word in part:
            count += weight * part[word]
    return count * (_SATURATION + 1) / (count + norm) if count else 0.0


def _order(one: Candidate) -> tuple[float, str, int]:
    return -one.score, one.file, one.start_line
