"""Shell scripts taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.capture.rules.shell import Command, parse


def words(script: str) -> list[tuple[str, ...]]:
    """The words of each simple command."""
    return [command.words for command in parse(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            "git add -A && git commit -m 'a b'",
            [("git", "add", "-A"), ("git", "commit", "-m", "a b")],
        ),
        ("FOO=1 sudo -u x uv run --with y pytest -q", [("pytest", "-q")]),
        ("docker compose exec -T db psql -c 'select 1'", [("psql", "-c", "select 1")]),
        ("timeout 5 make test 2>&1 | tail -3", [("make", "test"), ("tail", "-3")]),
        ("for f in a b; do mv $f c/; done", [("mv", "$f", "c/")]),
        ('echo "a \\"b\\" $(date +%F)"', [("echo", 'a "b" $(date +%F)')]),
        ("a # comment; b\nc", [("a",), ("c",)]),
        ("echo 'open", [("echo", "open")]),
        ("", []),
    ],
)
def test_a_script_falls_into_its_simple_commands(
    script: str, expected: list[tuple[str, ...]]
) -> None:
    """Quotes, wrappers, pipes, loops and comments are understood."""
    assert words(script) == expected


def test_a_here_document_belongs_to_its_command() -> None:
    """The text is the command's, what follows on the line runs too."""
    first, second, third = parse("cat > a.txt <<'EOF' && ls\none\ntwo\nEOF\nrm b")
    assert first.heredoc == "one\ntwo"
    assert first.redirects[0].target == "a.txt"
    assert second.words == ("ls",)
    assert third.words == ("rm", "b")


def test_a_commit_message_may_come_from_a_here_document() -> None:
    """The form that Claude uses for commits."""
    script = "git commit -m \"$(cat <<'EOF'\nFix it (really)\n\nBecause.\nEOF\n)\" && git push"
    commit, push = parse(script)
    assert commit.words[-1] == "Fix it (really)\n\nBecause."
    assert push.words == ("git", "push")


def test_cd_moves_what_comes_after_it() -> None:
    """A later command knows the folder that it runs in."""
    assert [c.folder for c in parse("cd web && npm i; cd ../api && make")] == [
        "",
        "web",
        "web",
        "api",
    ]


def test_options_are_read_in_both_forms() -> None:
    """`--title x` and `--title=x`."""
    assert Command(("gh", "pr", "create", "--title", "x")).option("--title") == "x"
    assert Command(("gh", "pr", "create", "--title=y")).option("--title") == "y"
    assert Command(("gh",)).option("--title") == ""


@given(st.text(alphabet="ab '\"$()`<>|&;\\\n#{}=-EOF", max_size=60))
def test_no_script_makes_it_raise_or_hang(script: str) -> None:
    """Odd scripts give some commands, always."""
    assert isinstance(parse(script), tuple)
