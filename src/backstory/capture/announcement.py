"""Telling the user, once, who distils, with which model and cap, and how to change it."""

from __future__ import annotations

from contextlib import suppress

from backstory import config, paths
from backstory.capture.providers.base import Label
from backstory.capture.trust import ABOUT_HOME


def take(settings: config.Config, label: Label | None, why: str) -> str:
    """The announcement where it was not made yet, or would be another one now; else "".

    Who chose rules needs no telling.
    """
    if settings["provider"] == "rules":
        return ""
    sentence = text(settings, label, why)
    told = settings.home / paths.TOLD
    with suppress(OSError):
        if told.read_text(encoding="utf-8") == sentence:
            return ""
    try:
        config.write_private(told, sentence)
    except OSError:
        return ""  # it would be said at every start
    return sentence


def is_told(settings: config.Config, label: Label) -> bool:
    """Whether the user knows that this provider and model distil."""
    try:
        told = (settings.home / paths.TOLD).read_text(encoding="utf-8")
    except OSError:
        return False
    return told.startswith(_opening(label))


def _opening(label: Label) -> str:
    return f"{label.provider} distils what happens here (model {label.model}"


def text(settings: config.Config, label: Label | None, why: str) -> str:
    """The sentence itself."""
    if label is None and why.startswith(ABOUT_HOME):
        return (
            "no model distils what happens here, rules alone do, and the settings in "
            f"{settings.home} are not believed about one: {why}"
        )
    if label is None:
        return (
            f"rules distil what happens here, without a model ({why}). A model writes better "
            "records: `backstory settings provider claude-cli` (or anthropic, openai); the README "
            "tells more"
        )
    note = f", {label.note}" if label.note else ""
    cap_in, cap_out = settings["daily_input_tokens"], settings["daily_output_tokens"]
    return (
        f"{_opening(label)}{note}), with at most "
        f"{cap_in:,} input and {cap_out:,} output tokens a day. `backstory settings "
        "daily_input_tokens N` changes the cap, `backstory settings provider rules` does without "
        "a model, `backstory stats` shows what was spent"
    )
