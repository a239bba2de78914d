"""Runs one program, and ends it as soon as whoever started it lets go of a pipe.

Started as a script (`leash.py FD PROGRAM ARGUMENTS…`), so that a program does not outlive a worker
that was killed. FD is the reading end of the pipe. The exit code is the program's; 128 and more
stands for a signal, 127 for a program that could not be started.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

GRACE_S = 0.5  # between SIGTERM and SIGKILL


def main(arguments: list[str]) -> int:
    """Runs the program and waits for it."""
    rope, command = int(arguments[0]), arguments[1:]
    child = os.fork()
    if not child:
        _become(command, rope)
    # both set it: whoever comes first, the group is there before a signal is sent to it
    _quietly(os.setpgid, child, child)
    os.close(0)
    _thread.start_new_thread(_watch, (rope, child))
    status = os.waitpid(child, 0)[1]
    _quietly(os.killpg, child, signal.SIGKILL)  # what it may have started
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _become(command: list[str], rope: int) -> None:
    os.setpgid(0, 0)
    os.close(rope)
    try:
        os.execv(command[0], command)
    except OSError as error:
        os.write(2, b"cannot be started: " + (error.strerror or "").encode())
    os._exit(127)


def _watch(rope: int, child: int) -> None:
    os.read(rope, 1)  # nothing is ever written: it returns when the other end is closed
    _quietly(os.killpg, child, signal.SIGTERM)
    time.sleep(GRACE_S)
    _quietly(os.killpg, child, signal.SIGKILL)


def _quietly(call: object, *arguments: int) -> None:
    try:
        call(*arguments)  # type: ignore[operator]
    except OSError:
        return  # it has ended, or has become another program already


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))
