"""Calls of a model, one after another: planned, claimed, made, and their answers committed.

Two at once at most, one a session; a failure costs a wait, five in a row a pause. Whatever comes
of a call, its turns are kept: done, tried again, or left to the rules.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from contextlib import suppress
from functools import partial
from typing import Any

from backstory.capture import adopt, announcement, ledger, model_queue, planning, renewal
from backstory.capture.background import in_thread, write
from backstory.capture.calls import Calls
from backstory.capture.planning import Plan
from backstory.capture.providers import auto
from backstory.capture.providers.base import Provider
from backstory.capture.trust import known_folders, unsafe_home
from backstory.config import Config
from backstory.errors import describe
from backstory.storage import sqlite
from backstory.storage.database import Database

PARALLEL = 2
PACE_S = 0.25  # between the starts of two calls
POLL_S = 5.0
CHOOSE_AGAIN_S = 1800.0  # where no model was found
FAREWELL_S = 2.0  # what calls under way get when the worker ends

log = logging.getLogger("backstory.distill")


class Dispatcher:
    """The one that asks the model."""

    def __init__(self, database: Database, config: Config) -> None:
        self.database = database
        self.config = config
        self.chosen = auto.Chosen("rules", None, "not looked yet")
        self.has_chosen = False
        self.started_at = sqlite.now_ms()
        self.calls = Calls(database)
        self.standing = self.calls.standing
        self.running: set[asyncio.Task[None]] = set()
        self.wake = asyncio.Event()
        self.is_capped = False
        self.needs = (0, 0)  # of the cap, by the next call
        self.told_missing = ""
        self.held_until = 0.0

    @property
    def is_missing(self) -> bool:
        """Whether a provider is set and cannot be used."""
        return self.provider is None and self.chosen.name != "rules"

    @property
    def provider(self) -> Provider | None:
        """The model in use; None where rules distil alone."""
        return self.chosen.provider

    async def run(self) -> None:
        """Chooses a provider, and then makes the calls that are due, for ever."""
        choose_at = 0.0
        while True:
            self.wake.clear()
            wait = POLL_S
            try:
                if self.provider is None and time.monotonic() >= choose_at:
                    await self.choose()
                    choose_at = time.monotonic() + CHOOSE_AGAIN_S
                if self.provider is not None:
                    wait = await self.start_calls()
            except Exception as error:  # noqa: BLE001  a loop's door
                log.error("a call could not be planned: %s", describe(error))
            # not wait_for: Python 3.11's loses a cancellation that comes with what is waited for
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self.wake.wait()

    async def choose(self) -> None:
        """Looks which provider is to be used."""
        roots = await asyncio.to_thread(self.database.read, known_folders)
        if self.config["provider"] != "rules" and (why := unsafe_home(self.config, roots)):
            self.chosen = auto.Chosen("rules", None, why)
        else:
            self.chosen = await in_thread(lambda: auto.choose(self.config, self.look_up_folders))
        if self.chosen.name == "rules":
            await write(self.database, partial(model_queue.drop_since, self.started_at))
        if self.provider is not None:
            await self.renew()
        self.has_chosen = True
        log.info("distilling by %s: %s", self.chosen.name, self.chosen.why)
        if self.is_missing and self.told_missing != self.chosen.why:
            self.told_missing = self.chosen.why
            self.standing.notice = (
                f"{self.chosen.name} is set to distil and cannot: {self.chosen.why}. Rules do "
                "meanwhile"
            )

    async def renew(self) -> None:
        """Has no turn wait for what failed with other settings than these."""
        try:
            if await asyncio.to_thread(renewal.are_new, self.config):
                freed = await write(self.database, model_queue.make_due)
                log.info("other settings of the model: %d turns wait no longer", freed)
                await asyncio.to_thread(renewal.remember, self.config)
        except Exception as error:  # noqa: BLE001  no reason not to distil
            log.error("the settings of the model could not be remembered: %s", describe(error))

    def look_up_folders(self) -> tuple[str, ...]:
        """The folders of every project as it is now: no program in them is run."""
        return self.database.read(known_folders)

    async def start_calls(self) -> float:
        """Starts what may be started; the seconds after which there may be more."""
        await write(self.database, lambda db: model_queue.expire(db, tuple(self.calls.under_way)))
        moved = 0
        while (
            not self.is_untold
            and time.monotonic() >= self.held_until
            and len(self.running) < self.most_at_once
        ):
            if not self.standing.may_be_asked():
                return min(max(0.05, self.standing.left), POLL_S)
            looked_at = sqlite.now_ms()
            planned = await asyncio.to_thread(self.database.read, self.plan)
            if planned is None:
                return await self.seconds_to_next(looked_at)
            call = await self.claim(planned)
            if call:
                assert self.provider is not None
                task = asyncio.create_task(self.calls.make(self.provider, planned, call))
                self.running.add(task)
                task.add_done_callback(self.ended)
                await asyncio.sleep(PACE_S)
            elif planned.pieces:
                moved += 1  # the turns went on while they were read
                if self.is_capped:
                    return POLL_S
                if moved > 3:
                    return PACE_S
        return POLL_S

    @property
    def most_at_once(self) -> int:
        """One call, until it is known what calls cost and that they go well."""
        is_sure = self.calls.is_bill_known and not self.standing.is_on_trial
        return PARALLEL if is_sure else 1

    def ended(self, task: asyncio.Task[None]) -> None:
        """A call is over: there may be room for the next."""
        self.running.discard(task)
        self.wake.set()

    def plan(self, db: sqlite3.Connection) -> Plan | None:
        """The next call; notes whether the day's cap keeps it from being made."""
        budget = ledger.budget(db, self.config)
        cuts = ledger.cuts(db, self.provider.label.provider) if self.provider else 0
        terms = self.calls.terms(cuts, self.config["daily_output_tokens"])
        excluded = self.config["excluded_projects"]
        found = planning.plan(db, budget, terms, excluded, self.config.home)
        needs = planning.needs(terms)
        is_spent = planning.is_capped(budget, terms)
        # the least part of a turn may be more than what is left
        if found is not None and found.held[0] > budget.tokens_in:
            needs, is_spent = found.held, True
            found = None
        # a call under way is reserved in full: what it leaves is known when it has ended
        self.is_capped = found is None and not self.running and is_spent
        self.needs = needs
        return found

    async def seconds_to_next(self, looked_at: int) -> float:
        """Until a job is due that was not when no call could be planned, at most a while.

        What was due then waits for a call under way, whose end wakes us. looked_at: Unix
        milliseconds.
        """
        due = await asyncio.to_thread(
            self.database.read, partial(model_queue.next_due, after=looked_at)
        )
        left = POLL_S if due is None else due / 1000 - time.time()
        return min(max(0.05, left), POLL_S)

    async def claim(self, planned: Plan) -> int:
        """Takes what was planned; the call's number, 0 where it cannot be made any more."""
        assert self.provider is not None
        label = self.provider.label

        def take(db: sqlite3.Connection) -> int:
            # another call may have failed while this one was planned
            if not self.standing.may_be_asked():
                return 0
            left = ledger.budget(db, self.config)
            call = adopt.claim(db, planned, label, left)
            # what was left has been spent meanwhile; with a call under way its end tells more
            self.is_capped = not call and not self.running and not adopt.fits(planned, left)
            self.calls.under_way.update((call,) if call else ())
            return call

        return await write(self.database, take)

    async def close(self) -> None:
        """Waits a moment for calls under way, then ends them; their turns stay in the queue."""
        if self.running:
            await asyncio.wait(self.running, timeout=FAREWELL_S)
        for task in tuple(self.running):
            task.cancel()
        if self.provider is not None:
            with suppress(Exception):
                await asyncio.wait_for(in_thread(self.provider.close), FAREWELL_S)

    @property
    def expects_model(self) -> bool:
        """Whether turns are to become jobs of a model; until that is known, they are."""
        if not self.has_chosen or self.is_missing:
            return bool(self.config["provider"] != "rules")
        return self.provider is not None

    @property
    def is_untold(self) -> bool:
        """Whether the user does not know yet that the model that was found for them distils."""
        if self.config["provider"] != "auto" or self.provider is None:
            return False
        return not announcement.is_told(self.config, self.provider.label)

    @property
    def can_call(self) -> bool:
        """Whether calls are being made, or will be within seconds."""
        if not self.has_chosen:
            return self.expects_model
        if self.is_untold:
            return False
        soon = self.standing.left < model_queue.SOON_MS / 1000
        return self.provider is not None and soon and not self.is_capped

    def open_jobs(self, db: sqlite3.Connection) -> int:
        """Jobs that will end soon: those under way, and those that are due and may be called."""
        counts = model_queue.counts(db)
        return counts.leased + (counts.soon if self.can_call else 0)

    def status(self) -> dict[str, Any]:
        """Who distils, and how that stands."""
        label = self.provider.label if self.provider is not None else None
        standing = self.standing
        waits = label is not None and not standing.may_be_asked()
        state = "off" if label is None else "capped" if self.is_capped else "ready"
        if not self.has_chosen and self.expects_model:
            state = "looking"
        elif self.is_untold:
            state = "untold"
        if waits:
            state = "paused" if standing.is_paused else "waiting"
        return {
            "provider": label.provider if label else "rules",
            "model": label.model if label else "",
            "note": label.note if label else self.chosen.why,
            "state": state,
            "reason": "the next session's start tells you first"
            if state == "untold"
            else standing.reason,
            "until": int((time.time() + standing.left) * 1000) if waits else 0,
            "needs": dict(zip(("tokens_in", "tokens_out"), self.needs, strict=True))
            if state == "capped" and self.config["daily_input_tokens"]
            else None,
            "running": len(self.running),
            "last_success": int(self.calls.last_success * 1000),
        }

    def hold(self, seconds: float) -> None:
        """Begins no call for so long: the worker is about to be stopped."""
        self.held_until = time.monotonic() + seconds

    def resume(self) -> None:
        """Has the provider asked again, whatever failed before."""
        self.standing.resume()
        self.wake.set()

    def try_again(self, db: sqlite3.Connection) -> None:
        """Makes due what was given up or waits, on the writer's thread, and ends a pause."""
        self.standing.resume()
        model_queue.try_again(db)

    def take_notice(self) -> str:
        """What the next session's user should know: a pause, or who distils, each once."""
        notice, self.standing.notice = self.standing.notice, ""
        if notice or not self.has_chosen:
            return notice
        label = self.provider.label if self.provider is not None else None
        return announcement.take(self.config, label, self.chosen.why)

    def trouble(self) -> str:
        """Why health is not good; "" where the provider works or is none."""
        if self.is_missing:
            return f"{self.chosen.name} is set to distil and cannot: {self.chosen.why}"
        if self.provider is None or not self.standing.is_paused:
            return ""
        return f"distilling with {self.chosen.name} is paused: {self.standing.reason}"
