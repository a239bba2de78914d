"""How much of what a person would ask for weeks later the rules distiller keeps, and at what price.

    backstory python benchmarks/facts.py [--set N] [--misses] [--rows SESSION]

Replays the recorded-shape sessions of `benchmarks/factsets/` through the production path (spool,
ingest, distil, search) into a temporary store a set, and prints for each set

- how many planted facts a natural query finds, first and among the first five: in observations
  alone, and in every kind of record; then the same for a second wording of each question. All
  sessions of a set compete: nothing is filtered by project (--together: of all sets);
- the same by where the fact sat: in the prompt, the last message, an output, a diff, …;
- rows in all and a turn, rows of a turn that only read, tokens a row, milliseconds a turn: what
  finds more by keeping everything is no gain;
- inventions: a path, hash, measured number or test count in a row that its session's own events
  do not hold, files called modified that no event wrote, and what the set says to be false.

A fact counts when one record among the hits holds all of its tokens. --misses lists what was not
found, and whether some record holds it (ranking) or none does (distilling). Set 3 is held out:
its misses are counted, never listed.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import os
import pkgutil
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks.factsets.builder import Fact, Session  # noqa: E402  (not installed)
from benchmarks.factsets.paraphrases import OTHER_WORDS  # noqa: E402

from backstory import config  # noqa: E402
from backstory.capture import rules, turns  # noqa: E402
from backstory.capture.pump import Pump  # noqa: E402
from backstory.recall.query import SearchQuery  # noqa: E402
from backstory.recall.rows import parse_id  # noqa: E402
from backstory.recall.search import search  # noqa: E402
from backstory.storage import spool, sqlite  # noqa: E402
from backstory.storage.text_index import KINDS  # noqa: E402

HELD_OUT = 3
TOP = 5
MAX_ROWS, MAX_ROWS_OF_READS = 8, 1
_READERS = {"Read", "Grep", "Glob", "LS"}
_READING = re.compile(
    r"\s*(?:cd \S+|ls|cat|head|tail|wc|grep|rg|find|tree|sed -n|git (?:log|diff|show|blame|status)"
    r"|file|stat|which|pwd|rustc --version)\b"
)
_PATH = re.compile(r"(?<![\w/.@-])(?:/?[\w.@+-]+/)+[\w.@+-]*\w|(?<![\w/.@-])[\w-]+\.[a-z]{1,5}\b")
_EXTENSIONS = frozenset(
    """
    py ts tsx js jsx vue go rs java kt kts sql sh yml yaml toml json md css html tf c cpp h cfg
    conf ini lock log txt csv xml env gradle rb php
    """.split()  # noqa: SIM905  read better as words
)
_HASH = re.compile(r"(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")
_RESULT = re.compile(
    r"(?<![\w.,])(\d[\d.,]*)\s?(ms|s|min|%|[KMGT]i?B|tests?|passed|failed|failures?|errors?|skipped"
    r"|warnings?|rows|lines)(?!\w)"
)


@dataclasses.dataclass(slots=True)
class Record:
    """A stored record as far as this measurement reads it."""

    text: str
    title: str
    session: str
    prompt: int
    tokens: int  # 0 where it is no observation
    modified: tuple[str, ...] = ()


def main() -> int:
    """Measures the sets, prints; 1 where something was invented or a bound was passed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", type=int, choices=(1, 2, 3), help="one set alone")
    parser.add_argument("--together", action="store_true", help="all sets in one store")
    parser.add_argument("--misses", action="store_true", help="list what was not found")
    parser.add_argument("--rows", metavar="SESSION", help="print the rows of a session")
    options = parser.parse_args()
    numbers = [options.set] if options.set else [1, 2, 3]
    good = True
    for group in [numbers] if options.together else [[number] for number in numbers]:
        with tempfile.TemporaryDirectory() as folder:
            loaded = {number: load_set(number) for number in group}
            every = [session for sessions in loaded.values() for session in sessions]
            db, seconds = replay(every, Path(folder))
            records = load_records(db)
            print(f"{len(every)} sessions, {len(seconds)} turns, {len(records)} records")
            for number, sessions in loaded.items():
                good &= report(number, sessions, db, records, options.misses)
            report_time(seconds)
            if options.rows:
                print_rows(db, options.rows)
            db.close()
    return 0 if good else 1


