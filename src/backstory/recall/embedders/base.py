"""What an embedder is: it turns texts into vectors of which the near ones mean alike."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Passage:
    """One record's text, as it is embedded."""

    title: str
    body: str


class NoVectors(Exception):
    """The embedder cannot be used now. The text is for the user: why, and what to do."""

    wait = 0.0  # seconds after which it may be asked again, where that was told


class Refused(NoVectors):
    """The embedder works, and will not take these texts: asking again is of no use."""


class Capped(NoVectors):
    """Nothing is wrong: no more may be spent today."""


class Changed(NoVectors):
    """The vectors have other dimensions than before: those that were made are of no use."""


class Embedder(Protocol):
    """One source of vectors. May be called from several threads."""

    name: str  # with its version: vectors of another name are made anew

    def passages(self, passages: Sequence[Passage]) -> Matrix:
        """One row a passage, of length 1. Raises NoVectors."""
        ...

    def query(self, text: str) -> Matrix:
        """One row, of length 1. Raises NoVectors."""
        ...


class Remote(Embedder):
    """An embedder that texts are sent to: it is given few at a time, and nothing kept out."""

    dimensions: int
    most: int  # passages that one call takes

    @abstractmethod
    def tidy(self) -> None:
        """Writes down what was spent since, now and then."""

    @abstractmethod
    def close(self) -> None:
        """Ends what is under way, for good."""
