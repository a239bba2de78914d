"""Vectors: int8 rows in the database as the truth, their signs in memory to find the near ones by.

Two vectors whose components have mostly the same signs are near (random hyperplanes: Charikar,
2002). So a question looks at a bit a component, 96 bytes a record, and only the few hundred
nearest are read from the database and compared exactly. What was forgotten or rewritten since is
no longer there to be read, and a question that comes upon it takes it out.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from backstory.storage import sql

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Text = tuple[str, str, str]  # title, body, and the prompts that it waits for

_SQL = sql.load("vectors")
_CHUNK = 4_000  # rows read at a time while loading
_BLOCK = 16_384  # rows compared at a time: what fits the processor's cache
NONE = b"\0"  # in place of a vector: the embedder refuses the text
_ROUNDS = 6  # how often a question looks again behind what is there no more
CANDIDATES = 300  # nearest by signs that are compared exactly


def embedder_id(db: sqlite3.Connection, name: str, dimensions: int) -> int:
    """The number of an embedder, given out at its first vector."""
    asked = {"name": name, "dimensions": dimensions}
    return int(db.execute(_SQL["embedder"], asked).fetchone()[0])


def known_embedder(db: sqlite3.Connection, name: str) -> tuple[int, int] | None:
    """(number, dimensions) of an embedder that made vectors here before."""
    row = db.execute(_SQL["embedder named"], (name,)).fetchone()
    return None if row is None else (int(row[0]), int(row[1]))


def waiting(db: sqlite3.Connection, limit: int) -> list[int]:
    """Rows without a vector, the newest first."""
    return [row for (row,) in db.execute(_SQL["waiting"], (limit,))]


def count_waiting(db: sqlite3.Connection, most: int = 10_000_000) -> int:
    """How many rows wait for a vector, counted no further than needed."""
    return int(db.execute(_SQL["count waiting"], (most,)).fetchone()[0])


def make_anew(db: sqlite3.Connection, embedder: int, limit: int) -> int:
    """Has rows with vectors of other embedders wait for new ones; how many, at most `limit`."""
    return db.execute(_SQL["of other embedders"], {"embedder": embedder, "limit": limit}).rowcount


def texts(db: sqlite3.Connection, rows: Sequence[int]) -> dict[int, Text]:
    """row: (title, body, queries) of the records that are still there."""
    found = db.execute(_SQL["texts"], {"rows": json.dumps(list(rows))})
    return {row: (title, body, queries) for row, title, body, queries in found}


def put(db: sqlite3.Connection, embedder: int, row: int, vector: bytes) -> None:
    """Stores a row's vectors, one behind the other; it waits no more."""
    db.execute(_SQL["put"], (row, embedder, vector))
    db.execute(_SQL["embedded"], (row,))


def has_kept_out(db: sqlite3.Connection) -> bool:
    """Whether rows were kept from an embedder."""
    return bool(db.execute(_SQL["has kept out"]).fetchone()[0])


def ask_again(db: sqlite3.Connection, embedder: int) -> int:
    """Has rows that were kept from an embedder wait once more; how many."""
    return db.execute(_SQL["kept out"], {"embedder": embedder}).rowcount


def give_up(db: sqlite3.Connection, row: int) -> None:
    """Lets a row wait no more."""
    db.execute(_SQL["embedded"], (row,))


def packed(vectors: Floats) -> Any:
    """int8 rows: each scaled to its own largest component, as they are stored."""
    import numpy as np  # noqa: PLC0415  0.1 s: only who uses vectors loads it

    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.rint(vectors * (127 / np.maximum(largest, 1e-9))).astype(np.int8)