def load_set(number: int) -> list[Session]:
    """The sessions of a set, by name."""
    folder = ROOT / f"benchmarks/factsets/set{number}"
    names = sorted(module.name for module in pkgutil.iter_modules([str(folder)]))
    built = [
        importlib.import_module(f"benchmarks.factsets.set{number}.{name}").session()
        for name in names
    ]
    return [one for one in built if isinstance(one, Session)]


def replay(sessions: list[Session], home: Path) -> tuple[sqlite3.Connection, list[float]]:
    """The store after everything was taken in and distilled, and seconds a turn of distilling."""
    os.environ["BACKSTORY_PROVIDER"] = "rules"
    settings = config.load(home)
    settings.spool.mkdir(mode=0o700)
    events = sorted(
        ((at, number, session.root, event) for session in sessions
         for number, (at, event) in enumerate(session.events)),
        key=lambda one: one[:2],
    )  # fmt: skip
    for number, (at, _, root, event) in enumerate(events):
        body = json.dumps(event, ensure_ascii=False).encode()
        head = b"at=%d\nproject_dir=%s\n\n" % (at * 1_000_000, root.encode())
        name = f"{at * 1_000_000:020d}-{number}{spool.SUFFIX}"
        (settings.spool / name).write_bytes(spool.MAGIC + head + body)
    db = sqlite.open_writer(settings.database)
    pump = Pump(settings)
    while pump.run(db, 60):
        pass
    if pump.health.bad:
        raise SystemExit(f"{pump.health.bad} events were not understood")
    seconds = []
    for (prompt,) in db.execute("SELECT id FROM prompts ORDER BY id").fetchall():
        turn, _ = turns.load_turn(db, prompt)
        started = time.perf_counter()
        rules.distill(turn)
        seconds.append(time.perf_counter() - started)
    return db, seconds


def report(
    number: int,
    sessions: list[Session],
    db: sqlite3.Connection,
    records: dict[tuple[str, int], Record],
    listed: bool,
) -> bool:
    """Prints the figures of a set; whether nothing was invented and no bound passed."""
    facts = [fact for session in sessions for fact in session.facts]
    other = [dataclasses.replace(fact, query=OTHER_WORDS[fact.query]) for fact in facts]
    print(f"set {number}: {len(sessions)} sessions, {len(facts)} facts")
    asked = {
        "observations": (facts, ("observation",)),
        "all kinds": (facts, KINDS),
        "other words": (other, ("observation",)),
    }
    places: dict[str, list[int]] = {}
    for name, (wanted, kinds) in asked.items():
        places[name] = [place(db, records, fact, kinds) for fact in wanted]
        first = sum(place == 1 for place in places[name])
        top = sum(place > 0 for place in places[name])
        share = 40 * top / len(facts)
        print(f"  {name:13} @1 {first}  @{TOP} {top} of {len(facts)}  = {share:.1f} of 40")
    print("  by place     ", by_place(facts, places["observations"]))
    own = {session.id for session in sessions}
    observations = {
        id_: one
        for (kind, id_), one in records.items()
        if kind == "observation" and one.session in own
    }
    bounds = report_rows(sessions, db, observations)
    wrong = list(inventions(sessions, observations.values()))
    print(f"  invented {len(wrong)}")
    if number == HELD_OUT:
        return bounds and not wrong
    for one in wrong:
        print(f"    {one}")
    if listed:
        print_misses(facts, places["observations"], observations.values())
        print("  in other words:")
        print_misses(other, places["other words"], observations.values())
    return bounds and not wrong


def by_place(facts: list[Fact], places: list[int]) -> str:
    """Found and planted by where the facts sat."""
    planted = Counter(fact.where for fact in facts)
    found = Counter(fact.where for fact, at in zip(facts, places, strict=True) if at)
    return ", ".join(f"{where} {found[where]}/{n}" for where, n in planted.most_common())


