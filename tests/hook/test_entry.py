"""What every hook process does first: it keeps the event, and nothing that happens to it shows."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from backstory import paths
from backstory.hook.event import names_private
from backstory.storage import spool
from tests.support.home import ROOT, Home, dump, event, tool

EVENTS = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
]
CANARY = "zqcanary"


def captured(home: Home) -> list[bytes]:
    """The payloads in the spool."""
    return [spool.parse(path.read_bytes())[1] for path in home.waiting()]


@pytest.mark.parametrize("name", [name for name in EVENTS if name != "PreToolUse"])
def test_every_event_is_kept_as_it_came(home: Home, name: str) -> None:
    """With the host's project folder, in a file of the user's alone."""
    payload = event(name, tool_name="Bash", prompt="поиск 修 \ud83d", cwd=str(home.project))
    home.hook(payload, CLAUDE_PROJECT_DIR=str(home.project / "Ünï"))
    (path,) = home.waiting()
    header, body = spool.parse(path.read_bytes())
    assert body == dump(payload)
    assert header["project_dir"] == str(home.project / "Ünï")
    assert abs(time.time() - int(header["at"]) / 1e9) < 60
    assert path.stat().st_mode & 0o777 == 0o600
    for folder in (home.data, path.parent):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_only_events_that_answer_something_print(home: Home) -> None:
    """A10: Stop says nothing, whatever it is told."""
    for name in EVENTS[3:]:
        said = home.hook(event(name, stop_hook_active=True, last_assistant_message="Next: x"))
        assert said.stdout == b""


INPUTS: list[tuple[str, bytes]] = [
    ("empty", b""),
    ("blank", b" \n"),
    ("cut", dump(event("UserPromptSubmit", prompt="x" * 500))[:-300]),
    ("cut early", dump(event("Stop"))[:40]),
    ("no json", b"hello"),
    ("binary", bytes(range(256)) * 40),
    ("null", b"null"),
    ("a list", b'[{"hook_event_name":"SessionStart"}]'),
    ("a list as name", dump({**event("Stop"), "hook_event_name": ["Stop"]})),
    ("an unknown event", dump(event("Sneeze"))),
    ("a bad session", dump(event("SessionStart", session_id=7))),
    ("a hostile session", dump(event("UserPromptSubmit", session_id="../../x\x00\n", prompt="x"))),
    ("no cwd", dump(event("SessionStart", cwd=None))),
    ("a NUL in cwd", dump(event("SessionStart", cwd="/a\x00b"))),
    ("a list as cwd", dump(event("SessionStart", cwd=["/"]))),
    ("deep", b'{"session_id":"s","hook_event_name":"SessionStart","x":' + b"[" * 10_000),
    ("deep capture", b'{"session_id":"s","hook_event_name":"PostToolUse","x":' + b'{"<":' * 10_000),
    (
        "a huge number",
        b'{"session_id":"s","hook_event_name":"SessionStart","x":' + b"9" * 9_000 + b"}",
    ),
    (
        "lone surrogates",
        b'{"session_id":"\\ud800","hook_event_name":"SessionStart","cwd":"\\udfff"}',
    ),
    ("utf-16", '{"hook_event_name":"Stop"}'.encode("utf-16")),
    ("a mark of order", b"\xef\xbb\xbf" + dump(event("Stop"))),
    (
        "input as text",
        dump(
            event("PreToolUse", tool_name="mcp__plugin_backstory_mem__search", tool_input="project")
        ),
    ),
]


@pytest.mark.parametrize("stdin", [data for _, data in INPUTS], ids=[name for name, _ in INPUTS])
def test_any_input_ends_well(home: Home, stdin: bytes) -> None:
    """A13: exit 0, at most one JSON document, nothing on stderr (`Home.hook` checks all three)."""
    home.hook(None, stdin=stdin)
    assert {path.name for path in home.project.iterdir()} == set()


@pytest.mark.parametrize("megabytes", [8, 20])
@pytest.mark.parametrize("text", ["x", "a<b&amp;%\\u00e9"])
def test_huge_events_are_kept_by_their_ends(home: Home, megabytes: int, text: str) -> None:
    """A13: within the time that one hook has."""
    stdout = (text * (megabytes * 1_000_000 // len(text)))[: megabytes * 1_000_000]
    home.hook(tool("toolu_1", tool_response={"stdout": stdout, "stderr": "TAIL"}))
    (body,) = captured(home)
    assert body.startswith(dump(event("PostToolUse"))[:-1])
    assert len(body) <= spool.EVENT_LIMIT


def test_input_in_crumbs_is_read_to_its_end(home: Home) -> None:
    """A pipe hands over what there is."""
    command = [sys.executable, "-I", "-S", "-B", str(ROOT / "hooks/on_event.py")]
    process = subprocess.Popen(command, env=home.environment(), stdin=subprocess.PIPE)
    assert process.stdin
    for byte in dump(tool("toolu_1")):
        process.stdin.write(bytes([byte]))
        process.stdin.flush()
    process.stdin.close()
    assert process.wait(20) == 0
    assert captured(home) == [dump(tool("toolu_1"))]


def test_input_that_never_ends_is_left_in_time(home: Home) -> None:
    """One deadline for all of it."""
    command = [sys.executable, "-I", "-S", "-B", str(ROOT / "hooks/on_event.py")]
    with subprocess.Popen(command, env=home.environment(), stdin=subprocess.PIPE) as process:
        assert process.wait(20) == 0
        assert process.stdin
        process.stdin.close()


PRIVATE = [
    {"prompt": f"a <private>{CANARY}</private> b"},
    {"prompt": f"<PRIVATE>\n{CANARY}\n</Private>"},
    {"prompt": f"open to the end <private> {CANARY}"},
    {"prompt": f"&lt;private&gt;{CANARY}&lt;/private&gt;"},
    {"prompt": f"%3Cprivate%3E{CANARY}%3C/private%3E"},
    {"prompt": f"&#60;private&#62;{CANARY}&#60;/private&#62;"},
    {"prompt": f"\\x3cprivate\\x3e{CANARY}\\x3c/private\\x3e"},
    {"tool_name": "Bash", "tool_input": {"command": f"echo '<private>{CANARY}</private>'"}},
    {"tool_name": "Bash", "tool_response": {"stdout": ["<private>", CANARY, "</private>"]}},
    {"last_assistant_message": f"<private>{CANARY}</private>"},
    {"compact_summary": f"<private>{CANARY}</private>"},
    {f"<private>{CANARY}</private>": 1},
]


@pytest.mark.parametrize("fields", PRIVATE, ids=range(len(PRIVATE)))
@pytest.mark.parametrize("padding", [0, 2_000_000])
def test_private_text_reaches_no_file(home: Home, fields: dict[str, Any], padding: int) -> None:
    """G1, G2: neither in a small event nor in one that is read piece by piece."""
    name = "UserPromptSubmit" if "prompt" in fields else "PostToolUse"
    home.hook(event(name, padding="x" * padding, **fields))
    assert home.waiting()
    assert home.holds(CANARY) == []


def test_escaped_private_tags_are_cut_too(home: Home) -> None:
    """G1: as JSON may spell them, and in what is no JSON any more."""
    spelled = f"\\u003cprivate\\u003e{CANARY}\\u003c/private\\u003e".encode()
    head = b'{"session_id":"s1","hook_event_name":"PostToolUse","x":"'
    for stdin in (head + spelled + b'"}', head + spelled, head + b"<private>" + CANARY.encode()):
        home.hook(None, stdin=stdin)
    assert len(home.waiting()) == 3
    assert home.holds(CANARY) == []


def test_the_log_tells_what_failed_and_never_what_was_captured(home: Home) -> None:
    """G2: a handler's exception may quote the payload."""
    home.hook(None, stdin=b'{"hook_event_name":"SessionStart","cwd":"/' + CANARY.encode())
    assert "SessionStart: " in home.log()
    assert home.holds(CANARY) == []


