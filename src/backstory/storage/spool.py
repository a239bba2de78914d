"""The spool: one file an event, written before anything is understood. Thin: hooks load it.

A file is a header and the payload's bytes as they came:

    backstory-spool 1
    at=1796032298906330800      time of capture, Unix nanoseconds
    project_dir=/home/me/shop   CLAUDE_PROJECT_DIR, where the host set it
    cut=1234                    bytes left out in the middle, where there were too many

    {"session_id": …}

Files are written under a temporary name and renamed, so a reader never sees half an event, and
named by time, so that their order is the order of events.
"""

import os
import time

MAGIC = b"backstory-spool 1\n"
EVENT_LIMIT = 4_000_000  # bytes kept of one event, head and tail; a field keeps 64 KB in the end
SPOOL_LIMIT = 500_000_000  # bytes in all
SUFFIX = ".evt"
FULL = "FULL"  # its presence: the spool holds SPOOL_LIMIT bytes, drop what comes
BALLAST = "ballast"  # room set aside, given up when the disk is full
BALLAST_SIZE = 16_000_000
BAD = "bad"
BAD_KEPT_S = 24 * 3600
_VECTOR = 512  # pieces a system call; 1,024 is what they take at most


def write(folder: str, pieces: "list[bytes]", project_dir: str = "") -> None:
    """Adds one event, given in pieces.

    Raises OSError where the file cannot be written, also after the ballast was given up.
    """
    now = time.time_ns()
    header = b"at=%d\nproject_dir=%s\n" % (now, _one_line(project_dir))
    cut = sum(map(len, pieces)) - EVENT_LIMIT
    if cut > 0:
        pieces = _ends(pieces, EVENT_LIMIT // 2)
        header += b"cut=%d\n" % cut
    name = "%s/%020d-%d" % (folder, now, os.getpid())
    content = [MAGIC + header + b"\n", *pieces]
    try:
        _put(name, content)
    except OSError as error:
        if not _make_room(folder, error.errno):
            raise
        _put(name, content)


def _make_room(folder: str, errno: "int | None") -> bool:
    """Mends what kept a file from being written; whether another attempt makes sense."""
    if errno == 2:  # ENOENT: the first event of all
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return True
    if errno not in (28, 122):  # ENOSPC, EDQUOT: the ballast is there for this moment
        return False
    try:
        os.unlink(folder + "/" + BALLAST)
    except FileNotFoundError:
        pass  # perhaps another hook gave it up just now
    return True


def is_full(folder: str) -> bool:
    """Whether the spool holds all that it may."""
    return os.path.exists(folder + "/" + FULL)


def parse(data: bytes) -> "tuple[dict[str, str], bytes]":
    """(header, payload) of a spool file. Raises ValueError where it is not one."""
    if not data.startswith(MAGIC):
        raise ValueError("not a spool file")
    head, separator, payload = data[len(MAGIC) :].partition(b"\n\n")
    if not separator:
        raise ValueError("the header has no end")
    header = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b"=")
        header[key.decode("ascii", "replace")] = value.decode("utf-8", "surrogateescape")
    return header, payload


def pending(folder: str) -> "list[str]":
    """The names of the waiting events, oldest first."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except FileNotFoundError:
        return []


def oldest(folder: str) -> int:
    """When the oldest waiting event was captured, Unix nanoseconds; 0 where none waits."""
    times = [name.split("-")[0] for name in pending(folder)[:100]]
    return next((int(time) for time in times if time.isdecimal()), 0)


def usage(folder: str) -> "tuple[int, int]":
    """(number of waiting events, bytes in the spool with its temporary and bad files)."""
    count = size = 0
    for where in (folder, folder + "/" + BAD):
        try:
            entries = list(os.scandir(where))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.name != BALLAST and entry.is_file(follow_symlinks=False):
                    size += entry.stat(follow_symlinks=False).st_size
                    count += where == folder and entry.name.endswith(SUFFIX)
            except OSError:
                continue  # taken by the worker meanwhile
    return count, size


def mark_full(folder: str) -> bool:
    """Sets or clears the mark that stops hooks from writing; returns whether it is set."""
    full = usage(folder)[1] >= SPOOL_LIMIT
    mark = folder + "/" + FULL
    if full:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
    elif os.path.exists(mark):
        os.unlink(mark)
    return full


def _ends(pieces: "list[bytes]", size: int) -> "list[bytes]":
    """So many bytes of the head and of the tail, without joining what lies between."""
    head, tail = [], []
    left = size
    for piece in pieces:
        head.append(piece[:left])
        left -= len(head[-1])
        if not left:
            break
    left = size
    for piece in reversed(pieces):
        tail.append(piece[-left:])
        left -= len(tail[-1])
        if not left:
            break
    return head + tail[::-1]


def _one_line(text: str) -> bytes:
    return text.replace("\n", " ").encode("utf-8", "surrogateescape")


def _put(name: str, content: "list[bytes]") -> None:
    part = name + ".part"
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            for at in range(0, len(content), _VECTOR):
                _write_all(fd, content[at : at + _VECTOR])
        finally:
            os.close(fd)
        os.rename(part, name + SUFFIX)
    except OSError:
        try:
            os.unlink(part)
        except OSError:
            pass
        raise


def _write_all(fd: int, pieces: "list[bytes]") -> None:
    left = sum(map(len, pieces)) - os.writev(fd, pieces)
    if left:
        # the disk took a part only: the rest goes out piece by piece, or fails clearly
        data = memoryview(b"".join(pieces))[-left:]
        while data:
            data = data[os.write(fd, data) :]
