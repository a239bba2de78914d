"""Reading a file whole, as it was at one moment."""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from backstory.codenav.permissions import NO_RULES
from backstory.codenav.source import MAX_BYTES, Source, read
from backstory.errors import BadInput, Busy
from tests.codenav import workspace


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace.build(tmp_path_factory.mktemp("read"))


def get(path: str, top: Path, cwd: str = "") -> Source:
    return read(path, (os.path.realpath(top),), NO_RULES, cwd or str(top))


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("src/shop/cart.py", "src/shop/cart.py"),
        ("./src//shop/../shop/cart.py", "src/shop/cart.py"),
        (" src/shop/cart.py ", "src/shop/cart.py"),
        ("`src/shop/cart.py`\n", "src/shop/cart.py"),
        ("src\\shop\\cart.py", "src/shop/cart.py"),
        ("alias.py", "src/shop/cart.py"),
        ("多语言.py", "多语言.py"),
        ("a b.py", "a b.py"),
        ("ends with blank ", "ends with blank "),
        ("line\nbreak.py", r"line\nbreak.py"),
        ("bad\udcff.py", r"bad\xff.py"),
        (".env.example", ".env.example"),
    ],
)
def test_a_path_is_understood_as_it_is_written(path: str, shown: str, top: Path) -> None:
    found = get(path, top)
    assert found.shown == shown
    assert os.path.samefile(found.path, found.path)
    assert found.path.startswith(os.path.realpath(top))


def test_absolute_paths_addresses_and_those_from_the_working_folder(top: Path) -> None:
    inside = str(top / "src/shop")
    for path in (f"{top}/src/shop/cart.py", f"file://{top}/src/shop/cart.py", "cart.py"):
        assert get(path, top, inside).shown == "src/shop/cart.py"
    assert get(f"file://{top}/a%20b.py", top).shown == "a b.py"
    # what is not there is looked for from the roots
    assert get("src/main.ts", top, inside).shown == "src/main.ts"
    assert get("src/main.ts", top, "/").shown == "src/main.ts"


def test_a_tilde_is_the_home_folder(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(top.parent))
    assert get("~/project/src/main.ts", top).shown == "src/main.ts"


def test_a_file_is_shown_below_its_own_root(top: Path) -> None:
    roots = (os.path.realpath(top), os.path.realpath(top.parent / "project-two"))
    assert read(f"{roots[1]}/x.py", roots, NO_RULES).shown == "x.py"
    assert read("x.py", roots, NO_RULES, str(top)).shown == "x.py"


def test_a_source_says_what_was_read(top: Path) -> None:
    file = top / "what.py"
    file.write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")
    found = get("what.py", top)
    assert found.text == "a = 1\r\nb = 2\r\n"
    assert (found.size, found.encoding) == (17, "utf-8")
    assert found.mtime_ns == file.stat().st_mtime_ns
    assert found.digest == hashlib.sha256(file.read_bytes()).hexdigest()


def test_the_largest_file_is_read_and_one_byte_more_is_not(top: Path) -> None:
    file = top / "large.txt"
    file.write_bytes(b"x" * (MAX_BYTES - 1) + b"\n")
    assert len(get("large.txt", top).text) == MAX_BYTES
    with open(file, "ab") as more:
        more.write(b"\n")
    with pytest.raises(BadInput, match="too large"):
        get("large.txt", top)
    file.unlink()


def test_an_empty_file_is_an_empty_text(top: Path) -> None:
    (top / "empty.py").touch()
    assert get("empty.py", top).text == ""


def test_a_file_that_changes_is_read_as_it_was_at_some_moment(top: Path) -> None:
    """Replaced, cut and grown while it is read: one whole version, or an answer."""
    file = top / "busy.py"
    versions = [f"# {letter}\n" * 40_000 for letter in "ab"]
    file.write_text(versions[0])
    done = threading.Event()

    def write() -> None:
        for turn in range(200):
            part = top / "busy.part"
            part.write_text(versions[turn % 2])
            part.replace(file)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        with suppress(Busy):
            seen.add(get("busy.py", top).text)
    writer.join()
    assert seen <= set(versions)
    assert get("busy.py", top).text in versions


def test_a_log_that_grows_is_read_up_to_where_it_was(top: Path) -> None:
    file = top / "app.log"
    file.write_text("line 0000000\n" * 50_000)
    done = threading.Event()

    def append() -> None:
        with open(file, "a", buffering=1) as log:
            log.writelines(f"line {number:07}\n" for number in range(20_000))
        done.set()

    writer = threading.Thread(target=append)
    writer.start()
    while not done.is_set():
        text = get("app.log", top).text
        assert all(len(line) == 12 for line in text.splitlines()[:-1])
    writer.join()
