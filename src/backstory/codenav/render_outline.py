"""The text of outlines, within a budget of tokens: what does not fit is folded, and named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backstory.codenav import names, unclear
from backstory.codenav.folds import ALL_LEVELS, FOLDS, NEWLINE, Fold
from backstory.codenav.outline import Import, Outline
from backstory.codenav.rows import DETAILS, Rows, fitting, printable, shortened
from backstory.codenav.wording import TOOLS, Wording
from backstory.errors import BackstoryError, BadInput
from backstory.estimate import estimate_tokens

DEFAULT_TOKENS = 2_000
LEAST_TOKENS, MOST_TOKENS = 200, 12_000
_LEAST_PER_FILE = 70
_SHARE = 0.075  # of a file's own tokens, where nothing else was asked for
_ALWAYS = 600  # tokens that even a small file may have then
_FOOTER = 55
_PATH, _NAME = 100, 80  # characters
_IMPORTS, _FEW_IMPORTS = 14, 6
_FUTURE = "__future__"  # says nothing of what a module needs
_NEIGHBOURS = 12  # lines between imports that still stand together
_INNER = {
    "lines": "signatures of inner symbols",
    "names": "lines and signatures of inner symbols",
    "": "inner symbols",
}
_HOW = {
    "generic": "generic shape: this language has no query of its own",
    "text": "plain text: headings, indents or blocks",
    "cut": "incomplete: too large, too deep or too slow to parse as a whole",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file that was read and outlined, or why it was not."""

    shown: str  # its path
    text: str = ""
    outline: Outline | None = None
    encoding: str = "utf-8"
    tokens: int = 0  # of the whole file
    error: BackstoryError | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What of each file was asked for, and at which door."""

    symbol: str
    depth: int
    wording: Wording


def outline_text(
    files: Sequence[File],
    symbol: str = "",
    depth: int = 0,
    max_tokens: int = 0,
    wording: Wording = TOOLS,
) -> str:
    """The outlines of some files, never over `max_tokens` (0: few, as fits their size).

    Only what is inside `symbol`, and at most `depth` levels (0: as many as fit). Raises what a
    single file could not be read for, and NotFound or BadInput for a `symbol` that is not clear.
    """
    asked = _Asked(symbol, depth, wording)
    whole = max_tokens or _usual(files)
    left = whole
    shown = files[: max(whole // _LEAST_PER_FILE, 1)]
    texts: dict[int, str] = {}
    cheap_first = sorted(range(len(shown)), key=lambda at: shown[at].tokens)
    rest = len(files) - len(shown)
    note = f"… {rest} more files: ask for fewer, or for more {wording.budget}" if rest else ""
    left -= estimate_tokens(note) + 2 if note else 0
    for position, at in enumerate(cheap_first):
        room = left // (len(shown) - position)
        texts[at] = _one(shown[at], asked, room, alone=len(files) == 1)
        left -= estimate_tokens(texts[at]) + 3
    return "\n\n".join([*(texts[at] for at in range(len(shown))), *([note] if note else [])])


def _usual(files: Sequence[File]) -> int:
    """The budget where none was asked for: an outline is to cost a tenth of its file at most."""
    shares = sum(max(_ALWAYS, round(one.tokens * _SHARE)) for one in files)
    return min(DEFAULT_TOKENS, max(shares, LEAST_TOKENS))


def _one(file: File, asked: _Asked, room: int, *, alone: bool) -> str:
    try:
        if file.error is not None:
            raise file.error
        if file.outline is None:
            raise BadInput(f"{file.shown}: it was not outlined")
        return _outlined(file, file.outline, asked, room)
    except BackstoryError as error:
        if alone:
            raise
        hint = f" ({error.hint})" if error.hint else ""
        told = f"{printable(file.shown)}: Error: {printable(error.message + hint)}"
        return _cut_to(shortened(told, 400), room)


def _outlined(file: File, outline: Outline, asked: _Asked, room: int) -> str:
    lines = file.text.split("\n")
    rows = Rows(outline.symbols, lines)
    parents = inside(outline, asked.symbol, file.shown, asked.wording) if asked.symbol else (-1,)
    head, notes = _head(file, outline), _notes(file, outline, parents[0], asked.wording)
    left = room - _cost([f"{head}, outline 1,000", *notes]) - 2
    body: list[str] = []
    folded = ""
    for at, parent in enumerate(parents):
        share = left / (len(parents) - at)
        more, said = _body(rows, outline, parent, asked, share)
        body += more
        folded = folded or said
        left -= _cost(more) + (_cost([said]) if said == folded else 0)
    text = _finished(head, notes, body, folded)
    while estimate_tokens(text) > room and body:
        body.pop()
        text = _finished(head, notes, body, folded or f"… cut: ask for more {asked.wording.budget}")
    return _cut_to(text, room)


def _head(file: File, outline: Outline) -> str:
    path = shortened(printable(file.shown), _PATH)
    parts = [path, outline.language or "unknown language", f"{outline.lines:,} lines"]
    if file.encoding != "utf-8":
        parts.append(file.encoding)
    parts.append(f"{file.tokens:,} tokens")
    return " · ".join(parts)


def _finished(head: str, notes: Sequence[str], body: Sequence[str], folded: str) -> str:
    rest = [*notes, *body, *([folded] if folded else [])]
    text = "\n".join(rest)
    own = estimate_tokens(f"{head}, outline 1,000\n{text}")
    return f"{head}, outline {own:,}\n{text}" if rest else f"{head}, outline {own:,}"


def _notes(file: File, outline: Outline, parent: int, wording: Wording) -> list[str]:
    """What is said before the rows."""
    found = warnings(outline)
    if parent < 0 and outline.imports:
        found.append(_imports(outline.imports, file.tokens))
    if outline.how == "cut" and not outline.symbols:
        how = wording.say(wording.unfold, printable(file.shown), "L1-150")
        found.append(f"read parts of it as lines: {how}")
    elif outline.problems and not outline.symbols:
        found.append(wording.say(wording.whole, printable(file.shown), "L1-150"))
    elif not outline.symbols:
        found.append("no symbols in it" if file.text.strip() else "there is nothing in it")
    return found


def warnings(outline: Outline) -> list[str]:
    """What should be known of an outline before it is relied on; [] for a whole one."""
    found = [_HOW[outline.how]] if outline.how in _HOW else []
    return [*found, *([_problems(outline)] if outline.problems else [])]


def _problems(outline: Outline) -> str:
    places = unclear.places_of(outline.problems)
    if not outline.symbols:
        return unclear.UNREADABLE.format(places)
    return f"syntax errors at {places}: the outline is of what parsed"


def _imports(imports: Sequence[Import], tokens: int) -> str:
    """All imports as one row; far ones are counted."""
    block = [imports[0]]
    for one in imports[1:]:
        if one.start_line - max(kept.end_line for kept in block[-1:]) > _NEIGHBOURS:
            break
        block.append(one)
    first, last = block[0].start_line, max(one.end_line for one in block)
    said = list(dict.fromkeys(printable(name) for one in imports for name in one.names))
    said = [name for name in said if _FUTURE not in name] or said
    most = _IMPORTS if tokens > 8_000 else _FEW_IMPORTS
    shown = ", ".join(shortened(name, _NAME) for name in said[:most])
    more = f" … {len(said) - most} more" if len(said) > most else ""
    further = len(imports) - len(block)
    below = f" (and {further} further below)" if further else ""
    span = f"{first}-{last}" if last > first else str(first)
    return f"imports {span}{below}: {shown}{more}"


def _body(
    rows: Rows, outline: Outline, parent: int, asked: _Asked, room: float
) -> tuple[list[str], str]:
    """The rows that fit, and what was folded to make them fit."""
    best: list[str] = []
    depth, wording = asked.depth, asked.wording
    base, how = rows.base(parent), _how_to_open(rows, outline, parent, wording)
    for step, fold in enumerate(one.deeper(base).within(depth) for one in FOLDS):
        if step < len(FOLDS) - 1 and rows.cannot_fit(parent, fold, room):
            continue
        told = _folded(outline, fold, how) if step else _by_depth(rows, parent, depth)
        best, used = fitting(_all_rows(rows, parent, fold), room)
        if used + estimate_tokens(told) + NEWLINE <= room:
            return best, told
    while best and _cost(best) > room - _FOOTER:
        best.pop()
    if not best:  # one row is longer than all the room
        first = next(iter(_all_rows(rows, parent, FOLDS[-1])), "")
        best = [_cut_to(first, int(room - _FOOTER))]
    hidden = max(rows.size(parent) - len(best), 1)
    or_ = wording.say(wording.inside, name="…").replace('"', "").replace("'", "")
    return best, f"… cut here, {hidden:,} more symbols: ask for more {wording.budget}, or {or_}"


def _all_rows(rows: Rows, parent: int, fold: Fold) -> Iterable[str]:
    level = 0
    if parent >= 0:
        yield rows.row(parent, fold)
        level = 1
        fold = fold.deeper(1)
    yield from rows.below(parent, fold, level)
    if parent < 0 and fold.details == "count":
        hidden = rows.hidden(-1, fold)
        if hidden:
            yield f"… {hidden}"


def _by_depth(rows: Rows, parent: int, depth: int) -> str:
    return f"levels below {depth} are folded" if depth and rows.size(parent) else ""


def _folded(outline: Outline, fold: Fold, how: str) -> str:
    """What a folded rendering leaves out, and how to see it."""
    left_out = []
    if any(one.doc for one in outline.symbols):
        left_out.append("docs" if fold.docs < 2 else "inner docs")
    if fold.details != "rows" and any(one.kind in DETAILS for one in outline.symbols):
        left_out.append("fields and constants")
    if fold.rows < ALL_LEVELS:
        left_out.append(_INNER[fold.packed])
    left_out = left_out or ["the middle of signatures"]
    return f"(folded: {', '.join(left_out)}; open with {how})"


def _how_to_open(rows: Rows, outline: Outline, parent: int, wording: Wording) -> str:
    opened = rows.most_folded(parent)
    name = printable(names.addresses(outline.symbols)[opened]) if opened >= 0 else ""
    if not 0 < len(name) <= _NAME:
        return wording.budget
    return f"{wording.say(wording.inside, name=name)}, or more {wording.budget}"


def inside(outline: Outline, symbol: str, shown: str, wording: Wording = TOOLS) -> tuple[int, ...]:
    """The symbols that a name means, as places: several only where all are called so, as a type
    and what is implemented for it. Raises NotFound and Ambiguous."""
    stem = shown.rpartition("/")[2].partition(".")[0]
    match = names.resolve(symbol, outline.symbols, stem)
    if match.chosen:
        return match.chosen
    raise unclear.unclear(
        symbol, outline.symbols, match, shown, problems=outline.problems, wording=wording
    )


def _cost(rows: Iterable[str]) -> float:
    return sum(estimate_tokens(row) + NEWLINE for row in rows)


def _cut_to(text: str, room: int) -> str:
    while text and estimate_tokens(text) > room:
        text = text[: int(len(text) * 0.9)]
    return text
