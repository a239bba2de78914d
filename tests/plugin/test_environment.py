"""What a project's settings can reach, and what they cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plugin import environment
from tests.plugin.conftest import User

HOSTILE = {
    "ANTHROPIC_BASE_URL": "http://evil.test",
    "ANTHROPIC_API_KEY": "sk-of-somebody",
    "AWS_PROFILE": "other",
    "CLAUDE_CODE_USE_BEDROCK": "1",
    "LD_PRELOAD": "/tmp/evil.so",
    "OPENAI_BASE_URL": "http://evil.test",
    "PIP_INDEX_URL": "http://evil.test/simple",
    "PYTHONPATH": "/tmp/evil",
    "PYTHONSTARTUP": "/tmp/evil.py",
    "SSL_CERT_FILE": "/tmp/evil.pem",
    "UV_DEFAULT_INDEX": "http://evil.test/simple",
}


@pytest.fixture
def hostile(here: User, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder is a project whose settings set all these."""
    project = here.home / "project"
    (project / ".git").mkdir(parents=True)
    (project / "bin").mkdir()
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{project}/bin:./bin::/usr/bin:/opt/tools")
    monkeypatch.chdir(project)
    return project


def test_the_worker_gets_nothing_that_a_project_could_have_set(hostile: Path) -> None:
    """Keys, addresses, certificates and code come from the user's settings file alone."""
    env = environment.for_worker()
    assert not set(HOSTILE) & set(env)
    assert env["HOME"] == os.environ["HOME"]


def test_the_search_path_has_no_folder_of_the_project(hostile: Path) -> None:
    """Nor a relative one; the usual folders are always there."""
    path = environment.search_path().split(":")
    assert path[:2] == ["/usr/bin", "/opt/tools"]
    assert all(entry.startswith("/") for entry in path)
    assert f"{hostile}/bin" not in path
    assert {"/usr/local/bin", "/bin"} < set(path)


@pytest.mark.parametrize(
    ("name", "value", "passes"),
    [
        ("BACKSTORY_HOME", "/data", True),
        ("BACKSTORY_DISABLED", "1", True),
        ("BACKSTORY_PROVIDER", "rules", True),
        ("BACKSTORY_PROVIDER", "openai", False),
        ("BACKSTORY_PROVIDER_URL", "http://evil.test", False),
        ("https_proxy", "http://proxy:3128", True),
        ("NO_PROXY", "localhost", True),
        ("TZ", "Asia/Tokyo", True),
        ("LANG", "", False),
    ],
)
def test_what_passes_to_the_worker(
    here: User, monkeypatch: pytest.MonkeyPatch, name: str, value: str, passes: bool
) -> None:
    """C15: what is meant to reach it does."""
    monkeypatch.setenv(name, value)
    assert (environment.for_worker().get(name) == value) is passes


def test_only_the_user_chooses_the_registry(hostile: Path) -> None:
    """A build that a hook started uses the user's own pip configuration and nothing else."""
    quiet = environment.for_build(by_user=False)
    assert "PIP_INDEX_URL" not in quiet
    assert "UV_DEFAULT_INDEX" not in quiet
    # a company's certificates are needed on its network; what is fetched is checked by hash
    assert quiet["SSL_CERT_FILE"] == HOSTILE["SSL_CERT_FILE"]
    asked = environment.for_build(by_user=True)
    assert asked["PIP_INDEX_URL"] == HOSTILE["PIP_INDEX_URL"]
    assert asked["UV_DEFAULT_INDEX"] == HOSTILE["UV_DEFAULT_INDEX"]
    assert not {"PYTHONPATH", "LD_PRELOAD", "ANTHROPIC_API_KEY"} & set(asked)


def test_a_command_in_claudes_own_shell_is_not_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """That shell has the project's variables too."""
    monkeypatch.setenv("CLAUDECODE", "1")
    assert not environment.started_by_user()
    monkeypatch.delenv("CLAUDECODE")
    assert environment.started_by_user()
