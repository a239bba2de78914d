"""The shape of notebooks."""

from __future__ import annotations

import json
import math
from typing import Any

from backstory.codenav.languages import languages
from backstory.codenav.notebook import notebook
from backstory.codenav.symbols import Reading


def read(text: str) -> Reading:
    return notebook(text, languages()["notebook"], math.inf)


def names(text: str) -> list[str]:
    found = read(text).symbols
    return [f"{one.start_line}-{one.end_line} {one.kind} {one.qualified_name}" for one in found]


def made(*cells: tuple[str, Any], **metadata: Any) -> str:
    return json.dumps(
        {
            "cells": [{"cell_type": kind, "source": source} for kind, source in cells],
            "metadata": metadata,
        },
        indent=1,
    )


def test_the_lines_are_those_of_the_file() -> None:
    text = made(("code", ["import os\n", "\n", "def f():\n", "    return 1"]))
    lines = text.split("\n")
    (cell, function) = read(text).symbols
    assert lines[cell.start_line - 1].strip() == "{"
    assert "def f()" in lines[function.start_line - 1]
    assert "return 1" in lines[function.end_line - 1]
    assert read(text).imports == ((("os",), function.line - 2, function.line - 2),)


def test_headings_hold_the_cells_below_them() -> None:
    text = made(("markdown", ["# A\n", "text\n", "## B"]), ("code", ["x = 1"]), ("markdown", "# C"))
    assert [name.split(" ", 1)[1] for name in names(text)] == [
        "section A",
        "section A > B",
        "section A > B > cell 2 code",
        "variable A > B > cell 2 code.x",
        "section C",
    ]


def test_what_only_notebooks_understand_is_no_fault() -> None:
    text = made(
        ("code", ["%load_ext x\n", "!ls -l\n", "df?\n", "if y:\n", "    %time f()\n", "z = 1"])
    )
    assert read(text).problems == ()
    assert [one.name for one in read(text).symbols] == ["cell 1 code", "z"]


def test_a_cell_in_another_language_is_a_section_alone() -> None:
    assert len(read(made(("code", ["%%bash\n", "f() { x; }"]))).symbols) == 1
    assert len(read(made(("code", ["%%time\n", "x = 1"]))).symbols) == 2


def test_the_language_is_the_one_that_the_notebook_says() -> None:
    text = made(("code", ["f <- function(x) {\n", "  x\n", "}"]), language_info={"name": "R"})
    assert [(one.kind, one.name) for one in read(text).symbols][1:] == [("function", "f")]
    unknown = made(("code", ["x = 1"]), kernelspec={"language": "klingon"})
    assert [one.name for one in read(unknown).symbols] == ["cell 1 code"]


def test_a_language_that_is_not_named_is_taken_for_python_without_finding_faults() -> None:
    text = made(("code", ["REM not Python at all"]))
    assert read(text).problems == ()
    assert read(made(("code", ["a b c"]), language_info={"name": "python"})).problems != ()


def test_older_notebooks_are_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Old"]},
        {"cell_type": "code", "input": ["x = 1"]},
    ]
    text = json.dumps({"worksheets": [{"cells": cells}]}, indent=1)
    assert [one.qualified_name for one in read(text).symbols] == [
        "Old",
        "Old > cell 2 code",
        "Old > cell 2 code.x",
    ]


def test_what_is_no_notebook_is_told_by_its_keys() -> None:
    assert names('{"a": 1}') == ["1-1 property a"]
    assert names("") == []


def test_of_a_notebook_that_is_cut_off_what_is_there_is_shown() -> None:
    text = made(("code", ["x = 1"]), ("code", ["y = 2"]))
    cut = text[: text.index('"y = 2"') + 7]
    assert [one.name for one in read(cut).symbols] == ["cell 1 code", "x", "cell 2 code", "y"]
    assert read(cut).problems != ()


def test_a_notebook_in_one_line_is_read() -> None:
    text = json.dumps(json.loads(made(("markdown", "# A"), ("code", ["x = 1"]))))
    assert names(text) == [
        "1-1 section A",
        "1-1 section A > cell 2 code",
        "1-1 variable A > cell 2 code.x",
    ]
