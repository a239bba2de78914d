"""Prompt recall: how many prompts are told of the record that bears on them, and others of none.

    backstory python benchmarks/prompts.py [--fit] [--misses] [--records N]

Asked are prompts as people write them in some projects (promptsets/: records, what bears on each,
and what bears on none though it is about the same project), and the questions of searchsets/notes,
in stores of some 30 records, of all of them, and of N records of every day besides. A prompt whose
record is left out is one on which nothing bears, in the very words of the project: the hardest.

The records of FITTED and MODELLED are as a model leaves them, with the prompts they wait for and
the one that they came of; their prompts are everyday ones. They are measured a second and third
time without the former and without both: as rules leave records, and as notes are saved by hand.
In the other projects records have neither, and half of the prompts are hard on purpose: other
words, other languages, and those on which nothing bears in the words of a record. The weights are
set by FITTED.
Bars: 70 % shown and right, 95 % silent, p95 30 ms.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "src")]

import numpy as np  # noqa: E402
from benchmarks import contextset  # noqa: E402
from benchmarks.retrieval import Store  # noqa: E402

from backstory.recall import prompt_recall  # noqa: E402
from backstory.recall.prompt_recall import Bearing  # noqa: E402

HERE = Path(__file__).parent
FITTED = ("backup", "clinic", "forecast", "hiking")
MODELLED = (*FITTED, "instrument", "market")
SILENT = 0.965  # of the prompts that set the threshold: more than the bar


@dataclass
class Record:
    """One record; `queries` are the prompts it waits for, `prompt` is the one that it came of."""

    id: str
    type: str
    title: str
    text: str
    queries: tuple[str, ...] = ()
    prompt: str = ""


@dataclass
class Asked:
    """One prompt: the record that bears on it, "" for none; the set; what was found."""

    prompt: str
    bearing: str
    source: str
    found: list[tuple[str, Bearing]] = field(default_factory=list)

    def first(self, *, without: bool) -> list[tuple[str, Bearing]]:
        """What is found, without the bearing record if wanted."""
        return [one for one in self.found if not (without and one[0] == self.bearing)]


def project(path: Path) -> tuple[list[Record], list[Asked]]:
    """The records of a set, and the prompts.

    A line is a record, `R type|title|text`; prompts that a model expected for the last record,
    `Q one|another|…`; the prompt that it came of, `P …`; one on which it bears, `+ …`; or one on
    which none does, `- …`.
    """
    name = path.stem
    records: list[Record] = []
    asked: list[Asked] = []
    for line in path.read_text("utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "R":
            type_, title, text = rest.split("|", 2)
            records.append(Record(f"{name}{len(records)}", type_, title, text))
        elif kind == "Q":
            records[-1].queries = tuple(rest.split("|"))
        elif kind == "P":
            records[-1].prompt = rest
        elif kind and kind in "+-":
            bearing = records[-1].id if kind == "+" else ""
            asked.append(Asked(rest, bearing, name))
    return records, asked


def notes() -> tuple[list[Record], list[Asked]]:
    """As above, of the notes whose questions share hardly a word with them."""
    records: list[Record] = []
    asked = []
    for line in (HERE / "searchsets/notes.docs.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        type_ = one.get("type", "discovery")
        records.append(Record(one["id"], type_, one["title"], one["text"]))
    places = {one.id: place for place, one in enumerate(records)}
    for name in ("para", "zh", "ja"):
        path = HERE / f"searchsets/notes.{name}.queries.jsonl"
        for line in path.read_text("utf-8").splitlines():
            one = json.loads(line)
            place = places[one["relevant"][0]]
            if place % 3 == 0:
                asked.append(Asked(one["query"], one["relevant"][0], "notes"))
    return records, asked


def daily(count: int) -> list[Record]:
    """Records of every day."""
    dice = random.Random(7)
    found = []
    for number in range(count):
        kind = dice.choice(contextset.NOISE)
        words = {
            "a": dice.choice(contextset.WORDS),
            "b": dice.choice(contextset.WORDS),
            "A": dice.choice(contextset.WORDS).title(),
            "file": f"src/{dice.choice(contextset.WORDS)}.py",
            "n": dice.randrange(99),
            "hash": f"{dice.randrange(1 << 28):07x}",
        }
        title = dice.choice(kind.titles).format(**words)
        found.append(Record(f"daily{number}", kind.type, f"{title} ({number})", ""))
    return found


def ask(records: list[Record], asked: list[Asked]) -> list[float]:
    """Fills a store, asks all; the times in ms."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "backstory.db")
        store.add([asdict(one) for one in records])
        store.embed()
        project = store.project("default")
        assert store.meaning is not None
        assert project is not None
        times = []
        prompt_recall.weigh(store.db, project, "warm up", "s", store.meaning.nearest)
        for one in asked:
            start = time.perf_counter()
            found = prompt_recall.weigh(store.db, project, one.prompt, "s", store.meaning.nearest)
            times.append((time.perf_counter() - start) * 1000)
            one.found = [(store.ids[str(bearing.id)], bearing) for bearing in found]
        store.close()
    return times


