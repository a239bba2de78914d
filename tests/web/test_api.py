"""The JSON API: answers from the memory, one error shape, nothing ignored in silence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from backstory.errors import BackstoryError
from backstory.hook import wire
from backstory.instance import at_home
from tests.support.home import Home, a_home, event, tool


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A worker with a turn in project shop."""
    with a_home(tmp_path_factory.mktemp("api")) as home:
        home.start()
        here = {"cwd": str(home.project)}
        home.hook(event("UserPromptSubmit", prompt="Which parser do we use?", **here))
        home.hook(tool("toolu_1", "cat parser.py", **here))
        decided = "Decision: we use the pebble parser because it is small."
        home.hook(event("Stop", last_assistant_message=decided, **here))
        home.drain()
        yield home


def post(worker: Home, path: str, **body: Any) -> dict[str, Any]:
    """A POST in the project."""
    return worker.ask("POST", path, {"cwd": str(worker.project), **body})


def refused(
    worker: Home, method: str, path: str, body: dict[str, Any] | None = None
) -> BackstoryError:
    """The error that a call gets."""
    with pytest.raises(BackstoryError) as caught:
        worker.ask(method, path, body)
    return caught.value


def test_what_was_captured_is_found_shown_and_told(worker: Home) -> None:
    """From index to raw texts."""
    here = f"cwd={worker.project}"
    found = worker.ask("GET", f"/api/search?query=pebble&{here}")
    rows = found["rows"] if "rows" in found else found["hits"]
    record = rows[0]["id"]
    assert "pebble" in str(rows[0]["title"]).lower()
    assert "pebble" in str(post(worker, "/api/observations/batch", ids=[record]))
    assert "cat parser.py" in str(post(worker, "/api/tool-uses/batch", ids=["toolu_1"]))
    assert "pebble" in str(worker.ask("GET", f"/api/timeline?anchor={record}&{here}"))
    assert "pebble" in worker.ask("GET", f"/api/context?{here}")["context"]
    assert "pebble" in str(worker.ask("GET", "/api/search?query=pebble&project=shop"))


def test_a_start_gets_its_context_with_the_answer_that_the_spool_is_empty(worker: Home) -> None:
    """The same text that the hook would render; a nudge, which has no body, gets none."""
    start = {"cwd": str(worker.project), "project_dir": "", "session": ""}
    told = worker.ask("POST", "/api/flush", start)["context"]
    assert "pebble" in told
    assert told == worker.ask("GET", f"/api/context?cwd={worker.project}")["context"]
    assert worker.ask("POST", "/api/flush", {**start, "cwd": "/elsewhere"})["context"] == ""
    assert "context" not in worker.ask("POST", "/api/flush")
    assert refused(worker, "POST", "/api/flush", {"cwd": 5}).code == "bad_input"


def test_a_memory_is_saved_once_and_forgotten(worker: Home) -> None:
    """E3: in a project that nothing is known of yet, too."""
    saved = post(worker, "/api/memory", content="Deploy on Tuesdays.", files=["deploy.sh"])
    assert saved["new"]
    assert post(worker, "/api/memory", content=" deploy ON tuesdays. ") == {**saved, "new": False}
    fresh = worker.ask("POST", "/api/memory", {"cwd": "/new/place", "content": "Hello there."})
    assert fresh["new"]
    body = {"ids": [saved["id"]]}
    assert "records" in post(worker, "/api/forget", **body)
    assert post(worker, "/api/forget", confirm=True, **body)["forgotten"]
    assert post(worker, "/api/forget", undo=True)["restored"]


def test_status_counts_what_is_stored(worker: Home) -> None:
    """D5: with the last success."""
    found = worker.ask("GET", "/api/status")
    assert found["status"] == "ok"
    assert found["stored"]["tool_uses"] == 1
    assert found["spool"]["waiting"] == 0
    assert found["last_success"] > 0
    assert found["pid"] == worker.pid


@pytest.mark.parametrize(
    ("method", "path", "code", "words"),
    [
        ("GET", "/api/search?query=x", "bad_input", "which project"),
        ("GET", "/api/search?query=x&project=nope", "not_found", "no project 'nope'"),
        ("GET", "/api/search?query=x&cwd=/unknown", "not_found", "nothing is stored yet"),
        ("GET", "/api/timeline?project=shop&depth=3", "bad_input", "unknown argument 'depth'"),
        ("GET", "/api/context?project=shop&limit=3", "bad_input", "unknown argument 'limit'"),
        ("GET", "/api/timeline?project=shop&anchor=x", "bad_input", ""),
        ("POST", "/api/flush?seconds=soon", "bad_input", "expected a number"),
        ("POST", "/api/flush?seconds=nan", "bad_input", "expected a number"),
        ("GET", "/api/nothing", "not_found", ""),
        ("DELETE", "/api/search", "bad_input", ""),
        ("POST", "/api/health", "bad_input", ""),
    ],
)
def test_errors_have_one_shape(worker: Home, method: str, path: str, code: str, words: str) -> None:
    """F13, F14: JSON with what went wrong and, where there is one, what to do."""
    error = refused(worker, method, path)
    assert error.code == code
    assert words in error.message
    assert error.message


