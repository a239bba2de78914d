"""Who distils, in a line: what a person reads in each state."""

from __future__ import annotations

import pytest

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