@pytest.mark.parametrize("value", ["1", "true", "yes"])
def test_switched_off_by_the_environment(home: Home, value: str) -> None:
    """A19: for one process; not even a folder is made."""
    for name in EVENTS:
        assert home.hook(event(name, prompt="x"), BACKSTORY_DISABLED=value).stdout == b""
    assert not home.data.exists()


@pytest.mark.parametrize("value", ["", "0"])
def test_an_empty_or_zero_switch_is_none(home: Home, value: str) -> None:
    """As people expect."""
    home.hook(event("Stop"), BACKSTORY_DISABLED=value, BACKSTORY_INCOGNITO=value)
    assert len(home.waiting()) == 1


def test_our_own_processes_are_not_observed(home: Home) -> None:
    """C2: whatever a child of ours starts, its hooks do nothing."""
    home.hook(event("Stop"), BACKSTORY_CHILD="1")
    assert not home.data.exists()


def test_our_own_tools_are_not_captured(home: Home) -> None:
    """C12: recalled text must not come back; a batch may hold others' calls beside ours."""
    own = {"tool_name": "mcp__plugin_backstory_mem__search", "tool_use_id": "toolu_1"}
    home.hook(event("PostToolUse", **own, tool_response=[{"type": "text", "text": "recalled"}]))
    assert home.waiting() == []
    home.hook(event("PostToolUse", tool_name="Bash", tool_input={"command": f"grep {own}"}))
    home.hook(event("UserPromptSubmit", prompt="what is mcp__plugin_backstory_mem__search?"))
    home.hook(event("PostToolBatch", tool_calls=[own, {"tool_name": "Bash"}]))
    assert len(home.waiting()) == 3


