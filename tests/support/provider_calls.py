"""Calls of a provider with the settings of a test."""

from __future__ import annotations

from typing import Any

import pytest

from backstory import config
from backstory.capture import providers
from backstory.capture.providers.base import Ask, Provider, Trouble

KEY = "sk-ant-test0123456789"
BATCH = (
    "## t1\nprompt:\n| please mend the zebra parser\nevents:\nt1e1 Bash make\nt1e2 Read zebra.py"
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"observations": {"type": "array", "items": {"type": "object"}}},
    "required": ["observations"],
    "additionalProperties": False,
}


def settings(**values: Any) -> dict[str, Any]:
    """All settings, those of the test changed."""
    return {setting.name: setting.default for setting in config.SETTINGS} | values


def make(name: str, **values: Any) -> Provider:
    """A provider with a key and a model, and the settings of the test."""
    return providers.create(name, settings(**{"api_key": KEY, "model": "small-1", **values}))


def question(batch: str = BATCH, timeout: float = 10.0) -> Ask:
    """A question of the usual kind."""
    return Ask("Write observations.", batch, SCHEMA, 1000, timeout)


def trouble_of(provider: Provider, ask: Ask | None = None) -> Trouble:
    """The trouble that a call ends in; it holds no key and nothing of the batch."""
    with pytest.raises(Trouble) as caught:
        provider.ask(ask or question())
    message = caught.value.message
    assert KEY not in message
    assert "zebra" not in message
    assert len(message) < 450
    return caught.value
