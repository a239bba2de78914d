"""The shape of texts without a language."""

from __future__ import annotations

import time

import pytest

from backstory.codenav.plain import MOST_SECTIONS, plain_outline


def sections(text: str, path: str = "") -> list[str]:
    """`first-last qualified name` of each section."""
    return [
        f"{one.start_line}-{one.end_line} {one.qualified_name}"
        for one in plain_outline(text, path)[1]
    ]


def test_blocks_are_told_by_their_first_words() -> None:
    """K5"""
    text = "The first block\ngoes on.\n\n\n// The second one\nends here.\n\nThird\n"
    assert sections(text) == ["1-2 The first block", "5-6 The second one", "8-8 Third"]


def test_underlined_headings_are_nested_by_what_underlines_them() -> None:
    text = "Shop\n====\n\nx\n\nInstall\n-------\n\ny\n\nUse\n---\n\nz\n\nEnd\n===\n\nw\n"
    assert sections(text) == [
        "1-14 Shop",
        "6-9 Shop > Install",
        "11-14 Shop > Use",
        "16-19 End",
    ]


def test_a_heading_with_lines_above_and_below_begins_with_the_upper_one() -> None:
    assert sections("====\nShop\n====\n\nx\n\nPart\n----\n\ny\n") == [
        "1-10 Shop",
        "7-10 Shop > Part",
    ]


def test_numbered_headings_are_nested_by_their_numbers() -> None:
    text = "1. Intro\n\nx\n\n1.1 Scope\n\ny\n\n1.2.1 Deep\n\nz\n\n2. Next\n\nw\n"
    assert sections(text) == [
        "1-11 1. Intro",
        "5-11 1. Intro > 1.1 Scope",
        "9-11 1. Intro > 1.1 Scope > 1.2.1 Deep",
        "13-15 2. Next",
    ]


def test_the_clauses_of_a_licence_are_found() -> None:
    text = (
        "LICENCE\n\nPreamble.\n\n   1. Definitions.\n\n      Text.\n\n"
        "   2. Grant of Patent License. Subject to the terms\n   of this.\n\nEND OF TERMS\n"
    )
    assert sections(text) == [
        "1-10 LICENCE",
        "5-7 LICENCE > 1. Definitions",
        "9-10 LICENCE > 2. Grant of Patent License",
        "12-12 END OF TERMS",
    ]


def test_entries_of_a_table_of_contents_are_no_headings() -> None:
    text = "1. Intro ........ 3\n2. Next . . . . . 4\n\n1. Intro\n\nx\n\n2. Next\n\ny\n"
    assert sections(text)[1:] == ["4-6 1. Intro", "8-10 2. Next"]


def test_items_of_a_list_are_no_headings() -> None:
    text = "Things:\n\n1. buy milk\n2. buy bread\n\nMore words here.\n"
    assert "1. buy milk" not in " ".join(name for name in sections(text) if ">" in name)


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Chapter 7", "Chapter 7"),
        ("APPENDIX A", "APPENDIX A"),
        ("第三章 価格", "第三章 価格"),
        ("== Usage ==", "Usage"),
        ("=== Usage", "Usage"),
        ("*** Usage ***", "Usage"),
        ("[usage]", "usage"),
        ("SEE ALSO", "SEE ALSO"),
    ],
)
def test_headings_of_many_kinds(heading: str, name: str) -> None:
    text = f"{heading}\n\nsome text\n\n{heading}\n\nmore text\n"
    assert sections(text) == [f"1-3 {name}", f"5-7 {name}"]


def test_the_stars_of_org_files_are_headings_only_there() -> None:
    text = "* One\ntext\n** Two\ntext\n* Three\n"
    assert sections(text, "a.org") == ["1-4 One", "3-4 One > Two", "5-5 Three"]
    assert sections(text, "a.txt") != sections(text, "a.org")


