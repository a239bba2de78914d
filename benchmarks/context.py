"""What a session's start shows of the records that matter, in 1,500 tokens.

    backstory python benchmarks/context.py [--tokens N] [--show STORE] [--seed N] [--cost]

Makes 20 stores of 30 to 3,000 records, in six languages, on a default or a topic branch. Among the
routine of months (reads, changes, passing checks, fixes, commits, subagents) stand records that
matter, whatever their age: decisions, what trips people up, failures that were never solved, work
left undone, security, what was saved by hand, what earlier sessions learnt of the files that the
current branch changes, and the last turn's next steps. Prints the share of them that is shown, by
kind and by store, what was lost, and whether two renders have equal bytes. The bar is 85 %.

--cost prints instead what rendering takes, with 3,000 and 100,000 records.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks.contextset import MATTERING, NEXT_STEPS, NOISE, WORDS  # noqa: E402

from backstory.estimate import estimate_tokens  # noqa: E402
from backstory.project import resolve  # noqa: E402
from backstory.recall import context  # noqa: E402
from backstory.storage import projects, sqlite  # noqa: E402

SIZES = (
    *(30, 60, 90, 120, 180, 250, 300, 400, 500, 600),
    *(700, 800, 900, 1000, 1200, 1500, 1800, 2200, 2600, 3000),
)
LANGUAGES = tuple(MATTERING)
NOW = 1_780_000_000_000
DAY = 86_400_000
BAR = 0.85


@dataclass
class Store:
    """A store, and what of it matters: the kind of each record by its id."""

    db: sqlite3.Connection
    project: int
    folder: Path
    random: random.Random
    language: str
    branch: str
    planted: dict[int, str] = field(default_factory=dict)
    next_steps: str = ""
    count: int = 0
    branch_files: tuple[str, ...] = ()

    def insert(self, table: str, **values: object) -> int:
        """One row."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"
        return int(self.db.execute(statement, tuple(values.values())).lastrowid or 0)

    def word(self) -> str:
        """A name as code has them."""
        return self.random.choice(WORDS)

    def path(self) -> str:
        """A file of the project; none of those that only the branch touches."""
        return f"src/{self.word()}/{self.word()}_{self.random.randrange(9)}.py"

    def filled(self, template: str) -> str:
        """A title with names in it."""
        return template.format(
            a=self.word(),
            b=self.word(),
            A=self.word().capitalize(),
            file=self.path(),
            n=self.random.randrange(2, 90),
            hash=f"{self.random.randrange(16**7):07x}",
        )


def make(folder: Path, size: int, language: str, topic: str, seed: int) -> Store:
    """A store of about so many records; topic: the current branch, "" for the default one."""
    repository = folder / "repo"
    git = repository / ".git"
    (git / "refs/remotes/origin").mkdir(parents=True)
    (git / "HEAD").write_text(f"ref: refs/heads/{topic or 'main'}\n")
    (git / "refs/remotes/origin/HEAD").write_text("ref: refs/remotes/origin/main\n")
    db = sqlite.open_writer(folder / "backstory.db")
    owner = projects.find_or_add(db, resolve(str(repository)), NOW)
    store = Store(db, owner, repository, random.Random(seed), language, topic or "main")
    store.branch_files = tuple(f"src/{topic}/part{n}.py" for n in range(4)) if topic else ()
    db.execute("BEGIN")
    fill(store, size)
    db.execute("COMMIT")
    return store


