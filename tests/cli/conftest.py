"""A person at a keyboard: commands run in this process, on a data directory of their own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backstory import cli, paths
from backstory.storage import spool
from tests.support.home import Home, a_home, dump, event, tool


@dataclass(frozen=True)
class Outcome:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


class Person:
    """Somebody's shell: `run` is a command line, and the current folder is their project."""

    def __init__(
        self, home: Home, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
    ) -> None:
        self.home = home
        self.capsys = capsys
        self.patch = patch
        for name in ("XDG_DATA_HOME", "CLAUDE_PROJECT_DIR", "BACKSTORY_PROVIDER"):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(home.user))
        patch.setenv("BACKSTORY_HOME", str(home.data))
        patch.chdir(home.project)

    def run(self, *arguments: str) -> Outcome:
        """Runs `backstory ARGUMENTS`; no traceback may ever show."""
        self.capsys.readouterr()
        code = cli.main(list(arguments))
        said = self.capsys.readouterr()
        assert "Traceback" not in said.err
        is_wrong = any(not line.startswith("note: ") for line in said.err.splitlines())
        assert is_wrong == (code in (1, 64, 130)), (code, said.out, said.err)
        if "--json" in arguments:
            assert isinstance(json.loads(said.out), dict | list)
        return Outcome(code, said.out, said.err)

    def ok(self, *arguments: str) -> str:
        """What a command that must succeed prints."""
        done = self.run(*arguments)
        assert done.code == 0, done.err
        return done.out

    def fails(self, *arguments: str, code: int = 1) -> str:
        """What a command that must fail says; with --json its answer is the same error."""
        done = self.run(*arguments)
        assert done.code == code, done.out
        as_json = self.run(*arguments, "--json")
        assert as_json.code == code
        assert as_json.json["error"]["message"] in as_json.err
        return done.err

    def record(self, *events: dict[str, Any], cwd: Path | None = None) -> None:
        """Puts events into the spool, as hooks do."""
        folder = self.make_folder(paths.SPOOL)
        for one in events:
            spool.write(str(folder), [dump({**one, "cwd": str(cwd or self.home.project)})])

    def make_folder(self, name: str = "") -> Path:
        """The data directory, or a folder in it, as private as ours are."""
        self.home.data.mkdir(mode=0o700, exist_ok=True)
        folder = self.home.data / name
        paths.make_private_dir(str(folder))
        return folder

    def remember(self, *events: dict[str, Any], cwd: Path | None = None) -> None:
        """The same, and waits until they are stored and distilled."""
        self.record(*events, cwd=cwd)
        self.ok("drain", "--timeout", "30")


def turn(word: str, session: str = "s1") -> tuple[dict[str, Any], ...]:
    """A turn whose every part holds the same word."""
    same = {"session_id": session, "prompt_id": f"{session}-{word}"}
    return (
        event("UserPromptSubmit", prompt=f"We decided to use {word} because it is fast.", **same),
        tool(
            f"toolu_{session}_{word}",
            f"make {word}",
            tool_response={"stdout": f"built {word}", "stderr": "", "interrupted": False},
            **same,
        ),
        event("SubagentStop", agent_id=word, last_assistant_message=f"I found {word}.", **same),
        event("PostCompact", trigger="auto", compact_summary=f"So far {word}.", **same),
        event("Stop", last_assistant_message=f"{word} is in place.", **same),
    )


@pytest.fixture
def person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Person]:
    """Somebody who has just installed it: a runtime is there, and nothing is stored."""
    with a_home(tmp_path) as home:
        home.make_runtime()
        yield Person(home, capsys, monkeypatch)
        os.chdir("/")


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One data directory for a whole module; names in Chinese and with spaces."""
    with a_home(tmp_path_factory.mktemp("用户 one"), "数据 data") as home:
        home.make_runtime()
        yield home


@pytest.fixture
def regular(
    shared_home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Person:
    """Somebody who has worked with it for a while: their worker runs on from test to test."""
    return Person(shared_home, capsys, monkeypatch)
