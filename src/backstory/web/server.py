"""What listens: uvicorn without its idle wake-ups, and the Unix socket."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from pathlib import Path
from types import FrameType

import uvicorn

from backstory import paths


class Server(uvicorn.Server):
    """uvicorn's server, without the ten wake-ups a second that an idle process would feel."""

    def __init__(self, settings: uvicorn.Config) -> None:
        super().__init__(settings)
        self.ending = asyncio.Event()

    def end(self) -> None:
        """Begins a graceful end."""
        self.should_exit = True
        self.ending.set()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM and SIGINT."""
        super().handle_exit(sig, frame)
        asyncio.get_running_loop().call_soon_threadsafe(self.ending.set)

    async def main_loop(self) -> None:
        """Waits for the end; the Date header is renewed once a second."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 10  # on_tick counts in tenths of a second
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ending.wait(), 1.0)


def unix_socket() -> socket.socket:
    """The listening Unix socket; whatever squats on its name is put aside."""
    with suppress(FileNotFoundError):
        Path(paths.SOCKET).unlink()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(paths.SOCKET)
    listening.listen(128)
    return listening
