"""What tokens cost: list prices by the model's name, from prices.toml; no guess for others."""

from __future__ import annotations

import functools
import re
import tomllib
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

# What providers write around a model's name: a vendor's path, a cloud's region, a snapshot.
_BEFORE = re.compile(r"^(?:[a-z]{2,6}\.)?anthropic\.")
_AFTER = re.compile(
    r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest|preview(?:-\d\d-20\d\d)?))?(?:-v\d(?::\d)?)?$"
)
_NAME_LIMIT = 200


@functools.cache
def table() -> tuple[date, dict[str, dict[str, Any]]]:
    """The day of the list, and its rows by name."""
    text = Path(__file__).with_name("prices.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)
    return found["date"], found["models"]


def list_day() -> str:
    """The day of the list, ISO."""
    return table()[0].isoformat()


def plain_name(model: str) -> str:
    """A model's name without what providers and clouds put around it."""
    name = model.strip().lower()[:_NAME_LIMIT].rpartition("/")[2]
    return _AFTER.sub("", _BEFORE.sub("", name)).replace(".", "-")


def price(
    model: str, tokens_in: int, tokens_out: int, tokens_cached: int = 0, today: date | None = None
) -> float | None:
    """USD for these tokens (cached ones are part of tokens_in); None for an unknown model."""
    row = table()[1].get(plain_name(model))
    if row is None or (today or datetime.now(UTC).date()) > row.get("until", date.max):
        return None
    fresh = max(tokens_in - tokens_cached, 0)
    cost = fresh * row["input"] + tokens_out * row["output"] + tokens_cached * row["cached"]
    return float(cost) / 1_000_000
