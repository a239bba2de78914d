"""A user whose hooks are run as the host runs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.home import Home, a_home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """With a runtime that does nothing: no hook can start a worker."""
    with a_home(tmp_path) as found:
        yield found


@pytest.fixture
def ready(tmp_path: Path) -> Iterator[Home]:
    """With a runtime that works: hooks start the worker where none answers."""
    with a_home(tmp_path) as found:
        found.make_runtime()
        yield found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """With a worker that runs, for tests that leave it well."""
    with a_home(tmp_path_factory.mktemp("served")) as found:
        found.make_runtime()
        found.start()
        yield found
