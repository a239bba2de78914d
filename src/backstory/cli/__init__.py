"""The command line: one function a command, errors translated here and nowhere else.

Exit codes: 0, 1 an error, 2 degraded, 3 stopped, 4 no runtime, 64 a call that cannot be understood.
"""

from __future__ import annotations

import os
import sqlite3
import sys

import click

from backstory import __version__
from backstory.cli import change, code, doctor, memory, output, replay, service, settings, spend
from backstory.cli import work_state as work
from backstory.errors import BackstoryError, BadInput, StorageError, Unavailable, describe

USAGE = 64  # EX_USAGE; 2, which others use for it, is `status`'s word for degraded
INTERRUPTED = 130
DOCTOR = "`backstory doctor` checks the installation"


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="backstory")
def commands() -> None:
    """Backstory: the memory of your projects for Claude Code."""


for module in (service, memory, code, change, work, doctor, settings, spend, replay):
    for command in module.COMMANDS:
        commands.add_command(command)


def main(arguments: list[str]) -> int:
    """Runs a command; its exit code. One clear line on standard error where it fails."""
    output.prepare()
    try:
        result = commands.main(
            arguments or ["--help"], prog_name="backstory", standalone_mode=False
        )
    except output.Exit as ending:
        return ending.code
    except SystemExit:
        # click's answer when the reader (head, a pager) went away; Python would complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception as error:  # noqa: BLE001  the door: whatever it is, a person reads one line
        told, code = translate(error)
        return fail(told, code, as_json="--json" in arguments)
    return result if isinstance(result, int) else 0


def translate(error: Exception) -> tuple[BackstoryError, int]:
    """Any error as one of ours, and its exit code."""
    if isinstance(error, BackstoryError):
        return error, 1
    if isinstance(error, click.Abort):
        interrupted = isinstance(error.__cause__, KeyboardInterrupt)
        return Unavailable("interrupted" if interrupted else "nothing was changed"), INTERRUPTED
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx is not None else "backstory"
        return BadInput(error.format_message(), hint=f"see: {path} --help"), USAGE
    if isinstance(error, click.ClickException):
        return BackstoryError(error.format_message()), 1
    if isinstance(error, sqlite3.Error):
        return StorageError(f"the database cannot be used: {error}", hint=DOCTOR), 1
    if isinstance(error, OSError) and error.filename:
        return Unavailable(f"{error.filename}: {error.strerror}", hint=DOCTOR), 1
    return BackstoryError(f"an unexpected error: {describe(error)}", hint=DOCTOR), 1


def fail(error: BackstoryError, code: int, *, as_json: bool) -> int:
    """Says what is wrong and what to do; the code."""
    if as_json:
        click.echo(output.dumps(error.as_json()))
    print(f"backstory: {error.message}", file=sys.stderr)
    if error.hint:
        print(error.hint, file=sys.stderr)
    return code
