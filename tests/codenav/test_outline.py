"""The outline of a file, whatever its text."""

from __future__ import annotations

import ast
import sysconfig
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.codenav import outline
from backstory.codenav.languages import languages
from backstory.codenav.outline import Import, Outline, Problem, outline_of
from backstory.codenav.parse import MAX_BYTES

LIBRARY = Path(sysconfig.get_path("stdlib"))
MODULES = (
    *("typing.py", "dataclasses.py", "argparse.py", "_pydecimal.py", "enum.py", "ast.py"),
    *("tkinter/__init__.py", "turtle.py", "decimal.py", "os.py", "subprocess.py", "inspect.py"),
    *("asyncio/base_events.py", "asyncio/tasks.py", "asyncio/windows_events.py", "contextlib.py"),
    *("concurrent/futures/_base.py", "email/message.py", "email/_header_value_parser.py"),
    *("http/client.py", "http/cookiejar.py", "importlib/_bootstrap.py", "json/decoder.py"),
    *("logging/__init__.py", "multiprocessing/managers.py", "multiprocessing/util.py"),
    *("unittest/mock.py", "urllib/request.py", "xml/etree/ElementTree.py", "xml/dom/minidom.py"),
    *("encodings/idna.py", "encodings/cp1252.py", "idlelib/editor.py", "ctypes/util.py"),
    *("curses/textpad.py", "datetime.py", "difflib.py", "doctest.py", "functools.py"),
    *("heapq.py", "locale.py", "mailbox.py", "ntpath.py", "pdb.py", "pickle.py", "pickletools.py"),
    *("platform.py", "plistlib.py", "posixpath.py", "pydoc.py", "random.py", "re/_compiler.py"),
    *("shutil.py", "site.py", "smtplib.py", "socket.py", "sqlite3/dbapi2.py", "ssl.py"),
    *("stat.py", "statistics.py", "string.py", "tarfile.py", "tempfile.py", "test/test_grammar.py"),
    *("test/test_typing.py", "test/test_decorators.py", "test/test_patma.py", "threading.py"),
    *("test/test_unicode_identifiers.py", "test/test_fstring.py", "test/test_walrus.py"),
    *("test/test_named_expressions.py", "test/test_asyncgen.py", "test/test_descr.py"),
    *("token.py", "tokenize.py", "traceback.py", "types.py", "uuid.py", "weakref.py", "zipfile.py"),
)
KINDS = {
    **dict.fromkeys(("function", "method", "constructor", "property"), "def"),
    **dict.fromkeys(("variable", "constant", "field"), "name"),
    "class": "class",
}
Row = tuple[str, str, int, int]  # qualified name, kind, first and last line


def names_of(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Starred):
        yield from names_of(target.value)
    elif isinstance(target, ast.Tuple | ast.List):
        for each in target.elts:
            yield from names_of(each)


