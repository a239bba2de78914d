"""Commands that look into code: the engine and the guards of the tools that Claude has.

They work in this process, with no worker; the current folder is the workspace.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from backstory import config
from backstory.cli import output
from backstory.codenav import looking, render_outline, unfold, workspace
from backstory.codenav.answer import MOST_RESULTS, Hit
from backstory.codenav.looking import Looked, Outlines, Workspace
from backstory.codenav.render_outline import File
from backstory.codenav.render_search import search_text
from backstory.codenav.symbols import Symbol
from backstory.codenav.within import fitted
from backstory.codenav.wording import COMMANDS as WORDING
from backstory.codenav.workspace import Request
from backstory.errors import Ambiguous, BackstoryError, NotFound, Unavailable
from backstory.recall.likeness import nearness

_WHOLE = 1_000_000_000  # tokens: a terminal shows whatever there is
_LINES = "section"  # the kind of lines that were asked for by number


@click.command()
@click.argument("file")
@click.option("--symbol", default="", metavar="NAME", help="Only what is inside this symbol.")
@click.option("--depth", default=0, type=click.IntRange(0, 100), help="At most so many levels.")
@click.option(
    "--max-tokens",
    type=click.IntRange(render_outline.LEAST_TOKENS),
    help="Most tokens of the answer. [default: a tenth of the file's, 2000 at most]",
)
@output.json_option
def outline(file: str, symbol: str, depth: int, max_tokens: int | None, as_json: bool) -> None:
    """Show the shape of a file: imports, and every symbol with its lines and signature."""
    found = _look(file)
    if as_json:
        entries, hidden = _entries(found, symbol, depth)
        notes = [f"{hidden} symbols below level {depth} are left out"] if hidden else []
        _warn(found, *notes)
        output.show(entries, "", as_json=True)
        return
    shown = found.source
    read = File(shown.shown, shown.text, found.outline, shown.encoding, found.tokens)
    with _budget(max_tokens):
        text = render_outline.outline_text([read], symbol, depth, max_tokens or 0, WORDING)
    click.echo(text)


@click.command(name="unfold")
@click.argument("file")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--context", is_flag=True, help="With the signatures of what it stands in.")
@click.option(
    "--max-tokens",
    type=click.IntRange(unfold.LEAST_TOKENS),
    help="Most tokens of the answer. [default: no limit]",
)
@output.json_option
def unfold_(
    file: str, names: tuple[str, ...], context: bool, max_tokens: int | None, as_json: bool
) -> None:
    """Show the source of symbols: Class.method, name#2, L12 (around a line), L10-40 (lines)."""
    found = _look(file)
    shown = found.source
    with _budget(max_tokens):
        pieces, missing = _found(list(dict.fromkeys(names)), found)
    if as_json:
        chosen = dict.fromkeys(piece for some in pieces.values() for piece in some)
        _warn(found, *(said for one in chosen if (said := _doubts(one, found))))
        output.show([_source(one, found) for one in chosen], "", as_json=True)
    else:
        text = unfold.unfold_text(
            shown.shown,
            shown.text,
            found.outline,
            list(pieces),
            context=context,
            max_tokens=max_tokens or _WHOLE,
            encoding=shown.encoding,
            characters=_WHOLE,
            wording=WORDING,
        )
        click.echo(text)
    for error in missing:
        click.echo("\n".join(filter(None, [f"backstory: {error.message}", error.hint])), err=True)
    if missing:
        raise output.Exit(1)


@contextmanager
def _budget(max_tokens: int | None) -> Iterator[None]:
    """What goes wrong is told in so many tokens, too."""
    try:
        yield
    except BackstoryError as error:
        raise fitted(error, max_tokens or _WHOLE, WORDING) from None


def _found(
    names: list[str], found: Looked
) -> tuple[dict[str, tuple[unfold.Piece, ...]], list[BackstoryError]]:
    """(what each name means, what is wrong with the others). Raises where nothing was found."""
    pieces: dict[str, tuple[unfold.Piece, ...]] = {}
    missing: list[BackstoryError] = []
    shown = found.source
    for name in names:
        try:
            pieces[name] = unfold.find(name, found.outline, shown.shown, shown.text, WORDING)[0]
        except BackstoryError as error:
            missing.append(error)
    if len(missing) == 1 and not pieces:
        raise missing[0]
    if not pieces:
        told = "\n".join("\n".join(filter(None, [one.message, one.hint])) for one in missing)
        kind = NotFound if any(isinstance(one, NotFound) for one in missing) else Ambiguous
        raise kind(told)
    return pieces, missing


def _doubts(piece: unfold.Piece, found: Looked) -> str:
    said = unfold.doubts(piece, found.outline)
    return f"{piece.called} {said}" if said else ""


