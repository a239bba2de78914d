"""A dispatcher in this process with a provider under the test's control, on the real schema."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backstory import config, paths
from backstory.capture import dispatch, model_queue
from backstory.capture.providers import auto
from backstory.capture.providers.base import Answer, Ask, Label, Usage
from backstory.capture.pump import Pump
from backstory.estimate import estimate_tokens
from backstory.storage import sqlite
from backstory.storage.database import Database
from tests.support.home import event, tool
from tests.support.pipeline import Pipeline

Says = Callable[[Ask], str | Exception]
_TURN = re.compile(r"^\W*(t\d+)\b", re.MULTILINE)
_EVENT = re.compile(r"\bt\d+e\d+\b")


class Scripted:
    """A provider that answers what a function says, or raises it."""

    def __init__(self, says: Says) -> None:
        self.says = says
        self.asked: list[Ask] = []
        self.most_at_once = 0
        self.at_once = 0
        self.lock = threading.Lock()
        self.usage = Usage()
        self.delay_s = 0.0

    label = Label("openai", "small-1")

    def ask(self, ask: Ask) -> Answer:
        """Makes one call."""
        with self.lock:
            self.asked.append(ask)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            time.sleep(self.delay_s)
            said = self.says(ask)
        finally:
            with self.lock:
                self.at_once -= 1
        if isinstance(said, Exception):
            raise said
        usage = self.usage if self.usage.tokens_in else bill(ask, said)
        return Answer(said, "small-1", usage)

    def close(self) -> None:
        """Nothing is open."""

    def sent(self, name: str) -> int:
        """How often an event was sent whose first line holds a word."""
        line = re.compile(rf"^t\d+e\d+ .*\b{name}\b", re.MULTILINE)
        return sum(len(line.findall(ask.batch)) for ask in self.asked)


def bill(ask: Ask, said: str) -> Usage:
    """What such a call would be billed for."""
    return Usage(estimate_tokens(ask.instructions + ask.batch), estimate_tokens(said))


def observing(ask: Ask) -> str:
    """A valid answer: a row for each turn, resting on its first event, and its summary."""
    events = list(dict.fromkeys(_EVENT.findall(ask.batch)))
    turns = list(dict.fromkeys(name.split("e")[0] for name in events)) or ["t1"]
    return answer(
        *[row(turn, [ref for ref in events if ref.startswith(f"{turn}e")][:1]) for turn in turns],
        summaries=[summary(turn) for turn in turns],
    )


def row(turn: str = "t1", sources: list[str] | None = None, **fields: Any) -> dict[str, Any]:
    """One observation as a model writes it."""
    return {
        "turn": turn,
        "type": "discovery",
        "title": "The model found how it works",
        "narrative": "It says what it means.",
        "facts": [],
        "concepts": ["how-it-works"],
        "files": [],
        "symbols": [],
        "queries": [],
        "sources": sources or [],
        "replaces": [],
        "supersedes": [],
        **fields,
    }


def summary(turn: str = "t1", **fields: str) -> dict[str, str]:
    """The summary of a turn as a model writes it."""
    empty = dict.fromkeys(("request", "investigated", "learned", "completed", "next_steps"), "")
    return {"turn": turn, **empty, "learned": "What it came to.", **fields}


def answer(*rows: dict[str, Any], summaries: list[dict[str, str]] | None = None) -> str:
    """A whole answer."""
    return json.dumps({"observations": list(rows), "summaries": summaries or []})


class Modelled(Pipeline):
    """Spool, rules and a model, pass by pass."""

    def __init__(self, home: Path, says: Says = observing, **settings: Any) -> None:
        paths.make_private_dir(str(home / paths.SPOOL))
        (home / paths.SETTINGS).write_text(json.dumps({"provider": "openai", **settings}))
        self.home = home
        self.config = config.load(home)
        self.database = Database(self.config.database)
        self.database.start_writer()
        self.db = sqlite.open_reader(self.config.database)
        self.provider = Scripted(says)
        self.dispatcher = self.new_dispatcher()
        self.pump = Pump(self.config, lambda: self.dispatcher.expects_model)
        self.clock = sqlite.now_ms() * 1_000_000

    def new_dispatcher(self) -> dispatch.Dispatcher:
        """One whose provider is the scripted one."""
        made = dispatch.Dispatcher(self.database, self.config)
        made.chosen = auto.Chosen("openai", self.provider, "set")
        made.has_chosen = True
        return made

    def run(self) -> None:
        """Rules, until nothing is left to do at once."""
        while self.database.write(lambda db: self.pump.run(db, 5.0)):
            pass

    def turn(self, number: int, uses: int = 3, session: str = "s1", **more: Any) -> None:
        """A turn that ended, with some commands."""
        here = {"session_id": session, "prompt_id": f"{session}-{number}", **more}
        self.put(event("UserPromptSubmit", prompt=f"Please do thing{number} of {session}.", **here))
        for at in range(uses):
            command = f"make {session}x{number}x{at}"
            self.put(tool(f"toolu_{session}_{number}_{at}", command, **here))
        self.put(event("Stop", last_assistant_message=f"Did thing{number} of {session}.", **here))

    def drain(self, seconds: float = 20.0, until: Callable[[], bool] | None = None) -> None:
        """Rules, and then every call that can be made now; or calls until a condition holds.

        Fails where it does not hold in time. No call is left half-way.
        """
        self.run()
        self.database.write(model_queue.open_recent)
        asyncio.run(self._drain(seconds, until or self.is_idle))
        assert until is None or until()

    def is_idle(self) -> bool:
        """Whether no call is under way, or could be made within seconds."""
        return not self.database.write(self.dispatcher.open_jobs) and not self.dispatcher.running

    async def _drain(self, seconds: float, is_over: Callable[[], bool]) -> None:
        self.dispatcher.wake = asyncio.Event()
        loop = asyncio.create_task(self.dispatcher.run())
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            await asyncio.to_thread(self.run)
            if is_over():
                break
            await asyncio.sleep(0.02)
        await self._settle()
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=True)
        await self.dispatcher.close()

    async def _settle(self) -> None:
        """Has the loop begin no call any more, and waits until those under way have ended."""
        held_until = self.dispatcher.held_until
        self.dispatcher.hold(3600.0)
        self.dispatcher.wake.set()
        # it clears this when a round begins: whatever the round before claimed is running by then
        while self.dispatcher.wake.is_set() or self.dispatcher.running:
            await asyncio.sleep(0.005)
        self.dispatcher.held_until = held_until

    def close(self) -> None:
        """Closes the database."""
        self.db.close()
        self.database.close()
