"""Which files a shell command prints, whole or in large part."""

from __future__ import annotations

import posixpath

from backstory.capture.rules import shell

_PRINTERS = ("cat", "bat", "head", "sed", "less", "more", "nl")
_FEW_LINES = 120  # what prints no more of a file than this reads only a part of it
_MOST = 5


def printed(command: str, cwd: str) -> list[str]:
    """The files that a command prints whole or in large part, absolute, as far as can be told."""
    found = []
    for one in shell.parse(command):
        if one.program not in _PRINTERS or one.joined == "|":
            continue
        paths = list(one.arguments)
        if one.program == "sed":
            if "-n" not in one.words or not paths or _few(paths.pop(0)):
                continue
        elif one.program == "head":
            number = one.option("-n", "--lines") or "10"
            paths = [path for path in paths if path != number]
            if number.isdecimal() and int(number) <= _FEW_LINES:
                continue
        here = posixpath.join(cwd, one.folder)
        found += [posixpath.normpath(posixpath.join(here, path)) for path in paths]
    return found[:_MOST]


def _few(script: str) -> bool:
    """Whether a sed script prints few lines: `10,40p`."""
    first, _, last = script.rstrip("p").partition(",")
    if not first.isdecimal():
        return False
    return not last or (last.isdecimal() and int(last) - int(first) < _FEW_LINES)
