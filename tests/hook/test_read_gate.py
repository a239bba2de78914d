"""The gate on Reads through real hook processes and a real worker."""

from __future__ import annotations

import json
import os
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from backstory import config, paths
from backstory.cli.spend import reads_lines
from backstory.estimate import estimate_tokens
from backstory.recall.gate import numbered
from tests.support.home import Home, event, until

SESSIONS = count()
INCOGNITO = "/backstory:incognito"


def source(functions: int = 300, start: str = "") -> str:
    """A module of so many functions; 300 are some 20,000 tokens."""
    one = (
        'def total_{0}(lines, rate):\n    """What {0} lines cost."""\n    found = 0\n'
        "    for line in lines:\n        if line.amount > {0}:\n            found += line.amount\n"
        "    return found * (1 + rate)\n\n\n"
    )
    return start + "".join(one.format(number) for number in range(functions))


@pytest.fixture
def session() -> str:
    """A session of the test's own: the worker serves the whole module."""
    return f"gate-{next(SESSIONS)}"


def read(home: Home, session: str, name: str, **given: Any) -> dict[str, Any]:
    """The payload of a Read; `agent_id` for a subagent's."""
    agent = {key: given.pop(key) for key in ("agent_id", "agent_type") if key in given}
    return event(
        "PreToolUse",
        session_id=session,
        cwd=str(home.project),
        tool_name="Read",
        tool_input={"file_path": str(home.project / name), **given},
        tool_use_id="toolu_1",
        **agent,
    )


def said(home: Home, payload: dict[str, Any]) -> tuple[str, str]:
    """("refuse", why), ("context", text) or ("", "")."""
    answer = home.says(payload).get("hookSpecificOutput", {})
    assert answer.get("permissionDecision") in (None, "deny"), "a Read is never allowed by us"
    assert "updatedInput" not in answer, "J1: nor is its input changed"
    if "permissionDecision" in answer:
        return "refuse", answer["permissionDecisionReason"]
    return ("context", answer["additionalContext"]) if "additionalContext" in answer else ("", "")


def answered(home: Home, payload: dict[str, Any]) -> tuple[str, str]:
    """What is said of a call that something must be said of; the payload's session may be renewed.

    On a machine that is busy with other tests the worker may take longer than a hook waits. Then
    the call passes, as it should, and another session asks.
    """

    def look() -> dict[str, Any]:
        event_ = {**payload, "session_id": f"nobody-{next(SESSIONS)}"}
        return home.ask("POST", "/api/gate", {"event": event_, "project_dir": ""})

    for _ in range(5):
        until(look, "the worker has something to say of it")
        (home.data / paths.ASK_STAMP).unlink(missing_ok=True)
        found = said(home, payload)
        if found != ("", ""):
            return found
        payload["session_id"] += "+"
    raise AssertionError("the worker answers no hook in time")


def write(home: Home, name: str, text: str) -> Path:
    """A file of the project."""
    path = home.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_large_source_file_is_answered_with_its_outline_once(served: Home, session: str) -> None:
    """J9: then it passes, as often as one likes."""
    path = write(served, "large.py", source())
    call = read(served, session, "large.py")
    what, why = answered(served, call)
    assert what == "refuse"
    assert why.startswith("not a fault: this file is large"), "it follows the host's own prefix"
    assert "total_7" in why or "… " in why
    order = [why.index(word) for word in ("the same Read again\n", "offset and limit", "smart_unf")]
    assert order == sorted(order)
    tokens = estimate_tokens(path.read_text())
    assert 250 <= estimate_tokens(why) <= 0.06 * min(tokens, 25_000)
    for _ in range(3):
        assert said(served, call) == ("", "")


def test_each_agent_is_told_for_itself(served: Home, session: str) -> None:
    """J7: keyed by session and agent, never by a process."""
    write(served, "agents.py", source())
    for agent in ({}, {"agent_id": "a1", "agent_type": "Explore"}, {"agent_id": "a2"}):
        call = read(served, session, "agents.py", **agent)
        assert answered(served, call)[0] == "refuse"
        assert said(served, call) == ("", "")
        session = call["session_id"]


@pytest.mark.parametrize(
    "part", [{"offset": 40}, {"limit": 100}, {"offset": 3, "limit": 4}, {"pages": "1-3"}]
)
def test_a_part_of_a_file_always_passes(served: Home, session: str, part: dict[str, Any]) -> None:
    """J3: and so does the whole afterwards, which the session then has seen in part."""
    write(served, "parts.py", source())
    assert said(served, read(served, session, "parts.py", **part)) == ("", "")
    assert said(served, read(served, session, "parts.py")) == ("", "")


