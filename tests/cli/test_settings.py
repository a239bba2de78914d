"""Settings: typed, checked, told to hooks and worker; secrets are never shown."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import click
import pytest

from backstory import cli, config, instance, paths
from backstory.cli import settings
from tests.cli.conftest import Person, turn
from tests.support.home import ROOT, event, tool, until
from tests.support.model_api import ModelApi, Request, Scripted, says

KEY = "sk-test-5e7Qz0vN2mLk8RwYd1"


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
        (["cloud", "aws"], "takes \"\" (none), bedrock, vertex, not 'aws'"),
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


def test_a_call_under_way_is_let_end(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ended with the worker, it would be paid for twice. The user is told what keeps it."""
    is_told, seen = threading.Event(), []

    def reply(_: Request) -> Scripted:
        assert is_told.wait(20)
        return says('{"observations": [], "summaries": []}')

    def echo(text: object = "", **more: Any) -> None:
        seen.append(str(text))
        if more.get("err"):
            is_told.set()

    with ModelApi(reply) as api:
        under_way(person, api)
        first = person.home.pid
        monkeypatch.setattr(click, "echo", echo)
        assert cli.main(["settings", "raw_days", "6"]) == 0
    assert seen[0].startswith("1 call of a model under way; the change takes hold when")
    assert person.home.pid not in (0, first)
    assert len(api.requests) == 1
    assert person.home.one("SELECT count(*) FROM ledger WHERE provider = 'openai'") == 1


