"""Backstory: what was tried, found, decided and changed in every earlier session."""
