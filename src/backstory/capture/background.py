"""Work that blocks, beside the loop, without keeping the process from ending."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from backstory.storage.database import Database

T = TypeVar("T")


async def in_thread(function: Callable[[], T]) -> T:
    """The function's result, from a thread that does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def tell(setter: Callable[[Any], None], value: object) -> None:
        if not future.done():
            setter(value)

    def work() -> None:
        try:
            result = function()
        except BaseException as error:  # noqa: BLE001  it belongs to whoever asked
            outcome: tuple[Callable[[Any], None], object] = (future.set_exception, error)
        else:
            outcome = (future.set_result, result)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, *outcome)

    threading.Thread(target=work, name="model", daemon=True).start()
    return await future


async def write(
    database: Database, function: Callable[[sqlite3.Connection], T], tries: int = 1
) -> T:
    """The function's result on the writing connection; tried again where the disk refuses."""
    for attempt in range(tries):
        try:
            return await asyncio.wrap_future(database.submit(function))
        except (sqlite3.OperationalError, OSError):
            if attempt + 1 == tries:
                raise
            await asyncio.sleep(min(2.0**attempt, 10.0))
    raise AssertionError("tries is at least 1")
