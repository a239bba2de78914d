"""The worker, and the composition root: takes the lock, opens the database, serves and pumps."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import secrets
import signal
import socket
import sqlite3
import sys
import time
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from backstory import __version__, config, health, instance, paths
from backstory.capture import distill, forget, model_queue
from backstory.capture.branch_watch import BranchWatch
from backstory.capture.dispatch import Dispatcher
from backstory.capture.pump import Pump
from backstory.codenav import workspace
from backstory.errors import BackstoryError
from backstory.hook import entry, spawn, wire
from backstory.recall.embedding import Embedding
from backstory.storage import forget as forgotten
from backstory.storage import retention, spool, sqlite
from backstory.storage.database import Database
from backstory.tools import serve
from backstory.web import api, guard
from backstory.web.server import Server, unix_socket

POLL_S = 0.5  # how often the spool is looked at
PASS_S = 1.0  # the longest single pass of the pump, so that questions get in between
SWITCH_S = 0.0005  # a busy thread's turn: each wait for a file costs the others one
HOUSEKEEPING_S = 15.0
HOURLY_S = 3600.0
WARM_UP_S = 1.0
LOG_BYTES = 2_000_000  # of each of two files
CLOCK_TICK_NS = 20_000_000  # the coarsest step of a file system's times
RETRY_S = (1.0, 30.0)  # after a failed pass: first and longest wait

log = logging.getLogger("backstory.worker")


def main() -> int:
    """Runs the worker of the data directory; 0 also where another one serves it already."""
    os.umask(0o077)
    sys.setswitchinterval(SWITCH_S)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    home = Path(paths.data_dir())
    os.environ[entry.MARKER] = "1"
    paths.make_private_dir(str(home))
    os.chdir(home)
    start_log(home)
    lock = take_lock(home)
    if lock is None:
        return 0
    try:
        settings = config.load(home)
        worker = Worker(settings)
        Path(paths.WORKER_FAILURE).unlink(missing_ok=True)
        asyncio.run(worker.serve())
    except (BackstoryError, sqlite3.Error, OSError) as error:
        report_failure(error)
        return 1
    log.info("ended")
    return 0


def report_failure(error: Exception) -> None:
    """Says why there is no worker: in the log, and where the next session's start reads it."""
    log.error("cannot serve: %s", error)
    hint = getattr(error, "hint", "")
    with suppress(OSError):
        text = f"{error} ({hint})" if hint else str(error)
        config.write_private(Path(paths.WORKER_FAILURE), text + "\n")
    # hooks start a worker wherever none answers: this keeps them from trying at every event
    wire.leave_stamp()


def take_lock(home: Path) -> int | None:
    """The lock, also after ending a worker that hangs; None where one is well."""
    for attempt in range(20):
        lock = instance.take_lock(home)
        if lock is not None:
            return lock
        # one that answers is left at once: who waits here would outlive it when it is stopped
        if instance.health(home, 0.2) or (attempt == 10 and not instance.replace_hung(home)):
            return None
        # others take it for a moment to see whether it is free
        time.sleep(0.03)
    return None


