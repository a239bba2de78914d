"""Which symbol of a file a reader means: by qualified or plain name, line, or number of overload.

A name is never guessed: where several symbols could be meant, they are all candidates.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from backstory.codenav import spellings
from backstory.codenav.symbols import Symbol

MOST_NEAR = 5
_NEAR_POOL = 3_000  # names that a near one is looked for among
_NUMBERED = re.compile(r"(.+?)\s*#(\d{1,6})$", re.DOTALL)
_LINES = re.compile(
    r"(?:lines?\s*|L)?(\d{1,9})(?:\s*(?:-|–|:|\.\.|to)\s*L?(\d{1,9}))?", re.IGNORECASE
)
_JOINTS = re.compile(r"\s*(?:::|->|=>|\s>\s|[.#/\\:$])\s*")
_CALL = re.compile(r"(?<!\boperator)\s*\([^()]*\)\s*;?$")
_WORDS = re.compile(
    r"(?:(?:async|export|default|public|private|protected|internal|static|abstract|final|pub"
    r"|class|struct|interface|trait|enum|impl|module|namespace|type|def|defp|fn|func|fun"
    r"|function|method|sub|macro|const|let|var|val)\s+)+(?=\S)"
)
_MESSAGE = re.compile(r"[-+]\s*\[(\w+)\s+([\w:]+)\]")  # a method of Objective-C in a trace
_OWNER = re.compile(r"(?:self|this|cls|super\(\))(?:\.|->|::)(?=\w)")


@dataclass(frozen=True, slots=True)
class Match:
    """What a name came to, as places in the symbols that it was looked up in.

    One of the three is filled: `chosen`, several only where they all have this one qualified
    name; `candidates`, any of which may be meant; `near`, which the name only resembles.
    """

    chosen: tuple[int, ...] = ()
    candidates: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    namesakes: tuple[int, ...] = ()  # beside `chosen`: others with the same plain name


@dataclass(frozen=True, slots=True)
class Lines:
    """A range of lines that was asked for instead of a name; both ends belong to it."""

    start: int
    end: int


def lines_of(name: str) -> Lines | None:
    """The range that "L12-40" or "12-40" means; a single line means the symbol around it."""
    found = _LINES.fullmatch(name.strip())
    if found is None or found[2] is None:
        return None
    first, last = int(found[1]), int(found[2])
    return Lines(min(first, last), max(first, last))


def line_of(name: str) -> int:
    """The line that "L12" or "12" means; -1 for what is no line."""
    found = _LINES.fullmatch(_bare(name))
    return int(found[1]) if found and found[2] is None else -1


def last_part(name: str) -> str:
    """The plain name at the end of a qualified one; "" where there is none."""
    bare = _bare(name)
    return _parts(bare)[-1] if bare else ""


def resolve(name: str, symbols: Sequence[Symbol], stem: str = "") -> Match:
    """The symbols that `name` means. `stem` is the file's name, which may stand before it.

    What is exact wins over what is like it: the whole qualified name, its overload (`name#2`), a
    line ("L12": the innermost symbol around it), the name with other joints (`Class::method`), the
    plain name or the end of a qualified one, and each of these again without case.
    """
    wanted = _bare(name)
    if not wanted:
        return Match()
    heads = [at for at, one in enumerate(symbols) if spellings.is_head(one.signature, name)]
    if len(heads) == 1:
        return _chosen(heads, symbols)
    for spelled in dict.fromkeys((name.strip(), wanted)):
        exact = [at for at, one in enumerate(symbols) if one.qualified_name == spelled]
        is_of_object = _OWNER.match(name.strip()) and any(
            one.name == spelled and one.parent >= 0 for one in symbols
        )
        if exact and not is_of_object:
            return _fitting(_chosen(exact, symbols), name, symbols)
        said = [at for at, one in enumerate(symbols) if one.name == spelled]
        if said and _OWNER.match(name.strip()):
            # of an object: what stands outside of all is not meant
            said = [at for at in said if symbols[at].parent >= 0] or said
        if said:
            return _fitting(_one_or_candidates(said, symbols), name, symbols)
    # as it was written first: the title of a test may begin with a word for a kind
    written = _NUMBERED.fullmatch(name.strip())
    if written and any(one.qualified_name == written[1] for one in symbols):
        return _numbered(written[1], int(written[2]), symbols, stem)
    numbered = _NUMBERED.fullmatch(wanted)
    if numbered:
        return _numbered(numbered[1], int(numbered[2]), symbols, stem)
    line = _LINES.fullmatch(wanted)
    if line and line[2] is None and all(one.name != wanted for one in symbols):
        around = _around(int(line[1]), symbols)
        return Match(chosen=(around,)) if around >= 0 else Match()
    found = _by_parts(wanted, symbols, stem)
    for spelled in () if found else spellings.others(name):
        if found := _by_parts(_bare(spelled), symbols, stem):
            break
    return _fitting(found, name, symbols) if found else Match(near=_near(wanted, symbols))


def _fitting(found: Match, name: str, symbols: Sequence[Symbol]) -> Match:
    """Of overloads, those that take what stands in the name's brackets, where some do."""
    given = spellings.arguments(name)
    if not given or len(found.chosen) < 2:
        return found
    fits = [at for at in found.chosen if spellings.takes(symbols[at].signature, given)]
    few = [at for at in fits if spellings.count(symbols[at].signature) == spellings.count(name)]
    return replace(found, chosen=tuple(few or fits)) if fits else found


