"""A small embedder: words hashed to directions, synonyms to one. It can be told to fail."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from backstory.recall.embedders.base import NoVectors, Passage, Refused

if TYPE_CHECKING:
    from backstory.recall.embedders.base import Matrix

DIMENSIONS = 128


@lru_cache(maxsize=50_000)
def direction(word: str) -> Matrix:
    """Where a word points: always the same, and far from every other."""
    source = np.random.default_rng(zlib.crc32(word.encode("utf-8", "surrogatepass")))
    return source.standard_normal(DIMENSIONS).astype(np.float32)


class HashedWords:
    """The sum of a text's words: texts that share words, or words of one meaning, are near."""

    def __init__(self, name: str = "hashed/1", synonyms: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.synonyms = dict(synonyms or {})
        self.asked: list[str] = []  # questions, as they arrived
        self.seen: list[str] = []  # records, as they arrived
        self.failure = ""  # while it is set, nothing is embedded
        self.refused = ""  # texts in which this stands are not taken
        self.meanwhile: Callable[[], object] = bool  # happens while records are being embedded

    def passages(self, passages: Sequence[Passage]) -> Matrix:
        """One row a passage. Raises NoVectors and Refused, as it was told to."""
        texts = [f"{one.title}\n{one.body}" for one in passages]
        self._check()
        if self.refused and any(self.refused in text for text in texts):
            raise Refused("this text is not taken")
        self.seen += texts
        self.meanwhile()
        return np.stack([self._vector(text) for text in texts])

    def query(self, text: str) -> Matrix:
        """One row. Raises NoVectors where it was told to."""
        self._check()
        self.asked.append(text)
        return self._vector(text).reshape(1, -1)

    def _check(self) -> None:
        if self.failure:
            raise NoVectors(self.failure)

    def _vector(self, text: str) -> Matrix:
        words = re.findall(r"\w+", text.casefold()) or [""]
        vector = sum(
            (direction(self.synonyms.get(word, word)) for word in words),
            np.zeros(DIMENSIONS, dtype=np.float32),
        )
        unit: Matrix = vector / max(float(np.linalg.norm(vector)), 1e-9)
        return unit
