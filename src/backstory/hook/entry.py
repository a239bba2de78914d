"""What every hook process does: read the event, keep it, and only then think."""

import _signal  # type: ignore[import-not-found]  # `signal` costs an enum; no stubs for this
import os
import sys

from backstory import paths
from backstory.hook import event

DEADLINE_S = 4  # for the whole process; the host would wait ten minutes
MARKER = paths.CHILD

# What is only captured. The others have a row in handlers.HANDLERS.
CAPTURED = (
    b"PostToolUse",
    b"PostToolUseFailure",
    b"PostToolBatch",
    b"SubagentStart",
    b"SubagentStop",
    b"PostCompact",
    b"StopFailure",
    b"SessionEnd",
)
GATED = (b"Read", b"Bash")
# Whose file is known to the session afterwards, also where the host refused the edit.
WRITERS = (b"Edit", b"Write", b"MultiEdit", b"NotebookEdit")


def main() -> None:
    """Handles the event on standard input."""
    env = os.environ
    if env.get("BACKSTORY_DISABLED", "0") not in ("", "0") or env.get(MARKER):
        return
    _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
    _signal.alarm(DEADLINE_S)
    pieces = event.read_input()
    data = event.head(pieces)
    name = event.field(data, b"hook_event_name")
    if not name:
        return
    if sys.argv[1:] == ["removed"]:
        from backstory.hook import removed

        if not removed.begins_anew(name, event.field(data, b"source")):
            return
    try:
        event.enter_data_dir()
    except OSError as error:
        if name == b"SessionStart":
            from backstory.hook import handlers

            handlers.tell_no_folder(error)
        return
    try:
        if name in CAPTURED:
            event.capture(data, pieces)
            if event.field(data, b"tool_name") in WRITERS:
                from backstory.hook import read_gate

                read_gate.note_written(data)
        elif name == b"PreToolUse" and event.field(data, b"tool_name") in GATED:
            from backstory.hook import read_gate

            read_gate.consider(data)
        else:
            from backstory.hook import handlers

            handlers.handle(name.decode("ascii", "replace"), b"".join(pieces))
    except Exception as error:  # noqa: BLE001  the door: nothing of ours may reach the session
        event.log_error(name.decode("ascii", "replace"), error)
