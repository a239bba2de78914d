"""What was looked at, operated, refused or leaked."""

from __future__ import annotations

import pytest

from backstory.capture.rules import distill
from backstory.capture.rules.operations import acting_steps
from backstory.capture.rules.paths import is_config, is_scratch, is_test, relative
from backstory.capture.rules.steps import read_steps
from backstory.records import Observation, Turn
from tests.support.turns import Session


def only(turn: Turn) -> Observation:
    """The single row of a turn."""
    (row,) = distill(turn).observations
    return row


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/r/src/a.py", "src/a.py"),
        ("./a.py", "web/a.py"),
        ("../b.py", "b.py"),
        ("/other/a.py", "/other/a.py"),
        ("/r", "."),
        ("", ""),
        ("../../x/a.py", "/x/a.py"),
    ],
)
def test_a_path_is_relative_to_the_root(path: str, expected: str) -> None:
    """Below the root relative, elsewhere absolute; F17."""
    assert relative(path, "/r", "/r/web") == expected


def test_files_are_known_by_their_names() -> None:
    """Tests, settings and scratch files."""
    assert is_test("tests/test_a.py")
    assert is_test("src/a.spec.ts")
    assert not is_test("src/latest.py")
    assert is_config(".env.production")
    assert is_config("k8s/app.yaml")
    assert not is_config("src/app.py")
    assert is_scratch("/tmp/x")


def test_a_value_in_a_file_that_was_read_is_kept_when_it_was_asked_for() -> None:
    """The line that answers the question, from the file."""
    s = Session().prompt("What is the upload limit?")
    s.read("config/app.yml", "name: x\nupload_limit: 48MB\ntheme: dark\n")
    row = only(s.done("It is set in config/app.yml."))
    assert "config/app.yml: upload_limit: 48MB" in row.facts
    assert "theme" not in str(row.facts)


def test_a_search_that_led_to_a_file_is_kept_with_its_hits() -> None:
    """Where something lives, from the search's own output."""
    s = Session().prompt("Where is the token refreshed?")
    hits = "src/auth/session.ts:41:  await refreshToken(user)\nsrc/app.ts:3:import './auth/session'"
    s.bash("rg -n refreshToken src", hits)
    s.read("src/auth/session.ts", "export async function refreshToken(user) {}\n")
    row = only(s.done("In src/auth/session.ts."))
    assert "src/auth/session.ts:41" in str(row.facts)
    assert "src/auth/session.ts" in row.files_read


@pytest.mark.parametrize("command", ["ls -la", "pwd", "git status", "cd src", "echo hi", "sleep 3"])
def test_looking_around_is_no_news(command: str) -> None:
    """Noise makes no row."""
    s = Session().prompt("look").bash(command, "some output here 12 ms")
    assert distill(s.done("")).observations == ()


def test_versions_and_timings_are_kept() -> None:
    """What a command measured, under what it was for."""
    s = Session().prompt("how slow is it")
    s.bash("hyperfine ./run", "Time (mean ± σ):  1.84 s ±  0.02 s", about="Measure the start-up")
    assert only(s.done("")).title == "Measure the start-up: Time (mean ± σ): 1.84 s ± 0.02 s"


@pytest.mark.parametrize(
    ("command", "acts"),
    [
        ("kubectl -n shop scale deploy/x --replicas=3", True),
        ("kubectl get pods", False),
        ("docker compose up -d", True),
        ("docker compose ps", False),
        ('psql -c "UPDATE users SET active = true"', True),
        ('psql -c "SELECT * FROM users"', False),
        ("systemctl restart nginx", True),
        ("systemctl status nginx", False),
        ("kubectl apply --dry-run=client -f a.yml", False),
        ("python manage.py migrate", True),
    ],
)
def test_what_changes_a_running_system_is_told_apart(command: str, acts: bool) -> None:
    """Verbs decide, and statements for databases."""
    steps = read_steps(Session().bash(command, "ok").done(""))
    assert bool(acting_steps(steps)) is acts


def test_a_secret_in_an_output_is_noted_by_its_name() -> None:
    """Where it was, never what it was."""
    s = Session().prompt("check the env").bash("printenv", "DB_PASSWORD=[redacted:password]\nA=1")
    (row,) = [r for r in distill(s.done("")).observations if r.type == "security_note"]
    assert "DB_PASSWORD" in row.title


def test_a_named_weakness_is_an_alert() -> None:
    """CVE numbers and the words of the trade."""
    s = Session().prompt("review it")
    s.read("app.py", "q = f'select {x}'\n")
    row = only(s.done("app.py has an SQL injection: x goes into the query unescaped."))
    assert row.type == "security_alert"


def test_talk_of_personal_data_is_marked() -> None:
    """So that it can be found and forgotten."""
    s = Session().prompt("go on")
    row = only(s.done("The export holds personal data: names and birthdays of 20 customers."))
    assert row.type == "sensitive"


def test_a_read_that_was_refused_does_not_matter() -> None:
    """Only refused writes and commands do."""
    s = Session().prompt("read it")
    s.refuse("Read", {"file_path": "/etc/shadow"}, "not allowed")
    assert distill(s.done("")).observations == ()


def test_foreign_mcp_output_is_tainted() -> None:
    """Found, never put in front of Claude unasked."""
    s = Session().prompt("what is OPS-1")
    text = [{"type": "text", "text": "OPS-1: the cron job misses every second run."}]
    s.tool("mcp__tracker__get_issue", {"key": "OPS-1"}, text)
    row = only(s.done(""))
    assert row.tainted
    assert row.key == "mcp:tracker"
    assert "every second run" in str(row.facts)
