"""The events that answer something or look after the worker, one function each.

Imports inside functions are deliberate: each event pays for what it uses.
"""

import os

from backstory import __version__, paths
from backstory.hook import event, lean_json, wire

OVERDUE_MINUTES = 10  # after which events that a running worker leaves waiting are told of
FLUSH_S = 0.3  # how long SessionStart waits for the worker to take in what is waiting
TYPE_CHECKING = False  # typing's own costs an import of typing
if TYPE_CHECKING:
    from typing import Any

UNREADABLE = (
    "Backstory keeps nothing of this session: hook.json in its data directory cannot be read. "
    "`backstory restart` writes it anew."
)
UNKEPT = (
    "Backstory cannot %s: %s. Nothing is remembered until that changes; `backstory doctor` "
    "tells more."
)
INCOGNITO_COMMAND = "/backstory:incognito"
# The tools that may run unasked: those of hooks.json's matcher, and never one that writes.
READ_ONLY_TOOLS = (
    "mcp__plugin_backstory_mem__mem_search",
    "mcp__plugin_backstory_mem__search",
    "mcp__plugin_backstory_mem__timeline",
    "mcp__plugin_backstory_mem__get_observations",
    "mcp__plugin_backstory_mem__smart_search",
    "mcp__plugin_backstory_mem__smart_outline",
    "mcp__plugin_backstory_mem__smart_unfold",
    "mcp__plugin_backstory_mem__get_tool_uses",
    "mcp__plugin_backstory_mem__session_start_context",
    "mcp__plugin_backstory_mem__work_state_read",
    "mcp__plugin_backstory_mem__important_workflow",
)
# Whoever asks must not be one whom the user keeps out of memory.
WRITING_TOOLS = (
    "mcp__plugin_backstory_mem__save_memory",
    "mcp__plugin_backstory_mem__work_state_write",
)


def handle(name: str, data: bytes) -> None:
    """Runs the handler of an event; an event without one is not ours."""
    handler = HANDLERS.get(name)
    if handler is not None:
        handler(data)


def session_start(data: bytes) -> None:
    """Captures, lets the worker catch up, and prints the project's context."""

    payload = object_of(data)
    try:
        if event.is_excluded(data):
            return
    except (ValueError, TypeError, AttributeError) as error:
        # it says what the user keeps out of memory, so without it nothing may go in
        event.log_error("hook.json", error)
        say(lean_json.dumps({"systemMessage": UNREADABLE}))
        return
    failed = event.capture(data)
    start = {
        "cwd": str(payload.get("cwd", "")),
        "project_dir": os.environ.get("CLAUDE_PROJECT_DIR", ""),
        "session": str(payload.get("session_id")) if payload.get("source") == "compact" else "",
    }
    notices, text = catch_up(start)
    if failed:
        notices.append(UNKEPT % ("keep what happens", failed))
    if text is None:
        text = context_text(start, notices)
    answer: "dict[str, object]" = {}
    if text:
        answer["hookSpecificOutput"] = {
            "hookEventName": "SessionStart",
            "additionalContext": text,
        }
    if notices:
        answer["systemMessage"] = "\n".join(notices)
    if answer:
        say(lean_json.dumps(answer))


def tell_no_folder(error: OSError) -> None:
    """Says at a session's start that there is no data directory to work in."""
    what = "use its folder " + paths.data_dir()
    say(lean_json.dumps({"systemMessage": UNKEPT % (what, error.strerror)}))


def context_text(start: "dict[str, str]", notices: "list[str]") -> str:
    """The project's context, read straight from the database."""
    from backstory.recall import context
    from backstory.storage.lean_sqlite import sqlite3

    facts = object_of(event.read_small(paths.HOOK_FACTS) or b"{}")
    rows, tokens = facts.get("context_observations", 50), facts.get("context_tokens", 2400)
    try:
        db = context.open_database(paths.DATABASE)
        if db is None:
            return ""
        return context.of_session(
            db, start["cwd"], start["project_dir"], rows, tokens, start["session"]
        )
    except sqlite3.Error as error:
        event.log_error("context", error)
        notices.append(
            "Backstory could not read its memory (%s). `backstory doctor` tells more."
            % type(error).__name__
        )
        return ""


def catch_up(start: "dict[str, str]") -> "tuple[list[str], str | None]":
    """Has a live worker empty the spool, or starts one; (what the user should know, the context).

    The context is None where no worker gave it in time: then this process reads it itself, which
    costs it 5 ms more.
    """
    if wire.is_quiet_time():
        return last_failure() or overdue(), None
    body = lean_json.dumps(start).encode("utf-8", "replace")
    try:
        status, data = wire.ask("POST", "/api/flush?version=" + __version__, body, FLUSH_S)
    except wire.Absent:
        return start_worker(start["cwd"]), None
    except wire.Unanswered:
        # perhaps it hangs: the launcher looks more patiently and replaces it if need be
        start_worker(start["cwd"])
        return overdue(), None
    if status != 200:
        return overdue(), None
    try:
        answer = object_of(data)
    except ValueError:
        return [], None  # what answered is no worker
    text = answer.get("context")
    notices = [str(answer["warning"])] if answer.get("warning") else []
    return notices, text if isinstance(text, str) else None


