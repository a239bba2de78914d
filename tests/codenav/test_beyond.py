"""What an index leaves out is left out without one, too; what it lacks is told, and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codenav.searching import workspace

BYTES = bytes(range(256)) * 40 + b"\nneedle in bytes\n"
MINIFIED = "function needle(){" + "var a=1;" * 2_000 + "}\n" + "needle();" * 1_000


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("query", ["needle", '"needle"', "needle in", "needle("])
def test_lines_of_what_is_no_text_or_no_source_are_never_shown(
    tmp_path: Path, query: str, indexed: bool
) -> None:
    """The same before the index is complete, and each is counted as left out (10)."""
    files: dict[str, str | bytes] = {
        "data.bin": BYTES,
        "noise": BYTES,
        "app.js": MINIFIED,
        "yarn.lock": "needle in@1:\n  needle(\n",
        "a.py": "# needle in a haystack, needle(\n",
    }
    project = workspace(tmp_path, files, indexed=indexed)
    for references in (False, True):
        answer = project.search(query, references=references)
        assert {hit.file for hit in answer.hits} <= {"a.py"}
        assert answer.hits or references
        skipped = answer.counts.skipped
        assert skipped["binary"] == 2 or (references and not indexed)
        assert skipped["generated"] == 1


def test_what_is_left_out_is_counted_where_was_looked(tmp_path: Path) -> None:
    """Not in the rest of the workspace: of a file that was named there is none (11)."""
    files: dict[str, str | bytes] = {"a.py": "x = 1\n", "in/b.py": "x = 2\n", "in/c.bin": BYTES}
    project = workspace(tmp_path, {**files, ".env": "x=1\n", "in/.env": "x=1\n"})
    (project.root / "link.py").symlink_to("a.py")
    assert project.search("x").counts.skipped == {"secret-like": 2, "link": 1, "binary": 1}
    assert project.search("x", path="a.py").counts.skipped == {}
    assert project.search("x", path="in").counts.skipped == {"secret-like": 1, "binary": 1}
    assert project.search("x", file_pattern="*.py").counts.skipped == {}
    (project.root / "in/.env").unlink()
    assert project.search("x", path="in").counts.skipped == {"binary": 1}


def test_a_file_that_was_parsed_in_part_is_named_and_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the line that has the very word, though another symbol has a name like it (14)."""
    many = "".join(f"def total_{at}(): return 1\n" for at in range(5_000))
    files = {"big.py": many + "def wanted_here(): return 2\n", "b.py": "def wanted_her(): pass\n"}
    project = workspace(tmp_path, files, indexed=False)
    monkeypatch.setattr("backstory.codenav.index._MOST_SYMBOLS", 100)
    project.index()
    answer = project.search("wanted_here")
    assert answer.complete
    assert answer.counts.failed == 1
    assert answer.counts.in_part == ("big.py",)
    assert [(hit.what, hit.file) for hit in answer.hits] == [("symbol", "b.py"), ("line", "big.py")]
    assert answer.hits[1].text == "def wanted_here(): return 2"
    assert project.search("wanted_her", path="b.py").counts.in_part == ()


def test_every_word_of_a_long_file_leads_to_its_lines(tmp_path: Path) -> None:
    """However far from its beginning it stands."""
    long = "x = 1  # and so on\n" * 30_000 + "y = far_away\n"
    project = workspace(tmp_path, {"a.py": long, "b.txt": "word " * 50_000 + "outlying\n"})
    assert [hit.file for hit in project.search("far_away").hits] == ["a.py"]
    assert [hit.file for hit in project.search('"outlying"').hits] == ["b.txt"]


def test_blocks_of_what_could_not_be_parsed_are_in_no_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lines are found as text (8)."""
    project = workspace(tmp_path, {"a.py": "def wanted():\n    return 1\n"}, indexed=False)
    monkeypatch.setattr("backstory.codenav.indexing._FILE_S", 0.0)
    project.index()
    answer = project.search("wanted")
    assert [hit.what for hit in answer.hits] == ["line"]
    assert answer.counts.in_part == ("a.py",)
