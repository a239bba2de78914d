"""Which language a file is written in. The languages themselves are data: `languages.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?env\s+(?:-\S+\s+|\w+=\S*\s+)*(\S+)|#!\s*(\S+)")
_INCLUDE = re.compile(r"^; include: (\w+)$", re.MULTILINE)
_VERSION = re.compile(r"[\d.]+$")


@dataclass(frozen=True, slots=True)
class Paint:
    """What a grammar cannot read, and what is put there for it."""

    regex: str  # its groups are painted over, or all of it where it has none
    fill: str
    words: tuple[str, ...] = ()  # a text with none of these has nothing to paint
    hint: str = (
        ""  # a regular expression, which is cheaper: nothing is painted far from what it finds
    )
    lines: tuple[str, ...] = ()  # nothing is painted but from a line on that holds one of these
    # nothing is painted where the first group of this begins, held against the line from its break
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Language:
    """A language that we have a grammar and a query for."""

    name: str  # "python"
    grammar: str  # what tree_sitter_language_pack calls it
    query: str  # the name of its file in queries/, without .scm
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()
    separators: tuple[str, ...] = ()  # join the parts of a name in the source
    docs: tuple[str, ...] = ("",)  # how a comment begins that documents what follows; "" is any
    sigils: str = ""  # characters before a name that are no part of it
    mask: tuple[Paint, ...] = ()
    constructors: tuple[str, ...] = ()  # the names of methods that make an object
    tests: tuple[str, ...] = ()  # macros that make a test of a suite's and a case's name
    selectors: bool = False  # a name with colons is called by what stands before the first one
    nfkc: bool = False  # names that look the same are the same
    dotted: bool = False  # a dot is a letter of names
    clauses: bool = False  # one function may be written as several definitions in a row
    signs: str = ""  # a regular expression: what tells it from others with the same ending
    conditionals: bool = False  # has lines like #if
    apart: bool = False  # its parser may hang or crash: only ever run in a process of its own
    shape: str = ""  # a way to read it that does more than its query: a key of shapes.SHAPES

    def query_text(self) -> str:
        """The text of its query file, with what that one includes."""
        return _query(self.query)


@dataclass(frozen=True, slots=True)
class _Index:
    by_extension: Mapping[str, tuple[Language, ...]]  # those with signs first
    by_filename: Mapping[str, Language]
    by_pattern: tuple[tuple[str, Language], ...]
    by_shebang: Mapping[str, Language]


def detect(path: str, head: str = "") -> Language | None:
    """The language of a file by its name, else by the `#!` line that `head` may begin with.

    Several languages may share an ending: then what the first of them says in `head` counts, and
    without a sign of any, or without `head`, the one that asks for none.
    """
    index = _index()
    filename = re.split(r"[/\\]", path)[-1].lower()
    found = index.by_filename.get(filename)
    if found is None:
        dot = filename.rfind(".")
        found = _by_extension(filename[dot:], head, index) if dot >= 0 else None
    if found is None:
        for pattern, language in index.by_pattern:
            if fnmatchcase(filename, pattern):
                return language
    return found or _by_shebang(head, index)


@cache
def languages() -> Mapping[str, Language]:
    """Every language by its name."""
    table = tomllib.loads(_folder().joinpath("languages.toml").read_text(encoding="utf-8"))
    return {
        name: Language(
            name=name,
            grammar=one.get("grammar", name),
            query=one.get("query", name),
            extensions=tuple(one.get("extensions", ())),
            filenames=tuple(one.get("filenames", ())),
            shebangs=tuple(one.get("shebangs", ())),
            separators=tuple(one.get("separators", ())),
            docs=tuple(one.get("docs", ("",))),
            sigils=one.get("sigils", ""),
            mask=tuple(
                _paint(row, entry.get("parts", {}))
                for entry in (table[one["mask_of"]] if "mask_of" in one else {}, one)
                for row in entry.get("mask", ())
            ),
            constructors=tuple(one.get("constructors", ())),
            tests=tuple(one.get("tests", ())),
            selectors=one.get("selectors", False),
            nfkc=one.get("nfkc", False),
            dotted=one.get("dotted", False),
            clauses=one.get("clauses", False),
            signs=one.get("signs", ""),
            conditionals=one.get("conditionals", False),
            apart=one.get("apart", False),
            shape=one.get("shape", ""),
        )
        for name, one in table.items()
    }


def _paint(row: Sequence[Any], parts: Mapping[str, str]) -> Paint:
    regex, fill, needs = (*row, ())[:3]
    if isinstance(needs, str):
        return Paint(_whole(regex, parts), fill, hint=_whole(needs, parts))
    if isinstance(needs, Mapping):
        lines, unless = tuple(needs.get("lines", ())), _whole(needs.get("unless", ""), parts)
        return Paint(_whole(regex, parts), fill, lines=lines, unless=unless)
    return Paint(_whole(regex, parts), fill, tuple(needs))


def _whole(regex: str, parts: Mapping[str, str]) -> str:
    # a part may be made of those that stand before it
    for name, part in reversed(list(parts.items())):
        regex = regex.replace(f"<{name}>", part)
    return regex


@cache
def _index() -> _Index:
    known = languages().values()
    names = [(name, language) for language in known for name in language.filenames]
    return _Index(
        by_extension=_sharing(known),
        by_filename={name: language for name, language in names if "*" not in name},
        by_pattern=tuple((name, language) for name, language in names if "*" in name),
        by_shebang={name: language for language in known for name in language.shebangs},
    )


def interpreter(head: str) -> str:
    """The program that runs a script, as the `#!` line says that `head` may begin with."""
    match = _SHEBANG.match(head.lstrip("\ufeff")[:200])
    return (match[1] or match[2]).rsplit("/", 1)[-1].lower() if match else ""


def _sharing(known: Iterable[Language]) -> Mapping[str, tuple[Language, ...]]:
    found: dict[str, tuple[Language, ...]] = {}
    for language in sorted(known, key=lambda one: not one.signs):
        for ending in language.extensions:
            found[ending] = (*found.get(ending, ()), language)
    return found


def _by_extension(ending: str, head: str, index: _Index) -> Language | None:
    sharing = index.by_extension.get(ending, ())
    for language in sharing[:-1]:
        if head and language.signs and re.search(language.signs, head, re.MULTILINE):
            return language
    return sharing[-1] if sharing else None


def _by_shebang(head: str, index: _Index) -> Language | None:
    program = interpreter(head)
    return index.by_shebang.get(program) or index.by_shebang.get(_VERSION.sub("", program))


def _query(name: str) -> str:
    text = _folder().joinpath("queries", f"{name}.scm").read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda found: _query(found[1]), text)


def _folder() -> Traversable:
    return files(__package__ or "backstory.codenav")
