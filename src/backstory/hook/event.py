"""The event at hand: read as bytes, looked into without parsing, kept in the spool.

Next to nothing is imported: a bare interpreter costs 7 ms, `json` as much again.
"""

import os

from backstory import paths
from backstory.storage import spool

CHUNK = 1 << 16  # what a pipe holds
LARGE = 16  # pieces: from a megabyte on it pays to look before joining
READ_LIMIT = 64_000_000  # a payload beyond this is not read further

OWN_TOOLS = b"mcp__plugin_backstory_"


def read_input() -> "list[bytes]":
    """All of standard input, as bytes in pieces: joining eight megabytes costs 4 ms."""
    pieces = []
    size = 0
    while size < READ_LIMIT:
        piece = os.read(0, CHUNK)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return pieces


def head(pieces: "list[bytes]") -> bytes:
    """The first megabyte: the host's own fields come first, but a pipe may give them in crumbs."""
    size = count = 0
    while count < len(pieces) and size < LARGE * CHUNK:
        size += len(pieces[count])
        count += 1
    return b"".join(pieces[:count])


def without_private(pieces: "list[bytes]") -> "list[bytes]":
    """The event without the text that the user keeps private."""
    if len(pieces) > LARGE and not names_private(pieces):
        return pieces
    data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    low = data.lower()
    if b"private" not in low and b"\\u00" not in low:
        return [data]  # nothing names a tag: its module need not be loaded
    from backstory.sanitize import private

    return [private.cut_private(data)] if private.holds_private(data) else [data]


def names_private(pieces: "list[bytes]") -> bool:
    """Whether a tag's name may be there: the quick look at large events.

    Piece by piece, since what fits the processor's cache is looked through several times as fast.
    Letters spelled as escapes, which no host writes, are looked for in small events only.
    """
    before = b""
    for piece in pieces:
        low = piece.lower()
        if b"private" in low or b"private" in before + low[:6]:
            return True
        before = (before + low[-6:])[-6:]
    return False


def field(data: bytes, name: bytes) -> bytes:
    """The first string value of that name, without parsing.

    The host writes its own fields before the tool's, and a quote inside a JSON string is escaped,
    so the first match is the host's. b"" where there is none.
    """
    mark = b'"' + name + b'"'
    at = data.find(mark)
    if at < 0:
        return b""
    rest = data[at + len(mark) : at + len(mark) + 4200].lstrip(b" \t\r\n")
    if rest[:1] != b":":
        return b""
    rest = rest[1:].lstrip(b" \t\r\n")
    if rest[:1] != b'"':
        return b""
    end = rest.find(b'"', 1)
    return rest[1:end] if end > 0 else b""


def enter_data_dir() -> None:
    """Makes the data directory the current folder, and the folder itself where it is missing."""
    folder = paths.data_dir()
    try:
        os.chdir(folder)
    except FileNotFoundError:
        paths.make_private_dir(folder)
        os.chdir(folder)


def capture(data: bytes, pieces: "list[bytes] | None" = None) -> str:
    """Puts the event into the spool, private text cut out; what failed, "" for nothing.

    data: the event's beginning, with the host's own fields; pieces: all of it, where that is more.
    """
    # a batch may hold others' calls beside ours: the worker tells them apart
    if field(data, b"tool_name").startswith(OWN_TOOLS) and b'"tool_calls"' not in data:
        return ""
    if is_incognito(data) or is_excluded(data):
        return ""
    if spool.is_full(paths.SPOOL):
        log("the spool is full: an event was dropped")
        return "its spool is full"
    kept = without_private([data] if pieces is None else pieces)
    try:
        spool.write(paths.SPOOL, kept, os.environ.get("CLAUDE_PROJECT_DIR", ""))
    except OSError as error:
        # whatever else this process is for goes on: context and worker need no free disk
        log_error("an event could not be kept", error)
        return error.strerror or type(error).__name__
    return ""


def is_incognito(data: bytes) -> bool:
    """Whether the user switched remembering off for this session."""
    if os.environ.get("BACKSTORY_INCOGNITO", "0") not in ("", "0"):
        return True
    session = field(data, b"session_id")
    return bool(session) and os.path.exists(incognito_mark(session))


def incognito_mark(session: bytes) -> str:
    """The file whose presence makes a session incognito."""
    safe = "".join(
        c if c.isalnum() or c in "-_" else "_" for c in session.decode("utf-8", "replace")
    )
    return paths.INCOGNITO + "/" + safe[:120]


def is_excluded(data: bytes) -> bool:
    """Whether the user's settings keep this project or tool out of memory."""
    facts = read_small(paths.HOOK_FACTS)
    # the worker writes these lists on one line; empty ones are the rule and need no parser
    if not facts or (b'"excluded_projects": []' in facts and b'"skipped_tools": []' in facts):
        return False
    from backstory.hook import exclusions

    tool, cwd = field(data, b"tool_name"), field(data, b"cwd")
    return exclusions.excluded(facts, tool, cwd, os.environ.get("CLAUDE_PROJECT_DIR", ""))


def read_small(path: str) -> bytes:
    """The bytes of a small file; b"" where there is none."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(fd, 262144)
    finally:
        os.close(fd)


def log_error(what: str, error: Exception) -> None:
    """A failure in hooks.log, without what it was about."""
    from backstory.errors import describe

    log("%s: %s" % (what, describe(error)))


def log(line: str) -> None:
    """One line in hooks.log: what failed, never what was captured."""
    import time

    text = "%s %s\n" % (
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        line[:300].replace("\n", " "),
    )
    try:
        if not os.path.isdir(paths.LOGS):
            paths.make_private_dir(paths.LOGS)
        if os.path.exists(paths.HOOKS_LOG) and os.stat(paths.HOOKS_LOG).st_size > 1_000_000:
            os.replace(paths.HOOKS_LOG, paths.HOOKS_LOG + ".1")
        fd = os.open(paths.HOOKS_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(fd, text.encode("utf-8", "replace"))
        finally:
            os.close(fd)
    except OSError:
        pass
