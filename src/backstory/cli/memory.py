"""Commands that read what is remembered: search, timeline, show, context."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, replace
from typing import Any

import click

from backstory import config
from backstory.cli import by_worker, output
from backstory.recall import context as rendering
from backstory.recall import raw_text, render, scope
from backstory.recall.observations import Records, get_observations
from backstory.recall.onward import Onward
from backstory.recall.query import search_query
from backstory.recall.search import search as find
from backstory.recall.timeline import timeline as around
from backstory.recall.tool_uses import get_tool_uses


@click.command()
@click.argument("words", nargs=-1)
@output.project_option
@click.option(
    "--type", "type", default="", help="observations, sessions, prompts, memories, or a type."
)
@click.option("--concept", default="", help="What a record is about, such as gotcha.")
@click.option("--file", multiple=True, metavar="PATH", help="A file, its end, or a folder.")
@click.option("--branch", multiple=True, help="The git branch it was made on.")
@click.option("--session", multiple=True, metavar="ID", help="Its session, or the id's beginning.")
@click.option("--agent", multiple=True, help="A type of subagents, or main.")
@click.option("--platform", "platformSource", multiple=True, help="The host, as claude-code.")
@click.option("--since", "dateStart", default="", metavar="DATE", help="From this day (ISO, UTC).")
@click.option("--until", "dateEnd", default="", metavar="DATE", help="Up to this day, inclusive.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 100))
@click.option("--offset", default=0, type=click.IntRange(0))
@output.json_option
def search(words: tuple[str, ...], named: str, offset: int, as_json: bool, **given: Any) -> None:
    """Find records by words and, where a worker runs, by meaning; without words, the newest."""
    arguments = {name: value for name, value in given.items() if value}
    arguments |= {"query": " ".join(words), "offset": offset}

    def run(db: sqlite3.Connection) -> Any:
        ids = output.project_ids(db, named)
        return find(db, search_query(arguments, project_ids=ids, roots=scope.roots(db, ids)))

    result = by_worker.search(arguments, named)
    if result is None:
        result = output.read(run)
        if words:
            result = replace(result, note=by_worker.with_reason(result.note))
    onward = Onward(named, at_terminal=True)
    text = render.search_text(result, query=" ".join(words), offset=offset, onward=onward)
    output.show(asdict(result), text, as_json=as_json)


@click.command()
@click.argument("anchor", default="")
@click.option("--query", default="", help="Around the best hit for these words.")
@click.option("--before", default=3, show_default=True, type=click.IntRange(0, 20))
@click.option("--after", default=3, show_default=True, type=click.IntRange(0, 20))
@output.project_option
@output.json_option
def timeline(anchor: str, query: str, before: int, after: int, named: str, as_json: bool) -> None:
    """Show what lies around a record (12, s5, p7), a date, a query's best hit, or the newest."""

    def run(db: sqlite3.Connection) -> Any:
        ids = output.project_ids(db, named)
        return around(
            db,
            anchor=anchor or None,
            query=query or None,
            before=before,
            after=after,
            project_ids=ids,
            roots=scope.roots(db, ids),
        )

    depths = {"depth_before": before, "depth_after": after}
    result = by_worker.timeline({"query": query, **depths}, named) if query and not anchor else None
    if result is None:
        result = output.read(run)
        if query:
            result = replace(result, note=by_worker.with_reason(result.note))
    text = render.timeline_text(result, Onward(named, at_terminal=True))
    output.show(asdict(result), text, as_json=as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True)
@output.project_option
@output.json_option
def show(ids: tuple[str, ...], named: str, as_json: bool) -> None:
    """Show records in full (12, s5, p7), or raw tool calls (toolu_…)."""
    raw = [one for one in ids if one.startswith("toolu_")]
    wanted = [one for one in ids if one not in raw]

    def run(db: sqlite3.Connection) -> tuple[Any, Any]:
        scope_ids = output.project_ids(db, named)
        records = get_observations(db, wanted, project_ids=scope_ids) if wanted else Records(())
        return records, get_tool_uses(db, raw, project_ids=scope_ids) if raw else None

    records, calls = output.read(run)
    onward = Onward(named, at_terminal=True)
    texts = [render.records_text(records, onward)] if wanted else []
    value = asdict(records)
    if calls is not None:
        texts.append(raw_text.tool_uses_text(calls))
        value = value | {"tool_uses": asdict(calls)}
    output.show(value, "\n\n".join(texts), as_json=as_json)
    found = [records] if calls is None else [records, calls]
    missing = [str(one) for answer in found for one in answer.missing]
    foreign = [str(one) for answer in found for one in answer.foreign]
    if missing:
        click.echo(f"backstory: there is no record {', '.join(missing)}", err=True)
    if foreign:
        text = f"backstory: {', '.join(foreign)}: of another project; name it with --project"
        click.echo(text, err=True)
    if missing or foreign:
        raise output.Exit(1)


@click.command()
@output.project_option
@output.json_option
def context(named: str, as_json: bool) -> None:
    """Print what a session would be told at its start."""
    settings = config.load()

    def run(db: sqlite3.Connection) -> str:
        (found,) = output.project_ids(db, named)
        name = db.execute("SELECT name FROM projects WHERE id = ?", (found,)).fetchone()[0]
        limits = (settings["context_observations"], settings["context_tokens"])
        return rendering.render(db, found, name, *limits, here=output.here_or_none())

    text = output.read(run)
    output.show({"context": text}, text, as_json=as_json)


COMMANDS = (search, timeline, show, context)
