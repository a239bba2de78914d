"""Commands that look after the installation: doctor, settings, uninstall."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from backstory import config, health, instance, paths, runtime
from backstory.cli import output
from backstory.errors import BackstoryError, BadInput
from backstory.storage import spool, sqlite
from backstory.storage.database import Database

LOW_DISK = 200_000_000  # bytes free below which the doctor speaks up
# Everything that we ever write: uninstall removes these names and nothing else.
IN_HOME = (
    paths.DATABASE,
    paths.SETTINGS,
    paths.HOOK_FACTS,
    paths.WORKER_FACTS,
    paths.SOCKET,
    paths.SPOOL,
    paths.LOGS,
    paths.INCOGNITO,
    paths.ASK_STAMP,
    instance.LOCK,
    "code-root",
)
IN_BASE = ("python", "runtime", "pycache", "pythons", "cache", "test-clients")


class Finding(NamedTuple):
    """One thing that the doctor looked at."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


@click.command()
@output.json_option
def doctor(as_json: bool) -> None:
    """Check the installation, and say what to do about what is wrong."""
    findings = [finding for check in CHECKS for finding in examine(check)]
    lines = [
        f"{'ok ' if f.ok else '!! '} {f.name}: {f.detail}"
        + (f"\n    {f.advice}" if f.advice else "")
        for f in findings
    ]
    output.show([f._asdict() for f in findings], "\n".join(lines), as_json=as_json)
    if not all(f.ok for f in findings):
        raise output.Exit(2)


def examine(check: Callable[[Path], Iterator[Finding]]) -> Iterator[Finding]:
    """A check's findings; one that fails is a finding itself."""
    try:
        yield from check(output.home())
    except (BackstoryError, OSError, sqlite3.Error, ValueError) as error:
        yield Finding(check.__name__, False, str(error), getattr(error, "hint", ""))


def interpreter(_: Path) -> Iterator[Finding]:
    """The recorded interpreter and the runtime."""
    yield Finding("python", True, f"{sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}")
    state, detail = runtime.state()
    advice = "" if state == "ready" else f"see {runtime.file_in('build.log')}"
    yield Finding("runtime", state == "ready", f"{state} {detail}".strip(), advice)


def folder(home: Path) -> Iterator[Finding]:
    """The data directory: there, private, with room."""
    if not home.exists():
        yield Finding("data", True, f"{home} is made by the first session")
        return
    mode = home.stat().st_mode & 0o777
    yield Finding(
        "data",
        mode & 0o077 == 0,
        f"{home} (mode {mode:o})",
        "" if mode & 0o077 == 0 else f"others can read it: chmod 700 '{home}'",
    )
    free = shutil.disk_usage(home).free
    roomy = free >= LOW_DISK
    yield Finding(
        "disk", roomy, f"{free // 1_000_000} MB free", "" if roomy else "make room on this disk"
    )


def settings_file(home: Path) -> Iterator[Finding]:
    """settings.json."""
    changed = config.read_file(home)
    config.load(home)
    unknown = [name for name in changed if name not in config.BY_NAME]
    yield Finding(
        "settings",
        not unknown,
        f"{len(changed)} differ from the defaults",
        f"unknown and ignored: {', '.join(unknown)}" if unknown else "",
    )


def database(home: Path) -> Iterator[Finding]:
    """The database: sound, of a schema that we know."""
    path = home / paths.DATABASE
    for damaged in sorted(home.glob(f"{paths.DATABASE}*.damaged-*")):
        yield Finding("database", False, f"{damaged.name} was set aside", "it can be removed")
    if not path.exists():
        yield Finding("database", True, "begins with the first session")
        return
    db = sqlite.open_reader(path)
    try:
        sound = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        schema = sqlite.version(db)
    finally:
        db.close()
    known = schema <= sqlite.SCHEMA_VERSION
    advice = "" if known else "it was written by a newer version: update the plugin"
    size = path.stat().st_size // 1_000_000
    yield Finding(
        "database", sound == "ok" and known, f"{sound}, schema {schema}, {size} MB", advice
    )


def worker(home: Path) -> Iterator[Finding]:
    """The worker: it answers, and does its work."""
    found = instance.health(home)
    if found is None:
        hung = instance.is_locked(home)
        yield Finding(
            "worker",
            not hung,
            "holds its lock and does not answer" if hung else "not running",
            "backstory restart" if hung else "the next session or `backstory start` starts it",
        )
        return
    well = found["status"] == "ok"
    yield Finding("worker", well, found["reason"] or f"runs version {found['version']}")


