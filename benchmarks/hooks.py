"""What a hook costs: whole processes, CPU against a bare interpreter in the same run.

    backstory python benchmarks/hooks.py [--runs N] [--rows N]

Every event goes through `plugin/run hooks/on_event.py`, as hooks.json has it. The bar of capture
is 1.8 with a worker that is well and 3 in every other state; of SessionStart 6 with 100,000
records and no worker, and 500 ms of wall time in any state.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from backstory import instance, paths  # noqa: E402
from backstory.project import resolve  # noqa: E402
from backstory.storage import projects, sqlite, text_index  # noqa: E402


def interpreter() -> str:
    """The interpreter that the hooks run on."""
    recorded = Path(paths.base_dir()) / "python"
    return recorded.read_text(encoding="utf-8").strip() if recorded.exists() else sys.executable


def measure(command: list[str], data: bytes, env: dict[str, str]) -> tuple[float, float]:
    """(CPU, wall) milliseconds of one run with its children."""
    before, started = os.times(), time.perf_counter()
    done = subprocess.run(command, input=data, env=env, capture_output=True)
    after, wall = os.times(), time.perf_counter() - started
    assert done.returncode == 0, done
    if done.stdout:
        json.loads(done.stdout)
    cpu = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    return cpu * 1000, wall * 1000


def precise(command: list[str], data: bytes, env: dict[str, str]) -> tuple[float, float]:
    """As `measure`, by the kernel's accounting of the one child."""
    read, write = os.pipe()
    started = time.perf_counter()
    child = subprocess.Popen(command, stdin=read, stdout=subprocess.DEVNULL, env=env)
    os.close(read)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(write, view) :]
    except BrokenPipeError:
        pass
    os.close(write)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, command
    return (usage.ru_utime + usage.ru_stime) * 1000, wall * 1000


