"""What is said of a name that came to no one symbol: which could be meant, or what is near."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backstory.codenav import names
from backstory.codenav.outline import Problem
from backstory.codenav.rows import place, printable, shortened
from backstory.codenav.symbols import Symbol
from backstory.codenav.within import MORE
from backstory.codenav.wording import TOOLS, Wording
from backstory.errors import Ambiguous, BackstoryError, NotFound

UNREADABLE = "no symbol could be recognised because of syntax errors at {}"
_MOST_PLACES = 8
_MOST_CANDIDATES = 20
_MOST_MENTIONS = 4
_FUNCTIONS = (
    *("def", "defp", "fn", "func", "fun", "function", "sub", "proc", "method", "macro", "get"),
    *("set", "task", "async", "defmacro", "function*"),
)
_KIND_WORDS = {  # what says that something is of a kind
    "function": _FUNCTIONS,
    "method": _FUNCTIONS,
    "property": (*_FUNCTIONS, "property", "val", "var", "attr_reader", "attr_writer"),
    "constructor": (*_FUNCTIONS, "constructor", "init", "new"),
    "class": ("class", "object", "record", "actor", "contract"),
    "interface": ("interface", "protocol", "@interface"),
    "namespace": ("namespace", "module", "package"),
    "module": ("module", "namespace", "package", "defmodule", "mod"),
    "constant": ("const", "constant", "final", "let", "val", "#define", "define"),
    "variable": ("var", "let", "val", "my", "our", "static", "variable"),
    "type": ("type", "typedef", "typealias", "using", "newtype", "data"),
    "struct": ("struct", "record", "union"),
    "impl": ("impl", "instance", "extension"),
    "macro": ("macro", "define", "#define", "macro_rules!", "defmacro"),
    "test": ("test", "it", "describe", "func", "def", "fn"),
}


def unclear(
    name: str,
    symbols: Sequence[Symbol],
    match: names.Match,
    shown: str,
    text: str = "",
    *,
    is_cut: bool = False,
    problems: Sequence[Problem] = (),
    wording: Wording = TOOLS,
) -> BackstoryError:
    """The error for a name that came to no one symbol: candidates, or what is near.

    `text` is the file's, in which a name that is no symbol may stand. is_cut: there may be more
    symbols than these. `problems` are the lines that could not be read.
    """
    said, file = shortened(printable(name), 80), printable(shown)
    called = names.addresses(symbols)
    if match.candidates:
        rows = [row_of(symbols[at], called[at]) for at in match.candidates[:_MOST_CANDIDATES]]
        more = len(match.candidates) - len(rows)
        listed = "\n".join([*rows, *([MORE.format(more)] if more else [])])
        return Ambiguous(
            f"{said} could be any of {len(match.candidates)} symbols in {file}:\n{listed}"
            if len(match.candidates) > 1
            else f"{said} is not all of a name in {file}:\n{listed}",
            hint=f"name one as it stands here, such as {printable(called[match.candidates[0]])}",
        )
    if not symbols:
        hint = wording.say(wording.whole, file, "L1-80")
        what = f"in {file}, {UNREADABLE.format(places_of(problems))}" if problems else ""
        return NotFound(what or f"{file} has no symbols", hint=hint)
    line = names.line_of(name)
    near = match.near or (_beside(line, symbols) if line >= 0 else ())
    rows = [row_of(symbols[at], called[at]) for at in near]
    if line >= 0:
        what = f"line {line} of {file} is in no symbol; those around it:"
        return NotFound("\n".join([what, *rows]), hint=f"for the lines alone: L{line}-{line}")
    what = f"there is no symbol {said} in {file}"
    if is_cut:
        what = f"the outline of {file} is incomplete, and what there is of it lacks {said}"
    around = ""
    if lines := _mentions(name, text):
        what += f" (the word stands in line {', '.join(map(str, lines))})"
        around = f", or lines, such as L{lines[0]}-{lines[0] + 40}"
    if rows:
        hint = f"name one of them{around}"
        return NotFound("\n".join([f"{what}; the nearest:", *rows]), hint=hint)
    return NotFound(what, hint=wording.say(wording.elsewhere, file, said))


def places_of(problems: Sequence[Problem]) -> str:
    """The first lines that could not be read, and how many more places there are."""
    places = [
        f"{one.start_line}-{one.end_line}" if one.end_line > one.start_line else f"{one.start_line}"
        for one in problems
    ]
    more = f" … {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    return f"{', '.join(places[:_MOST_PLACES])}{more}"


def _mentions(name: str, text: str) -> list[int]:
    """The first lines in which the last part of a name stands as a word."""
    word = names.last_part(name)
    if not 1 < len(word) <= 200 or not text:
        return []
    found: dict[int, None] = {}
    for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text):
        found[text.count("\n", 0, match.start()) + 1] = None
        if len(found) == _MOST_MENTIONS:
            break
    return list(found)


def row_of(one: Symbol, called: str) -> str:
    """A symbol as a line of a list: what to call it, its lines, its signature, which tells of
    what kind it is or is told it."""
    said = shortened(printable(one.signature), 90)
    if not _tells_kind(one):
        said = f"{one.kind} {said}".rstrip()
    return f"  {shortened(printable(called), 120)} {place(one)} {said}"


def _tells_kind(one: Symbol) -> bool:
    """Whether a word before its name says what a symbol is."""
    before = one.signature.partition(one.name)[0].split()
    return any(word.strip("@#.(") in _KIND_WORDS.get(one.kind, (one.kind,)) for word in before)


def _beside(line: int, symbols: Sequence[Symbol]) -> tuple[int, ...]:
    """The symbols right before and right after a line that is in none."""
    before = [at for at, one in enumerate(symbols) if one.end_line < line]
    after = [at for at, one in enumerate(symbols) if one.start_line > line]
    last = max(before, key=lambda at: symbols[at].end_line, default=-1)
    first = min(after, key=lambda at: symbols[at].start_line, default=-1)
    return tuple(at for at in (last, first) if at >= 0)