def truth(node: ast.AST, path: str = "", in_function: bool = False) -> Iterator[Row]:
    """What Python itself sees: definitions at any depth, names of modules and classes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            is_class = isinstance(child, ast.ClassDef)
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            own = path + child.name
            assert child.end_lineno is not None
            yield own, "class" if is_class else "def", first, child.end_lineno
            yield from truth(child, own + ".", not is_class)
            continue
        if isinstance(child, ast.Assign | ast.AnnAssign) and not in_function:
            for target in child.targets if isinstance(child, ast.Assign) else [child.target]:
                assert child.end_lineno is not None
                for name in names_of(target):
                    yield path + name, "name", child.lineno, child.end_lineno
        yield from truth(child, path, in_function or isinstance(child, ast.Lambda))


def found_in(text: str) -> Iterator[Row]:
    for symbol in outline_of(text, "a.py", 60).symbols:
        if symbol.kind != "type":
            yield symbol.qualified_name, KINDS[symbol.kind], symbol.start_line, symbol.end_line


@pytest.mark.parametrize("name", [name for name in MODULES if (LIBRARY / name).exists()])
def test_python_is_read_as_python_reads_it(name: str) -> None:
    """Every definition and module-level name once, with its exact lines and its nesting."""
    with tokenize.open(LIBRARY / name) as file:
        text = file.read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old escapes
        tree = ast.parse(text)
    expected, found = Counter(truth(tree)), Counter(found_in(text))
    assert expected - found == Counter()
    assert found - expected == Counter()


def test_most_of_the_sample_is_there() -> None:
    assert sum((LIBRARY / name).exists() for name in MODULES) > 60


PYTHON = "import os.path\nfrom . import cart\n\nclass A:\n    def b(self): ...\n"


def test_an_outline_says_what_was_read_and_how() -> None:
    found = outline_of(PYTHON, "src/a.py")
    assert (found.language, found.lines, found.how) == ("python", 5, "query")
    assert [one.qualified_name for one in found.symbols] == ["A", "A.b"]
    assert found.imports == (Import(("os.path",), 1, 1), Import((".cart",), 2, 2))
    assert found.problems == ()


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("def a(): ...\n\ndef b(:\n    return\n\ndef c(): ...\n", (Problem(3, 3),)),
        ("def a(): ...\n", ()),
        ("x = (1,\n", (Problem(1, 1),)),
    ],
)
def test_what_could_not_be_read_has_its_lines(text: str, problems: tuple[Problem, ...]) -> None:
    found = outline_of(text, "a.py")
    assert found.problems == problems
    assert found.how == "query"


def test_a_whole_file_of_nonsense_is_a_problem_and_no_error() -> None:
    found = outline_of("%$ §)( ]\n" * 500, "a.py")
    assert 1 <= len(found.problems) <= 20


def test_no_time_gives_the_plain_shape() -> None:
    found = outline_of(PYTHON, "a.py", -1)
    assert (found.language, found.how) == ("python", "cut")
    assert found.lines == 5
    assert found.symbols


def test_a_large_source_is_read_elsewhere_and_whole() -> None:
    text = "def f():\n    return 1\n\n\n" * (MAX_BYTES // 20)
    found = outline_of(text, "a.py", 30)
    assert found.language == "python"
    assert found.symbols[0].qualified_name == "f"
    assert len(found.symbols) > 1_000


def test_who_asks_again_gets_the_same_and_a_change_is_seen() -> None:
    outline.forget()
    first = outline_of(PYTHON, "a.py")
    assert outline_of(PYTHON, "a.py") is first
    assert outline_of(PYTHON + "\nx = 1\n", "a.py") != first
    assert outline_of(PYTHON, "a.js").language == "javascript"


@pytest.mark.parametrize(
    "text", ["", "\n", "\r\n\r\n", "\ufeff", "\0", "\ud800", "x", " " * 50, "\t\n" * 9]
)
@pytest.mark.parametrize("path", ["a.py", "a.ts", "notes.txt", "", "Makefile", "a.unheardof"])
def test_next_to_nothing_is_no_error(path: str, text: str) -> None:
    check(outline_of(text, path), text)


def check(found: Outline, text: str) -> None:
    """What holds for every outline."""
    lines = max(text.count("\n") + 1, 1)
    assert found.lines <= lines
    for index, one in enumerate(found.symbols):
        assert 1 <= one.start_line <= one.line <= one.end_line <= lines
        assert one.name
        assert one.qualified_name.endswith(one.name[-1])
        assert len(one.doc) <= 120
        assert len(one.signature) <= 1_000
        assert "\n" not in one.signature + one.doc + one.name
        assert one.parent < index
        if one.parent >= 0:
            parent = found.symbols[one.parent]
            assert parent.start_line <= one.start_line
            assert one.end_line <= parent.end_line
    for one_import in found.imports:
        assert 1 <= one_import.start_line <= one_import.end_line <= lines
        assert one_import.names
    for problem in found.problems:
        assert 1 <= problem.start_line <= problem.end_line <= lines
    assert all(a.end_line < b.start_line for a, b in pairwise(found.problems))
    assert len(found.problems) <= 20


CODE = st.sampled_from(
    [
        *(
            "class A",
            "def f",
            "function g",
            "(",
            ")",
            "{",
            "}",
            ":",
            ";",
            "\n",
            "\n    ",
            " = ",
            "1",
        ),
        *("x", '"', "'", "`", '"""', "#", "//", "/*", "*/", "@", "=>", "->", "<", ">", ",", "."),
        *("\r\n", "\t", "if", "else", "end", "do", "import a", "const y", "fn h", "struct S", "é"),
        *("/** d */", "/// d", "-- d", "[", "]", "\\", "$", "|", "&", "impl", "namespace n", "\0"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(sorted(languages())),
    text=st.text(max_size=200) | st.lists(CODE, max_size=60).map(" ".join),
)
def test_no_text_is_too_odd(name: str, text: str) -> None:
    language = languages()[name]
    path = f"a{language.extensions[0]}" if language.extensions else language.filenames[0]
    check(outline_of(text, path, 30), text)