def test_incognito_by_the_environment(home: Home) -> None:
    """Nothing is kept, nothing is said."""
    for name in EVENTS[1:]:
        assert home.hook(event(name, prompt="x"), BACKSTORY_INCOGNITO="1").stdout == b""
    assert home.waiting() == []


@pytest.mark.parametrize("session", ["s1", "a/../b", "x" * 300, "Ü\n"])
def test_incognito_by_command(home: Home, session: str) -> None:
    """From the command on, for this session, until it is switched off; other sessions go on."""
    own: dict[str, Any] = {"session_id": session}
    home.hook(event("UserPromptSubmit", prompt="before", **own))
    said = home.says(event("UserPromptSubmit", prompt="/backstory:incognito", **own))
    assert "incognito" in said["systemMessage"]
    home.hook(event("UserPromptSubmit", prompt=CANARY, **own))
    home.hook(tool("toolu_1", CANARY, **own))
    home.hook(event("Stop", **own))
    assert home.holds(CANARY) == []
    home.hook(event("Stop", session_id="other"))
    said = home.says(event("UserPromptSubmit", prompt=" /backstory:incognito off", **own))
    assert "again" in said["systemMessage"]
    home.hook(event("Stop", **own))
    assert len(home.waiting()) == 3
    inside = [path for path in home.data.rglob("*") if path.is_file()]
    assert all(path.is_relative_to(home.data) for path in inside)


@pytest.mark.parametrize(
    ("facts", "kept"),
    [
        ('{"excluded_projects": [],\n"skipped_tools": []}', True),
        ('{"excluded_projects": ["%s"], "skipped_tools": []}', False),
        ('{"excluded_projects": ["*/sh?p"], "skipped_tools": []}', False),
        ('{"excluded_projects": ["/elsewhere"], "skipped_tools": ["Write", "mcp__*"]}', True),
        ('{"excluded_projects": [], "skipped_tools": ["Ba*"]}', False),
        ("not json", False),  # doubt keeps nothing
    ],
)
def test_excluded_projects_and_tools_are_not_captured(home: Home, facts: str, kept: bool) -> None:
    """As the worker wrote them down for the hooks."""
    home.data.mkdir()
    (home.data / paths.HOOK_FACTS).write_text(facts.replace("%s", str(home.project)))
    home.hook(tool("toolu_1", cwd=str(home.project / "src")))
    assert bool(home.waiting()) is kept


def test_a_full_spool_drops_and_says_so(home: Home) -> None:
    """500 MB are the bound; the worker, or the hook that finds none, marks it."""
    folder = home.data / paths.SPOOL
    folder.mkdir(parents=True)
    with (folder / "0-1.evt").open("wb") as file:
        file.truncate(spool.SPOOL_LIMIT)
    home.hook(event("Stop"))
    assert (folder / spool.FULL).exists()
    home.hook(tool("toolu_1"))
    assert "spool is full" in home.log()
    assert len(home.waiting()) == 2


def test_a_file_size_limit_is_no_failure(home: Home) -> None:
    """A disk that takes a part of an event: it is dropped whole and the log says why."""
    home.hook(tool("toolu_1", tool_response="x" * 50_000), limits="ulimit -f 4")
    assert home.waiting() == []
    assert list((home.data / paths.SPOOL).iterdir()) == []
    assert "could not be kept: OSError: File too large" in home.log()


