"""The life of one call: asked, read, committed, or given back with what it cost.

A failure is the provider's or the batch's. The first costs a wait, the second an attempt.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import statistics
import time
from collections import deque
from contextlib import suppress
from dataclasses import replace

from backstory.capture import adopt, ledger, model_queue, prompts, reply, standing
from backstory.capture.background import in_thread, write
from backstory.capture.planning import Plan
from backstory.capture.providers.base import (
    Answer,
    Ask,
    Label,
    Provider,
    Trouble,
    TroubleKind,
    Usage,
)
from backstory.capture.standing import Standing
from backstory.capture.terms import BATCH_TOKENS, MOST_RATIO, MOST_STRETCH, Terms
from backstory.errors import describe
from backstory.recall.plain import plain
from backstory.storage import sqlite
from backstory.storage.database import Database

TIMEOUT_S = 120.0  # of a call
RETRY_S = 2.0  # before turns whose answer was of no use are asked again
COMMIT_TRIES = 6  # an answer is paid for: a full disk gets half a minute
LEAST_BATCH = 2_000  # tokens, where a model takes no more
GROWS_AFTER = 10  # calls that went well, until a cut batch grows again
LATEST_ANSWERS = 30  # that tell how long answers are
OVERLONG = 3  # turns in a row whose answer is cut: then it is not the turns

UNBILLED = ("limit", "cut", "overlong", "unstored")  # outcomes whose bill is no attempt of its own

log = logging.getLogger("backstory.distill")


class Calls:
    """The calls of one provider, and how it stands."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.standing = Standing()
        self.label = Label("", "")
        self.batch_tokens = BATCH_TOKENS
        self.ratios = (0.0, 0.0)  # of the latest bill to its estimate, in and out; 0: none came
        self.under_way: set[int] = set()  # the writer's thread adds to it
        self.failed_at: dict[int, float] = {}  # jobs whose call failed by the provider's fault
        self.successes = 0  # since the size of batches was cut or grew
        self.succeeded_at = 0.0  # by the monotonic clock, as failed_at
        self.last_success = 0.0
        self.lengths = deque[int](maxlen=LATEST_ANSWERS)  # doublings that good answers needed
        self.overlong: set[int] = set()  # jobs whose answer was cut since one was not

    async def make(self, provider: Provider, planned: Plan, call: int) -> None:
        """Makes one call, and brings it to an end whatever comes."""
        self.label = provider.label
        try:
            await self.ask(provider, planned, call)
        except Exception as error:  # noqa: BLE001  its jobs are freed: not to be asked at once
            log.error("a call could not be brought to an end: %s", describe(error))
            why = f"what came of a call could not be stored ({describe(error)})"
            self.standing.failed(self.label.provider, Trouble("setup", why))
        finally:
            self.under_way.discard(call)

    def terms(self, cuts: int, day_out: int) -> Terms:
        """The terms of the next call. cuts: of the latest answers. day_out: the cap of a day."""
        in_ratio, out_ratio = (min(max(ratio, 1.0), MOST_RATIO) for ratio in self.ratios)
        # good answers say more than cut ones: those may be the fault of one turn
        doubled = statistics.median_low(self.lengths) if self.lengths else min(cuts, 10)
        stretch = min(2**doubled, MOST_STRETCH)
        return Terms(self.batch_tokens, stretch, day_out, in_ratio, out_ratio, bool(self.lengths))

    @property
    def is_bill_known(self) -> bool:
        """Whether what the next call costs is known well enough to make two at once."""
        return 0 < self.ratios[0] <= MOST_RATIO and self.ratios[1] <= MOST_RATIO

    def billed(self, planned: Plan, usage: Usage) -> None:
        """Learns from a bill what the next one will be."""
        if usage.tokens_in or usage.tokens_out:
            self.ratios = (
                usage.tokens_in / max(planned.tokens_in, 1) or 1.0,
                usage.tokens_out / max(planned.max_tokens, 1),
            )

    async def ask(self, provider: Provider, planned: Plan, call: int) -> None:
        """Asks, and commits the answer."""
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
        self.billed(planned, answer.usage)
        found = await self.read_answer(planned, call, answer)
        if found is None:
            return
        label = self.label
        named = answer.model.encode("utf-8", "replace").decode("utf-8")
        answer = replace(answer, model=plain(named, 100) or label.model)
        by = f"{label.provider}/{answer.model}/observe-{prompt.version}"
        spent_ms = int((time.monotonic() - started) * 1000)

        def store(db: sqlite3.Connection) -> int:
            rows = adopt.commit(db, planned, call, label, answer, found, by, spent_ms)
            if answer.text.strip():
                model_queue.stop_waiting(db)
            return rows

        try:
            rows = await write(self.database, store, tries=COMMIT_TRIES)
        except Exception as error:  # noqa: BLE001  paid for, and not stored: not to be repeated soon
            await self.not_stored(planned, call, answer, error)
            return
        if answer.text.strip():
            self.succeeded(planned, answer.usage)
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

    def succeeded(self, planned: Plan, usage: Usage) -> None:
        """A usable answer is stored."""
        self.standing.succeeded()
        self.lengths.append(planned.terms.needed(len(planned.pieces), usage.tokens_out))
        self.overlong.clear()
        self.last_success, self.succeeded_at = time.time(), time.monotonic()
        for piece in planned.pieces:
            self.failed_at.pop(piece.job, None)
        self.successes += 1
        if self.successes >= GROWS_AFTER and self.batch_tokens < BATCH_TOKENS:
            self.batch_tokens = min(BATCH_TOKENS, self.batch_tokens * 2)
            self.successes = 0

    async def not_stored(self, planned: Plan, call: int, answer: Answer, error: Exception) -> None:
        """An answer came that could not be stored: the disk is full, or the fault is ours."""
        log.error("an answer could not be stored: %s", describe(error))
        why = f"its answer could not be stored ({describe(error)})"
        self.standing.failed(self.label.provider, Trouble("setup", why))
        with suppress(Exception):
            is_ours = not sqlite.blames_database(error) and not isinstance(error, OSError)
            await self.give_back(
                planned, call, "unstored", why, answer.usage, counts=is_ours, lost=False
            )

    def is_to_blame(self, planned: Plan) -> bool:
        """Whether a batch failed before while others went well: then it is no fault of the provider
        that it fails again."""
        now = time.monotonic()
        jobs = [piece.job for piece in planned.pieces]
        before = max((self.failed_at.get(job, now) for job in jobs), default=now)
        self.failed_at.update(dict.fromkeys(jobs, now))
        return before < self.succeeded_at

    async def failed(self, planned: Plan, call: int, trouble: Trouble) -> None:
        """A call brought no answer."""
        log.warning("call %d failed (%s): %s", call, trouble.kind, trouble.message)
        self.billed(planned, trouble.usage)
        counts = not trouble.is_of_the_provider
        if trouble.kind == "too_long" and len(planned.pieces) > 1:
            counts = self.batch_tokens <= LEAST_BATCH  # then each of its turns goes alone
            self.batch_tokens = max(LEAST_BATCH, self.batch_tokens // 2)
            self.successes = 0
        if trouble.is_of_the_provider:
            self.standing.failed(self.label.provider, trouble)
            counts = self.is_to_blame(planned)
        await self.give_back(
            planned,
            call,
            trouble.kind,
            trouble.message,
            trouble.usage,
            counts=counts,
            lost=trouble.may_be_billed or trouble.kind == "timeout",
        )

    async def useless(
        self, planned: Plan, call: int, answer: Answer, why: str
    ) -> reply.Reply | None:
        """An answer came that cannot be used: what it is taken for, or None to try again."""
        log.warning("call %d: the answer is of no use (%s)", call, why)
        kind: TroubleKind = "limit" if why == "limit" else "refused"
        sentence = {
            "limit": "it answers with a notice about a limit",
            "empty": "its answers are empty",
            "cut": f"its answers are cut at {planned.max_tokens:,} tokens",
        }.get(why, "its answers are not what was asked for")
        self.standing.failed(self.label.provider, Trouble(kind, sentence))
        if why == "empty" and await self.was_said_before(planned, sentence):
            return reply.Reply((), {}, 0, 0, True)
        counts = why != "limit" or self.is_to_blame(planned)
        usage = answer.usage
        if answer.is_cut and why == "cut":
            why, counts = self.was_cut(planned)
            usage = usage if usage.tokens_out else replace(usage, tokens_out=planned.max_tokens)
        await self.give_back(planned, call, why, sentence, usage, counts=counts, lost=False)
        return None

    def was_cut(self, planned: Plan) -> tuple[str, bool]:
        """What a cut answer is booked as, and whether it counts as an attempt.

        "cut" makes the next answers longer, whatever they are about.
        """
        if planned.is_short:
            return "overlong", False
        if len(planned.pieces) > 1:
            return "overlong", True  # each of them goes alone
        if not planned.terms.is_proven and planned.may_grow:
            return "cut", False
        self.overlong.add(planned.pieces[0].job)
        if len(self.overlong) >= OVERLONG:
            self.lengths.clear()
        return "overlong", True

    async def was_said_before(self, planned: Plan, sentence: str) -> bool:
        """Whether this was the reason why all that is in the batch was given back before."""
        jobs = [piece.job for piece in planned.pieces]

        def look(db: sqlite3.Connection) -> bool:
            query = "SELECT error FROM jobs WHERE id = ?"
            rows = [db.execute(query, (job,)).fetchone() for job in jobs]
            return all(row and row[0] == sentence for row in rows)

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
        label = self.label
        # after a failure of the provider others go first: it may be this batch that it fails on
        delay = max(RETRY_S, self.standing.left + RETRY_S / 2)
        # a notice about a limit is estimated to have a bill, and has none
        billed = bool(usage.tokens_in and outcome not in UNBILLED)
        # what nobody knows may be paid for at every start of a worker, whose pauses are forgotten
        again = max(delay, standing.PAUSE_S[0]) if lost and not billed else delay

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
                model_queue.give_back(
                    db,
                    call,
                    message,
                    delay_s=delay,
                    again_s=again,
                    counts=counts,
                    billed=billed,
                )

        await write(self.database, book, tries=COMMIT_TRIES)
