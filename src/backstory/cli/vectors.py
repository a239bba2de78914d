"""Search by meaning, in words: who makes the vectors, how many there are, what a change means."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from backstory import config, paths
from backstory.capture.trust import known_folders, unsafe_home
from backstory.cli import output
from backstory.errors import BackstoryError
from backstory.recall import vector_report
from backstory.storage.database import Database

# after a change of one of these it is told what it means
SETTINGS = ("embedder", "embedding_url", "embedding_model", "embedding_key")


def stored(home: Path, settings: config.Config) -> dict[str, Any]:
    """What can be told without a worker; {} where nothing is stored or it cannot be read."""
    if not settings.values or not (home / paths.DATABASE).exists():
        return {}
    try:
        database = Database(home / paths.DATABASE)
        return database.read(lambda db: vector_report.report(db, settings))
    except (BackstoryError, sqlite3.Error):
        return {}


def line(found: Mapping[str, Any]) -> str:
    """How vectors stand, by the worker's status or what is stored."""
    if found["embedder"] == "none":
        return "vectors are switched off: words alone are searched"
    model = f" ({found['model']})" if found["model"] else ""
    text = f"vectors by {found['embedder']}{model}: {records(found['vectors'])}"
    if found["waiting"]:
        text += f", {records(found['waiting'])} to be embedded"
    if found.get("refused"):
        text += f", {found['refused']:,} refused by the model"
    if found.get("kept_out"):
        text += f", {found['kept_out']:,} kept out (excluded projects)"
    if why := found["failure"] or found.get("capped"):
        text += f"; {why}"
    return text


def records(number: int) -> str:
    """1 record, 2 records."""
    return f"{number:,} record{'s' * (number != 1)}"


def words(home: Path, name: str) -> list[str]:
    """What follows from the settings as they are, after a change of this one."""
    settings = config.load(home)
    embedder = settings["embedder"]
    if embedder == "openai":
        told = [*of_endpoint(settings), unencrypted(settings)]
    elif name != "embedder":
        told = [f"embedder is {embedder}: `backstory settings embedder openai` uses it"]
    elif embedder == "none":
        told = [line({"embedder": embedder})]
    else:
        told = ["two small models on this machine find by meaning; nothing is sent anywhere"]
    waiting = stored(home, settings).get("waiting", 0)
    if waiting and name != "embedding_key":
        told.append(f"{records(waiting)} to be embedded, in the background")
    return told


def of_endpoint(settings: config.Config) -> list[str]:
    """What is sent where, and what it may cost."""
    # other commands start faster without it
    from backstory.recall.embedders import endpoint  # noqa: PLC0415

    if not settings["embedding_url"] or not settings["embedding_model"]:
        return [endpoint.NEEDS]
    if why := unsafe_home(settings, folders()):
        return [f"nothing is sent to an endpoint: {why}"]
    where, model = endpoint.host(settings), settings["embedding_model"]
    sent = f"the texts of all records and the words of every search are sent to {where}"
    half = settings["daily_input_tokens"] // 2
    return [
        f"{sent}; {model} embeds all records anew",
        f"at most {half:,} tokens a day, half of daily_input_tokens",
    ]


def folders() -> tuple[str, ...]:
    """The folders of the known projects."""
    try:
        return output.read(known_folders)
    except BackstoryError:
        return ()


def unencrypted(settings: config.Config) -> str:
    """A warning where the key goes over the network in the clear; else ""."""
    address = urlsplit(str(settings["embedding_url"]))
    is_used = settings["embedder"] == "openai" and settings["embedding_key"]
    if not is_used or address.scheme.lower() != "http":
        return ""
    # other commands start faster without it
    from backstory.capture.providers.http_client import is_loopback  # noqa: PLC0415

    if is_loopback(address.hostname or ""):
        return ""
    return (
        f"your key and your records go to {address.hostname} unencrypted: give embedding_url an "
        "https address"
    )
