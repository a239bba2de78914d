"""Files that an index does not hold as they are: which may answer, and why others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from backstory.codenav import sift
from backstory.codenav.walk import Stamp


class Beyond:
    """Those files of one search. What the index would leave out, they leave out."""

    def __init__(self, stamps: Mapping[str, Stamp]) -> None:
        self.stamps = stamps
        self._reasons: dict[str, str] = {}

    def likely(self) -> list[str]:
        """The files whose names and sizes say nothing against them."""
        for path, (_, size) in self.stamps.items():
            if path not in self._reasons and (reason := sift.refused_by_name(path, size)):
                self._reasons[path] = reason
        return [path for path in self.stamps if not self._reasons.get(path)]

    def refused(self, path: str, data: bytes) -> str:
        """Why a file is left out, by what is in it; "" for one that may answer."""
        if path not in self.stamps:
            return ""
        if path not in self._reasons:
            self._reasons[path] = sift.look(path, data).reason
        return self._reasons[path]

    def leave_out(self, reasons: Mapping[str, str]) -> None:
        """Takes over what another search through them found out, by path."""
        self._reasons.update(reasons)

    @property
    def skipped(self) -> Counter[str]:
        """How many files are left out, by the reason, as far as was looked."""
        return Counter(filter(None, self._reasons.values()))
