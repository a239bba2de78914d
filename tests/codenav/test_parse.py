"""Parsing within limits."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from backstory.codenav.languages import languages
from backstory.codenav.outline import outline_of
from backstory.codenav.parse import MAX_BYTES, grammar, is_monotonous, matches, parse

PYTHON = languages()["python"]
SOURCES = str(Path(__file__).resolve().parents[2] / "src")


def later() -> float:
    return time.monotonic() + 60


def test_a_source_over_the_limit_is_not_parsed() -> None:
    assert parse(b"#" * MAX_BYTES, PYTHON, later()) is not None
    assert parse(b"#" * (MAX_BYTES + 1), PYTHON, later()) is None


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("yaml", "- "),
        ("yaml", "? "),
        ("markdown", "> "),
        ("markdown", "1. "),
        ("kotlin", '"${'),
        ("kotlin", "@A "),
        ("swift", "/*"),
        ("typescript", "a<b,"),
        ("objc", "() => "),
        ("bash", "a |\n"),
    ],
)
def test_nesting_that_would_end_the_process_is_not_parsed(name: str, part: str) -> None:
    """A scanner that crashes or hangs on depth is not started; ordinary depth is parsed."""
    language = languages()[name]
    assert parse((part * 4_000).encode(), language, later()) is None
    assert parse((part * 8 + "x\n").encode(), language, later()) is not None


def test_a_parse_past_its_deadline_gives_nothing_and_the_next_one_works() -> None:
    assert parse(b"x = 1\n", PYTHON, time.monotonic() - 1) is None
    tree = parse(b"x = 1\n", PYTHON, later())
    assert tree is not None
    assert not tree.root_node.has_error


def test_one_phrase_again_and_again_is_told_from_code() -> None:
    """Even as a part of a file; a table of constants is code."""
    code = "".join(
        f"LIMIT_{n} = {n * 7}  # the limit of {n} things\n" for n in range(3_000)
    ).encode()
    assert not is_monotonous(code)
    assert not is_monotonous(b"() => " * 500)
    assert is_monotonous(b"() => " * 1_000)
    assert is_monotonous(code + b"a<b," * 5_000 + code)
    assert is_monotonous(code + b" " * 20_000)
    assert is_monotonous(code + b"                a.b(\n" * 2_000)
    phrase = bytes(33 + 7 * n % 90 for n in range(90))
    assert is_monotonous(phrase * 200)
    assert not is_monotonous(b"".join(b"%d" % (n * n) + phrase for n in range(200)))


def test_a_parse_that_is_late_while_a_scanner_reads_ends() -> None:
    """What cannot be read is skipped without a question: the text ends then."""
    source = b"`" * 200_000
    assert parse(source, languages()["dart"], time.monotonic() + 0.3) is None
    assert parse(b"class A {}\n", languages()["dart"], later()) is not None


def test_a_source_of_many_pieces_is_read_whole() -> None:
    """Characters of several bytes lie across the borders of the pieces."""
    source = "".join(f"def 函数_{i}():\n    return '价格'\n\n" for i in range(2000)).encode()
    tree = parse(source, PYTHON, later())
    assert tree is not None
    assert not tree.root_node.has_error
    assert tree.root_node.end_byte == len(source)
    assert len(matches(tree, PYTHON)) == 2000


def test_a_query_can_compare_words_after_the_deadline_of_the_parse() -> None:
    source = b"LIMIT = 1\nrate = 2\n" + b"x" * 300 + b" = 1\n"
    deadline = time.monotonic() + 60
    tree = parse(source, PYTHON, deadline)
    assert tree is not None
    names = {
        node.text for _, captures in matches(tree, PYTHON) for node in captures.get("name", ())
    }
    assert names == {b"LIMIT", b"rate", b"x" * 300}


def test_a_grammar_is_loaded_and_compiled_once() -> None:
    """K6"""
    assert grammar(PYTHON) is grammar(PYTHON)


OFFLINE = """
import socket

def refuse(*_args, **_options):
    raise SystemExit("a grammar asked for the network")

socket.socket.connect = socket.getaddrinfo = refuse
from backstory.codenav.languages import languages
from backstory.codenav.symbols import symbols

for language in languages().values():
    symbols("name", language)
print(len(languages()))
"""


def test_every_grammar_loads_without_a_network_and_the_process_ends_well() -> None:
    """K8"""
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], capture_output=True, text=True, env={"PYTHONPATH": SOURCES}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{len(languages())}\n", "")


def test_a_parse_keeps_nothing_of_its_source() -> None:
    """The binding keeps every object that its read callback returns."""
    source = b"x = 1\n" * 20_000
    parse(source, PYTHON, later())
    tracemalloc.start()
    for _ in range(10):
        parse(source, PYTHON, later())
    kept, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < len(source)


def test_threads_parse_beside_each_other() -> None:
    source = b"class A:\n    def b(self):\n        pass\n" * 300
    counts: list[int] = []

    def work() -> None:
        for _ in range(5):
            tree = parse(source, PYTHON, later())
            if tree is not None:
                counts.append(len(matches(tree, PYTHON)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [600] * 20


def test_letters_that_end_a_parser_end_no_process_of_ours() -> None:
    """D's looks them up in a table that has no place for them."""
    text = "\U000f5a80" * 40 + "\nvoid main() { }\n"
    assert parse(text.encode(), languages()["d"], time.monotonic() + 5) is None
    assert outline_of(text, "a.d", 2.0).language == "d"
    assert [one.name for one in outline_of("void main() { }\n", "b.d").symbols] == ["main"]


def test_a_parser_that_may_hang_runs_in_a_process_of_its_own() -> None:
    """On this text, Perl's never ends without the end of a line, which it is given."""
    text = '\0@b)\0)\0" ])(cc#/)/<@\ta\t'
    language = languages()["perl"]
    assert parse(b"sub a { }\n", language, time.monotonic() + 5) is None
    assert outline_of(text, "a.pl", 5.0).how == "query"
    assert [one.name for one in outline_of("sub a { }\n", "b.pl").symbols] == ["a"]
