"""Lines of text that hold a piece of text."""

from __future__ import annotations

import math

import pytest

from backstory.codenav.lines import lines_with, shortened


def found(text: str, whole: bool = False, **files: str | bytes) -> list[tuple[str, int, str]]:
    data = {
        name.replace("_", "."): one if isinstance(one, bytes) else one.encode()
        for name, one in files.items()
    }
    result = lines_with(text, data, data.get, math.inf, whole)
    return [(one.file, one.number, one.text) for one in result.lines]


def test_lines_are_counted_from_one() -> None:
    """And told without their indent."""
    assert found("b", a_py="a\n  b\nc b\n") == [("a.py", 2, "b"), ("a.py", 3, "c b")]


def test_a_line_that_holds_it_twice_is_one() -> None:
    """It is the line that is told."""
    assert found("b", a_py="b b b\nb") == [("a.py", 1, "b b b"), ("a.py", 2, "b")]


def test_the_same_case_comes_first() -> None:
    """The other one is found too."""
    assert [one[1] for one in found("Error", a_py="error\nError\n")] == [2, 1]


def test_whole_words_are_not_parts_of_others() -> None:
    """A name is asked for, not its neighbours."""
    text = "cat\nconcat\ncats\ncat_a\nthe cat.\n$cat\n"
    assert [one[1] for one in found("cat", whole=True, a_py=text)] == [1, 5]


def test_tests_and_code_of_others_come_last() -> None:
    """Own code first."""
    data = {"vendor/a.py": b"x", "tests/test_a.py": b"x", "src/a.py": b"x"}
    result = lines_with("x", data, data.get, math.inf)
    assert [one.file for one in result.lines] == ["src/a.py", "tests/test_a.py", "vendor/a.py"]


def test_code_comes_before_what_tells_of_it() -> None:
    """Whatever the case, and however the paths are sorted."""
    names = ["CHANGELOG.md", "README", "a.json", "docs/conf.py", "src/a.py", "tests/test_a.py"]
    data = dict.fromkeys((*names, "vendor/x.py"), b"Word\n") | {"src/a.py": b"word\n"}
    result = lines_with("Word", data, data.get, math.inf)
    assert [one.file for one in result.lines] == [
        *("src/a.py", "tests/test_a.py", "a.json", "CHANGELOG.md", "README", "docs/conf.py"),
        "vendor/x.py",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_encodings_are_understood(encoding: str) -> None:
    """Also where a plain look at the bytes finds nothing."""
    text = "first\nGrüße\nİstanbul\n"
    assert found("grüße", a_py=text.encode(encoding)) == [("a.py", 2, "Grüße")]


def test_files_that_are_gone_or_damaged_hold_nothing() -> None:
    """None is what a file that cannot be read gives."""
    result = lines_with("a", ["gone.py"], lambda _: None, math.inf)
    assert (result.lines, result.total) == ((), 0)
    assert found("a", a_py=b"\xff\xfe\xfd a") is not None


def test_the_time_over_is_told() -> None:
    """With how many files are left."""
    result = lines_with("a", ["a", "b"], lambda _: b"a", -math.inf)
    assert (result.lines, result.unread) == ((), 2)


def test_a_long_line_is_cut_around_the_place() -> None:
    """What was looked for stays in sight."""
    line = "x" * 5_000 + "needle" + "y" * 5_000
    cut = shortened(line, 5_000)
    assert "needle" in cut
    assert len(cut) < 250
