"""The one worker of a data directory: its lock, who holds it, and how to reach or end it.

A worker counts as alive when it answers; a pid alone proves nothing. The pid in worker.json is
used only to end a worker, and only when its start time shows that it is still the same process.
Standard library and Python 3.9 only: `uninstall` ends the worker without a runtime.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backstory import paths
from backstory.errors import BackstoryError, Unavailable
from backstory.hook import spawn, wire

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK = "worker.lock"
PATIENCE_S = 3.0  # a worker that does not answer for this long hangs
START_S = 20.0


def take_lock(home: Path) -> int | None:
    """The lock's open file, or None where another process holds it. Keep it open."""
    return _locked(os.open(home / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _locked(descriptor: int) -> int | None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def is_locked(home: Path) -> bool:
    """Whether a worker holds the lock. Writes nothing: the folder may be read-only."""
    try:
        descriptor = _locked(os.open(home / LOCK, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        return False
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def facts(home: Path) -> dict[str, Any]:
    """What the newest worker wrote of itself; {} where there is nothing to read."""
    try:
        found = json.loads((home / paths.WORKER_FACTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_facts(home: Path, values: dict[str, Any]) -> None:
    """Writes worker.json."""
    from backstory.config import write_private  # noqa: PLC0415  what ends a worker needs no settings

    identity = {"pid": os.getpid(), "started": start_time(os.getpid())}
    text = json.dumps({**identity, **values}, indent=2, ensure_ascii=False)
    write_private(home / paths.WORKER_FACTS, text + "\n")


def start_time(pid: int) -> str:
    """A token that tells a process from a later one with the same pid; "" where there is none."""
    if Path("/proc/self/stat").exists():
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        fields = stat.rpartition(")")[2].split()
        # a process that ended and waits for its parent is no worker any more
        return "" if fields[0] == "Z" else fields[19]
    done = subprocess.run(
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=5,
        check=False,
    )
    return done.stdout.strip()


def recorded_pid(home: Path) -> int | None:
    """The pid in worker.json, if that very process still runs."""
    known = facts(home)
    pid = known.get("pid")
    if not isinstance(pid, int) or pid <= 1:
        return None
    token = start_time(pid)
    return pid if token and token == known.get("started") else None


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """Within the data directory: its socket is named by a relative path (see hook/wire.py)."""
    before = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.chdir(home)
        yield
    finally:
        os.fchdir(before)
        os.close(before)


def ask(
    home: Path, method: str, path: str, body: dict[str, Any] | None = None, timeout: float = 30.0
) -> dict[str, Any]:
    """The worker's JSON answer.

    Raises Unavailable where none runs or it does not answer; BackstoryError with the worker's own
    message where it refuses.
    """
    try:
        status, found = _ask(home, method, path, body, timeout)
    except wire.Absent:
        raise Unavailable("no worker is running", hint="backstory start") from None
    except wire.Unanswered:
        raise Unavailable("the worker does not answer", hint="backstory restart") from None
    if status >= 400:
        error = found.get("error")
        known = error if isinstance(error, dict) else {}
        raised = BackstoryError(
            str(known.get("message") or f"the worker answered HTTP {status}"),
            hint=str(known.get("hint") or ""),
        )
        raised.code = str(known.get("code") or "error")
        raise raised
    return found


def _ask(
    home: Path, method: str, path: str, body: dict[str, Any] | None, timeout: float
) -> tuple[int, dict[str, Any]]:
    """(status, answer). Raises wire.Absent, and wire.Unanswered also for what no worker says."""
    data = b"" if body is None else json.dumps(body).encode()
    try:
        with at_home(home):
            status, answer = wire.ask(method, path, data, timeout, stamp=False)
    except OSError:  # no folder, or none that may be entered: then there is no socket either
        raise wire.Absent from None
    try:
        found = json.loads(answer)
    except ValueError:
        raise wire.Unanswered from None
    if not isinstance(found, dict):
        raise wire.Unanswered
    return status, found


def health(home: Path, timeout: float = PATIENCE_S) -> dict[str, Any] | None:
    """The health of the worker of this very data directory; None where none answers."""
    try:
        answer = ask(home, "GET", "/api/health", timeout=timeout)
    except BackstoryError:
        return None
    return answer if answer.get("home") == str(home.resolve()) else None


def start(home: Path, cwd: str = "") -> dict[str, Any]:
    """Starts the worker where none answers, and waits for its first answer: its health.

    Raises Unavailable where it does not come up, with its reason if it gave one.
    """
    deadline = time.monotonic() + START_S
    found = health(home)
    if found is None:
        before = failure(home)
        try:
            paths.make_private_dir(str(home))
            if not os.access(home, os.W_OK):
                raise PermissionError(errno.EACCES, "it cannot be written")
            with at_home(home):
                child = spawn.start_worker(cwd)
        except OSError as error:
            raise Unavailable(
                f"the worker cannot be started: {home}: {error.strerror}",
                hint="the data directory must be a folder that you can write (see BACKSTORY_HOME)",
            ) from error
        while (found := health(home, 1.0)) is None and time.monotonic() < deadline:
            has_failed = _has_failed(child)
            why = failure(home)
            if why != before:
                raise Unavailable(f"the worker could not start: {why[1]}", hint="backstory doctor")
            if has_failed:
                break
            time.sleep(0.05)
    if found is None:
        log = home / paths.WORKER_LOG
        raise Unavailable("the worker did not start", hint=f"see {log} and `backstory doctor`")
    with suppress(OSError):
        (home / paths.ASK_STAMP).unlink()
    return found


def _has_failed(child: int) -> bool:
    """Whether a process that this one started has ended, and not well."""
    try:
        return bool(child) and os.waitpid(child, os.WNOHANG)[1] != 0
    except ChildProcessError:  # it ended well, and was seen to
        return False


def failure(home: Path) -> tuple[int, str]:
    """When (nanoseconds) and why the newest worker could not start; (0, "") when it did."""
    path = home / paths.WORKER_FAILURE
    try:
        return path.stat().st_mtime_ns, path.read_text("utf-8", "replace").strip()
    except OSError:
        return 0, ""


def stop(home: Path, patience: float = 5.0) -> bool:
    """Ends the worker, by asking, then by signals; False where none ran.

    Raises Unavailable where it cannot be ended.
    """
    if not is_locked(home):
        return False
    if _stops_when_asked(home, patience):
        return True
    pid = recorded_pid(home)
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        if pid is not None and pid == recorded_pid(home):
            os.kill(pid, signal_number)
        if _wait_unlocked(home, 2.0):
            return True
    raise Unavailable(
        "the worker holds its lock and cannot be ended",
        hint=f"end the process that holds {home / LOCK} by hand",
    )


def _stops_when_asked(home: Path, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            _ask(home, "POST", "/api/stop", None, 2.0)
        except wire.Unanswered:
            return False
        except wire.Absent:
            # it may be just starting, and holds its lock a moment before it listens
            if _wait_unlocked(home, 0.1):
                return True
        else:
            return _wait_unlocked(home, patience)
    return False


def replace_hung(home: Path) -> bool:
    """Ends a worker that holds the lock without answering; whether the lock is free now."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        # a worker that is just starting has its lock a moment before it answers
        if health(home, max(0.1, deadline - time.monotonic())) is not None:
            return False
        if not is_locked(home):
            return True
        time.sleep(0.05)
    pid = recorded_pid(home)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
    return _wait_unlocked(home, 2.0)


def _wait_unlocked(home: Path, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_locked(home):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True
