"""What a path that leads nowhere may have meant, and what a folder holds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from heapq import nlargest
from itertools import islice, pairwise

Allowed = Callable[[str], bool]  # whether an absolute path may be named; folders end with "/"

_MOST = 5  # names that are told
_LISTED = 12  # of a folder
_FILES = 20_000  # looked at in a workspace
_COMPARED = 100
_SORTED = 100
_SECONDS = 0.3
_CUTOFF = 0.65
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "site-packages", "venv", "vendor"})


def names(path: str, roots: Sequence[str], allowed: Allowed) -> list[str]:
    """Files that an absolute path may have meant, the likeliest first, at most five.

    First those of the same name elsewhere in the workspace, or spelled almost so beside it.
    """
    wanted = os.path.basename(path)
    files = list(_files(roots, time.monotonic() + _SECONDS))
    same = [one for one in files if os.path.basename(one).lower() == wanted.lower()]
    same = sorted(same[:_SORTED], key=lambda one: _likeness(one, path), reverse=True)
    beside = _close(wanted, _entries(os.path.dirname(path)))
    elsewhere = [] if same else _close(wanted, files)
    found = dict.fromkeys((*same, *beside, *elsewhere))
    return list(islice(filter(allowed, found), _MOST))


def listing(folder: str, allowed: Allowed) -> tuple[list[str], int]:
    """The first names in a folder (its folders end with "/"), and how many there are."""
    start = len(folder.rstrip("/")) + 1
    found = sorted(_entries(folder), key=lambda one: (one.endswith("/"), one))
    first = list(islice(filter(allowed, found), _LISTED + 1))
    is_all = len(first) <= _LISTED
    return [one[start:] for one in first[:_LISTED]], len(first) if is_all else len(found)


def _likeness(one: str, path: str) -> tuple[int, float]:
    """How near two files of one name are: by the folders that they share, then by spelling."""
    shared = os.path.commonpath((one, path)).count("/")
    return shared, SequenceMatcher(None, one, path).ratio()


def _close(wanted: str, paths: Sequence[str]) -> list[str]:
    """The paths whose last part is spelled almost as wanted."""
    by_name: dict[str, str] = {}
    for path in paths:
        by_name.setdefault(os.path.basename(path.rstrip("/")).lower(), path)
    wanted = wanted.lower()
    pairs = _pairs(wanted)
    # a rough look at all of them first: the exact one takes long
    some = nlargest(_COMPARED, by_name, key=lambda name: len(pairs & _pairs(name)) - len(name) / 9)
    return [by_name[name] for name in get_close_matches(wanted, some, 3 * _MOST, _CUTOFF)]


def _pairs(name: str) -> set[str]:
    return {*map("".join, pairwise(name))}


def _entries(folder: str) -> list[str]:
    """What is in a folder, its folders with a slash at their end; of very many, some."""
    try:
        with os.scandir(folder) as entries:
            return [one.path + "/" * _is_folder(one) for one in islice(entries, _FILES)]
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    if entry.is_symlink():
        return os.path.isdir(entry.path)  # a circle of links is none
    return entry.is_dir()


def _files(roots: Sequence[str], deadline: float) -> Iterator[str]:
    """Files of the workspace, those near its top first, until there are enough of them."""
    seen = 0
    folders = list(roots)
    for folder in folders:  # grows while it is read
        for path in _entries(folder):
            name = os.path.basename(path.rstrip("/"))
            if not path.endswith("/"):
                yield path
                seen += 1
            elif name[0] != "." and name not in _PASSED_OVER and not os.path.islink(path[:-1]):
                folders.append(path[:-1])
        if seen >= _FILES or time.monotonic() > deadline:
            return
