"""Sets of words, written as text."""

from __future__ import annotations


def wordlist(text: str) -> frozenset[str]:
    """The words of a text as a set; a long list stays readable this way."""
    return frozenset(text.split())