def test_comments_in_a_file_of_settings_are_no_headings() -> None:
    text = "# the port\nport 80\n\n# the host\n# of it\nhost a\n\n# x\ny z\n"
    assert sections(text) == ["1-2 the port", "4-6 the host", "8-9 x"]


def test_a_text_is_told_by_its_indents() -> None:
    text = "server {\n  listen 80;\n  location / {\n    root x;\n  }\n}\nclient {\n  port 1;\n}\n"
    assert sections(text) == [
        "1-6 server {",
        "3-6 server { > location / {",
        "7-9 client {",
    ]


def test_one_long_block_is_cut_into_pieces() -> None:
    found = sections("\n".join(f"word{number} and so on" for number in range(1000)))
    assert len(found) == 20
    assert found[0] == "1-50 word0 and so on"


def test_very_many_headings_become_few() -> None:
    text = "\n".join(f"Chapter {number}\n\n1.1 Part\n\ntext\n" for number in range(5000))
    found = plain_outline(text)[1]
    assert 100 < len(found) <= MOST_SECTIONS
    assert found[0].name == "Chapter 0 (and 12 more)"


def test_a_table_tells_its_columns_and_rows() -> None:
    said, found = plain_outline('name,age,"a, b"\nAda,36,x\n"B\nC",7,\n', "people.csv")
    assert said == "csv"
    assert [(one.kind, one.name, one.signature) for one in found] == [
        ("section", "columns", "3 columns: name, age, a, b"),
        ("field", "name", "name: text, such as Ada"),
        ("field", "age", "age: number, such as 36"),
        ("field", "a, b", "a, b: text, such as x"),
        ("section", "rows", "2 rows"),
    ]
    assert (found[-1].start_line, found[-1].end_line) == (2, 4)


def test_a_table_without_names_is_told_so() -> None:
    said, found = plain_outline("1\t2\n3\t4\n", "a.tsv")
    assert said == "tsv"
    assert [one.signature for one in found[:3]] == [
        "2 rows",
        "2 columns without names",
        "column 1: number, such as 1",
    ]


def test_a_table_is_known_by_its_rows_too() -> None:
    assert plain_outline("a;b;c\n" * 6, "dump.txt")[0] == "csv"
    assert plain_outline("one, two\nthree\nfour, five, six\n" * 3, "a.txt")[0] == "text"


def test_a_log_tells_its_times_and_errors() -> None:
    lines = [f"2026-11-30 0{hour}:00:0{second} INFO x" for hour in (7, 8) for second in range(9)]
    lines[3] = "2026-11-30 07:00:03 ERROR disk full"
    lines.insert(4, "  at somewhere")
    said, found = plain_outline("\n".join(lines))
    assert said == "log"
    assert [(one.start_line, one.end_line, one.signature) for one in found] == [
        (1, 10, "2026-11-30 07h: 10 lines, 1 with errors"),
        (4, 4, "2026-11-30 07:00:03 ERROR disk full"),
        (11, 19, "2026-11-30 08h: 9 lines"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Nov 30 12:00:01 host sshd[1]: x",
        "[2026-11-30T12:00:01Z] x",
        "INFO 2026-11-30 12:00:01 x",
        '1.2.3.4 - - [30/Nov/2026:12:00:01 +0000] "GET / HTTP/1.1" 200 1',
        "12:00:01.345 [main] DEBUG x",
    ],
)
def test_times_of_logs_are_written_in_many_ways(line: str) -> None:
    assert plain_outline(f"{line}\n" * 6)[0] == "log"


def test_nothing_comes_of_nothing() -> None:
    assert plain_outline("") == ("text", ())
    assert plain_outline(" \n\n\t\n") == ("text", ())


def test_without_time_a_text_is_cut_into_blocks() -> None:
    text = "Title\n=====\n\ntext\n"
    found = plain_outline(text, "", time.monotonic() - 1)[1]
    assert [one.name for one in found] == ["Title", "text"]
