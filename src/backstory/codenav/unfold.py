"""The exact source of symbols, with line numbers; of a huge one its outline, and how to read on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from backstory.codenav import names, unclear
from backstory.codenav.folds import FOLDS
from backstory.codenav.outline import Outline
from backstory.codenav.rows import Rows, fitting, place, printable, shortened
from backstory.codenav.symbols import Symbol
from backstory.codenav.wording import TOOLS, Wording
from backstory.errors import BackstoryError, BadInput
from backstory.estimate import estimate_tokens

DEFAULT_TOKENS = 6_000
LEAST_TOKENS, MOST_TOKENS = 200, 12_000
CHARACTERS = 46_000  # the host shows no answer of more than 50,000
_OVERHEAD = 60  # tokens of what is said around a source
_PATH = 100  # characters
_LEAST = 120  # tokens that each of several symbols with one name should have
_EACH = 14  # tokens that each of those costs besides, where they are counted
_MOST_PROBLEMS = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file that were asked for; both ends belong to them."""

    start: int
    end: int
    at: int = -1  # the symbol, as a place in the outline; -1 for lines alone
    called: str = ""


def find(
    name: str, outline: Outline, shown: str, text: str = "", wording: Wording = TOOLS
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
        lines, line = names.lines_of(name), names.line_of(name)
        is_there = line < 0 or 1 <= line <= outline.lines
        if (lines is None and is_there) or match.candidates:
            cut = outline.how == "cut"
            raise unclear.unclear(name, symbols, match, shown, text, is_cut=cut, wording=wording)
        if lines is None or not 1 <= lines.start <= outline.lines:
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


def doubts(piece: Piece, outline: Outline) -> str:
    """ "overlaps a syntax error at lines …" for a symbol that does; "" for all others."""
    if piece.at < 0:
        return ""
    places = [
        f"{one.start_line}-{one.end_line}" if one.end_line > one.start_line else f"{one.start_line}"
        for one in outline.problems
        if one.start_line <= piece.end and piece.start <= one.end_line
    ]
    more = f" … {len(places) - _MOST_PROBLEMS} more" if len(places) > _MOST_PROBLEMS else ""
    said = ", ".join(places[:_MOST_PROBLEMS]) + more
    several = len(places) > 1 or "-" in said
    return f"overlaps a syntax error at line{'s' * several} {said}" if places else ""


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
    wording: Wording = TOOLS,
) -> str:
    """The sources of the named symbols of one file, within `max_tokens` and `characters`.

    One name that is not clear raises what `find` does; of several it is told in its place.
    """
    unfolder = _Unfolder(shown, text, outline, context, wording)
    parts: list[str] = []
    left = max_tokens - 2.0  # the estimate of the whole is not quite the sum of its parts
    room_left = characters
    if encoding != "utf-8":
        parts.append(f"({shortened(printable(shown), _PATH)}: {encoding})")
        left -= estimate_tokens(parts[0]) + 3
        room_left -= len(parts[0]) + 2
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

    def __init__(
        self, shown: str, text: str, outline: Outline, context: bool, wording: Wording
    ) -> None:
        self._shown = shown
        self._text = text
        self._lines = text.split("\n")
        self._outline = outline
        self._context = context
        self._wording = wording

    def one(self, name: str, tokens: float, characters: int, seen: set[tuple[int, int]]) -> str:
        """All that one name means."""
        pieces, namesakes = find(name, self._outline, self._shown, self._text, self._wording)
        fresh = [one for one in pieces if (one.start, one.end) not in seen]
        if not fresh:
            return f"{printable(name)}: its lines are above"
        if len(fresh) > 1 and tokens / len(fresh) < _LEAST and not self._fit(fresh, tokens):
            return self._listed(fresh, tokens)
        seen.update((one.start, one.end) for one in fresh)
        parts = []
        if len(pieces) > 1:
            listed = ", ".join(f"{printable(one.called)} {_span(one)}" for one in pieces[:20])
            parts.append(f"{len(pieces)} symbols have this name: {listed}")
        if namesakes:
            parts.append(self._others(namesakes))
        left = tokens - sum(map(estimate_tokens, parts)) - 2 * len(parts)
        room = characters - sum(len(part) + 1 for part in parts)
        shown: dict[int, str] = {}
        # short ones leave to long ones what they do not need
        shortest = sorted(range(len(fresh)), key=lambda at: fresh[at].end - fresh[at].start)
        for position, at in enumerate(shortest):
            rest = len(fresh) - position
            shown[at] = self._piece(fresh[at], left / rest, room // rest)
            left -= estimate_tokens(shown[at]) + 2
            room -= len(shown[at]) + 2
        return "\n".join([*parts, *(shown[at] for at in range(len(fresh)))])

    def _fit(self, pieces: Sequence[Piece], tokens: float) -> bool:
        """Whether all of these go into so many tokens, each with what is said of it."""
        for one in pieces:
            rows = self._numbered(one.start, one.end)
            tokens -= estimate_tokens("\n".join([self._head(one), *rows])) + _EACH
            if tokens < 0:
                return False
        return True

    def _listed(self, pieces: Sequence[Piece], tokens: float) -> str:
        """The rows of symbols of one name that have no room to be shown together."""
        first = f"{len(pieces)} symbols have this name, too long to show together; name one:"
        more = "… {} more: they are numbered to #{}"
        symbols = self._outline.symbols
        rows = (unclear.row_of(symbols[one.at], one.called) for one in pieces)
        room = tokens - estimate_tokens(f"{first}\n{more}1,000 1,000")
        found, _ = fitting(rows, room)
        left = len(pieces) - len(found)
        return "\n".join([first, *found, *([more.format(left, len(pieces))] if left else [])])

    def _others(self, namesakes: Sequence[int]) -> str:
        called = names.addresses(self._outline.symbols)
        shown = [
            f"{printable(called[at])} {place(self._outline.symbols[at])}" for at in namesakes[:8]
        ]
        more = f" … {len(namesakes) - 8} more" if len(namesakes) > 8 else ""
        return f"(the same name elsewhere in this file: {', '.join(shown)}{more})"

    def _piece(self, piece: Piece, tokens: float, characters: int) -> str:
        head = [self._head(piece), *(self._around(piece) if self._context else ())]
        if places := doubts(piece, self._outline):
            head.append(f"it {places}: it may end elsewhere")
        rows = self._numbered(piece.start, piece.end)
        whole = "\n".join([*head, *rows])
        if len(whole) <= characters and estimate_tokens(whole) <= tokens:
            return whole
        return self._huge(piece, head, rows, tokens, characters)

    def _head(self, piece: Piece) -> str:
        path = shortened(printable(self._shown), _PATH)
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
        return self._wording.say(self._wording.lines, printable(self._shown), name)


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
