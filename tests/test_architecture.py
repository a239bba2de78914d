"""The shape of the code: sizes, directions, and what a hook process may load."""

from __future__ import annotations

import ast
import graphlib
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(
    path
    for folder in ("src", "plugin", "hooks")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".sql", ".scm", ".toml"} or path.name == "run"
)
MODULES = [path for path in SOURCES if path.suffix == ".py"]
EVERYTHING = [
    path
    for folder in ("src", "plugin", "hooks", "tests", "benchmarks", "docs", "skills", "bin")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts and "fixtures" not in path.parts
]


def lines(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_module_is_over_400_lines_and_most_are_under_200() -> None:
    """A module is one noun; a table grows by a few lines for each thing that it lists."""
    most = {".toml": 800}
    assert {
        str(path): lines(path) for path in SOURCES if lines(path) > most.get(path.suffix, 400)
    } == {}
    assert statistics.median(map(lines, MODULES)) <= 200


def test_nine_functions_in_ten_fit_into_30_lines() -> None:
    """The docstring counts too."""
    sizes = [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    assert statistics.quantiles(sizes, n=10)[-1] <= 30


def imported(path: Path, names: set[str]) -> set[str]:
    """Which of our modules `path` imports when it is loaded, not later inside a function."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found & names


def test_no_two_modules_need_each_other() -> None:
    """Imports have no cycles, even below the layers that the import contract knows."""
    by_name = {
        ".".join(path.relative_to(base).with_suffix("").parts): path
        for base in (ROOT / "src", ROOT)
        for path in MODULES
        if path.is_relative_to(base) and path.name != "__init__.py"
    }
    graph = {name: imported(path, set(by_name)) for name, path in by_name.items()}
    assert len(graph) > 20
    graphlib.TopologicalSorter(graph).prepare()


UNDONE = (
    "TODO",  # looked for by this test
    "FIXME",  # looked for by this test
    "XXX",  # looked for by this test
    "NotImplementedError",  # looked for by this test
    "xfail(",  # looked for by this test
    "skip(",  # looked for by this test
)


@pytest.mark.parametrize("word", UNDONE)
def test_nothing_is_left_undone(word: str) -> None:
    """No promise and no switched-off test."""
    here = Path(__file__)
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in EVERYTHING
        if path != here
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if re.search(rf"(?<!\w){re.escape(word)}", line)
    ]
    assert found == []


CAPTURE_MAY_NOT_LOAD = {
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "inspect",
    "json",
    "logging",
    "pathlib",
    "re",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
    "typing",
}
EVENT = (
    b'{"session_id":"11111111-2222-3333-4444-555555555555","transcript_path":"/t.jsonl",'
    b'"cwd":"/tmp","permission_mode":"default","hook_event_name":"%s","tool_name":"Bash",'
    b'"tool_input":{"command":"ls"},"tool_response":{"stdout":"a","stderr":""},'
    b'"tool_use_id":"toolu_1"}'
)


@pytest.mark.parametrize(
    "event", ["PostToolUse", "PostToolUseFailure", "SubagentStop", "SessionEnd"]
)
def test_the_capture_path_loads_next_to_nothing(tmp_path: Path, event: str) -> None:
    """Each of these modules costs as much as a fifth to twice the interpreter's own start."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", str(ROOT / "hooks/on_event.py")],
        env={"HOME": str(tmp_path), "BACKSTORY_HOME": str(tmp_path / "data"), "PATH": "/usr/bin"},
        cwd=tmp_path,
        input=EVENT % event.encode(),
        capture_output=True,
        timeout=20,
    )
    loaded = {
        line.rsplit("|", 1)[1].strip() for line in done.stderr.decode().splitlines() if "|" in line
    }
    assert (done.returncode, done.stdout) == (0, b"")
    assert "backstory.storage.spool" in loaded
    assert not loaded & CAPTURE_MAY_NOT_LOAD
    ours = {name for name in loaded if name.startswith("backstory")}
    assert len(ours) <= 9, ours
    assert [path for path in (tmp_path / "data/spool").iterdir() if path.is_file()]
