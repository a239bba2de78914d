"""Outlines made in a process of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from backstory.codenav import child, child_main
from backstory.codenav.child import outline_in_child
from backstory.codenav.outline import Import, Outline, Problem, outline_of
from backstory.codenav.parse import MAX_BYTES
from backstory.codenav.symbols import Symbol

SOURCES = Path(__file__).resolve().parents[2] / "src"
CODE = "import os\n\n\nclass Cart:\n    '''Goods.'''\n\n    def total(self):\n        return 1\n"


def running(parent: int) -> set[int]:
    """The process groups that were made for outlines by a process, or by one that is gone."""
    shown = ["ps", "-eww", "-o", "pid=,pgid=,ppid=,args="]
    said = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in said.splitlines()]
    return {int(pid) for pid, group, above, *args in rows
            if pid == group and above == str(parent) and "child_main" in "".join(args)}  # fmt: skip


def is_alive(process: int) -> bool:
    """Whether a process still runs; one that only waits to be taken off the list does not."""
    shown = ["ps", "-o", "stat=", "-p", str(process)]
    state = subprocess.run(shown, capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


def test_it_is_the_outline_that_this_process_would_make() -> None:
    """Every field comes through, odd characters too."""
    for text, path in (
        (CODE, "cart.py"),
        ("", "empty.py"),
        ("def ключ_价格():\n    '''Ö \u2028 \U0001f600'''\n", "unicode.py"),
        ("def a():\n    return '\ud800\udcff'\n", "surrogates.py"),
        ("a = 1\r\n\0b = 2\r\n", "windows.py"),
        ("def a(:\n  (((\n", "broken.py"),
        ("# One\n\ntext\n\n## Two\n", "bad\udcffname.md"),
    ):
        assert outline_in_child(text, path, 20.0) == outline_of(text, path), path
    assert not running(os.getpid())


def test_what_is_too_large_for_this_process_is_outlined_there() -> None:
    text = "".join(f"def f{n}(a, b):\n    return a + {n}\n\n\n" for n in range(30_000))
    assert len(text) > MAX_BYTES
    found = outline_in_child(text, "generated.py", 60.0)
    assert found.lines == 120_000
    assert len(found.symbols) == child_main.MOST_SYMBOLS
    assert found.how == "cut"  # there are more
    first = found.symbols[0]
    assert (first.qualified_name, first.start_line, first.end_line) == ("f0", 1, 2)
    assert first.signature.startswith("def f0(a, b)")


def test_of_very_many_symbols_the_outer_ones_are_told() -> None:
    symbols = [Symbol("A", "A", "class", 1, 9)]
    symbols += [Symbol(f"m{n}", f"A.m{n}", "method", 2, 2, 0) for n in range(5)]
    symbols += [Symbol("x", "A.m4.x", "function", 2, 2, 5), Symbol("B", "B", "class", 10, 20)]
    symbols += [Symbol("n", "B.n", "method", 11, 12, 7)]
    kept = child_main.outermost(symbols, 4)
    assert [(one.qualified_name, one.parent) for one in kept] == [
        ("A", -1), ("A.m0", 0), ("A.m1", 0), ("B", -1)
    ]  # fmt: skip
    assert child_main.outermost(symbols, 99) == symbols


def test_a_parse_that_takes_too_long_is_cut_and_its_process_is_gone() -> None:
    text = json.dumps([{"id": n, "name": f"n{n}"} for n in range(500_000)])
    start = time.monotonic()
    found = outline_in_child(text, "large.json", 0.4)
    assert time.monotonic() - start < 10  # the parse alone takes as long
    assert (found.how, found.language, found.lines) == ("cut", "json", 1)
    assert not running(os.getpid())


@pytest.mark.parametrize(
    ("text", "path"),
    [("`${" * 4_000, "a.pl"), ('"@{[' * 4_000, "b.pl")],
)
def test_a_crash_is_never_an_empty_success(text: str, path: str) -> None:
    """K11: these end the process; the text is told by its plain shape."""
    found = outline_in_child(f"# Notes\n\n{text}deep\n", path, 20.0)
    assert found.how == "cut"
    assert found.lines == 3
    assert found.symbols
    assert not found.problems


@pytest.mark.parametrize(
    "answer",
    [b"", b"\n", b"{}", b'{"count": 1}\n', b"not json\n", b"[]\n[]\n", b"null\n"],
)
def test_half_an_answer_is_none(answer: bytes) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        child.outline_from(answer)


def test_an_answer_comes_back_as_it_was() -> None:
    outline = Outline(
        "python",
        (Symbol("a", "a", "function", 1, 2, -1, "def a()", "Doc.", 1),),
        (Import(("os", "sys"), 1, 1),),
        (Problem(3, 4),),
        9,
        "query",
    )
    answer = b"".join(child_main.answer(outline))
    assert child.outline_from(answer) == outline
    with pytest.raises(ValueError, match="short"):
        child.outline_from(answer[: answer.index(b"\n") + 1])


def test_no_more_than_two_run_at_once_and_the_others_wait() -> None:
    most = 0
    done = threading.Event()
    found: list[Outline] = []

    def watch() -> None:
        nonlocal most
        while not done.wait(0.02):
            most = max(most, len(running(os.getpid())))

    def outline() -> None:
        found.append(outline_in_child(CODE * 500, "cart.py", 60.0))

    threads = [threading.Thread(target=outline) for _ in range(6)]
    watcher = threading.Thread(target=watch)
    for thread in (watcher, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    watcher.join()
    assert {one.how for one in found} == {"query"}
    assert 1 <= most <= child.AT_ONCE


def test_who_waits_too_long_gets_the_plain_shape() -> None:
    held = [child.FREE.acquire() for _ in range(child.AT_ONCE)]
    try:
        found = outline_in_child("Chapter one\n\nand text\n", "notes.txt", 0.2)
    finally:
        for _ in held:
            child.FREE.release()
    assert found.how == "cut"
    assert found.symbols


def test_what_is_cut_still_says_its_language() -> None:
    for path, name in (("a.py", "python"), ("a.f90", "fortran"), ("notes.txt", "text")):
        assert outline_in_child("Chapter one\n", path, 0.0).language == name


def test_a_child_ends_by_itself_when_nobody_asks_any_more() -> None:
    """Its starter is killed while the child works."""
    code = (
        "import sys, threading; sys.path.insert(0, sys.argv[1])\n"
        "from backstory.codenav.child import outline_in_child\n"
        "text = '[' + '{\"a\": [1, 2]},' * 1_500_000 + '1]'\n"
        "outline_in_child(text, 'large.json', 4.0)\n"
    )
    starter = subprocess.Popen([sys.executable, "-c", code, str(SOURCES)])
    while not (started := running(starter.pid)):
        assert starter.poll() is None
        time.sleep(0.02)
    os.kill(starter.pid, signal.SIGKILL)
    starter.wait()
    for child_id in started:
        deadline = time.monotonic() + 30
        while is_alive(child_id):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_the_child_gets_no_environment_of_a_project(tmp_path: Path) -> None:
    """A module that lies where it is started, or that PYTHONPATH names, is not loaded."""
    (tmp_path / "json.py").write_text("raise SystemExit(1)\n")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from backstory.codenav.child import outline_in_child\n"
        "import os; os.chdir(sys.argv[2]); os.environ['PYTHONPATH'] = sys.argv[2]\n"
        "print(outline_in_child('def a(): pass\\n', 'a.py', 20.0).how)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(SOURCES), str(tmp_path)], capture_output=True, text=True
    )
    assert said.stdout == "query\n", said.stderr