def event(name: str, size: int, **more: object) -> bytes:
    """A payload of about so many bytes."""
    payload = {
        "session_id": "bench",
        "transcript_path": "/nowhere.jsonl",
        "cwd": os.getcwd(),
        "prompt_id": "p1",
        "hook_event_name": name,
        **more,
    }
    if name.startswith("PostToolUse"):
        text = "def total(self): return sum(line.price for line in self.lines)\n"
        payload |= {
            "tool_name": "Bash",
            "tool_input": {"command": "cat cart.py"},
            "tool_response": {"stdout": text * (size // len(text))},
            "tool_use_id": "toolu_bench",
        }
    return json.dumps(payload, separators=(",", ":")).encode()


@contextmanager
def warm(home: Path) -> Iterator[None]:
    """A worker that is well."""
    instance.start(home)
    try:
        yield
    finally:
        instance.stop(home)


@contextmanager
def absent(_: Path) -> Iterator[None]:
    """No worker; hooks may start none (there is no code to start)."""
    yield


@contextmanager
def stopped(home: Path) -> Iterator[None]:
    """A worker that hangs."""
    instance.start(home)
    pid = instance.recorded_pid(home)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
        instance.stop(home)


@contextmanager
def mute(home: Path) -> Iterator[None]:
    """Something listens on the socket and never answers."""
    with instance.at_home(home):
        Path(paths.SOCKET).unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(paths.SOCKET)
    listening.listen(1)
    try:
        yield
    finally:
        listening.close()
        (home / paths.SOCKET).unlink()


@contextmanager
def full(home: Path) -> Iterator[None]:
    """No file can be written: the spool is a file, so every write fails."""
    spool = home / paths.SPOOL
    shutil.rmtree(spool, ignore_errors=True)
    spool.write_text("")
    try:
        yield
    finally:
        spool.unlink()


def fill(home: Path, rows: int) -> None:
    """A store with so many records of the current folder's project."""
    home.mkdir(exist_ok=True)
    db = sqlite.open_writer(home / paths.DATABASE)
    with sqlite.transaction(db):
        project = projects.find_or_add(db, resolve(os.getcwd()), 1)
        for number in range(rows):
            db.execute(
                "INSERT INTO observations (project, type, title, narrative, distilled_by,"
                " content_hash, tokens, created_at, importance) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    project,
                    ("bugfix", "feature", "discovery")[number % 3],
                    f"Fixed rounding of invoice {number} in Cart.total (shop/cart.py)",
                    "Half cents rounded down.",
                    "rules/1",
                    str(number),
                    180,
                    1_790_000_000_000 + number * 1000,
                    number % 4,
                ),
            )
            if number % 50 == 0:
                text_index.put(db, "observation", number + 1, project=project, title="rounding")
    db.close()


def report(label: str, runs: list[tuple[float, float]], floor: list[tuple[float, float]]) -> None:
    """One line: median CPU, its ratio to the floor, median and longest wall time."""
    cpu = statistics.median(c for c, _ in runs)
    ratio = cpu / statistics.median(c for c, _ in floor)
    walls = sorted(w for _, w in runs)
    print(
        f"{label:<46} {cpu:7.2f} ms CPU  {ratio:5.2f} x   wall {walls[len(walls) // 2]:6.1f} ms"
        f"  max {walls[-1]:6.1f} ms"
    )


def main() -> None:
    """Runs all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--rows", type=int, default=100_000)
    given = parser.parse_args()
    bare = [interpreter(), "-I", "-S", "-c", "pass"]
    hooks = json.loads((ROOT / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    words = hooks["Stop"][0]["hooks"][0]["args"]
    hook = ["sh", *(word.replace("${CLAUDE_PLUGIN_ROOT}", str(ROOT)) for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        env = {**os.environ, "BACKSTORY_HOME": str(home)}
        os.environ["BACKSTORY_HOME"] = str(home)
        home.mkdir()
        small = event("PostToolUse", 10_000)
        cases = [
            ("capture, 10 KB, worker warm", warm, small),
            ("capture, 10 KB, no worker", absent, small),
            ("capture, 10 KB, worker hangs", stopped, small),
            ("capture, 10 KB, mute listener", mute, small),
            ("capture, 10 KB, cannot write", full, small),
            ("capture, empty input", absent, b""),
            ("capture, cut input", absent, small[:5000]),
            ("capture, 8 MB", absent, event("PostToolUse", 8_000_000)),
            (
                "capture, 10 KB with a private tag",
                absent,
                small.replace(b"total", b"<private>x</private>", 3),
            ),
            ("Stop, worker warm", warm, event("Stop", 0, last_assistant_message="done")),
            ("UserPromptSubmit, worker warm", warm, event("UserPromptSubmit", 0, prompt="go on")),
            (
                "PreToolUse, our own tool",
                warm,
                event(
                    "PreToolUse", 0, tool_name="mcp__plugin_backstory_mem__search", tool_input={}
                ),
            ),
        ]
        for label, state, data in cases:
            with state(home):
                pairs = [
                    (precise(bare, b"", env), precise(hook, data, env)) for _ in range(given.runs)
                ]
            report(label, [b for _, b in pairs], [a for a, _ in pairs])
            shutil.rmtree(home / paths.SPOOL, ignore_errors=True)
        shutil.rmtree(home)
        fill(home, given.rows)
        start = event("SessionStart", 0, source="startup")
        for label, state in (
            ("worker warm", warm),
            ("worker hangs", stopped),
            ("mute listener", mute),
        ):
            with state(home):
                (home / paths.ASK_STAMP).unlink(missing_ok=True)
                pairs = [
                    (precise(bare, b"", env), precise(hook, start, env)) for _ in range(given.runs)
                ]
            report(
                f"SessionStart, {given.rows} records, {label}",
                [b for _, b in pairs],
                [a for a, _ in pairs],
            )
        # with nobody to start: a code root without a launcher is what an uninstall leaves
        pairs = []
        for _ in range(given.runs):
            pairs.append((precise(bare, b"", env), precise(hook, start, env)))
            instance.stop(home)
        report(
            f"SessionStart, {given.rows} records, starts one",
            [b for _, b in pairs],
            [a for a, _ in pairs],
        )


if __name__ == "__main__":
    main()
