"""Prices: known models by whatever name a provider gives them, and no guess for others."""

from __future__ import annotations

from datetime import date

import pytest

from backstory.capture import prices

DAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("claude-haiku-4-5", 1.0),
        ("claude-haiku-4-5-20251001", 1.0),
        ("anthropic/claude-haiku-4.5", 1.0),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 1.0),
        ("anthropic.claude-haiku-5-5", 0.1),
        ("claude-haiku-4-5@20251001", 1.0),
        ("GPT-4o-mini-2024-07-18", 0.15),
        ("openai/gpt-6-luna", 0.1),
        ("gpt-5.4-mini", 0.75),
        ("models/gemini-2.5-flash", 0.3),
        ("google/gemini-2.5-flash-lite-preview-09-2025", 0.1),
    ],
)
def test_a_known_model_has_its_price_under_every_name(model: str, cost: float) -> None:
    """Vendor paths, cloud regions, snapshots and dots change nothing."""
    assert prices.price(model, 1_000_000, 0, today=DAY) == pytest.approx(cost)


@pytest.mark.parametrize(
    "model",
    [
        "",
        "haiku",
        "gpt-5-pro",
        "gpt-6-luna-fast",
        "gpt-4o-mini-audio-preview",
        "claude-haiku-9",
        "claude-haiku-4-5-turbo",
        "gemini-2.5-flash-image",
        "llama3.1:8b",
        "qwen/qwen3-8b:free",
        "openai/gpt-5-mini:free",
        "x" * 100_000,
        "claude-haiku-4-5" + "-" * 100_000,
    ],
    ids=range(13),
)
def test_an_unknown_model_has_no_price(model: str) -> None:
    """Also where its name begins like a known one's: never a guess."""
    assert prices.price(model, 1_000_000, 1_000_000, today=DAY) is None


def test_cached_input_costs_less() -> None:
    """It is a part of the input, not an addition to it."""
    full = prices.price("claude-haiku-4-5", 1_000_000, 100_000, today=DAY)
    cached = prices.price("claude-haiku-4-5", 1_000_000, 100_000, 1_000_000, today=DAY)
    assert full == pytest.approx(1.5)
    assert cached == pytest.approx(0.6)
    assert prices.price("claude-haiku-4-5", 0, 0, today=DAY) == 0


def test_an_announced_price_ends_on_its_day() -> None:
    """After it the price is not known."""
    assert prices.price("gemini-3.8-flash", 1_000_000, 0, today=date(2026, 12, 31)) is not None
    assert prices.price("gemini-3.8-flash", 1_000_000, 0, today=date(2027, 1, 1)) is None


def test_the_list_says_its_day_and_every_row_is_whole() -> None:
    """A cached token never costs more than a fresh one; names are written as they are looked up."""
    assert date.fromisoformat(prices.list_day()) >= date(2026, 11, 1)
    for name, row in prices.table()[1].items():
        assert name == prices.plain_name(name)
        assert 0 < row["cached"] <= row["input"] <= row["output"]
