"""How the launcher tells what went wrong: in the shapes and exit codes of its commands."""

from __future__ import annotations

import json
import os
import sys

from backstory.errors import BackstoryError

USAGE = 64  # a call that cannot be understood; 2 means that something is degraded


def refuse(error: BackstoryError, *, as_json: bool, status: int = 1) -> int:
    """Says what is wrong and what to do; the exit code."""
    if as_json:
        print(json.dumps(error.as_json()))
    print(f"backstory: {error.message}", file=sys.stderr)
    if error.hint:
        print(error.hint, file=sys.stderr)
    return status


def open_standard_streams() -> None:
    """Gives a process whose standard streams were closed the null device in their place.

    Otherwise the first file that is opened becomes the standard output.
    """
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            os.set_inheritable(descriptor, True)
        if getattr(sys, name) is None:
            stream = os.fdopen(descriptor, mode, encoding="utf-8", closefd=False)
            setattr(sys, name, stream)
