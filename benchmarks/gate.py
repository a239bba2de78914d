"""What the gate on Reads spares, and what its hook costs.

    backstory python benchmarks/gate.py FOLDER... [--files 50] [--seed 1] [--hook]

Over the largest source files of each folder, against what the host's Read delivers of a file
(numbered lines, 25,000 tokens at most), after three habits: the outline was enough; then two
symbols were unfolded, drawn at random from the functions; then everything was read after all. A
file that the gate lets pass spares nothing and costs nothing, and counts as such. Round trips are
listed beside: each reads the context again, at a tenth of the price. `--hook` times whole
processes against a bare interpreter in the same run; its worker has a data directory of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from backstory import config, instance  # noqa: E402
from backstory.codenav import looking, names, sift, unfold, walk  # noqa: E402
from backstory.codenav.languages import detect  # noqa: E402
from backstory.codenav.looking import Looked  # noqa: E402
from backstory.errors import BackstoryError  # noqa: E402
from backstory.estimate import estimate_tokens  # noqa: E402
from backstory.recall import gate  # noqa: E402
from backstory.recall.read_notes import Notes  # noqa: E402
from backstory.tools import spared_text  # noqa: E402

HABITS = ("outline only", "then two symbols", "then everything")
CALLS = (0, 1, 1)  # more round trips than the Read alone would have taken


@dataclass(frozen=True)
class Cost:
    """One file, in tokens."""

    delivered: int
    spent: tuple[int, int, int]  # a habit each
    is_answered: bool
    name: str


def largest(folder: Path, number: int) -> list[Path]:
    """The largest files of a source language, by bytes."""
    where = looking.workspace((str(folder),), str(folder))
    found = [
        (path.stat().st_size, path)
        for name in walk.files_below(where.roots[0], where.rules).files
        if (path := folder / name).is_file() and not path.is_symlink() and _is_source(path)
    ]
    return [path for _, path in sorted(found, reverse=True)[:number]]


def _is_source(path: Path) -> bool:
    language = detect(path.name)
    return language is not None and language.name not in gate.NOT_SOURCE


def cost(path: Path, folder: Path, draw: random.Random, threshold: int) -> Cost | None:
    """What a file costs after each habit; None for one that Read would not deliver."""
    where = looking.workspace((str(folder),), str(folder))
    try:
        looked = looking.Outlines().look(str(path), where, time.monotonic() + 5)
    except BackstoryError:
        return None
    tokens = gate.numbered(looked.tokens, looked.outline.lines)
    whole = min(tokens, gate.DELIVERED_MOST)
    file = gate.File(
        tokens=tokens,
        size=path.stat().st_size,
        language=looked.outline.language,
        symbols=len(looked.outline.symbols),
        is_outlined=looked.outline.how == "query",
        is_machine_made=bool(sift.machine_made(looked.source.text, looked.outline.language)),
        is_guidance=gate.is_guidance(str(path.relative_to(folder))),
    )
    decided = gate.decide(file, "redirect", threshold)
    name = str(path.relative_to(folder))
    given = 0
    if decided.action == "redirect":
        text = spared_text.instead(looked, Notes(), gate.budget(tokens), file, name)
        given = estimate_tokens(text)
    if given < gate.ANSWER_LEAST or not gate.is_within_share(given, tokens):
        return Cost(whole, (whole, whole, whole), False, f"{name} ({decided.why})")
    symbols = estimate_tokens(two_symbols(looked, draw))
    return Cost(whole, (given, given + symbols, given + whole), True, name)


def two_symbols(looked: Looked, draw: random.Random) -> str:
    """Two functions as smart_unfold shows them."""
    outline = looked.outline
    addresses = names.addresses(outline.symbols)
    functions = [
        addresses[at]
        for at, one in enumerate(outline.symbols)
        if one.kind in ("function", "method", "constructor", "macro", "module", "class")
    ]
    chosen = draw.sample(functions, min(2, len(functions)))
    return unfold.unfold_text(looked.source.shown, looked.source.text, outline, chosen)


def savings(folder: Path, number: int, seed: int, threshold: int) -> list[Path]:
    """Prints what was spared over one folder's largest files; those that were answered."""
    draw = random.Random(seed)
    found = [cost(path, folder, draw, threshold) for path in largest(folder, number)]
    costs = [one for one in found if one is not None]
    answered = [one for one in costs if one.is_answered]
    print(f"{folder.name}: {len(answered)} of its {len(costs)} largest source files answered")
    for rows, label in ((answered, "of those answered"), (costs, "of all")):
        if not rows:
            continue
        whole = sum(one.delivered for one in rows)
        for habit, name in enumerate(HABITS):
            spent = sum(one.spent[habit] for one in rows)
            change = 100 * (spent - whole) / whole
            calls = CALLS[habit] * len(answered)
            print(
                f"  {label}, {name}: {change:+.1f} % ({whole:,} -> {spent:,}), {calls} calls more"
            )
    for one in costs:
        if not one.is_answered and one.delivered >= threshold:
            print(f"  passes: {one.name}, {one.delivered:,}")
    return [folder / one.name for one in answered]


