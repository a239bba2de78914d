"""The commands of launch.py: each finds the runtime, or builds it, and becomes what runs in it."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import NoReturn

from backstory import paths, runtime
from backstory.errors import BadInput, Unavailable
from backstory.hook import removed
from plugin import build, doors, environment, interpreter

LAUNCH = os.path.join(paths.plugin_root(), "plugin", "launch.py")
NO_RUNTIME = 4
# commands that tell how things are or undo them: none of these may start a download
NEVER_BUILD = ("status", "doctor", "stop", "drain", "--help", "-h", "--version")
BUILD = (
    *("demo", "test", "start", "restart", "search", "timeline", "show", "save", "forget"),
    *("context", "settings", "stats", "distill", "python", "mcp", "outline", "unfold", "symbols"),
)
USAGE = """usage: backstory COMMAND [ARGUMENT...]

  demo     replay a recorded session and show what Claude would see
  test     run every check and test
  link     put `backstory` on your PATH
  start, stop, restart, status, doctor, drain, search, timeline, show, save, forget, context,
  outline, unfold, symbols, work-state, settings, stats, distill, uninstall, python, mcp

`backstory COMMAND --help` says more. The first command that needs it installs the runtime."""


def main(arguments: list[str]) -> int:
    """Runs one command and gives its exit code, where this process does not become another."""
    command = arguments[0] if arguments else "--help"
    if command == "uninstall":
        from plugin import removal

        return removal.main(arguments[1:])
    interpreter.record()
    if command == "worker-spawn":
        return worker_spawn()
    if command == "link":
        return link(arguments[1:])
    try:
        return run(command, arguments)
    except build.BuildError as error:
        return doors.refuse(Unavailable(str(error)), as_json="--json" in arguments)


def run(command: str, arguments: list[str]) -> int:
    """Runs a command that needs a runtime, building it if it may. Raises build.BuildError."""
    if runtime.state()[0] != "ready" and not builds(command, arguments):
        return without_runtime(command, arguments)
    if removed.is_marked() and builds(command, arguments):
        # somebody uses it again after `uninstall`
        removed.lift()
        paths.make_private_dir(paths.base_dir())
        interpreter.record()
    if command == "test":
        from plugin import checks

        folder = build.ensure(runtime.DEV_LOCK, wait=True, by_user=True, say=_say)
        build.hold(folder)
        return checks.run(folder, arguments[1:])
    folder = build.ensure(wait=True, by_user=environment.started_by_user(), say=_say)
    if command == "python":
        return become_python(folder, arguments[1:])
    return become(folder, arguments or ["--help"], dict(os.environ))


def builds(command: str, arguments: list[str]) -> bool:
    """Whether a command may install the runtime: none that only explains itself, or is unknown."""
    if command in ("python", "test"):  # what follows is for others
        return True
    return command in BUILD and "--help" not in arguments and "-h" not in arguments


def worker_spawn() -> int:
    """Becomes the worker; builds the runtime first, unless that failed a moment ago.

    Called by hooks, detached: nobody waits for it, and what it says goes to the worker's log.
    """
    try:
        folder = runtime.find()
        if not folder:
            if time.time() - runtime.failure()[0] < runtime.RETRY_SECONDS:
                return 1
            folder = build.ensure(wait=False, by_user=False)
    except build.Builder:
        return 1
    except (build.BuildError, OSError) as error:
        print(f"backstory: {error}", file=sys.stderr)
        return 1
    os.chdir("/")
    return become(folder, ["worker"], environment.for_worker())


def become(folder: str, arguments: list[str], env: dict[str, str]) -> NoReturn:
    """Replaces this process by the package, run in the runtime in `folder`."""
    build.hold(folder)
    python = runtime.python_in(folder)
    prefix = f"pycache_prefix={folder}/pycache"
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(python, [python, "-I", "-X", prefix, LAUNCH, "--in-runtime", *arguments], env)


def become_python(folder: str, arguments: list[str]) -> NoReturn:
    """Replaces this process by the runtime's interpreter, which can import the package."""
    build.hold(folder)
    python = runtime.python_in(folder)
    env = dict(os.environ, PYTHONPYCACHEPREFIX=folder + "/pycache")
    env["PYTHONPATH"] = os.path.join(paths.plugin_root(), "src")
    sys.stdout.flush()
    os.execve(python, [python, *arguments], env)


def without_runtime(command: str, arguments: list[str]) -> int:
    """What the commands that never build say when there is no runtime."""
    as_json = "--json" in arguments
    if command == "--version":
        manifest = os.path.join(paths.plugin_root(), ".claude-plugin", "plugin.json")
        with open(manifest, encoding="utf-8") as file:
            print("backstory", json.load(file)["version"])
        return 0
    if command in ("--help", "-h") or "--help" in arguments or "-h" in arguments:
        print(USAGE)
        return 0
    if command not in NEVER_BUILD:
        told = BadInput(f"there is no command {command!r}", hint="see: backstory --help")
        return doors.refuse(told, as_json=as_json, status=doors.USAGE)
    state, detail = runtime.state()
    if as_json:
        print(json.dumps({"status": "no runtime", "runtime": {"state": state, "detail": detail}}))
    else:
        texts = {
            "absent": "it is not installed yet; `backstory demo` or the next session installs it",
            "building": f"it is being installed ({detail})",
            "failed": f"installing it failed: {detail}; `backstory start` tries again",
        }
        print(f"no runtime: {texts[state]}")
    # with no runtime there is no worker: it is stopped, and nothing is left to be done
    return 0 if command in ("stop", "drain") and state != "building" else NO_RUNTIME


def link(arguments: list[str]) -> int:
    """Puts `backstory` into ~/.local/bin as a symlink; says what it did, never replaces others'."""
    if arguments:
        print("usage: backstory link\nPuts `backstory` on your PATH, as a link in ~/.local/bin.")
        return 0 if arguments[0] in ("--help", "-h") else doors.USAGE
    try:
        return _link()
    except OSError as error:
        told = Unavailable(f"{error.filename}: {error.strerror}", hint="~/.local/bin must be yours")
        return doors.refuse(told, as_json=False)


def _link() -> int:
    target = os.path.join(paths.plugin_root(), "bin", "backstory")
    folder = os.path.expanduser("~/.local/bin")
    path = os.path.join(folder, "backstory")
    if os.path.lexists(path):
        old = os.readlink(path) if os.path.islink(path) else ""
        if old == target:
            print(f"{path} leads to {target} already")
            return 0
        if not old.endswith("/bin/backstory"):
            print(
                f"backstory: {path} exists and is not ours; move it away and run this again",
                file=sys.stderr,
            )
            return 1
    os.makedirs(folder, exist_ok=True)
    part = f"{path}.{os.getpid()}"
    os.symlink(target, part)
    os.replace(part, path)
    print(f"made {path} -> {target}")
    if folder not in os.environ.get("PATH", "").split(":"):
        print(f'{folder} is not on your PATH: add  export PATH="{folder}:$PATH"  to your shell')
    return 0


def _say(line: str) -> None:
    print(f"backstory: {line}", file=sys.stderr, flush=True)
