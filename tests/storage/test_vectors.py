"""The near ones are found among many, and what is gone never comes back."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from backstory.storage import sqlite, vectors
from backstory.storage.vectors import VectorIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIMENSIONS = 192
CLUSTERS = 60


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An empty store with two projects."""
    made = sqlite.open_writer(tmp_path / "backstory.db")
    for number in (1, 2):
        made.execute("INSERT INTO projects VALUES (?, ?, '/r', 0, NULL)", (number, f"p{number}"))
    vectors.embedder_id(made, "one/1", DIMENSIONS)
    yield made
    made.close()


def clustered(count: int, seed: int = 1) -> Floats:
    """Unit vectors in clusters, as texts about some things are; the first ones one a cluster."""
    source = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((CLUSTERS, DIMENSIONS))
    noise = source.standard_normal((count, DIMENSIONS)) * 0.8
    return unit(centres[np.arange(count) % CLUSTERS] + noise)


def unit(made: NDArray[np.float64]) -> Floats:
    """Vectors of length 1."""
    scaled: Floats = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def store(
    db: sqlite3.Connection, ids: Sequence[int], made: Floats, project: int = 1, embedder: int = 1
) -> list[int]:
    """Observations with these vectors; their rows."""
    db.executemany(
        "INSERT OR IGNORE INTO observations"
        " (id, project, type, title, distilled_by, content_hash, tokens, created_at)"
        " VALUES (?, ?, 'change', 't', 'rules/1', ?, 1, 0)",
        [(id_, project, str(id_)) for id_ in ids],
    )
    rows = [id_ * 4 for id_ in ids]
    for row, vector in zip(rows, vectors.packed(made), strict=True):
        vectors.put(db, embedder, row, vector.tobytes())
    return rows


def loaded(db: sqlite3.Connection, embedder: int = 1) -> VectorIndex:
    """An index of all that is stored."""
    index = VectorIndex(embedder, DIMENSIONS)
    index.load(db)
    return index


def best(near: dict[int, float], count: int = 10) -> list[int]:
    """The first rows."""
    return list(near)[:count]


