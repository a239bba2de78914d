"""The end of the one that asks the model: whenever it is told, whatever it waits for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

import pytest

from tests.support.modelled import Modelled


class Noted(asyncio.Event):
    """An event that knows whether it is waited for."""

    is_awaited = False

    async def wait(self) -> Literal[True]:
        """Waits for it."""
        self.is_awaited = True
        return await super().wait()


@pytest.mark.parametrize("steps", range(6))
def test_it_ends_also_when_it_was_woken_a_moment_before(tmp_path: Path, steps: int) -> None:
    """A flush, and then the worker's end; a cancellation that is lost would keep it for ever."""
    pipe = Modelled(tmp_path)

    async def has_ended() -> bool:
        wake = pipe.dispatcher.wake = Noted()
        loop = asyncio.create_task(pipe.dispatcher.run())
        while not wake.is_awaited:
            await asyncio.sleep(0)
        wake.set()
        for _ in range(steps):
            await asyncio.sleep(0)
        loop.cancel()
        done, _ = await asyncio.wait([loop], timeout=5)
        return bool(done)

    assert asyncio.run(asyncio.wait_for(has_ended(), 20))
    pipe.close()