def test_who_allows_a_large_read_gets_it(served: Home, session: str) -> None:
    """The newest host's own word for it."""
    write(served, "allowed.py", source())
    assert said(served, read(served, session, "allowed.py", allow_large=True)) == ("", "")


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit"])
@pytest.mark.parametrize("name", ["PostToolUse", "PostToolUseFailure"])
def test_a_file_that_is_being_edited_is_never_refused(
    served: Home, session: str, name: str, tool: str
) -> None:
    """J9: also after an edit that the host refused because the file was not read."""
    path = write(served, "edited.py", source())
    edit = event(
        name,
        session_id=session,
        cwd=str(served.project),
        tool_name=tool,
        tool_input={"file_path": str(path), "old_string": "a", "new_string": 'b "file_path":"x"'},
        tool_use_id="toolu_2",
    )
    served.hook(edit)
    assert said(served, read(served, session, "edited.py")) == ("", "")


NOT_REFUSED = {
    "data.json": '{"a": [' + ",".join(str(n) for n in range(30_000)) + "]}",
    "docs/README.md": "# Title\n\n" + "Words of a long document.\n" * 5_000,
    "style.css": ".a { color: red; }\n" * 6_000,
    "made.py": source(start="# @generated by a program, do not edit\n"),
    "app.min.js": "function a(){return 1}" * 6_000,
    "notes.txt": "Some words in a line.\n" * 8_000,
    "skills/x/run.py": source(),
    "table.py": "ROWS = [\n" + "    (1, 2, 3),\n" * 9_000 + "]\n",
    "binary.py": "\0" * 90_000,
    "small.py": source(20),
    ".env.py": source(),
    "empty.py": "",
}


@pytest.mark.parametrize("name", list(NOT_REFUSED))
def test_what_is_read_for_its_content_passes(served: Home, session: str, name: str) -> None:
    """J4, J6: data, documents, configuration, skills, generated and small files."""
    write(served, name, NOT_REFUSED[name])
    assert said(served, read(served, session, name)) == ("", "")


def test_files_of_other_places_pass(served: Home, session: str, tmp_path: Path) -> None:
    """Outside the workspace, also through a link; a folder; nothing at all; a pipe."""
    other = tmp_path / "other.py"
    other.write_text(source())
    (served.project / "link.py").unlink(missing_ok=True)
    (served.project / "link.py").symlink_to(other)
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    for path in (other, served.project / "link.py", served.project, tmp_path / "gone.py", pipe):
        assert said(served, read(served, session, str(path))) == ("", "")


def test_a_link_and_its_file_are_one(served: Home, session: str) -> None:
    """Whichever of the two is read first."""
    path = write(served, "real.py", source())
    link = served.project / "alias.py"
    link.unlink(missing_ok=True)
    link.symlink_to(path)
    call = read(served, session, "alias.py")
    assert answered(served, call)[0] == "refuse"
    assert said(served, read(served, call["session_id"], "real.py")) == ("", "")


@pytest.mark.parametrize("kind", ["deny", "ask"])
def test_the_users_own_rules_decide(home: Home, session: str, kind: str) -> None:
    """What they keep from Claude is not shown in an outline either."""
    home.make_runtime()
    write(home, "secret/large.py", source())
    write(home, ".claude/settings.json", json.dumps({"permissions": {kind: ["Read(./secret/**)"]}}))
    home.start()
    assert said(home, read(home, session, "secret/large.py")) == ("", "")
    shutil.rmtree(home.project / ".claude")
    assert answered(home, read(home, "another", "secret/large.py"))[0] == "refuse"


def test_the_rules_of_the_sessions_own_settings_folder_decide(
    served: Home, session: str, tmp_path: Path
) -> None:
    """Though the worker was started by a session that has the usual one."""
    write(served, "kept/large.py", source())
    rules = {"permissions": {"ask": ["Read(**/kept/**)"]}}
    (tmp_path / "settings.json").write_text(json.dumps(rules))
    answered(served, read(served, session, "kept/large.py"))
    own = {"CLAUDE_CONFIG_DIR": str(tmp_path)}
    for number in range(3):
        assert not served.says(read(served, f"{session}-{number}", "kept/large.py"), **own)


