"""Settings that were seen on the way."""

from __future__ import annotations

import pytest

from backstory.capture.rules.reads import Interest
from backstory.capture.rules.seen import seen_row
from backstory.capture.rules.steps import read_steps
from tests.support.turns import Session


def seen(session: Session) -> str:
    """The facts of the row about settings, as one text."""
    row = seen_row(read_steps(session.done("")), session.root, Interest("", ""), "")
    return "\n".join([row.title, *row.facts]) if row else ""


@pytest.mark.parametrize(
    ("path", "line", "fact"),
    [
        ("app.yml", "  port: 5179", "app.yml: port: 5179"),
        ("package.json", '  "dev": "vite --port 5179",', "package.json: --port 5179"),
        ("a.go", "\tDialTimeout: 200 * time.Millisecond,", "DialTimeout: 200 * time.Millisecond"),
        ("a.rs", 'pub const LISTEN_ADDR: &str = "0.0.0.0:7117";', 'LISTEN_ADDR: "0.0.0.0:7117"'),
        ("run.sh", "export BACKUP_HOST=10.20.0.14", "BACKUP_HOST: 10.20.0.14"),
        ("a.py", "MAX_RETRIES = 7", "MAX_RETRIES: 7"),
        ("a.ts", 'const locale = (await asked) ?? "pt-PT";', 'locale: by default "pt-PT"'),
        ("a.rs", 'let a = env::var("ADDR").unwrap_or("0.0.0.0:7117".into());', '"0.0.0.0:7117"'),
        ("a.py", 'ZONE = os.environ.get("APP_TZ", "UTC")', 'ZONE: APP_TZ, by default "UTC"'),
        ("a.js", "const port = process.env.PORT || 3000;", "port: PORT, by default 3000"),
        ("compose.yml", '  - "${WEB_PORT:-8080}:80"', "WEB_PORT, by default 8080"),
    ],
)
def test_a_setting_in_a_file_that_was_read_is_kept(path: str, line: str, fact: str) -> None:
    """Ports, hosts, limits: the key with its value, under the file's name."""
    assert fact in seen(Session().read(path, f"first\n{line}\nlast\n"))


def test_hits_of_a_search_count_for_their_files() -> None:
    """A search shows lines of several files."""
    hits = "conf/a.yaml:9:seed: 1234\nconf/b.toml:17:workers = 6"
    text = seen(Session().bash("grep -rn 'seed\\|workers' conf", hits))
    assert "conf/a.yaml: seed: 1234" in text
    assert "conf/b.toml: workers: 6" in text


@pytest.mark.parametrize(
    "line",
    [
        "password: [redacted:password]",
        "return render(page, limit=3)",
        "import path from 'path'",
        "# port numbers are documented elsewhere",
        "title: Some words",
        "if (a ?? b) { go(1) }",
    ],
)
def test_secrets_and_code_are_no_settings(line: str) -> None:
    """Only a name with a plain value is one."""
    assert seen(Session().read("src/a.ts", line)) == ""


def test_what_another_row_holds_is_not_said_again() -> None:
    """The text of the other rows is known."""
    steps = read_steps(Session().read("app.yml", "port: 5179\n").done(""))
    assert seen_row(steps, "/home/dev/app", Interest("", ""), "it says port: 5179") is None
