"""How good the search is: documents through the production store, queries through its search.

    backstory python benchmarks/retrieval.py [--docs FILE.jsonl --queries FILE.jsonl]
        [--mode fts|vectors|fused] [--limit 10]

Without files it asks every set of benchmarks/searchsets in all three modes. They were written for
this: notes with questions that share hardly a word with them, in four languages; notes in Chinese,
Japanese and Korean with words and with questions; conversations over months.

A document is {"id", "title"?, "text", "project"?, "type"?, "created_at"?}, a query
{"query", "relevant": ["id", …], "project"?}. Prints recall at 1, 5 and 10 (the share of the
relevant documents among the first k), MRR and NDCG@10, p50 and p95 of the time, and the tokens of
an answer. Without a project a query asks all of them.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from backstory import config
from backstory.capture.turns import Place
from backstory.capture.writing import put_observation
from backstory.estimate import estimate_tokens
from backstory.recall.meaning import Meaning
from backstory.recall.query import SearchQuery, plain_text, search_query
from backstory.recall.render import search_text
from backstory.recall.rows import load_rows
from backstory.recall.search import SearchResult, search
from backstory.records import OBSERVATION_TYPES, Observation
from backstory.storage import sqlite, text_index
from backstory.storage.database import Database
from backstory.storage.text_index import record_of

MODES = ("fts", "vectors", "fused")
SETS = Path(__file__).parent / "searchsets"
_BATCH = 500
_TITLE = 100  # characters


@dataclass(frozen=True, slots=True)
class Measured:
    """What one set of queries came to."""

    queries: int
    recall: Mapping[int, float]
    mrr: float
    ndcg: float
    p50_ms: float
    p95_ms: float
    tokens: float  # of one answer

    def __str__(self) -> str:
        recall = "  ".join(f"R@{k} {share:.3f}" for k, share in self.recall.items())
        return (
            f"{self.queries} queries  {recall}  MRR {self.mrr:.3f}  NDCG@10 {self.ndcg:.3f}  "
            f"p50 {self.p50_ms:.1f} ms  p95 {self.p95_ms:.1f} ms  {self.tokens:.0f} tokens a query"
        )


def main() -> int:
    """Loads, asks, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--mode", choices=MODES, default="fused")
    parser.add_argument("--limit", type=int, default=10, help="rows of an answer")
    options = parser.parse_args()
    if bool(options.docs) != bool(options.queries):
        parser.error("--docs and --queries go together")
    if not options.docs:
        every_set(options.limit)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "backstory.db")
        started = time.perf_counter()
        store.add(read(options.docs))
        print(f"{len(store.ids)} documents in {time.perf_counter() - started:.1f} s")
        if options.mode != "fts":
            started = time.perf_counter()
            store.embed()
            print(f"vectors in {time.perf_counter() - started:.1f} s")
        print(measure(store, read(options.queries), options.mode, options.limit))
        store.close()
    return 0


def every_set(limit: int) -> None:
    """Asks every set of the folder in every mode."""
    for docs in sorted(SETS.glob("*.docs.jsonl")):
        name = docs.name.removesuffix(".docs.jsonl")
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder) / "backstory.db")
            store.add(read(docs))
            store.embed()
            for queries in sorted(SETS.glob(f"{name}.*.queries.jsonl")):
                label = queries.name.removesuffix(".queries.jsonl")
                for mode in MODES:
                    print(f"{label:16}{mode:8} {measure(store, read(queries), mode, limit)}")
            store.close()