def hook_times(file: Path, runs: int) -> None:
    """Prints what the hook costs on a ranged, a small, a refused Read, and one seen before."""
    python = sys.executable
    recorded = Path(os.path.expanduser("~/.local/share/backstory/python"))
    if recorded.exists():
        python = recorded.read_text(encoding="utf-8").strip()
    with tempfile.TemporaryDirectory() as home:
        data = Path(home, "data")
        project = Path(home, "project")
        project.mkdir()
        (project / file.name).write_bytes(file.read_bytes())
        (project / "small.py").write_text("def one():\n    return 1\n")
        data.mkdir(mode=0o700)
        config.store(data, "embedder", "none")
        with _worker(data) as env:
            bare = [python, "-I", "-S", "-c", "pass"]
            hook = [python, "-I", "-S", "-X", f"pycache_prefix={home}/cache"]
            hook.append(str(ROOT / "hooks/on_event.py"))
            cases: dict[str, list[float]] = {}
            for turn in range(runs + 3):
                for name, given in _cases(project, file.name, turn):
                    spent, said = _timed(bare if name == "bare" else hook, given, env)
                    if turn >= 3:  # the first are warm-up
                        cases.setdefault(name, []).append(spent)
                    if name == "refused" and turn >= 3:
                        assert "deny" in said, said
    floor = statistics.median(cases["bare"])
    for name, times in cases.items():
        middle = statistics.median(times)
        print(f"hook, {name}: {middle:.1f} ms, {middle / floor:.2f} x a bare interpreter")


def _cases(project: Path, name: str, turn: int) -> Iterator[tuple[str, bytes]]:
    def event(path: str, session: str, **part: int) -> bytes:
        given = {"file_path": str(project / path), **part}
        head = {"session_id": session, "cwd": str(project), "hook_event_name": "PreToolUse"}
        return json.dumps({**head, "tool_name": "Read", "tool_input": given}).encode()

    yield "bare", b""
    yield "ranged", event(name, f"ranged-{turn}", offset=1, limit=50)
    yield "small", event("small.py", f"small-{turn}")
    yield "refused", event(name, f"refused-{turn}")
    yield "seen before", event(name, f"refused-{turn}")


def _timed(command: Sequence[str], data: bytes, env: dict[str, str]) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(command, input=data, env=env, capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000, done.stdout.decode()


class _worker:  # noqa: N801  used like a function
    """A worker over a data directory, for as long as the block runs."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.env = {**os.environ, "BACKSTORY_HOME": str(data), "BACKSTORY_PROVIDER": "rules"}

    def __enter__(self) -> dict[str, str]:
        launch = [sys.executable, "-I", str(ROOT / "plugin/launch.py"), "--in-runtime", "worker"]
        self.process = subprocess.Popen(launch, env=self.env, stdin=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while not instance.health(self.data, 1.0):
            assert time.monotonic() < until, "the worker does not start"
            time.sleep(0.05)
        return self.env

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(30)


def main() -> None:
    """Measures the folders that are named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=config.BY_NAME["read_gate_tokens"].default)
    parser.add_argument("--hook", action="store_true", help="time the hook, too")
    parser.add_argument("--runs", type=int, default=40)
    given = parser.parse_args()
    answered = []
    for folder in given.folders:
        answered += savings(folder.resolve(), given.files, given.seed, given.tokens)
    if given.hook and answered:
        hook_times(answered[0], given.runs)


if __name__ == "__main__":
    main()
