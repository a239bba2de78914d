"""The doctor: each thing that it looks at can go wrong, and then it says what to do."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
import time
from collections import namedtuple
from contextlib import closing
from pathlib import Path

import pytest

from backstory import paths, runtime
from backstory.hook import spawn
from backstory.storage import spool
from tests.cli.conftest import Person

Usage = namedtuple("Usage", "total used free")


def finding(person: Person, name: str, code: int = 2) -> str:
    """What is wrong with the thing of that name, with the advice."""
    done = person.run("doctor", "--json")
    assert done.code == code, done.out
    assert person.run("doctor").code == code
    wrong = [one for one in done.json if not one["ok"]]
    assert {one["name"] for one in wrong} == ({name} if code else set())
    return "; ".join(f"{one['detail']} -> {one['advice']}" for one in wrong)


def base(person: Person) -> Path:
    """The per-user folder."""
    return person.home.user / ".local/share/backstory"


def test_a_new_installation_is_well(person: Person) -> None:
    """Nothing stored, nothing running: that is no fault."""
    assert finding(person, "", 0) == ""


def test_a_running_one_is_well(person: Person) -> None:
    """All that it looks at is named."""
    person.ok("save", "something")
    text = person.ok("doctor")
    for name in ("python", "runtime", "plugin", "data", "disk", "settings", "database", "worker"):
        assert f"ok  {name}: " in text
    for name in ("spool", "unreadable events", "jobs given up", "hooks.log"):
        assert f"ok  {name}: " in text


def test_a_runtime_that_is_missing_being_built_or_failed(person: Person) -> None:
    """Each with its own advice."""
    shutil.rmtree(base(person) / "runtime")
    folder = base(person) / "runtime"
    assert "absent" in finding(person, "runtime")
    folder.mkdir()
    (folder / "failed").write_text(f"{runtime.name_for(runtime.LOCK, 0)} 1 no network\n")
    assert "no network" in finding(person, "runtime")
    (folder / "progress").write_text("step 2\n")
    with (folder / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "building step 2" in finding(person, "runtime")


def test_a_recorded_python_that_is_gone(person: Person) -> None:
    """The hooks find another one."""
    (base(person) / "python").write_text("/gone/python3\n")
    assert "/gone/python3" in finding(person, "python")


def test_a_plugin_that_claude_does_not_know(person: Person) -> None:
    """Its list is read, and never written."""
    path = person.home.user / ".claude/plugins/installed_plugins.json"
    path.parent.mkdir(parents=True)
    for text in ('{"version": 2, "plugins": {"other@market": []}}', "[]", "{}"):
        path.write_text(text)
        assert "/plugin install backstory@backstory" in finding(person, "plugin")
        assert path.read_text() == text
    path.write_text("{")
    finding(person, "plugin")
    path.write_text('{"version": 2, "plugins": {"backstory@backstory": []}}')
    finding(person, "", 0)


def test_a_folder_that_others_can_read(person: Person) -> None:
    """With the command that mends it."""
    person.home.data.mkdir()
    person.home.data.chmod(0o755)
    assert f"chmod 700 '{person.home.data}'" in finding(person, "data")


def test_a_folder_that_cannot_be_written(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing would be remembered."""
    person.make_folder()
    monkeypatch.setattr(os, "access", lambda *_: False)
    done = person.run("doctor")
    assert done.code == 2
    assert "it cannot be written" in done.out


def test_a_folder_that_cannot_be_made(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing would be remembered either."""
    monkeypatch.setenv("BACKSTORY_HOME", "/proc/backstory")
    monkeypatch.setattr(os, "access", lambda *_: False)
    done = person.run("doctor")
    assert done.code == 2
    assert "it cannot be made in /proc" in done.out


def test_a_disk_that_is_nearly_full(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before events are lost."""
    person.make_folder()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 10**6))
    assert "1 MB free -> make room" in finding(person, "disk")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"raw_dayz": 5}', "unknown and ignored: raw_dayz"),
        ('{"raw_days": "five"}', "takes a whole number"),
        ("{", "mend it or remove it"),
        ("[]", "must hold a JSON object"),
    ],
)
def test_settings_that_are_wrong(person: Person, text: str, words: str) -> None:
    """A typing error must not be ignored in silence."""
    person.make_folder()
    (person.home.data / paths.SETTINGS).write_text(text)
    done = person.run("doctor")
    assert done.code == 2
    assert words in done.out


def test_a_key_that_others_can_read(person: Person) -> None:
    """A link leads to it from among dotfiles; without a key their mode is the user's affair."""
    person.make_folder()
    target = person.home.user / "dotfiles.json"
    target.write_text('{"raw_days": 5}')
    target.chmod(0o644)
    (person.home.data / paths.SETTINGS).symlink_to(target)
    finding(person, "", 0)
    target.write_text('{"api_key": "abc"}')
    assert f"chmod 600 '{target}'" in finding(person, "settings")


