"""Which files a session has read or written: one empty file each, so that no Read is refused twice.

The marks are files of the data directory, the current folder, and not rows: they hold when the
worker is dead, and of ten Reads at once exactly one makes a mark that was not there before.
"""

import os

from backstory import paths


def folder_of(session: str) -> str:
    """Where the marks of a session lie."""
    return (
        paths.SEEN + "/" + ("".join(c if c.isalnum() or c in "-_" else "_" for c in session))[:80]
    )


def mark_of(session: str, agent: str, path: str) -> str:
    """The mark of a file, by its real path; each agent has its own."""
    from _blake2 import blake2b  # hashlib would cost more than the rest of this

    what = (agent + "\0" + os.path.realpath(path)).encode("utf-8", "surrogateescape")
    return folder_of(session) + "/" + blake2b(what, digest_size=12).hexdigest()


def is_seen(mark: str) -> bool:
    """Whether the file was read, written or refused before."""
    return os.path.exists(mark)


def leave(mark: str) -> bool:
    """Makes the mark; whether it was not there, and is now. Never raises."""
    for _ in range(2):
        try:
            os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileNotFoundError:
            try:
                paths.make_private_dir(os.path.dirname(mark))
            except OSError:
                return False
        except OSError:
            return False
        else:
            return True
    return False
