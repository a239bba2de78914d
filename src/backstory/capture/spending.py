"""What distilling by a model has cost and what waits for it, read from ledger and jobs.

Days are days in UTC. A price is what the provider told, else the list price of the model; calls
whose price nobody knows are counted, and not guessed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from typing import Any

from backstory.capture import prices
from backstory.capture.ledger import DAY_MS, EMBEDDINGS, day_start
from backstory.storage import sql, sqlite

DAYS = 30  # that a report covers unless it is told otherwise
MOST_DAYS = 3650
_SQL = sql.load("stats")


@dataclass(slots=True)
class Spent:
    """The sum of some calls."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0  # of tokens_in
    tool_uses: int = 0
    rows_written: int = 0
    dropped: int = 0  # details that no event held
    duration_ms: int = 0
    failed: int = 0  # calls that were billed and brought nothing of use
    price_usd: float = 0.0
    priced: int = 0  # calls whose price is known

    def add(self, other: Spent) -> None:
        """Adds the other's numbers to these."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def as_json(self) -> dict[str, Any]:
        """For a report; price_usd is None where no call's price is known."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        unpriced = self.calls - found.pop("priced")
        price = round(self.price_usd, 6) if self.priced or not self.calls else None
        return {**found, "price_usd": price, "unpriced_calls": unpriced}


@dataclass(frozen=True, slots=True)
class Group:
    """The calls of one day, project, provider and model."""

    day: str
    project: str
    provider: str
    model: str
    spent: Spent


def groups(db: sqlite3.Connection, since: int) -> list[Group]:
    """All calls since a time (Unix milliseconds)."""
    found = []
    for row in db.execute(_SQL["calls"], {"since": since}):
        day, project, provider, model, *sums = row
        spent = Spent(*sums[:11])
        tokens_in, tokens_out, tokens_cached = sums[11:]  # of calls whose price nobody told
        listed = prices.price(model, tokens_in, tokens_out, tokens_cached, _date(day))
        if listed is not None:
            spent.price_usd += listed
            spent.priced = spent.calls
        found.append(Group(_date(day).isoformat(), project, provider, model, spent))
    return found


def _date(day: int) -> date:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day)).date()


def total(of: Iterable[Group]) -> Spent:
    """The sum of groups."""
    found = Spent()
    for group in of:
        found.add(group.spent)
    return found


def summary(
    db: sqlite3.Connection, settings: Mapping[str, Any], now: int | None = None
) -> dict[str, Any]:
    """Today's spend and the month's, what is left of the cap, a batch's average, what waits.

    "embeddings" is the part of today's that vectors of an endpoint have cost.
    settings: without the two caps in it, "cap" and "left" are None.
    """
    now = sqlite.now_ms() if now is None else now
    today = _date(now // DAY_MS).isoformat()
    lately = now // DAY_MS - max(DAYS - 1, int(today[8:]) - 1)
    known = groups(db, lately * DAY_MS)
    month = total(one for one in known if one.day[:7] == today[:7])
    spent = total(one for one in known if one.day == today)
    calls, held_in, held_out = db.execute(_SQL["under_way"], {"since": day_start(now)}).fetchone()
    cap = left = None
    if "daily_input_tokens" in settings and "daily_output_tokens" in settings:
        cap = {
            "tokens_in": settings["daily_input_tokens"],
            "tokens_out": settings["daily_output_tokens"],
        }
        left = {
            "tokens_in": max(cap["tokens_in"] - spent.tokens_in - held_in, 0),
            "tokens_out": max(cap["tokens_out"] - spent.tokens_out - held_out, 0),
        }
    return {
        "day": today,
        "today": spent.as_json(),
        "embeddings": total(
            one for one in known if one.day == today and one.provider == EMBEDDINGS
        ).as_json(),
        "month": month.as_json(),
        "under_way": {"calls": calls, "tokens_in": held_in, "tokens_out": held_out},
        "cap": cap,
        "left": left,
        "batch": average(total(one for one in known if one.provider != EMBEDDINGS)),
        "waiting": waiting(db),
        "prices_of": prices.list_day(),
    }


def average(spent: Spent) -> dict[str, Any]:
    """What one call comes to; {} where there was none."""
    if not spent.calls:
        return {}
    price = spent.price_usd / spent.priced if spent.priced else None
    return {
        "tokens_in": round(spent.tokens_in / spent.calls),
        "tokens_out": round(spent.tokens_out / spent.calls),
        "tool_uses": round(spent.tool_uses / spent.calls, 1),
        "rows_written": round(spent.rows_written / spent.calls, 1),
        "seconds": round(spent.duration_ms / spent.calls / 1000, 1),
        "price_usd": None if price is None else round(price, 6),
    }


def waiting(db: sqlite3.Connection) -> dict[str, Any]:
    """Turns that wait for a model, are with one, or were given up; and why the last one was.

    until: when the first of them is tried again after a failure, and waits_for is that failure; 0
    where one is due.
    """
    states = dict(db.execute(_SQL["model_jobs"]).fetchall())
    why = db.execute(_SQL["dead_why"]).fetchone() if states.get("dead") else None
    until, failure = db.execute(_SQL["next_waits"]).fetchone() or (0, "")
    waits = bool(failure) and until > sqlite.now_ms()
    return {
        "turns": states.get("pending", 0),
        "until": until if waits else 0,
        "waits_for": failure if waits else "",
        "under_way": states.get("leased", 0),
        "given_up": states.get("dead", 0),
        "why": why[0] if why else "",
        "tool_uses": db.execute(_SQL["waiting_uses"]).fetchone()[0],
    }


def count_waits(db: sqlite3.Connection) -> int:
    """Turns that are not due for a model yet."""
    return int(db.execute(_SQL["waits"], (sqlite.now_ms(),)).fetchone()[0])


def only_rules(db: sqlite3.Connection) -> dict[str, int]:
    """What no model has seen and none is about to: an upgrade would have it read."""
    rows = db.execute(_SQL["only_rules"], {"project": None, "since": 0}).fetchall()
    known = [uses for *_, uses, had, _ in rows if uses or not had]
    return {"turns": len(known), "tool_uses": sum(known)}


def report(
    db: sqlite3.Connection,
    settings: Mapping[str, Any],
    days: int = DAYS,
    now: int | None = None,
) -> dict[str, Any]:
    """The summary, and the last days by day, project, and provider with model."""
    now = sqlite.now_ms() if now is None else now
    since = day_start(now) - (days - 1) * DAY_MS
    known = groups(db, since)
    by: dict[str, Callable[[Group], tuple[str, ...]]] = {
        "day": lambda one: (one.day,),
        "project": lambda one: (one.project,),
        "model": lambda one: (one.provider, one.model),
    }
    names = {"day": ("day",), "project": ("project",), "model": ("provider", "model")}
    return {
        **summary(db, settings, now),
        "days": days,
        "all": total(known).as_json(),
        "only_rules": only_rules(db),
        **{f"by_{name}": _table(known, key, names[name]) for name, key in by.items()},
    }


def _table(
    known: list[Group], key: Callable[[Group], tuple[str, ...]], names: tuple[str, ...]
) -> list[dict[str, Any]]:
    sums: dict[tuple[str, ...], Spent] = {}
    for one in known:
        sums.setdefault(key(one), Spent()).add(one.spent)
    return [dict(zip(names, of, strict=True)) | sums[of].as_json() for of in sorted(sums)]
