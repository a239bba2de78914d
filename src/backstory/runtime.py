"""Where the runtime lies and what state it is in; it never builds. Thin: the relay loads it.

A runtime is a venv in the per-user folder. Its name is made from the lock file and the Python it
was built with, so that a changed lock is a new runtime and an old one goes on serving whoever
still runs in it. It counts only when its `.ready` file is there, which the builder writes last.
"""

import os
import sys

from backstory import paths

LOCK = "requirements.lock"
DEV_LOCK = "requirements-dev.lock"
READY = ".ready"
IN_USE = ".in-use"  # every process in the runtime holds a shared lock on it
OLDEST_MINOR = 11
NEWEST_MINOR = 14  # the locked grammars have no wheels for later ones
RETRY_SECONDS = 600  # how long a failed build keeps the hooks from trying again


def runtimes_dir() -> str:
    """The folder that holds all runtimes, and the builder's log, lock and progress."""
    return paths.base_dir() + "/runtime"


def file_in(name: str) -> str:
    """The path of one of the builder's files: build.lock, build.log, progress, failed."""
    return runtimes_dir() + "/" + name


def name_for(lock: str, minor: int) -> str:
    """The name of the runtime that `lock` (a file name in the plugin) has on Python 3.`minor`.

    Raises OSError when the plugin's folder is gone.
    """
    import hashlib

    with open(os.path.join(paths.plugin_root(), lock), "rb") as file:
        content = file.read()
    return hashlib.sha256(content + b"\n3.%d\n" % minor).hexdigest()[:16]


def path_for(lock: str, minor: int) -> str:
    """The folder of that runtime, whether it exists or not."""
    return runtimes_dir() + "/" + name_for(lock, minor)


def python_in(folder: str) -> str:
    """The interpreter of the runtime in `folder`."""
    return folder + "/bin/python"


def is_ready(folder: str) -> bool:
    """Whether `folder` holds a whole runtime whose interpreter is still there."""
    return os.path.exists(folder + "/" + READY) and os.access(python_in(folder), os.X_OK)


def find(lock: str = LOCK) -> str:
    """The folder of a ready runtime for `lock`, "" where there is none."""
    own = sys.version_info[1]
    minors = [m for m in range(OLDEST_MINOR, NEWEST_MINOR + 1) if m != own]
    if OLDEST_MINOR <= own <= NEWEST_MINOR:
        minors.insert(0, own)
    for minor in minors:
        folder = path_for(lock, minor)
        if is_ready(folder):
            return folder
    return ""


def read_line(name: str) -> str:
    """The first line of one of the builder's files, "" where there is none."""
    try:
        with open(file_in(name), encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


def building() -> bool:
    """Whether a builder is at work: it holds an exclusive lock for as long as it lives."""
    import fcntl

    try:
        handle = os.open(file_in("build.lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(handle)
    return False


def failure(lock: str = LOCK) -> "tuple[float, str]":
    """When the last build of this lock failed (Unix seconds) and why; (0, "") where none did."""
    words = read_line("failed").split(" ", 2)
    try:
        if len(words) == 3 and words[0] == name_for(lock, 0):
            return float(words[1]), words[2]
    except (OSError, ValueError):
        pass
    return 0.0, ""


def state(lock: str = LOCK) -> "tuple[str, str]":
    """("ready", folder), ("building", progress), ("failed", why) or ("absent", "")."""
    try:
        folder = find(lock)
    except OSError as error:
        return "failed", "the plugin's folder cannot be read: " + str(error)
    if folder:
        return "ready", folder
    if building():
        return "building", read_line("progress")
    why = failure(lock)[1]
    return ("failed", why) if why else ("absent", "")
