"""Commands about the worker: start, stop, restart, status, drain, mcp, python."""

from __future__ import annotations

import time
from typing import Any

import click

from backstory import config, health, instance, runtime
from backstory.cli import output
from backstory.errors import Unavailable
from backstory.storage import spool
from backstory.storage.database import Database

OK, DEGRADED, STOPPED = 0, 2, 3


@click.command()
@output.json_option
def start(as_json: bool) -> None:
    """Start the worker, unless one runs already."""
    found = instance.start(output.home(), str(output.here().root))
    output.show(found, f"the worker runs (version {found['version']})", as_json=as_json)


@click.command()
@output.json_option
def stop(as_json: bool) -> None:
    """Stop the worker. Events that come meanwhile wait; the next prompt starts it again."""
    stopped = instance.stop(output.home())
    text = "the worker has stopped" if stopped else "no worker was running"
    output.show({"stopped": stopped}, text, as_json=as_json)


@click.command()
@output.json_option
def restart(as_json: bool) -> None:
    """Stop the worker and start it again, with the settings as they are now."""
    instance.stop(output.home())
    found = instance.start(output.home(), str(output.here().root))
    output.show(found, f"the worker runs (version {found['version']})", as_json=as_json)


@click.command()
@output.json_option
def status(as_json: bool) -> None:
    """Say how things are. Exit code 0 healthy, 2 degraded, 3 stopped, 4 no runtime."""
    found = current_status()
    output.show(found, status_text(found), as_json=as_json)
    codes = {"ok": OK, "stopped": STOPPED}
    raise output.Exit(codes.get(found["status"], DEGRADED))


def current_status() -> dict[str, Any]:
    """The worker's own status, or what can be told without one. Starts nothing."""
    home = output.home()
    answered = instance.health(home)
    if answered is not None:
        return instance.ask(home, "GET", "/api/status", timeout=10.0)
    settings = config.load(home)
    known = instance.recorded_pid(home)
    hung = known is not None and instance.is_locked(home)
    return {
        "status": "degraded" if hung else "stopped",
        "reason": f"the worker (pid {known}) does not answer" if hung else "no worker is running",
        **health.numbers(settings, Database(settings.database)),
        "home": str(home),
        "runtime": runtime.state()[0],
    }


def status_text(found: dict[str, Any]) -> str:
    """The status for a person."""
    heading = found["status"] + (f": {found['reason']}" if found.get("reason") else "")
    lines = [heading, f"data in {found['home']}"]
    stored = found.get("stored") or {}
    if stored:
        lines.append(
            ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in stored.items())
        )
    waiting, bad = found["spool"]["waiting"], found["spool"]["bad"]
    if waiting or bad:
        lines.append(f"spool: {waiting} events waiting, {bad} unreadable")
    jobs = {k[5:]: v for k, v in (found.get("backlog") or {}).items() if k.startswith("jobs_")}
    if jobs:
        lines.append("jobs: " + ", ".join(f"{count} {state}" for state, count in jobs.items()))
    if found["status"] == "stopped":
        lines.append("the next session or `backstory start` starts it")
    elif found["status"] == "degraded":
        lines.append("`backstory doctor` tells more")
    return "\n".join(lines)


@click.command()
@click.option("--timeout", default=60.0, show_default=True, help="Seconds to wait at most.")
@click.option("--requeue", is_flag=True, help="Also try the jobs again that were given up.")
@output.json_option
def drain(timeout: float, requeue: bool, as_json: bool) -> None:
    """Wait until everything captured is stored and distilled."""
    home = output.home()
    deadline = time.monotonic() + timeout
    instance.start(home, str(output.here().root))
    query = "&requeue=1" if requeue else ""
    while True:
        left = deadline - time.monotonic()
        path = f"/api/flush?all=1&seconds={max(0.05, min(left, 5.0)):.2f}{query}"
        answer = instance.ask(home, "POST", path, timeout=max(left, 0.0) + 15.0)
        waiting = len(spool.pending(str(home / "spool")))
        if not answer["more"] and not waiting and not answer["open_jobs"]:
            break
        if time.monotonic() >= deadline:
            raise Unavailable(
                f"{waiting} events and {answer['open_jobs']} jobs are still waiting"
                f" after {timeout:g} s{': ' + answer['warning'] if answer['warning'] else ''}",
                hint="backstory status",
            )
        time.sleep(0.05)
    output.show({"drained": True}, "everything captured is stored and distilled", as_json=as_json)


@click.command()
@click.option("--direct", is_flag=True, help="Serve over this process's standard streams.")
def mcp(direct: bool) -> None:
    """Serve the MCP tools to another host: `backstory mcp --direct`."""
    if not direct:
        raise click.UsageError("Claude Code starts its server by itself; for others add --direct")
    from backstory.tools import serve  # noqa: PLC0415  the protocol's library costs half a second

    serve.run_direct(output.home())


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def python(arguments: tuple[str, ...]) -> None:
    """Run the runtime's Python interpreter. (launch.py answers this before the package loads.)"""
    raise Unavailable(
        f"cannot run {' '.join(('python', *arguments))} from here",
        hint="call it through bin/backstory or plugin/launch.py",
    )


@click.command()
def test() -> None:
    """Run every check and test. (launch.py answers this before the package loads.)"""
    raise Unavailable("cannot test from here", hint="python3 plugin/launch.py test")


@click.command()
def link() -> None:
    """Put `backstory` on your PATH. (launch.py answers this before the package loads.)"""
    raise Unavailable("cannot link from here", hint="python3 plugin/launch.py link")


COMMANDS = (start, stop, restart, status, drain, mcp, python, test, link)
