"""The demo, and what runs through the real launcher: nothing stays behind, whatever ends it."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.cli.conftest import Person, turn
from tests.support.home import ROOT, until

LAUNCH = ["/bin/sh", str(ROOT / "plugin/run"), "plugin/launch.py"]


@pytest.fixture
def scratch(person: Person, tmp_path: Path) -> Path:
    """Where the demo makes its folder."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    person.patch.setattr(tempfile, "tempdir", str(folder))
    return folder


def environment(person: Person, scratch: Path) -> dict[str, str]:
    """That of the person's shell."""
    return person.home.environment(TMPDIR=str(scratch))


def workers_below(folder: Path) -> list[str]:
    """The processes whose data directory lies below a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"BACKSTORY_HOME={folder}".encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def is_clean(scratch: Path) -> bool:
    """Whether neither a folder nor a process is left."""
    return list(scratch.iterdir()) == [] and workers_below(scratch) == []


def test_the_demo_shows_what_claude_would_see(person: Person, scratch: Path) -> None:
    """A session, the next one's start, a search and the records; the person's own memory is not
    touched, and nothing is left."""
    done = subprocess.run(
        [*LAUNCH, "demo"],
        env=environment(person, scratch),
        cwd=person.home.project,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for part in ("1. A session is recorded", "Claude is told:", "3. Claude asks its memory"):
        assert part in done.stdout
    assert not person.home.data.exists()
    assert is_clean(scratch)


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (signal.SIGINT, "1. A session"),
        (signal.SIGINT, "2. The next"),
        (signal.SIGTERM, "1. A session"),
        (signal.SIGHUP, "2. The next"),
    ],
)
def test_a_demo_that_is_interrupted_leaves_nothing(
    person: Person, scratch: Path, number: int, line: str
) -> None:
    """While hooks run, and when the worker is there."""
    with subprocess.Popen(
        [*LAUNCH, "demo"],
        env=environment(person, scratch),
        cwd=person.home.project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as demo:
        assert demo.stdout is not None
        assert demo.stderr is not None
        assert any(line in said for said in demo.stdout)
        demo.send_signal(number)
        said = demo.stderr.read()
        assert demo.wait(30) == 130
    assert said.strip() == "backstory: interrupted"
    until(lambda: is_clean(scratch), "nothing is left")


def test_a_demo_whose_reader_leaves_leaves_nothing(person: Person, scratch: Path) -> None:
    """`backstory demo | head -1`."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as gone:
        done = subprocess.run(
            [*LAUNCH, "demo"],
            env=environment(person, scratch),
            stdout=gone,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert is_clean(scratch)


def test_a_demo_can_be_kept(person: Person, scratch: Path) -> None:
    """To look into; its worker ends all the same."""
    text = person.ok("demo", "--keep")
    (folder,) = scratch.iterdir()
    assert f"kept in {folder}" in text
    assert (folder / "memory/backstory.db").exists()
    assert workers_below(scratch) == []


def test_python_is_the_runtimes_and_knows_the_package(person: Person) -> None:
    """Arguments, output and exit code pass through."""
    person.home.make_runtime(f'exec {shlex.quote(sys.executable)} "$@"')
    code = "import sys, backstory, click; print(sys.argv[1:]); sys.exit(7)"
    done = subprocess.run(
        [*LAUNCH, "python", "-c", code, "--json", "a b"],
        env=person.home.environment(),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "['--json', 'a b']\n", "")


@pytest.mark.parametrize(
    ("arguments", "code"), [(["status"], 3), (["search", "x"], 1), (["nonsense"], 64)]
)
def test_exit_codes_pass_through_the_launcher(
    person: Person, arguments: list[str], code: int
) -> None:
    """With JSON on standard output and a line on standard error."""
    done = subprocess.run(
        [*LAUNCH, *arguments, "--json"],
        env=person.home.environment(),
        cwd=person.home.project,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == code
    assert ("error" in json.loads(done.stdout)) == (code != 3)
    assert bool(done.stderr) == (code != 3)


@pytest.mark.parametrize("arguments", [["search", "--help"], ["nonsense"], ["save", "-h"]])
def test_what_needs_no_runtime_builds_none(person: Person, arguments: list[str]) -> None:
    """Help and mistakes must not begin with a download."""
    folder = person.home.user / ".local/share/backstory/runtime"
    folder.rename(person.home.user / "elsewhere")
    done = subprocess.run(
        [sys.executable, str(ROOT / "plugin/launch.py"), *arguments],
        env=person.home.environment(),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == (64 if arguments == ["nonsense"] else 0)
    assert "backstory" in done.stdout + done.stderr
    assert not folder.exists()


def test_another_host_is_served_over_standard_streams(person: Person) -> None:
    """`mcp --direct` speaks the protocol with the SDK's own client: list, read, write."""
    person.remember(*turn("guava"))
    person.ok("stop")
    server = StdioServerParameters(
        command=LAUNCH[0],
        args=[*LAUNCH[1:], "mcp", "--direct"],
        env=person.home.environment(),
        cwd=person.home.project,
    )

    async def session() -> tuple[list[str], str, str]:
        async with stdio_client(server) as streams, ClientSession(*streams) as client:
            await client.initialize()
            tools = await client.list_tools()
            found = await client.call_tool("search", {"query": "guava"})
            saved = await client.call_tool("save_memory", {"content": "Guavas are ripe."})
            return [tool.name for tool in tools.tools], str(found.content), str(saved.content)

    names, found, saved = anyio.run(session)
    listed = json.loads((ROOT / "plugin/tools.json").read_text())["tools"]
    assert names == [tool["name"] for tool in listed]
    assert "guava" in found
    assert "Error" not in saved
    assert person.home.one("SELECT count(*) FROM observations WHERE distilled_by = 'user'") == 1
