"""The command line: one function a command, errors translated here and nowhere else."""

from __future__ import annotations

import json
import os
import sqlite3
import sys

import click

from backstory import __version__
from backstory.cli import care, memory, output, replay, service
from backstory.errors import BackstoryError


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="backstory")
def commands() -> None:
    """Backstory: the memory of your projects for Claude Code."""


for module in (service, memory, care, replay):
    for command in module.COMMANDS:
        commands.add_command(command)


def main(arguments: list[str]) -> int:
    """Runs a command; its exit code. One clear line on standard error where it fails."""
    try:
        result = commands.main(arguments, prog_name="backstory", standalone_mode=False)
    except output.Exit as ending:
        return ending.code
    except BackstoryError as error:
        return fail(error, "--json" in arguments)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.Abort:
        print("backstory: stopped; nothing was changed", file=sys.stderr)
        return 130
    except click.ClickException as error:
        print(f"backstory: {error.format_message()}", file=sys.stderr)
        if isinstance(error, click.UsageError) and error.ctx is not None:
            print(f"see: {error.ctx.command_path} --help", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # the reader (head, a pager) went away; Python would complain again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, sqlite3.Error) as error:
        print(f"backstory: {type(error).__name__}: {error}", file=sys.stderr)
        print("`backstory doctor` checks the installation", file=sys.stderr)
        return 1
    return result if isinstance(result, int) else 0


def fail(error: BackstoryError, as_json: bool) -> int:
    """Says what is wrong and what to do; 1."""
    if as_json:
        print(json.dumps(error.as_json(), ensure_ascii=False))
    print(f"backstory: {error.message}", file=sys.stderr)
    if error.hint:
        print(error.hint, file=sys.stderr)
    return 1