def report_rows(
    sessions: list[Session], db: sqlite3.Connection, observations: dict[int, Record]
) -> bool:
    """Prints what the rows cost; whether the bounds hold."""
    turns = Counter(one.prompt for one in observations.values())
    reading = {turn_id(db, prompt) for session in sessions for prompt in turns_of_reads(session)}
    most = max(turns.values(), default=0)
    of_reads = max((turns.get(turn, 0) for turn in reading), default=0)
    tokens = [one.tokens for one in observations.values()] or [0]
    print(
        f"  rows {len(observations)};"
        f" a turn: mean {statistics.mean(turns.values()):.1f}, most {most};"
        f" {len(reading)} turns of reads alone: most {of_reads}"
    )
    print(
        f"  tokens a row: median {statistics.median(tokens):.0f}, most {max(tokens)},"
        f" in all {sum(tokens)}"
    )
    return most <= MAX_ROWS and of_reads <= MAX_ROWS_OF_READS


def report_time(seconds: list[float]) -> None:
    """Prints what distilling a turn takes."""
    ms = sorted(second * 1000 for second in seconds)
    print(f"ms a turn: median {statistics.median(ms):.1f}, most {ms[-1]:.1f}\n")


def load_records(db: sqlite3.Connection) -> dict[tuple[str, int], Record]:
    """Every record that search may answer with, by kind and id."""
    records: dict[tuple[str, int], Record] = {}
    query = (
        "SELECT o.id, title, narrative, facts, s.session_id, prompt, tokens, symbols"
        " FROM observations o JOIN sessions s ON s.id = o.session"
    )
    for id_, title, narrative, facts, session, prompt, tokens, symbols in db.execute(query):
        files = db.execute("SELECT path, mode FROM observation_files WHERE observation = ?", (id_,))
        paths = files.fetchall()
        parts = [title, narrative, *json.loads(facts), *json.loads(symbols), *(p for p, _ in paths)]
        modified = tuple(path for path, mode in paths if mode == "modified")
        text = "\n".join(parts)
        records["observation", id_] = Record(text, title, session, prompt, tokens, modified)
    owner = "SELECT session_id FROM sessions WHERE sessions.id = session"
    columns = "request || char(10) || investigated || char(10) || learned || char(10) || completed"
    query = f"SELECT id, {columns} || char(10) || next_steps, prompt, ({owner}) FROM summaries"
    for id_, text, prompt, session in db.execute(query):
        records["summary", id_] = Record(text, "", session, prompt, 0)
    for id_, text, session in db.execute(f"SELECT id, text, ({owner}) FROM prompts"):
        records["prompt", id_] = Record(text, "", session, id_, 0)
    return records


def place(
    db: sqlite3.Connection,
    records: dict[tuple[str, int], Record],
    fact: Fact,
    kinds: tuple[str, ...],
) -> int:
    """Where among the first hits the fact's record stands, from 1; 0 where it is not."""
    result = search(db, SearchQuery(fact.query, kinds=kinds, limit=TOP))
    for number, row in enumerate(result.rows, 1):
        if carries(records[parse_id(row.id)], fact):
            return number
    return 0


def carries(record: Record, fact: Fact) -> bool:
    """Whether the record proves the fact: of its session, and holding every token."""
    return record.session == fact.session and holds(record.text.casefold(), fact.tokens)


def holds(text: str, tokens: Iterable[str]) -> bool:
    """Whether a folded text holds all tokens; a number is no part of a longer one."""
    return all(any(_stands(word.casefold(), text) for word in one.split("|")) for one in tokens)


def _stands(word: str, text: str) -> bool:
    before = r"(?<!\d)(?<!\d[.,])" if word[0].isdigit() else ""
    after = r"(?![\d]|[.,]\d)" if word[-1].isdigit() else ""
    return re.search(before + re.escape(word) + after, text) is not None


def print_misses(facts: list[Fact], places: list[int], records: Iterable[Record]) -> None:
    """Lists what was not found among the first, with what is known of why."""
    records = list(records)
    for fact, found in zip(facts, places, strict=True):
        if found:
            continue
        holding = [record.title for record in records if carries(record, fact)]
        why = f"ranking: held by “{holding[0]}”" if holding else "distilling: no row holds it"
        where = f"{fact.name} turn {fact.turn}, {fact.kind} in {fact.where}"
        print(f"  - “{fact.query}” {list(fact.tokens)} ({where})\n      {why}")