def fill(store: Store, size: int) -> None:
    """Sessions over months, about eight records each, the mattering ones anywhere among them."""
    plan: list[tuple[str, str] | None] = [None] * size
    kinds = MATTERING[store.language]
    wanted = [
        (kind, title)
        for kind, titles in kinds.items()
        for title in store.random.sample(titles, min(len(titles), store.random.randint(2, 4)))
        if kind != "branch file" or store.branch_files
    ]
    store.random.shuffle(wanted)
    places = store.random.sample(range(size), min(len(wanted), size))
    for place, matter in zip(places, wanted, strict=False):
        plan[place] = matter
    per_session = 8
    sessions = max(1, size // per_session)
    span = min(300, max(5, sessions)) * DAY
    last = 0
    for number in range(sessions):
        began = NOW - span + span * number // sessions + store.random.randrange(DAY // 3)
        on_topic = bool(store.branch_files) and number >= sessions - max(1, min(3, sessions // 8))
        branch = store.branch if on_topic else "main"
        last = session(store, number, began, branch)
        rows = plan[number * per_session : (number + 1) * per_session]
        if number == sessions - 1:
            rows = plan[number * per_session :]
        for step, one in enumerate(rows):
            at = began + step * 240_000
            if one is None:
                routine(store, last, at, branch, on_topic)
            else:
                mattering(store, last, at, branch, *one)
    for path in store.branch_files:
        changed = store.filled(f"Changed {{a}} and {{b}} in {path}")
        at = NOW - 3_600_000
        concepts = ["what-changed"]
        record(
            *(store, last, at, store.branch, "change", changed, [path]),
            importance=2,
            concepts=concepts,
        )
    steps = store.random.choice(NEXT_STEPS[store.language])
    summary(store, last, NOW, steps)
    store.next_steps = steps


def session(store: Store, number: int, at: int, branch: str) -> int:
    """A session with a turn and its summary."""
    id_ = store.insert(
        "sessions",
        session_id=f"s{number}",
        project=store.project,
        root=str(store.folder),
        cwd=str(store.folder),
        branch=branch,
        started_at=at,
        last_at=at,
    )
    summary(store, id_, at, "")
    return id_


def summary(store: Store, session_id: int, at: int, steps: str) -> None:
    """What a turn came to."""
    prompt = store.insert(
        "prompts",
        session=session_id,
        project=store.project,
        number=1,
        prompt_id=f"p{session_id}-{at}-{len(steps)}",
        text="…",
        created_at=at,
    )
    store.insert(
        "summaries",
        project=store.project,
        session=session_id,
        prompt=prompt,
        request=store.filled("Please make {a} of {file} handle {b} and tell me what you changed."),
        investigated=store.filled("Read {file}, {file}, {file}."),
        completed=store.filled("Changed {a} in {file}. pytest passed: {n} passed."),
        next_steps=steps,
        distilled_by="rules/1",
        tokens=90,
        created_at=at,
    )


def routine(store: Store, session_id: int, at: int, branch: str, on_topic: bool) -> None:
    """A record of every day."""
    kind = store.random.choices(NOISE, [one.weight for one in NOISE])[0]
    files = [store.path() for _ in range(kind.files)]
    if on_topic and kind.mode == "modified" and files:
        files[0] = store.random.choice(store.branch_files)
    record(
        store,
        session_id,
        at,
        branch,
        kind.type,
        store.filled(store.random.choice(kind.titles)),
        files,
        importance=kind.importance,
        concepts=kind.concepts,
        evidence=kind.evidence,
        agent_type=kind.agent_type,
        tainted=kind.tainted,
        mode=kind.mode,
    )


def mattering(store: Store, session_id: int, at: int, branch: str, kind: str, title: str) -> None:
    """A record that a new session should know of."""
    choose = store.random.choice
    files = [store.path()]
    type_, concepts, importance, evidence, by = "discovery", [], 1, "stated", "rules/1"
    if kind == "decision":
        type_, concepts, importance = "decision", choose((["why-it-exists"], ["trade-off"], [])), 3
        files = []
    elif kind == "gotcha":
        type_ = choose(("discovery", "discovery", "change", "bugfix"))
        concepts, importance = ["gotcha"], choose((1, 2, 3))
    elif kind == "open error":
        concepts, importance = ["gotcha"], 2
    elif kind == "unfinished":
        type_, importance = choose(("change", "discovery", "feature")), 2
    elif kind == "security":
        type_, importance = choose(("security_alert", "security_note")), 2
    elif kind == "by hand":
        by, importance, files, branch = "user", 3, [], ""
        type_ = choose(("discovery", "decision", "change"))
    elif kind == "branch file":
        type_, importance = choose(("change", "discovery", "bugfix", "refactor")), choose((1, 2))
        files, branch = [choose(store.branch_files)], "main"
    title = store.filled(title)
    id_ = record(
        store,
        None if by == "user" else session_id,
        at,
        branch,
        type_,
        title,
        files,
        importance=importance,
        concepts=concepts,
        evidence=evidence,
        by=by,
    )
    store.planted[id_] = kind


def record(
    store: Store,
    session_id: int | None,
    at: int,
    branch: str,
    type_: str,
    title: str,
    files: list[str],
    *,
    importance: int,
    concepts: list[str],
    evidence: str = "stated",
    agent_type: str = "",
    tainted: bool = False,
    by: str = "rules/1",
    mode: str = "modified",
) -> int:
    """One observation with its files."""
    store.count += 1
    narrative = store.filled("Asked: {a} for {b}. Changed {file} so that {a} is {n}.")
    id_ = store.insert(
        "observations",
        project=store.project,
        session=session_id,
        type=type_,
        title=title,
        narrative=narrative,
        facts=json.dumps([store.filled("{a} = {n}"), store.filled("{b} calls {a} in {file}")]),
        concepts=json.dumps(concepts),
        evidence=evidence,
        importance=importance,
        tainted=int(tainted),
        agent_type=agent_type,
        branch=branch,
        distilled_by=by,
        content_hash=f"h{store.count}",
        tokens=store.random.randrange(60, 330),
        created_at=at,
    )
    for path in dict.fromkeys(files):
        if store.count < 5_000 and store.random.random() < 0.9:
            keep(store.folder / path, at)
        store.insert("observation_files", observation=id_, path=path, mode=mode)
    return id_


def keep(path: Path, at: int) -> None:
    """A file as it was written then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (at / 1000, at / 1000))


def shown(text: str) -> set[int]:
    """The ids of the rows in a context."""
    lines = (line for line in text.splitlines() if line[:1].isdecimal() and " ~" in line)
    return {int(line.split()[0]) for line in lines}


def measure(options: argparse.Namespace) -> int:
    """Prints the shares; 1 where the bar is missed or bytes differ."""
    total: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    shares, is_stable = [], True
    for number, size in enumerate(SIZES):
        with tempfile.TemporaryDirectory() as name:
            language = LANGUAGES[number % len(LANGUAGES)]
            topic = ("", "feature/login", "fix-rounding")[number % 3]
            store = make(Path(name), size, language, topic, options.seed * 1000 + number)
            args = (store.db, str(store.folder), "", 50, options.tokens)
            text = context.of_session(*args)
            is_stable &= text == context.of_session(*args)
            ids = shown(text)
            kinds = Counter(store.planted.values()) + Counter(["next steps"])
            found = Counter(kind for id_, kind in store.planted.items() if id_ in ids)
            found["next steps"] = int(store.next_steps[:60] in text)
            total += kinds
            seen += found
            shares.append(found.total() / kinds.total())
            print(
                f"{number:2} {size:5} records {language} {topic or 'main':14} "
                f"{found.total():2} of {kinds.total():2} = {shares[-1]:4.0%}; {len(ids):2} rows, "
                f"{estimate_tokens(text)} tokens, {len(text)} characters"
            )
            if options.show == number:
                print(text)
            lost = [id_ for id_ in store.planted if id_ not in ids]
            for id_ in lost if options.show == number else ():
                row = store.db.execute("SELECT * FROM observations WHERE id = ?", (id_,)).fetchone()
                print("   lost:", store.planted[id_], row[0], row[4], row[5], row[10])
            store.db.close()
    for kind, count in sorted(total.items()):
        print(f"   {kind:12} {seen[kind]:3} of {count:3} = {seen[kind] / count:4.0%}")
    share = seen.total() / total.total()
    print(f"shown: {share:.1%} of all, {min(shares):.0%} in the worst store (bar {BAR:.0%})")
    print("two renders: equal bytes" if is_stable else "two renders DIFFER")
    return 0 if share >= BAR and is_stable else 1


def cost() -> int:
    """Prints the milliseconds of a render, as the hook and the worker do it."""
    for size in (3_000, 100_000):
        with tempfile.TemporaryDirectory() as name:
            store = make(Path(name), size, "en", "feature/login", 1)
            store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            taken = []
            for _ in range(30):
                db = context.open_database(str(Path(name) / "backstory.db"))
                assert db is not None
                began = time.perf_counter()
                context.of_session(db, str(store.folder), "", 50, 2_400)
                taken.append((time.perf_counter() - began) * 1000)
                db.close()
            store.db.close()
            print(f"{size} records: {statistics.median(taken):.1f} ms, worst {max(taken):.1f} ms")
    return 0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, default=1_500)
    parser.add_argument("--show", type=int, default=-1, help="print the context of this store")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cost", action="store_true")
    options = parser.parse_args()
    return cost() if options.cost else measure(options)


if __name__ == "__main__":
    sys.exit(main())
