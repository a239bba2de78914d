"""The named parts of a source text."""

from __future__ import annotations

import gc
import re
import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import accumulate
from unicodedata import normalize

from backstory.codenav import heads, parse
from backstory.codenav.captures import TEXTS, Definition, ImportRange
from backstory.codenav.declarators import resolved
from backstory.codenav.definitions import Found, definitions, last_of
from backstory.codenav.languages import Language
from backstory.codenav.lexis import lexis_of
from backstory.codenav.mask import masked
from backstory.codenav.mending import mended
from backstory.codenav.other_heads import add_other_heads

KINDS = (
    *("module", "namespace", "class", "interface", "trait", "impl", "struct", "enum"),
    *("function", "method", "property", "constructor", "constant", "variable", "type"),
    *("macro", "field", "test", "section"),
)
_CONTAINERS = frozenset({"class", "interface", "trait", "impl", "struct", "enum"})
_INSIDE = {"function": "method", "variable": "field"}  # their kinds directly in a container
_VALUES = frozenset({"constant", "variable", "field", "function"})
_SUITE = re.compile(rb"\w+\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_TITLE = re.compile(rb'\w+\s*\((?:\s*[\w:]+\s*,)?\s*"((?:[^"\\\n]|\\.)*)"')
_OPERATOR = re.compile(r"(?:^|::)\s*(operator\b.*)", re.DOTALL)
_GENERICS = re.compile(r"<[^<>]*>|\[[^][]*\]")
_PATH_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Symbol:
    """One named part of a source. Lines count from 1; both ends belong to it."""

    name: str  # "total"
    qualified_name: str  # "Cart.total"
    kind: str  # one of KINDS
    start_line: int  # of its first decorator, or of the doc comment right above it
    end_line: int
    parent: int = -1  # index in the same tuple; -1 at the top
    signature: str = ""  # its head in one line, without decorators, documentation and body
    doc: str = ""  # the first sentence of its documentation, at most 120 characters
    line: int = 0  # where its name stands


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in a source. Lines count from 1."""

    symbols: tuple[Symbol, ...]
    imports: tuple[tuple[tuple[str, ...], int, int], ...]  # names, first and last line
    problems: tuple[tuple[int, int], ...]  # first and last line of what could not be read
    cut: bool = False  # the time was over before everything was read

    @property
    def broken(self) -> bool:
        """Whether the parser met syntax that it could not read."""
        return bool(self.problems)


def symbols(source: str, language: Language, deadline_s: float = 0.25) -> tuple[Symbol, ...]:
    """The symbols of a source, outer ones before inner ones.

    () when the source is over 1 MB or takes longer than `deadline_s` seconds. Of broken syntax,
    what can still be recognised.
    """
    found = read(source, language, deadline_of(language, deadline_s))
    return found.symbols if found and not found.cut else ()


def deadline_of(language: Language, seconds: float) -> float:
    """The time at which so many seconds are over, by `time.monotonic()`."""
    parse.grammar(language)  # the first use of a language takes its time: not counted
    return time.monotonic() + seconds


def read(source: str, language: Language, deadline: float) -> Reading | None:
    """The symbols, imports and problems of a source; None when it could not be parsed in time,
    or is larger, nested deeper or more monotonous than is parsed here."""
    # thousands of small objects are made that all are needed to the end: looking for garbage
    # among them would take an eighth of the time
    collects = gc.isenabled()
    gc.disable()
    try:
        return _read(source, language, deadline)
    finally:
        if collects:
            gc.enable()


def _read(source: str, language: Language, deadline: float) -> Reading | None:
    # a NUL ends the text for some grammars; a blank of the same length keeps every position
    text = source.removeprefix("\ufeff").replace("\0", " ")
    if not text.endswith("\n"):
        text += "\n"  # the last line is none to some grammars without an end
    code = text.encode("utf-8", "replace")
    if parse.LIMITED and parse.is_monotonous(code):
        return None
    painted = masked(code, language)
    tree = parse.parse(painted, language, deadline)
    if tree is None or parse.is_tangled(tree):
        return None
    mends = mended(code, painted, tree, language, deadline)
    if mends:  # of the same lines: they are all that is told of positions
        code, painted, tree = mends.code, mends.painted, mends.tree
    matches, cut = parse.matches(tree, language, deadline), False
    if time.monotonic() > deadline:
        return None
    found = definitions(resolved(matches), code, painted, language.docs)
    if language.conditionals:
        add_other_heads(found.definitions, code, painted)
    ends = list(accumulate(map(len, BytesIO(code))))
    return Reading(
        tuple(_placed(found, code, ends, language)),
        tuple(_import(one, code, ends) for one in found.imports),
        _problems(parse.problems(tree, ends), mends.lines if mends else ()),
        cut,
    )


def _problems(
    found: Sequence[tuple[int, int]], mended_lines: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """What could not be read, and the lines that had to be mended, in order."""
    result: list[tuple[int, int]] = []
    for first, last in sorted([*found, *((line, line) for line in mended_lines)]):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return tuple(result[: parse.MOST_PROBLEMS])


def _import(one: ImportRange, code: bytes, ends: Sequence[int]) -> tuple[tuple[str, ...], int, int]:
    last = last_of(code, one.end, one.start + 1) - 1
    names = tuple(one.names) or (heads.statement(code, one.start, one.end),)
    return names, bisect_right(ends, one.start) + 1, bisect_right(ends, last) + 1


def _placed(found: Found, code: bytes, ends: Sequence[int], language: Language) -> list[Symbol]:
    result: list[Symbol] = []
    around: list[tuple[Definition, int]] = []  # the definitions that the next one may stand in
    last_child: dict[int, int] = {}
    lexis = lexis_of(language.name)
    by_indent = lexis is not None and lexis.indented
    starts = [start for start, _ in found.comments]
    for one in found.definitions:
        start, end = one.start, one.end
        beside = None
        while around:
            outer = around[-1][0]
            if outer.start == start and outer.end == end:
                # one node may define several names (int a, b): they stand beside each other
                beside = beside or around[-1]
            elif outer.start <= start and end <= outer.end:
                break
            around.pop()
        parent = around[-1][1] if around else -1
        holder = result[parent] if around else None
        name, path, kind = _named(one, code, holder, language)
        signature = heads.signature(one, code, found.comments, starts, by_indent=by_indent)
        if signature.startswith("typedef ") and name not in signature:
            signature = f"{signature} {{…}} {name}"  # the name stands behind the body
        end_line = bisect_right(ends, last_of(code, end, start + 1) - 1) + 1
        before = last_child.get(parent, -1)
        if holder and one.kind == "function" and _is_value_of(holder, name, end_line, ends, one):
            around.append((one, parent))  # `const X = memo(function X() { … })` is one
            continue
        if beside and result[beside[1]].qualified_name == path:
            around.append(beside)  # `const foo = exports.foo = …` is one
            continue
        if language.clauses and before >= 0 and _is(result[before], path, kind, signature):
            result[before] = replace(result[before], end_line=end_line)
            around.append((one, before))
            continue
        last_child[parent] = len(result)
        around.append((one, len(result)))
        is_same = beside and one.captures is beside[0].captures
        if beside and (is_same or result[beside[1]].kind in _CONTAINERS):
            around[-1] = beside  # `typedef struct { … } A, *B`: what is in it is A's
        result.append(
            Symbol(
                name,
                path,
                kind,
                bisect_right(ends, start) + 1,
                end_line,
                parent,
                signature,
                heads.doc(one, code) if one.docs else "",
                bisect_right(ends, one.at) + 1,
            )
        )
    return result


def _is_value_of(
    holder: Symbol, name: str, end_line: int, ends: Sequence[int], one: Definition
) -> bool:
    """Whether a function is what the name that it has is given where it stands."""
    return (
        holder.name == name
        and holder.kind in _VALUES
        and "=" in holder.signature
        and holder.end_line == end_line
        and holder.line == bisect_right(ends, one.at) + 1
    )


def _is(symbol: Symbol, path: str, kind: str, signature: str) -> bool:
    """Whether a definition is one more clause of the symbol before it."""
    same = (symbol.qualified_name, symbol.kind) == (path, kind)
    return same and heads.arity(symbol.name, symbol.signature) == heads.arity(
        symbol.name, signature
    )


def _named(
    one: Definition, code: bytes, parent: Symbol | None, language: Language
) -> tuple[str, str, str]:
    """The name, the qualified name and the kind of a definition in what it stands in."""
    name, kind = one.name, one.kind
    if parent and parent.kind in _CONTAINERS:
        kind = _INSIDE.get(kind, kind)
        if name in language.constructors or (
            name == parent.name and "<class>" in language.constructors
        ):
            kind = "constructor" if kind == "method" else kind
    if one.plan.upper and kind == "variable" and name.isupper():
        kind = "constant"
    path = name
    if name in language.tests and (found := _SUITE.match(code, one.at)):
        # a macro that makes a test of its two arguments: the suite and the case
        suite, name = (part.decode("utf-8", "replace") for part in found.groups())
        path, kind = f"{suite}.{name}", "test"
    elif name in language.tests and (found := _TITLE.match(code, one.at)):
        name = path = found[1].decode("utf-8", "replace") or name
        kind = "test"
    elif kind not in TEXTS:
        name, path = _parts(name, language)
    scope = one.scope(code) if "scope" in one.captures else ""
    if scope:
        path = (" " if kind in TEXTS else ".").join((scope, path))
    if parent and len(parent.qualified_name) < _PATH_LENGTH:
        sentence = kind in TEXTS and (kind == "section" or parent.kind in TEXTS)
        around = parent.qualified_name
        if kind == "field" and parent.kind == "constructor" and "(" in parent.signature:
            # a field that is declared among the parameters: of the class, as all call it
            around = around.rpartition(".")[0] or around
        path = around + (" > " if sentence else ".") + path
    return name, path, kind


def _parts(text: str, language: Language) -> tuple[str, str]:
    """The last part of a name that a source joins from several, and all of them joined by "."."""
    if language.nfkc and not text.isascii():
        text = normalize("NFKC", text)
    path = text.lstrip(language.sigils) or text
    if language.selectors and ":" in path:
        return path.partition(":")[0] or path, path
    if not language.separators:
        return path, path
    if language.dotted:
        parts = [path]
        for separator in language.separators:
            parts = [part for one in parts for part in one.split(separator) if part]
        return (parts[-1], ".".join(parts)) if parts else (text, text)
    path, operator = _without_operator(path)
    if any(separator in path for separator in language.separators):
        shorter = _GENERICS.sub("", path)
        while shorter != path:
            path, shorter = shorter, _GENERICS.sub("", shorter)
    for separator in language.separators:
        path = path.replace(separator, ".")
    path = ".".join(filter(None, path.split(".")))
    if operator:
        return operator, f"{path}.{operator}" if path else operator
    return path.rpartition(".")[2] or text, path or text


def _without_operator(path: str) -> tuple[str, str]:
    """What stands before the name of an operator, and that name: its joints join no names."""
    found = _OPERATOR.search(path) if "operator" in path else None
    return (path[: found.start(1)], found[1]) if found else (path, "")