def print_rows(db: sqlite3.Connection, session: str) -> None:
    """Prints what was made of the sessions with this in their names."""
    wanted = {one.id for n in (1, 2) for one in load_set(n) if session in one.name}
    query = (
        "SELECT o.id, p.number, type, evidence, title, narrative, facts, s.session_id"
        " FROM observations o JOIN sessions s ON s.id = o.session JOIN prompts p ON p.id = o.prompt"
        " ORDER BY o.id"
    )
    for id_, turn, kind, evidence, title, narrative, facts, owner in db.execute(query):
        if owner in wanted:
            print(f"\n#{id_} turn {turn} [{kind}, {evidence}] {title}\n    {narrative}")
            for one in json.loads(facts):
                print(f"    · {one}")


def turns_of_reads(session: Session) -> Iterator[str]:
    """The prompt ids of turns that used tools, and only to read."""
    uses: dict[str, list[tuple[str, Any]]] = {}
    for _, event in session.events:
        if event["hook_event_name"] in ("PostToolUse", "PostToolUseFailure"):
            uses.setdefault(event["prompt_id"], []).append(
                (event["tool_name"], event["tool_input"])
            )
    for prompt_id, calls in uses.items():
        if all(name in _READERS or (name == "Bash" and only_reads(one)) for name, one in calls):
            yield prompt_id


def only_reads(asked: dict[str, Any]) -> bool:
    """Whether a command looks, and does nothing else."""
    command = re.sub(r"'[^']*'|\"[^\"]*\"|\d?>&?\s?\S+", "", str(asked["command"]))
    return all(_READING.match(part) for part in re.split(r"[|;&\n]+", command) if part.strip())


def turn_id(db: sqlite3.Connection, prompt_id: str) -> int:
    """Our id of a turn."""
    return int(db.execute("SELECT id FROM prompts WHERE prompt_id = ?", (prompt_id,)).fetchone()[0])


def inventions(sessions: list[Session], records: Iterable[Record]) -> Iterator[str]:
    """What rows say that their session's events do not."""
    told = {session.id: "\n".join(strings([e for _, e in session.events])) for session in sessions}
    written = {session.id: "\n".join(writes(session)) for session in sessions}
    falsehoods = {session.id: session.falsehoods for session in sessions}
    for record in records:
        for tokens in falsehoods[record.session]:
            if holds(record.text.casefold(), tokens):
                yield f"falsehood {tokens} in “{record.title}”"
        said = told[record.session]
        for path in record.modified:
            if path not in written[record.session]:
                yield f"modified file {path!r} in “{record.title}”"
        for match in _PATH.findall(record.text):
            known = "/" in match or match.rpartition(".")[2] in _EXTENSIONS
            if known and match not in said:
                yield f"path {match!r} in “{record.title}”"
        for match in _HASH.findall(record.text):
            if match not in said:
                yield f"hash {match!r} in “{record.title}”"
        for count, unit in _RESULT.findall(record.text):
            if not measured(count.rstrip(".,"), unit, said):
                yield f"result {count} {unit} in “{record.title}”"


def measured(count: str, unit: str, said: str) -> bool:
    """Whether a number and its unit stand near each other in what the session told."""
    stem = unit[:4] if len(unit) > 3 else unit
    number = rf"(?<![\d.,]){re.escape(count)}(?!\d)"
    near = rf"{number}[^\n]{{0,40}}?{stem}|{stem}[^\n]{{0,20}}?{number}"
    return re.search(near, said, re.IGNORECASE) is not None


def strings(value: Any) -> Iterator[str]:
    """All texts inside a payload."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def writes(session: Session) -> Iterator[str]:
    """The paths and commands by which the session may have changed files."""
    for _, event in session.events:
        if event["hook_event_name"] == "PostToolUse" and event["tool_name"] not in _READERS:
            yield from strings(event["tool_input"])


if __name__ == "__main__":
    sys.exit(main())
