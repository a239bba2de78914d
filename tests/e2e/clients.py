"""The pinned Claude Code clients that the end-to-end tests drive, fetched once through npm."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from backstory import paths

PACKAGE = "@anthropic-ai/claude-code"


def folder() -> Path:
    """Where the clients are kept: outside the checkout, since a plugin install copies all of it."""
    return Path(os.environ.get("BACKSTORY_TEST_CLIENTS") or paths.base_dir() + "/test-clients")


def client(version: str) -> Path:
    """The `claude` command of that version, installed when it is absent.

    Raises RuntimeError, with npm's own words, when it cannot be installed.
    """
    home = folder() / version
    command = home / "node_modules" / ".bin" / "claude"
    home.parent.mkdir(parents=True, exist_ok=True)
    # test processes run side by side: one installs, the others wait for it
    with (home.parent / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / ".ready").exists() or not command.exists():
            _install(version, home)
    return command


def _install(version: str, home: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("the end-to-end tests need npm (Node.js 20 or newer) on PATH")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    done = subprocess.run(
        [npm, "install", "--prefix", str(home), "--no-fund", "--no-audit", f"{PACKAGE}@{version}"],
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    if done.returncode:
        raise RuntimeError(f"npm could not install {PACKAGE} {version}:\n{done.stdout[-2000:]}")
    (home / ".ready").touch()


def install_all(versions: list[str]) -> None:
    """Installs every version, with a line for each."""
    for version in versions:
        print(f"client {version}: {client(version)}", flush=True)
