"""Older turns, known by rules alone, for a model: what that would cost, and opening their jobs."""

from __future__ import annotations

import math
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from backstory import project
from backstory.capture import batch, ledger, planning, prices, spending, terms
from backstory.capture.turns import load_unseen
from backstory.storage import sql, sqlite

SAMPLE = 200  # turns that are looked at; the others are taken to be like them
SAMPLE_S = 5.0
ENOUGH_CALLS = 5  # from here on the ledger says how long answers are
TURN_OUTPUT, USE_OUTPUT, MOST_OUTPUT = 350, 25, 2_000  # until then: a turn's answer, in tokens
FRAME = 150  # tokens of a call's older records, offered for superseding
LATELY_MS = 30 * ledger.DAY_MS
_SQL = sql.load("stats")
_MODEL = sql.load("model")


@dataclass(frozen=True, slots=True)
class Older:
    """A turn that a model could distil."""

    prompt: int
    project: int
    uses: int  # tool uses that no model has seen
    seen: int  # the newest tool use (row id) that one has


@dataclass(frozen=True, slots=True)
class Found:
    """The turns that can be upgraded, and how many cannot."""

    turns: tuple[Older, ...]
    faded: int  # what their tools said is no longer kept
    excluded: int  # of projects that are to be kept out


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an upgrade would come to; tokens are estimates."""

    turns: int
    tool_uses: int
    calls: int
    tokens_in: int
    tokens_out: int
    price_usd: float | None
    days: int | None  # that it takes at the daily cap; None: the cap is 0
    provider: str
    model: str
    sampled: int  # turns that the estimate rests on
    faded: int
    excluded: int

    def as_json(self) -> dict[str, Any]:
        """For an answer."""
        return {**asdict(self), "prices_of": prices.list_day()}


def find(
    db: sqlite3.Connection, owner: int | None = None, since: int = 0, excluded: Sequence[str] = ()
) -> Found:
    """The turns of a project (None: of all) since a time that only rules have distilled."""
    turns, faded, kept_out = [], 0, 0
    for row in db.execute(_SQL["only_rules"], {"project": owner, "since": since}):
        prompt, of, root, cwd, uses, had, seen = row
        if any(project.is_listed(list(excluded), folder) for folder in (root, cwd)):
            kept_out += 1
        elif had and not uses:
            faded += 1
        else:
            turns.append(Older(prompt, of, uses, seen))
    return Found(tuple(turns), faded, kept_out)


def open_upgrades(
    db: sqlite3.Connection, owner: int | None = None, since: int = 0, excluded: Sequence[str] = ()
) -> int:
    """Opens the model's jobs for these turns; returns how many. The daily cap paces them."""
    now = sqlite.now_ms()
    with sqlite.transaction(db):
        return sum(
            db.execute(
                _MODEL["open_model_job"], {"prompt": one.prompt, "at": now, "due": now, "last": 0}
            ).rowcount
            for one in find(db, owner, since, excluded).turns
        )


def estimate(
    db: sqlite3.Connection,
    settings: Mapping[str, Any],
    found: Found,
    provider: str = "",
    model: str = "",
) -> Estimate:
    """What distilling these turns would cost with this provider and model. Sends nothing."""
    sampled, turn_tokens, use_tokens = weigh(db, found.turns)
    uses = sum(one.uses for one in found.turns)
    tokens: Counter[int] = Counter()
    for one in found.turns:
        tokens[one.project] += round(turn_tokens + use_tokens * one.uses)
    turns = Counter(one.project for one in found.turns)
    calls = sum(
        max(math.ceil(tokens[of] / terms.BATCH_TOKENS), math.ceil(turns[of] / planning.TURNS))
        for of in turns
    )
    tokens_in = tokens.total() + calls * (planning.fixed_tokens() + FRAME)
    tokens_out = sum(min(TURN_OUTPUT + USE_OUTPUT * one.uses, MOST_OUTPUT) for one in found.turns)
    lately = {"provider": provider, "since": sqlite.now_ms() - LATELY_MS}
    known, known_in, known_out = db.execute(_SQL["lately"], lately).fetchone()
    if known >= ENOUGH_CALLS:
        tokens_out = math.ceil(tokens_in * known_out / known_in)
    row = db.execute(_SQL["answered_model"], (provider,)).fetchone()
    named = model if prices.price(model, 0, 0) is not None or row is None else row[0]
    cost = prices.price(named, tokens_in, tokens_out)
    result = Estimate(
        turns=len(found.turns),
        tool_uses=uses,
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        price_usd=None if cost is None else round(cost, 4),
        days=None,
        provider=provider,
        model=named,
        sampled=sampled,
        faded=found.faded,
        excluded=found.excluded,
    )
    return replace(result, days=days_at_cap(db, settings, tokens_in, tokens_out))


def weigh(db: sqlite3.Connection, turns: Sequence[Older]) -> tuple[int, float, float]:
    """(turns looked at, tokens of a turn without its tool uses, tokens of a tool use)."""
    deadline = time.monotonic() + SAMPLE_S
    step = max(len(turns) / SAMPLE, 1.0)
    looked, uses, of_turns, of_uses = 0, 0, 0, 0
    while int(looked * step) < len(turns) and (looked == 0 or time.monotonic() < deadline):
        prompt = turns[int(looked * step)].prompt
        unseen = load_unseen(db, prompt, planning.USES)
        bare = replace(unseen.turn, tool_uses=())
        drafts = planning.drafts_of(db, prompt)
        of_turns += batch.overhead(batch.Stretch(bare, drafts, unseen.opens, unseen.has_end))
        of_uses += sum(batch.cost(unseen.turn, use) for use in unseen.turn.tool_uses)
        uses += len(unseen.turn.tool_uses)
        looked += 1
    return looked, of_turns / max(looked, 1), of_uses / max(uses, 1)


def days_at_cap(
    db: sqlite3.Connection, settings: Mapping[str, Any], tokens_in: int, tokens_out: int
) -> int | None:
    """Days until it is done, today counted; None where the cap allows nothing."""
    now = spending.summary(db, settings)
    if not now["cap"]["tokens_in"] or not now["cap"]["tokens_out"]:
        return None
    more = 0
    for name, needed in (("tokens_in", tokens_in), ("tokens_out", tokens_out)):
        after_today = max(needed - now["left"][name], 0)
        more = max(more, math.ceil(after_today / now["cap"][name]))
    return 1 + more if tokens_in else 0
