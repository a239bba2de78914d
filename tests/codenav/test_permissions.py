"""The user's deny and ask rules for Read."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path

import pytest

from backstory.codenav.permissions import NO_RULES, homes, rules_for
from backstory.errors import Forbidden


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, with a project in it and one beside it."""
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    (home / "proj/.claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return home


def write(file: Path, **rules: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"permissions": rules}))


def refused(path: str | Path, root: Path, managed: tuple[str, ...] = ()) -> str:
    """The rule's text, "" where the path may be read."""
    found = rules_for((str(root),), managed=managed).match(str(path))
    return found.text if found else ""


@pytest.mark.parametrize(
    ("rule", "yes", "no"),
    [
        ("Read(./secrets/**)", ["secrets/a", "x/secrets/b/c.py"], ["secret/a", "x/secrets.py"]),
        ("Read(secrets/**)", ["secrets/a", "x/secrets/a"], ["secrets.py"]),
        ("Read(a/secrets/**)", ["a/secrets/b"], ["x/a/secrets/b"]),
        ("Read(**/secrets)", ["secrets/a", "x/secrets/a"], ["secrets.py"]),
        ("Read(x/[a-c].py)", ["x/b.py"], ["x/d.py"]),
        ("Read(secrets)", ["secrets/a", "x/secrets/b", "secrets"], ["secretsx"]),
        ("Read(secrets//a.py)", ["secrets/a.py"], ["secrets/b.py"]),
        ("Read(secrets/)", ["secrets/a", "x/secrets/b/c"], ["secretsx/a"]),
        ("Read(./.env)", [".env", "x/.env"], [".env.local"]),
        ("Read(./.env.*)", [".env.local"], [".env"]),
        ("Read(*.env)", ["a.env", "x/y/b.env"], ["a.envx"]),
        ("Read(**/*.key)", ["a.key", "x/y/b.key"], ["key.py"]),
        ("Read(src/*.py)", ["src/a.py"], ["src/x/a.py", "a.py"]),
        ("Read(/src/**)", ["src/a.py"], ["lib/src/a.py"]),
        ("Read(src/**/gen/*)", ["src/gen/a", "src/x/y/gen/a"], ["gen/a"]),
        ("Read(a?.py)", ["ab.py"], ["abc.py"]),
        ("Read(file[0-9].py)", ["file1.py"], ["filex.py"]),
        ("Read(SRC/Main.py)", ["src/main.py", "SRC/MAIN.PY"], ["src/main.pyi"]),
        (" Read( docs/x.md ) ", ["docs/x.md"], ["docs/y.md"]),
        ("Read(文档/**)", ["文档/秘密.md"], ["文/秘密.md"]),
        ("Read", ["anything", "x/y.py"], []),
        ("Read()", ["anything"], []),
        ("Read(*)", ["anything"], []),
        ("Read(**)", ["anything"], []),
        ("*", ["anything"], []),
        ("Bash(cat *)", [], ["anything"]),
        ("ReadOnly(x)", [], ["x"]),
        ("Edit(x)", [], ["x"]),
        ("mcp__server__Read", [], ["x"]),
        ("Read(!x)", [], ["x"]),
        ("Read(x[z-a])", [], ["x"]),
        ("Read(", [], ["x"]),
    ],
)
@pytest.mark.parametrize("kind", ["deny", "ask"])
def test_patterns_are_those_of_gitignore(
    kind: str, rule: str, yes: list[str], no: list[str], home: Path
) -> None:
    root = home / "proj"
    write(root / ".claude/settings.json", **{kind: [rule]})
    for path in yes:
        found = rules_for((str(root),), managed=()).match(f"{root}/{path}")
        assert found is not None, path
        assert (found.kind, found.text) == (kind, rule)
        assert found.source == f"{root}/.claude/settings.json"
    assert [path for path in no if refused(root / path, root)] == []


def test_absolute_paths_and_those_of_the_home_folder(home: Path, tmp_path: Path) -> None:
    root = home / "proj"
    other = tmp_path / "other"
    write(root / ".claude/settings.json", deny=[f"Read(/{other}/**)", "Read(~/proj/private/*)"])
    assert refused(other / "a.py", root)
    assert refused(root / "private/a.py", root)
    assert not refused(tmp_path / "another/a.py", root)


