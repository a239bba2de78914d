"""What a search of a workspace is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from typing import Literal

from backstory.codenav.languages import languages
from backstory.codenav.symbols import KINDS
from backstory.errors import BadInput

MOST_RESULTS = 200

What = Literal["symbol", "file", "line", "use"]


@dataclass(frozen=True, slots=True)
class Request:
    """One search. Nothing in `query` is syntax but quotation marks around a literal text."""

    query: str
    path: str = ""  # a folder or file; "" for the whole workspace
    kind: str = ""  # one of symbols.KINDS
    language: str = ""  # a name of languages.toml
    file_pattern: str = ""
    max_results: int = 20
    references: bool = False
    max_tokens: int = 2_000  # of the answer as text


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer. Lines count from 1; both ends belong to it."""

    what: What
    file: str  # relative to its root
    root: str
    start_line: int
    end_line: int
    kind: str = ""
    name: str = ""
    qualified_name: str = ""
    signature: str = ""
    doc: str = ""
    parent: str = ""  # a qualified name; "" at the top
    why: str = ""
    text: str = ""  # of lines and uses: the line
    score: float = 0.0
    language: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was looked at."""

    scanned: int = 0  # files that the answer rests on
    parsed: int = 0  # of these, whose symbols are known
    failed: int = 0  # could not be parsed to their end
    skipped: Mapping[str, int] = field(default_factory=dict)  # why: files
    in_part: tuple[str, ...] = ()  # the paths of those that failed, where they are known

    def __add__(self, other: Counts) -> Counts:
        skipped = dict(self.skipped)
        for why, count in other.skipped.items():
            skipped[why] = skipped.get(why, 0) + count
        return Counts(
            self.scanned + other.scanned,
            self.parsed + other.parsed,
            self.failed + other.failed,
            skipped,
            (*self.in_part, *other.in_part),
        )


_OTHER_NAMES = {
    "c++": "cpp",
    "c#": "csharp",
    "f#": "fsharp",
    "golang": "go",
    "shell": "bash",
    "objective-c": "objc",
    "node": "javascript",
    "hcl": "terraform",
    "makefile": "make",
    "h": "c",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of a search, best first: symbols, then files, then lines."""

    request: Request
    hits: tuple[Hit, ...] = ()
    total: int = 0  # hits before max_results
    counts: Counts = field(default_factory=Counts)
    complete: bool = True  # whether everything was looked at
    notes: tuple[str, ...] = ()


def checked(request: Request) -> Request:
    """The request with its words as we say them, if it can be answered. Raises BadInput."""
    if not request.query.strip():
        raise BadInput("query is empty", hint="give a name, some words, or a text in quotes")
    said = request.language.strip().lower()
    request = replace(
        request,
        kind=request.kind.strip().lower(),
        language=_spellings().get(said, said),
        file_pattern=request.file_pattern.removeprefix("./"),
    )
    if request.kind and request.kind not in KINDS:
        raise BadInput(f"there is no kind {request.kind!r}", hint=f"kinds: {', '.join(KINDS)}")
    if request.language and request.language not in languages():
        near = get_close_matches(request.language, languages(), 3, 0.5)
        hint = f"did you mean: {', '.join(near)}" if near else f"one of: {', '.join(languages())}"
        raise BadInput(f"there is no language {request.language!r}", hint=hint)
    return request


@cache
def _spellings() -> dict[str, str]:
    """What a language is called beside its name: its endings, and how people write it."""
    endings = {
        ending.lstrip("."): name
        for name, language in languages().items()
        for ending in language.extensions
    }
    names = {name: name for name in languages()}
    return {**endings, **_OTHER_NAMES, **names}