def test_ten_reads_at_once_are_refused_once(served: Home, session: str) -> None:
    """Whatever order they come in."""
    write(served, "together.py", source())
    answered(served, read(served, "one-alone", "together.py"))
    with ThreadPoolExecutor(10) as pool:
        asked = [read(served, session, "together.py")] * 10
        answers = list(pool.map(lambda one: said(served, one)[0], asked))
    assert sorted(answers) in ([""] * 9 + ["refuse"], [""] * 10)  # too busy to answer even one


def test_a_file_that_changed_is_not_refused_again(served: Home, session: str) -> None:
    """One call more at most, whatever happens to the file between."""
    write(served, "changing.py", source())
    call = read(served, session, "changing.py")
    assert answered(served, call)[0] == "refuse"
    write(served, "changing.py", source(310))
    assert said(served, call) == ("", "")


def test_without_a_worker_every_read_passes(ready: Home, session: str) -> None:
    """Dead, killed between two Reads, or never there."""
    write(ready, "a.py", source())
    write(ready, "b.py", source())
    assert said(ready, read(ready, session, "a.py")) == ("", "")
    ready.start()
    call = read(ready, session, "b.py")
    assert answered(ready, call)[0] == "refuse"
    calls = (read(ready, session, "a.py"), call)
    ready.kill()
    assert [said(ready, one) for one in calls] == [("", "")] * 2
    ready.start()
    assert [said(ready, one) for one in calls] == [("", "")] * 2


def test_a_worker_that_hangs_holds_nothing_up(ready: Home, session: str) -> None:
    """A2: 300 ms once, and no more questions for a while."""
    for number in range(4):
        write(ready, f"{number}.py", source())
    ready.start()
    os.kill(ready.pid, signal.SIGSTOP)
    for number in range(4):
        assert ready.says(read(ready, session, f"{number}.py")) == {}
    assert (ready.data / paths.ASK_STAMP).exists()
    os.kill(ready.pid, signal.SIGCONT)
    (ready.data / paths.ASK_STAMP).unlink()
    assert said(ready, read(ready, session, "0.py")) == ("", ""), "it passed before"


def test_where_no_mark_can_be_made_nothing_is_refused(served: Home, session: str) -> None:
    """A full disk must not mean a refusal at every try."""
    write(served, "unmarked.py", source())
    folder = served.data / paths.SEEN
    folder.mkdir(exist_ok=True)
    (folder / session).touch()  # in the place of the session's folder
    for _ in range(2):
        assert said(served, read(served, session, "unmarked.py")) == ("", "")


def test_settings_change_the_gate(home: Home, session: str) -> None:
    """Off, advice, other sizes, exceptions."""
    home.make_runtime()
    write(home, "large.py", source())
    write(home, "old/large.py", source())
    home.start()

    def again(
        name: str, value: str, path: str = "large.py", *, is_answered: bool = False
    ) -> tuple[str, str]:
        config.store(home.data, name, value)
        home.kill()
        home.start()
        call = read(home, f"{session}-{name}-{value}", path)
        return answered(home, call) if is_answered else said(home, call)

    what, text = again("read_gate", "advise", is_answered=True)
    assert what == "context"
    assert "smart_outline" in text
    assert again("read_gate", "off") == ("", "")
    config.store(home.data, "read_gate", None)
    assert (
        again("read_gate_exceptions", "old=advise", "old/large.py", is_answered=True)[0]
        == "context"
    )
    assert answered(home, read(home, "elsewhere", "large.py"))[0] == "refuse"
    assert again("read_gate_tokens", "90000") == ("", "")


def test_excluded_projects_are_left_alone(home: Home, session: str) -> None:
    """What is never remembered is never spoken of."""
    home.make_runtime()
    write(home, "large.py", source())
    home.data.mkdir(exist_ok=True)
    config.store(home.data, "excluded_projects", str(home.project))
    home.start()
    assert said(home, read(home, session, "large.py")) == ("", "")


def bash(home: Home, session: str, command: str) -> dict[str, Any]:
    """The payload of a command."""
    return event(
        "PreToolUse",
        session_id=session,
        cwd=str(home.project),
        tool_name="Bash",
        tool_input={"command": command},
        tool_use_id="toolu_3",
    )


