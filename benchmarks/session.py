"""What the plugin costs a session: `claude -p hello` with it and without it, turn about.

    backstory python benchmarks/session.py [--client PATH] [--pairs N] [--observations N]

Prints medians and the differences of the pairs: wall time, processor time of the client and all
that it waited for, and the size of the first request. The worker is warm, and the project has
memory to put into the context.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.e2e.api import Api, Request, Script, Turn, call, text  # noqa: E402
from tests.e2e.clients import client  # noqa: E402
from tests.e2e.home import Home  # noqa: E402
from tests.e2e.shop import make_shop  # noqa: E402

from backstory import paths  # noqa: E402  (the checkout is not installed)

VERSIONS: list[str] = json.loads((ROOT / "tests/e2e/clients.json").read_text())["versions"]
CHARACTERS_PER_TOKEN = 4  # good enough for a difference of two nearly equal requests


@dataclass(frozen=True)
class Sample:
    """One run of the client."""

    wall: float  # milliseconds
    cpu: float  # milliseconds, user and system
    characters: float  # of the first request: system, messages and loaded tools


def measure(home: Home, cwd: Path) -> Sample:
    """Run `claude -p hello` once."""
    with Api(Script([[text("Hi.")]])) as api:
        command = [str(home.claude), "-p", "hello"]
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=home.environment(api.url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # wait4 counts the client and every child that it has waited for; the worker is neither
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        if process.returncode:
            raise SystemExit(f"the client ended with {process.returncode}")
        cpu = usage.ru_utime + usage.ru_stime
        return Sample(wall * 1000, cpu * 1000, size_of(api.turns[0]))


def size_of(request: Request) -> int:
    """The characters of a request that the model reads."""
    loaded = [t for t in request.body.get("tools") or [] if not t.get("defer_loading")]
    return len(request.text()) + len(json.dumps(loaded, ensure_ascii=False))


def fill(home: Home, shop: Path, observations: int) -> int:
    """Write a file a turn until the project has that many observations; gives how many it has."""
    turns: list[Turn] = []
    for number in range(observations):
        path = str(shop / f"shop/part_{number}.py")
        turns += [[call("Write", file_path=path, content=source(number))], [text("Written.")]]
    allowed = ("--allowedTools", "Write")
    with Api(Script(turns)) as api, home.converse(api, *allowed, cwd=shop) as conversation:
        for number in range(observations):
            conversation.say(f"Write part {number}")
        conversation.end()
    home.drain()
    return int(home.rows("SELECT count(*) FROM observations")[0][0])


def source(number: int) -> str:
    """A small file with a name of its own."""
    return f"def part_{number}(price: int) -> int:\n    return price * {number}\n"


def report(name: str, unit: str, off: list[float], on: list[float]) -> None:
    """One line: both medians, and the median and quartiles of the differences."""
    differences = sorted(b - a for a, b in zip(off, on, strict=True))
    low, middle, high = statistics.quantiles(differences, n=4)
    print(
        f"{name:<18} off {statistics.median(off):>9,.0f}  on {statistics.median(on):>9,.0f}  "
        f"difference {middle:>+8,.0f} {unit} (quartiles {low:+,.0f} … {high:+,.0f})"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--client", choices=VERSIONS, default=VERSIONS[-1])
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--observations", type=int, default=50)
    parser.add_argument("--all-tools", action="store_true", help="with tool search off")
    chosen = parser.parse_args()
    base = Path(paths.base_dir())
    with tempfile.TemporaryDirectory() as folder:
        homes = {}
        for name in ("off", "on"):
            home = Home(Path(folder, name), client(chosen.client), tool_search=not chosen.all_tools)
            homes[name] = home
            home.share_runtime(base)
        shop = make_shop(Path(folder, "shop"))
        try:
            homes["on"].install(ROOT)
            homes["on"].backstory("start")
            have = fill(homes["on"], shop, chosen.observations)
            samples: dict[str, list[Sample]] = {"off": [], "on": []}
            for name in homes:
                measure(homes[name], shop)
            for number in range(chosen.pairs):
                for name in ("off", "on") if number % 2 else ("on", "off"):
                    samples[name].append(measure(homes[name], shop))
        finally:
            homes["on"].close()
    print(f"Claude Code {chosen.client}, {chosen.pairs} pairs, {have} observations in the store")
    off, on = samples["off"], samples["on"]
    report("wall", "ms", [s.wall for s in off], [s.wall for s in on])
    report("processor", "ms", [s.cpu for s in off], [s.cpu for s in on])
    report("first request", "chars", [s.characters for s in off], [s.characters for s in on])
    tokens = [[s.characters / CHARACTERS_PER_TOKEN for s in run] for run in (off, on)]
    report("  in tokens, about", "tokens", *tokens)


if __name__ == "__main__":
    main()
