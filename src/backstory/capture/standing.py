"""How a provider stands: whether it may be asked, and since when and why not."""

from __future__ import annotations

import time
from dataclasses import dataclass

from backstory.capture.providers.base import Trouble

FAILURES = 5  # in a row: then it is paused
WAIT_S = (2.0, 60.0)  # after one failure, doubling; the longest
PAUSE_S = (600.0, 7200.0)  # the first pause, doubling; the longest
AT_ONCE = ("login", "setup")  # nothing that asking again would mend


@dataclass(slots=True)
class Standing:
    """The failures of one provider in a row."""

    failures: int = 0
    pauses: int = 0
    until: float = 0.0  # Unix seconds: when it may be asked again
    ends_at: float = 0.0  # the same by the monotonic clock: either of them ends the wait
    reason: str = ""
    is_paused: bool = False
    notice: str = ""  # said once to the user

    def may_be_asked(self) -> bool:
        """Whether a call may be made now."""
        return self.left <= 0

    @property
    def left(self) -> float:
        """Seconds until it may be asked again.

        Wall clocks jump, and the other one stands still while a machine sleeps: the first counts.
        """
        return max(0.0, min(self.until - time.time(), self.ends_at - time.monotonic()))

    @property
    def is_on_trial(self) -> bool:
        """Whether its last call failed: then one call at a time is enough to see."""
        return self.failures > 0 or self.is_paused

    def succeeded(self) -> None:
        """A usable answer came."""
        self.failures = self.pauses = 0
        self.until = 0.0
        self.reason = ""
        self.is_paused = False

    def resume(self) -> None:
        """The user wants another try: it may be asked at once."""
        self.until = 0.0
        self.pauses = 0

    def failed(self, name: str, trouble: Trouble) -> None:
        """A call failed by the provider's fault, or its answer was of no use."""
        self.failures += 1
        self.reason = trouble.message
        wait = min(WAIT_S[0] * 2 ** (self.failures - 1), WAIT_S[1])
        if trouble.retry_after is not None:
            wait = max(trouble.retry_after, 0.0)
        is_long = wait >= PAUSE_S[0]  # a usage limit that resets in hours
        if self.failures >= FAILURES or self.is_paused or trouble.kind in AT_ONCE or is_long:
            if not is_long:
                wait = max(wait, min(PAUSE_S[0] * 2**self.pauses, PAUSE_S[1]))
            if not self.is_paused:
                self.notice = self._sentence(name, wait)
            self.is_paused = True
            self.pauses += 1
        self.until = time.time() + wait
        self.ends_at = time.monotonic() + wait

    def _sentence(self, name: str, wait: float) -> str:
        now = time.time()
        is_today = time.gmtime(now)[:3] == time.gmtime(now + wait)[:3]
        form = "%H:%M UTC" if is_today else "%Y-%m-%d %H:%M UTC"
        at = time.strftime(form, time.gmtime(now + wait))
        return (
            f"distilling with {name} is paused until {at}: {self.reason.rstrip('.')}. Rules go on "
            "meanwhile and nothing is lost; `backstory distill` tells more"
        )
