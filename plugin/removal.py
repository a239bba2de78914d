"""The `uninstall` command: stops the worker, and removes every file that Backstory wrote.

It runs on the recorded Python, not in the runtime that it deletes, so it works without one too.
Only names of ours go: whatever else lies in the data directory stays and is named.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from backstory import instance, paths, runtime
from backstory.errors import BackstoryError, BadInput, Busy
from backstory.hook import removed, spawn
from backstory.storage import spool
from plugin import doors

PLUGIN = "claude plugin uninstall backstory@backstory"
# In the data directory, as globs: what is remembered, and what only serves it.
MEMORY = (
    paths.DATABASE,
    paths.DATABASE + "-wal",
    paths.DATABASE + "-shm",
    paths.DATABASE + "-journal",
    paths.DATABASE + "*.damaged-*",
    paths.DATABASE + ".suspect",
    paths.SETTINGS,
    paths.HOOK_FACTS,  # as long as the plugin is there it keeps excluded projects out
)
SERVICE = (
    paths.WORKER_FACTS,
    paths.SOCKET,
    paths.ASK_STAMP,
    paths.WORKER_FAILURE + "*",
    paths.TOLD + "*",
    paths.WARNED + "*",
    paths.MODEL_MARK + "*",
    instance.LOCK,
    spawn.CODE_ROOT,
    "*.json.*.part",
    spawn.CODE_ROOT + ".*.part",
)
# Folders of ours, and what we write into them.
KEPT_FOLDERS = {
    paths.SPOOL: ("*" + spool.SUFFIX, "*.part", spool.FULL, spool.BALLAST, spool.BAD + "/*"),
    paths.INCOGNITO: ("*",),
    paths.SEEN: ("*/*", "*"),  # a folder a session
}
SERVICE_FOLDERS: dict[str, tuple[str, ...]] = {
    paths.LOGS: ("hooks.log*", "worker.log*"),
    paths.MODEL: (),
    paths.CODE: ("*.db*", "*.lock", "*.used"),
}
# In the per-user folder.
SHARED = ("python", ".python.*", "told-*", "runtime", "pycache", "pythons", "cache", "test-clients")


def main(arguments: list[str]) -> int:
    """Runs the command; 0, or 1 where something could not be removed."""
    parser = argparse.ArgumentParser(
        "backstory uninstall",
        description="Stop the worker and remove every file that Backstory wrote; lists them first.",
    )
    parser.add_argument("--keep-data", action="store_true", help="keep what is remembered")
    parser.add_argument("--yes", action="store_true", help="do it without asking")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given, unknown = parser.parse_known_args(arguments)
    if unknown:
        told = BadInput(f"no such option: {unknown[0]}", hint="see: backstory uninstall --help")
        return doors.refuse(told, as_json=given.json, status=doors.USAGE)
    # nothing may be written where everything is about to go
    sys.dont_write_bytecode = True
    if runtime.building():
        busy = Busy(
            "the runtime is being installed right now",
            hint="run this again when `backstory status` says that it is there",
        )
        return doors.refuse(busy, as_json=given.json)
    found = [str(path) for path in written(keep_data=given.keep_data)]
    if not given.yes and not agreed(found, given.json):
        return 0
    return report(*remove(keep_data=given.keep_data), as_json=given.json)


def agreed(found: list[str], as_json: bool) -> bool:
    """Shows what would go; whether the person at the terminal, if there is one, wants that."""
    if as_json:
        print(json.dumps({"would_remove": found, "then": PLUGIN}, indent=2))
        return False
    listing = "\n".join(f"  {path}" for path in found) or "  nothing"
    print(f"this stops the worker and removes:\n{listing}", flush=True)
    if sys.stdin is None or not sys.stdin.isatty():
        print(f"--yes does it; then: {PLUGIN}")
        return False
    try:
        answer = input("go on? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().lower() in ("y", "yes"):
        return True
    print("nothing was removed")
    return False


def report(gone: list[str], failed: list[str], left: list[str], mark: str, as_json: bool) -> int:
    """Says what became of each; the exit code."""
    if as_json:
        value = {"removed": gone, "failed": failed, "left": left, "mark": mark, "then": PLUGIN}
        print(json.dumps(value, indent=2))
    else:
        lines = [f"removed {path}" for path in gone] or ["there was nothing to remove"]
        lines += [f"NOT removed: {why}" for why in failed]
        lines += [f"left, not ours: {path}" for path in left]
        if mark:
            lines.append(f"sessions that still run start nothing again: {mark} tells them")
        lines.append(f"last step, or the next new session starts Backstory again: {PLUGIN}")
        print("\n".join(lines))
    if failed:
        print("backstory: some files could not be removed; see above", file=sys.stderr)
    return 1 if failed else 0


def written(*, keep_data: bool) -> Iterator[Path]:
    """Everything of ours that is there; what lies in a folder comes before the folder."""
    home, base = Path(paths.data_dir()), Path(paths.base_dir())
    folders = SERVICE_FOLDERS if keep_data else {**SERVICE_FOLDERS, **KEPT_FOLDERS}
    for folder, patterns in folders.items():
        for pattern in patterns:
            yield from sorted((home / folder).glob(pattern))
        if folder == paths.SPOOL:
            yield from present(home / folder, spool.BAD)
        yield from present(home, folder)
    for pattern in SERVICE if keep_data else (*MEMORY, *SERVICE):
        yield from present(home, pattern)
    for pattern in SHARED:
        yield from present(base, pattern)
    link = Path(os.path.expanduser("~")) / ".local" / "bin" / "backstory"
    if is_ours(link):
        yield link


def present(folder: Path, pattern: str) -> Iterator[Path]:
    """The entries of that name or glob, dangling links too."""
    return iter(sorted(folder.glob(pattern)) if "*" in pattern else existing(folder / pattern))


def existing(path: Path) -> list[Path]:
    """The path, if anything is there."""
    return [path] if os.path.lexists(path) else []


def is_ours(link: Path) -> bool:
    """Whether `link` leads to this command, to another version's, or to one that is gone."""
    if not link.is_symlink():
        return False
    target = os.readlink(link)
    root = target[: -len("/bin/backstory")]
    if not target.endswith("/bin/backstory"):
        return False
    return not os.path.exists(target) or os.path.exists(root + "/plugin/launch.py")


