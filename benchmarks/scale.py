"""How search and timeline grow with the store, against a bare full-text query in the same run.

    python benchmarks/scale.py [--rows 100000] [--runs 15] [--keep FILE]

Rows have the shape of real ones: 60 words of a Zipf distribution, code names, files; four fifths
belong to one project. Prints the median and the slowest of each kind of question.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from backstory.recall.query import SearchQuery, search_query
from backstory.recall.search import search
from backstory.recall.timeline import timeline
from backstory.storage import sqlite, text_index

_BARE = "SELECT rowid FROM search_text WHERE search_text MATCH ? ORDER BY rank LIMIT 20"
_CJK = "数据用户登录超时修复缓存连接池死锁回滚迁移索引测试部署日志异常令牌刷新并发请求"


def main() -> int:
    """Builds the store, asks, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="a store to build once and use again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.keep or Path(folder) / "backstory.db"
        words = _vocabulary()
        if not path.exists():
            started = time.perf_counter()
            _fill(path, options.rows, words)
            print(f"{options.rows} rows written in {time.perf_counter() - started:.0f} s")
        db = sqlite.open_reader(path)
        _measure(db, words, options.runs)
        db.close()
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


def _fill(path: Path, rows: int, words: list[str]) -> None:
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
        " VALUES (1, 'one', 1, '', '', 0, 0)"
    )
    for number in range(1, rows + 1):
        said = chance.choices(words, cum_weights=weights, k=60)
        project = 1 if chance.random() < 0.8 else chance.randint(2, 20)
        at = 1_700_000_000_000 + number * 60_000
        title = " ".join(said[:8])
        if number % 20 == 0:
            start = chance.randrange(len(_CJK) - 8)
            title = _CJK[start : start + 8] + said[0]
        body = " ".join(said[8:])
        name = f"{said[0].capitalize()}{said[1].capitalize()}{number % 5000}"
        files = (f"src/{said[2]}/{said[3]}_{number % 997}.py",)
        type_ = chance.choice(("bugfix", "feature", "discovery", "change", "decision"))
        db.execute(
            "INSERT INTO observations (id, project, session, type, title, narrative, distilled_by,"
            " content_hash, tokens, created_at) VALUES (?, ?, 1, ?, ?, ?, 'bench', ?, 90, ?)",
            (number, project, type_, title, body, str(number), at),
        )
        text_index.put(
            db,
            "observation",
            number,
            project=project,
            type=type_,
            title=title,
            body=f"{body} {name}",
            files=files,
        )
    db.execute("COMMIT")
    db.close()


def _measure(db: sqlite3.Connection, words: list[str], runs: int) -> None:
    project = (1,)
    small = (7,)
    common, middle, rare = words[0], words[60], words[4_000]
    title = db.execute("SELECT title FROM observations WHERE id = 1234").fetchone()[0].split()
    identifier = f"{title[0].capitalize()}{title[1].capitalize()}1234"
    question = f"why did {words[30]} break {words[400]} after {words[90]} and {words[2_000]}"
    dates = {"dateStart": "2023-12-01", "dateEnd": "2023-12-31"}
    asked: list[tuple[str, str | None, Callable[[], object]]] = []

    def ask(name: str, bare: str | None, query: SearchQuery) -> None:
        asked.append((name, bare, partial(search, db, query)))

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
    print(f"{'question':34} {'median':>9} {'slowest':>9} {'bare':>9} {'ratio':>6}")
    for name, match, call in asked:
        times = _times(call, runs)
        line = f"{name:34} {_ms(statistics.median(times))} {_ms(max(times))}"
        if match is not None:
            floor = statistics.median(_times(partial(_bare, db, match), runs))
            line += f" {_ms(floor)} {statistics.median(times) / floor:6.2f}"
        print(line)


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
