"""Synthetic sessions with planted facts, by kind of work."""

from __future__ import annotations

from tests.capture.rules.sessions import (
    helpers_work,
    ops_work,
    python_work,
    systems_work,
    tongues,
    various,
    web_work,
)
from tests.capture.rules.sessions.planted import Planted, Told

__all__ = ["Planted", "Told", "everything"]


def everything() -> list[Told]:
    """Every session, in a fixed order."""
    return [
        python_work.billing(),
        python_work.upgrade(),
        python_work.flaky(),
        python_work.export(),
        web_work.dashboard(),
        web_work.rename(),
        web_work.bundling(),
        systems_work.go_race(),
        systems_work.rust_parser(),
        systems_work.slow_query(),
        ops_work.containers(),
        ops_work.pipeline(),
        ops_work.nightly(),
        tongues.chinese(),
        tongues.russian(),
        tongues.german(),
        tongues.japanese(),
        helpers_work.delegated(),
        helpers_work.research(),
        helpers_work.careful(),
        various.cluster(),
        various.schema(),
        various.shell_edits(),
        various.bench(),
        various.regress(),
        various.notes(),
        various.notebook(),
        various.config_reading(),
    ]
