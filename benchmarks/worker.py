"""What the worker costs: start to healthy, memory, idle CPU, ingest, and its end.

    backstory python benchmarks/worker.py [--events N] [--idle SECONDS]

The bars: healthy within 1.5 s of its start, 100 MB at rest, 0.2 % CPU idle, 500 events/s from spool
to committed rows (distilled, too), no process left 5 s after `stop`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from backstory import instance, paths  # noqa: E402
from backstory.storage import spool  # noqa: E402

RECORDED = ("hooks-bugfix.jsonl", "hooks-feature.jsonl")


def fill_spool(home: Path, count: int) -> None:
    """So many tool uses of recorded sessions, 50 a turn, 100 a session."""
    texts = [(ROOT / "tests/data" / name).read_text(encoding="utf-8") for name in RECORDED]
    events = [json.loads(line)["event"] for text in texts for line in text.splitlines()]
    uses = [event for event in events if event["hook_event_name"] == "PostToolUse"]
    for number in range(count):
        event = {
            **uses[number % len(uses)],
            "session_id": f"session-{number // 100}",
            "prompt_id": f"prompt-{number // 50}",
            "tool_use_id": f"toolu_{number}",
        }
        spool.write(str(home / paths.SPOOL), [json.dumps(event).encode()])


def used_seconds(pid: int) -> float:
    """CPU seconds of a process so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Resident memory in MB (Linux)."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    raise LookupError("VmRSS")


def main() -> None:
    """Runs all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=5000)
    parser.add_argument("--idle", type=float, default=30.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        env = {**os.environ, "BACKSTORY_HOME": folder}
        command = [sys.executable, "-I", str(ROOT / "plugin/launch.py"), "--in-runtime", "worker"]
        started = time.perf_counter()
        worker = subprocess.Popen(command, env=env)
        while instance.health(home, 0.5) is None:
            time.sleep(0.005)
        print(f"start to healthy        {time.perf_counter() - started:8.2f} s")
        time.sleep(5)
        print(f"memory, nothing done    {resident_mb(worker.pid):8.1f} MB")
        before = used_seconds(worker.pid)
        time.sleep(given.idle)
        share = (used_seconds(worker.pid) - before) / given.idle
        print(f"CPU, idle               {100 * share:8.2f} %")
        parked = home / "parked"
        fill_spool(parked, given.events)
        os.rename(parked / paths.SPOOL, home / "spool-new")
        started = time.perf_counter()
        for name in spool.pending(str(home / "spool-new")):
            os.rename(home / "spool-new" / name, home / paths.SPOOL / name)
        more = True
        while more:
            more = instance.ask(home, "POST", "/api/flush?seconds=30", timeout=90)["more"]
        seconds = time.perf_counter() - started
        stored = instance.ask(home, "GET", "/api/status")["stored"]
        assert stored["tool_uses"] == given.events, stored
        print(f"ingest with distilling  {given.events / seconds:8.0f} events/s")
        time.sleep(20)
        print(f"memory, after that      {resident_mb(worker.pid):8.1f} MB")
        started = time.perf_counter()
        instance.stop(home)
        worker.wait(5)
        print(f"stop                    {time.perf_counter() - started:8.2f} s")


if __name__ == "__main__":
    main()
