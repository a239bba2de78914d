"""Backstory: what was tried, found, decided and changed in every earlier session."""

__version__ = "0.1.0"