def test_a_key_that_goes_out_in_the_clear(person: Person) -> None:
    """To a model on another machine, by plain http."""
    person.make_folder()
    path = person.home.data / paths.SETTINGS
    given = {"provider": "openai", "api_key": "abc", "base_url": "http://models.example/v1"}
    path.write_text(json.dumps(given))
    path.chmod(0o600)
    assert "https" in finding(person, "settings")
    path.write_text(json.dumps(given | {"base_url": "https://models.example/v1"}))
    finding(person, "", 0)


def test_a_database_that_is_damaged_newer_or_was_set_aside(person: Person) -> None:
    """D7: each with what to do."""
    person.ok("save", "something")
    person.ok("stop")
    path = person.home.data / paths.DATABASE
    with closing(sqlite3.connect(path)) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute("PRAGMA user_version = 77")
        assert "update the plugin" in finding(person, "database")
        db.execute(f"PRAGMA user_version = {version}")
    aside = person.home.data / f"{paths.DATABASE}.damaged-20260101-000000"
    aside.touch()
    assert f"{aside.name} was set aside" in finding(person, "database")
    aside.unlink()
    path.write_bytes(b"rubbish" * 1000)
    assert "backstory restart" in finding(person, "database")


def test_a_worker_that_could_not_start(person: Person) -> None:
    """With its own reason."""
    person.make_folder()
    (person.home.data / paths.WORKER_FAILURE).write_text("no room (make some)\n")
    assert "could not start: no room (make some)" in finding(person, "worker")
    assert person.run("status").code == 2


def test_newer_code_that_is_not_running(person: Person) -> None:
    """An update takes effect with the next worker."""
    person.ok("start")
    newer = "999.0.0\n/somewhere\n"
    (person.home.data / spawn.CODE_ROOT).write_text(newer)
    assert "999.0.0 is there too -> backstory restart" in finding(person, "worker")


def test_events_that_wait_or_cannot_be_read(person: Person) -> None:
    """A spool that is full drops events."""
    folder = person.make_folder(paths.SPOOL)
    person.make_folder(f"{paths.SPOOL}/{spool.BAD}")
    (folder / spool.BAD / "1-1.evt").write_text("?")
    assert "1 -> kept for a day" in finding(person, "unreadable events")
    (folder / spool.BAD / "1-1.evt").unlink()
    (folder / spool.FULL).touch()
    assert "events are being dropped" in finding(person, "spool")


def test_what_hooks_complained_of_today(person: Person) -> None:
    """Older complaints are history."""
    person.make_folder(paths.LOGS)
    log = person.home.data / paths.HOOKS_LOG
    log.write_text("2020-01-01T00:00:00Z an old one\n")
    finding(person, "", 0)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    log.write_text(f"2020-01-01T00:00:00Z an old one\n{now} Stop: OSError\n")
    assert "1 complaint in a day; the last" in finding(person, "hooks.log")


def test_every_finding_is_json(person: Person) -> None:
    """For programs: name, ok, detail, advice."""
    for one in json.loads(person.ok("doctor", "--json")):
        assert set(one) == {"name", "ok", "detail", "advice"}


def test_a_full_text_index_that_is_damaged_is_made_anew(person: Person) -> None:
    """D7: found without a worker as far as a reader can see; with one, word by word."""
    person.ok("save", "the kestrel nests under the roof")
    person.ok("stop")
    change(person, "DELETE FROM search_text_docsize")
    assert "--rebuild-index" in finding(person, "full text")
    assert "Degraded" in person.ok("search", "kestrel")
    assert "ok  full text: sound" in person.ok("doctor", "--rebuild-index")
    assert "Degraded" not in person.ok("search", "kestrel")
    person.ok("stop")
    change(person, "UPDATE search_text_data SET block = zeroblob(length(block)) WHERE id > 10")
    person.ok("start")
    assert "--rebuild-index" in finding(person, "full text")
    assert "ok  full text: sound" in person.ok("doctor", "--rebuild-index")
    assert "kestrel" in person.ok("search", "kestrel").splitlines()[2]


def test_a_table_that_is_gone_is_named_with_what_to_do(person: Person) -> None:
    """Never the bare kind of an error."""
    person.ok("save", "the kestrel nests under the roof")
    person.ok("stop")
    change(person, "DROP TABLE vectors")
    assert "without vectors" in finding(person, "database")
    person.ok("start")
    said = person.run("doctor").out
    assert "without vectors" in said
    assert "`backstory stop`, then put back a copy" in said
    assert "no such table: vectors" in person.run("status").err
    assert "OperationalError" not in said


def change(person: Person, statement: str) -> None:
    """Somebody else damages the database."""
    with closing(sqlite3.connect(person.home.data / paths.DATABASE)) as db:
        db.execute(statement)
        db.commit()
