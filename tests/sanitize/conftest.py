"""Property tests here have no deadline: a busy machine is no fault of the code."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
