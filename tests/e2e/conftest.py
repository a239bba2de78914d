"""What the end-to-end tests share: the runtime, the clients, a home with the plugin for each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backstory import paths
from tests.e2e.clients import client
from tests.e2e.home import ROOT, Home
from tests.e2e.shop import git, make_shop

VERSIONS: list[str] = json.loads(Path(__file__).with_name("clients.json").read_text())["versions"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test here."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def runtime_base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The per-user folder that holds a ready runtime; built there once when there is none."""
    launch = [sys.executable, str(ROOT / "plugin/launch.py"), "python", "-c", "pass"]
    done = subprocess.run(launch, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    base = Path(paths.base_dir(dict(os.environ)))
    yield base
    # each home has its own path to the runtime, and so bytecode of its own in there
    folder = str(tmp_path_factory.getbasetemp()).lstrip("/")
    for bytecode in (base / "runtime").glob("*/pycache"):
        shutil.rmtree(bytecode / folder, ignore_errors=True)


@pytest.fixture(
    scope="session",
    params=[pytest.param(v, marks=pytest.mark.xdist_group(f"client-{v}")) for v in VERSIONS],
)
def version(request: pytest.FixtureRequest) -> str:
    """Each pinned version of the client; its tests run in one process, for they share homes."""
    return str(request.param)


@pytest.fixture(scope="session", params=[True, False], ids=["tool-search", "all-tools"])
def tool_search(request: pytest.FixtureRequest) -> bool:
    """Tool search is on for most users, and off behind many gateways."""
    return bool(request.param)


MakeHome = Callable[..., Home]


@pytest.fixture(scope="session")
def make_home(
    version: str, runtime_base: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MakeHome]:
    """Makes isolated homes for the client; their workers are ended at the end."""
    made: list[Home] = []

    def make(*, tool_search: bool = True, vectors: bool = False) -> Home:
        home = Home(
            tmp_path_factory.mktemp("home") / "user",
            client(version),
            tool_search=tool_search,
            vectors=vectors,
        )
        home.share_runtime(runtime_base)
        made.append(home)
        return home

    yield make
    for home in made:
        home.close()


@pytest.fixture(scope="session")
def home(make_home: MakeHome, tool_search: bool, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A user who has the plugin from this checkout, with the worker running.

    Tests share it and keep out of each other's way by working in projects of their own.
    """
    home = make_home(tool_search=tool_search, vectors=True)
    home.install(ROOT)
    first = home.run("hello", cwd=make_shop(tmp_path_factory.mktemp("first") / "shop"))
    assert first.code == 0, first.stdout + first.stderr
    started = home.backstory("start")
    assert started.returncode == 0, started.stdout + started.stderr
    return home


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project in git, with a bug and a test that shows it."""
    return make_shop(tmp_path / "shop")


@pytest.fixture(scope="session")
def copy_checkout(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Copies what git would carry of this checkout, changes included, into a new repository."""

    def copy(folder: Path) -> Path:
        folder.mkdir(parents=True)
        for name in git(ROOT, "ls-files", "-coz", "--exclude-standard").split("\0"):
            source, target = ROOT / name, folder / name
            if name and source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "The plugin")
        return folder

    return copy
