"""What a turn changed, from its write events."""

from __future__ import annotations

import pytest

from backstory.capture.rules.edits import FileChange, collect
from backstory.capture.rules.steps import read_steps
from tests.support.turns import Session


def changed(session: Session) -> dict[str, FileChange]:
    """The changes of a session's turn by path."""
    return collect(read_steps(session.done("")), session.root)


def edited(path: str, before: str, old: str, new: str) -> FileChange:
    """The change that one edit makes."""
    s = Session(files={path: before})
    return changed(s.edit(path, old, new))[path]


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "fact"),
    [
        ("a.py", "TIMEOUT = 30\n", "30", "60", "TIMEOUT changed from 30 to 60"),
        (
            "a.py",
            "run(retries=3, wait=1)\n",
            "retries=3",
            "retries=5",
            "retries changed from 3 to 5",
        ),
        (
            "a.ts",
            "const url = 'http://a'\n",
            "http://a",
            "http://b",
            "url changed from http://a to http://b",
        ),
        (
            "package.json",
            '{\n  "react": "^17.0.2"\n}\n',
            "^17.0.2",
            "^18.2.0",
            "react changed from ^17.0.2 to ^18.2.0",
        ),
        ("requirements.txt", "django==4.2\n", "4.2", "5.0", "django changed from 4.2 to 5.0"),
        ("c.yml", "image: postgres:15\n", "15", "16", "postgres changed from 15 to 16"),
        ("Dockerfile", "FROM node:18\n", "node:18", "node:22", "node changed from 18 to 22"),
        ("a.xml", "<timeout>30</timeout>\n", "30", "60", "timeout changed from 30 to 60"),
        (
            "a.py",
            "x = 1\n",
            "x = 1\n",
            "x = 1\nkey = os.environ['API_URL']\n",
            "Reads environment variable API_URL",
        ),
        (
            "a.py",
            "app = F()\n",
            "app = F()\n",
            'app = F()\n\n\n@app.post("/pay")\ndef pay(): ...\n',
            "Endpoint POST /pay",
        ),
        (
            "a.sql",
            "--\n",
            "--\n",
            "ALTER TABLE users ADD COLUMN age int;\n",
            "ALTER TABLE users ADD age int",
        ),
        (
            "cli.py",
            "p = P()\n",
            "p = P()\n",
            "p = P()\np.add_argument('--dry-run')\n",
            "Command-line flag --dry-run",
        ),
    ],
)
def test_an_edit_is_told_in_words(path: str, before: str, old: str, new: str, fact: str) -> None:
    """Values, versions, settings, endpoints, flags and columns are named."""
    assert fact in edited(path, before, old, new).facts


def test_symbols_whose_lines_were_touched_are_named() -> None:
    """Changed, added and removed, by qualified name."""
    before = (
        "class Cart:\n    def total(self):\n        return 1\n\n    def old(self):\n        pass\n"
    )
    after = before.replace("return 1", "return 3").replace("old", "new")
    s = Session(files={"cart.py": before})
    found = changed(s.write("cart.py", after))["cart.py"].symbols
    assert found.changed == ("Cart.total",)
    assert found.added == ("Cart.new",)
    assert found.removed == ("Cart.old",)


def test_a_rename_is_one_when_the_old_name_is_gone() -> None:
    """A name that stays in use was not renamed."""
    s = Session(files={"a.py": "count = 1\nprint(count, count)\n"})
    s.edit("a.py", "count", "total", everywhere=True)
    assert changed(s)["a.py"].renames == {"count": "total"}
    s = Session(files={"b.py": "a = now\nb = now\nc = now\n"})
    s.edit("b.py", "a = now\nb = now", "a = local\nb = local")
    assert changed(s)["b.py"].renames == {}


def test_the_shell_moves_copies_removes_and_writes_files() -> None:
    """Only what a successful command surely did."""
    s = Session()
    s.bash("git mv src/a.py src/b.py && rm -f old.txt && cp x.yml y.yml && touch new.md")
    s.bash("cat > conf.toml <<'EOF'\nport = 8088\nEOF")
    s.bash("echo 'DEBUG=1' >> .env; sed -i 's/level: info/level: debug/' app.yml")
    found = changed(s)
    assert found["src/b.py"].source == "src/a.py"
    assert found["old.txt"].removed
    assert found["y.yml"].created
    assert found["conf.toml"].facts == ["port: 8088"]
    assert "DEBUG: 1" in found[".env"].facts
    assert found["app.yml"].facts


@pytest.mark.parametrize(
    "script",
    [
        "rm -f build/*.o",
        "mv $A $B",
        "cat a > /dev/null",
        "test -f a || touch a",
        "echo hi > /tmp/x",
        "grep -rn x src 2> errors.log >/dev/null",
        "sed 's/a/b/' f.txt",
        "python - <<'EOF'\nopen('x', 'w')\nEOF",
    ],
)
def test_what_may_not_have_happened_is_left_out(script: str) -> None:
    """Globs, variables, devices, the other branch, temporary files."""
    assert set(changed(Session().bash(script))) <= {"errors.log"}


def test_a_failed_or_refused_write_changes_nothing() -> None:
    """Files are modified by real write events only."""
    s = Session()
    s.fail("mv a.py b.py", "mv: cannot stat 'a.py': No such file or directory")
    s.bash("rm gone.py; echo done", "rm: cannot remove 'gone.py': No such file or directory\ndone")
    s.refuse("Write", {"file_path": f"{s.root}/x.py", "content": "x"}, "no")
    s.tool("Edit", {"file_path": f"{s.root}/y.py"}, "String to replace not found", "failed")
    assert changed(s) == {}


def test_paths_are_relative_to_the_root_whatever_the_folder() -> None:
    """`cd` is followed within a script and from one to the next; F17."""
    s = Session()
    s.bash("cd web")
    s.bash("touch a.ts && cd ../api && touch ./b.py")
    s.bash(f"touch {s.root}/c.md /opt/d.md")
    assert set(changed(s)) == {"web/a.ts", "api/b.py", "c.md", "/opt/d.md"}


def test_a_notebook_cell_and_a_multi_edit_are_changes() -> None:
    """Every tool that writes counts."""
    s = Session(files={"m.py": "A = 1\nB = 2\n"})
    edits = [
        {"old_string": "A = 1", "new_string": "A = 3"},
        {"old_string": "B = 2", "new_string": "B = 4"},
    ]
    shape = {"filePath": f"{s.root}/m.py", "originalFile": "A = 1\nB = 2\n"}
    s.tool("MultiEdit", {"file_path": f"{s.root}/m.py", "edits": edits}, shape)
    s.tool("NotebookEdit", {"notebook_path": f"{s.root}/n.ipynb", "new_source": "RATE = 3"}, {})
    found = changed(s)
    assert found["m.py"].facts[:2] == ["A changed from 1 to 3", "B changed from 2 to 4"]
    assert found["n.ipynb"].facts == ["RATE = 3"]
