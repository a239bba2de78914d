"""`backstory doctor`: looks at every part, and says what to do about what is wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import click

from backstory import config, health, instance, paths, runtime
from backstory.cli import distiller, output, vectors
from backstory.errors import BackstoryError
from backstory.hook import spawn, wire
from backstory.storage import spool, sql, sqlite, text_index
from backstory.storage.database import Database

LOW_DISK = 200_000_000  # bytes free below which the doctor speaks up
LATELY_S = 24 * 3600  # complaints that are older are history
PLUGIN = "backstory@"  # how Claude Code's list of plugins names ours
DEGRADED = 2
CHECKING_S, REBUILDING_S = 60.0, 600.0  # of the full-text index


class Finding(NamedTuple):
    """One thing that the doctor looked at."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


@click.command()
@click.option("--rebuild-index", is_flag=True, help="Make the full-text index anew before.")
@output.json_option
def doctor(rebuild_index: bool, as_json: bool) -> None:
    """Check the installation, and say what to do about what is wrong; exit code 2 if so."""
    if rebuild_index:
        home = output.home()
        instance.start(home, output.root())
        instance.ask(home, "POST", "/api/index", {"rebuild": True}, timeout=REBUILDING_S)
    findings = [finding for check in CHECKS for finding in examine(check)]
    lines = [
        f"{'ok ' if f.ok else '!! '} {f.name}: {f.detail}"
        + (f"\n    {f.advice}" if f.advice else "")
        for f in findings
    ]
    output.show([f._asdict() for f in findings], "\n".join(lines), as_json=as_json)
    if not all(f.ok for f in findings):
        raise output.Exit(DEGRADED)


def examine(check: Callable[[Path], Iterator[Finding]]) -> Iterator[Finding]:
    """A check's findings; one that fails is a finding itself."""
    try:
        yield from check(output.home())
    except (BackstoryError, OSError, sqlite3.Error, ValueError) as error:
        name = check.__name__.replace("_", " ")
        yield Finding(name, False, str(error), getattr(error, "hint", ""))


def python(_: Path) -> Iterator[Finding]:
    """The interpreter that runs, and the one on record for the hooks."""
    detail = f"{sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}"
    record = Path(paths.base_dir()) / "python"
    lines = record.read_text("utf-8", "replace").splitlines() if record.exists() else []
    if lines and not Path(lines[0]).exists():
        yield Finding(
            "python",
            False,
            f"{lines[0]}, which the hooks run on, is gone",
            "the next session looks for another one",
        )
    else:
        yield Finding("python", True, detail)


def installed(_: Path) -> Iterator[Finding]:
    """The runtime."""
    state, detail = runtime.state()
    advice = {
        "ready": "",
        "building": "it is there in a minute",
        "absent": "the next session or `backstory start` installs it",
        "failed": f"see {runtime.file_in('build.log')}; `backstory start` tries again",
    }
    yield Finding("runtime", state == "ready", f"{state} {detail}".strip(), advice[state])


def plugin(_: Path) -> Iterator[Finding]:
    """Whether Claude Code has the plugin; its list is only read."""
    path = Path("~/.claude/plugins/installed_plugins.json").expanduser()
    if not path.exists():
        yield Finding("plugin", True, "Claude Code has no list of plugins here")
        return
    known = json.loads(path.read_text(encoding="utf-8"))
    listed = known.get("plugins", {}) if isinstance(known, dict) else {}
    found = any(str(name).startswith(PLUGIN) for name in listed)
    yield Finding(
        "plugin",
        found,
        "installed in Claude Code" if found else "not installed in Claude Code",
        "" if found else "in Claude Code: /plugin install backstory@backstory",
    )


def data(home: Path) -> Iterator[Finding]:
    """The data directory: there, private, with room."""
    if not home.exists():
        above = next(folder for folder in home.parents if folder.exists())
        makeable = above.is_dir() and os.access(above, os.W_OK | os.X_OK)
        advice = "" if makeable else f"it cannot be made in {above}: nothing is remembered"
        yield Finding("data", makeable, f"{home} is made by the first session", advice)
        return
    mode = home.stat().st_mode & 0o777
    advice = f"others can read it: chmod 700 '{home}'" if mode & 0o077 else ""
    if not os.access(home, os.W_OK | os.X_OK):
        advice = "it cannot be written: nothing is remembered until that changes"
    yield Finding("data", not advice, f"{home} (mode {mode:o})", advice)
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
    if warning := distiller.unencrypted(config.load(home)):
        yield Finding(
            "settings", False, warning.partition(":")[0], "give base_url an https address"
        )
    path = (home / paths.SETTINGS).resolve()
    has_key = any(config.BY_NAME[name].secret for name in changed if name in config.BY_NAME)
    if has_key and path.stat().st_mode & 0o077:
        yield Finding("settings", False, "others can read your key", f"chmod 600 '{path}'")


