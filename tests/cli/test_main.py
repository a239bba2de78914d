"""What holds for every command: one clear line, one JSON document, telling exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backstory import cli, paths
from tests.cli.conftest import Person
from tests.support.home import ROOT, Home

READING = (
    ["search", "x"],
    ["timeline"],
    ["show", "5"],
    ["show", "toolu_x"],
    ["context"],
)
HARMLESS = (["status"], ["stop"], ["drain"], ["settings"], ["doctor"])


@pytest.fixture(autouse=True)
def nothing_runs(person: Person) -> None:
    """Nothing is stored and no worker runs."""


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_before_the_first_session_it_says_that_nothing_is_stored(
    person: Person, arguments: list[str]
) -> None:
    """And creates nothing."""
    assert person.fails(*arguments) == (
        "backstory: nothing is stored yet\nmemory begins with the next session\n"
    )
    assert not person.home.data.exists()


@pytest.mark.parametrize("arguments", HARMLESS, ids=" ".join)
def test_looking_creates_nothing(person: Person, arguments: list[str]) -> None:
    """A4: nor does stopping or waiting for what never ran fail."""
    expected = 3 if arguments == ["status"] else 0
    assert person.run(*arguments).code == expected
    assert person.run(*arguments, "--json").code == expected
    assert not person.home.data.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["status", "--bogus"], "No such option '--bogus'"),
        (["search", "--limit", "many"], "not a valid integer"),
        (["search", "--limit", "0"], "not in the range"),
        (["drain", "--timeout", "-1"], "not in the range"),
        (["show"], "Missing argument"),
        (["save", "x", "--type", "poem"], "is not one of"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_call_that_cannot_be_understood_is_64(
    person: Person, arguments: list[str], words: str
) -> None:
    """Not 2, which means degraded."""
    said = person.fails(*arguments, code=64)
    assert words in said
    assert "--help" in said


def test_help_is_there_for_everything(person: Person) -> None:
    """`-h` and `--help`, and without any argument."""
    assert person.ok() == person.ok("--help")
    for name in cli.commands.commands:
        assert "Usage: backstory" in person.ok(name, "-h")
    assert person.ok("--version").startswith("backstory")


@pytest.mark.parametrize("arguments", [*READING, ["save", "x"], ["forget", "--query", "abc"]])
def test_a_folder_that_was_deleted_under_it(
    person: Person, tmp_path: Path, arguments: list[str]
) -> None:
    """A shell stays in a deleted folder; what needs a project says so."""
    person.make_folder()
    person.ok("save", "to have a database")
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    said = person.fails(*arguments)
    assert "the current folder is gone" in said
    assert "--project" in said


@pytest.mark.parametrize("arguments", HARMLESS, ids=" ".join)
def test_what_needs_no_project_works_in_a_deleted_folder(
    person: Person, tmp_path: Path, arguments: list[str]
) -> None:
    """The worker can be looked after from anywhere."""
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert person.run(*arguments).code == (3 if arguments == ["status"] else 0)


def test_a_relative_data_directory_is_one_place(person: Person) -> None:
    """The worker finds the folder that the command meant."""
    person.patch.setenv("BACKSTORY_HOME", "../data")
    person.ok("save", "relative")
    assert (person.home.data / paths.DATABASE).exists()
    person.ok("stop")


@pytest.mark.parametrize(
    "arguments",
    [*READING, ["start"], ["save", "x"], ["settings", "raw_days", "5"]],
    ids=" ".join,
)
def test_a_data_directory_that_cannot_be_is_named(person: Person, arguments: list[str]) -> None:
    """Here a file lies in its place."""
    person.home.data.write_text("a file")
    said = person.fails(*arguments)
    assert str(person.home.data) in said or "nothing is stored yet" in said


@pytest.mark.parametrize("arguments", [["status"], ["doctor"], ["stop"]], ids=" ".join)
def test_looking_at_such_a_directory_is_no_accident(person: Person, arguments: list[str]) -> None:
    """It says what it can."""
    person.home.data.write_text("a file")
    assert person.run(*arguments).code in (0, 2, 3)


@pytest.mark.parametrize("content", ["{", '{"raw_days": "x"}', "[" * 100_000])
def test_broken_settings_are_named_and_kept(person: Person, content: str) -> None:
    """A person wrote the file, so it is not replaced; reading memory goes on."""
    person.ok("save", "the violet rule")
    person.ok("stop")
    path = person.home.data / paths.SETTINGS
    path.write_text(content)
    assert "violet" in person.ok("search", "violet")
    told = person.run("status")
    assert told.code == 2
    assert "settings" in told.out or "raw_days" in told.out
    assert person.run("doctor").code == 2
    assert "setting" in person.fails("start")
    assert path.read_text() == content


def test_a_damaged_database_is_named_and_then_set_aside(person: Person) -> None:
    """D7: reading says what to do; the next worker begins anew and says so."""
    person.make_folder()
    (person.home.data / paths.DATABASE).write_bytes(b"no database at all, " * 500)
    for arguments in READING:
        assert "backstory restart" in person.fails(*arguments)
    assert "set_aside" not in person.run("status", "--json").out
    assert person.run("doctor").code == 2
    person.ok("restart")
    assert "saved as 1" in person.ok("save", "a new beginning")
    told = person.run("doctor")
    assert told.code == 2
    assert "was set aside" in told.out


def test_a_newer_database_is_left_alone(person: Person) -> None:
    """It says to update, and how; nothing starts, nothing is lost."""
    person.ok("save", "from the future")
    person.ok("stop")
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(person.home.data / paths.DATABASE)) as db:
        db.execute("PRAGMA user_version = 999")
    for arguments in (*READING, ["start"], ["drain"], ["save", "x"]):
        said = person.fails(*arguments)
        assert "999" in said
    assert person.run("status").code == 2
    assert "/plugin update" in person.run("doctor").out


def test_names_that_are_no_text_are_printed_all_the_same(person: Person) -> None:
    """A folder's name may hold any bytes."""
    odd = Path(os.fsdecode(b"/tmp/bad\xffname"))
    person.patch.setenv("BACKSTORY_HOME", str(odd))
    assert person.run("status", "--json").code == 3
    assert "bad\\udcffname" in person.run("status").out


