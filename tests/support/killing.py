"""kill -9 of a worker between the claim of a batch and its commit, over and over."""

from __future__ import annotations

import random
import time

from backstory import instance
from tests.support.distilling import Distilling
from tests.support.home import until

LONGEST_S = 0.4  # after a request came: past the end of its call, for models of a tenth of a second


def kill_again_and_again(home: Distilling, times: int, chance: random.Random) -> list[float]:
    """So many workers, each killed when a call is under way or just over; then one that drains.

    New turns come every time. Gives the seconds after a request at which each was killed.
    """
    delays = []
    home.start()
    for number in range(1, times + 1):
        seen = len(home.api.requests)
        for session in ("s1", "s2"):
            home.turn(number, session, uses=12)
        until(lambda seen=seen: len(home.api.requests) > seen, "a call is made")  # type: ignore[misc]
        delays.append(chance.uniform(0, LONGEST_S))
        time.sleep(delays[-1])
        worker = home.children[-1]
        worker.kill()
        worker.wait()
        until(lambda: not instance.is_locked(home.data), "the killed worker is gone")
        home.spawn()
    until(lambda: instance.health(home.data, 1.0), "the last worker answers")
    home.drain()
    return delays
