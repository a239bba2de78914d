"""The exact source of symbols, with line numbers; of a huge one its outline, and how to read on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from backstory.codenav import names
from backstory.codenav.folds import FOLDS
from backstory.codenav.outline import Outline
from backstory.codenav.rows import Rows, fitting, place, printable, shortened
from backstory.codenav.symbols import Symbol
from backstory.errors import BackstoryError, BadInput
from backstory.estimate import estimate_tokens

DEFAULT_TOKENS = 6_000
LEAST_TOKENS, MOST_TOKENS = 200, 12_000
CHARACTERS = 46_000  # the host shows no answer of more than 50,000
_OVERHEAD = 60  # tokens of what is said around a source


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file that were asked for; both ends belong to them."""

    start: int
    end: int
    at: int = -1  # the symbol, as a place in the outline; -1 for lines alone
    called: str = ""


def find(
    name: str, outline: Outline, shown: str, text: str = ""
) -> tuple[tuple[Piece, ...], tuple[int, ...]]:
    """(what a name or a range means, other symbols with the same plain name).

    Several pieces only where a qualified name repeats: overloads, a getter and its setter. Raises
    Ambiguous where several symbols could be meant, NotFound where none is, BadInput for lines that
    the file does not have.
    """
    symbols = outline.symbols
    stem = shown.rpartition("/")[2].partition(".")[0]
    match = names.resolve(name, symbols, stem)
    if not match.chosen:
        lines = names.lines_of(name)
        if lines is None or match.candidates:
            cut = outline.how == "cut"
            raise names.unclear(name, symbols, match, shown, text, is_cut=cut)
        if not 1 <= lines.start <= outline.lines:
            raise BadInput(
                f"{printable(shown)} has {outline.lines} lines: there is no {printable(name)}"
            )
        return (Piece(lines.start, min(lines.end, outline.lines)),), ()
    called = names.addresses(symbols)
    pieces = (
        Piece(symbols[at].start_line, symbols[at].end_line, at, called[at]) for at in match.chosen
    )
    return tuple(pieces), match.namesakes


def source_of(piece: Piece, text: str) -> str:
    """The lines of a piece, exactly, without the end of the last one."""
    return "\n".join(text.split("\n")[piece.start - 1 : piece.end]).removesuffix("\r")


