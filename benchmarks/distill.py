"""What distilling by a model takes: calls, tokens, time, rows; and what kill -9 does to it.

    backstory python benchmarks/distill.py [--uses 1000] [--turns 20] [--backlog 300]
        [--delay SECONDS] [--api openai|anthropic] [--kill N]

A real worker asks a model on this machine, which answers as it is told after so many seconds: for
the recorded sessions of tests/data, for made-up turns as they end, and for a backlog of turns that
came while no worker ran. Tokens are those that the model bills. With --kill, workers are killed
between claim and commit instead.

The bars: 65 calls and 700 input tokens a tool use for 1,000 tool uses in 20 turns, 25 calls for a
backlog of 300 events; nothing sent twice; after any kill every turn is done exactly once.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.support.distilling import Distilling, Replies, distilling  # noqa: E402
from tests.support.killing import MODEL_S, kill_again_and_again  # noqa: E402
from tests.support.work import Work  # noqa: E402

from backstory import instance  # noqa: E402  (the checkout is not installed)
from backstory.errors import BackstoryError  # noqa: E402

Event = dict[str, Any]
HEALTH_S = 0.1  # between two questions for the worker's health
BACKLOG_TURNS = 60


class Pulse(threading.Thread):
    """Asks for the worker's health all the while."""

    def __init__(self, home: Distilling) -> None:
        super().__init__(daemon=True)
        self.home = home
        self.times: list[float] = []
        self.ended = threading.Event()

    def run(self) -> None:
        """Until told to end."""
        while not self.ended.wait(HEALTH_S):
            started = time.perf_counter()
            with suppress(BackstoryError):
                instance.ask(self.home.data, "GET", "/api/health")
                self.times.append(time.perf_counter() - started)

    def __enter__(self) -> Pulse:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.ended.set()
        self.join()


def recorded() -> list[list[Event]]:
    """The recorded sessions, turn by turn."""
    turns: list[list[Event]] = []
    for path in sorted((ROOT / "tests/data").glob("hooks-*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)["event"]
            if found["hook_event_name"] in ("SessionStart", "UserPromptSubmit"):
                turns.append([])
            turns[-1].append(found)
    return turns


def captured(turns: Iterable[list[Event]]) -> tuple[int, int]:
    """(tool uses, characters of their inputs and outputs)."""
    uses = characters = 0
    for found in (found for turn in turns for found in turn):
        if found["hook_event_name"] in ("PostToolUse", "PostToolUseFailure"):
            answer = found.get("tool_response", found.get("error", ""))
            uses += 1
            characters += len(json.dumps([found["tool_input"], answer], ensure_ascii=False))
    return uses, characters


def measure(name: str, turns: list[list[Event]], given: argparse.Namespace, live: bool) -> bool:
    """Has turns distilled and prints what it took; whether each was done, each event sent once.

    live: each turn is distilled when it ends; else all of them wait when the worker starts.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        distilling(
            Path(folder), Replies(delay_s=1.0 if given.delay is None else given.delay), given.api
        ) as home,
    ):
        home.tuned = {}
        started = time.perf_counter()
        for turn in () if live else turns:
            home.put(turn)
        home.start()
        with Pulse(home) as pulse:
            for turn in turns if live else ():
                home.put(turn)
                drain(home)
            drain(home)
        seconds = time.perf_counter() - started
        uses, characters = captured(turns)
        report(name, home, uses, characters)
        print(f"  all of it                {seconds:10.1f} s")
        print(f"  slowest answer of health {1000 * max(pulse.times, default=0):10.0f} ms")
        twice = [word for word, times in home.sent().items() if times > 1]
        print(f"  sent twice               {len(twice):10}")
        return not twice and not home.unfinished() and home.ledger() == home.billed()


def report(name: str, home: Distilling, uses: int, characters: int) -> None:
    """What the calls came to."""
    calls, billed = len(home.api.requests), home.billed()
    sent = sum(len(request.batch) for request in home.api.requests)
    query = "SELECT duration_ms FROM ledger WHERE provider <> 'rules'"
    times = [row[0] for row in home.rows(query)]
    rows = home.rows_a_turn()
    print(f"{name}: {len(rows)} turns, {uses} tool uses, {characters:,} characters captured")
    print(f"  calls                    {calls:10}")
    print(f"  input tokens a tool use  {sum(b[0] for b in billed) / max(uses, 1):10.0f}")
    print(f"  output tokens a call     {sum(b[1] for b in billed) / max(calls, 1):10.0f}")
    print(f"  share of the source sent {100 * sent / max(characters, 1):10.1f} %")
    if times:
        print(f"  time a batch, median     {statistics.median(times):10.0f} ms")
    print(f"  rows a turn, the model's {sum(rows.values()) / max(len(rows), 1):10.2f}")
    print(f"  bills not in the ledger  {len(billed) - len(home.ledger()):10}")
    print(f"  turns not done           {len(home.unfinished()):10}")


def drain(home: Distilling) -> None:
    """Waits until all is distilled, however long it takes."""
    while True:
        answer = home.ask("POST", "/api/flush?seconds=10&all=1&model=1")
        if not answer["more"] and not answer["open_jobs"]:
            return
        time.sleep(0.05)


def kill(given: argparse.Namespace) -> bool:
    """Kills so many workers; whether every turn was done exactly once all the same."""
    delay = MODEL_S if given.delay is None else given.delay
    with (
        tempfile.TemporaryDirectory() as folder,
        distilling(Path(folder), Replies(delay_s=delay), given.api) as home,
    ):
        delays = kill_again_and_again(home, given.kill, random.Random(given.seed), delay)
        rows = home.rows_a_turn()
        unfinished, twice = home.unfinished(), [n for n in rows.values() if n != 1]
        summaries = home.one("SELECT count(*) FROM summaries")
        print(f"killed {len(delays)} workers, seed {given.seed}")
        print(f"  after claim or request   {min(delays):5.2f} to {max(delays):.2f} s")
        print(f"  calls                    {len(home.api.requests):10}")
        print(f"  calls that were lost     {home.lost():10}")
        print(f"  turns                    {len(rows):10}")
        print(f"  turns not done           {len(unfinished):10}")
        print(f"  turns done twice or not  {len(twice) + len(rows) - summaries:10}")
        return not unfinished and not twice and summaries == len(rows)


def main() -> int:
    """Runs all of it; 1 where something was sent twice or not done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uses", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--backlog", type=int, default=300, help="events; 0: none")
    parser.add_argument(
        "--delay",
        type=float,
        help=f"of the model's answer, seconds (default: 1, with --kill {MODEL_S})",
    )
    parser.add_argument("--api", choices=("openai", "anthropic"), default="openai")
    parser.add_argument("--kill", type=int, default=0, help="kill so many workers instead")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.kill:
        return 0 if kill(given) else 1
    work = Work(Path("/home/dev/shop"), given.seed)
    each = given.uses // max(given.turns, 1)
    made = [list(work.turn("s1", number, each)) for number in range(1, given.turns + 1)]
    held = Work(Path("/home/dev/shop"), given.seed)
    most = max(given.backlog // BACKLOG_TURNS - 2, 1)
    waiting = [
        list(held.turn(f"s{number % 4}", number, most))
        for number in range(1, given.backlog // (most + 2) + 1)
    ]
    good = measure("recorded sessions", recorded(), given, live=True)
    good &= measure("made-up turns", made, given, live=True)
    if waiting:
        good &= measure("a backlog", waiting, given, live=False)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
