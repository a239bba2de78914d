"""The skills: short, and true of the tools that they teach."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backstory.tools.catalogue import BY_NAME

SKILLS = sorted((Path(__file__).resolve().parents[2] / "skills").rglob("SKILL.md"))


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_is_short_and_named_as_its_folder(path: Path) -> None:
    """It gives no tool a permission that the user did not."""
    text = path.read_text(encoding="utf-8")
    head = text.split("---")[1]
    assert text.count("\n") <= 60
    assert f"name: {path.parent.name}\n" in head
    assert "allowed-tools" not in head
    assert len(head) <= 600, "the host loads it in every session"


def test_every_call_of_a_tool_that_is_shown_is_one_that_it_takes() -> None:
    """Names of tools and of arguments."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SKILLS)
    calls = re.findall(r"(smart_\w+)\(([^)]*)\)", text)
    assert {name for name, _ in calls} == {"smart_search", "smart_outline", "smart_unfold"}
    for name, arguments in calls:
        given = re.findall(r"(\w+)=", arguments)
        assert given
        assert set(given) <= set(BY_NAME[name].properties)
