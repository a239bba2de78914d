"""`backstory settings`: list them, show one, change one."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from typing import Any

import click

from backstory import config, instance, paths
from backstory.cli import output
from backstory.errors import BadInput


@click.command()
@click.argument("name", default="")
@click.argument("value", default=None, required=False)
@click.option("--unset", is_flag=True, help="Back to the default.")
@output.json_option
def settings(name: str, value: str | None, unset: bool, as_json: bool) -> None:
    """List the settings, show one, or change one: `backstory settings NAME VALUE`."""
    home = output.home()
    if not name:
        if unset:
            raise BadInput("which setting?", hint="backstory settings NAME --unset")
        listing(home, as_json)
        return
    check_name(name)
    if value is not None and unset:
        raise BadInput("a value and --unset contradict each other", hint="give one of them")
    asked = value is None and not unset
    found = config.load(home)[name] if asked else change(home, name, value)
    text = json.dumps(found, ensure_ascii=False)
    output.show({name: found}, text if asked else f"{name} = {text}", as_json=as_json)


def check_name(name: str) -> None:
    """Raises BadInput for an unknown setting, with the nearest name."""
    if name in config.BY_NAME:
        return
    near = difflib.get_close_matches(name.lower().replace("-", "_"), config.BY_NAME, 1)
    known = f"the settings are: {', '.join(config.BY_NAME)}"
    raise BadInput(
        f"there is no setting {name!r}", hint=f"did you mean {near[0]}?" if near else known
    )


def listing(home: Path, as_json: bool) -> None:
    """Prints all settings."""
    current = config.load(home)
    rows = [
        {"name": s.name, "value": current[s.name], "default": s.default, "help": s.help}
        for s in config.SETTINGS
    ]
    text = "\n".join(
        f"{r['name']} = {json.dumps(r['value'], ensure_ascii=False)}\n    {r['help']}" for r in rows
    )
    output.show(rows, text, as_json=as_json)


def change(home: Path, name: str, value: str | None) -> Any:
    """Stores a setting, and has the hooks and a running worker follow it; its value."""
    if name == "excluded_projects" and value is not None:
        value = absolute(value)
    stored = config.store(home, name, value)
    config.write_private(home / paths.HOOK_FACTS, config.hook_facts(config.load(home)))
    if instance.stop(home):
        instance.start(home)
    return stored


def absolute(value: str) -> str:
    """A list of folders in which those relative to the current one are given in full."""
    setting = config.BY_NAME["excluded_projects"]
    listed = config.check(setting, config.from_text(setting, value))
    given = [os.path.abspath(one) if is_relative(one) else one for one in listed]  # noqa: PTH100
    return json.dumps(given)


def is_relative(pattern: str) -> bool:
    """Whether a pattern is a plain folder below the current one; globs stay as they are."""
    return not pattern.startswith(("/", "~")) and not any(c in pattern for c in "*?[")


COMMANDS = (settings,)
