"""Commands that change what is remembered: save, forget."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from backstory import instance, paths, project
from backstory.capture.save import CONTENT_LIMIT
from backstory.cli import output
from backstory.errors import BadInput, NotFound, Unavailable
from backstory.recall import render
from backstory.recall.query import parse_date
from backstory.records import OBSERVATION_TYPES
from backstory.storage import forget as storage
from backstory.storage import spool, sqlite

READ_LIMIT = 1_000_000  # characters of standard input
FLUSH_S = 30.0


@click.command()
@click.argument("text", nargs=-1)
@click.option("--title", default="", help="A title of your own; else the first line.")
@click.option(
    "--type", "type_", default="discovery", type=click.Choice(OBSERVATION_TYPES), show_default=True
)
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file it is about.")
@click.option("--query", "queries", multiple=True, help="A prompt it should come up at.")
@output.project_option
@output.json_option
def save(
    text: tuple[str, ...],
    title: str,
    type_: str,
    files: tuple[str, ...],
    queries: tuple[str, ...],
    named: str,
    as_json: bool,
) -> None:
    """Remember a text word for word ("-" reads standard input)."""
    content = standard_input() if text == ("-",) else " ".join(text)
    check_content(content)
    here = output.here_or_none() if named else output.here()
    cwd = output.current_folder()
    body = {
        "content": content,
        "title": title,
        "type": type_,
        "files": [
            project.relative(one, here.root, cwd, here.worktree) if here else one for one in files
        ],
        "queries": queries,
        **({"project": named} if named else {}),
        "cwd": cwd,
    }
    home = output.home()
    instance.start(home, output.root())
    saved = instance.ask(home, "POST", "/api/memory", body)
    words = f"saved as {saved['id']}" if saved["new"] else f"already known, as {saved['id']}"
    if saved["redacted"]:
        words += "; what looks like a secret was left out"
    output.show(saved, words, as_json=as_json)


def standard_input() -> str:
    """What comes in, as text; bytes that are none are replaced."""
    if sys.stdin is None:
        return ""
    return sys.stdin.buffer.read(READ_LIMIT).decode("utf-8", "replace")


def check_content(content: str) -> None:
    """Raises BadInput for what the worker would refuse, before one is started."""
    if not content.strip():
        raise BadInput("there is nothing to save", hint='backstory save "what to remember"')
    if len(content) > CONTENT_LIMIT:
        raise BadInput(
            f"the text has {len(content)} characters; at most {CONTENT_LIMIT} are stored",
            hint="save the essence, or several memories",
        )


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
def forget(yes: bool, as_json: bool, **given: Any) -> None:
    """Forget records, with what they rest on. Shows what would go, then asks.

    What is forgotten can be brought back for a day; after that its text is in no file.
    """
    body = request_of({**given, "project": given["named"]})
    home = output.home()
    if not (home / paths.DATABASE).exists() and not spool.usage(str(home / paths.SPOOL))[1]:
        raise NotFound("there is nothing to forget: nothing is stored yet")
    if body.get("purge") and not yes and not as_json and output.is_interactive():
        click.confirm("remove what was forgotten for good, without a way back?", abort=True)
    instance.start(home, output.root())
    # what still lies in the spool must not come in after it was forgotten
    flushed = instance.ask(home, "POST", f"/api/flush?seconds={FLUSH_S:g}&all=1", timeout=90.0)
    if flushed["more"]:
        why = flushed["warning"] or "events are still being taken in"
        raise Unavailable(f"nothing was forgotten: {why}", hint="backstory drain, then again")
    answer = instance.ask(home, "POST", "/api/forget", body, timeout=600.0)
    unreadable = unreadable_with(home, body)
    if "would_forget" in answer:
        answer["unreadable_events"] = len(unreadable)
        if (answer["would_forget"] or unreadable) and confirmed(answer, yes, as_json):
            done = {**body, "confirm": True}
            answer = instance.ask(home, "POST", "/api/forget", done, timeout=600.0)
            answer["unreadable_events"] = remove_all(unreadable)
    elif body.get("purge"):
        answer["unreadable_events"] = remove_all(unreadable)
    answer["set_aside"] = sqlite.damaged_files(home / paths.DATABASE)
    output.show(answer, forget_text(answer), as_json=as_json)


def request_of(given: dict[str, Any]) -> dict[str, Any]:
    """What the worker is asked. Raises BadInput where that is not one clear thing."""
    span = bool(given["since"] or given["until"])
    ways = {
        "ids": bool(given["ids"]),
        "--query": bool(given["query"]),
        "--session": bool(given["session"]),
        "--since and --until": span,
        "--all": given["everything"],
        "--undo": given["undo"],
        "--purge": given["purge"],
        "--list": given["listing"],
    }
    chosen = [name for name, is_given in ways.items() if is_given]
    if len(chosen) > 1:
        raise BadInput(
            f"{' and '.join(chosen)} do not go together: each says by itself what is to go",
            hint="give one of them",
        )
    if given["project"] and not chosen:
        chosen, given = ["--all"], {**given, "everything": True}
    if not chosen:
        raise BadInput(
            "what is to be forgotten?", hint="ids, or one of: " + ", ".join(list(ways)[1:])
        )
    cwd = output.current_folder()
    if (
        not cwd
        and not given["project"]
        and chosen[0] in ("--query", "--since and --until", "--all")
    ):
        output.here()
    body: dict[str, Any] = {"cwd": cwd, "list": given["listing"], "ids": list(given["ids"])}
    for name in ("query", "session", "everything", "project", "undo", "purge"):
        body[name] = given[name]
    if given["since"]:
        body["start"] = parse_date(given["since"], "--since")
    if given["until"]:
        body["end"] = parse_date(given["until"], "--until", end=True)
    return {name: value for name, value in body.items() if value or name in ("start", "end")}


def unreadable_with(home: Path, body: dict[str, Any]) -> list[Path]:
    """The events that could not be read and may hold what is to be forgotten.

    They are of no turn: those go in which the text or the session's id stands; with a whole
    project or range of time, and with --purge, all of them.
    """
    folder = home / paths.SPOOL / spool.BAD
    found = sorted(folder.glob("*")) if folder.is_dir() else []
    if any(name in body for name in ("everything", "start", "end", "purge")):
        return found
    words = storage.fold(str(body.get("query") or body.get("session") or ""))
    if not words:
        return []
    return [path for path in found if words in storage.fold(text_of(path))]


def text_of(path: Path) -> str:
    """A file's text, also as JSON escapes it."""
    try:
        text = path.read_text("utf-8", "replace")
        return text + "\n" + text.encode("latin-1", "backslashreplace").decode("unicode_escape")
    except (OSError, ValueError):
        return ""


