"""The sections of Markdown."""

from __future__ import annotations

import math

from backstory.codenav.languages import languages
from backstory.codenav.markdown import markdown
from backstory.codenav.outline import outline_of


def names(text: str) -> list[str]:
    found = markdown(text, languages()["markdown"], math.inf).symbols
    return [f"{one.start_line}-{one.end_line} {one.qualified_name}" for one in found]


def test_code_holds_no_headings() -> None:
    text = "# A\n````\n# b\n```\n# c\n`````\n## D\n~~~ sh\n```\n# e\n~~~\n    # f\n# G\n"
    assert names(text) == ["1-12 A", "7-12 A > D", "13-13 G"]


def test_a_fence_in_a_list_hides_headings_too() -> None:
    assert names("# A\n- x\n  ```\n  # b\n  ```\n# C\n") == ["1-5 A", "6-6 C"]


def test_a_line_of_code_within_a_line_begins_no_fence() -> None:
    assert names("```x``` and more\n# A\n") == ["2-2 A"]


def test_a_rule_below_a_list_or_a_table_is_no_heading() -> None:
    assert names("# A\n- b\n---\n| c |\n---\n> d\n---\n\n---\nE\n===\n") == ["1-9 A", "10-11 E"]


def test_settings_at_the_beginning_are_no_headings() -> None:
    assert names("---\ntitle: x\n# y\n---\n# A\n") == ["5-5 A"]
    assert names("---\nnever closed\n# A\n") == ["3-3 A"]


def test_names_are_plain() -> None:
    text = (
        "# The `run` *command* of [Shop](https://a.b/c) __now__ {#id}\n## snake_case_name ##\n#\n"
    )
    assert [name.split(" ", 1)[1] for name in names(text)] == [
        "The run command of Shop now",
        "The run command of Shop now > snake_case_name",
        "(no title)",
    ]


def test_a_text_without_headings_is_outlined_by_its_blocks_and_has_no_names() -> None:
    """K5"""
    text = "First words.\n\nMore of them.\n"
    found = outline_of(text, "a.md").symbols
    assert [one.name for one in found] == ["First words.", "More of them."]
    assert names(text) == []
    assert names("") == []
