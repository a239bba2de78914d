"""PreToolUse on Read, and on commands that print files: what the worker says of a large file.

A whole Read of a large source file is refused once, with its outline as the reason. Everything
that could get in the way of work passes unasked: parts of files, files that this session has seen,
and all of them where the worker does not answer within 300 ms.
"""

import os

from backstory import paths
from backstory.hook import event, seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ASK_S = 0.3
# The host's own words for less than the whole, or for all of it on purpose.
PARTIAL = (b'"offset"', b'"limit"', b'"pages"', b'"allow_large"')


def consider(data: bytes) -> None:
    """Lets the call pass, with or without a word, or refuses it once."""
    tool = event.field(data, b"tool_name")
    facts = event.read_small(paths.HOOK_FACTS)
    is_off = b'"read_gate": "off"' in facts and b'"read_gate_exceptions": []' in facts
    if tool == b"Read":
        # what passes now is known later: the gate may be switched on, or the first worker come
        _read(data, is_asked=bool(facts) and not is_off)
    elif tool == b"Bash" and facts and not is_off:
        _ask(data, "")


def note_written(data: bytes) -> None:
    """Remembers that this session wrote a file, or tried to: its next Read passes."""
    session = event.field(data, b"session_id")
    path = _path_of(data)
    if session and path:
        seen.leave(_mark(data, path))


def _read(data: bytes, *, is_asked: bool) -> None:
    path = _path_of(data)
    if not path or not event.field(data, b"session_id"):
        return
    mark = _mark(data, path)
    if seen.is_seen(mark):
        return
    at = data.find(b'"tool_input"')
    if any(word in data[at:] for word in PARTIAL):
        seen.leave(mark)
        return
    try:
        is_worth_it = is_asked and os.stat(path).st_size > 0
    except OSError:
        is_worth_it = False
    if is_worth_it:
        _ask(data, mark)
    else:
        seen.leave(mark)


def _ask(data: bytes, mark: str) -> None:
    """Asks the worker, and says what it says; a refusal needs a mark that was not there."""
    from backstory.hook import lean_json, wire

    answer: "dict[str, Any]" = {}
    if not wire.is_quiet_time() and not event.is_excluded(data):
        try:
            status, body = wire.ask("POST", "/api/gate", _question(data), ASK_S)
            found = lean_json.loads(body) if status == 200 else None
            answer = found if isinstance(found, dict) else {}
        except (wire.Absent, wire.Unanswered, ValueError):
            pass  # no answer is no reason to hold anything up
    if answer.get("asked"):
        return  # beside a call that is answered: that one leaves the mark
    marks = [mark] if mark else [_mark(data, str(path)) for path in answer.get("files") or ()]
    is_new = [seen.leave(one) for one in marks]
    if not any(is_new):
        return  # told before, or no mark could be made: then nothing may be refused
    said: "dict[str, Any]" = {"hookEventName": "PreToolUse"}
    if answer.get("refuse"):
        said["permissionDecision"] = "deny"
        said["permissionDecisionReason"] = answer["refuse"]
    elif answer.get("context"):
        said["additionalContext"] = answer["context"]
    else:
        return
    from backstory.hook.handlers import say

    say(lean_json.dumps({"hookSpecificOutput": said}))


def _question(data: bytes) -> bytes:
    """The host's event with its folders: the worker parses it."""
    from backstory.hook import lean_json

    parts = []
    for name in ("project_dir", "config_dir"):
        folder = lean_json.dumps(os.environ.get("CLAUDE_" + name.upper(), ""))
        parts.append(b'"%b":%b' % (name.encode(), folder.encode("utf-8", "replace")))
    parts.append(b'"incognito":true' if event.is_incognito(data) else b'"incognito":false')
    return b"{" + b",".join(parts) + b',"event":' + data + b"}"


def _mark(data: bytes, path: str) -> str:
    session = event.field(data, b"session_id").decode("utf-8", "replace")
    return seen.mark_of(session, event.field(data, b"agent_id").decode("utf-8", "replace"), path)


def _path_of(data: bytes) -> str:
    """The file that the call names; "" where it names none."""
    path = event.field(data, b"file_path") or event.field(data, b"notebook_path")
    if b"\\" in path:
        from backstory.hook import lean_json

        try:
            return str(lean_json.loads(b'"' + path + b'"'))
        except ValueError:
            return ""
    return path.decode("utf-8", "surrogateescape")