def test_the_ten_nearest_of_three_thousand_are_found(db: sqlite3.Connection) -> None:
    """Nine of ten at least, against the exact order; and in that order."""
    made = clustered(3_000)
    store(db, range(1, 3_001), made)
    index = loaded(db)
    shared = 0
    for asked in clustered(CLUSTERS, seed=2):
        exact = np.argsort(-(made @ asked))[:10]
        found = index.nearest(db, asked)
        shared += len({(place + 1) * 4 for place in exact.tolist()} & set(best(found)))
        cosines = list(found.values())
        assert cosines == sorted(cosines, reverse=True)
        first = best(found, 1)[0]
        assert found[first] == pytest.approx(float(made[first // 4 - 1] @ asked), abs=0.02)
    assert shared >= 0.9 * 10 * CLUSTERS


def test_what_is_taken_in_while_a_question_is_asked_stays(
    db: sqlite3.Connection, tmp_path: Path
) -> None:
    """A record that is written anew meanwhile: only its old form is taken out."""
    made = clustered(40)
    (row, *_) = store(db, range(1, 41), made)
    index = loaded(db)
    db.execute("DELETE FROM vectors WHERE row = ?", (row,))

    class Rewriting:
        """A connection over which the record is no more; right after, it is there again."""

        def execute(self, statement: str, arguments: dict[str, Any]) -> Rewriting:
            self.found = db.execute(statement, arguments).fetchall()
            if not db.execute("SELECT 1 FROM vectors WHERE row = ?", (row,)).fetchone():
                store(db, [1], made[:1])
                index.add(db, [row])
            return self

        def fetchall(self) -> list[Any]:
            return self.found

    index.nearest(Rewriting(), made[0])  # type: ignore[arg-type]
    assert best(index.nearest(db, made[0]), 1) == [row]


def test_what_was_refused_since_takes_no_place(db: sqlite3.Connection) -> None:
    """However many near ones were written anew and have no vector now."""
    made = clustered(1_000)
    near = np.repeat(made[:1], 400, axis=0)
    store(db, range(1, 401), near)
    (target,) = store(db, [401], made[CLUSTERS : CLUSTERS + 1])
    index = loaded(db)
    for id_ in range(1, 401):
        vectors.put(db, 1, id_ * 4, vectors.NONE if id_ % 2 else b"")
    assert set(index.nearest(db, made[0])) == {target}


def test_only_these_projects_and_these_rows_are_looked_at(db: sqlite3.Connection) -> None:
    """F10: nearer ones of another project, or that a filter keeps out, take no place."""
    made = clustered(1_200)
    store(db, range(1, 1_001), np.repeat(made[:1], 1_000, axis=0), project=1)
    store(db, range(1_001, 1_021), made[1:21], project=2)
    index = loaded(db)
    ours = {id_ * 4 for id_ in range(1_001, 1_021)}
    assert set(index.nearest(db, made[0], [2])) == ours
    assert set(index.nearest(db, made[0], [2], [4_004, 4_008, 4])) == {4_004, 4_008}
    assert set(index.nearest(db, made[0], [], [8, 12])) == {8, 12}
    assert index.nearest(db, made[0], [2], []) == {}
    assert index.nearest(db, made[0], [3]) == {}
    assert len(index.nearest(db, made[0], [1, 2])) == vectors.CANDIDATES


def test_what_was_dropped_or_rewritten_never_comes_back(db: sqlite3.Connection) -> None:
    """The signs in memory outlive it, the answer does not hold it."""
    made = clustered(CLUSTERS)
    rows = store(db, range(1, CLUSTERS + 1), made)
    index = loaded(db)
    db.execute("DELETE FROM vectors WHERE row = ?", (rows[0],))
    assert rows[0] not in index.nearest(db, made[0])
    store(db, [2], made[5:6])
    index.add(db, [rows[1]])
    assert index.nearest(db, made[1])[rows[1]] < 0.5
    assert set(best(index.nearest(db, made[5]), 2)) == {rows[1], rows[5]}
    assert len(index.nearest(db, made[5])) == CLUSTERS - 1, "each row once"


def test_a_record_rewritten_often_does_not_crowd_out_others(db: sqlite3.Connection) -> None:
    """A draft that was embedded 100 times is still one record."""
    made = clustered(CLUSTERS)
    rows = store(db, range(1, CLUSTERS + 1), made)
    index = loaded(db)
    for _ in range(100):
        index.add(db, rows[:1])
    assert set(index.nearest(db, made[0])) == set(rows)


def test_a_record_in_several_parts_is_found_by_each(db: sqlite3.Connection) -> None:
    """Once, with the cosine of its best part."""
    made = clustered(30)
    rows = store(db, range(1, 11), made[20:])
    parts = vectors.packed(made[:3]).tobytes()
    vectors.put(db, 1, rows[0], parts)
    index = loaded(db)
    assert len(index) == 12
    for part in made[:3]:
        found = index.nearest(db, part)
        assert best(found, 1) == [rows[0]]
        assert found[rows[0]] > 0.99
        assert len(found) == 10


@pytest.mark.parametrize("blob", [b"", b"\x01", bytes(DIMENSIONS - 1), bytes(DIMENSIONS + 1)])
def test_a_damaged_vector_is_left_out(db: sqlite3.Connection, blob: bytes) -> None:
    """At loading, at adding, and where it was damaged since."""
    made = clustered(3)
    rows = store(db, [1, 2, 3], made)
    db.execute("UPDATE vectors SET vector = ? WHERE row = ?", (blob, rows[0]))
    index = loaded(db)
    assert len(index) == 2
    index.add(db, rows[:1])
    assert len(index) == 2
    assert set(index.nearest(db, made[0])) == set(rows[1:])
    db.execute("UPDATE vectors SET vector = ? WHERE row = ?", (blob, rows[1]))
    assert set(index.nearest(db, made[1])) == {rows[2]}


def test_a_vector_of_nothing_is_near_nothing(db: sqlite3.Connection) -> None:
    """No division by its length of 0."""
    made = clustered(2)
    rows = store(db, [1, 2], made)
    vectors.put(db, 1, rows[0], bytes(DIMENSIONS))
    assert loaded(db).nearest(db, made[1])[rows[0]] == 0.0


def test_loading_equals_adding(db: sqlite3.Connection) -> None:
    """In whatever order, beyond the first arrays' size."""
    made = clustered(2_500)
    rows = store(db, range(1, 2_501), made)
    added = VectorIndex(1, DIMENSIONS)
    for start in range(0, len(rows), 700):
        added.add(db, rows[start : start + 700])
    whole = loaded(db)
    assert len(added) == len(whole) == 2_500
    for asked in clustered(20, seed=3):
        assert added.nearest(db, asked) == whole.nearest(db, asked)


def test_loading_goes_on_over_many_chunks(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None is read twice, none left out."""
    store(db, range(1, 101), clustered(100))
    monkeypatch.setattr(vectors, "_CHUNK", 7)
    monkeypatch.setattr(vectors, "_BLOCK", 9)
    index = loaded(db)
    assert len(index) == 100
    assert len(index.nearest(db, clustered(1)[0])) == 100


def test_vectors_of_another_embedder_are_not_taken(db: sqlite3.Connection) -> None:
    """Their numbers mean something else."""
    other = vectors.embedder_id(db, "two/1", DIMENSIONS)
    made = clustered(2)
    (first,) = store(db, [1], made[:1])
    (second,) = store(db, [2], made[1:], embedder=other)
    assert set(loaded(db).nearest(db, made[0])) == {first}
    assert set(loaded(db, other).nearest(db, made[0])) == {second}
    index = loaded(db)
    store(db, [1], made[:1], embedder=other)
    assert index.nearest(db, made[0]) == {}
    assert vectors.known_embedder(db, "two/1") == (other, DIMENSIONS)
    assert vectors.known_embedder(db, "three/1") is None
    assert vectors.embedder_id(db, "two/1", DIMENSIONS) == other


def test_it_grows_while_others_search(tmp_path: Path, db: sqlite3.Connection) -> None:
    """Whoever searches meanwhile gets a whole answer, and never an error."""
    made = clustered(6_000)
    index = VectorIndex(1, DIMENSIONS)
    first = store(db, range(1, 61), made[:60])
    index.add(db, first)
    over = threading.Event()
    wrong: list[object] = []
    asked = 0

    def search() -> None:
        nonlocal asked
        reader = sqlite.open_reader(tmp_path / "backstory.db")
        try:
            while not over.is_set() or not asked:
                # among the first records, of which none goes: the answer is always the same
                found = index.nearest(reader, made[asked % 60], [], first)
                asked += 1
                if len(found) != 60 or best(found, 1) != [first[(asked - 1) % 60]]:
                    wrong.append(found)
        except Exception as error:  # noqa: BLE001  told by the other thread
            wrong.append(error)
        finally:
            reader.close()

    searching = threading.Thread(target=search)
    searching.start()
    for start in range(60, 6_000, 540):
        ids = range(start + 1, min(start + 541, 6_001))
        index.add(db, store(db, ids, made[start : start + 540]))
    over.set()
    searching.join()
    assert wrong == []
    assert asked
    assert len(index) == 6_000


def test_what_was_forgotten_stands_before_nothing(db: sqlite3.Connection) -> None:
    """Hundreds of nearer ones that are gone do not use up the places of those that are there."""
    made = clustered(2)
    rows = store(db, range(1, 1_301), np.repeat(made[:1], 1_300, axis=0))
    (other,) = store(db, [2_000], made[1:])
    index = loaded(db)
    db.execute("DELETE FROM vectors WHERE row <> ?", (other,))
    assert list(index.nearest(db, made[0])) == [other]
    store(db, [1], made[:1])
    for _ in range(400):
        index.add(db, rows[:1])
    assert list(index.nearest(db, made[0])) == [rows[0], other]