FULL_DISK = """
mount -t tmpfs -o size=600k,mode=700 disk data
mkdir -m 700 data/spool
head -c 200000 /dev/zero > data/spool/ballast
cat /dev/zero > data/filler 2>/dev/null
"$@" < small || exit 1
ls data/spool
"$@" < large || exit 2
"$@" < start || exit 3
ls data/spool
"""


def test_a_full_disk_gives_up_its_ballast_and_then_the_event(home: Home) -> None:
    """Exit 0 and nothing printed; what is kept is whole, what is not leaves no trace."""
    home.data.mkdir()
    big = tool("toolu_2", tool_response=" ".join(map(str, range(100_000))))
    for name, payload in (
        ("small", tool("toolu_1")),
        ("large", big),
        ("start", event("SessionStart", source="startup", cwd="/")),
    ):
        (home.data.parent / name).write_bytes(dump(payload))
    wrap = ["unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", FULL_DISK, "sh"]
    hook = [sys.executable, "-I", "-S", "-B", str(ROOT / "hooks/on_event.py")]
    done = subprocess.run(
        [*wrap, *hook],
        env=home.environment(),
        cwd=home.data.parent,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "systemMessage" not in done.stdout
    lines = done.stdout.split()
    assert [line[-4:] for line in lines] == [".evt"] * 3  # the first, and again with the last
    assert len(set(lines)) == 2


def test_a_data_directory_that_cannot_be_written(home: Home) -> None:
    """Exit 0, for every event; a session's start says that nothing is remembered."""
    home.data.mkdir(mode=0o755)
    home.data.chmod(0o555)
    # root may write anywhere, except where the mount says no
    read_only = 'mount --bind -o ro data data && mount -o remount,bind,ro data data && exec "$@"'
    wrap = ["unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", read_only, "sh"]
    command = [sys.executable, "-I", "-S", "-B", str(ROOT / "hooks/on_event.py")]
    for name in EVENTS:
        done = subprocess.run(
            [*wrap, *command],
            input=dump(event(name, prompt="x", source="startup")),
            env=home.environment(),
            cwd=home.data.parent,
            capture_output=True,
            timeout=20,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert (b"cannot keep what happens: Read-only" in done.stdout) == (name == "SessionStart")
    assert list(home.data.iterdir()) == []


def test_a_data_directory_that_cannot_be_made(home: Home) -> None:
    """A mistake in BACKSTORY_HOME: the user learns of it, once a session."""
    home.data.write_text("somebody's file")
    for name in EVENTS:
        said = home.says(event(name, prompt="x", source="startup"))
        assert bool(said) == (name == "SessionStart")
        assert str(home.data) in said.get("systemMessage", str(home.data))
    assert home.data.read_text() == "somebody's file"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 7, 50])
def test_a_tag_is_seen_however_the_pipe_cuts_it(size: int) -> None:
    """Large events are looked through piece by piece."""
    text = b"x" * 33 + b"<PRIVATE>" + b"y" * 33
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert names_private(pieces)
    assert not names_private([piece.replace(b"V", b"W") for piece in pieces])


@pytest.mark.parametrize("name", ["spool", "logs", "incognito", "hook.json", "worker.sock"])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_anything_may_stand_in_our_places(home: Home, name: str, kind: str) -> None:
    """Somebody restored half a backup."""
    home.data.mkdir()
    (home.data / name).mkdir() if kind == "folder" else (home.data / name).write_bytes(b"\xff{")
    for one in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"):
        home.hook(event(one, prompt="x", source="startup"))


def test_the_checkout_is_left_as_it_was(home: Home) -> None:
    """A folder marketplace runs in place: not even bytecode is written."""

    def state() -> set[str]:
        return {str(p) for top in ("hooks", "src/backstory/hook") for p in (ROOT / top).rglob("*")}

    before = state()
    home.hook(event("Stop"))
    assert state() == before
    assert list(home.project.iterdir()) == []


@pytest.mark.parametrize("data", ["Ünïcode dir", "d" * 60 + "/" + "e" * 60, "a\nb"])
def test_any_data_directory(tmp_path: Path, data: str) -> None:
    """B10: spaces, accents, and more than the 108 bytes of a socket's name."""
    home = Home(tmp_path, data)
    home.hook(event("Stop"))
    assert len(home.waiting()) == 1
