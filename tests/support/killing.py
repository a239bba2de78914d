"""kill -9 of a worker between the claim of a batch and its commit, over and over."""

from __future__ import annotations

import random
import time

from backstory import instance
from tests.support.distilling import Distilling
from tests.support.home import until

MODEL_S = 0.1  # how long the model takes to answer


def kill_again_and_again(
    home: Distilling, times: int, chance: random.Random, model_s: float = MODEL_S
) -> list[float]:
    """So many workers, each killed after it claimed a batch; then one that drains.

    Every third one is killed at once, before or while it asks, the others in the call, around its
    commit or after it. New turns come every time. model_s: how
    long an answer takes. Gives the seconds after the claim or request.
    """
    delays = []
    # after its request came, a call is under way, or being committed, or over
    when_s = ((0.0, model_s + 0.3), (max(0.0, model_s - 0.01), model_s + 0.04))
    home.start()
    for number in range(1, times + 1):
        seen = len(home.api.requests)
        claims = newest_claim(home)
        for session in ("s1", "s2"):
            home.turn(number, session, uses=12)
        if number % 3:
            until(lambda seen=seen: len(home.api.requests) > seen, "a call is made")  # type: ignore[misc]
            delays.append(chance.uniform(*chance.choice(when_s)))
        else:
            until(lambda claims=claims: newest_claim(home) > claims, "a batch is claimed")  # type: ignore[misc]
            delays.append(0.0)
        time.sleep(delays[-1])
        worker = home.children[-1]
        worker.kill()
        worker.wait()
        until(lambda: not instance.is_locked(home.data), "the killed worker is gone")
        home.spawn()
    until(lambda: instance.health(home.data, 1.0), "the last worker answers")
    home.drain()
    return delays


def newest_claim(home: Distilling) -> int:
    """The number of the newest call that is under way or was lost."""
    return int(home.one("SELECT coalesce(max(id), 0) FROM reservations"))
