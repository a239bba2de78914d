"""What a search asks for. Nothing in it is syntax but a pair of quotation marks around text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backstory.codenav.index import folded
from backstory.codenav.languages import detect
from backstory.codenav.pasted import Pasted, pasted
from backstory.codenav.words import asked_words, meant_words

MAX_QUERY = 500  # characters that are looked at
_MOST_WORDS = 16
_JOINABLE = 5  # words that may be one name, written apart
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”')
_WHOLE = re.compile(r"(['`])([^'`]+)\1")
_CALL = re.compile(r"\s*\(.*$", re.DOTALL)
_HEAD = re.compile(
    r"(?:(?:async|export|default|pub|public|private|static|abstract|class|struct|interface|trait"
    r"|enum|impl|module|namespace|type|def|fn|func|fun|function|method|macro|const|let|var|val)"
    r"\s+)+(?=[^\s(]+(?:\s*\(.*)?$)",
    re.DOTALL,
)
_JOINT = re.compile(r"::|->|\s>\s|[.#\\/:]")
_NAME = re.compile(r"[^\W\d][\w$?!'-]*|[$@~%&*][\w$]+[?!]?|__\w+__")
_SELF = ("self", "this", "cls")
_ENDINGS = frozenset({"txt", "cfg", "csv", "lock", "log", "rst", "env", "conf"})


@dataclass(frozen=True, slots=True)
class Query:
    """A query, understood."""

    text: str
    literals: tuple[str, ...] = ()  # what stood in quotation marks
    name: str = ""  # the one name that is asked for; "" for a question in words
    owners: tuple[str, ...] = ()  # what the name stands in, outermost first
    words: tuple[str, ...] = ()  # in their one form
    asked: tuple[str, ...] = ()  # the same as they were written
    joined: str = ""  # the words as one folded name, "" where they are none
    is_path: bool = False
    is_call: bool = False  # "foo(": the text is looked for as well
    kinds: str = ""  # of what is meant, as `pasted` has it


def understood(text: str) -> Query:
    """The query that a text is."""
    text = " ".join(text[:MAX_QUERY].split())
    meant = None if text[:1] in "\"“'" else pasted(text)
    if meant is not None:
        return _about(text, meant)
    literals = tuple(first or second for first, second in _QUOTED.findall(text))
    rest = " ".join(_QUOTED.sub(" ", text).split())
    if literals:
        return Query(text, literals, words=tuple(asked_words(rest))[:_MOST_WORDS] if rest else ())
    whole = _WHOLE.fullmatch(text)
    if whole and whole[1] == "'":
        return Query(text, (whole[2],))
    plain = _HEAD.sub("", whole[2] if whole else text)
    words = tuple(asked_words(text))[:_MOST_WORDS]
    asked = tuple(meant_words(text))
    if not words:
        return Query(text, (text,))
    bare = _CALL.sub("", plain).strip() or plain
    parts = [part.strip() for part in _JOINT.split(bare) if part.strip()]
    is_path = "/" in bare and " " not in bare
    if parts and all(_NAME.fullmatch(part) for part in parts):
        is_path = is_path or (len(parts) == 2 and "." in bare and _is_file_name(bare))
        owners = tuple(part for part in parts[:-1] if part not in _SELF)
        is_call = "(" in plain
        name = parts[-1]
        return Query(text, (), name, owners, words, asked, folded(name), is_path, is_call)
    said = text.split()
    joined = ""
    if 1 < len(said) <= _JOINABLE and all(word.isalnum() for word in said):
        joined = folded("".join(said))
    return Query(text, words=words, asked=asked, joined=joined, is_path=is_path)


def as_words(query: Query) -> Query:
    """What was taken for a question about a symbol, as the name that it is: "get source"."""
    words, asked = tuple(asked_words(query.text))[:_MOST_WORDS], tuple(meant_words(query.text))
    return Query(query.text, words=words, asked=asked, joined=folded(query.text))


def _about(text: str, meant: Pasted) -> Query:
    parts = [part for part in _JOINT.split(meant.name) if part]
    owners = tuple(part for part in parts[:-1] if part not in _SELF)
    words, asked = tuple(asked_words(meant.name)), tuple(meant_words(meant.name))
    name = parts[-1]
    if meant.is_sure:
        return Query(text, (), name, owners, words, asked, folded(name), kinds=meant.kinds)
    # it may be a word like any other: a question, which a symbol of that name answers best
    every = tuple(asked_words(text))[:_MOST_WORDS]
    return Query(text, (), "", owners, words or every, asked, folded(name), kinds=meant.kinds)


def _is_file_name(text: str) -> bool:
    return detect(text) is not None or text.rpartition(".")[2] in _ENDINGS
