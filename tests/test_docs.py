"""The documentation names all there is, and nothing that is not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest

from backstory import cli, config
from plugin import commands

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SKILLS = sorted((ROOT / "skills").rglob("SKILL.md"))
GROUP = next(value for value in vars(cli).values() if isinstance(value, click.Group))
COMMANDS = {*GROUP.commands, "demo", "link", "python", "test"}
TOOLS = [tool["name"] for tool in json.loads((ROOT / "plugin/tools.json").read_text())["tools"]]


def text_of(pages: list[Path]) -> str:
    """All of these pages."""
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def named(name: str, text: str) -> bool:
    """Whether `name` stands in `text` as code, alone or at the start of a call."""
    return re.search(rf"`(?:backstory )?{re.escape(name)}(?![\w-])", text) is not None


def test_the_pages_that_a_user_looks_for_are_there() -> None:
    """README first."""
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert {"README.md", "CHANGELOG.md", "docs/architecture.md"} <= names
    assert (ROOT / "LICENSE").is_file()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_documented(name: str) -> None:
    """In the README or below docs/."""
    assert named(name, text_of(PAGES))


@pytest.mark.parametrize("name", [setting.name for setting in config.SETTINGS])
def test_every_setting_is_documented(name: str) -> None:
    """In the README or below docs/."""
    assert named(name, text_of(PAGES))


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_documented(name: str) -> None:
    """In the README or below docs/."""
    assert named(name, text_of(PAGES))


@pytest.mark.parametrize("page", [*PAGES, *SKILLS], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_is_named_exists(page: Path) -> None:
    """A1: a hint must never send anybody to a command that is not there."""
    text = page.read_text(encoding="utf-8")
    for found in re.findall(r"(?:`|^\s*|\$ )backstory ([a-z][\w-]*)", text, re.MULTILINE):
        assert found in COMMANDS, f"{page.name} names `backstory {found}`"
    for found in re.findall(r"plugin/launch\.py ([a-z][\w-]*)", text):
        assert found in {*COMMANDS, "worker-spawn"}, f"{page.name} names `launch.py {found}`"


def test_every_command_that_the_code_names_exists() -> None:
    """The same for messages and hints in the source."""
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "plugin").glob("*")]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            for found in re.findall(r"`backstory ([a-z][\w-]*)", text):
                assert found in COMMANDS, f"{path.name} names `backstory {found}`"


def test_the_launchers_own_list_is_true() -> None:
    """What it prints before there is a runtime."""
    listed = set(re.findall(r"(?:^  |, )([a-z-]+)(?=,|\s|$)", commands.USAGE, re.MULTILINE))
    assert listed >= COMMANDS, COMMANDS - listed
    assert set(commands.NEVER_BUILD) - {"--help", "-h", "--version"} <= COMMANDS


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in headings}


@pytest.mark.parametrize("page", [*PAGES, *SKILLS], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """Files and headings; pages elsewhere are not asked."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        linked = (page.parent / name).resolve() if name else page
        assert linked.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(linked), f"{page.name} links to {target}"
