"""Settings: typed, checked, told to hooks and worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backstory import config, paths
from tests.cli.conftest import Person
from tests.support.home import event, tool


def test_all_of_them_are_listed(person: Person) -> None:
    """With default and meaning."""
    rows = person.run("settings", "--json").json
    assert [row["name"] for row in rows] == [setting.name for setting in config.SETTINGS]
    text = person.ok("settings")
    assert all(f"{setting.name} = " in text for setting in config.SETTINGS)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("raw_days", "5", 5),
        ("provider", "rules", "rules"),
        ("skipped_tools", '["Bash", "Web*"]', ["Bash", "Web*"]),
        ("skipped_tools", "Bash, Web*", ["Bash", "Web*"]),
        ("skipped_tools", "Bash", ["Bash"]),
        ("skipped_tools", "5", ["5"]),
        ("skipped_tools", "true", ["true"]),
        ("skipped_tools", "", []),
        ("excluded_projects", "~/a b,/秘密", ["~/a b", "/秘密"]),
        ("excluded_projects", "/x/*,*/secret", ["/x/*", "*/secret"]),
    ],
)
def test_a_value_is_taken_as_it_is_meant(person: Person, name: str, text: str, value: Any) -> None:
    """Lists as JSON or with commas; then it is shown, stored alone, and can be unset."""
    assert person.ok("settings", name, text).startswith(f"{name} = ")
    assert json.loads(person.ok("settings", name)) == value
    stored = json.loads((person.home.data / paths.SETTINGS).read_text())
    assert stored == {name: value}
    assert person.run("settings", name, "--unset", "--json").json == {
        name: config.BY_NAME[name].default
    }


def test_a_folder_below_the_current_one_is_stored_whole(person: Person) -> None:
    """A relative name would match nothing in a hook."""
    person.ok("settings", "excluded_projects", ".,deep/er")
    here = person.home.project
    assert person.run("settings", "excluded_projects", "--json").json == {
        "excluded_projects": [str(here), str(here / "deep/er")]
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["raw_day"], "did you mean raw_days?"),
        (["raw-days", "5"], "did you mean raw_days?"),
        (["zzz"], "the settings are: provider"),
        (["raw_days", "many"], "takes a whole number"),
        (["raw_days", "1.5"], "takes a whole number"),
        (["raw_days", "true"], "takes a whole number"),
        (["raw_days", "0"], "takes 1 to 3650"),
        (["raw_days", "9" * 50], "takes 1 to 3650"),
        (["provider", "magic"], "takes auto, rules"),
        (["skipped_tools", '["a"'], "takes a list"),
        (["skipped_tools", "[1]"], "takes a list of strings"),
        (["raw_days", "5", "--unset"], "contradict"),
        (["--unset"], "which setting?"),
    ],
)
def test_what_does_not_fit_changes_nothing(
    person: Person, arguments: list[str], words: str
) -> None:
    """And says what would."""
    assert words in person.fails("settings", *arguments)
    assert not (person.home.data / paths.SETTINGS).exists()


def test_a_change_reaches_hooks_at_once(person: Person) -> None:
    """With no worker running."""
    here = {"cwd": str(person.home.project)}
    person.ok("settings", "skipped_tools", "Bash")
    person.home.hook(tool("toolu_1", **here))
    assert person.home.waiting() == []
    person.ok("settings", "skipped_tools", "--unset")
    person.ok("settings", "excluded_projects", str(person.home.project))
    person.home.hook(tool("toolu_2", **here))
    person.home.hook(event("UserPromptSubmit", prompt="not to be seen", **here))
    assert person.home.waiting() == []
    person.ok("settings", "excluded_projects", "--unset")
    person.home.hook(tool("toolu_3", **here))
    assert len(person.home.waiting()) == 1


def test_a_running_worker_follows(person: Person) -> None:
    """It is restarted; where none ran, none is started."""
    person.ok("settings", "raw_days", "6")
    assert person.home.pid == 0
    person.ok("start")
    first = person.home.pid
    person.ok("settings", "skipped_tools", "Bash")
    assert person.home.pid not in (0, first)
    person.remember(event("UserPromptSubmit", prompt="x"), tool("toolu_1"))
    assert person.home.one("SELECT count(*) FROM tool_uses") == 0


def test_a_link_into_dotfiles_is_followed(person: Person) -> None:
    """I3: the user keeps the file elsewhere."""
    target = person.home.user / "dotfiles.json"
    person.make_folder()
    path = person.home.data / paths.SETTINGS
    path.symlink_to(target)
    person.ok("settings", "raw_days", "6")
    assert path.is_symlink()
    assert json.loads(Path(target).read_text()) == {"raw_days": 6}