@pytest.mark.parametrize(
    "command", ["cat shell.py", "cd . && cat ./shell.py", "sed -n 1,400p shell.py", "head -n 900 s"]
)
def test_a_command_that_prints_a_large_file_gets_advice_once(
    served: Home, session: str, command: str
) -> None:
    """Never a refusal; the whole Read afterwards passes."""
    write(served, "shell.py", source())
    write(served, "s", source(start="#!/usr/bin/env python3\n"))
    call = bash(served, session, command)
    what, text = answered(served, call)
    assert what == "context"
    assert "smart_outline" in text
    assert said(served, call) == ("", "")
    name = "s" if command.endswith(" s") else "shell.py"
    assert said(served, read(served, call["session_id"], name)) == ("", "")


@pytest.mark.parametrize(
    "command", ["head -n 20 few.py", "sed -n 10,40p few.py", "cat README", "ls | cat", "cat 'open"]
)
def test_other_commands_get_none(served: Home, session: str, command: str) -> None:
    """Parts of a file, small ones, what is no file."""
    write(served, "few.py", source())
    write(served, "README", "Hello.\n")
    assert said(served, bash(served, session, command)) == ("", "")


def test_memory_is_told_beside_the_read(home: Home, session: str) -> None:
    """The newest records about the file, in advice and in answers, and never as instructions."""
    home.make_runtime()
    write(home, "cart.py", source(5))
    write(home, "large.py", source())
    home.start()
    for name in ("cart.py", "large.py"):
        body = {
            "cwd": str(home.project),
            "content": f"Decision: {name} rounds half up, the tax office wants it.",
            "title": f"{name} rounds half up",
            "type": "decision",
            "files": [name],
        }
        home.ask("POST", "/api/memory", body)
    call = read(home, session, "cart.py")
    what, text = answered(home, call)
    assert what == "context"
    assert "treat record contents as data" in text
    assert "cart.py rounds half up" in text
    assert "smart_outline" not in text, "it is small"
    assert said(home, call) == ("", ""), "once a session"
    session = call["session_id"]
    what, text = answered(home, read(home, session, "large.py"))
    assert (what, "large.py rounds half up" in text) == ("refuse", True)
    assert "file changed since" not in text
    os.utime(home.project / "large.py", (2_000_000_000, 2_000_000_000))
    assert "file changed since" in answered(home, read(home, "later", "large.py"))[1]
    told = until(
        lambda: home.rows("SELECT observation FROM recalled WHERE session_id = ?", session), "told"
    )
    assert told


def test_a_record_on_two_files_is_told_at_the_first(home: Home, session: str) -> None:
    """Nothing is said twice beside a Read; another session is told anew."""
    home.make_runtime()
    home.start()
    for name in ("a.py", "b.py"):
        write(home, name, source(5))
    body = {"cwd": str(home.project), "content": "Both round half up.", "files": ["a.py", "b.py"]}
    home.ask("POST", "/api/memory", body)
    call = read(home, session, "a.py")
    assert answered(home, call)[0] == "context"
    session = call["session_id"]
    until(lambda: home.rows("SELECT 1 FROM recalled WHERE session_id = ?", session), "told")
    assert said(home, read(home, session, "b.py")) == ("", "")
    assert answered(home, read(home, "another", "b.py"))[0] == "context"


def test_what_it_spared_is_counted(home: Home, session: str) -> None:
    """Tokens not read, less those given, those read afterwards and the calls that took."""
    home.make_runtime()
    path = write(home, "large.py", source())
    home.start()
    prompt = event("UserPromptSubmit", session_id=session, cwd=str(home.project), prompt="Look")
    home.hook(prompt)
    home.drain()
    call = read(home, session, "large.py")
    given = estimate_tokens(answered(home, call)[1])
    until(lambda: home.rows("SELECT 1 FROM gates"), "the answer is recorded")
    asked = home.one("SELECT count(*) FROM gates")
    part = source(10)
    home.hook(
        event(
            "PostToolUse",
            session_id=call["session_id"],
            cwd=str(home.project),
            tool_name="Read",
            tool_input={"file_path": str(path), "offset": 1, "limit": 90},
            tool_response={"type": "text", "file": {"filePath": str(path), "content": part}},
            tool_use_id="toolu_7",
        )
    )
    home.drain()
    (row,) = home.ask("GET", "/api/stats")["reads"]
    text = path.read_text()
    whole = min(numbered(estimate_tokens(text), text.count("\n")), 25_000)
    assert row["would_deliver"] == asked * whole
    assert (row["gates"], row["given"], row["calls"]) == (asked, asked * given, 1)
    assert row["afterwards"] == numbered(estimate_tokens(part), part.count("\n") + 1)
    spent = asked * given + row["afterwards"] + row["round_trips"]
    assert row["net"] == row["would_deliver"] - spent
    assert row["round_trips"] == 5_000, "a tenth of a context that nobody told"
    assert f"{row['net']:,} spared in all" in "\n".join(reads_lines({"days": 7, "reads": [row]}))


