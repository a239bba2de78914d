"""Who distils, in words: from a worker's status, or from the settings alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from backstory import config
from backstory.capture import renewal
from backstory.capture.trust import known_folders, unsafe_home
from backstory.cli import output
from backstory.errors import BackstoryError

# after a change of one of these it is told who distils
SETTINGS = (*renewal.SETTINGS, "daily_input_tokens", "daily_output_tokens")
KEYS = ("api_key", "auth_token")
OF_A_PROVIDER = ("model", "api_key", "auth_token", "base_url", "cloud")
RULES = "rules alone distil; nothing is sent to a model"


def words(home: Path) -> str:
    """Who will distil with the settings as they are, and within which cap. Sends nothing."""
    from backstory.capture.providers import auto  # noqa: PLC0415  other commands start faster

    settings = config.load(home)
    folders = roots()
    if settings["provider"] != "rules" and (why := unsafe_home(settings, folders)):
        return f"{RULES}: {why}"
    chosen = auto.choose(settings, folders)
    if chosen.provider is None:
        return RULES if settings["provider"] == "rules" else f"{RULES}: {chosen.why}"
    label = chosen.provider.label
    chosen.provider.close()
    note = f" ({label.note})" if label.note else ""
    return f"{label.provider} distils with {label.model}{note}; {cap_text(settings.values)}"


def hints(home: Path, name: str) -> list[str]:
    """What else to think of after a change of this setting."""
    settings = config.load(home)
    provider, is_set = settings["provider"], [one for one in OF_A_PROVIDER if settings[one]]
    if name in (*KEYS, "base_url", "provider") and (warning := unencrypted(settings)):
        return [warning]
    if name == "provider" and is_set and provider != "rules":
        return [f"still set, and used: {', '.join(is_set)} (`backstory settings NAME --unset`)"]
    if name in is_set and provider in ("auto", "rules"):
        return [
            f"provider is {provider}: `backstory settings provider anthropic` or openai uses it"
        ]
    return []


def unencrypted(settings: config.Config) -> str:
    """A warning where a key goes over the network in the clear; else ""."""
    address = urlsplit(str(settings["base_url"]))
    used = settings["provider"] in ("anthropic", "openai") and any(settings[one] for one in KEYS)
    if not used or address.scheme.lower() != "http":
        return ""
    # other commands start faster without it
    from backstory.capture.providers.http_client import is_loopback  # noqa: PLC0415

    if is_loopback(address.hostname or ""):
        return ""
    return (
        f"your key and what is distilled go to {address.hostname} unencrypted: give base_url an "
        "https address"
    )


def cap_text(settings: Mapping[str, Any]) -> str:
    """The daily cap."""
    from backstory.capture import planning, terms  # noqa: PLC0415  the same

    most_in, most_out = settings["daily_input_tokens"], settings["daily_output_tokens"]
    if not most_in or not most_out:
        return "but the daily cap allows nothing"
    needs = planning.needs(terms.Terms())
    text = f"at most {most_in:,} input and {most_out:,} output tokens a day"
    if most_in < needs[0] or most_out < needs[1]:
        text += f", which allows no call: one needs about {needs_text(needs)}"
    return text


def needs_text(needs: tuple[int, int]) -> str:
    """What a call needs of the cap."""
    return f"{needs[0]:,} tokens in and {needs[1]:,} out"


def capped(found: Mapping[str, Any]) -> str:
    """That today's cap is reached, by the worker's status."""
    needs = found.get("needs") or {}
    if not needs:
        return "today's cap is reached"
    of_call = needs_text((needs["tokens_in"], needs["tokens_out"]))
    return f"today's cap is reached: one call needs about {of_call}"


def roots() -> Sequence[str]:
    """The folders of the known projects: no program in one of them is run."""
    try:
        return output.read(known_folders)
    except BackstoryError:
        return ()


def line(found: Mapping[str, Any]) -> str:
    """Who distils, by the worker's status."""
    provider, model = found.get("provider") or "rules", found.get("model") or ""
    note = f" ({found['note']})" if found.get("note") else ""
    if found.get("state") == "looking":
        return "rules distil; whether a model does, too, is being looked at"
    if provider == "rules":
        return f"{RULES}: {found['note']}" if note else RULES
    text = f"{provider} distils" + (f" with {model}" if model else "") + note
    if found.get("state") == "capped":
        text += f"; {capped(found)}, rules go on"
    if found.get("state") == "untold":
        text += "; it begins once a session's start has told you so"
    if found.get("until"):
        text += f"; paused until {clock(found['until'])}"
        text += f": {found['reason']}" if found.get("reason") else ""
    return text


def awaited(found: Mapping[str, Any]) -> str:
    """The model that turns wait for, and why they do, by the worker's status."""
    who = found.get("provider") or "rules"
    who, why = ("a model", found.get("note") or "") if who == "rules" else (who, "")
    reason = found.get("reason") or ""
    if found.get("until"):
        why = f"paused until {clock(found['until'])}" + (f": {reason}" if reason else "")
    elif found.get("state") == "capped":
        why = capped(found)
    elif found.get("state") not in ("ready", "off"):  # then it is of a failure that is over
        why = why or reason
    return f"{who} ({why})" if why else who


def clock(at: int) -> str:
    """A time (Unix milliseconds) for a person, UTC."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
