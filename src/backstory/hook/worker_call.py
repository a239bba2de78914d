"""One tool call to the worker, which is started where none listens. Thin: the relay loads it.

The caller has made the data directory its current folder, so that the socket's path is short.
"""

import _socket
import time

from backstory import paths
from backstory.hook import lean_json, wire

DEADLINE_S = 30.0  # of one call, with the start of a worker
START_S = 10.0  # how long a worker may take to listen
POLL_S = 0.03
ANSWER_LIMIT = 8_000_000  # bytes; the worker's own answers stay far below
DOCTOR = "run `backstory doctor` in a terminal, or try again"
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/")


class Lost(Exception):
    """The worker took the call and gave no usable answer; the message says why."""


class Late(Exception):
    """The deadline passed."""


def headers(project_dir: str, cwd: str, roots: str, relay: str, config_dir: str = "") -> str:
    """The header lines that tell the worker who calls. roots: a JSON list of addresses."""
    named = (
        ("project-dir", project_dir),
        ("cwd", cwd),
        ("roots", roots),
        ("relay", relay),
        ("config-dir", config_dir),
    )
    return "".join("x-backstory-%s: %s\r\n" % (name, quote(value)) for name, value in named)


def quote(text: str) -> str:
    """Percent-encoded UTF-8; urllib would cost a third of the relay's start."""
    return "".join(
        chr(byte) if byte in _PLAIN else "%%%02X" % byte
        for byte in text.encode("utf-8", "surrogateescape" if _is_encodable(text) else "replace")
    )


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def call(params: "dict[str, object]", head: str, cwd: str) -> "dict[str, object]":
    """The worker's answer to tools/call: {"result": …} or {"error": …}. Never raises.

    cwd: the host's folder, which a worker that must be started does not take PATH entries from.
    """
    deadline = time.monotonic() + DEADLINE_S
    body = encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    try:
        try:
            return post(body, head, deadline)
        except wire.Absent:
            # nobody can have seen the call, so it may be sent again
            problem = start(cwd, deadline)
            return failure(problem) if problem else post(body, head, deadline)
    except Late:
        _replace_hung(cwd)
        return failure(
            "the call took longer than %d s; narrow the scope, or %s" % (DEADLINE_S, DOCTOR)
        )
    except wire.Absent:
        return failure("the worker does not start; " + DOCTOR)
    except Lost as error:
        return failure("%s; %s" % (error, DOCTOR))
    except OSError as error:
        return failure("the worker cannot be reached (%s); %s" % (error.strerror, DOCTOR))


def failure(text: str) -> "dict[str, object]":
    """A result that tells the model what went wrong and what to do."""
    content = [{"type": "text", "text": "Error: " + text}]
    return {"result": {"content": content, "isError": True}}


def start(cwd: str, deadline: float) -> str:
    """Starts a worker and waits until it listens; what to tell instead, where it cannot."""
    from backstory import runtime
    from backstory.hook import event, removed, spawn

    if removed.is_marked():
        return "Backstory was uninstalled; as long as its plugin is there, a new session starts it"
    event.enter_data_dir()  # it may have been removed and made anew
    state, detail = runtime.state()
    if state != "building":
        spawn.start_worker(cwd)
    if state == "failed":
        return "Backstory's runtime cannot be installed: %s; %s" % (detail, DOCTOR)
    if state != "ready":
        progress = " (%s)" % detail if detail else ""
        return "Backstory is still being installed%s; try again in a minute" % progress
    until = min(deadline, time.monotonic() + START_S)
    while not wire.is_listening():
        if time.monotonic() > until:
            return "the worker does not start; " + DOCTOR
        time.sleep(POLL_S)
    return ""


def _replace_hung(cwd: str) -> None:
    """Has the launcher look at the worker, which it replaces if it answers nobody."""
    from backstory.hook import spawn

    try:
        spawn.start_worker(cwd)
    except OSError:
        pass


def post(body: bytes, head: str, deadline: float) -> "dict[str, object]":
    """Sends one request. Raises wire.Absent, Lost, Late, OSError."""
    request = (
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "%sContent-Length: %d\r\n\r\n"
    ) % (head, len(body))
    sock = _connect(deadline)
    try:
        sock.settimeout(_left(deadline))
        sock.sendall(request.encode("ascii") + body)
        data = _receive(sock, deadline)
    except _socket.timeout:
        raise Late from None
    except (ConnectionResetError, BrokenPipeError):
        raise Lost("the worker ended during the call") from None
    finally:
        sock.close()
    return _parse(data)


def encode(message: object) -> bytes:
    """JSON as UTF-8; lone surrogates, which no JSON text may hold, are replaced."""
    return lean_json.dumps(message).encode("utf-8", "replace")


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise Late
    return left


def _connect(deadline: float) -> "_socket.socket":
    while True:
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        sock.settimeout(_left(deadline))
        try:
            sock.connect(paths.SOCKET)
        except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
            sock.close()
            raise wire.Absent from None
        except BlockingIOError:  # its queue of connections is full
            sock.close()
            time.sleep(POLL_S)
        except _socket.timeout:
            sock.close()
            raise Late from None
        else:
            return sock


def _receive(sock: "_socket.socket", deadline: float) -> bytes:
    chunks = []
    size = 0
    while size < ANSWER_LIMIT:
        sock.settimeout(_left(deadline))
        chunk = sock.recv(65536)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _parse(data: bytes) -> "dict[str, object]":
    head, separator, body = data.partition(b"\r\n\r\n")
    words = head.split(None, 2)
    if not separator or len(words) < 2 or not words[0].startswith(b"HTTP/"):
        raise Lost("the worker ended during the call" if not data else "what answered is no worker")
    status = words[1].decode("ascii", "replace")
    try:
        answer = lean_json.loads(body)
    except ValueError:
        raise Lost("the worker answered HTTP %s without JSON" % status) from None
    if isinstance(answer, dict):
        if isinstance(answer.get("result"), dict):
            return {"result": answer["result"]}
        error = answer.get("error")
        if isinstance(error, dict) and isinstance(error.get("code"), int):
            return {"error": error}
        if isinstance(error, dict):  # the shape of the HTTP API
            said = [str(error[name]) for name in ("message", "hint") if error.get(name)]
            return failure("; ".join(said) or "HTTP " + status)
    raise Lost("the worker answered HTTP %s without a result" % status)
