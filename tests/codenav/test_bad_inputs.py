"""Every input that is no readable file of the workspace, and the answer that is right for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.codenav.guard import workspace_roots
from backstory.codenav.permissions import rules_for
from backstory.codenav.source import Source, read
from backstory.errors import BackstoryError, BadInput, Forbidden, NotFound
from tests.codenav import workspace

OUTSIDE = (Forbidden, "outside the workspace", "only files below .*project")
SECRET = (Forbidden, "keeper of secrets", "ask the user to show")
DENIED = (Forbidden, r"denied by the user's own rule Read\(", "ask the user to change")
ASKED = (Forbidden, r"only after the user was asked: Read\(", "use Read")
BINARY = (BadInput, "is binary: [0-9,]+ bytes", "name a file of text")
CASES: dict[str, tuple[type[BackstoryError], str, str]] = {
    # nothing there
    "src/shop/crat.py": (NotFound, "no file src/shop/crat.py", r"did you mean src/shop/cart\.py"),
    "cart.py": (NotFound, "no file cart.py", r"did you mean src/shop/cart\.py"),
    "src/CART.py": (NotFound, "no file src/CART.py", r"did you mean src/shop/cart\.py"),
    "lib/shop/cart.py": (NotFound, "no file lib/shop/cart.py", r"did you mean src/shop/cart\.py"),
    "src/main.js": (NotFound, "no file", r"did you mean src/main\.ts"),
    "src/zzzzzzzzzzz.q": (NotFound, "no file", "nothing in the workspace is called so"),
    "nowhere/zzzzzzzzzzz.q": (NotFound, "no file", "no folder nowhere either"),
    "src/main.ts/x.py": (NotFound, "src/main.ts is a file", "name src/main.ts alone"),
    "dangling.py": (NotFound, "link, and its target gone.py is not there", "mend the link"),
    "circle": (NotFound, "leads in a circle", "mend the link"),
    # what is no path
    "": (BadInput, "path is empty", "name a file"),
    " \n": (BadInput, "path is empty", "name a file"),
    "a\0b.py": (BadInput, "no path", "name a file"),
    "\ud800.py": (BadInput, "no path", "name a file"),
    "x" * 300: (BadInput, "too long", "name a file"),
    "x/" * 3000: (BadInput, "no path", "name a file"),
    "src/main.ts:12": (BadInput, "no file src/main.ts:12", "give the path alone: src/main.ts$"),
    "src/main.ts:12:4": (BadInput, "no file", "give the path alone: src/main.ts$"),
    "src/main.ts:3-9": (BadInput, "no file", "give the path alone: src/main.ts$"),
    "src/main.ts#L7": (BadInput, "no file", "give the path alone: src/main.ts$"),
    "src/main.ts(4,2)": (BadInput, "no file", "give the path alone: src/main.ts$"),
    "https://example.org/a.py": (BadInput, "is an address", "name a file by its path"),
    "file://elsewhere/a.py": (BadInput, "is an address", "name a file by its path"),
    "file:///a%00b": (BadInput, "names no file", "name a file by its path"),
    # no file of text
    "src": (BadInput, "src is a folder", r"one of its files: main\.ts, shop/"),
    ".": (BadInput, r"\. is a folder", "a b.py"),
    "src/shop/": (BadInput, "src/shop is a folder", r"cart\.py, checkout\.py"),
    "empty": (BadInput, "folder without files", "name a file"),
    "pipe": (BadInput, "pipe is a named pipe", "name a file of text"),
    "sock": (BadInput, "sock is a socket", "name a file of text"),
    "huge.log": (BadInput, r"too large: 20\.0 MB of at most 20", "offset and limit"),
    "picture.png": BINARY,
    "program": BINARY,
    "noise.dat": BINARY,
    "zeros.bin": BINARY,
    "archive.zip": BINARY,
    # outside
    "../outside/other.py": OUTSIDE,
    "../outside/not-there.py": OUTSIDE,
    "../../../../../../etc/passwd": OUTSIDE,
    "/etc/passwd": OUTSIDE,
    "/": OUTSIDE,
    "file:///etc/passwd": OUTSIDE,
    "src/../../outside/other.py": OUTSIDE,
    "../project-two/x.py": OUTSIDE,
    "/dev/zero": OUTSIDE,
    "/proc/self/environ": OUTSIDE,
    "~": OUTSIDE,
    "~/notes.txt": OUTSIDE,
    "~/.ssh/id_rsa": OUTSIDE,
    "escape.py": (Forbidden, r"outside the workspace \(it leads to .*/outside/other.py\)", "Read"),
    "escape/other.py": (Forbidden, "outside the workspace", "use Read, which asks the user"),
    "escape/nothing.py": OUTSIDE,
    "dangling-out.py": OUTSIDE,
    # secrets
    ".env": SECRET,
    "./.env": SECRET,
    ".env.local": SECRET,
    "server.pem": SECRET,
    "id_rsa": SECRET,
    "credentials.json": SECRET,
    "secrets.yaml": SECRET,
    ".aws/config": SECRET,
    ".npmrc": SECRET,
    "deploy": SECRET,
    "harmless.txt": SECRET,
    "src/../.env": SECRET,
    # the user's rules
    "private/plan.md": DENIED,
    "private/not-there.md": DENIED,
    "private": DENIED,
    "renamed.md": DENIED,
    "docs/guide.md": ASKED,
}


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = workspace.build(tmp_path_factory.mktemp("bad"))
    (top / "private").mkdir()
    (top / "private/plan.md").write_text("# Plan\n")
    (top / "renamed.md").symlink_to(top / "private/plan.md")
    workspace.forbid(top, deny=["Read(./private/**)"], ask=["Read(docs/*.md)", "Bash(rm *)"])
    return top


def outcome(path: str, top: Path) -> Source | BackstoryError:
    roots = workspace_roots((str(top),))
    try:
        return read(path, roots, rules_for(roots), str(top))
    except BackstoryError as error:
        return error


def answer(path: str, top: Path) -> BackstoryError:
    found = outcome(path, top)
    assert isinstance(found, BackstoryError)
    return found


@pytest.mark.parametrize("path", CASES, ids=[f"{n:02}" for n in range(len(CASES))])
def test_each_bad_input_has_its_own_answer(path: str, top: Path) -> None:
    """G5."""
    kind, message, hint = CASES[path]
    error = answer(path, top)
    assert type(error) is kind
    assert re.search(message, error.message), error.message
    assert re.search(hint, error.hint), error.hint
    assert (error.message + error.hint).isprintable()


def test_there_are_sixty_of_them() -> None:
    assert len(CASES) >= 60


def test_no_answer_names_what_must_not_be_read(top: Path) -> None:
    """Neither near names nor listings."""
    for path in (".", ".envv", "server.pen", "credential.json", "private/plam.md", "plan.md"):
        said = answer(path, top).hint
        assert not re.search(r"\.env\b(?!\.example)|server\.pem|credentials\.json|private", said)


def test_what_is_outside_is_answered_alike_whether_it_is_there_or_not(top: Path) -> None:
    there, missing = answer("../outside/other.py", top), answer("../outside/nothin.py", top)
    assert there.message.replace("other", "nothin") == missing.message
    assert there.hint == missing.hint


PARTS = ("..", ".", "~", "src", "shop", "cart.py", "escape", "circle", "pipe", ".env", "private")
ANY_PATH = st.text(max_size=40) | st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["", "/", "//", "file://", "file:///", "~/", " "]),
    st.lists(st.sampled_from(PARTS) | st.text(max_size=6), max_size=8),
    st.sampled_from(["", "/", ":12", " ", "\n", "\0", "#x"]),
)


@given(ANY_PATH)
def test_any_path_is_read_inside_the_workspace_or_refused(top: Path, path: str) -> None:
    """G5."""
    found = outcome(path, top)
    if isinstance(found, BackstoryError):
        assert found.message
        assert found.hint
        assert (found.message + found.hint).isprintable()
    else:
        assert found.path.startswith(os.path.realpath(top) + "/")
        assert not re.search(r"\.env$|private|id_rsa", found.path)


def test_what_the_system_refuses_is_told_as_that(top: Path) -> None:
    """Tried as an ordinary user, whom the system refuses something."""
    code = (
        "import os, sys\n"
        "from backstory.codenav.source import read\n"
        "from backstory.codenav.permissions import NO_RULES\n"
        "os.setuid(65534) if not os.getuid() else None\n"
        "for path in ('locked.py', 'closed/x.py'):\n"
        "    try:\n"
        "        read(path, (sys.argv[1],), NO_RULES)\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__, error, error.hint)\n"
    )
    base = Path("/tmp" if os.getuid() == 0 else top.parent) / f"locked-{os.getpid()}"
    (base / "closed").mkdir(parents=True)
    (base / "locked.py").write_text("x = 1\n")
    (base / "locked.py").chmod(0)
    (base / "closed").chmod(0)
    try:
        env = {**os.environ, "PYTHONPATH": "src", "HOME": str(top)}
        said = subprocess.run(
            [sys.executable, "-c", code, str(base)], env=env, capture_output=True, text=True
        )
    finally:
        (base / "closed").chmod(0o700)
        (base / "closed").rmdir()
        (base / "locked.py").unlink()
        base.rmdir()
    lines = said.stdout.splitlines()
    assert len(lines) == 2, said.stderr
    for line in lines:
        assert line.startswith("Forbidden the system does not let us read ")
        assert "permission denied" in line
        assert "chmod u+r" in line
