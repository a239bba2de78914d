"""How search and timeline grow with the store, against a bare full-text query in the same run.

    python benchmarks/scale.py [--rows 100000] [--runs 15] [--keep FOLDER] [--no-vectors]

Rows have the shape of real ones: 60 words of a Zipf distribution, code names, files; four fifths
belong to one project; each has a vector (made up: embedding a million texts takes hours, the
question itself is embedded). Prints the median and the slowest of each kind of question, the
distribution of 200 mixed requests, of storing, and the memory that all of it took.
"""

from __future__ import annotations

import argparse
import itertools
import random
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from backstory import config
from backstory.recall.embedders import builtin
from backstory.recall.meaning import Meaning
from backstory.recall.observations import get_observations
from backstory.recall.query import SearchQuery, search_query
from backstory.recall.search import Nearest, search
from backstory.recall.timeline import timeline
from backstory.storage import sqlite, text_index
from backstory.storage import vectors as vectors_of
from backstory.storage.database import Database

_BARE = "SELECT rowid FROM search_text WHERE search_text MATCH ? ORDER BY rank LIMIT 20"
_DIMENSIONS = 768
_CJK = "数据用户登录超时修复缓存连接池死锁回滚迁移索引测试部署日志异常令牌刷新并发请求"


def main() -> int:
    """Builds the store, asks, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="a folder to build the store in and use again")
    parser.add_argument("--no-vectors", action="store_true", help="words alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        path = folder / "backstory.db"
        words = _vocabulary()
        if not path.exists():
            started = time.perf_counter()
            _fill(path, options.rows, words, vectors=not options.no_vectors)
            print(f"{options.rows} rows written in {time.perf_counter() - started:.0f} s")
        database = Database(path)
        nearest = None
        if not options.no_vectors:
            started = time.perf_counter()
            meaning = Meaning(database, config.load(folder))
            meaning.loaded(600.0)
            nearest = meaning.nearest
            print(f"models and vectors loaded in {time.perf_counter() - started:.1f} s")
        database.read(lambda db: _measure(db, words, options.runs, nearest))
        database.read(lambda db: _mixed(db, words, nearest))
        _storing(path, words)
        print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most")
        database.close()
    return 0


def _vocabulary() -> list[str]:
    chance = random.Random(7)
    return list(
        dict.fromkeys(
            "".join(
                chance.choice("bcdfglmnprstv") + chance.choice("aeiou")
                for _ in range(chance.randint(2, 4))
            )
            for _ in range(30_000)
        )
    )


def _fill(path: Path, rows: int, words: list[str], *, vectors: bool) -> None:
    chance = random.Random(11)
    weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(words))))
    db = sqlite.open_writer(path)
    db.execute("BEGIN")
    for project in range(1, 21):
        db.execute(
            "INSERT INTO projects (id, name, root, created_at) VALUES (?, ?, '', 0)",
            (project, f"project-{project}"),
        )
        db.execute(
            "INSERT INTO sessions (id, session_id, project, root, cwd, started_at, last_at)"
            " VALUES (?, ?, ?, '', '', 0, 0)",
            (project, f"session-{project}", project),
        )
    for number in range(1, rows + 1):
        _add(db, number, chance, words, weights)
        if number % 10_000 == 0:
            db.execute("COMMIT")
            db.execute("BEGIN")
    if vectors:
        _add_vectors(db, rows)
    db.execute("COMMIT")
    db.close()


def _add(
    db: sqlite3.Connection,
    number: int,
    chance: random.Random,
    words: list[str],
    weights: list[float],
) -> None:
    """One record of the shape of real ones, as the worker writes it."""
    said = chance.choices(words, cum_weights=weights, k=60)
    project = 1 if chance.random() < 0.8 else chance.randint(2, 20)
    at = 1_700_000_000_000 + number * 60_000
    title = " ".join(said[:8])
    if number % 20 == 0:
        start = chance.randrange(len(_CJK) - 8)
        title = _CJK[start : start + 8] + said[0]
    body = " ".join(said[8:])
    name = f"{said[0].capitalize()}{said[1].capitalize()}{number % 5000}"
    file = f"src/{said[2]}/{said[3]}_{number % 997}.py"
    type_ = chance.choice(("bugfix", "feature", "discovery", "change", "decision"))
    db.execute(
        "INSERT INTO observations (id, project, session, type, title, narrative, distilled_by,"
        " content_hash, tokens, created_at) VALUES (?, ?, ?, ?, ?, ?, 'bench', ?, 90, ?)",
        (number, project, project, type_, title, body, str(number), at),
    )
    db.execute("INSERT INTO observation_files VALUES (?, ?, 'modified')", (number, file))
    text_index.put(
        db,
        "observation",
        number,
        project=project,
        type=type_,
        title=title,
        body=f"{body} {name}",
        files=(file,),
    )


def _add_vectors(db: sqlite3.Connection, rows: int) -> None:
    """Vectors as near to one another as real ones, without the hours that embedding would take."""
    import numpy as np  # noqa: PLC0415  only here

    chance = np.random.default_rng(5)
    embedder = vectors_of.embedder_id(db, builtin.name(), _DIMENSIONS)
    centres = chance.standard_normal((500, _DIMENSIONS), dtype=np.float32)
    for start in range(1, rows + 1, 10_000):
        ids = range(start, min(start + 10_000, rows + 1))
        own = chance.standard_normal((len(ids), _DIMENSIONS), dtype=np.float32)
        made = vectors_of.packed(own + 0.7 * centres[chance.integers(0, 500, len(ids))])
        for place, id_ in enumerate(ids):
            vectors_of.put(db, embedder, id_ * 4, made[place].tobytes())


def _measure(db: sqlite3.Connection, words: list[str], runs: int, nearest: Nearest | None) -> None:
    project = (1,)
    small = (7,)
    common, middle, rare = words[0], words[60], words[4_000]
    title = db.execute("SELECT title FROM observations WHERE id = 1234").fetchone()[0].split()
    identifier = f"{title[0].capitalize()}{title[1].capitalize()}1234"
    question = f"why did {words[30]} break {words[400]} after {words[90]} and {words[2_000]}"
    dates = {"dateStart": "2023-12-01", "dateEnd": "2023-12-31"}
    asked: list[tuple[str, str | None, Callable[[], object]]] = []

    def ask(name: str, bare: str | None, query: SearchQuery) -> None:
        asked.append((name, bare, partial(search, db, query, nearest)))

    for name, text in (("rare", rare), ("middle", middle), ("common", common)):
        ask(f"one {name} word", f'"{text}"', SearchQuery(text, project_ids=project))
        ask(f"one {name} word, small project", f'"{text}"', SearchQuery(text, project_ids=small))
    both = f'"{middle}" AND "{rare}"'
    ask("two words", both, SearchQuery(f"{middle} {rare}", project_ids=project))
    two = f'"{common}" AND "{words[1]}"'
    ask("two common words", two, SearchQuery(f"{common} {words[1]}", project_ids=project))
    some = " OR ".join(f'"{words[n]}"' for n in (30, 400, 90, 2_000))
    ask("a question", some, SearchQuery(question, project_ids=project))
    ask("an identifier", f'"{identifier.lower()}"', SearchQuery(identifier, project_ids=project))
    ask(
        "an identifier that is not there",
        None,
        SearchQuery("Kestrel" + identifier, project_ids=project),
    )
    path = f"src/{title[2]}/{title[3]}_{1234 % 997}.py"
    bare_path = f'"src {title[2]} {title[3]} {1234 % 997} py"'
    ask("a path", bare_path, SearchQuery(path, project_ids=project))
    ask("a path that is not there", None, SearchQuery("old/" + path, project_ids=project))
    ask("Chinese, two characters", '"用户"', SearchQuery("用户", project_ids=project))
    ask("Chinese, one character", '"用" *', SearchQuery("用", project_ids=project))
    ask("nothing to find", '"kestrelxyz"', SearchQuery("kestrelxyz", project_ids=project))
    bare = f'"{middle}"'
    ask("within dates", bare, search_query({"query": middle, **dates}, project_ids=project))
    ask("newest first", bare, search_query({"query": middle, "orderBy": "date_desc"}))
    ask("of one type", bare, search_query({"query": middle, "type": "bugfix"}, project_ids=project))
    ask("no words", None, SearchQuery("", project_ids=project))
    ask("no words, every project", None, SearchQuery(""))
    last = db.execute("SELECT max(id) FROM observations").fetchone()[0]
    for name, anchor in (("newest", None), ("middle", last // 2)):
        asked.append((f"timeline, {name}", None, partial(timeline, db, anchor=anchor)))
    five = [str(last - number) for number in range(5)]
    asked.append(("five records in full", None, partial(get_observations, db, five)))
    print(f"{'question':34} {'median':>9} {'slowest':>9} {'bare':>9} {'ratio':>6}")
    for name, match, call in asked:
        times = _times(call, runs)
        line = f"{name:34} {_ms(statistics.median(times))} {_ms(max(times))}"
        if match is not None:
            floor = statistics.median(_times(partial(_bare, db, match), runs))
            line += f" {_ms(floor)} {statistics.median(times) / floor:6.2f}"
        print(line)


def _mixed(db: sqlite3.Connection, words: list[str], nearest: Nearest | None) -> None:
    """200 requests of every kind, no two alike, half of them within a project."""
    chance = random.Random(3)
    rows = db.execute("SELECT max(id) FROM observations").fetchone()[0]

    def title() -> list[str]:
        row = db.execute(
            "SELECT title FROM observations WHERE id = ?", (chance.randint(1, rows),)
        ).fetchone()
        return str(row[0]).split()

    def path() -> str:
        row = db.execute(
            "SELECT path FROM observation_files WHERE observation = ?", (chance.randint(1, rows),)
        ).fetchone()
        return str(row[0])

    kinds: list[tuple[str, Callable[[], str]]] = [
        ("one word", lambda: chance.choice(words[: chance.choice((50, 500, 5_000))])),
        ("three words of a title", lambda: " ".join(title()[:3])),
        ("three words of any", lambda: " ".join(chance.sample(words[:2_000], 3))),
        ("Chinese", lambda: _CJK[(at := chance.randrange(len(_CJK) - 4)) : at + 3]),
        ("a path", path),
        ("no hit", lambda: f"kestrel{chance.randint(0, 10**9)}"),
    ]
    times: dict[str, list[float]] = {}
    bare: list[float] = []
    for number in range(200):
        name, make = kinds[number % len(kinds)]
        scope = (chance.randint(1, 20),) if number % 2 else ()
        query = SearchQuery(make(), project_ids=scope)
        started = time.perf_counter()
        search(db, query, nearest)
        times.setdefault(name, []).append(time.perf_counter() - started)
        started = time.perf_counter()
        db.execute(_BARE, (f'"{words[60 + number]}"',)).fetchall()
        bare.append(time.perf_counter() - started)
    print(f"{'200 mixed requests':34} {'median':>9} {'p95':>9}")
    for name, values in [
        *times.items(),
        ("all", list(itertools.chain(*times.values()))),
        ("bare", bare),
    ]:
        print(f"{name:34} {_ms(statistics.median(values))} {_ms(_p95(values))}")


def _storing(path: Path, words: list[str]) -> None:
    """One record after another into the full store, each in a transaction of its own."""
    chance = random.Random(23)
    weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(words))))
    db = sqlite.open_writer(path)
    first = db.execute("SELECT max(id) FROM observations").fetchone()[0] + 1
    times = []
    for number in range(first, first + 300):
        started = time.perf_counter()
        with sqlite.transaction(db):
            _add(db, number, chance, words, weights)
        times.append(time.perf_counter() - started)
    with sqlite.transaction(db):
        for number in range(first, first + 300):
            text_index.drop(db, "observation", number)
            db.execute("DELETE FROM observations WHERE id = ?", (number,))
    db.close()
    print(f"{'storing one record':34} {_ms(statistics.median(times))} {_ms(_p95(times))}")


def _p95(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def _bare(db: sqlite3.Connection, match: str) -> list[object]:
    return db.execute(_BARE, (match,)).fetchall()


def _times(call: Callable[[], object], runs: int) -> list[float]:
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return times


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:6.2f} ms"


if __name__ == "__main__":
    raise SystemExit(main())