def start_worker(cwd: str) -> "list[str]":
    """Starts the worker; where the runtime is missing, this is where the user learns of it."""
    from backstory import runtime

    state, detail = runtime.state()
    spawn_worker(cwd)
    if state == "ready":
        return last_failure()
    if state == "failed":
        return [
            "Backstory cannot install its runtime: %s. Events are kept; `backstory doctor` "
            "tells more." % detail
        ]
    return [
        "Backstory is installing its runtime in the background, once%s. What happens meanwhile "
        "is kept." % (" (" + detail + ")" if detail else "")
    ]


def last_failure() -> "list[str]":
    """Why the worker could not start when it was last tried, for the user."""
    why = event.read_small(paths.WORKER_FAILURE).decode("utf-8", "replace").strip()
    return ["Backstory's worker could not start: %s" % why] if why else []


def overdue() -> "list[str]":
    """That a worker which does not answer has left events waiting, for the user."""
    from time import time

    from backstory.storage import spool

    oldest = spool.oldest(paths.SPOOL) / 1e9
    minutes = int((time() - oldest) / 60) if oldest else 0
    if minutes < OVERDUE_MINUTES:
        return []
    return [
        "Backstory's worker does not take in what is captured: events have been waiting for %d "
        "minutes. They are kept; `backstory restart` may help, `backstory doctor` tells more."
        % minutes
    ]


def user_prompt_submit(data: bytes) -> None:
    """Captures the prompt; the incognito command switches capturing off or on instead."""
    prompt = event.field(data, b"prompt").decode("utf-8", "replace").strip()
    if prompt.startswith(INCOGNITO_COMMAND):
        switch_incognito(data, prompt[len(INCOGNITO_COMMAND) :].strip())
        return
    event.capture(data)
    from backstory.hook import prompt as prompts

    if prompts.is_worth_asking(data, prompt):
        prompts.recall(data)
    else:
        ensure_worker(data)


def switch_incognito(data: bytes, argument: str) -> None:
    """Makes or removes the mark that every capture looks for."""

    session = event.field(data, b"session_id")
    if not session:
        return
    mark = event.incognito_mark(session)
    if argument.lower().startswith("off"):
        if os.path.exists(mark):
            os.unlink(mark)
        message = "Backstory remembers this session again, from now on."
    else:
        paths.make_private_dir(paths.INCOGNITO)
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
        message = (
            "Backstory: incognito. Nothing from here on is remembered in this session "
            "(/backstory:incognito off ends it). To forget what came before: "
            "backstory forget --session %s" % session.decode("utf-8", "replace")
        )
    say(lean_json.dumps({"systemMessage": message}))


def capture_and_ensure(data: bytes) -> None:
    """Captures, and has a worker take it in. Says nothing: Stop must stay silent.

    The next session may start within moments and is to know of this turn.
    """
    event.capture(data)
    if not wire.is_quiet_time() and not wire.nudge():
        spawn_worker(cwd_of(data))


def ensure_worker(data: bytes) -> None:
    """Starts the worker where nothing listens on its socket."""
    if not wire.is_quiet_time() and not wire.is_listening():
        spawn_worker(cwd_of(data))


def cwd_of(data: bytes) -> str:
    """The event's folder, without parsing."""
    return event.field(data, b"cwd").decode("utf-8", "replace")


def spawn_worker(cwd: str) -> None:
    """Starts the worker; a failure is logged. Bounds the spool, since no worker does it now."""
    from backstory.hook import spawn
    from backstory.storage import spool

    try:
        spool.mark_full(paths.SPOOL)
        spawn.start_worker(cwd)
    except OSError as error:
        event.log_error("the worker was not started", error)


def pre_tool_use(data: bytes) -> None:
    """Lets our own read-only tools run unasked, within the current project.

    hooks.json names these tools exactly. A call that names another project is left to the host's
    own permission rules.
    """
    tool = event.field(data, b"tool_name").decode("ascii", "replace")
    if tool in WRITING_TOOLS:
        refuse_unkept(data)
    if tool not in READ_ONLY_TOOLS:
        return

    from backstory import project

    payload = object_of(data)
    arguments = payload.get("tool_input") or {}
    if payload.get("tool_name") != tool or not isinstance(arguments, dict):
        return  # the name was found in the call's own words: the host decides
    asked: "list[object]" = []
    for name in ("project", "projects"):
        value = arguments.get(name)
        asked += value if isinstance(value, list) else [value]
    if any(one not in (None, "") for one in asked):
        folder = os.environ.get("CLAUDE_PROJECT_DIR", "")
        here = project.resolve(str(payload.get("cwd", "")), folder)
        names = (None, "", here.name, here.root, *here.keys)
        if any(one not in names for one in asked):
            return
    say(
        '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", '
        '"permissionDecisionReason": "Backstory: reading this project\'s own code or memory"}}'
    )


def refuse_unkept(data: bytes) -> None:
    """Refuses to write down what the user keeps out of memory."""
    why = event.is_incognito(data) and "session is incognito"
    why = why or (event.is_excluded(data) and "project is kept out of memory")
    if why:
        say(
            '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", '
            '"permissionDecisionReason": "This %s: nothing was written."}}' % why
        )


def object_of(data: bytes) -> "dict[str, Any]":
    """The JSON object in some bytes. Raises ValueError where there is none."""
    value = lean_json.loads(data)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def say(text: str) -> None:
    """Prints the one JSON document of this process."""
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(1, data) :]


HANDLERS = {
    "SessionStart": session_start,
    "UserPromptSubmit": user_prompt_submit,
    "PreToolUse": pre_tool_use,
    "PreCompact": capture_and_ensure,
    "Stop": capture_and_ensure,
}
