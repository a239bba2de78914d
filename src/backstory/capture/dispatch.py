"""Calls of a model, one after another: planned, claimed, made, and their answers committed.

Two at once at most, one a session; a failure costs a wait, five in a row a pause. Whatever comes
of a call, its turns are kept: done, tried again, or left to the rules.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from backstory.capture import adopt, announcement, ledger, model_queue, planning, prompts, reply
from backstory.capture.background import in_thread
from backstory.capture.planning import Plan
from backstory.capture.providers import auto
from backstory.capture.providers.base import Answer, Ask, Provider, Trouble, TroubleKind, Usage
from backstory.capture.standing import Standing
from backstory.capture.trust import unsafe_home
from backstory.config import Config
from backstory.errors import describe
from backstory.storage import sql, sqlite
from backstory.storage.database import Database

PARALLEL = 2
PACE_S = 0.25  # between the starts of two calls
TIMEOUT_S = 120.0  # of a call
POLL_S = 5.0
CHOOSE_AGAIN_S = 1800.0  # where no model was found
FAREWELL_S = 2.0  # what calls under way get when the worker ends
RETRY_S = 2.0  # before turns whose answer was of no use are asked again
COMMIT_TRIES = 6  # an answer is paid for: a full disk gets half a minute
LEAST_BATCH = 2_000  # tokens, where a model takes no more
_SQL = sql.load("model")

log = logging.getLogger("backstory.distill")
T = TypeVar("T")


class Dispatcher:
    """The one that asks the model."""

    def __init__(self, database: Database, config: Config) -> None:
        self.database = database
        self.config = config
        self.chosen = auto.Chosen("rules", None, "not looked yet")
        self.has_chosen = False
        self.started_at = sqlite.now_ms()
        self.standing = Standing()
        self.batch_tokens = planning.BATCH_TOKENS
        self.running: set[asyncio.Task[None]] = set()
        self.wake = asyncio.Event()
        self.is_capped = False
        self.last_success = 0.0
        self.told_missing = ""

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
        if self.config["provider"] != "rules" and (why := unsafe_home(self.config)):
            self.chosen = auto.Chosen("rules", None, why)
        else:
            roots = await asyncio.to_thread(self.database.read, read_roots)
            self.chosen = await in_thread(lambda: auto.choose(self.config, roots))
        if self.chosen.name == "rules":
            await self.write(partial(model_queue.drop_since, self.started_at))
        self.has_chosen = True
        log.info("distilling by %s: %s", self.chosen.name, self.chosen.why)
        if self.is_missing and self.told_missing != self.chosen.why:
            self.told_missing = self.chosen.why
            self.standing.notice = (
                f"{self.chosen.name} is set to distil and cannot: {self.chosen.why}. Rules do "
                "meanwhile"
            )

    async def start_calls(self) -> float:
        """Starts what may be started; the seconds after which there may be more."""
        await self.write(model_queue.expire)
        moved = 0
        while len(self.running) < (1 if self.standing.is_on_trial else PARALLEL):
            if not self.standing.may_be_asked():
                return min(max(0.05, self.standing.until - time.time()), POLL_S)
            planned = await asyncio.to_thread(self.database.read, self.plan)
            if planned is None:
                return await self.seconds_to_next()
            call = await self.claim(planned)
            if call:
                task = asyncio.create_task(self.call(planned, call))
                self.running.add(task)
                task.add_done_callback(self.ended)
                await asyncio.sleep(PACE_S)
            elif planned.pieces:
                moved += 1  # the turns went on while they were read
                if moved > 3:
                    return PACE_S
        return POLL_S

    def ended(self, task: asyncio.Task[None]) -> None:
        """A call is over: there may be room for the next."""
        self.running.discard(task)
        self.wake.set()

    def plan(self, db: sqlite3.Connection) -> Plan | None:
        """The next call; notes whether the day's cap keeps it from being made."""
        budget = ledger.budget(db, self.config)
        found = planning.plan(db, budget, self.batch_tokens, self.config["excluded_projects"])
        # the least part of a turn may be more than what is left
        exceeds = found is not None and found.tokens_in > budget.tokens_in
        found = None if exceeds else found
        # a call under way is reserved in full: what it leaves is known when it has ended
        is_spent = exceeds or planning.is_capped(budget)
        self.is_capped = found is None and not self.running and is_spent
        return found

    async def seconds_to_next(self) -> float:
        """Until the next job is due, at most a while."""
        due = await asyncio.to_thread(self.database.read, model_queue.next_due)
        left = 0.0 if due is None else due / 1000 - time.time()
        # what is due and was not planned waits for a call under way, whose end wakes us
        return min(max(0.05, left), POLL_S) if left > 0 else POLL_S

    async def claim(self, planned: Plan) -> int:
        """Takes what was planned; the call's number, 0 where it cannot be made any more."""
        assert self.provider is not None
        label = self.provider.label

        def take(db: sqlite3.Connection) -> int:
            # another call may have failed while this one was planned
            if not self.standing.may_be_asked():
                return 0
            return adopt.claim(db, planned, label, ledger.budget(db, self.config))

        return await self.write(take)

    async def call(self, planned: Plan, call: int) -> None:
        """Makes one call, and brings it to an end whatever comes."""
        provider = self.provider
        assert provider is not None
        started = time.monotonic()
        prompt = prompts.load()
        ask = Ask(
            prompt.instructions, planned.batch.text, reply.SCHEMA, planned.max_tokens, TIMEOUT_S
        )
        try:
            answer = await in_thread(lambda: provider.ask(ask))
        except Trouble as trouble:
            await self.failed(planned, call, trouble)
            return
        except Exception as error:  # noqa: BLE001  a provider's bug must not lose the batch
            await self.failed(planned, call, Trouble("refused", describe(error), None))
            return
        found = await self.read_answer(planned, call, answer)
        if found is None:
            return
        label = provider.label
        by = f"{label.provider}/{answer.model or label.model}/observe-{prompt.version}"
        spent_ms = int((time.monotonic() - started) * 1000)
        rows = await self.write(
            lambda db: adopt.commit(db, planned, call, label, answer, found, by, spent_ms),
            tries=COMMIT_TRIES,
        )
        self.standing.succeeded()
        self.last_success = time.time()
        log.info(
            "call %d: %d turns, %d rows, %d details dropped, %d marked, %d + %d tokens",
            call,
            len(planned.pieces),
            rows,
            found.dropped,
            found.marked,
            answer.usage.tokens_in,
            answer.usage.tokens_out,
        )

    async def read_answer(self, planned: Plan, call: int, answer: Answer) -> reply.Reply | None:
        """What an answer says; None where it is of no use and the batch was given back."""
        try:
            return await in_thread(
                lambda: reply.read(answer.text, planned.batch, is_cut=answer.is_cut)
            )
        except reply.Unusable as unusable:
            return await self.useless(planned, call, answer, unusable.why)
        except Exception as error:  # noqa: BLE001  a bug of ours must not lose the batch
            log.error("an answer could not be read: %s", describe(error))
            return await self.useless(planned, call, answer, "unread")

    async def failed(self, planned: Plan, call: int, trouble: Trouble) -> None:
        """A call brought no answer."""
        log.warning("call %d failed (%s): %s", call, trouble.kind, trouble.message)
        if trouble.kind == "too_long":
            self.batch_tokens = max(LEAST_BATCH, self.batch_tokens // 2)
        counts = not trouble.is_of_the_provider or trouble.kind == "timeout"
        if trouble.is_of_the_provider:
            self.standing.failed(self.chosen.name, trouble)
        await self.give_back(
            planned,
            call,
            trouble.kind,
            trouble.message,
            trouble.usage,
            counts=counts and not (trouble.kind == "too_long" and len(planned.pieces) > 1),
            lost=trouble.may_be_billed or trouble.kind == "timeout",
        )

    async def useless(
        self, planned: Plan, call: int, answer: Answer, why: str
    ) -> reply.Reply | None:
        """An answer came that cannot be used: what it is taken for, or None to try again."""
        log.warning("call %d: the answer is of no use (%s)", call, why)
        if why == "empty" and await self.was_empty_before(planned):
            return reply.Reply((), {}, 0, 0, True)
        kind: TroubleKind = "limit" if why == "limit" else "refused"
        sentence = {
            "limit": "it answers with a notice about a limit",
            "empty": "its answers are empty",
        }.get(why, "its answers are not what was asked for")
        self.standing.failed(self.chosen.name, Trouble(kind, sentence))
        await self.give_back(
            planned, call, why, sentence, answer.usage, counts=why != "limit", lost=False
        )
        return None

    async def was_empty_before(self, planned: Plan) -> bool:
        """Whether all that is in the batch was answered with nothing before."""
        jobs = [piece.job for piece in planned.pieces]

        def look(db: sqlite3.Connection) -> bool:
            query = "SELECT attempts FROM jobs WHERE id = ?"
            rows = [db.execute(query, (job,)).fetchone() for job in jobs]
            return all(row and row[0] > 0 for row in rows)

        return await asyncio.to_thread(self.database.read, look)

    async def give_back(
        self,
        planned: Plan,
        call: int,
        outcome: str,
        message: str,
        usage: Usage,
        *,
        counts: bool,
        lost: bool,
    ) -> None:
        """Frees the jobs of a call that failed, and books what it cost."""
        assert self.provider is not None
        label = self.provider.label
        delay = RETRY_S if counts else 0.0

        def book(db: sqlite3.Connection) -> None:
            with sqlite.transaction(db):
                if lost and not usage.tokens_in:
                    ledger.lose(db, call)
                else:
                    uses = sum(len(piece.tool_uses) for piece in planned.pieces)
                    ledger.settle(
                        db,
                        call,
                        label,
                        usage,
                        project=planned.project,
                        tool_uses=uses,
                        outcome=outcome,
                    )
                model_queue.give_back(db, call, message, delay_s=delay, counts=counts)

        await self.write(book, tries=COMMIT_TRIES)

    async def write(self, function: Callable[[sqlite3.Connection], T], tries: int = 1) -> T:
        """The function's result on the writing connection; tried again where the disk refuses."""
        for attempt in range(tries):
            try:
                return await asyncio.wrap_future(self.database.submit(function))
            except (sqlite3.OperationalError, OSError):
                if attempt + 1 == tries:
                    raise
                await asyncio.sleep(min(2.0**attempt, 10.0))
        raise AssertionError("tries is at least 1")

    async def close(self) -> None:
        """Waits a moment for calls under way, then ends them; their turns stay in the queue."""
        if self.running:
            await asyncio.wait(self.running, timeout=FAREWELL_S)
        for task in self.running:
            task.cancel()
        if self.provider is not None:
            with suppress(Exception):
                await asyncio.wait_for(in_thread(self.provider.close), FAREWELL_S)

    @property
    def expects_model(self) -> bool:
        """Whether turns are to become jobs of a model; until that is known, they are."""
        if not self.has_chosen:
            return bool(self.config["provider"] != "rules")
        return self.provider is not None

    @property
    def can_call(self) -> bool:
        """Whether calls are being made, or will be within seconds."""
        if not self.has_chosen:
            return self.expects_model
        soon = self.standing.until - time.time() < model_queue.SOON_MS / 1000
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
        if waits:
            state = "paused" if standing.is_paused else "waiting"
        return {
            "provider": label.provider if label else "rules",
            "model": label.model if label else "",
            "note": label.note if label else self.chosen.why,
            "state": state,
            "reason": standing.reason,
            "until": int(standing.until * 1000) if waits else 0,
            "running": len(self.running),
            "last_success": int(self.last_success * 1000),
        }

    def resume(self) -> None:
        """Has the provider asked again, whatever failed before."""
        self.standing.resume()
        self.wake.set()

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


def read_roots(db: sqlite3.Connection) -> tuple[str, ...]:
    """The folders of every project: no program in them is ever run."""
    return tuple(root for (root,) in db.execute(_SQL["roots"]))