def start_log(home: Path) -> None:
    """Logs to worker.log, one earlier file kept."""
    target = home / paths.WORKER_LOG
    target.parent.mkdir(mode=0o700, exist_ok=True)
    logging.basicConfig(
        handlers=[RotatingFileHandler(target, maxBytes=LOG_BYTES, backupCount=1)],
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    for noisy in ("uvicorn.error", "mcp", "httpx"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


class Worker:
    """One worker, from its start to its end."""

    def __init__(self, settings: config.Config) -> None:
        self.settings = settings
        self.database = Database(settings.database)
        settings.spool.mkdir(mode=0o700, exist_ok=True)
        damaged = set(sqlite.damaged_files(settings.database))
        self.database.start_writer()
        self.database.write(distill.release_jobs)
        self.database.write(model_queue.release_jobs)
        self.notices = health.Notices(settings)
        if lost := sorted(set(sqlite.damaged_files(settings.database)) - damaged):
            self.notices.once = (
                f"the memory was damaged; its files were set aside as {', '.join(lost)}; "
                "`backstory doctor` tells more"
            )
            log.error("%s", self.notices.once)
        self.dispatcher = Dispatcher(self.database, settings)
        self.pump = Pump(settings, lambda: self.dispatcher.expects_model)
        self.branches = BranchWatch(self.database)
        self.token = secrets.token_urlsafe(32)
        self.last_call = time.monotonic()
        self.calls = 0  # under way
        self.stopping = asyncio.Event()
        self.server: Server | None = None
        self.embedding = Embedding(self.database, settings, self.rest)
        self.mcp = serve.http_app(self.database, self.embedding.nearest)

    async def serve(self) -> None:
        """Serves until told to stop or idle for long."""
        tcp = socket.create_server(("127.0.0.1", 0))
        unix = unix_socket()
        backend = api.Backend(
            database=self.database,
            health=self.health,
            status=self.status,
            flush=self.flush,
            stop=self.stop,
            outdated=lambda version: spawn.is_newer(version, __version__),
            forget=forget.run,
            mcp=self.mcp,
            settings=lambda name: self.settings[name],
            resume=self.dispatcher.resume,
            hold=self.dispatcher.hold,
            nearest=self.embedding.nearest,
        )
        app = self.counted(guard.Guard(api.app(backend), self.token))
        self.server = Server(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="off",
                ws="none",
                server_header=False,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=3,
            )
        )
        self.write_facts(tcp.getsockname()[1])
        Path(paths.ASK_STAMP).unlink(missing_ok=True)
        log.info("version %s serves %s", __version__, self.settings.home)
        work = (self.pumping, self.housekeeping, self.dispatcher.run, self.embedding.run)
        others = (self.branches.run, self.warm_up)
        loops = [asyncio.create_task(loop()) for loop in (*work, *others)]
        # uvicorn has its own handlers while it serves and raises the signal again afterwards
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop())
        try:
            await self.server.serve(sockets=[unix, tcp])
        finally:
            self.stopping.set()
            for task in loops:
                task.cancel()
            await asyncio.gather(*loops, return_exceptions=True)
            await self.dispatcher.close()
            await self.mcp.close()
            for listening in (unix, tcp):
                listening.close()
            with suppress(OSError):
                Path(paths.SOCKET).unlink()
            await asyncio.to_thread(self.database.close)

    async def warm_up(self) -> None:
        """What can wait until the start is over: the tools' server, the check of a large file."""
        await asyncio.sleep(WARM_UP_S)
        await self.mcp.warm_up()
        if not sqlite.is_checked_at_open(self.settings.database):
            await self.check_database()

    def counted(self, app: ASGIApp) -> ASGIApp:
        """The app, with the time of its last call remembered."""

        async def counting(scope: Scope, receive: Receive, send: Send) -> None:
            self.calls += 1
            try:
                await app(scope, receive, send)
            finally:
                self.calls -= 1
                self.last_call = time.monotonic()

        return counting

    def write_facts(self, port: int) -> None:
        """What others read of us: worker.json, hook.json, and which code is the newest."""
        home = self.settings.home
        values = {
            "version": __version__,
            "root": paths.plugin_root(),
            "python": sys.executable,
            "port": port,
            "token": self.token,
        }
        instance.write_facts(home, values)
        config.write_private(home / paths.HOOK_FACTS, config.hook_facts(self.settings))
        spawn.record_root()

    def health(self) -> dict[str, Any]:
        """The answer of the health route."""
        return health.verdict(
            self.settings,
            self.pump.health,
            self.database.writer_alive,
            self.dispatcher.trouble(),
        )

    def status(self) -> dict[str, Any]:
        """Health, numbers, and what this process did since its start."""
        return {
            **self.health(),
            **health.numbers(self.settings, self.database),
            "pid": os.getpid(),
            "root": paths.plugin_root(),
            "distiller": self.dispatcher.status(),
            "vectors": self.database.read(self.embedding.status),
            "last_success": self.pump.health.last_success,
            "events": self.pump.health.events,
            "bad": self.pump.health.bad,
        }

    def rest(self) -> float:
        """Seconds since somebody asked; 0 while there is work."""
        busy = self.calls or spool.oldest(paths.SPOOL)
        return 0.0 if busy else time.monotonic() - self.last_call

    def stop(self) -> None:
        """Begins the end; answers under way go out first."""
        if self.server is not None:
            self.server.end()

    async def flush(
        self, seconds: float, everything: bool, requeue: bool, at_start: bool, to_model: bool
    ) -> dict[str, Any]:
        """Takes in and distils what waits, for so long at most.

        everything: turns that still run are distilled as they are. requeue: jobs that were given
        up are tried again. at_start: a session's start asks, so that its user can be told things.
        to_model: what no model has seen becomes due, too.
        """
        warning = ""
        answer = {"more": True, "open_jobs": 0}

        def work(db: sqlite3.Connection) -> dict[str, Any]:
            if requeue:
                distill.requeue(db)
                self.dispatcher.try_again(db)
            more = self.pump.run(db, seconds)
            if everything and not more and distill.open_jobs_now(db):
                more = self.pump.run(db, seconds)
            if to_model and not more and self.dispatcher.expects_model:
                model_queue.open_recent(db)
            if at_start:
                self.notices.look(db, self.dispatcher)
            open_jobs = distill.count_open(db) + self.dispatcher.open_jobs(db)
            if to_model and not more:
                open_jobs += self.embedding.count_wanted(db)
            return {"more": more, "open_jobs": open_jobs}

        try:
            future = self.database.submit(work)
            # a hook waits 0.3 s: behind a long pass it gets its answer in time all the same
            patience = seconds * 2 + 5 if seconds >= 1 else seconds
            answer = await asyncio.wait_for(asyncio.wrap_future(future), patience)
        except (sqlite3.Error, OSError, BackstoryError, TimeoutError):
            warning = self.health()["reason"]
        self.dispatcher.wake.set()
        if at_start:
            self.branches.wake.set()
        if warning:
            warning = f"Backstory: {warning}. Nothing is lost; `backstory doctor` tells more."
        elif at_start:
            told = self.notices.take(self.dispatcher.take_notice())
            warning = "\n".join(f"Backstory: {one}." for one in told)
        return {**answer, "warning": warning}

    async def pumping(self) -> None:
        """Looks at the spool, twice a second, and at jobs that are due."""
        wait, seen = RETRY_S[0], 0
        jobs_at = 0.0
        while not self.stopping.is_set():
            try:
                changed = Path(paths.SPOOL).stat().st_mtime_ns
                looked = time.time_ns()
                if changed == seen and time.monotonic() < jobs_at:
                    await asyncio.sleep(POLL_S)
                    continue
                future = self.database.submit(lambda db: self.pump.run(db, PASS_S))
                more = await asyncio.wrap_future(future)
                wait = RETRY_S[0]
            except FileNotFoundError:
                await asyncio.sleep(POLL_S)
                with suppress(OSError):
                    self.settings.spool.mkdir(mode=0o700, exist_ok=True)
                continue
            except Exception as error:  # noqa: BLE001  a loop's door: whatever it is, it goes on
                log.error("a pass failed: %s", type(error).__name__)
                await self.end_if_damaged(error)
                await asyncio.sleep(wait)
                wait = min(wait * 2, RETRY_S[1])
                continue
            # Our own deletions change the folder too: one more look finds it at rest. Within one
            # tick of the file system's clock a second change would not show.
            fresh = looked - changed < CLOCK_TICK_NS
            seen = 0 if more or fresh else changed
            jobs_at = time.monotonic() + 5.0
            await asyncio.sleep(0 if more else POLL_S)

    async def end_if_damaged(self, error: Exception) -> None:
        """Ends where the database file was damaged under us: the next start sets it aside."""
        if isinstance(error, sqlite3.DatabaseError) and sqlite.tells_damage(error):
            with suppress(BackstoryError):
                await self.check_database()

    async def check_database(self) -> None:
        """SQLite's own check, beside the work; it takes seconds where the database is large."""
        if not await asyncio.to_thread(sqlite.is_file_sound, self.settings.database):
            log.error("the database is damaged: ending, to begin anew")
            sqlite.suspect(self.settings.database).touch(mode=0o600)
            self.stop()

    async def housekeeping(self) -> None:
        """Quiet turns, overdue files, retention, and the end after long idleness."""
        hourly_at = 0.0
        events = 0
        while True:
            try:
                await asyncio.wrap_future(self.database.submit(self.pump.housekeeping))
                if time.monotonic() >= hourly_at:
                    await asyncio.wrap_future(self.database.submit(self.hourly))
                    hourly_at = time.monotonic() + HOURLY_S
                    gc.collect()
            except Exception as error:  # noqa: BLE001  a loop's door
                log.error("housekeeping failed: %s", type(error).__name__)
            if not Path(paths.WORKER_FACTS).exists() or not Path(paths.SOCKET).exists():
                log.info("the data directory was removed: ending")
                self.stop()
            if not Path(paths.plugin_root(), spawn.LAUNCH).exists():
                log.info("the code was moved or removed: ending")
                self.stop()
            if (
                self.pump.health.events != events
                or spool.oldest(paths.SPOOL)
                or self.dispatcher.running
            ):
                events = self.pump.health.events
                self.last_call = time.monotonic()
            idle = time.monotonic() - self.last_call
            if self.calls == 0 and idle > 60 * self.settings["idle_minutes"]:
                log.info("idle for %d s: ending", idle)
                self.stop()
            await asyncio.sleep(HOUSEKEEPING_S)

    def hourly(self, db: sqlite3.Connection) -> None:
        """What needs doing now and then, on the writing connection."""
        workspace.drop_old(self.settings.home)
        retention.prune(db, self.settings["raw_days"], self.settings["raw_megabytes"])
        if forgotten.purge(db):
            log.info("what was forgotten a day ago is gone for good")
