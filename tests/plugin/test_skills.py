"""The skills: short, and true of the tools and commands that they teach."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from backstory.cli import commands
from backstory.tools.arguments import check
from backstory.tools.catalogue import BY_NAME

SKILLS = sorted((Path(__file__).resolve().parents[2] / "skills").rglob("SKILL.md"))
CALL = re.compile(r"(?<![\w.`/])`?\b([a-z]+_[a-z_]+|search|timeline)\(((?:[^()\"]|\"[^\"]*\")*)\)")
COMMAND = re.compile(r"`backstory ([^`]+)`")
CONTINUATION = "ms_" + "x" * 24
each_skill = pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)


def calls(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The calls of tools that a skill shows."""
    text = path.read_text(encoding="utf-8").replace("ms_…", CONTINUATION)
    found = []
    for name, arguments in CALL.findall(text):
        source = re.sub(r"=(true|false)\b", lambda m: "=" + m[1].title(), f"f({arguments})")
        call = ast.parse(source, mode="eval").body
        assert isinstance(call, ast.Call)
        assert not call.args, f"{name}({arguments}): arguments are named"
        values = {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg}
        found.append((name, values))
    return found


def test_there_is_a_skill_for_each_thing_to_do() -> None:
    """Those that a user may ask for in their own words, and the switch."""
    expected = {
        "forget",
        "incognito",
        "learn-codebase",
        "mem-search",
        "memory-report",
        "smart-explore",
        "work-state",
    }
    assert {path.parent.name for path in SKILLS} >= expected


@each_skill
def test_a_skill_is_short_and_named_as_its_folder(path: Path) -> None:
    """It gives no tool a permission that the user did not."""
    text = path.read_text(encoding="utf-8")
    head = text.split("---")[1]
    assert text.count("\n") < 80
    assert f"name: {path.parent.name}\n" in head
    assert re.search(r"^description: \S", head, re.MULTILINE)
    assert "allowed-tools" not in head
    assert len(head) <= 600, "the host loads it in every session"
    assert "!`" not in text, "the host would run it"


@each_skill
def test_a_skill_that_claude_may_choose_says_when(path: Path) -> None:
    """In the words of a user."""
    head = path.read_text(encoding="utf-8").split("---")[1]
    if "disable-model-invocation: true" not in head:
        assert re.search(r"\b[Uu]se it (when|for|to)\b", head)


@each_skill
def test_every_call_that_is_shown_is_one_that_the_tool_takes(path: Path) -> None:
    """A1: names of tools, of arguments, and the values."""
    for name, values in calls(path):
        assert name in BY_NAME, name
        assert check(name, BY_NAME[name].schema, values) == values, name


def test_the_calls_are_found() -> None:
    """Or the test above would pass whatever they are."""
    shown = {path.parent.name: {name for name, _ in calls(path)} for path in SKILLS}
    assert shown["smart-explore"] == {"smart_search", "smart_outline", "smart_unfold"}
    assert shown["mem-search"] == {
        "mem_search",
        "search",
        "timeline",
        "get_observations",
        "get_tool_uses",
    }
    assert shown["work-state"] == {"work_state_read", "work_state_write"}
    assert shown["memory-report"] == {"search", "get_observations", "work_state_read"}
    assert shown["learn-codebase"] >= {"mem_search", "smart_outline", "smart_unfold", "save_memory"}
    assert shown["forget"] == {"mem_search"}


@each_skill
def test_every_word_that_looks_like_a_tool_is_one(path: Path) -> None:
    """Also where no call of it is shown."""
    text = path.read_text(encoding="utf-8")
    begin = r"(?:mem|smart|work|save|get|session|important)_[a-z_]+"
    for word in re.findall(rf"(?<![\w.])`?({begin})\b", text):
        assert word in BY_NAME, word


@each_skill
def test_every_command_that_is_shown_can_be_given(path: Path) -> None:
    """A1: options and arguments are parsed as the command line parses them."""
    text = path.read_text(encoding="utf-8").replace("${CLAUDE_SESSION_ID}", "s1")
    for line in COMMAND.findall(text):
        name, *arguments = shlex.split(line)
        command: click.Command = commands.commands[name]
        while isinstance(command, click.Group) and arguments:
            command = command.commands[arguments.pop(0)]
        command.make_context(name, arguments).close()


@each_skill
def test_nothing_is_written_into_the_repository(path: Path) -> None:
    """A skill sends Claude to no tool that edits."""
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"\b(?:Write|Edit|MultiEdit|NotebookEdit)\b[(`]", text)
