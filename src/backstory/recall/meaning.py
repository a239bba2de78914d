"""Search by meaning: which records are near a question, and the embedding of what is new.

Full text never waits for it. The models are loaded by the first question or the first new record,
and let go when nobody has asked for a while.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import re
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backstory.config import Config
from backstory.errors import Unavailable
from backstory.recall import embedders, vector_report
from backstory.recall.embedders.base import (
    Capped,
    Changed,
    Embedder,
    NoVectors,
    Passage,
    Refused,
    Remote,
)
from backstory.storage import sqlite, vectors
from backstory.storage.database import Database
from backstory.storage.vectors import VectorIndex

if TYPE_CHECKING:
    from backstory.recall.embedders.base import Matrix

BATCH = 64  # records embedded at a time, 0.3 s
PATIENCE_S = 2.0  # a question waits so long for models and vectors to load: 1 s for a usual store
LOADING_S = 600.0  # more than loading takes
UNUSED_S = 300.0  # after which the models are let go
RETRY_S = 60.0  # after the embedder failed
PART = 600  # characters of a record that one vector stands for
MOST_PARTS = 10  # of a record; what is behind them is found by its words alone
_PIECE = re.compile(r"(?<=\n)|(?<=[.!?])(?=\s)|(?<=[。！？])")
_ANEW = 5_000  # rows of another embedder taken up at a time
_TOLD = 10_000  # records without a vector: an answer counts no further
_NONE_YET = "no record has a vector yet"
_REMEMBERED = 64  # questions whose vectors are kept

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Near:
    """The records near a question, and what is missing of them."""

    rows: dict[int, float] = field(default_factory=dict)  # row of the index: cosine, best first
    missing: str = ""  # why there are none, or not all; "" when nothing is missing


class Meaning:
    """One embedder and the vectors it made. Used from several threads."""

    def __init__(self, database: Database, settings: Config) -> None:
        self._database = database
        self._settings = settings
        self._lock = threading.Lock()  # of what is loaded, and of loading
        self._loading: threading.Event | None = None  # set when it is over
        self._embedder: Embedder | None = None
        self._index: VectorIndex | None = None
        self._failure = ""
        self._failed_at = -RETRY_S
        self._capped = ""  # why no more are made today
        self._used_at = 0.0
        self._is_anew_done = False
        self._asked: OrderedDict[str, Matrix] = OrderedDict()

    @property
    def is_off(self) -> bool:
        """Whether the user wants no vectors."""
        return bool(self._settings["embedder"] == "none")

    @property
    def is_loaded(self) -> bool:
        """Whether the models are in memory."""
        return self._embedder is not None

    def nearest(
        self,
        db: sqlite3.Connection,
        text: str,
        projects: Sequence[int] = (),
        allowed: Sequence[int] | None = None,
    ) -> Near:
        """The records near a text. Never raises NoVectors: what is missing is said."""
        try:
            embedder, index = self.loaded(PATIENCE_S)
            if not len(index):
                left = self.count_waiting(db)
                return Near(missing=f"{_NONE_YET}; {left} wait for one" if left else _NONE_YET)
            if isinstance(embedder, Remote) and vector_report.keeps_out(
                db, self._settings, projects
            ):
                return Near(missing="nothing of an excluded project is sent")
            vector = self._vector(embedder, text)
        except NoVectors as error:
            return Near(missing=str(error))
        near = index.nearest(db, vector, projects, allowed)
        left = vectors.count_waiting(db, _TOLD)
        if not left or (left <= BATCH and left * 10 <= len(index)):
            return Near(near)
        more = " or more" if left == _TOLD else ""
        return Near(near, f"{left}{more} records have no vector yet")

    def count_waiting(self, db: sqlite3.Connection) -> int:
        """How many records will get a vector; 0 where none can be made now."""
        if self.is_off or self._failure or self._capped:
            return 0
        waiting = vectors.count_waiting(db)
        if self._is_anew_done:
            return waiting
        try:
            return waiting + vector_report.count_others(db, embedders.named(self._settings))
        except NoVectors:
            return waiting

    def embed_some(self) -> int:
        """Embeds the next records that wait; how many were taken up. Raises NoVectors."""
        rows = self._database.read(lambda db: vectors.waiting(db, BATCH))
        if not rows:
            return 0
        embedder, index = self.loaded(LOADING_S)
        found = self._database.read(lambda db: vectors.texts(db, rows))
        if isinstance(embedder, Remote):
            rows, found = self._to_send(embedder, rows, found)
        try:
            made = _made(embedder, found)
        except NoVectors as error:
            self._note(error)
            raise
        if made:
            self._failure = self._capped = ""

        def write(db: sqlite3.Connection) -> list[int]:
            with sqlite.transaction(db):
                now = vectors.texts(db, rows)
                # a record that changed meanwhile waits on
                kept = [row for row in made if now.get(row) == found[row]]
                for row in kept:
                    vectors.put(db, index.embedder, row, made[row])
                for row in rows:
                    is_refused = row not in made and now.get(row) == found.get(row, now.get(row))
                    if row not in now:
                        vectors.give_up(db, row)
                    elif is_refused:
                        is_kept_out = row not in found
                        vectors.put(db, index.embedder, row, b"" if is_kept_out else vectors.NONE)
            return kept

        kept = self._database.write(write)
        self._database.read(lambda db: index.add(db, kept))
        return len(rows)

    def make_anew(self) -> int:
        """Has some vectors of another embedder made anew; how many, 0 when there are no more."""
        if self._is_anew_done:
            return 0
        if self._index is None and not self._database.read(self._has_others):
            return 0
        embedder = self.loaded(LOADING_S)[1].embedder

        def write(db: sqlite3.Connection) -> int:
            with sqlite.transaction(db):
                return vectors.make_anew(db, embedder, _ANEW)

        found = self._database.write(write)
        self._is_anew_done = found == 0
        return found

    def release_unused(self) -> None:
        """Lets go of the models when nobody has asked for a while."""
        if isinstance(self._embedder, Remote):  # there is nothing to be let go of
            self._embedder.tidy()
            return
        with self._lock:
            if self._embedder is None or time.monotonic() - self._used_at <= UNUSED_S:
                return
            self._embedder = None
            self._asked.clear()
        give_back_memory()

    def status(self, db: sqlite3.Connection) -> dict[str, Any]:
        """For reports: what makes vectors, how many there are, how many are still to be made."""
        name = self._embedder.name if self._embedder else ""
        told = vector_report.report(db, self._settings, self._failure, name)
        return {**told, "capped": self._capped}

    def close(self) -> None:
        """Ends what is under way, for good."""
        if isinstance(self._embedder, Remote):
            self._embedder.close()

    def _has_others(self, db: sqlite3.Connection) -> bool:
        """Whether there are records to be embedded anew: by another embedder, or kept from it."""
        return vectors.has_kept_out(db) or vector_report.has_others(
            db, embedders.named(self._settings)
        )

    def _to_send(
        self, embedder: Remote, rows: list[int], found: dict[int, vectors.Text]
    ) -> tuple[list[int], dict[int, vectors.Text]]:
        """(the rows to be done with, those of them to be sent): one call's, and nothing kept out.

        The user may have excluded a project since.
        """
        out = self._database.read(lambda db: vector_report.kept_out(db, self._settings, rows))
        taken: list[int] = []
        left = embedder.most
        for row in rows:
            parts = len(passages_of(*found[row])) if row in found and row not in out else 0
            if taken and parts > left:
                break
            taken.append(row)
            left -= parts
        return taken, {row: found[row] for row in taken if row in found and row not in out}

    def _note(self, error: NoVectors) -> None:
        """Remembers a failure: no question meets it again for a while."""
        if isinstance(error, Refused):
            return
        if isinstance(error, Capped):
            self._capped = str(error)
            return
        with self._lock:
            self._failure, self._failed_at = str(error), time.monotonic()
            if isinstance(error, Changed):
                self._embedder = self._index = None
                self._is_anew_done = False
                self._asked.clear()

    def _vector(self, embedder: Embedder, text: str) -> Matrix:
        known = self._asked.get(text)
        if known is None:
            if self._failure and time.monotonic() - self._failed_at < RETRY_S:
                raise NoVectors(self._failure)
            try:
                known = embedder.query(text)
            except NoVectors as error:
                self._note(error)
                raise
            self._failure = ""
            self._asked[text] = known
            while len(self._asked) > _REMEMBERED:
                self._asked.popitem(last=False)
        return known

    def loaded(self, patience: float) -> tuple[Embedder, VectorIndex]:
        """The models and the index, loaded where they are not. Raises NoVectors.

        patience: seconds to wait for that; it goes on meanwhile and afterwards.
        """
        self._used_at = time.monotonic()
        if self.is_off:
            raise NoVectors("vectors are switched off")
        with self._lock:
            embedder, index = self._embedder, self._index
            if embedder is not None and index is not None:
                return embedder, index
            if self._loading is None:
                if time.monotonic() - self._failed_at < RETRY_S:
                    raise NoVectors(self._failure)
                self._loading = threading.Event()
                threading.Thread(target=self._load, name="vectors", daemon=True).start()
            loading = self._loading
        if not loading.wait(patience):
            raise NoVectors("the vectors are still being loaded")
        with self._lock:
            embedder, index = self._embedder, self._index
        if embedder is None or index is None:
            raise NoVectors(self._failure)
        return embedder, index

    def _load(self) -> None:
        """Loads what is not there, in a thread of its own."""
        embedder, index, failure = self._embedder, self._index, ""
        try:
            embedder = embedder or embedders.make(self._settings, self._database)
            index = index or self._read_index(embedder)
        except NoVectors as error:
            failure = str(error)
        except Exception as error:  # noqa: BLE001  a thread's door: search goes on by words alone
            log.error("loading vectors failed: %s", type(error).__name__)
            failure = "the vectors cannot be loaded; run: backstory doctor"
        with self._lock:
            self._embedder, self._index, self._failure = embedder, index, failure
            self._failed_at = time.monotonic() if failure else self._failed_at
            loading, self._loading = self._loading, None
        give_back_memory()
        if loading is not None:
            loading.set()

    def _read_index(self, embedder: Embedder) -> VectorIndex:
        name = embedder.name
        known = self._database.read(lambda db: vectors.known_embedder(db, name))
        if known is None:
            if isinstance(embedder, Remote):
                dimensions = embedder.dimensions
            else:
                dimensions = embedder.query("dimensions").shape[1]
            try:
                made = self._database.write(lambda db: vectors.embedder_id(db, name, dimensions))
            except Unavailable:  # a process that only reads
                raise NoVectors(_NONE_YET) from None
            known = made, dimensions
        index = VectorIndex(*known)
        self._database.read(index.load)
        if self._database.writer_alive and self._database.read(vectors.has_kept_out):
            # once in a worker's life: they may be excluded no more
            self._database.write(lambda db: vectors.ask_again(db, index.embedder))
        return index


def give_back_memory() -> None:
    """Has the C library return what was freed: loading leaves a hundred megabytes behind."""
    gc.collect()
    with suppress(OSError, AttributeError):  # another system, another C library
        ctypes.CDLL(None).malloc_trim(0)


def _made(embedder: Embedder, found: dict[int, vectors.Text]) -> dict[int, bytes]:
    """row: the vectors of its parts, without the rows that the embedder refuses."""
    rows = list(found)
    if not rows:
        return {}
    parts = {row: passages_of(*found[row]) for row in rows}
    try:
        made = vectors.packed(embedder.passages([one for row in rows for one in parts[row]]))
    except Refused:
        if len(rows) == 1:
            return {}
        middle = len(rows) // 2
        halves = ({row: found[row] for row in part} for part in (rows[:middle], rows[middle:]))
        return {row: vector for half in halves for row, vector in _made(embedder, half).items()}
    blobs: dict[int, bytes] = {}
    at = 0
    for row in rows:
        blobs[row] = made[at : at + len(parts[row])].tobytes()
        at += len(parts[row])
    return blobs


def passages_of(title: str, body: str, queries: str = "") -> list[Passage]:
    """A record in parts of one thought each: of a long text, one vector tells too little.

    The prompts that it waits for are a part of their own.
    """
    parts: list[str] = []
    part = ""
    pieces = _PIECE.split(body[: PART * MOST_PARTS])
    for piece in (one[at : at + PART] for one in pieces for at in range(0, len(one) or 1, PART)):
        if part and len(part) + len(piece) > PART:
            parts.append(part)
            part = ""
        part += piece
    if part.strip() or not parts:
        parts.append(part)
    found = [Passage("" if place else title, text) for place, text in enumerate(parts[:MOST_PARTS])]
    return [*found, Passage("", queries)] if queries else found