def _warn(found: Looked, *more: str) -> None:
    """Says beside an answer for programs what it does not hold."""
    shown = found.source
    said = [*render_outline.warnings(found.outline), *more]
    if shown.encoding != "utf-8":
        said.append(f"encoding: {shown.encoding}")
    for one in said:
        click.echo(f"note: {shown.shown}: {one}", err=True)


@click.command()
@click.argument("query")
@click.argument("path", default="")
@click.option("--kind", default="", help="Only these: class, function, method, constant …")
@click.option("--language", default="", help="Only files in this language.")
@click.option("--pattern", "file_pattern", default="", metavar="GLOB", help="Only such files.")
@click.option("--references", is_flag=True, help="Where it is used, instead.")
@click.option("--max-results", default=20, show_default=True, type=click.IntRange(1, MOST_RESULTS))
@click.option(
    "--max-tokens",
    default=render_outline.DEFAULT_TOKENS,
    show_default=True,
    type=click.IntRange(render_outline.LEAST_TOKENS),
    help="Most tokens of the answer.",
)
@output.json_option
def symbols(as_json: bool, **given: Any) -> None:
    """Find symbols by a name, a part of it, or words; then files and lines. PATH narrows it."""
    where = _workspace()
    found = workspace.search(
        Request(**given),
        roots=where.roots,
        home=output.home(),
        rules=where.rules,
        cwd=where.cwd,
        deadline=time.monotonic() + looking.DEADLINE_S,
        nearness=nearness(config.load(output.home())),
    )
    if not as_json:
        click.echo(search_text(found, WORDING))
        return
    entries = [_use(one) for one in found.hits if one.what == "use"]
    entries += [_hit(one) for one in found.hits if one.what == "symbol"]
    output.show(entries, "", as_json=True)


def _hit(one: Hit) -> dict[str, Any]:
    """A symbol that was found, for programs."""
    return {
        "name": one.name,
        "qualified_name": one.qualified_name,
        "kind": one.kind,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "signature": one.signature,
        "parent": one.parent or None,
        "file": one.file,
    }


def _use(one: Hit) -> dict[str, Any]:
    return {"use": one.why, "file": one.file, "start_line": one.start_line, "text": one.text}


def _workspace() -> Workspace:
    """The current folder. Raises Unavailable where it is gone."""
    folder = output.current_folder()
    if not folder:
        raise Unavailable("the current folder is gone", hint="go to the folder of a project")
    return looking.workspace((folder,), folder)


def _look(file: str) -> Looked:
    deadline = time.monotonic() + looking.DEADLINE_S
    found = Outlines().look(file, _workspace(), deadline)
    if found.outline.how == "cut" and not found.outline.symbols:
        raise Unavailable(
            f"{found.source.shown} could not be parsed in time", hint="read parts of it by lines"
        )
    return found


def _entries(found: Looked, symbol: str, depth: int) -> tuple[list[dict[str, Any]], int]:
    """(what is told to programs of each symbol, or of one and those inside it; how many deeper
    ones are not)."""
    symbols = found.outline.symbols
    shown = found.source.shown
    roots: set[int] = set()
    if symbol:
        roots.update(render_outline.inside(found.outline, symbol, shown, WORDING))
    levels: dict[int, int] = {} if symbol else {-1: 0}
    chosen: list[int] = []
    for at, one in enumerate(symbols):
        if at in roots or one.parent in levels:
            levels[at] = 0 if at in roots else levels[one.parent] + 1
            if not depth or levels[at] <= depth:
                chosen.append(at)
    hidden = len(levels) - len(chosen) - (not symbol)
    return [entry(symbols, at, shown) for at in chosen], hidden


def entry(symbols: tuple[Symbol, ...], at: int, file: str) -> dict[str, Any]:
    """A symbol for programs."""
    one = symbols[at]
    return {
        "name": one.name,
        "qualified_name": one.qualified_name,
        "kind": one.kind,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "signature": one.signature,
        "parent": symbols[one.parent].qualified_name if one.parent >= 0 else None,
        "file": file,
    }


def _source(piece: unfold.Piece, found: Looked) -> dict[str, Any]:
    """The same of a symbol, or of lines, with their source."""
    shown = found.source
    source = {"source": unfold.source_of(piece, shown.text)}
    if piece.at >= 0:
        return entry(found.outline.symbols, piece.at, shown.shown) | source
    name = f"L{piece.start}-{piece.end}"
    lines = {"start_line": piece.start, "end_line": piece.end}
    said = {"name": name, "qualified_name": name, "kind": _LINES, **lines, "signature": ""}
    return {**said, "parent": None, "file": shown.shown, **source}


COMMANDS = (outline, unfold_, symbols)
