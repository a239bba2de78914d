"""What looking at code costs: outlines, searches and unfolded symbols of a folder.

    backstory python benchmarks/codenav.py FOLDER [--runs 20] [--keep HOME] [--queries FILE]

Each figure is wall time and processor time of this process. *Cold* is the first call of a fresh
process with an empty data directory; *warm* the median once the index is complete. The share is
the tokens of the answer beside those of the file that it spares. `--queries` holds lines of
`query<TAB>file<TAB>qualified name`: how often the definition comes first is told.
"""

from __future__ import annotations

import argparse
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from backstory.codenav import index, indexing, unfold
from backstory.codenav.answer import Answer, Request
from backstory.codenav.looking import Outlines, Workspace
from backstory.codenav.permissions import NO_RULES
from backstory.codenav.render_outline import File, outline_text
from backstory.codenav.render_search import search_text
from backstory.codenav.view import view_of
from backstory.codenav.workspace import search
from backstory.estimate import estimate_tokens

_LARGE = 1_000  # lines
_NAMES = "SELECT DISTINCT name FROM symbols WHERE kind = 'function' AND length(name) > 5"
_CHILD = "import sys; sys.path.insert(0, sys.argv[1]); import codenav; codenav.cold(*sys.argv[2:])"


@dataclass(frozen=True, slots=True)
class Cost:
    """One call, or the median of several, in milliseconds."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:7.1f} ms wall {self.cpu:7.1f} ms cpu"


def main() -> int:
    """Measures, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="a data directory to use again")
    parser.add_argument("--queries", type=Path)
    options = parser.parse_args()
    root = str(options.folder.resolve())
    with tempfile.TemporaryDirectory() as temporary:
        home = options.keep or Path(temporary)
        home.mkdir(parents=True, exist_ok=True)
        _cold(root, home)
        _build(root, home)
        names = _names(root, home)
        _searches(root, home, names, options.runs)
        _outlines(root, home, options.runs)
        if options.queries:
            _first(root, home, options.queries)
    print(f"this process held {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return 0


def cold(root: str, home: str) -> None:
    """The first search ever, in a process of its own."""
    ask = partial(_text, root, Path(home), Request("parse arguments"))
    print(f"search, first ever      {timed(ask)}", flush=True)


def timed(call: Callable[[], object]) -> Cost:
    """What one call costs."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Cost((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000)


def middle(costs: Sequence[Cost]) -> Cost:
    """The median of several calls."""
    return Cost(statistics.median(c.wall for c in costs), statistics.median(c.cpu for c in costs))


def _cold(root: str, home: Path) -> None:
    if index.path_of(root, home).exists():
        print("the index is there already: no cold search")
        return
    here = str(Path(__file__).resolve().parent)
    subprocess.run([sys.executable, "-c", _CHILD, here, root, str(home)], check=True)


def _build(root: str, home: Path) -> None:
    """Waits for the child of the first search, or builds what it left."""
    wall, cpu = time.perf_counter(), time.process_time()
    with index.writer(root, home, wait=True) as db:
        assert db is not None
        indexing.build(db, root)
    size = index.path_of(root, home).stat().st_size / 1e6
    print(
        f"index complete after    {time.perf_counter() - wall:7.1f} s more, "
        f"{time.process_time() - cpu:.1f} s cpu here; {size:.1f} MB"
    )


def _names(root: str, home: Path) -> list[str]:
    """The names of the functions that the index has."""
    view = view_of(root, home)
    found: list[str] = []

    def ask(db: sqlite3.Connection) -> None:
        found.extend(name for (name,) in db.execute(_NAMES))

    with view.lock:
        view.refresh(NO_RULES, time.monotonic() + 5)
        view.ask(ask)
    print(f"{len(view.fresh)} files, {view.symbols} symbols")
    return found


def _searches(root: str, home: Path, names: Sequence[str], runs: int) -> None:
    chosen = random.Random(1).sample(names, min(runs, len(names)))
    kinds = {
        "a name": [Request(name) for name in chosen],
        "part of a name": [Request(name[: max(4, len(name) // 2)]) for name in chosen],
        "words": [Request(f"how to {name.replace('_', ' ')} of a file") for name in chosen],
        "text in quotes": [Request(f'"{name}("') for name in chosen],
        "nothing there": [Request(f"zq{name[::-1]}") for name in chosen],
        "uses": [Request(name, references=True) for name in chosen],
    }
    for kind, requests in kinds.items():
        costs, tokens = [], []
        for request in requests:
            _text(root, home, request)
            costs.append(timed(partial(_text, root, home, request)))
            tokens.append(estimate_tokens(_text(root, home, request)))
        print(f"search, {kind:<16}{middle(costs)}  {statistics.median(tokens):5.0f} tokens")


def _outlines(root: str, home: Path, runs: int) -> None:
    large = sorted(path for path, one in view_of(root, home).fresh.items() if one.lines >= _LARGE)
    chosen = random.Random(2).sample(large, min(runs, len(large)))
    where = Workspace((root,), NO_RULES, root)
    first, again, unfolded = [], [], []
    shares, parts = [], []
    for path in chosen:
        looked = Outlines()
        look = partial(looked.look, path, where, time.monotonic() + 5)
        first.append(timed(look))
        again.append(timed(look))
        found = look()
        file = File(path, found.source.text, found.outline, found.source.encoding, found.tokens)
        shares.append(estimate_tokens(outline_text([file])) / found.tokens)
        if found.outline.symbols:
            name = found.outline.symbols[len(found.outline.symbols) // 2].qualified_name
            text = found.source.text
            ask = partial(unfold.unfold_text, path, text, found.outline, [f"{name}#1"])
            unfolded.append(timed(ask))
            parts.append(estimate_tokens(ask()) / found.tokens)
    if not unfolded:
        print(f"no file has {_LARGE} lines and symbols")
        return
    print(f"outline, first look     {middle(first)}  of {len(chosen)} files over {_LARGE} lines")
    print(f"outline, again          {middle(again)}")
    print(f"  {statistics.median(shares):.1%} of the file's tokens, {max(shares):.1%} at most")
    print(f"one symbol unfolded     {middle(unfolded)}")
    print(f"  {statistics.median(parts):.1%} of the file's tokens")


def _first(root: str, home: Path, queries: Path) -> None:
    right = total = 0
    for line in queries.read_text().splitlines():
        query, file, name = line.split("\t")
        hits = [hit for hit in _search(root, home, Request(query)).hits if hit.what == "symbol"]
        is_right = bool(hits) and (hits[0].file, hits[0].qualified_name) == (file, name)
        if not is_right:
            got = f"{hits[0].file} {hits[0].qualified_name}" if hits else "nothing"
            print(f"  {query}: {file} {name} expected, got {got}")
        right, total = right + is_right, total + 1
    print(f"the definition first    {right} of {total}")


def _text(root: str, home: Path, request: Request) -> str:
    return search_text(_search(root, home, request))


def _search(root: str, home: Path, request: Request) -> Answer:
    return search(request, roots=(root,), home=home, rules=NO_RULES)


if __name__ == "__main__":
    raise SystemExit(main())
