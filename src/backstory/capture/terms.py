"""What is known of a provider's calls: how much they take, how long answers are, what is billed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from backstory.capture.ledger import Budget

BATCH_TOKENS = 12_000  # of a call's data; the fixed part comes on top
ANSWER_TOKENS = (1_200, 600, 6_000)  # most tokens of an answer: at least, more a turn, at most
MOST_STRETCH = 8  # times that, for a model that thinks before it answers
LONGEST_ANSWER = 16_000  # many models refuse to be allowed more
MOST_RATIO = 10.0  # of a bill to its estimate: what is above is not reserved


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a provider's next call."""

    room: int = BATCH_TOKENS  # tokens of data that it takes
    stretch: int = 1  # answers were cut: so many times the usual length is allowed
    day_out: int = 1_000_000  # the whole day's cap of output
    ratio_in: float = 1.0  # what is billed for each token of the estimate, at least 1
    ratio_out: float = 1.0
    is_proven: bool = False  # answers of that length came: one that is cut is its turn's own

    def wanted(self, turns: int) -> int:
        """What an answer about so many turns may need, in tokens."""
        least, more, most = ANSWER_TOKENS
        return min(min(least + more * turns, most) * self.stretch, LONGEST_ANSWER)

    def answer(self, turns: int) -> int:
        """Most tokens of an answer about so many turns, on a day of which nothing is used yet."""
        return min(self.wanted(turns), max(self.day_out, ANSWER_TOKENS[0]))

    @property
    def least_answer(self) -> int:
        """With less than this left of the day's cap no call is worth its fixed part."""
        return min(ANSWER_TOKENS[0] * self.stretch, self.answer(1))

    @property
    def grown(self) -> Terms:
        """The terms after one more answer that was cut."""
        return replace(self, stretch=min(self.stretch * 2, MOST_STRETCH))

    def bill(self, tokens_in: int, tokens_out: int) -> tuple[int, int]:
        """What a call of so many estimated tokens is expected to be billed for."""
        return math.ceil(tokens_in * self.ratio_in), math.ceil(tokens_out * self.ratio_out)

    def share(self, budget: Budget) -> Budget:
        """What is left of a budget, in tokens of the estimate: the most whose bill fits."""
        return replace(
            budget,
            tokens_in=_most(budget.tokens_in, self.ratio_in),
            tokens_out=_most(budget.tokens_out, self.ratio_out),
        )

    def needed(self, turns: int, tokens: int) -> int:
        """How often the length had to double for an answer of so many tokens; 0: not told."""
        most = self.stretch.bit_length() - 1
        fitting = (n for n in range(most) if tokens <= replace(self, stretch=2**n).wanted(turns))
        return next(fitting, most) if tokens else most


def _most(left: int, ratio: float) -> int:
    most = int(left / ratio)
    # a product that is rounded up may be one more than what was divided
    while most > 0 and math.ceil(most * ratio) > left:
        most -= 1
    return most