def fit(asked: list[Asked]) -> None:
    """Finds weights and bias and prints them. Plain gradient descent."""
    rows, labels, weights = [], [], []
    for one in asked:
        for name, bearing in one.found[:12]:
            rows.append([*bearing.features, 1.0])
            labels.append(float(name == one.bearing))
            weights.append(4.0 if name == one.bearing else 1.0)
    x, y, w = np.array(rows), np.array(labels), np.array(weights)
    at = np.zeros(x.shape[1])
    for step in range(120):  # Newton's steps with a small ridge
        if step % 10 == 9:  # more evidence is never a reason against
            x[:, :-1][:, at[:-1] < 0] = 0.0
        p = 1 / (1 + np.exp(-np.clip(x @ at, -30, 30)))
        slope = x.T @ (w * (p - y)) + 0.5 * at
        curve = (x * (w * p * (1 - p))[:, None]).T @ x + 0.5 * np.eye(len(at))
        at = at - np.linalg.solve(curve, slope)
    chances = 1 / (1 + np.exp(-x @ at))
    best: list[float] = []
    place = 0
    for one in asked:
        mine = chances[place : place + len(one.found[:12])]
        place += len(mine)
        if not one.bearing:
            best.append(max(mine, default=0.0))
    least = sorted(best)[int(SILENT * len(best))]
    bias = at[-1] - np.log(least / (1 - least))
    names = ", ".join(prompt_recall.NAMES)
    print(f"WEIGHTS = ({', '.join(f'{v:.2f}' for v in at[:-1])})  # {names}\nBIAS = {bias:.2f}")


def again(asked: list[Asked]) -> list[Asked]:
    """The same prompts, for another store."""
    return [Asked(one.prompt, one.bearing, one.source) for one in asked]


def told(found: list[tuple[str, Bearing]]) -> list[str]:
    """Which records would be told."""
    names = {bearing.id: name for name, bearing in found}
    return [names[one.id] for one in prompt_recall.told(bearing for _, bearing in found)]


def report(name: str, asked: list[Asked], times: list[float], *, misses: bool) -> None:
    """Prints one store's numbers."""
    bearing = [one for one in asked if one.bearing]
    others = [one for one in asked if not one.bearing]
    right = [one.bearing in told(one.found) for one in bearing]
    silent = [not told(one.found) for one in others]
    left_out = [not told(one.first(without=True)) for one in bearing]
    print(
        f"{name}: right {100 * statistics.mean(right):.0f} % of {len(right)}, silent"
        + (f" {100 * statistics.mean(silent):.0f} % of {len(silent)}," if silent else "")
        + f" {100 * statistics.mean(left_out):.0f} % with the record left out;"
        f" p95 {sorted(times)[int(0.95 * len(times))]:.1f} ms"
    )
    for one in asked if misses else ():
        names = told(one.found)
        if one.bearing not in names if one.bearing else names:
            which = one.bearing or names[0]
            seen = next((f for n, f in one.found if n == which), None)
            print("  ", one.prompt, "|", seen and (seen.title[:50], round(seen.chance, 2)))
            print("      ", seen and [round(v, 2) for v in seen.features])


def main() -> None:
    """Prints a line a store; with --fit, the weights that would be best."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--records", type=int, default=10_000)
    given = parser.parse_args()
    sets = {path.stem: project(path) for path in sorted((HERE / "promptsets").glob("*.txt"))}
    records = [one for found, _ in sets.values() for one in found]
    asked = [one for _, found in sets.values() for one in found]
    stores = {**sets, "notes": notes(), f"all, {len(records)} records": (records, asked)}
    for name in MODELLED:
        found, prompts = sets[name]
        stores[f"{name}, by rules"] = [replace(one, queries=()) for one in found], again(prompts)
        bare = [replace(one, queries=(), prompt="") for one in found]
        stores[f"{name}, by hand"] = bare, again(prompts)
    if given.records:
        many = records + daily(given.records)
        stores[f"{len(many)} records"] = (many, asked)
    for name, (records, asked) in stores.items():
        times = ask(records, asked)
        report(name, asked, times, misses=given.misses)
        if given.fit and name == FITTED[-1]:
            fit([one for fitted in FITTED for one in sets[fitted][1]])


if __name__ == "__main__":
    main()