def remove(*, keep_data: bool) -> tuple[list[str], list[str], list[str], str]:
    """(removed, failures, what is left of others, the mark): no failure keeps the rest back."""
    mark = removed.leave()  # first: a hook that fires meanwhile must not begin anew
    gone: list[str] = []
    failed: dict[str, str] = {}
    # without the record every hook looks for the mark
    sweep(existing(Path(paths.base_dir()) / "python"), gone, failed)
    try:
        instance.stop(Path(paths.data_dir()))
    except (BackstoryError, OSError) as error:
        failed["the worker"] = str(error)
    kept = set(map(str, written(keep_data=False))) - set(map(str, written(keep_data=keep_data)))
    for _ in range(2):  # a hook that was under way may have written once more
        sweep(written(keep_data=keep_data), gone, failed)
    left = {
        str(path)
        for path in written(keep_data=keep_data)
        if path.is_dir() and str(path) not in failed
    }
    for folder in (paths.data_dir(), paths.base_dir()):
        left.update(emptied(folder, failed))
    failures = [f"{what}: {why}" for what, why in failed.items()]
    return gone, failures, sorted(left - kept), mark


def sweep(targets: Iterable[Path], gone: list[str], failed: dict[str, str]) -> None:
    """Removes these; each is tried once, whatever became of the others."""
    trees = {str(Path(paths.base_dir()) / name) for name in SHARED}
    for target in map(str, targets):
        if target in failed:
            continue
        try:
            if delete(target, whole=target in trees) and target not in gone:
                gone.append(target)
        except OSError as error:
            failed[target] = error.strerror or str(error)


def delete(target: str, *, whole: bool) -> bool:
    """Removes a file, a link or a folder; False for a folder that holds what is not ours."""
    if os.path.islink(target) or not os.path.isdir(target):
        with contextlib.suppress(FileNotFoundError):  # the worker may have taken it along
            os.unlink(target)
        return True
    if whole:
        shutil.rmtree(target)
        return True
    if os.listdir(target):
        return False
    os.rmdir(target)
    return True


def emptied(folder: str, failed: dict[str, str]) -> list[str]:
    """Removes one of our two folders if nothing is in it; else what is there."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return []
    try:
        inside = os.listdir(folder)
        if not inside:
            os.rmdir(folder)
    except OSError as error:
        failed[folder] = error.strerror or str(error)
        return []
    return [p for p in (f"{folder}/{name}" for name in inside) if p not in failed]
