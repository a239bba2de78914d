"""The models that can distil: one module each, one row here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from backstory.capture.providers.base import Provider

# name -> module:class; the libraries behind them cost half a second, so none is loaded before use
PROVIDERS: dict[str, str] = {
    "claude-cli": "backstory.capture.providers.claude_cli:ClaudeCli",
    "anthropic": "backstory.capture.providers.anthropic:Anthropic",
    "openai": "backstory.capture.providers.openai:OpenAI",
}


class Settings(Protocol):
    """What providers read: config.Config, or anything that answers like it."""

    def __getitem__(self, name: str, /) -> Any: ...


def create(name: str, settings: Settings) -> Provider:
    """The provider of that name. Raises base.Trouble ("setup") where a setting is missing."""
    module, _, kind = PROVIDERS[name].partition(":")
    make: Callable[[Settings], Provider] = getattr(import_module(module), kind)
    return make(settings)
