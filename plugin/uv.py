"""Finds uv or fetches it, and fetches a Python with it. Runs on any Python from 3.6 on."""

import os
import subprocess
import sys

from plugin import interpreter

PYTHON = "3.12"  # what is fetched where the machine has nothing newer than we can use


class FetchError(Exception):
    """Neither uv nor a newer Python could be had; the message says what to install."""


def find() -> str:
    """The user's own uv, "" where there is none: the usual folders first, then PATH."""
    home = os.path.expanduser("~")
    folders = [home + "/.local/bin", home + "/.cargo/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    folders += ["/usr/bin", *os.environ.get("PATH", "").split(":")]
    for folder in folders:
        if interpreter.usable(folder + "/uv"):
            return folder + "/uv"
    return ""


def fetch(folder: str, python: str, env: "dict[str, str]", log: "int | None" = None) -> str:
    """Fetches the locked uv into `folder` with that interpreter's pip and gives its path.

    Raises FetchError.
    """
    lock = os.path.join(interpreter.ROOT, "plugin", "uv.lock")
    command = [python, "-I", "-m", "pip", "install", "--quiet", "--retries", "2"]
    command += ["--target", folder, "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    done = _run([*command, "-r", lock], env, log)
    found = folder + "/bin/uv"
    if done != 0 or not os.access(found, os.X_OK):
        raise FetchError(
            "a newer Python is needed and fetching one failed; install Python 3.11 or newer"
            " with its venv module (Debian and Ubuntu: python3-venv), or uv"
        )
    return found


def fetch_python(uv: str, folder: str, env: "dict[str, str]", log: "int | None" = None) -> None:
    """Puts a Python of its own below `folder`. Raises FetchError."""
    command = [uv, "python", "install", "--install-dir", folder, "--no-bin", PYTHON]
    if _run(command, env, log) != 0:
        raise FetchError("uv could not fetch Python %s; install Python 3.11 or newer" % PYTHON)


def _run(command: "list[str]", env: "dict[str, str]", log: "int | None") -> int:
    try:
        return subprocess.call(
            command,
            env=env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno() if log is None else log,
            stderr=subprocess.STDOUT,
            timeout=900,
        )
    except (OSError, subprocess.SubprocessError):
        return 1