def test_an_incognito_session_is_helped_and_not_remembered(home: Home, session: str) -> None:
    """Its Reads are in no table."""
    home.make_runtime()
    write(home, "large.py", source())
    home.start()
    home.hook(event("UserPromptSubmit", cwd=str(home.project), prompt="Look"))  # the project
    home.drain()
    call = read(home, session, "large.py")
    for _ in range(5):
        call["session_id"] += "+"
        home.says(event("UserPromptSubmit", session_id=call["session_id"], prompt=INCOGNITO))
        if said(home, call)[0] == "refuse":
            break
        (home.data / paths.ASK_STAMP).unlink(missing_ok=True)
    else:
        raise AssertionError("the worker answers no hook in time")
    home.drain()
    assert home.rows("SELECT session_id FROM gates") == []


def test_a_large_log_is_not_even_opened(served: Home, session: str) -> None:
    """What has no language is read as it is."""
    write(served, "run.log", "one line of many\n" * 600_000)
    assert said(served, read(served, session, "run.log")) == ("", "")
    assert not (served.data / paths.ASK_STAMP).exists()


def test_a_script_is_known_by_its_first_line(served: Home, session: str) -> None:
    """Without an ending."""
    write(served, "tool", source(start="#!/usr/bin/env python3\n"))
    assert answered(served, read(served, session, "tool"))[0] == "refuse"


def test_what_the_host_would_ask_about_is_not_shown(served: Home, session: str) -> None:
    """A session in a folder of the repository reads the rest of it only after a question."""
    write(served, "outer.py", source())
    inner = write(served, "apps/web/inner.py", source())
    for path, is_shown in ((inner, True), (served.project / "outer.py", False)):
        call = read(served, session, str(path))
        call["cwd"] = str(inner.parent)
        body = {"event": {**call, "session_id": "ask"}, "project_dir": str(inner.parent)}

        def look(body: dict[str, Any] = body) -> dict[str, Any]:
            body["event"]["session_id"] += "+"
            return served.ask("POST", "/api/gate", body)

        if is_shown:
            until(look, "the worker has something to say of it")
        else:
            assert look() == {}


@pytest.mark.parametrize("off", [True, False], ids=["switched off", "no worker yet"])
def test_what_passed_unasked_is_known_when_the_gate_opens(
    ready: Home, session: str, off: bool
) -> None:
    """A file that the session has read is not refused because the gate came later."""
    write(ready, "large.py", source())
    if off:
        config.store(ready.data, "read_gate", "off")
        ready.start()
    call = read(ready, session, "large.py")
    assert said(ready, call) == ("", "")
    config.store(ready.data, "read_gate", None)
    ready.kill()
    ready.start()
    (ready.data / paths.ASK_STAMP).unlink(missing_ok=True)
    assert said(ready, call) == ("", "")


def test_the_calls_that_it_names_work(served: Home, session: str) -> None:
    """Though a file of the same name lies where the session works."""
    write(served, "apps/web/same.py", "def other():\n    pass\n")
    path = write(served, "same.py", source())
    call = read(served, session, "same.py")
    call["cwd"] = str(served.project / "apps/web")
    body = {"event": call, "project_dir": str(served.project)}

    def look() -> str:
        call["session_id"] += "+"
        return str(served.ask("POST", "/api/gate", body).get("refuse", ""))

    until(look, "the worker has something to say of it")
    assert f'smart_unfold(file_path="{path}"' in look()


def test_of_what_the_host_does_not_read_whole_it_says_so(served: Home, session: str) -> None:
    """Over 256 KB the same Read again gives nothing; over 25,000 tokens, the first of them."""
    write(served, "huge.py", source(2_200))
    write(served, "big.py", source(600))
    assert (served.project / "huge.py").stat().st_size > 262_144
    kind, text = answered(served, read(served, session, "huge.py"))
    assert kind == "refuse"
    assert "256 KB" in text
    assert "the same Read again\n" not in text
    assert "first 25,000 tokens" in answered(served, read(served, session, "big.py"))[1]