def test_a_rule_may_lead_up(home: Path) -> None:
    root = home / "proj/app"
    write(root / ".claude/settings.json", deny=["Read(../keys/**)"])
    assert refused(home / "proj/keys/a", root)
    assert not refused(home / "proj/keysa", root)


def test_every_settings_file_that_the_host_reads_counts(home: Path, tmp_path: Path) -> None:
    """User, project, local, managed, and what an administrator laid beside it."""
    root = home / "proj"
    managed = tmp_path / "managed"
    files = [
        home / ".claude/settings.json",
        root / ".claude/settings.json",
        root / ".claude/settings.local.json",
        managed / "managed-settings.json",
        managed / "managed-settings.d/10-team.json",
    ]
    for number, file in enumerate(files):
        write(file, deny=[f"Read(secret{number}.py)"])
    for number in range(len(files)):
        assert refused(root / f"x/secret{number}.py", root, (str(managed),)), number
    assert not refused(root / "secret9.py", root, (str(managed),))


def test_the_hosts_own_folder_may_be_another(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(home / "proj")
    for name in ("told", "environment"):
        write(tmp_path / name / "settings.json", deny=[f"Read({name}.py)"])
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "environment"))
    rules = rules_for((root,), config_dir=str(tmp_path / "told"), managed=())
    assert rules.match(root + "/told.py")
    assert rules.match(root + "/environment.py")


def test_a_slash_begins_at_the_settings_file(home: Path) -> None:
    """So the host takes it; in settings of a project that is the project."""
    root = home / "proj"
    write(home / ".claude/settings.json", deny=["Read(/src/**)", "Read(/etc/x)"])
    assert not refused(root / "src/a.py", root)
    assert refused(home / ".claude/src/a.py", root)
    assert refused("/etc/x", root)


def test_settings_above_the_root_count_up_to_the_top_of_the_repository(home: Path) -> None:
    root = home / "proj/packages/app"
    root.mkdir(parents=True)
    write(home / "proj/.claude/settings.json", deny=["Read(packages/app/private.py)"])
    assert not refused(root / "private.py", root)
    (home / "proj/.git").mkdir()
    assert refused(root / "private.py", root)


def test_a_changed_rule_holds_at_once(home: Path) -> None:
    root = home / "proj"
    file = root / ".claude/settings.json"
    assert not refused(root / "a.py", root)
    write(file, deny=["Read(a.py)"])
    assert refused(root / "a.py", root)
    write(file, deny=["Read(b.py)"])
    os.utime(file, ns=(1, 1))
    assert not refused(root / "a.py", root)
    file.unlink()
    assert not refused(root / "b.py", root)


@pytest.mark.parametrize(
    "text",
    ["{", '{"permissions": {"deny": ["Read(x)"],}}', "[" * 100_000, "[]", '{"permissions": 1}',
     '{"permissions": {"deny": "Read"}}', '{"permissions": {"ask": {"Read": true}}}'],
)  # fmt: skip
def test_a_settings_file_that_cannot_be_understood_protects_everything(
    text: str, home: Path
) -> None:
    root = home / "proj"
    (root / ".claude/settings.json").write_text(text)
    for _ in range(2):
        with pytest.raises(Forbidden, match=r"settings\.json is no valid settings file") as caught:
            rules_for((str(root),), managed=())
        assert "mend that settings file" in caught.value.hint


@pytest.mark.parametrize(
    "text",
    ["", "  \n", "null", '{"permissions": null}', '{"permissions": {"deny": null}}',
     '{"permissions": {"deny": [1, null, {}], "allow": ["Read(**)"]}}', "\ufeff{}"],
)  # fmt: skip
def test_settings_without_a_rule_keep_nothing(text: str, home: Path) -> None:
    root = home / "proj"
    (root / ".claude/settings.json").write_text(text, encoding="utf-8")
    assert not refused(root / "a.py", root)


def test_a_root_behind_a_link_is_protected_under_both_names(home: Path, tmp_path: Path) -> None:
    root, link = home / "proj", tmp_path / "link"
    link.symlink_to(root)
    write(root / ".claude/settings.json", deny=["Read(private/**)"])
    assert refused(root / "private/a.py", root)
    assert refused(root / "private/a.py", link)
    assert refused(link / "private/a.py", link)


def test_the_system_knows_the_home_folder_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nowhere")
    system = os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    assert homes() == ("/nowhere", system)


def test_no_rules_keep_nothing() -> None:
    assert NO_RULES.match("/any/path") is None
