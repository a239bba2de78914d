"""A user of one's own for each test, and copies of the checkout in awkward places."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("plugin", "hooks", "src", "bin", ".claude-plugin")
FILES = ("requirements.lock", "requirements-dev.lock")


def copy_checkout(folder: Path) -> Path:
    """A copy of what runs, without any bytecode."""
    for name in PARTS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in FILES:
        shutil.copy2(ROOT / name, folder / name)
    return folder


@dataclass(frozen=True)
class User:
    """Somebody's HOME, and the checkout that they run."""

    home: Path
    root: Path = ROOT

    @property
    def base(self) -> Path:
        """The per-user folder."""
        return self.home / ".local/share/backstory"

    def environment(self, **extra: str) -> dict[str, str]:
        """What this user's processes see."""
        kept = ("SSL_CERT_FILE", "SSL_CERT_DIR", "PIP_CERT", "PIP_INDEX_URL", "UV_DEFAULT_INDEX")
        env = {name: os.environ[name] for name in kept if name in os.environ}
        return {
            "HOME": str(self.home),
            "PATH": str(Path(sys.executable).parent) + ":" + os.environ["PATH"],
            "LANG": "C.UTF-8",
            **env,
            **extra,
        }

    def sh(
        self, script: str, *arguments: str, stdin: bytes = b"", **extra: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs one of the checkout's shell scripts by the shell's full path."""
        return subprocess.run(
            ["/bin/sh", str(self.root / script), *arguments],
            env=self.environment(**extra),
            cwd=self.home,
            input=stdin,
            capture_output=True,
            timeout=100,
        )

    def launch(
        self, *arguments: str, python: str = sys.executable, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        """python3 plugin/launch.py ARGUMENTS."""
        return subprocess.run(
            [python, str(self.root / "plugin/launch.py"), *arguments],
            env=self.environment(**extra),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=110,
        )

    def record(self, python: str) -> None:
        """Puts an interpreter on record."""
        self.base.mkdir(parents=True, exist_ok=True)
        (self.base / "python").write_text(python + "\n")


@pytest.fixture
def user(tmp_path: Path) -> User:
    """A user who runs this checkout."""
    home = tmp_path / "home"
    home.mkdir()
    return User(home)


@pytest.fixture
def here(user: User, monkeypatch: pytest.MonkeyPatch) -> User:
    """The same user, and this process is theirs."""
    monkeypatch.setenv("HOME", str(user.home))
    for name in ("XDG_DATA_HOME", "BACKSTORY_HOME", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(user.home)
    return user
