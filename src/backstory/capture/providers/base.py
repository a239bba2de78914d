"""What every provider of a model takes and gives.

A provider is one module with one class, and one row in `providers.PROVIDERS`. It makes one call
and says what came of it. Jobs, budgets, validation and pauses are decided above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

ANSWER_LIMIT = 1_000_000  # bytes of an answer that are read; more is no answer of ours

TroubleKind = Literal[
    "setup",  # a setting, a file or a program is missing or does not fit
    "login",  # key or login are refused, or the account may not use the model
    "limit",  # a rate or usage limit; retry_after where it was told
    "busy",  # the service's own fault: 5xx, overloaded
    "unreachable",  # no connection, or it was closed before the answer ended
    "timeout",  # no answer in time: it may have been billed
    "too_long",  # the batch does not fit the model
    "refused",  # the request itself is refused, whatever is retried
]
# These say nothing against the batch: another one would have met the same.
OF_THE_PROVIDER = ("setup", "login", "limit", "busy", "unreachable", "timeout")


@dataclass(frozen=True, slots=True)
class Ask:
    """One question: fixed instructions, the data, and the shape of the answer."""

    instructions: str  # the fixed part, cached where the provider can
    batch: str  # the data of this call
    schema: Mapping[str, Any]  # JSON schema of the answer
    max_tokens: int  # of the answer
    timeout: float  # seconds for all of it


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call was billed for, in tokens. Cached input counts as input, too."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0  # of tokens_in: read from the prompt cache, at a tenth of the price
    price_usd: float | None = None  # where the provider itself told it


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. Whether it is what was asked for is decided by its reader."""

    text: str  # JSON, or whatever was said instead
    model: str  # the model that answered, as the provider names it
    usage: Usage
    is_cut: bool = False  # it ended at max_tokens


@dataclass(frozen=True, slots=True)
class Label:
    """Which provider and model distil, for a person."""

    provider: str
    model: str
    note: str = ""  # where it runs, whose account it is: "your Claude login", a host's name


@dataclass(eq=False)
class Trouble(Exception):
    """A call that brought no answer.

    message: for a person, without anything that was captured and without keys. usage: what was
    billed all the same, where it is known. may_be_billed: it was sent, and nobody knows.
    """

    kind: TroubleKind
    message: str
    retry_after: float | None = None  # seconds
    usage: Usage = field(default_factory=Usage)
    may_be_billed: bool = False

    def __str__(self) -> str:
        return self.message

    @property
    def is_of_the_provider(self) -> bool:
        """Whether another batch would have met the same."""
        return self.kind in OF_THE_PROVIDER


class Provider(Protocol):
    """A model that answers. Used from several threads at once."""

    @property
    def label(self) -> Label:
        """Who answers."""

    def ask(self, ask: Ask) -> Answer:
        """Makes one call and waits. Raises Trouble, nothing else."""

    def close(self) -> None:
        """Ends connections and children."""
