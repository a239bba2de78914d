"""The capture pipeline in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.pipeline import Pipeline


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipeline]:
    """An empty data directory with an open database."""
    pipeline = Pipeline(tmp_path / "data")
    yield pipeline
    pipeline.close()
