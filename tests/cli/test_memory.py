"""Looking into memory: search, timeline, show, context."""

from __future__ import annotations

from pathlib import Path

import pytest

from backstory.cli import by_worker
from tests.cli.conftest import Person, turn

WORDS = ("mango", "红色解析器", "C++ (a|b) 100%")


@pytest.fixture(autouse=True)
def story(regular: Person, tmp_path: Path) -> Path:
    """Three turns in this project, one in another whose folder this gives."""
    other = regular.home.project.parent / "other"
    other.mkdir(exist_ok=True)
    if not regular.home.data.exists():
        for number, word in enumerate(WORDS):
            regular.record(*turn(word, f"s{number}"))
        regular.remember(*turn("mango", "elsewhere"), cwd=other)
    return other


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("word", WORDS)
def test_search_finds_words_of_any_script(regular: Person, word: str, running: bool) -> None:
    """F1, F4: with a worker or without one; nothing in a query is syntax."""
    regular.ok("start" if running else "stop")
    found = regular.run("search", *word.split(), "--json").json
    assert found["rows"]
    assert any(word.split()[0] in row["title"] for row in found["rows"])
    assert word.split()[0] in regular.ok("search", word)


def test_every_option_of_search_counts(regular: Person) -> None:
    """F7: types, dates, limit and offset, with words and without."""
    every = regular.run("search", "--json", "--limit", "100").json["rows"]
    assert len(every) > 4
    for words in ((), ("mango",)):
        page = regular.run("search", *words, "--limit", "1", "--json").json
        assert len(page["rows"]) == 1
        second = regular.run("search", *words, "--limit", "1", "--offset", "1", "--json").json
        assert page["rows"] != second["rows"]
        for kind, wanted in (("prompts", "prompt"), ("sessions", "summary")):
            rows = regular.run("search", *words, "--type", kind, "--json").json["rows"]
            assert {row["kind"] for row in rows} == {wanted}
        assert regular.run("search", *words, "--until", "2020-01-01", "--json").json["rows"] == []
        assert regular.run("search", *words, "--since", "2020-01-01", "--json").json["rows"]


@pytest.mark.parametrize(
    "arguments",
    [["--type", "poem"], ["--since", "yesterday-ish"], ["--until", "2026-13-40"]],
    ids=" ".join,
)
def test_a_filter_that_is_none_is_named(regular: Person, arguments: list[str]) -> None:
    """F8: it is never ignored."""
    assert "backstory: " in regular.fails("search", "mango", *arguments)


def test_no_hits_are_no_error(regular: Person) -> None:
    """Failed and found nothing are different answers."""
    assert regular.run("search", "xylophone", "--json").json["rows"] == []
    assert regular.ok("search", "xylophone")


def test_another_project_is_seen_only_by_its_name(regular: Person, story: Path) -> None:
    """F10: by name or folder."""
    here = regular.run("search", "mango", "--json").json["rows"]
    for named in ("other", str(story)):
        there = regular.run("search", "mango", "--project", named, "--json").json["rows"]
        assert there
        assert not {row["id"] for row in there} & {row["id"] for row in here}
        assert {row["project"] for row in there} == {"other"}


def test_a_project_never_seen_says_so(regular: Person, tmp_path: Path) -> None:
    """With what to do."""
    regular.patch.chdir(tmp_path)
    for command in ("search", "timeline", "context"):
        said = regular.fails(command)
        assert "nothing is stored yet for project" in said
    assert "known: " in regular.fails("search", "x", "--project", "nope")


def test_timeline_goes_around_a_record_a_hit_or_the_newest(regular: Person) -> None:
    """As many as asked for."""
    (first, *_) = regular.run("search", "mango", "--type", "prompts", "--json").json["rows"]
    text = regular.ok("timeline", first["id"], "--before", "0", "--after", "2")
    assert "mango" in text
    assert "mango" in regular.ok("timeline", "--query", "mango")
    assert regular.run("timeline", "--json").json
    for wrong in ("999999", "x9", "s999999"):
        assert wrong.strip("x") in regular.fails("timeline", wrong)


def test_show_prints_records_and_raw_calls(regular: Person) -> None:
    """One or several, of every kind."""
    rows = regular.run("search", "mango", "--json", "--limit", "20").json["rows"]
    ids = [row["id"] for row in rows]
    assert {one[0] for one in ids if one[0].isalpha()} == {"p", "s"}
    assert "mango" in regular.ok("show", *ids)
    raw = regular.ok("show", "toolu_s0_mango")
    assert "make mango" in raw
    assert "built mango" in raw
    both = regular.run("show", ids[0], "toolu_s0_mango", "--json").json
    assert both["tool_uses"]


def test_what_is_missing_or_foreign_is_said_and_fails(regular: Person, story: Path) -> None:
    """Exit code 1; what is there is shown all the same."""
    (mine, *_) = regular.run("search", "mango", "--json").json["rows"]
    foreign = regular.run("search", "mango", "--project", "other", "--json").json["rows"][0]["id"]
    for wanted in ("99999", foreign, "toolu_nope", "toolu_elsewhere_mango"):
        done = regular.run("show", mine["id"], wanted, "--json")
        assert done.code == 1
        assert mine["title"] in done.out
        assert wanted in done.err
    assert regular.run("show", foreign, "--project", "other").code == 0
    assert "x5" in regular.run("show", "x5").err


def test_context_is_what_a_session_is_told(regular: Person, story: Path) -> None:
    """The same text as the hook's."""
    assert "mango" in regular.ok("context")
    assert "红色解析器" in regular.run("context", "--json").json["context"]
    assert "红色解析器" not in regular.ok("context", "--project", "other")


def test_the_last_line_names_a_command_that_there_is(regular: Person, story: Path) -> None:
    """A person has no tools: they have `backstory show`."""
    text = regular.ok("search", "mango", "--limit", "1")
    assert "Next: `backstory show ID`; --offset 1: more." in text
    assert "`backstory show ID --project other`" in regular.ok(
        "search", "mango", "--project", "other"
    )
    assert "`backstory show ID`, or another anchor" in regular.ok("timeline")
    for line in (regular.ok("show", "p1"), regular.ok("timeline", "--query", "mango")):
        assert "get_" not in line.splitlines()[-1]


def test_why_no_worker_answered_is_told_as_it_is(
    regular: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None runs, one of another version runs, or one that is there does not answer."""
    regular.ok("settings", "embedder", "builtin")
    regular.ok("stop")
    assert "no worker runs (`backstory start`)" in by_worker.with_reason("")
    regular.ok("start")
    monkeypatch.setattr(by_worker, "__version__", "9.9.9")
    assert "runs (`backstory restart`)" in by_worker.with_reason("")
    regular.ok("stop")
    regular.ok("settings", "embedder", "none")
    assert by_worker.with_reason("as before") == "as before"