def waiting(home: Path) -> Iterator[Finding]:
    """What waits, and what could not be read."""
    count, size = spool.usage(str(home / paths.SPOOL))
    full = spool.is_full(str(home / paths.SPOOL))
    advice = "events are being dropped: start the worker, make room" if full else ""
    yield Finding("spool", not full, f"{count} events, {size // 1000} kB", advice)
    bad = home / paths.SPOOL / spool.BAD
    unreadable = len(list(bad.glob("*"))) if bad.is_dir() else 0
    yield Finding(
        "unreadable events", unreadable == 0, str(unreadable), str(bad) if unreadable else ""
    )
    stored = health.numbers(config.load(home), Database(home / paths.DATABASE))
    dead = (stored.get("backlog") or {}).get("jobs_dead", 0)
    advice = "`backstory drain --requeue` tries them again" if dead else ""
    yield Finding("jobs given up", dead == 0, str(dead), advice)


def hooks_log(home: Path) -> Iterator[Finding]:
    """What hooks complained of lately."""
    path = home / paths.HOOKS_LOG
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    detail = f"{len(lines)} lines" + (f"; the last: {lines[-1]}" if lines else "")
    yield Finding("hooks.log", True, detail)


CHECKS = (interpreter, folder, settings_file, database, worker, waiting, hooks_log)


@click.command()
@click.argument("name", default="")
@click.argument("value", default=None, required=False)
@click.option("--unset", is_flag=True, help="Back to the default.")
@output.json_option
def settings(name: str, value: str | None, unset: bool, as_json: bool) -> None:
    """List the settings, show one, or change one: `backstory settings NAME VALUE`."""
    home = output.home()
    if not name:
        current = config.load(home)
        rows = [
            {"name": s.name, "value": current[s.name], "default": s.default, "help": s.help}
            for s in config.SETTINGS
        ]
        text = "\n".join(f"{r['name']} = {json.dumps(r['value'])}\n    {r['help']}" for r in rows)
        output.show(rows, text, as_json=as_json)
        return
    if value is None and not unset:
        known = config.load(home).values
        if name not in known:
            raise BadInput(f"there is no setting {name!r}", hint=f"known: {', '.join(known)}")
        output.show({name: known[name]}, json.dumps(known[name]), as_json=as_json)
        return
    stored = config.store(home, name, None if unset else value)
    facts = home / paths.HOOK_FACTS
    config.write_private(facts, config.hook_facts(config.load(home)))
    if instance.stop(home):
        instance.start(home)
    output.show({name: stored}, f"{name} = {json.dumps(stored)}", as_json=as_json)


@click.command()
@click.option("--keep-data", is_flag=True, help="Keep what is remembered, remove the rest.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@output.json_option
def uninstall(keep_data: bool, yes: bool, as_json: bool) -> None:
    """Stop everything and remove every file that Backstory wrote; lists them first."""
    targets = [str(path) for path in written(keep_data)]
    plugin = "claude plugin uninstall backstory@backstory"
    listing = "\n".join(f"  {path}" for path in targets) or "  nothing"
    if not yes:
        if as_json or not sys.stdin.isatty():
            text = f"would remove:\n{listing}\n--yes does it; then: {plugin}"
            output.show({"would_remove": targets}, text, as_json=as_json)
            return
        click.echo(f"this removes:\n{listing}")
        click.confirm("go on?", abort=True)
    removed, failed = remove(targets)
    lines = [*(f"removed {path}" for path in removed), *(f"NOT removed {why}" for why in failed)]
    lines.append(f"last step, in a terminal: {plugin}")
    output.show({"removed": removed, "failed": failed}, "\n".join(lines), as_json=as_json)
    if failed:
        raise output.Exit(1)


def written(keep_data: bool) -> Iterator[Path]:
    """Everything of ours that is there."""
    home, base = output.home(), Path(paths.base_dir())
    if not keep_data:
        for name in IN_HOME:
            # companions of the database, earlier logs, unfinished copies
            yield from sorted(home.glob(f"{name}*"))
    for name in IN_BASE:
        if (base / name).exists():
            yield base / name
    yield from sorted(base.glob("told-*"))
    link = Path.home() / ".local" / "bin" / "backstory"
    if link.is_symlink() and os.fspath(link.readlink()).endswith("bin/backstory"):
        yield link


def remove(targets: list[str]) -> tuple[list[str], list[str]]:
    """(removed, failures): every step is tried whatever became of the others."""
    removed: list[str] = []
    failed: list[str] = []
    try:
        instance.stop(output.home())
    except BackstoryError as error:
        failed.append(f"worker: {error.message}")
    for target in targets:
        path = Path(target)
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            removed.append(target)
        except OSError as error:
            failed.append(f"{target}: {error.strerror}")
    for emptied in {output.home(), Path(paths.base_dir())}:
        if emptied.is_dir() and not any(emptied.iterdir()):
            emptied.rmdir()
    return removed, failed


COMMANDS = (doctor, settings, uninstall)
