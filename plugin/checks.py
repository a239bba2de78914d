"""The `test` command: every check, one line each, then the tests, in the development runtime."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from backstory import paths, runtime

# what a hook or the relay loads must run on the oldest Python that a user may have
OLD_PYTHON = (
    "hooks",
    "plugin",
    "src/backstory/errors.py",
    "src/backstory/estimate.py",
    "src/backstory/hook",
    "src/backstory/instance.py",
    "src/backstory/paths.py",
    "src/backstory/project.py",
    *(
        f"src/backstory/recall/{name}.py"
        for name in (
            *("branching", "choosing", "context", "index", "last_turns", "plain", "staleness"),
            "work_state",
        )
    ),
    "src/backstory/runtime.py",
    "src/backstory/sanitize/private.py",
    "src/backstory/storage/lean_sqlite.py",
    "src/backstory/storage/spool.py",
    "src/backstory/storage/sql.py",
)


def checks(folder: str, cache: str) -> list[tuple[str, list[str]]]:
    """Name and command line of every check, in order."""
    tool = folder + "/bin/"
    root = paths.plugin_root()
    old = [name for name in OLD_PYTHON if os.path.exists(os.path.join(root, name))]
    return [
        ("format", [tool + "ruff", "format", "--check", "--cache-dir", cache + "/ruff", "."]),
        ("lint", [tool + "ruff", "check", "--cache-dir", cache + "/ruff", "."]),
        ("types", [tool + "mypy", "--cache-dir", cache + "/mypy"]),
        ("imports", [tool + "lint-imports", "--no-logo", "--cache-dir", cache + "/imports"]),
        ("old Python", [tool + "vermin", "-q", "--no-tips", "-t=3.9-", "--violations", *old]),
    ]


def environment(folder: str, cache: str) -> dict[str, str]:
    """The environment of the checks and tests: the user's, with every cache kept out of the way."""
    # what is set for the user's own sessions must not decide what the tests see
    env = {k: v for k, v in os.environ.items() if not k.startswith(("BACKSTORY_", "PYTHON"))}
    for name in ("BACKSTORY_TEST_CLIENTS",):
        if name in os.environ:
            env[name] = os.environ[name]
    env["PYTHONPATH"] = os.path.join(paths.plugin_root(), "src")
    env["PYTHONPYCACHEPREFIX"] = folder + "/pycache"
    env["OPENBLAS_NUM_THREADS"] = "1"  # as in a worker; more wait for one another on a busy machine
    env["HYPOTHESIS_STORAGE_DIRECTORY"] = cache + "/hypothesis"
    return env


def run(folder: str, arguments: list[str]) -> int:
    """Runs all checks and then pytest with `arguments`; 0 when everything is green."""
    cache = paths.base_dir() + "/cache"
    paths.make_private_dir(cache)
    env = environment(folder, cache)
    failed = [name for name, command in checks(folder, cache) if not _passes(name, command, env)]
    if failed:
        print(f"checks failed: {', '.join(failed)}", flush=True)
    pytest = [runtime.python_in(folder), "-m", "pytest", "-o", f"cache_dir={cache}/pytest"]
    pytest += ["-n", "2", "--dist", "loadgroup", *arguments]
    status = subprocess.run(pytest, cwd=paths.plugin_root(), env=env, check=False).returncode
    return status or (1 if failed else 0)


def _passes(name: str, command: list[str], env: dict[str, str]) -> bool:
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=paths.plugin_root(),
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    verdict = "FAILED" if done.returncode else "ok"
    print(f"{verdict:6} {name} ({time.monotonic() - began:.1f} s)", flush=True)
    if done.returncode:
        sys.stdout.write(done.stdout.decode("utf-8", "replace"))
        sys.stdout.flush()
    return not done.returncode
