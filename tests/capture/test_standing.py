"""A provider's failures in a row: waits, a pause, one notice."""

from __future__ import annotations

import time

from backstory.capture.providers.base import Trouble, TroubleKind
from backstory.capture.standing import FAILURES, PAUSE_S, WAIT_S, Standing


def fail(standing: Standing, kind: TroubleKind = "busy", after: float | None = None) -> float:
    """The wait that a failure costs."""
    standing.failed("anthropic", Trouble(kind, "it is overloaded.", after))
    return standing.until - time.time()


def near(seconds: float, expected: float) -> bool:
    """Whether it is that long, give or take what the test itself takes."""
    return expected - 5 < seconds <= expected


def is_paused(standing: Standing) -> bool:
    """Whether it is, asked anew each time."""
    return standing.is_paused


def is_on_trial(standing: Standing) -> bool:
    """The same of its last call."""
    return standing.is_on_trial


def test_waits_double_and_the_fifth_failure_is_a_pause() -> None:
    """Told once; each further trial doubles it."""
    standing = Standing()
    for number in range(FAILURES - 1):
        assert near(fail(standing), min(WAIT_S[0] * 2**number, WAIT_S[1]))
        assert not standing.notice
        assert not is_paused(standing)
    assert near(fail(standing), PAUSE_S[0])
    assert is_paused(standing)
    assert "anthropic is paused until" in standing.notice
    assert "it is overloaded. Rules go on" in standing.notice
    standing.notice = ""
    assert near(fail(standing), PAUSE_S[0] * 2)
    for _ in range(10):
        fail(standing)
    assert near(fail(standing), PAUSE_S[1])
    assert not standing.notice


def test_a_success_forgets_all_of_it() -> None:
    """The next failure is the first."""
    standing = Standing()
    for _ in range(7):
        fail(standing)
    assert is_on_trial(standing)
    standing.succeeded()
    assert standing.may_be_asked()
    assert not is_on_trial(standing)
    assert standing.reason == ""
    assert near(fail(standing), WAIT_S[0])


def test_what_the_service_asks_for_is_kept() -> None:
    """Retry-after, short and long: a limit that resets in hours is a pause, told at once."""
    standing = Standing()
    assert near(fail(standing, "limit", 17.0), 17.0)
    assert not is_paused(standing)
    assert near(fail(standing, "limit", 4 * 3600.0), 4 * 3600.0)
    assert is_paused(standing)
    assert standing.notice


def test_a_refused_key_is_a_pause_at_once_and_can_be_ended() -> None:
    """After a new login the user does not wait for it."""
    standing = Standing()
    assert near(fail(standing, "login"), PAUSE_S[0])
    assert not standing.may_be_asked()
    standing.resume()
    assert standing.may_be_asked()
    assert is_on_trial(standing)


def test_a_pause_until_another_day_names_it() -> None:
    """A time alone would be taken for today's."""
    standing = Standing()
    fail(standing, "limit", 3 * 86_400.0)
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 3 * 86_400))
    assert f"paused until {day} " in standing.notice