def remove_all(found: list[Path]) -> int:
    """Removes files; how many."""
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def confirmed(answer: dict[str, Any], yes: bool, as_json: bool) -> bool:
    """Whether to go on: --yes, or a person's answer to what is shown."""
    if yes:
        return True
    if as_json or not output.is_interactive():
        return False
    click.echo(preview(answer))
    return click.confirm("forget this?", abort=True)


def preview(answer: dict[str, Any]) -> str:
    """What would be forgotten, for a person."""
    if not answer["would_forget"] and not answer["unreadable_events"]:
        return "there is nothing of that to forget"
    lines = [f"would forget: {answer['label']}"]
    lines += [f"  {one['id']}  {render.one_line(one['title'])}" for one in answer["records"]]
    if answer["unreadable_events"]:
        lines.append(f"and {answer['unreadable_events']} events that could not be read")
    return "\n".join(lines)


def forget_text(answer: dict[str, Any]) -> str:
    """What was or would be forgotten, for a person."""
    if "restored" in answer:
        return f"brought back: {answer['restored']}"
    if "would_forget" in answer:
        text = preview(answer)
        is_any = answer["would_forget"] or answer["unreadable_events"]
        return text + ("\n--yes does it" if is_any else "")
    if "purged" in answer:
        text = f"removed for good: {answer['purged']} times of forgetting"
    elif "undo" in answer:
        text = f"forgot: {answer['label']}\n`backstory forget --undo` brings it back for one day"
    else:
        rows = [f"{render.when(one['at'])}  {one['label']}" for one in answer["forgotten"]]
        return "\n".join(rows) or "there is nothing to bring back"
    for name in answer["set_aside"]:
        text += (
            f"\n{name} is a damaged database that was set aside: remove it, it may hold the same"
        )
    return text


COMMANDS = (save, forget)
