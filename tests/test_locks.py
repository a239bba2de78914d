"""The locks: what the project asks for is what is installed, byte for byte."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUN = PROJECT["project"]["dependencies"]
DEV = PROJECT["dependency-groups"]["dev"]
LOCKS = ["requirements.lock", "requirements-dev.lock", "plugin/uv.lock"]


def locked(name: str) -> dict[str, Version]:
    """Package → version of a lock file."""
    pins = re.findall(r"^([\w.-]+)==([^\s;\\]+)", (ROOT / name).read_text(), re.MULTILINE)
    return {package.lower(): Version(version) for package, version in pins}


@pytest.mark.parametrize(
    ("lock", "asked"), [("requirements.lock", RUN), ("requirements-dev.lock", [*RUN, *DEV])]
)
def test_every_dependency_is_locked_within_its_bounds(lock: str, asked: list[str]) -> None:
    """After a change of pyproject.toml the locks are made anew."""
    pins = locked(lock)
    for requirement in map(Requirement, asked):
        assert requirement.name in pins, f"{requirement.name} is missing in {lock}"
        assert pins[requirement.name] in requirement.specifier


def test_every_dependency_has_an_upper_bound() -> None:
    """A new major version is a decision, not an accident."""
    for requirement in map(Requirement, [*RUN, *DEV]):
        assert any(bound.operator in ("<", "==") for bound in requirement.specifier), requirement


def test_the_tests_run_what_users_run() -> None:
    """The development lock holds the same versions, and more."""
    run, dev = locked("requirements.lock"), locked("requirements-dev.lock")
    assert {name: dev.get(name) for name in run} == run


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_hashes_and_names_no_registry(lock: str) -> None:
    """Where packages come from is the user's choice; what they are is ours."""
    text = (ROOT / lock).read_text()
    assert "://" not in text
    assert "index" not in text
    for entry in re.split(r"\n(?=\w)", text.strip()):
        assert "--hash=sha256:" in entry, entry.splitlines()[0]
