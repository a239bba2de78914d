"""A file's text, read once and whole, if it is text and may be read."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from io import FileIO

from backstory.codenav import decoding, guard, near, secret_files
from backstory.codenav.permissions import Rules
from backstory.errors import BackstoryError, BadInput, Busy, Forbidden, NotFound

MAX_BYTES = 20_000_000
_TRIES = 3  # of a file that changes while it is read


@dataclass(frozen=True, slots=True)
class Source:
    """What a file held at one moment."""

    path: str  # real and absolute
    shown: str  # relative to its root, printable
    text: str  # with its own line ends, without a byte order mark
    encoding: str  # "utf-8"; ", guessed" or ", damaged" is added where it is so
    size: int  # bytes
    mtime_ns: int
    digest: str  # SHA-256 of its bytes


def read(path: str, roots: Sequence[str], rules: Rules, cwd: str = "") -> Source:
    """The file that `path` means, as `guard.resolve` finds it.

    Raises what that raises, and BadInput for a folder, for binary data and for more than 20 MB,
    Forbidden for what the system keeps back, Busy for a file that changes all the time.
    """
    place = guard.resolve(path, roots, rules, cwd)
    if place.is_folder:
        raise _folder(place, rules)
    data, found = _bytes(place)
    try:
        text, encoding = decoding.decode(data)
    except BadInput:
        raise BadInput(
            f"{place.shown} is binary: {found.st_size:,} bytes, no text",
            hint="name a file of text; use Read for images, PDFs and the like",
        ) from None
    if secret_files.by_text(place.path, text):
        raise guard.secret(place.shown)
    digest = hashlib.sha256(data).hexdigest()
    return Source(place.path, place.shown, text, encoding, len(data), found.st_mtime_ns, digest)


def _bytes(place: guard.Place) -> tuple[bytes, os.stat_result]:
    """The file's bytes, and what it was when they were read. Raises."""
    for _ in range(_TRIES):
        try:
            # never waits for a pipe that took the file's place, never follows a link to elsewhere
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY
            descriptor = os.open(place.path, flags)
        except OSError as error:
            raise _refused(place, error) from None
        with open(descriptor, "rb", buffering=0) as file:
            before = os.fstat(descriptor)
            if not _is_same(place, before):
                continue  # another file took its place: that one is read
            data = _whole(file, before.st_size)
            after = os.fstat(descriptor)
            # what only grows, a log, is the same when it is read again
            is_steady = _moment(before) == _moment(after) or (
                after.st_size > before.st_size
                and file.seek(0) == 0
                and _whole(file, before.st_size) == data
            )
        if is_steady and len(data) == before.st_size:
            return data, before
    raise Busy(f"{place.shown} is being written", hint="try again when it is done")


def _whole(file: FileIO, size: int) -> bytes:
    data = bytearray()
    while len(data) < size and (piece := file.read(size - len(data))):
        data += piece
    return bytes(data)


def _is_same(place: guard.Place, opened: os.stat_result) -> bool:
    """Whether what was opened is the regular file that stands at its real path now.

    Raises BadInput where it is too large.
    """
    try:
        now = os.lstat(place.path)
    except OSError:
        return False
    if not stat.S_ISREG(opened.st_mode) or not os.path.samestat(now, opened):
        return False
    if opened.st_size > MAX_BYTES:
        raise BadInput(
            f"{place.shown} is too large: {opened.st_size / 1e6:,.1f} MB of at most "
            f"{MAX_BYTES / 1e6:.0f}",
            hint="read a part of it: Read with offset and limit, or grep",
        )
    return os.path.realpath(place.path) == place.path


def _moment(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _refused(place: guard.Place, error: OSError) -> BackstoryError:
    if error.errno in (errno.EACCES, errno.EPERM):
        return guard.refused_by_system(place.shown)
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
        return NotFound(f"{place.shown} went away while it was opened", hint="try again")
    return Forbidden(f"the system cannot read {place.shown}: {error.strerror}", hint="try again")


def _folder(place: guard.Place, rules: Rules) -> BadInput:
    names, count = near.listing(place.path, lambda one: not guard.refusal(one, rules))
    if not count:
        return BadInput(f"{place.shown} is a folder without files", hint="name a file")
    first = ", ".join(guard.shown_as(name) for name in names)
    more = f" and {count - len(names)} more" if count > len(names) else ""
    return BadInput(f"{place.shown} is a folder", hint=f"name one of its files: {first}{more}")
