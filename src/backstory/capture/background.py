"""Work that blocks, beside the loop, without keeping the process from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

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
