"""Answers from files that no index holds."""

from __future__ import annotations

import math

import pytest

from backstory.codenav.outline import Outline
from backstory.codenav.query import understood
from backstory.codenav.scan import likely_first, scan
from backstory.codenav.symbols import Symbol


def test_likely_files_are_looked_at_first() -> None:
    """By the words of their names, then near before deep, tests and others' code late."""
    paths = [
        "site-packages/other/a.py",
        "test/test_gzip.py",
        "src/deep/er/reader.py",
        "a.py",
        "site-packages/gzipped/gzip_file.py",
        "gzip.py",
    ]
    found = [path for path, _ in likely_first([(one, 10) for one in paths], understood("gzip"))]
    assert found == ["gzip.py", "test/test_gzip.py", paths[4], "a.py", paths[2], paths[0]]


@pytest.mark.parametrize(
    ("path", "text", "query"),
    [
        (
            "a.c",
            "static int\nother(void) { return 1; }\nint read_block(int a)\n{\n}\n",
            "read_block",
        ),
        ("A.java", "class A {\n  public int readBlock(int a) {\n  }\n}\n", "read_block"),
        ("a.py", "def readBlock(): ...\n", "read block"),
    ],
)
def test_a_definition_is_found_among_many_mentions(path: str, text: str, query: str) -> None:
    """Files that only mention a name are more than can be outlined."""
    files = {f"m{at}.py": b"read_block readBlock read block\n" * 9 for at in range(60)}
    files |= {path: text.encode()}
    sizes = [(one, len(data)) for one, data in files.items()]
    found = scan("/nowhere", sizes, understood(query), files.get, math.inf)
    assert path in {one.file for one in found.candidates}


def test_blocks_of_what_could_not_be_parsed_in_time_are_no_symbols(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A large file that is cut is shown by its headings and blocks; nobody can unfold those."""
    block = Symbol("read_block", "read_block", "section", 1, 900, line=1)
    cut = Outline("python", (block,), (), (), 900, "cut")
    monkeypatch.setattr("backstory.codenav.scan.outline_of", lambda *_: cut)
    found = scan(
        "/nowhere",
        [("a.py", 20)],
        understood("read_block"),
        {"a.py": b"read_block\n"}.get,
        math.inf,
    )
    assert found.candidates == []
    assert found.in_part == ["a.py"]