def database(home: Path) -> Iterator[Finding]:
    """The database: sound, of a schema that we know."""
    path = home / paths.DATABASE
    for damaged in sorted(sqlite.damaged_files(path)):
        yield Finding(
            "database",
            False,
            f"{damaged} was set aside",
            f"what it held is not used any more; remove it when you do not need it: {home}",
        )
    if not path.exists():
        yield Finding("database", True, "begins with the first session")
        return
    db = sqlite.open_reader(path)
    try:
        sound = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        schema = sqlite.version(db)
        lost = lost_tables(db) if schema == sqlite.SCHEMA_VERSION else []
    except sqlite3.DatabaseError as error:
        sound, schema, lost = str(error), 0, []
    finally:
        db.close()
    advice = ""
    if sound != "ok":
        advice = "`backstory restart` sets a damaged one aside and begins anew"
    elif lost:
        sound = f"without {', '.join(lost)}"
        advice = f"`backstory stop`, then put back a copy of {path}, or rename it to begin anew"
    elif schema > sqlite.SCHEMA_VERSION:
        advice = f"it was written by a newer version: {output.UPDATE}"
    size = path.stat().st_size // 1_000_000
    yield Finding("database", not advice, f"{sound}, schema {schema}, {size} MB", advice)
    if not advice and schema == sqlite.SCHEMA_VERSION:
        yield full_text(home)


def lost_tables(db: sqlite3.Connection) -> list[str]:
    """The tables that should be there and are not."""
    wanted = re.findall(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", sql.read("schema"), re.MULTILINE)
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    return [name for name in wanted if name not in there]


def full_text(home: Path) -> Finding:
    """The full-text index: a worker, which may write, has it check itself word by word."""
    with closing(sqlite.open_reader(home / paths.DATABASE)) as db:
        is_sound = text_index.is_readable(db)
    if is_sound and instance.health(home) is not None:
        with suppress(BackstoryError):  # a worker of before, or one that is busy
            is_sound = instance.ask(home, "POST", "/api/index", {}, CHECKING_S)["sound"]
    return Finding(
        "full text",
        is_sound,
        "sound" if is_sound else "damaged: words may not be found",
        "" if is_sound else "`backstory doctor --rebuild-index` makes it anew from the records",
    )


def worker(home: Path) -> Iterator[Finding]:
    """The worker: it answers, and does its work."""
    found = instance.health(home)
    if found is not None:
        well = found["status"] == "ok"
        yield Finding("worker", well, found["reason"] or f"runs version {found['version']}")
        newest, running = newest_code(home), str(found["version"])
        if spawn.is_newer(newest, running):
            yield Finding("worker", False, f"{newest} is there too", "backstory restart")
        return
    if instance.is_locked(home):
        yield Finding("worker", False, "holds its lock and does not answer", "backstory restart")
    elif why := instance.failure(home)[1]:
        yield Finding("worker", False, f"could not start: {why}", "then: backstory start")
    elif listens(home):
        yield Finding(
            "worker",
            False,
            f"something else listens on {home / paths.SOCKET}",
            "`backstory start` takes its place",
        )
    else:
        advice = "the next session or `backstory start` starts it"
        yield Finding("worker", True, "not running", advice)


def listens(home: Path) -> bool:
    """Whether anything accepts connections on the socket."""
    try:
        with instance.at_home(home):
            return wire.is_listening()
    except OSError:
        return False


def newest_code(home: Path) -> str:
    """The version of the newest code on record; "" where there is none."""
    try:
        return (home / spawn.CODE_ROOT).read_text("utf-8", "replace").splitlines()[0]
    except (OSError, IndexError):
        return ""


def waiting(home: Path) -> Iterator[Finding]:
    """What waits, and what could not be read."""
    count, size = spool.usage(str(home / paths.SPOOL))
    full = spool.is_full(str(home / paths.SPOOL))
    advice = "events are being dropped: `backstory start`, and make room" if full else ""
    yield Finding("spool", not full, f"{count} events, {size // 1000} kB", advice)
    bad = home / paths.SPOOL / spool.BAD
    unreadable = len(list(bad.glob("*"))) if bad.is_dir() else 0
    yield Finding(
        "unreadable events",
        unreadable == 0,
        str(unreadable),
        f"kept for a day in {bad}" if unreadable else "",
    )
    stored = health.numbers(config.Config(home, {}), Database(home / paths.DATABASE))
    dead = (stored.get("backlog") or {}).get("jobs_dead", 0)
    advice = "`backstory drain --requeue` tries them again" if dead else ""
    yield Finding("jobs given up", dead == 0, str(dead), advice)


def meaning(home: Path) -> Iterator[Finding]:
    """Search by meaning."""
    settings = config.load(home)
    found = vectors.stored(home, settings)
    if instance.health(home) is not None:
        try:
            status = instance.ask(home, "GET", "/api/status", timeout=10.0)
        except BackstoryError as error:
            advice = "see what is said of the database and of the worker"
            yield Finding("vectors", False, error.message, advice)
            return
        found = status.get("vectors") or found
    if found:
        why = found["failure"]
        told = vectors.line({**found, "failure": ""})
        yield Finding("vectors", not why, told, why and f"{why}; words are searched meanwhile")
    if warning := vectors.unencrypted(settings):
        yield Finding(
            "settings", False, warning.partition(":")[0], "give embedding_url an https address"
        )


def hooks_log(home: Path) -> Iterator[Finding]:
    """What hooks complained of lately."""
    path = home / paths.HOOKS_LOG
    lines = path.read_text("utf-8", "replace").splitlines() if path.exists() else []
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - LATELY_S))
    lately = [line for line in lines if line >= since]
    detail = f"{len(lately)} complaint{'s' * (len(lately) != 1)} in a day" + (
        f"; the last: {lately[-1]}" if lately else ""
    )
    yield Finding("hooks.log", not lately, detail, f"see {path}" if lately else "")


CHECKS = (
    python,
    installed,
    plugin,
    data,
    settings_file,
    database,
    worker,
    waiting,
    meaning,
    hooks_log,
)
COMMANDS = (doctor,)