def test_a_call_is_not_waited_for_without_end(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended with the worker then, and made again."""
    is_over = threading.Event()

    def reply(_: Request) -> Scripted:
        assert is_over.wait(30)
        return says("{}")

    with ModelApi(reply) as api:
        under_way(person, api)
        first = person.home.pid
        monkeypatch.setattr(settings, "CALLS_S", 0.3)
        assert cli.main(["settings", "raw_days", "6"]) == 0
        assert "in 0.3 s at the latest" in person.capsys.readouterr().err
        assert person.home.pid not in (0, first)
        is_over.set()


def under_way(person: Person, api: ModelApi) -> None:
    """A call of a model that has begun."""
    values = {"provider": "openai", "base_url": f"{api.url}/v1", "model": "small-1"}
    for name, value in values.items():
        person.ok("settings", name, value)
    person.record(*turn("papaya"))
    person.ok("start")
    instance.ask(person.home.data, "POST", "/api/flush?all=1&model=1&seconds=5")
    until(lambda: api.requests, "a call is under way")


def test_a_link_into_dotfiles_is_followed(person: Person) -> None:
    """I3: the user keeps the file elsewhere."""
    target = person.home.user / "dotfiles.json"
    person.make_folder()
    path = person.home.data / paths.SETTINGS
    path.symlink_to(target)
    person.ok("settings", "raw_days", "6")
    assert path.is_symlink()
    assert json.loads(Path(target).read_text()) == {"raw_days": 6}


def stored(person: Person) -> dict[str, Any]:
    """What settings.json holds."""
    found: dict[str, Any] = json.loads((person.home.data / paths.SETTINGS).read_text())
    return found


def pipe_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """What comes on standard input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


@pytest.mark.parametrize("name", ["api_key", "auth_token"])
def test_a_secret_is_never_shown_again(
    person: Person, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Not by the list, not by itself, not as JSON, not by status, doctor or the worker."""
    person.ok("settings", "provider", "rules")
    assert person.ok("settings", name) == "(not set)\n"
    pipe_in(monkeypatch, f"{KEY}\n")
    said = [person.ok("settings", name, "-")]
    assert stored(person)[name] == KEY
    said += [person.ok("settings", name), person.ok("settings")]
    assert f"{name} = (set)" in said[-1]
    assert person.run("settings", name, "--json").json == {name: "set"}
    rows = {row["name"]: row for row in person.run("settings", "--json").json}
    assert (rows[name]["value"], rows[name]["default"]) == ("set", "not set")
    person.ok("start")
    for command in ("status", "doctor", "settings"):
        done = person.run(command), person.run(command, "--json")
        said += [one.out + one.err for one in done]
    assert not any(KEY in one for one in said)
    assert [path for path in person.home.holds(KEY) if not path.endswith(paths.SETTINGS)] == []
    assert person.ok("settings", name, "--unset").startswith(f"{name} = (not set)")
    assert person.home.holds(KEY) == []


def test_a_secret_given_as_an_argument_is_taken_with_a_word_of_warning(person: Person) -> None:
    """The shell keeps what was typed."""
    person.ok("settings", "provider", "rules")
    text = person.ok("settings", "api_key", KEY)
    assert "api_key = (set)" in text
    assert "shell's history" in text
    assert KEY not in text
    done = person.run("settings", "api_key", KEY, "--json")
    assert done.json["api_key"] == "set"
    assert "shell's history" in done.json["note"]
    assert KEY not in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["api_key", ""], "nothing was given"),
        (["api_key", f"Bearer {KEY}"], "one word"),
        (["api_key", f"{KEY}\nX-Other: 1"], "one word"),
        (["api_key", f"{KEY}é"], "one word"),
        (["api_key", "=", KEY], "takes one value"),
        ([f"api_key={KEY}"], "a space parts name and value"),
        ([f"apikey={KEY}"], "did you mean api_key?"),
        (["api_key", KEY, "--unset"], "contradict"),
    ],
)
def test_a_secret_that_does_not_fit_is_not_repeated(
    person: Person, arguments: list[str], words: str
) -> None:
    """Error messages end up in issues and chats."""
    said = person.fails("settings", *arguments)
    assert words in said
    assert KEY not in said
    assert person.home.holds(KEY) == []


@pytest.mark.parametrize("text", ["", "\n", "x" * 30_000, "two words"])
def test_standard_input_that_holds_no_secret_changes_nothing(
    person: Person, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """An empty pipe must not unset one."""
    pipe_in(monkeypatch, text)
    assert person.run("settings", "api_key", "-").code == 1
    assert not (person.home.data / paths.SETTINGS).exists()


def test_a_secret_of_the_wrong_type_is_not_repeated_either(person: Person) -> None:
    """Somebody wrote it into the file without quotes; every command that reads it says so."""
    person.make_folder()
    path = person.home.data / paths.SETTINGS
    path.write_text('{"api_key": ["' + KEY + '"]}')
    for command in ("start", "status", "doctor", "settings", "stats"):
        done = person.run(command)
        assert done.code != 0
        assert KEY not in done.out + done.err
    assert "setting api_key takes text in quotes" in person.run("doctor").out
    assert [one for one in person.home.holds(KEY) if not one.endswith(paths.SETTINGS)] == []


def test_a_secret_is_asked_for_without_showing_it(person: Person) -> None:
    """At a terminal; an empty answer leaves it as it is."""
    person.ok("settings", "provider", "rules")
    assert KEY not in at_terminal(person, KEY)
    assert stored(person)["api_key"] == KEY
    assert "It is set" in at_terminal(person, "")
    assert stored(person)["api_key"] == KEY


def at_terminal(person: Person, typed: str) -> str:
    """What `backstory settings api_key` shows to somebody who types this."""
    master, slave = pty.openpty()
    code = "from backstory import cli; raise SystemExit(cli.main(['settings', 'api_key']))"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=person.home.environment(PYTHONPATH=str(ROOT / "src")),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    ) as child:
        os.close(slave)
        shown = b""

        def asked() -> bool:
            nonlocal shown
            shown += os.read(master, 4096)
            return b"api_key: " in shown.rpartition(b"leaves it so.")[2]

        until(asked, "it asks")
        os.write(master, typed.encode() + b"\n")
        assert child.wait(20) == 0
        os.set_blocking(master, False)
        try:
            while more := os.read(master, 4096):
                shown += more
        except OSError:
            pass  # the other end is closed
    os.close(master)
    return shown.decode()


def test_the_file_is_private_whatever_it_was(person: Person) -> None:
    """I3: also where a person made it, and where an earlier write was interrupted."""
    person.make_folder()
    path = person.home.data / paths.SETTINGS
    path.write_text("{}")
    path.chmod(0o644)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.touch(0o644)
    person.ok("settings", "provider", "rules")
    assert path.stat().st_mode & 0o777 == 0o600
    assert not part.exists()


def test_after_a_change_it_is_told_who_will_distil(person: Person) -> None:
    """With model and cap, or why nobody but the rules."""
    assert "rules alone distil" in person.ok("settings", "provider", "rules")
    person.ok("settings", "model", "small-1")
    told = person.ok("settings", "base_url", "http://127.0.0.1:9/v1")
    assert "provider is rules: `backstory settings provider anthropic` or openai uses it" in told
    text = person.ok("settings", "provider", "openai")
    assert "openai distils with small-1" in text
    assert "at most 500,000 input and 60,000 output tokens a day" in text
    assert "still set, and used: model, base_url" in text
    assert "the daily cap allows nothing" in person.ok("settings", "daily_output_tokens", "0")
    assert "rules alone distil" in person.ok("settings", "base_url", "--unset")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("localhost:11434", "http or https address"),
        ("ftp://host/", "http or https address"),
        ("http://", "http or https address"),
        (f"https://me:{KEY}@host/v1", "no user name or password"),
        (f"https://host/v1?key={KEY}", "without ? and #"),
    ],
)
def test_an_address_is_checked(person: Person, value: str, words: str) -> None:
    """It is shown, so it may hold no password."""
    said = person.fails("settings", "base_url", value)
    assert words in said
    assert KEY not in said
    assert not (person.home.data / paths.SETTINGS).exists()


def test_files_and_programs_are_stored_with_their_whole_path(person: Person) -> None:
    """The worker runs in another folder."""
    (person.home.project / "corp.pem").touch()
    program = person.home.project / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    person.ok("settings", "provider", "rules")
    person.ok("settings", "ca_file", "corp.pem")
    person.ok("settings", "claude_path", "./claude")
    found = stored(person)
    assert found["ca_file"] == str(person.home.project / "corp.pem")
    assert found["claude_path"] == str(program)
    assert "there is no file" in person.fails("settings", "ca_file", "other.pem")
    assert "there is no program" in person.fails("settings", "claude_path", "no-such-program")
    person.ok("settings", "ca_file", "")


def test_an_exception_names_a_mode_that_there_is(person: Person) -> None:
    """A word that is none would silently mean nothing."""
    person.ok("settings", "read_gate_exceptions", "old=advise,vendor,gen/*=off")
    wrong = person.run("settings", "read_gate_exceptions", "old=advice")
    assert wrong.code != 0
    assert "'advice'" in wrong.err
    assert "old=advise" in wrong.err
