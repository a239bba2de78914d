"""Builds a runtime: one builder at a time, in a child of nobody's request.

The folder is built in place, under its final name, because a venv that is moved loses its
scripts and its bytecode; it counts from the moment that `.ready` is renamed into it. What a
killed builder leaves has no `.ready`, and the next builder removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator

from backstory import paths, runtime
from plugin import environment, interpreter, uv

KEPT = 2
STEPS = 5
STEP_TIMEOUT = 900  # seconds; a slow line may need minutes for the grammars
SMOKE = {
    runtime.LOCK: "import click, mcp.server.lowlevel, rich, starlette, uvicorn;"
    "from tree_sitter_language_pack import get_parser;"
    "assert not get_parser('python').parse(b'x = 1').root_node.has_error",
}
SMOKE[runtime.DEV_LOCK] = SMOKE[runtime.LOCK] + ";import httpx, hypothesis, pytest, xdist"


class BuildError(Exception):
    """The runtime could not be built; the message says why and where the log is."""


class Builder(Exception):
    """Another process is building it."""


def ensure(
    lock: str = runtime.LOCK,
    *,
    wait: bool,
    by_user: bool,
    say: Callable[[str], None] = lambda _line: None,
) -> str:
    """The folder of a ready runtime for `lock`, built if need be.

    `wait`: wait for another builder instead of raising Builder. `say` is told each step.
    Raises BuildError.
    """
    found = runtime.find(lock)
    if found:
        return found
    try:
        paths.make_private_dir(runtime.runtimes_dir())
        with _only_builder(wait, say) as held:
            found = runtime.find(lock)
            return found or _Build(lock, held, by_user, say).run()
    except OSError as error:
        raise BuildError(f"the runtime could not be written: {error}") from error


@contextlib.contextmanager
def _only_builder(wait: bool, say: Callable[[str], None]) -> Iterator[int]:
    """Holds the builder's lock; its children inherit it, so that an orphaned pip keeps it too."""
    handle = os.open(runtime.file_in("build.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        told = ""
        patience = 3  # a reader that looks at the state holds the lock for an instant
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                patience -= 1
                if not wait and not patience:
                    raise Builder from None
            line = runtime.read_line("progress")
            if patience < 0 and line and line != told:
                told = line
                say(f"another process is building the runtime: {line}")
            time.sleep(0.05 if patience > 0 else 0.2)
        yield handle
    finally:
        os.close(handle)


class _Build:
    def __init__(self, lock: str, held: int, by_user: bool, say: Callable[[str], None]) -> None:
        self.lock = lock
        self.held = held
        self.by_user = by_user
        self.say = say
        self.env = environment.for_build(by_user=by_user)
        self.log_path = runtime.file_in("build.log")
        self.log = os.open(self.log_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self.scratch = runtime.file_in(f".scratch.{os.getpid()}")

    def run(self) -> str:
        """Builds, proves and publishes the runtime."""
        began = time.monotonic()
        try:
            remove_leftovers()
            folder = self._build()
        except (BuildError, uv.FetchError, OSError) as error:
            message = f"{error} (the whole story is in {self.log_path})"
            _write("failed", f"{runtime.name_for(self.lock, 0)} {time.time():.0f} {message}")
            raise BuildError(message) from error
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)
            os.close(self.log)
            with contextlib.suppress(OSError):
                os.unlink(runtime.file_in("progress"))
        with contextlib.suppress(OSError):
            os.unlink(runtime.file_in("failed"))
        remove_old(self.lock, folder)
        self.say(f"runtime ready after {time.monotonic() - began:.0f} s")
        return folder

    def _build(self) -> str:
        self._step(1, "looking for Python and an installer")
        oldest, newest = (3, runtime.OLDEST_MINOR), (3, runtime.NEWEST_MINOR)
        python = interpreter.find(oldest, newest)
        installer = uv.find()
        if not installer and not (python and self._has_venv(python)):
            self._step(1, "fetching uv")
            installer = uv.fetch(self.scratch, self._any_python(), self.env, self.log)
            self.env["UV_CACHE_DIR"] = self.scratch + "/cache"
        if not python:
            self._step(1, f"fetching Python {uv.PYTHON}")
            uv.fetch_python(installer, paths.base_dir() + "/pythons", self.env, self.log)
            python = interpreter.find(oldest, newest)
            if not python:
                raise BuildError(f"uv fetched Python {uv.PYTHON}, and it does not run here")
        minor = interpreter.probe(python)[0][1]
        folder = runtime.path_for(self.lock, minor)
        if installer:
            try:
                self._install_with_uv(installer, python, folder)
            except BuildError:
                if not self._has_venv(python):
                    raise
                self.say("uv failed; trying with pip")
                shutil.rmtree(folder, ignore_errors=True)
                self._install_with_pip(python, folder)
        else:
            self._install_with_pip(python, folder)
        self._finish(folder)
        return folder

    def _any_python(self) -> str:
        python = interpreter.recorded() or interpreter.find()
        if not python:
            raise BuildError("no Python was found; install Python 3.11 or newer")
        return python

    def _has_venv(self, python: str) -> bool:
        return self._call([python, "-I", "-c", "import ensurepip, venv"]) == 0

    def _install_with_uv(self, installer: str, python: str, folder: str) -> None:
        self._step(2, "making its folder")
        self._must("making a venv", [installer, "venv", "--quiet", "--python", python, folder])
        self._step(3, "fetching the packages (about 55 MB)")
        command = [installer, "pip", "install", "--python", runtime.python_in(folder)]
        self._must("installing the packages", [*command, *self._locked()])

    def _install_with_pip(self, python: str, folder: str) -> None:
        self._step(2, "making its folder")
        self._must("making a venv", [python, "-I", "-m", "venv", folder])
        self._step(3, "fetching the packages (about 55 MB)")
        command = [runtime.python_in(folder), "-I", "-m", "pip", "install", "--no-compile"]
        self._must(
            "installing the packages",
            [*command, "--retries", "2", "--progress-bar", "off", *self._locked()],
        )

    def _locked(self) -> list[str]:
        path = os.path.join(paths.plugin_root(), self.lock)
        return ["--only-binary", ":all:", "--require-hashes", "-r", path]

    def _finish(self, folder: str) -> None:
        self._step(4, "compiling")
        python = [runtime.python_in(folder), "-I", "-X", f"pycache_prefix={folder}/pycache"]
        # some packages carry files for other versions; what matters is imported in the next step
        self._call([*python, "-m", "compileall", "-q", "-j", "0", folder + "/lib"])
        self._step(5, "trying it out")
        self._must("importing the installed packages", [*python, "-c", SMOKE[self.lock]])
        with open(folder + "/.part", "w", encoding="utf-8") as file:
            file.write(self.lock + "\n")
        os.replace(folder + "/.part", folder + "/" + runtime.READY)

    def _step(self, number: int, text: str) -> None:
        line = f"step {number} of {STEPS}: {text}"
        _write("progress", line)
        os.write(self.log, f"\n== {line}\n".encode())
        self.say(line)

    def _must(self, doing: str, command: list[str]) -> None:
        start = os.lseek(self.log, 0, os.SEEK_END)
        status = self._call(command)
        if status:
            raise BuildError(f"{doing} failed: {self._reason(start) or f'exit code {status}'}")

    def _call(self, command: list[str]) -> int:
        # nobody waits for a build that a hook asked for: it must not slow the session down
        courtesy = [] if self.by_user else ["nice", "-n", "10"]
        try:
            return subprocess.run(
                courtesy + command,
                env=self.env,
                cwd=runtime.runtimes_dir(),  # no project's uv.toml or pip.conf applies here
                stdin=subprocess.DEVNULL,
                stdout=self.log,
                stderr=subprocess.STDOUT,
                timeout=STEP_TIMEOUT,
                pass_fds=[self.held],
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            os.write(self.log, b"error: it took too long\n")
            return 124

    def _reason(self, start: int) -> str:
        """The line of the log, from `start` on, that names the error."""
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            file.seek(start)
            lines = [line.strip() for line in file if line.strip()]
        named = [line for line in lines if "error" in line.lower()]
        return (named or lines or [""])[-1][:300]


def _write(name: str, line: str) -> None:
    """Replaces one of the builder's files, so that a reader sees the old line or the new one."""
    part = runtime.file_in(f".{name}.{os.getpid()}")
    with open(part, "w", encoding="utf-8") as file:
        file.write(" ".join(line.split()) + "\n")
    os.replace(part, runtime.file_in(name))


def _folders() -> list[str]:
    base = runtime.runtimes_dir()
    return [e.path for e in os.scandir(base) if e.is_dir(follow_symlinks=False)]


def remove_leftovers() -> None:
    """Removes what killed builders left. The caller holds the builder's lock."""
    for folder in _folders():
        if not runtime.is_ready(folder):
            shutil.rmtree(folder, ignore_errors=True)


def remove_old(lock: str, newest: str) -> None:
    """Keeps `newest` and the runtime of the same kind that was used last, and any in use."""
    others = []
    for folder in _folders():
        ready = folder + "/" + runtime.READY
        with contextlib.suppress(OSError), open(ready, encoding="utf-8") as file:
            if folder != newest and file.readline().strip() == lock:
                others.append((os.stat(ready).st_mtime, folder))
    for _, folder in sorted(others)[: -(KEPT - 1)]:
        if not _in_use(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _in_use(folder: str) -> bool:
    try:
        handle = os.open(folder + "/" + runtime.IN_USE, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held, or a file system without locks: then nothing is known
        return True
    finally:
        os.close(handle)
    return False


def hold(folder: str) -> None:
    """Marks the runtime as in use by this process, and by what it turns into, until it ends."""
    with contextlib.suppress(OSError):
        handle = os.open(folder + "/" + runtime.IN_USE, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(handle, fcntl.LOCK_SH)
        os.set_inheritable(handle, True)
        os.utime(folder + "/" + runtime.READY)
