"""Who distils, in a line: what a person reads in each state."""

from __future__ import annotations

from pathlib import Path

import pytest

from backstory import config
from backstory.cli import distiller


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("ready", "claude-cli distils with haiku (your login)"),
        ("capped", "today's cap is reached, rules go on"),
        ("untold", "it begins once a session's start has told you so"),
        ("looking", "whether a model does, too, is being looked at"),
    ],
)
def test_each_state_has_its_words(state: str, words: str) -> None:
    """Nothing is left to be guessed."""
    found = {"provider": "claude-cli", "model": "haiku", "note": "your login", "state": state}
    assert words in distiller.line(found)


def test_a_pause_says_until_when_and_why() -> None:
    """By the worker's own word."""
    found = {
        "provider": "openai",
        "state": "paused",
        "until": 1_780_000_000_000,
        "reason": "HTTP 529",
    }
    said = distiller.line(found)
    assert "paused until" in said
    assert said.endswith("HTTP 529")


def test_a_cap_that_is_too_small_for_a_call_is_told_as_such() -> None:
    """1,000 of 1,000 tokens left and "the cap is reached" would be a riddle."""
    needs = {"tokens_in": 3_240, "tokens_out": 1_200}
    found = {"provider": "openai", "model": "m", "state": "capped", "needs": needs}
    assert "one call needs about 3,240 tokens in and 1,200 out" in distiller.line(found)
    assert "one call needs about 3,240 tokens in" in distiller.awaited(found)
    cap = {"daily_input_tokens": 1_000, "daily_output_tokens": 60_000}
    assert "allows no call: one needs about" in distiller.cap_text(cap)
    assert "needs" not in distiller.cap_text({**cap, "daily_input_tokens": 500_000})


@pytest.mark.parametrize(
    ("address", "warns"),
    [
        ("http://models.example:8080/v1", True),
        ("HTTP://192.168.1.5/v1", True),
        ("https://models.example/v1", False),
        ("http://127.0.0.1:11434/v1", False),
        ("http://[::1]:11434/v1", False),
        ("http://localhost:4000", False),
    ],
)
def test_a_key_that_goes_out_in_the_clear_is_warned_of(
    tmp_path: Path, address: str, warns: bool
) -> None:
    """When it is set and when the address is, to another machine alone."""
    config.store(tmp_path, "provider", "openai")
    config.store(tmp_path, "base_url", address)
    assert not any("unencrypted" in hint for hint in distiller.hints(tmp_path, "base_url"))
    config.store(tmp_path, "api_key", "abcdef-123456")
    for name in ("base_url", "api_key", "provider"):
        assert any("unencrypted" in hint for hint in distiller.hints(tmp_path, name)) is warns
    config.store(tmp_path, "provider", "claude-cli")
    assert not any("unencrypted" in hint for hint in distiller.hints(tmp_path, "base_url"))