class VectorIndex:
    """The vectors of one embedder. May be asked and added to from several threads."""

    def __init__(self, embedder: int, dimensions: int) -> None:
        import numpy as np  # noqa: PLC0415

        self._np = np
        self.embedder = embedder
        self.dimensions = dimensions
        self._words = -(-dimensions // 64)
        self._lock = threading.Lock()
        self._size = 0
        self._has_gone = False  # there are parts of records that were dropped or written anew
        self._bits = np.zeros((self._words, 1024), dtype=np.uint64)
        self._rows = np.zeros(1024, dtype=np.int64)
        self._projects = np.zeros(1024, dtype=np.int32)

    def __len__(self) -> int:
        return self._size

    def load(self, db: sqlite3.Connection) -> None:
        """Takes in all that is stored."""
        after = -1
        while True:
            asked = {"after": after, "embedder": self.embedder, "limit": _CHUNK}
            chunk = db.execute(_SQL["all"], asked).fetchall()
            if not chunk:
                return
            after = chunk[-1][0]
            self._take(chunk)

    def add(self, db: sqlite3.Connection, rows: Sequence[int]) -> None:
        """Takes in rows that were stored since."""
        asked = {"rows": json.dumps(list(rows)), "embedder": self.embedder}
        self._take(db.execute(_SQL["some"], asked).fetchall())

    def nearest(
        self,
        db: sqlite3.Connection,
        vector: Floats,
        projects: Sequence[int] = (),
        allowed: Sequence[int] | None = None,
        limit: int = CANDIDATES,
    ) -> dict[int, float]:
        """row: cosine, the nearest first.

        vector: one row of the index's dimensions. projects: () = all. allowed: only these rows.
        """
        np = self._np
        found: list[tuple[int, bytes]] = []
        for _ in range(_ROUNDS):
            candidates, size = self._candidates(vector, projects, allowed, limit)
            asked = {"rows": json.dumps(candidates), "embedder": self.embedder}
            found = db.execute(_SQL["exact"], asked).fetchall()
            gone = set(candidates).difference(
                row for row, stored in found if self._is_sound(stored)
            )
            self._bury(gone, size)
            if len(gone) * 2 < len(candidates):
                break  # else what was forgotten stood before what is there
        rows, stored = self._parts(found)
        if not rows:
            return {}
        exact = stored.astype(np.float32)
        lengths = np.maximum(np.linalg.norm(exact, axis=1), 1e-9)
        cosines = (exact @ vector.reshape(-1)) / lengths
        near: dict[int, float] = {}
        for place in np.argsort(-cosines, kind="stable"):
            near.setdefault(rows[place], float(cosines[place]))  # the best part of each
        return near

    def _candidates(
        self,
        vector: Floats,
        projects: Sequence[int],
        allowed: Sequence[int] | None,
        limit: int,
    ) -> tuple[list[int], int]:
        """(the rows nearest by signs, how many entries were looked at)."""
        np = self._np
        with self._lock:
            size, bits, rows, owners = self._size, self._bits, self._rows, self._projects
        rows, owners = rows[:size], owners[:size]
        keep = rows >= 0 if self._has_gone else None
        if projects:
            own = np.isin(owners, projects) if len(projects) > 1 else owners == projects[0]
            keep = own if keep is None else keep & own
        if allowed is not None:
            among = np.isin(rows, np.asarray(allowed, dtype=np.int64))
            keep = among if keep is None else keep & among
        asked = self._signs(vector.reshape(1, -1))[:, 0]
        distances = np.empty(size, dtype=np.uint16)
        for start, end in self._blocks(size):
            block = np.zeros(end - start, dtype=np.uint16)
            for word in range(self._words):
                block += np.bitwise_count(bits[word, start:end] ^ asked[word])
            distances[start:end] = block
        if keep is not None:
            distances[~keep] = 0xFFFF
        # the distance within which there are enough, from how many there are at each
        counts = np.bincount(distances, minlength=self.dimensions + 2)[: self.dimensions + 1]
        reached = int(np.searchsorted(np.cumsum(counts), limit))
        near = np.flatnonzero(distances <= min(reached, self.dimensions))
        if len(near) > limit:
            near = near[np.argsort(distances[near], kind="stable")[:limit]]
        return list(dict.fromkeys(rows[near].tolist())), size

    def _take(self, found: Sequence[tuple[int, bytes, int]]) -> None:
        rows, stored = self._parts(found)
        if not rows:
            return
        self._bury(set(rows), self._size)
        owners = {one[0]: one[2] or 0 for one in found}
        bits = self._signs(stored)
        with self._lock:
            end = self._size + len(rows)
            if end > len(self._rows):
                self._grow(max(end, len(self._rows) * 3 // 2))
            self._bits[:, self._size : end] = bits
            self._rows[self._size : end] = rows
            self._projects[self._size : end] = [owners[row] for row in rows]
            self._size = end

    def _bury(self, rows: set[int], size: int) -> None:
        """Takes rows out that are there no more, or in another form.

        size: of the first so many entries; what was taken in since is as it should be.
        """
        np = self._np
        if not rows:
            return
        with self._lock:
            known = self._rows[:size]
            gone = np.isin(known, np.fromiter(rows, dtype=np.int64, count=len(rows)))
            if gone.any():
                known[gone] = -1
                self._has_gone = True

    def _parts(self, found: Sequence[Sequence[Any]]) -> tuple[list[int], NDArray[np.int8]]:
        """(row, vector) of every part of the records; what is damaged is left out."""
        size = self.dimensions
        sound = [one for one in found if self._is_sound(one[1])]
        rows = [one[0] for one in sound for _ in range(len(one[1]) // size)]
        stored = self._np.frombuffer(b"".join(one[1] for one in sound), dtype=self._np.int8)
        return rows, stored.reshape(len(rows), size)

    def _is_sound(self, stored: bytes) -> bool:
        """Whether there are vectors in it: of what was refused there are none."""
        return len(stored) > 0 and len(stored) % self.dimensions == 0

    def _grow(self, capacity: int) -> None:
        """New arrays: who is searching the old ones goes on with them."""
        np = self._np
        for name in ("_bits", "_rows", "_projects"):
            old = getattr(self, name)
            new = np.zeros((*old.shape[:-1], capacity), dtype=old.dtype)
            new[..., : self._size] = old[..., : self._size]
            setattr(self, name, new)

    def _signs(self, vectors: Any) -> Any:
        """(words, rows): a bit a component, 1 where it is positive."""
        np = self._np
        padded = np.zeros((len(vectors), self._words * 64), dtype=bool)
        padded[:, : self.dimensions] = vectors > 0
        packed_bits = np.packbits(padded, axis=1).view(np.uint64)
        signs: Any = np.ascontiguousarray(packed_bits.T)
        return signs

    def _blocks(self, size: int) -> Iterator[tuple[int, int]]:
        for start in range(0, size, _BLOCK):
            yield start, min(start + _BLOCK, size)
