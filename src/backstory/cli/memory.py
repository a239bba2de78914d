"""Commands about what is remembered: search, timeline, show, save, forget, context."""

from __future__ import annotations

import sqlite3
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from backstory import config, instance, project
from backstory.cli import output
from backstory.errors import BadInput
from backstory.recall import context as rendering
from backstory.recall import render, scope
from backstory.recall.observations import Records, get_observations
from backstory.recall.query import parse_date, search_query
from backstory.recall.search import search as find
from backstory.recall.timeline import timeline as around
from backstory.recall.tool_uses import get_tool_uses
from backstory.records import OBSERVATION_TYPES


@click.command()
@click.argument("words", nargs=-1)
@output.project_option
@click.option("--type", "type_", default="", help="observations, sessions, prompts, or a type.")
@click.option("--since", default="", metavar="DATE", help="From this day on (ISO, UTC).")
@click.option("--until", default="", metavar="DATE", help="Up to this day, inclusive.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 100))
@click.option("--offset", default=0, type=click.IntRange(0))
@output.json_option
def search(
    words: tuple[str, ...],
    named: str,
    type_: str,
    since: str,
    until: str,
    limit: int,
    offset: int,
    as_json: bool,
) -> None:
    """Find records by words; without words, the newest."""
    arguments: dict[str, Any] = {"query": " ".join(words), "limit": limit, "offset": offset}
    given = {"type": type_, "dateStart": since, "dateEnd": until}
    arguments |= {name: value for name, value in given.items() if value}

    def run(db: sqlite3.Connection) -> Any:
        ids = output.project_ids(db, named)
        return find(db, search_query(arguments, project_ids=ids, roots=scope.roots(db, ids)))

    result = output.read(run)
    text = render.search_text(result, query=" ".join(words), offset=offset)
    output.show(asdict(result), text, as_json=as_json)


@click.command()
@click.argument("anchor", default="")
@click.option("--query", default="", help="Around the best hit for these words.")
@click.option("--before", default=3, show_default=True, type=click.IntRange(0, 20))
@click.option("--after", default=3, show_default=True, type=click.IntRange(0, 20))
@output.project_option
@output.json_option
def timeline(anchor: str, query: str, before: int, after: int, named: str, as_json: bool) -> None:
    """Show what lies around a record (12, s5, p7), a query's best hit, or the newest."""

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

    result = output.read(run)
    output.show(asdict(result), render.timeline_text(result), as_json=as_json)


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
    texts = [render.records_text(records)] if wanted else []
    value = asdict(records)
    if calls is not None:
        texts.append(render.tool_uses_text(calls))
        value = value | {"tool_uses": asdict(calls)}
    output.show(value, "\n\n".join(texts), as_json=as_json)
    lacking = [*records.missing, *records.foreign]
    if lacking or (calls is not None and (calls.missing or calls.foreign)):
        raise output.Exit(1)


@click.command()
@click.argument("text", nargs=-1)
@click.option("--title", default="", help="A title of your own; else the first line.")
@click.option(
    "--type", "type_", default="discovery", type=click.Choice(OBSERVATION_TYPES), show_default=True
)
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file it is about.")
@output.project_option
@output.json_option
def save(
    text: tuple[str, ...], title: str, type_: str, files: tuple[str, ...], named: str, as_json: bool
) -> None:
    """Remember a text word for word ("-" reads standard input)."""
    content = sys.stdin.read() if text == ("-",) else " ".join(text)
    if not content.strip():
        raise BadInput("there is nothing to save", hint='backstory save "what to remember"')
    here = output.here()
    cwd = str(Path.cwd())
    body = {
        "content": content,
        "title": title,
        "type": type_,
        "files": [project.relative(one, here.root, cwd, here.worktree) for one in files],
        **({"project": named} if named else {}),
        "cwd": cwd,
    }
    instance.start(output.home(), here.root)
    saved = instance.ask(output.home(), "POST", "/api/memory", body)
    words = f"saved as {saved['id']}" if saved["new"] else f"already known, as {saved['id']}"
    if saved["redacted"]:
        words += "; what looks like a secret was left out"
    output.show(saved, words, as_json=as_json)


@click.command()
@click.argument("ids", nargs=-1)
@click.option("--query", default="", help="Everything in which this text occurs.")
@click.option("--session", default="", help="Everything of a session, by the host's id.")
@click.option("--since", default="", metavar="DATE", help="From this day on (ISO, UTC).")
@click.option("--until", default="", metavar="DATE", help="Up to this day, inclusive.")
@click.option("--all", "everything", is_flag=True, help="The whole project.")
@output.project_option
@click.option("--yes", is_flag=True, help="Do it without asking.")
@click.option("--undo", is_flag=True, help="Bring back what was forgotten last (for one day).")
@click.option("--purge", is_flag=True, help="Remove what was forgotten for good, now.")
@click.option("--list", "listing", is_flag=True, help="List what can still be brought back.")
@output.json_option
def forget(
    ids: tuple[str, ...],
    query: str,
    session: str,
    since: str,
    until: str,
    everything: bool,
    named: str,
    yes: bool,
    undo: bool,
    purge: bool,
    listing: bool,
    as_json: bool,
) -> None:
    """Forget records, with what they rest on. Shows what would go, then asks.

    What is forgotten can be brought back for a day; after that its text is in no file.
    """
    body: dict[str, Any] = {"cwd": str(Path.cwd())}
    given = {
        "ids": list(ids),
        "query": query,
        "session": session,
        "everything": everything,
        "project": named,
        "undo": undo,
        "purge": purge,
        "list": listing,
    }
    body |= {name: value for name, value in given.items() if value}
    if since:
        body["start"] = parse_date(since, "--since")
    if until:
        body["end"] = parse_date(until, "--until", end=True)
    if named and not (ids or query or session or since or until or undo or purge or listing):
        body["everything"] = True
    home = output.home()
    instance.start(home, output.here().root)
    # what still lies in the spool must not come in after it was forgotten
    instance.ask(home, "POST", "/api/flush?seconds=30&all=1", timeout=60.0)
    answer = instance.ask(home, "POST", "/api/forget", body, timeout=600.0)
    if "would_forget" in answer and answer["would_forget"] and confirmed(answer, yes, as_json):
        answer = instance.ask(home, "POST", "/api/forget", {**body, "confirm": True}, timeout=600.0)
    output.show(answer, forget_text(answer), as_json=as_json)


def confirmed(answer: dict[str, Any], yes: bool, as_json: bool) -> bool:
    """Whether to go on: --yes, or a person's answer to what is shown."""
    if yes:
        return True
    if as_json or not sys.stdin.isatty():
        return False
    click.echo(forget_text(answer))
    return click.confirm("forget this?")


def forget_text(answer: dict[str, Any]) -> str:
    """What was or would be forgotten, for a person."""
    if "restored" in answer:
        return f"brought back: {answer['restored']}"
    if "purged" in answer:
        return f"removed for good: {answer['purged']} times of forgetting"
    if "would_forget" in answer:
        lines = [f"would forget: {answer['label']}"]
        lines += [f"  {one['id']}  {render.one_line(one['title'])}" for one in answer["records"]]
        if answer["would_forget"]:
            lines.append("--yes does it")
        return "\n".join(lines)
    if "undo" in answer:
        return f"forgot: {answer['label']}\n`backstory forget --undo` brings it back for one day"
    rows = [f"{render.when(one['at'])}  {one['label']}" for one in answer["forgotten"]]
    return "\n".join(rows) or "there is nothing to bring back"


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
        return rendering.render(db, found, name, *limits)

    text = output.read(run)
    output.show({"context": text}, text, as_json=as_json)


COMMANDS = (search, timeline, show, save, forget, context)
