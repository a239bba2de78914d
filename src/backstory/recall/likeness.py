"""How near short texts are to a question, by the vectors of their words alone.

Quick enough to be asked in the middle of a search: fifty texts in some milliseconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from backstory.config import Config
from backstory.recall.embedders.builtin import TokenVectors

Nearness = Callable[[str, Sequence[str]], Sequence[float]]
UNUSED_S = 300.0  # after which the model is let go: 30 MB


class _Kept:
    """The model while it is in use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: TokenVectors | None = None
        self._timer: threading.Timer | None = None

    def model(self) -> TokenVectors | None:
        """The model, loaded where it was let go; None where it is not installed."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._model is None:
                self._model = TokenVectors.load()
            self._timer = threading.Timer(UNUSED_S, self._let_go)
            self._timer.daemon = True
            self._timer.start()
            return self._model

    def _let_go(self) -> None:
        with self._lock:
            self._model = None


_kept = _Kept()


def nearness(settings: Config) -> Nearness | None:
    """What tells how near texts are to a question; None where meanings are switched off.

    Nothing leaves the machine, whatever embedder is set.
    """
    return None if settings["embedder"] == "none" else _near


def _near(question: str, texts: Sequence[str]) -> Sequence[float]:
    model = _kept.model()
    if model is None:
        return [0.0] * len(texts)
    import numpy as np  # noqa: PLC0415  0.1 s: only who uses vectors loads it

    vectors = model.by_words([question, *texts])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    near: list[float] = (vectors[1:] @ vectors[0]).tolist()
    return near