def addresses(symbols: Sequence[Symbol]) -> tuple[str, ...]:
    """What each symbol is asked for by: its qualified name, with a number where that repeats."""
    total = Counter(one.qualified_name for one in symbols)
    seen: Counter[str] = Counter()
    result = []
    for one in symbols:
        seen[one.qualified_name] += 1
        number = f"#{seen[one.qualified_name]}" if total[one.qualified_name] > 1 else ""
        result.append(one.qualified_name + number)
    return tuple(result)


def _chosen(found: Sequence[int], symbols: Sequence[Symbol]) -> Match:
    plain = symbols[found[0]].name
    others = (at for at, one in enumerate(symbols) if one.name == plain and at not in found)
    return Match(chosen=tuple(found), namesakes=tuple(others))


def _numbered(name: str, number: int, symbols: Sequence[Symbol], stem: str) -> Match:
    found = resolve(name, symbols, stem)
    same = found.chosen
    if same and 1 <= number <= len(same):
        return Match(chosen=(same[number - 1],))
    # numbers count the symbols of one qualified name alone: of others they would be a guess
    return Match(candidates=same) if same else found


def _around(line: int, symbols: Sequence[Symbol]) -> int:
    best = -1
    for at, one in enumerate(symbols):
        if one.start_line <= line <= one.end_line:
            size = one.end_line - one.start_line
            if best < 0 or size <= symbols[best].end_line - symbols[best].start_line:
                best = at
    return best


def _by_parts(wanted: str, symbols: Sequence[Symbol], stem: str) -> Match | None:
    parts = _parts(wanted)
    short = _without_file(parts, stem)
    known = [_parts(one.qualified_name) for one in symbols]
    plain = [one.name for one in symbols]
    for fold in (str, str.casefold):
        folded = [tuple(map(fold, one)) for one in known]
        asked, rest = tuple(map(fold, parts)), tuple(map(fold, short))
        for found in (
            [at for at, one in enumerate(folded) if one == asked],
            [at for at, one in enumerate(plain) if fold(one) == fold(wanted)],
            [at for at, one in enumerate(folded) if one[-len(asked) :] == asked],
            [at for at, one in enumerate(folded) if _passes_through(one, asked)],
            [at for at, one in enumerate(folded) if one == rest],
            # the first word of a selector, in its class
            [
                at
                for at, one in enumerate(folded)
                if one[: len(asked)] == asked and fold(plain[at]) == asked[-1]
            ],
        ):
            if found:
                return _one_or_candidates(found, symbols)
    return None


def _one_or_candidates(found: Sequence[int], symbols: Sequence[Symbol]) -> Match:
    if len({symbols[at].qualified_name for at in found}) == 1:
        return _chosen(found, symbols)
    return Match(candidates=tuple(found))


def _without_file(parts: Sequence[str], stem: str) -> tuple[str, ...]:
    """The parts behind the file's own name (`package.file.Class`)."""
    for at in range(len(parts) - 1, 0, -1):
        if parts[at - 1] == stem:
            return tuple(parts[at:])
    return ()


def _passes_through(known: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether a name has all these parts in this order, and others between them."""
    if known[-1] != asked[-1]:
        return False
    rest = iter(known)
    return all(any(part == one for one in rest) for part in asked)


def _bare(name: str) -> str:
    """The name alone: without quotes, arguments, and words that only say what it is."""
    text = name.strip().strip("`'\"").strip()
    text = _CALL.sub("", text) or text
    text = _MESSAGE.sub(r"\1.\2", text)
    for needless in (_WORDS, _OWNER):
        if found := needless.match(text):
            text = text[found.end() :]
    return text


def _parts(name: str) -> tuple[str, ...]:
    return tuple(filter(None, _JOINTS.split(name))) or (name,)


def _near(wanted: str, symbols: Sequence[Symbol]) -> tuple[int, ...]:
    asked = wanted.casefold()
    last = _parts(asked)[-1]
    scores: list[tuple[float, int]] = []
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(last[:80])
    for at, one in enumerate(symbols[:_NEAR_POOL]):
        name = one.name.casefold()[:80]
        matcher.set_seq1(name)
        score = matcher.ratio() if matcher.quick_ratio() >= 0.6 else 0.0
        if len(last) > 2 and (last in name or (len(name) > 2 and name in last)):
            score = max(score, 0.75)
        if score >= 0.6:
            scores.append((-score, at))
    return tuple(at for _, at in sorted(scores)[:MOST_NEAR])
