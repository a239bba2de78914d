"""How good the search is must not get worse unnoticed: floors a little under what is measured."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def retrieval() -> Iterator[ModuleType]:
    """The benchmark, as a module."""
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module("retrieval")
    sys.path.remove(str(FOLDER))


@pytest.mark.parametrize(
    ("docs", "floors"),
    [
        ("notes", {"para": 0.38, "zh": 0.68, "ja": 0.75, "ko": 0.59}),
        ("cjk", {"words": 1.0, "questions": 0.80}),
        ("chat", {"all": 0.39}),
    ],
)
def test_words_and_meaning_find_more_than_either(
    retrieval: ModuleType, tmp_path: Path, docs: str, floors: dict[str, float]
) -> None:
    """And where one of them is better alone, both together are hardly worse."""
    store = retrieval.Store(tmp_path / "backstory.db")
    store.add(retrieval.read(FOLDER / "searchsets" / f"{docs}.docs.jsonl"))
    store.embed()
    for name, floor in floors.items():
        queries = retrieval.read(FOLDER / "searchsets" / f"{docs}.{name}.queries.jsonl")
        found = {mode: retrieval.measure(store, queries, mode, 10) for mode in retrieval.MODES}
        recall = {mode: measured.recall[5] for mode, measured in found.items()}
        assert recall["fused"] >= floor, name
        assert recall["fused"] >= max(recall["fts"], recall["vectors"]) - 0.03, name
        assert found["fused"].queries == len(queries)
    store.close()
