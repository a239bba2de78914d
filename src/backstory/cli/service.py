"""Commands about the worker: start, stop, restart, status, drain, mcp, python."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from backstory import config, health, instance, paths, runtime
from backstory.cli import distiller, output, spend, vectors
from backstory.errors import BadInput, Unavailable
from backstory.storage import spool
from backstory.storage.database import Database

OK, DEGRADED, STOPPED = 0, 2, 3
STARTING_S = 2.0  # how long a worker may hold its lock before it answers


@click.command()
@output.json_option
def start(as_json: bool) -> None:
    """Start the worker, unless one runs already."""
    found = instance.start(output.home(), output.root())
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
    found = instance.start(output.home(), output.root())
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
    deadline = time.monotonic() + STARTING_S
    while True:
        if instance.health(home) is not None:
            return instance.ask(home, "GET", "/api/status", timeout=10.0)
        # one that is just starting has its lock a moment before it answers
        locked = instance.is_locked(home)
        if not locked or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    reason, settings = why_not_running(home, locked), settings_of(home)
    return {
        "status": "degraded" if reason else "stopped",
        "reason": reason or "no worker is running",
        **health.numbers(settings, Database(home / paths.DATABASE)),
        "vectors": vectors.stored(home, settings),
        "home": str(home),
        "runtime": runtime.state()[0],
    }


def settings_of(home: Path) -> config.Config:
    """The settings; none where their file cannot be used, which is told by itself."""
    try:
        return config.load(home)
    except BadInput:
        return config.Config(home, {})


def why_not_running(home: Path, locked: bool) -> str:
    """What keeps the worker from its work; "" where it only rests."""
    if locked:
        pid = instance.recorded_pid(home)
        return f"the worker{f' (pid {pid})' if pid else ''} does not answer"
    try:
        config.load(home)
    except BadInput as error:
        return f"{error.message}; {error.hint}" if error.hint else error.message
    why = instance.failure(home)[1]
    return f"the worker could not start: {why}" if why else ""


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
    if found.get("vectors"):
        lines.append(vectors.line(found["vectors"]))
    if found.get("distiller"):
        lines.append(distiller.line(found["distiller"]))
    if found.get("spend") and spend.is_worth_telling(found["spend"], found.get("distiller")):
        lines += spend.summary_lines(found["spend"], found.get("distiller"))
    if found["status"] == "stopped":
        lines.append("the next session or `backstory start` starts it")
    elif found["status"] == "degraded":
        lines.append("`backstory doctor` tells more")
    return "\n".join(lines)


@click.command()
@click.option(
    "--timeout",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0, 86400),
    help="Seconds to wait at most.",
)
@click.option("--requeue", is_flag=True, help="Also try the jobs again that were given up.")
@output.json_option
def drain(timeout: float, requeue: bool, as_json: bool) -> None:
    """Wait until everything captured is stored and distilled."""
    home = output.home()
    deadline = time.monotonic() + timeout
    given_up, waits, who = 0, 0, ""
    if (home / paths.DATABASE).exists() or spool.pending(str(home / paths.SPOOL)):
        instance.start(home, output.root())
        wait_until_empty(home, deadline, timeout, requeue)
        given_up = jobs_given_up(home)
        waits, who = left_to_model()
    found = {"drained": True, "given_up": given_up, "waiting_for_model": waits}
    output.show(found, drained_text(given_up, waits, who), as_json=as_json)


def left_to_model() -> tuple[int, str]:
    """How many turns wait for a model that is not asked now, and for which, with the reason."""
    found = current_status()
    waiting = (found.get("spend") or {}).get("waiting") or {}
    waits = waiting.get("turns", 0) + waiting.get("under_way", 0)
    return waits, distiller.awaited(found.get("distiller") or {})


def drained_text(given_up: int, waits: int, who: str) -> str:
    """What a drain came to, for a person."""
    text = "everything captured is stored" + ("" if given_up else " and distilled")
    if waits:
        by_rules = "" if given_up else " by rules"
        text += f"{by_rules}; {spend.count(waits, 'turn')} wait{'s' * (waits == 1)} for {who}"
    if given_up:
        text += f"; {given_up} jobs were given up: --requeue tries them"
    return text


def wait_until_empty(home: Path, deadline: float, timeout: float, requeue: bool) -> None:
    """Has the worker take in and distil what waits. Raises Unavailable at the deadline."""
    query = "&requeue=1" if requeue else ""
    while True:
        left = deadline - time.monotonic()
        seconds = max(0.05, min(left, 5.0))
        path = f"/api/flush?all=1&model=1&seconds={seconds:.2f}{query}"
        answer = instance.ask(home, "POST", path, timeout=seconds * 2 + 10.0)
        query = ""
        waiting = len(spool.pending(str(home / paths.SPOOL)))
        if not answer["more"] and not waiting and not answer["open_jobs"]:
            return
        if time.monotonic() >= deadline:
            raise Unavailable(
                f"{waiting} events and {answer['open_jobs']} jobs are still waiting after"
                f" {timeout:g} s{'. ' + answer['warning'] if answer['warning'] else ''}",
                hint="`backstory drain --timeout` waits longer; `backstory status` tells more",
            )
        time.sleep(0.05)


def jobs_given_up(home: Path) -> int:
    """How many jobs failed for good."""
    found = health.numbers(config.Config(home, {}), Database(home / paths.DATABASE))
    return int((found.get("backlog") or {}).get("jobs_dead", 0))


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


@click.command()
def uninstall() -> None:
    """Stop the worker, remove all of Backstory. (launch.py answers this by itself.)"""
    raise Unavailable("cannot uninstall from here", hint="python3 plugin/launch.py uninstall")


COMMANDS = (start, stop, restart, status, drain, mcp, python, test, link, uninstall)
