"""One question to the worker: raw HTTP over its Unix socket. No http.client: that costs 15 ms.

The caller has made the data directory its current folder, so the socket's path stays short
whatever the folder is called (108 bytes is all that a Unix socket's path may have).
"""

import _socket
import os
import time

from backstory import paths

QUIET_S = 30.0  # after an unanswered question, hooks do not ask for this long


class Absent(Exception):
    """Nothing listens on the socket."""


class Unanswered(Exception):
    """Something listens, and did not answer in time."""


def is_listening(timeout: float = 0.1) -> bool:
    """Whether something accepts connections on the socket; that it answers is another matter."""
    try:
        _connect(timeout).close()
    except Absent:
        return False
    except Unanswered:
        pass
    return True


def nudge(timeout: float = 0.1) -> bool:
    """Has the worker look at the spool now rather than within half a second; whether it is there.

    Nobody waits for the answer: the worker works on after the connection has gone.
    """
    try:
        sock = _connect(timeout)
    except Absent:
        return False
    except Unanswered:
        return True
    try:
        sock.sendall(
            b"POST /api/flush?seconds=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"Content-Length: 0\r\n\r\n"
        )
    except OSError:
        pass  # it will look by itself
    sock.close()
    return True


def is_quiet_time() -> bool:
    """Whether a question went unanswered a moment ago."""
    try:
        age = time.time() - os.stat(paths.ASK_STAMP).st_mtime
    except OSError:
        return False
    return 0 <= age < QUIET_S


def ask(
    method: str, path: str, body: bytes = b"", timeout: float = 0.3, stamp: bool = True
) -> "tuple[int, bytes]":
    """(HTTP status, body) of one request.

    timeout: seconds for all of it. Raises Absent, or Unanswered after leaving the stamp that
    keeps the next hooks from asking (`stamp`).
    """
    deadline = time.monotonic() + timeout
    head = (
        "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    ) % (method, path, len(body))
    try:
        sock = _connect(timeout)
        try:
            sock.sendall(head.encode("ascii") + body)
            data = _receive(sock, deadline)
        finally:
            sock.close()
    except (Unanswered, OSError):
        if stamp:
            leave_stamp()
        raise Unanswered from None
    status, _, rest = data.partition(b"\r\n\r\n")
    words = status.split(b" ", 2)
    if len(words) < 2 or not words[1].isdigit():
        if stamp:
            leave_stamp()
        raise Unanswered
    return int(words[1]), rest


def _connect(timeout: float) -> "_socket.socket":
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    sock.settimeout(timeout)
    try:
        sock.connect(paths.SOCKET)
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
        sock.close()
        raise Absent from None
    except OSError:
        # EAGAIN: its queue of connections is full, so something is there and takes none
        sock.close()
        raise Unanswered from None
    return sock


def _receive(sock: "_socket.socket", deadline: float) -> bytes:
    chunks: "list[bytes]" = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise Unanswered
        sock.settimeout(left)
        chunk = sock.recv(65536)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)


def leave_stamp() -> None:
    """Marks the time of an unanswered question; the data directory is the current folder."""
    try:
        os.close(os.open(paths.ASK_STAMP, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except OSError:
        pass
