"""The exact source of symbols, with line numbers; of a huge one its outline, and how to read on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from backstory.codenav import names, unclear, within
from backstory.codenav.folds import FOLDS, Fold
from backstory.codenav.outline import Outline
from backstory.codenav.rows import Rows, fitting, place, printable, shortened
from backstory.codenav.symbols import Symbol
from backstory.codenav.within import MORE, fitted, narrowed
from backstory.codenav.wording import TOOLS, Wording
from backstory.errors import BackstoryError, BadInput
from backstory.estimate import estimate_tokens

DEFAULT_TOKENS = 6_000
LEAST_TOKENS, MOST_TOKENS = 200, 12_000
CHARACTERS = 46_000  # the host shows no answer of more than 50,000
_ROW = 30  # tokens of a row of source, many
_OVERHEAD = 4  # tokens that the sum of what is said around a source may be off
_PATH, _CALLED = 100, 120  # characters
_LEAST = 120  # tokens that each of several symbols with one name should have
_EACH = 14  # tokens that each of those costs besides, where they are counted
_COUNTED = Fold(docs=0, details="count", width=56, rows=0)
_BETWEEN = 3.5  # tokens between the answers to two names
_AROUND = 0.3  # of the tokens of a source, for the heads of what it stands in
_LEAST_SAID = 60  # tokens that the answer to one name needs if its source does not fit
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
            raise unclear.unclear(
                name,
                symbols,
                match,
                shown,
                text,
                is_cut=outline.how == "cut",
                problems=outline.problems,
                wording=wording,
            )
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
        parts.append(f"({_path(shown, left)}: {encoding})")
        left -= estimate_tokens(parts[0]) + _BETWEEN
        room_left -= len(parts[0]) + 2
    seen: set[tuple[int, int]] = set()
    for place_, name in enumerate(wanted):
        rest = len(wanted) - place_
        note = _not_shown(wanted[place_:], wording)
        share = left / rest if rest == 1 else max(left / rest, min(_LEAST_SAID, left - _cost(note)))
        try:
            part = unfolder.one(name, share, room_left // rest, seen)
        except BackstoryError as error:
            if len(wanted) == 1:
                raise fitted(error, max_tokens, wording) from None
            error = fitted(error, share, wording)
            part = f"Error: {error.message}" + (f"\nHint: {error.hint}" if error.hint else "")
        after = left - estimate_tokens(part) - _BETWEEN
        note = _not_shown(wanted[place_ + 1 :], wording)
        if place_ and after < (_cost(note) if rest > 1 else 0):
            parts.append(_not_shown(wanted[place_:], wording))
            break
        left = after
        room_left -= len(part) + 2
        parts.append(part)
    return "\n\n".join(parts)


def _not_shown(names_: Sequence[str], wording: Wording) -> str:
    """What is said of names that there is no room for."""
    first = shortened(printable(names_[0]), 20) if names_ else ""
    onward = f"raise {wording.budget}, or name fewer"
    return f"({first} and what follows, {len(names_)} in all, is not shown: {onward})"


def _cost(note: str) -> float:
    return estimate_tokens(note) + _BETWEEN


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
            return f"{_called(name, tokens)}: its lines are above"
        if len(fresh) > 1 and tokens / len(fresh) < _LEAST and not self._fit(fresh, tokens):
            return self._listed(fresh, tokens)
        seen.update((one.start, one.end) for one in fresh)
        parts = []
        if len(pieces) > 1:
            first = [f"{_called(one.called, tokens)} {_span(one)}" for one in pieces[:20]]
            listed = _few(first, len(pieces), tokens)
            parts.append(f"{len(pieces)} symbols have this name: {listed}")
        if namesakes:
            parts.append(self._others(namesakes, tokens))
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
            tokens -= estimate_tokens("\n".join([self._head(one, tokens), *rows])) + _EACH
            if tokens < 0:
                return False
        return True

    def _listed(self, pieces: Sequence[Piece], tokens: float) -> str:
        """The rows of symbols of one name that have no room to be shown together."""
        first = f"{len(pieces)} symbols have this name, too long to show together; name one:"
        more = f"{MORE}: they are numbered to #{{}}"
        symbols = self._outline.symbols
        rows = (unclear.row_of(symbols[one.at], one.called) for one in pieces)
        room = tokens - estimate_tokens(f"{first}\n{more}1,000 1,000")
        found = within.some(rows, room)
        left = len(pieces) - len(found)
        return "\n".join([first, *found, *([more.format(left, len(pieces))] if left else [])])

    def _others(self, namesakes: Sequence[int], tokens: float) -> str:
        called = names.addresses(self._outline.symbols)
        symbols = self._outline.symbols
        first = [f"{_called(called[at], tokens)} {place(symbols[at])}" for at in namesakes[:8]]
        return f"(the same name elsewhere in this file: {_few(first, len(namesakes), tokens)})"

    def _piece(self, piece: Piece, tokens: float, characters: int) -> str:
        head = [self._head(piece, tokens)]
        head += self._around(piece, tokens) if self._context else ()
        if places := doubts(piece, self._outline):
            head.append(f"it {places}: it may end elsewhere")
        rows = self._numbered(piece.start, piece.end)
        whole = "\n".join([*head, *rows])
        if len(whole) <= characters and estimate_tokens(whole) <= tokens:
            return whole
        return self._huge(piece, head, rows, tokens, characters)

    def _head(self, piece: Piece, tokens: float) -> str:
        path = _path(self._shown, tokens)
        if piece.at < 0:
            return f"{path} {_span(piece)}"
        kind = self._outline.symbols[piece.at].kind
        return f"{path} {_span(piece)} {kind} {_called(piece.called, tokens)}"

    def _around(self, piece: Piece, tokens: float) -> list[str]:
        """The heads of what the piece stands in, outermost first; of very many the innermost."""
        symbols = self._outline.symbols
        found: list[Symbol] = []
        parent = symbols[piece.at].parent if piece.at >= 0 else self._innermost(piece)
        while parent >= 0:
            found.append(symbols[parent])
            parent = symbols[parent].parent
        rows = [
            f"in {place(one)} {shortened(printable(one.signature) or one.name, 200)}"
            for one in found
        ]
        shown = within.some(rows, tokens * _AROUND)
        left = len(rows) - len(shown)
        return [*([f"in {left} more"] if left else []), *reversed(shown)]

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
        by_name = f"(unfold what you need by name, or lines as {self._lines_from(piece.start)})"
        fixed = estimate_tokens("\n".join([*head, f"{said}. Its first line begins:"])) + _OVERHEAD
        inner, what = self._inside(piece, tokens - fixed - estimate_tokens(by_name))
        while inner:
            text = "\n".join([*head, f"{said}. {what}:", *inner, by_name])
            if estimate_tokens(text) <= tokens:
                return text
            inner.pop()
        most = characters - sum(map(len, head)) - 400
        onward = f"(go on with {self._lines_from(piece.end)}, up to {piece.end})"
        lines = list(_within(rows, most))
        lines, _ = fitting(lines, tokens - fixed - estimate_tokens(onward))
        while lines:
            onward = f"(go on with {self._lines_from(piece.start + len(lines))}, up to {piece.end})"
            text = "\n".join([*head, f"{said}. Its beginning:", *lines, onward])
            over = estimate_tokens(text) - tokens  # the sum of rows is less than the whole
            if over <= 0:
                return text
            del lines[-max(int(over / _ROW), 1) :]
        begun = _beginning(rows[0], tokens - fixed, most)
        return "\n".join([*head, f"{said}. Its first line begins:", begun])

    def _inside(self, piece: Piece, room: float) -> tuple[list[str], str]:
        """(the outline of a huge symbol, in the finest form that fits; what is said of it)."""
        table = Rows(self._outline.symbols, self._lines)
        if piece.at < 0 or (count := table.size(piece.at)) < 2:
            return [], ""
        found: list[str] = []
        base = table.base(piece.at)
        for step, fold in enumerate(one.deeper(base + 1) for one in FOLDS):
            if step < len(FOLDS) - 1 and table.cannot_fit(piece.at, fold, room):
                continue
            rows = chain([table.row(piece.at, fold)], table.below(piece.at, fold, 1))
            found, used = fitting(rows, room)
            if used <= room:
                return found, "What is in it"
        if len(found) < 2:
            return within.some([table.row(piece.at, _COUNTED)], room), "What is in it"
        return found, f"The first of {count:,} symbols in it"

    def _lines_from(self, start: int) -> str:
        name = f"L{start}-{min(start + 149, self._outline.lines)}"
        return self._wording.say(self._wording.lines, printable(self._shown), name)


def _span(piece: Piece) -> str:
    return f"{piece.start}-{piece.end}" if piece.end > piece.start else str(piece.start)


def _path(shown: str, tokens: float) -> str:
    """A path, in a sixth of so many tokens at most."""
    return narrowed(shortened(printable(shown), _PATH), tokens / 6)


def _called(name: str, tokens: float) -> str:
    """The name of a symbol, in a sixth of so many tokens at most."""
    return narrowed(shortened(printable(name), _CALLED), tokens / 6)


def _few(words: Sequence[str], count: int, tokens: float) -> str:
    """Some words in a fourth of so many tokens at most, and how many more of `count` there are."""
    shown = within.some(words, tokens / 4)
    left = count - len(shown)
    return ", ".join(shown) + (f" {MORE.format(left)}" if left else "")


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
