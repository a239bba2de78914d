"""The mark that `uninstall` leaves: sessions that still run must not start everything again.

It lies in /tmp and not in the user's folders, from which everything of ours has gone. The next
session that starts lifts it, as long as the plugin is installed; so does a command that needs the
runtime. Thin: hook processes load it, and only on a machine without a recorded interpreter.
"""

import os

from backstory import paths

FOLDER = "/tmp"  # noqa: S108  the same for every process, whatever TMPDIR says; checked by owner


def mark() -> str:
    """The mark's path; each per-user folder has its own."""
    import zlib

    return "%s/backstory-removed-%d-%08x" % (
        FOLDER,
        os.getuid(),
        zlib.crc32(os.fsencode(paths.base_dir())),
    )


def is_marked() -> bool:
    """Whether `uninstall` ran, and nothing was begun since. Only the user's own mark counts."""
    try:
        found = os.lstat(mark())
    except OSError:
        return False
    return found.st_uid == os.getuid()


def leave() -> str:
    """Makes the mark; its path, "" where it cannot be made."""
    path = mark()
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    except OSError:
        return ""
    return path


def lift() -> None:
    """Removes the mark."""
    try:
        os.unlink(mark())
    except OSError:
        pass


def begins_anew(event: bytes, source: bytes) -> bool:
    """Whether an event is a session's start, which lifts the mark; nothing else of it does."""
    if event != b"SessionStart" or source not in (b"startup", b"resume"):
        return False
    lift()
    return True