def unfold_text(
    shown: str,
    text: str,
    outline: Outline,
    wanted: Sequence[str],
    *,
    context: bool = False,
    max_tokens: int = DEFAULT_TOKENS,
    encoding: str = "utf-8",
    characters: int = CHARACTERS,
) -> str:
    """The sources of the named symbols of one file, within `max_tokens` and `characters`.

    One name that is not clear raises what `find` does; of several it is told in its place.
    """
    unfolder = _Unfolder(shown, text, outline, context)
    parts: list[str] = []
    if encoding != "utf-8":
        parts.append(f"({printable(shown)}: {encoding})")
    left = float(max_tokens)
    room_left = characters
    seen: set[tuple[int, int]] = set()
    for place_, name in enumerate(wanted):
        share = left / (len(wanted) - place_)
        try:
            part = unfolder.one(name, share, room_left // (len(wanted) - place_), seen)
        except BackstoryError as error:
            if len(wanted) == 1:
                raise
            part = f"Error: {error.message}" + (f"\nHint: {error.hint}" if error.hint else "")
        while estimate_tokens(part) > share:
            part = part[: int(len(part) * 0.9)]
        left -= estimate_tokens(part) + 3
        room_left -= len(part) + 2
        parts.append(part)
    return "\n\n".join(parts)


class _Unfolder:
    """Shows pieces of one file."""

    def __init__(self, shown: str, text: str, outline: Outline, context: bool) -> None:
        self._shown = shown
        self._text = text
        self._lines = text.split("\n")
        self._outline = outline
        self._context = context

    def one(self, name: str, tokens: float, characters: int, seen: set[tuple[int, int]]) -> str:
        """All that one name means."""
        pieces, namesakes = find(name, self._outline, self._shown, self._text)
        fresh = [one for one in pieces if (one.start, one.end) not in seen]
        if not fresh:
            return f"{printable(name)}: its lines are above"
        seen.update((one.start, one.end) for one in fresh)
        parts = []
        if len(pieces) > 1:
            listed = ", ".join(f"{printable(one.called)} {_span(one)}" for one in pieces[:20])
            parts.append(f"{len(pieces)} symbols have this name: {listed}")
        if namesakes:
            parts.append(self._others(namesakes))
        left = tokens - sum(map(estimate_tokens, parts)) - 2 * len(parts)
        room = characters - sum(len(part) + 1 for part in parts)
        for position, piece in enumerate(fresh):
            share = left / (len(fresh) - position)
            part = self._piece(piece, share, room // (len(fresh) - position))
            left -= estimate_tokens(part) + 2
            room -= len(part) + 2
            parts.append(part)
        return "\n".join(parts)

    def _others(self, namesakes: Sequence[int]) -> str:
        called = names.addresses(self._outline.symbols)
        shown = [
            f"{printable(called[at])} {place(self._outline.symbols[at])}" for at in namesakes[:8]
        ]
        more = f" … {len(namesakes) - 8} more" if len(namesakes) > 8 else ""
        return f"(the same name elsewhere in this file: {', '.join(shown)}{more})"

    def _piece(self, piece: Piece, tokens: float, characters: int) -> str:
        head = [self._head(piece), *(self._around(piece) if self._context else ())]
        rows = self._numbered(piece.start, piece.end)
        whole = "\n".join([*head, *rows])
        if len(whole) <= characters and estimate_tokens(whole) <= tokens:
            return whole
        return self._huge(piece, head, rows, tokens, characters)

    def _head(self, piece: Piece) -> str:
        path = shortened(printable(self._shown), 100)
        if piece.at < 0:
            return f"{path} {_span(piece)}"
        kind = self._outline.symbols[piece.at].kind
        return f"{path} {_span(piece)} {kind} {shortened(printable(piece.called), 120)}"

    def _around(self, piece: Piece) -> list[str]:
        """The heads of what the piece stands in, outermost first."""
        symbols = self._outline.symbols
        found: list[Symbol] = []
        parent = symbols[piece.at].parent if piece.at >= 0 else self._innermost(piece)
        while parent >= 0:
            found.append(symbols[parent])
            parent = symbols[parent].parent
        return [
            f"in {place(one)} {shortened(printable(one.signature) or one.name, 200)}"
            for one in reversed(found)
        ]

    def _innermost(self, piece: Piece) -> int:
        best = -1
        for at, one in enumerate(self._outline.symbols):
            if one.start_line <= piece.start and piece.end <= one.end_line:
                best = at
        return best

    def _numbered(self, start: int, end: int) -> list[str]:
        """Lines as the host's own Read numbers them. The end of a line is no part of it."""
        return [
            f"{number}\t{line.removesuffix(chr(13))}"
            for number, line in enumerate(self._lines[start - 1 : end], start)
        ]

    def _huge(
        self, piece: Piece, head: list[str], rows: list[str], tokens: float, characters: int
    ) -> str:
        """What is shown of a piece that does not fit: its outline, or its first lines."""
        count = piece.end - piece.start + 1
        size = estimate_tokens("\n".join(rows))
        said = f"too long to show whole: {count:,} lines, {size:,} tokens"
        room = tokens - estimate_tokens("\n".join([*head, said])) - _OVERHEAD
        inner = self._inside(piece, room)
        if inner:
            how = f"(unfold what you need by name, or lines as {self._lines_from(piece.start)})"
            return "\n".join([*head, f"{said}. What is in it:", *inner, how])
        most = characters - sum(map(len, head)) - 400
        lines = list(_within(rows, most))
        lines, _ = fitting(lines, room)
        if not lines:
            return "\n".join(
                [*head, f"{said}. Its first line begins:", _beginning(rows[0], room, most)]
            )
        onward = f"(go on with {self._lines_from(piece.start + len(lines))}, up to {piece.end})"
        return "\n".join([*head, f"{said}. Its beginning:", *lines, onward])

    def _inside(self, piece: Piece, room: float) -> list[str]:
        """The outline of a huge symbol, in the finest form that fits."""
        if piece.at < 0:
            return []
        table = Rows(self._outline.symbols, self._lines)
        if table.size(piece.at) < 2:
            return []
        found: list[str] = []
        base = table.base(piece.at)
        for step, fold in enumerate(one.deeper(base + 1) for one in FOLDS):
            if step < len(FOLDS) - 1 and table.cannot_fit(piece.at, fold, room):
                continue
            rows = chain([table.row(piece.at, fold)], table.below(piece.at, fold, 1))
            found, used = fitting(rows, room)
            if used <= room:
                return found
        return found

    def _lines_from(self, start: int) -> str:
        name = f"L{start}-{min(start + 149, self._outline.lines)}"
        return f'symbol_name="{name}"'


def _span(piece: Piece) -> str:
    return f"{piece.start}-{piece.end}" if piece.end > piece.start else str(piece.start)


def _within(rows: Sequence[str], most: int) -> Iterator[str]:
    """The first rows that have so many characters at most."""
    used = 0
    for row in rows:
        used += len(row) + 1
        if used > most:
            return
        yield row


def _beginning(row: str, tokens: float, characters: int) -> str:
    cut = row[: max(characters, 0)]
    while cut and estimate_tokens(cut) > tokens:
        cut = cut[: int(len(cut) * 0.9)]
    return cut + "…"
