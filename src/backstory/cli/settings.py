"""`backstory settings`: list them, show one, change one. What is secret is never shown."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from backstory import config, instance, paths
from backstory.capture import renewal, spending
from backstory.cli import distiller, output, vectors
from backstory.errors import BackstoryError, BadInput
from backstory.recall.gate import MODES

CALLS_S = 30.0  # what calls under way get to end before a change restarts the worker
HOLD_S = 5  # for so long a worker begins no call once it was asked to
STDIN_LIMIT = 20_000  # characters of a key on standard input
IN_HISTORY = (
    "It now stands in your shell's history, too: `backstory settings {name}` asks for it instead, "
    "and `backstory settings {name} -` reads standard input."
)


@click.command()
@click.argument("name", default="")
@click.argument("value", nargs=-1)
@click.option("--unset", is_flag=True, help="Back to the default.")
@output.json_option
def settings(name: str, value: tuple[str, ...], unset: bool, as_json: bool) -> None:
    """List the settings, show one, or change one: `backstory settings NAME VALUE`.

    A key is asked for without showing it (`backstory settings api_key`), or read from standard
    input (`backstory settings api_key -`). It is never shown again.
    """
    home = output.home()
    if not name:
        if unset:
            raise BadInput("which setting?", hint="backstory settings NAME --unset")
        listing(home, as_json)
        return
    setting = known(name)
    if len(value) > 1:
        # the value is not quoted: it may be a key
        raise BadInput(f"setting {name} takes one value", hint=f"backstory settings {name} VALUE")
    if value and unset:
        raise BadInput("a value and --unset contradict each other", hint="give one of them")
    given, note = value[0] if value else None, ""
    if setting.secret and not unset:
        given, note = secret(home, setting, given, as_json)
    if given is None and not unset:
        found = config.shown(setting, config.load(home)[name])
        output.show({name: found}, words_of(setting, found), as_json=as_json)
        return
    waits = turns_that_wait(home) if name in renewal.SETTINGS and not as_json else 0
    found = config.shown(setting, change(home, setting, given))
    lines = [f"{name} = {words_of(setting, found)}", note]
    if name in distiller.SETTINGS and not as_json:
        lines += [distiller.words(home), *distiller.hints(home, name)]
        if waits and lines[2] and not lines[2].startswith(distiller.RULES):
            lines.append(f"{waits} {'turn' if waits == 1 else 'turns'} waited: due at once now")
    if name in vectors.SETTINGS and not as_json:
        lines += vectors.words(home, name)
    text = "\n".join(line for line in lines if line)
    output.show({name: found} | ({"note": note} if note else {}), text, as_json=as_json)


def turns_that_wait(home: Path) -> int:
    """How many turns are not due for a model yet: with other settings they are."""
    if not (home / paths.DATABASE).exists():
        return 0
    try:
        return output.read(spending.count_waits)
    except BackstoryError:
        return 0


def secret(
    home: Path, setting: config.Setting, given: str | None, as_json: bool
) -> tuple[str | None, str]:
    """(the key: as given, from standard input or asked for; a word on how it was given)."""
    if given == "-":
        return from_stdin(setting), ""
    if given is not None:
        return given, IN_HISTORY.format(name=setting.name)
    if output.is_interactive() and not as_json:
        return ask_for(home, setting), ""
    return None, ""


def known(name: str) -> config.Setting:
    """The setting of that name. Raises BadInput for an unknown one, with the nearest name."""
    if name in config.BY_NAME:
        return config.BY_NAME[name]
    name = name.partition("=")[0]  # what follows may be a key
    near = difflib.get_close_matches(name.lower().replace("-", "_"), config.BY_NAME, 1)
    all_of_them = f"the settings are: {', '.join(config.BY_NAME)}"
    if name in config.BY_NAME:
        raise BadInput("a space parts name and value", hint=f"backstory settings {name} VALUE")
    raise BadInput(
        f"there is no setting {name!r}", hint=f"did you mean {near[0]}?" if near else all_of_them
    )


def words_of(setting: config.Setting, found: Any) -> str:
    """A value as it is printed; `found` is what may be shown of it."""
    return f"({found})" if setting.secret else json.dumps(found, ensure_ascii=False)


def listing(home: Path, as_json: bool) -> None:
    """Prints all settings."""
    current = config.load(home)
    rows = [
        {
            "name": s.name,
            "value": config.shown(s, current[s.name]),
            "default": config.shown(s, s.default),
            "help": s.help,
            "secret": s.secret,
        }
        for s in config.SETTINGS
    ]
    text = "\n".join(
        f"{s.name} = {words_of(s, config.shown(s, current[s.name]))}\n    {s.help}"
        for s in config.SETTINGS
    )
    output.show(rows, text, as_json=as_json)


def ask_for(home: Path, setting: config.Setting) -> str | None:
    """A key typed at the terminal without being shown; None where it is left as it is."""
    now = config.shown(setting, config.load(home)[setting.name])
    click.echo(f"{setting.name}: {setting.help} It is {now}; an empty answer leaves it so.")
    return click.prompt(setting.name, hide_input=True, default="", show_default=False) or None


def from_stdin(setting: config.Setting) -> str:
    """A key from standard input. Raises BadInput where that is too long for one."""
    if sys.stdin is None:
        raise BadInput("there is no standard input to read")
    if output.is_interactive():
        return str(click.prompt(setting.name, hide_input=True))
    try:
        text = sys.stdin.read(STDIN_LIMIT + 1)
    except UnicodeDecodeError:
        raise BadInput(f"standard input is no text, so no {setting.name}") from None
    if len(text) > STDIN_LIMIT:
        raise BadInput(f"standard input has over {STDIN_LIMIT} characters: no {setting.name}")
    return text


def change(home: Path, setting: config.Setting, value: str | None) -> Any:
    """Stores a setting, and has the hooks and a running worker follow it; its value."""
    if value and setting.name in CHECKED:
        value = CHECKED[setting.name](value)
    stored = config.store(home, setting.name, value)
    config.write_private(home / paths.HOOK_FACTS, config.hook_facts(config.load(home)))
    try:
        let_calls_end(home)
    finally:  # also where the user has waited long enough
        if instance.stop(home):
            instance.start(home)
    return stored


def let_calls_end(home: Path) -> None:
    """Waits a while for the calls that a running worker makes: ended now, they are paid twice."""
    deadline = time.monotonic() + CALLS_S
    is_told = False
    while time.monotonic() < deadline and (calls := calls_under_way(home)):
        if not is_told:
            click.echo(
                f"{calls} {'call' if calls == 1 else 'calls'} of a model under way; the change "
                f"takes hold when that has ended, in {CALLS_S:g} s at the latest",
                err=True,
            )
            is_told = True
        time.sleep(0.1)


def calls_under_way(home: Path) -> int:
    """How many calls a running worker makes; it begins no more of them. 0 where none runs."""
    if instance.health(home) is None:
        return 0
    try:
        with suppress(BackstoryError):  # an older worker knows nothing of it
            instance.ask(home, "POST", f"/api/hold?seconds={HOLD_S}", timeout=5.0)
        return int(instance.ask(home, "GET", "/api/status", timeout=5.0)["distiller"]["running"])
    except (BackstoryError, KeyError, TypeError):
        return 0


def absolute_folders(value: str) -> str:
    """A list of folders in which those relative to the current one are given in full."""
    setting = config.BY_NAME["excluded_projects"]
    listed = config.check(setting, config.from_text(setting, value))
    given = [os.path.abspath(one) if is_relative(one) else one for one in listed]  # noqa: PTH100
    return json.dumps(given)


def is_relative(pattern: str) -> bool:
    """Whether a pattern is a plain folder below the current one; globs stay as they are."""
    return not pattern.startswith(("/", "~")) and not any(c in pattern for c in "*?[")


def absolute_file(value: str) -> str:
    """A file's path in full: the worker runs elsewhere. Raises BadInput where there is none."""
    path = os.path.abspath(os.path.expanduser(value))  # noqa: PTH100, PTH111
    if not os.path.isfile(path):  # noqa: PTH113
        raise BadInput(f"there is no file {path}")
    return path


def absolute_program(value: str) -> str:
    """A program's path in full. Raises BadInput where there is none."""
    found = shutil.which(os.path.expanduser(value))  # noqa: PTH111
    if found is None:
        raise BadInput(f"there is no program {value!r}", hint="give its path: type -P claude")
    return os.path.abspath(found)  # noqa: PTH100


def known_modes(value: str) -> str:
    """The same exceptions. Raises BadInput for one with a mode that there is not."""
    setting = config.BY_NAME["read_gate_exceptions"]
    for one in config.check(setting, config.from_text(setting, value)):
        pattern, separator, mode = one.rpartition("=")
        if separator and mode.strip() not in MODES:
            raise BadInput(
                f"{one!r}: there is no mode {mode.strip()!r}",
                hint=f"{pattern}=off, {pattern}=advise or {pattern}=redirect; {pattern} alone: off",
            )
    return value


CHECKED = {
    "excluded_projects": absolute_folders,
    "read_gate_exceptions": known_modes,
    "ca_file": absolute_file,
    "claude_path": absolute_program,
}
COMMANDS = (settings,)