BODIES: list[tuple[str, dict[str, Any], str]] = [
    ("/api/observations/batch", {}, "expected a list"),
    ("/api/observations/batch", {"ids": "5"}, "expected a list"),
    ("/api/observations/batch", {"ids": [1], "order": "x"}, "unknown argument 'order'"),
    ("/api/tool-uses/batch", {"ids": [{}]}, ""),
    ("/api/memory", {}, "empty"),
    ("/api/memory", {"content": 5}, "expected text"),
    ("/api/memory", {"content": "x", "files": "abc"}, "expected a list of texts"),
    ("/api/memory", {"content": "x", "files": [1]}, "expected a list of texts"),
    ("/api/memory", {"content": "x", "titel": "y"}, "unknown argument 'titel'"),
    ("/api/memory", {"content": "x" * 5_000}, "5000 characters"),
    ("/api/memory", {"content": "x", "cwd": ["/"]}, "expected text"),
    ("/api/forget", {}, "what is to be forgotten"),
    ("/api/forget", {"ids": 5, "confirm": True}, "expected a list"),
    ("/api/forget", {"query": 5, "confirm": True}, "expected text"),
    ("/api/forget", {"session": ["s"], "confirm": True}, "expected text"),
    ("/api/forget", {"start": "yesterday", "confirm": True}, "expected"),
    ("/api/forget", {"everything": "no", "confirm": True}, "expected true or false"),
    ("/api/forget", {"ids": ["1"], "confirm": "false"}, "expected true or false"),
]


@pytest.mark.parametrize(("path", "body", "words"), BODIES, ids=range(len(BODIES)))
def test_arguments_are_checked_before_anything_happens(
    worker: Home, path: str, body: dict[str, Any], words: str
) -> None:
    """The message names the argument and what it takes."""
    before = worker.ask("GET", "/api/status")["stored"]
    with pytest.raises(BackstoryError) as caught:
        post(worker, path, **body)
    assert caught.value.code in ("bad_input", "not_found")
    assert words in caught.value.message
    assert worker.ask("GET", "/api/status")["stored"] == before


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[1]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"content": "' + b"x" * 1_100_000 + b'"}',
    ],
    ids=range(7),
)
def test_a_body_that_is_no_object_is_refused(worker: Home, raw: bytes) -> None:
    """Whatever it is."""
    with at_home(worker.data):
        status, answer = wire.ask("POST", "/api/memory", raw, 10, stamp=False)
    assert status == 400
    assert b'"bad_input"' in answer


def test_a_text_with_lone_surrogates_is_stored(worker: Home) -> None:
    """B9: JSON can hold them, SQLite cannot."""
    raw = b'{"cwd": "/new/place", "content": "half an emoji \\ud83d here"}'
    with at_home(worker.data):
        status, answer = wire.ask("POST", "/api/memory", raw, 10, stamp=False)
    assert (status, b'"new":true' in answer) == (200, True)


def test_a_file_is_stored_as_it_is_asked_for(worker: Home) -> None:
    """F17: an absolute path below the project becomes a relative one."""
    post(worker, "/api/memory", content="About one file.", files=[f"{worker.project}/src/./a.py"])
    assert worker.rows("SELECT path FROM observation_files WHERE path LIKE '%a.py'") == [
        ("src/a.py",)
    ]


def test_a_limit_holds_for_batches_too(worker: Home) -> None:
    """What it leaves out is named; what is no limit is refused."""
    found = post(worker, "/api/observations/batch", ids=["p1", "s1"], limit=1)
    assert [record["id"] for record in found["records"]] == ["p1"]
    assert found["left_out"] == ["s1"]
    calls = post(worker, "/api/tool-uses/batch", ids=["toolu_1"], limit=1)
    assert (len(calls["tool_uses"]), calls["left_out"]) == (1, [])
    for path in ("/api/observations/batch", "/api/tool-uses/batch"):
        body = {"cwd": str(worker.project), "ids": ["p1"], "limit": 0}
        assert "limit" in refused(worker, "POST", path, body).message
