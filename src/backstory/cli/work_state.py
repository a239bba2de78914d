"""The command about what is being worked on: show, set, clear."""

from __future__ import annotations

import sqlite3
from typing import Any

import click

from backstory import instance
from backstory.capture import work_state as writing
from backstory.cli import output
from backstory.errors import BadInput, NotFound, Unavailable
from backstory.recall import work_state as reading
from backstory.recall.state_text import NOTHING, field_lines, older_lines

NEVER_WRITTEN: dict[str, Any] = {"state": None, "history": []}


@click.group("work-state", invoke_without_command=True)
@output.project_option
@output.json_option
@click.pass_context
def work_state(context: click.Context, named: str, as_json: bool) -> None:
    """What is being worked on: task, next steps, open questions, what blocks it."""
    if context.invoked_subcommand is None:
        tell(named, as_json, history=False)
    elif named or as_json:
        raise click.UsageError(f"give options behind {context.invoked_subcommand}", context)


@work_state.command()
@click.option("--history", is_flag=True, help="Show what was before, too.")
@output.project_option
@output.json_option
def show(history: bool, named: str, as_json: bool) -> None:
    """Show it (what `backstory work-state` does)."""
    tell(named, as_json, history=history)


@work_state.command("set")
@click.option("--task", default=None, help='What is being done; "" clears it.')
@click.option("--next", "next_steps", multiple=True, metavar="TEXT", help="A next step.")
@click.option("--question", "open_questions", multiple=True, metavar="TEXT", help="An open one.")
@click.option("--blocker", "blockers", multiple=True, metavar="TEXT", help="What blocks it.")
@output.project_option
@output.json_option
def set_(task: str | None, named: str, as_json: bool, **lists: tuple[str, ...]) -> None:
    """Change it. A field not given keeps its value; --next, --question and --blocker may be given
    several times and replace the whole list, which one "" clears.
    """
    given: dict[str, Any] = {} if task is None else {"task": task}
    given |= {name: [one for one in items if one] for name, items in lists.items() if items}
    if not given:
        hint = 'backstory work-state set --task "what is being done" --next "a step"'
        raise BadInput("there is nothing to change", hint=hint)
    keep(given, named, as_json)


@work_state.command()
@output.project_option
@output.json_option
def clear(named: str, as_json: bool) -> None:
    """The work is done: end it. Its history stays."""
    keep({"task": "", "next_steps": [], "open_questions": [], "blockers": []}, named, as_json)


def tell(named: str, as_json: bool, *, history: bool) -> None:
    """Prints the state in force."""

    def run(db: sqlite3.Connection) -> dict[str, Any]:
        owner = output.project_ids(db, named)[0]
        states = reading.history(db, owner)
        return {"state": reading.current(db, owner), "history": states}

    try:
        found = output.read(run)
    except (NotFound, Unavailable):
        if named:
            raise
        found = NEVER_WRITTEN  # a project of which nothing is stored yet has none, and that is fine
    if not history:
        output.show({"state": found["state"]}, text_of(found["state"]), as_json=as_json)
        return
    older = found["history"][1:]
    lines = [text_of(found["state"]), "", *(line for one in older for line in older_lines(one))]
    output.show(found, "\n".join(lines).rstrip(), as_json=as_json)


def keep(given: dict[str, Any], named: str, as_json: bool) -> None:
    """Has the worker write it down."""
    writing.check(given)
    if not named:
        output.here()
    home = output.home()
    instance.start(home, output.root())
    scope = {"project": named} if named else {"cwd": output.current_folder()}
    written = instance.ask(home, "POST", "/api/work-state", {**given, **scope})
    text = text_of(written["state"])
    if not written["new"]:
        text = f"nothing was changed\n{text}"
    if written["redacted"]:
        text += "\nwhat is private or looked like a secret was left out"
    output.show(written, text, as_json=as_json)


def text_of(state: dict[str, Any] | None) -> str:
    """A state, for a person."""
    lines = field_lines(state) if state else []
    return "\n".join(lines) or f"{NOTHING[0].lower()}{NOTHING[1:]}"


COMMANDS = (work_state,)