def read(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


class Store:
    """A database filled with documents as records of sessions."""

    def __init__(self, path: Path) -> None:
        self.database = Database(path)
        self.db = sqlite.open_writer(path)
        self.meaning: Meaning | None = None
        self.ids: dict[str, str] = {}  # of a record: of the document
        self._places: dict[str, Place] = {}

    def add(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """Writes documents as the worker writes what was distilled."""
        for start in range(0, len(docs), _BATCH):
            with sqlite.transaction(self.db):
                for number, doc in enumerate(docs[start : start + _BATCH], start):
                    self._add(number, doc)

    def project(self, name: str) -> int | None:
        """The id of a project."""
        place = self._places.get(name)
        return None if place is None else place.project

    def embed(self) -> None:
        """Makes all vectors, as the worker does in the background."""
        self.database.start_writer()
        self.meaning = Meaning(self.database, config.load(self.database.path.parent))
        while self.meaning.embed_some():
            pass

    def close(self) -> None:
        """Closes the database."""
        self.database.close()
        self.db.close()

    def _add(self, number: int, doc: Mapping[str, Any]) -> None:
        name = str(doc.get("project") or "default")
        text = str(doc["text"])
        wanted = str(doc.get("type", ""))
        draft = Observation(
            key=str(doc["id"]),
            type=wanted if wanted in OBSERVATION_TYPES else "discovery",
            title=str(doc.get("title") or "") or first_line(text),
            narrative=text,
            at=at_of(doc.get("created_at"), number),
            queries=tuple(doc.get("queries", ())),
        )
        place = self._turn(self._place(name), number, str(doc.get("prompt", "")))
        record = put_observation(self.db, place, draft, "rules/1", draft.key, None)
        self.ids[str(record)] = str(doc["id"])

    def _place(self, name: str) -> Place:
        if name not in self._places:
            add = self.db.execute
            project = add(
                "INSERT INTO projects (name, root, created_at) VALUES (?, '', 0) RETURNING id",
                (name,),
            ).fetchone()[0]
            session = add(
                "INSERT INTO sessions (session_id, project, root, cwd, started_at, last_at)"
                " VALUES (?, ?, '', '', 0, 0) RETURNING id",
                (name, project),
            ).fetchone()[0]
            prompt = add(
                "INSERT INTO prompts (session, project, number, prompt_id, text, created_at)"
                " VALUES (?, ?, 0, ?, '', 0) RETURNING id",
                (session, project, name),
            ).fetchone()[0]
            self._places[name] = Place(prompt, session, name, project, "", "", 0)
        return self._places[name]

    def _turn(self, place: Place, number: int, prompt: str) -> Place:
        """The turn that a prompt began; for none, the one of all others."""
        if not prompt:
            return place
        (turn,) = self.db.execute(
            "INSERT INTO prompts (session, project, number, prompt_id, text, created_at)"
            " VALUES (?, ?, ?, ?, ?, 0) RETURNING id",
            (place.session, place.project, number + 1, f"{place.session_id}-{number}", prompt),
        ).fetchone()
        text_index.put(self.db, "prompt", turn, project=place.project, body=prompt)
        return replace(place, prompt=turn)


def first_line(text: str) -> str:
    """The title of a text that has none."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _TITLE else line[:_TITLE].rsplit(" ", 1)[0]


def at_of(value: object, number: int) -> int:
    """Unix milliseconds of a document's date; by its place in the file where it has none."""
    if isinstance(value, int | float):
        return int(value * 1000) if value < 10**11 else int(value)
    if value:
        at = datetime.fromisoformat(str(value))
        return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
    return 1_700_000_000_000 + number * 60_000


def measure(store: Store, queries: Sequence[Mapping[str, Any]], mode: str, limit: int) -> Measured:
    """Asks every query once. Raises ValueError where none has a relevant document."""
    found: list[tuple[set[str], list[str]]] = []
    times: list[float] = []
    tokens: list[int] = []
    for query in queries:
        relevant = set(map(str, query["relevant"]))
        if not relevant:
            continue
        project = store.project(str(query["project"])) if query.get("project") else None
        ids = () if project is None else (project,)
        asked = search_query({"query": query["query"], "limit": max(limit, 10)}, project_ids=ids)
        started = time.perf_counter()
        result = answered(store, asked, mode)
        times.append(time.perf_counter() - started)
        tokens.append(estimate_tokens(search_text(result, query=asked.text)))
        found.append((relevant, [store.ids[row.id] for row in result.rows if row.id in store.ids]))
    if not found:
        raise ValueError("no query has a relevant document")
    return Measured(
        queries=len(found),
        recall={k: statistics.mean(recall(*one, k) for one in found) for k in (1, 5, 10)},
        mrr=statistics.mean(reciprocal_rank(*one) for one in found),
        ndcg=statistics.mean(ndcg(*one) for one in found),
        p50_ms=statistics.median(times) * 1000,
        p95_ms=sorted(times)[min(len(times) - 1, int(len(times) * 0.95))] * 1000,
        tokens=statistics.mean(tokens),
    )


def answered(store: Store, asked: SearchQuery, mode: str) -> SearchResult:
    """The answer of the production search, or, for the mode "vectors", of what stands behind it."""
    nearest = store.meaning.nearest if store.meaning else None
    if mode != "vectors" or nearest is None:
        return search(store.db, asked, nearest if mode == "fused" else None)
    near = nearest(store.db, plain_text(asked.text), asked.project_ids, None)
    rows = load_rows(store.db, map(record_of, list(near.rows)[: asked.limit]))
    return SearchResult(tuple(rows), how="meaning", backends=("vectors",))


def recall(relevant: set[str], ranked: Sequence[str], k: int) -> float:
    """The share of the relevant documents among the first k."""
    return len(relevant & set(ranked[:k])) / len(relevant)


def reciprocal_rank(relevant: set[str], ranked: Iterable[str]) -> float:
    """1 / the place of the first relevant document; 0 where there is none."""
    for place, id_ in enumerate(ranked, 1):
        if id_ in relevant:
            return 1 / place
    return 0.0


def ndcg(relevant: set[str], ranked: Sequence[str], k: int = 10) -> float:
    """Normalised discounted cumulative gain of the first k, with gains of 0 and 1."""
    gain = sum(
        1 / math.log2(place + 1) for place, id_ in enumerate(ranked[:k], 1) if id_ in relevant
    )
    best = sum(1 / math.log2(place + 1) for place in range(1, min(len(relevant), k) + 1))
    return gain / best


if __name__ == "__main__":
    raise SystemExit(main())
