"""Saving and forgetting: it can come back for a day, and then it is in no file."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from backstory import paths
from backstory.storage import forget, spool
from tests.cli.conftest import Person, turn
from tests.support.home import event, tool, until

# a way of forgetting -> the arguments that name what holds the word, within its own project
WAYS = {
    "record": ["{record}"],
    "summary": ["s{summary}"],
    "prompt": ["p{prompt}"],
    "query": ["--query", "{word}"],
    "session": ["--session", "of-{way}"],
    "since": ["--since", "2020-01-01"],
    "until": ["--until", "2099-01-01"],
    "all": ["--all"],
    "project": ["--project", "{folder}"],
}


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets what comes in on standard input."""

    def given(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return given


def forgotten_words() -> dict[str, str]:
    """A canary for each way; no two share their beginnings, which an index may keep."""
    return {way: f"{chr(97 + n) * 2}zq{way}canary" for n, way in enumerate(WAYS)}


def arguments_for(person: Person, way: str, word: str, folder: Path) -> list[str]:
    """The command line of a way."""
    values = {"word": word, "folder": str(folder), "way": way}
    for table in ("observations", "summaries", "prompts"):
        name = {"observations": "record", "summaries": "summary", "prompts": "prompt"}[table]
        query = f"SELECT min(t.id) FROM {table} t JOIN projects p ON p.id = t.project"
        values[name] = str(person.home.one(f"{query} WHERE p.root = ?", str(folder)))
    return [one.format(**values) for one in WAYS[way]]


def a_day_passes(person: Person) -> None:
    """What was forgotten becomes a day older while no worker runs; the next one cleans up."""
    person.ok("stop")
    with closing(sqlite3.connect(person.home.data / paths.DATABASE)) as db:
        db.execute("UPDATE forgotten SET at = at - ?", (forget.UNDO_MS + 1000,))
        db.commit()
    person.ok("start")
    until(lambda: not person.run("forget", "--list", "--json").json["forgotten"], "it is gone")


def test_each_way_of_forgetting_leaves_no_trace_after_a_day(person: Person) -> None:
    """G1: prompt, raw call, last message, subagent, compaction, record, summary, index, spool."""
    folders = {}
    for way, word in forgotten_words().items():
        folders[way] = person.home.project.parent / f"of {way}"
        folders[way].mkdir()
        person.record(*turn(word, f"of-{way}"), cwd=folders[way])
    person.ok("save", "keepsake stays")
    person.ok("drain")
    for way, word in forgotten_words().items():
        person.patch.chdir(folders[way])
        # one more that still lies in the spool when the command runs
        late = event("UserPromptSubmit", session_id=f"of-{way}", prompt_id="late", prompt=word)
        if way not in ("record", "summary", "prompt"):
            person.record(late, cwd=folders[way])
        chosen = arguments_for(person, way, word, folders[way])
        assert "would forget: " in person.ok("forget", *chosen)
        assert person.run("search", word, "--json").json["rows"], way
        assert "forgot: " in person.ok("forget", *chosen, "--yes")
        assert person.run("search", word, "--json").json["rows"] == [], way
        assert "brought back: " in person.ok("forget", "--undo")
        assert person.run("search", word, "--json").json["rows"], way
        assert person.run("forget", *chosen, "--yes", "--json").json["forgotten"]
        assert person.home.holds(word[2:]), way
    a_day_passes(person)
    for word in forgotten_words().values():
        assert person.home.holds(word[2:]) == []
    person.patch.chdir(person.home.project)
    assert "keepsake" in person.ok("search", "keepsake")
    assert person.run("forget", "--undo").code == 1
    person.ok("stop")
    assert person.home.holds("canary") == []


def test_a_purge_ends_the_day_at_once(person: Person) -> None:
    """Also for events that could not be read, in which the text stands in any spelling."""
    word = "kumquat früh"
    person.remember(*turn(word))
    bad = person.home.data / paths.SPOOL / spool.BAD
    bad.mkdir(mode=0o700, exist_ok=True)
    (bad / "1-1.evt").write_text('{"prompt": "KUMQUAT  ' + json.dumps("früh")[1:] + ", broken")
    (bad / "2-2.evt").write_text("another")
    assert "and 1 events that could not be read" in person.ok("forget", "--query", word)
    person.ok("forget", "--query", word, "--yes")
    assert [path.name for path in bad.iterdir()] == ["2-2.evt"]
    assert person.home.holds("kumquat")
    assert "removed for good: 1" in person.ok("forget", "--purge")
    assert list(bad.iterdir()) == []
    assert person.home.holds("kumquat") == []
    assert "removed for good: 0" in person.ok("forget", "--purge")


def test_a_damaged_database_that_was_set_aside_is_named(person: Person) -> None:
    """It may hold the same text, and nobody can take it out of there."""
    person.remember(*turn("tamarind"))
    (person.home.data / "backstory.db.damaged-20260101-000000").write_text("tamarind")
    assert "backstory.db.damaged-20260101-000000 is a damaged database" in person.ok(
        "forget", "--query", "tamarind", "--yes"
    )


def test_a_preview_tells_titles_and_changes_nothing(regular: Person) -> None:
    """For a person and for a program."""
    regular.remember(*turn("lychee", "preview"))
    shown = regular.run("forget", "--query", "lychee", "--json").json
    assert shown["would_forget"]["prompts"] == 1
    assert any("lychee" in record["title"] for record in shown["records"])
    text = regular.ok("forget", "--query", "lychee")
    assert "lychee" in text
    assert text.endswith("--yes does it\n")
    assert regular.run("forget", "--list", "--json").json["forgotten"] == []


def test_a_preview_sends_nothing_to_a_model(person: Person) -> None:
    """What its user is about to forget goes nowhere before: no turn becomes due by it."""
    person.ok("settings", "provider", "openai")  # without an address: turns wait for it
    person.record(*turn("mulberry", "ended"))
    runs = {"session_id": "runs", "prompt_id": "runs-1"}
    person.record(event("UserPromptSubmit", prompt="Go on.", **runs), tool("toolu_runs", **runs))
    assert "would forget: " in person.ok("forget", "--query", "mulberry")
    jobs = "SELECT s.session_id, j.not_before > j.created_at FROM jobs j JOIN prompts p"
    jobs += " ON p.id = j.prompt JOIN sessions s ON s.id = p.session WHERE j.kind = 'model'"
    assert person.home.rows(jobs) == [("ended", 1)]
    person.ok("drain")
    assert sorted(person.home.rows(jobs)) == [("ended", 0), ("runs", 0)]


def test_what_nothing_holds_is_no_error(regular: Person) -> None:
    """There is nothing to do, whether confirmed or not."""
    regular.remember(event("UserPromptSubmit", prompt="something"))
    for more in ([], ["--yes"]):
        said = regular.ok("forget", "--query", "never said", *more)
        assert said == "there is nothing of that to forget\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "what is to be forgotten?"),
        (["--yes"], "what is to be forgotten?"),
        (["12", "--query", "abc"], "ids and --query do not go together"),
        (["--query", "abc", "--since", "2026-01-01"], "do not go together"),
        (["--session", "s", "--all"], "do not go together"),
        (["--undo", "--purge"], "do not go together"),
        (["--query", "ab"], "too short"),
        (["x5"], "is no id"),
        (["99999"], "there is no record 99999"),
        (["p99999"], "there is no record p99999"),
        (["--session", "nope"], "nothing is stored of session nope"),
        (["--since", "soon"], "--since"),
        (["--project", "nope"], "there is no project 'nope'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_not_one_clear_thing_forgets_nothing(
    regular: Person, arguments: list[str], words: str
) -> None:
    """Two ways at once would forget more than either says."""
    regular.remember(*turn("rambutan", "clear"))
    before = regular.home.one("SELECT count(*) FROM observations")
    assert words in regular.fails("forget", *arguments)
    assert regular.home.one("SELECT count(*) FROM observations") == before


def test_a_record_of_another_project_is_not_forgotten_from_here(
    regular: Person, tmp_path: Path
) -> None:
    """Unless it is named."""
    regular.remember(*turn("durian", "foreign"), cwd=tmp_path)
    record = regular.home.one("SELECT max(id) FROM observations")
    assert "--project" in regular.fails("forget", str(record), "--yes")
    assert "forgot" in regular.ok("forget", str(record), "--yes", "--project", str(tmp_path))


def test_saving_keeps_the_words_once(regular: Person) -> None:
    """E3: a second time it says which record it is."""
    first = regular.ok("save", "Café", "deploys", "on Tuesdays")
    number = re.findall(r"\d+", first)[0]
    assert regular.ok("save", "cafe\u0301  deploys on tuesdays") == (
        f"already known, as {number}\n"
    )
    assert regular.run("save", "Café deploys on Tuesdays", "--json").json["new"] is False
    assert "Café deploys on Tuesdays" in regular.ok("show", number)


def test_secrets_are_masked_and_that_is_said(regular: Person) -> None:
    """G4: private text and keys go before anything is stored."""
    key = "ghp_" + "a1B2" * 9
    said = regular.ok("save", f"the token is {key} and <private>pw123zz</private> too")
    assert "what looks like a secret was left out" in said
    regular.ok("drain")
    assert regular.home.holds(key) == []
    assert regular.home.holds("pw123zz") == []


def test_standard_input_is_saved(regular: Person, stdin: Any) -> None:
    """Any bytes; bytes that are no text are replaced."""
    stdin("Zeile eins 红\n".encode() + b"\xff end")
    regular.ok("save", "-", "--title", "From a pipe", "--type", "decision")
    found = regular.ok("search", "红", "--json")
    (row, *_) = json.loads(found)["rows"]
    assert (row["title"], row["type"]) == ("From a pipe", "decision")


@pytest.mark.parametrize("data", [b"", b" \n", b"x" * 4001, b"y" * 2_000_000])
def test_nothing_and_too_much_are_refused(regular: Person, stdin: Any, data: bytes) -> None:
    """With what to do instead."""
    stdin(data)
    done = regular.run("save", "-")
    assert done.code == 1
    assert "nothing to save" in done.err or "at most 4000 are stored" in done.err


def test_files_are_stored_relative_to_the_project(regular: Person) -> None:
    """F17: however they are given."""
    deep = regular.home.project / "src" / "deep"
    deep.mkdir(parents=True, exist_ok=True)
    regular.patch.chdir(deep)
    root = regular.home.project
    # a folder below the root is the project only where git says so
    (root / ".git").mkdir(exist_ok=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    regular.ok(
        *("save", "about files", "--file", "a.py", "--file", "../b.py"),
        *("--file", str(root / "c.py"), "--file", "/etc/hosts"),
    )
    stored = {path for (path,) in regular.home.rows("SELECT path FROM observation_files")}
    assert {"src/deep/a.py", "src/b.py", "c.py", "/etc/hosts"} <= stored


def test_saving_into_a_project_that_is_not_there_says_which_are(regular: Person) -> None:
    """And saves nowhere."""
    assert "there is no project 'nope'" in regular.fails("save", "x", "--project", "nope")


def test_bytes_that_are_no_text_are_saved_without_harm(regular: Person) -> None:
    """B9: an argument may hold anything."""
    regular.ok("save", os.fsdecode(b"odd \xff bytes"))
    assert "odd" in regular.ok("search", "odd")