def environment(home: Home, **more: str) -> dict[str, str]:
    """That of a shell."""
    return home.environment(**more)


def command(*arguments: str) -> list[str]:
    """The command line as launch.py runs it in the runtime."""
    return [sys.executable, "-I", str(ROOT / "plugin/launch.py"), "--in-runtime", *arguments]


def test_a_reader_that_goes_away_is_no_error(person: Person) -> None:
    """`backstory settings | head -1`: no message, exit code 0."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as gone:
        done = subprocess.run(
            command("settings"),
            env=environment(person.home),
            stdout=gone,
            stderr=subprocess.PIPE,
            timeout=30,
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_accident(person: Person, closed: str) -> None:
    """No file may take the place of the standard output."""
    line = f'"$@" {closed}'
    for arguments in (["status"], ["settings", "raw_days", "7"], ["save", "-"]):
        done = subprocess.run(
            ["/bin/sh", "-c", line, "sh", *command(*arguments)],
            env=environment(person.home),
            cwd=person.home.project,
            capture_output=True,
            timeout=30,
        )
        assert b"Traceback" not in done.stderr
        assert done.returncode == {"status": 3, "settings": 0, "save": 1}[arguments[0]]
    stored = json.loads((person.home.data / paths.SETTINGS).read_text())
    assert stored == {"raw_days": 7}


@pytest.mark.parametrize("language", ["C", "en_US.ISO-8859-1", "POSIX"])
def test_any_locale_can_be_printed_to(person: Person, language: str) -> None:
    """Where letters are missing, JSON stays JSON."""
    person.run("settings", "excluded_projects", "~/秘密/é/😀")
    done = subprocess.run(
        command("settings", "excluded_projects", "--json"),
        env={**environment(person.home, PYTHONIOENCODING="latin-1"), "LC_ALL": language},
        capture_output=True,
        timeout=30,
    )
    assert json.loads(done.stdout) == {"excluded_projects": ["~/秘密/é/😀"]}
