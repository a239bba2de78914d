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
EVENT_LIMIT = 8_000_000  # bytes kept of one event, head and tail
SPOOL_LIMIT = 500_000_000  # bytes in all
SUFFIX = ".evt"
FULL = "FULL"  # its presence: the spool holds SPOOL_LIMIT bytes, drop what comes
BALLAST = "ballast"  # room set aside, given up when the disk is full
BALLAST_SIZE = 16_000_000
BAD = "bad"
BAD_KEPT_S = 24 * 3600


def write(folder: str, payload: bytes, project_dir: str = "") -> bool:
    """Adds one event. False: the spool is full and the event was dropped.

    Raises OSError where the file cannot be written, also after the ballast was given up.
    """
    now = time.time_ns()
    cut = len(payload) - EVENT_LIMIT
    if cut > 0:
        half = EVENT_LIMIT // 2
        payload = payload[:half] + payload[-half:]
    header = b"at=%d\nproject_dir=%s\n" % (now, _one_line(project_dir))
    if cut > 0:
        header += b"cut=%d\n" % cut
    name = "%s/%020d-%d" % (folder, now, os.getpid())
    try:
        _put(name, MAGIC + header + b"\n", payload)
    except FileNotFoundError:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _put(name, MAGIC + header + b"\n", payload)
    except OSError as error:
        # ENOSPC, EDQUOT: the ballast is there for this moment
        if error.errno not in (28, 122):
            raise
        os.unlink(folder + "/" + BALLAST)
        _put(name, MAGIC + header + b"\n", payload)
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


def _one_line(text: str) -> bytes:
    return text.replace("\n", " ").encode("utf-8", "surrogateescape")


def _put(name: str, header: bytes, payload: bytes) -> None:
    part = name + ".part"
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            # two writes: joining would copy eight megabytes once more
            _write_all(fd, header)
            _write_all(fd, payload)
        finally:
            os.close(fd)
        os.rename(part, name + SUFFIX)
    except OSError:
        try:
            os.unlink(part)
        except OSError:
            pass
        raise


def _write_all(fd: int, data: bytes) -> None:
    done = os.write(fd, data)
    if done < len(data):
        view = memoryview(data)
        while done < len(data):
            done += os.write(fd, view[done:])
