"""Which files a workspace has: what git lists, else what its folders hold and no ignore file hides.

Links are never followed, so nothing outside the root is listed.
"""

from __future__ import annotations

import math
import os
import re
import stat
import subprocess
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

from backstory import project
from backstory.codenav import guard
from backstory.codenav.permissions import Rules

MOST_FILES = 100_000
_GIT_S = 10.0
_GIT_SHARE = 0.6  # of the time that is left; the rest is for what git knows without looking
_CHECKED = 256  # files between two looks at the clock
_MOST_NESTED = 20  # repositories within a repository
_GIT = (
    *("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("ls-files", "-z", "--deduplicate", "-c"),
)
_UNTRACKED = ("-o", "--exclude-standard")
_NEVER = frozenset(
    (
        *(".git", ".hg", ".svn", ".bzr", "CVS", "__pycache__", ".mypy_cache", ".pytest_cache"),
        *(".ruff_cache", ".tox", ".nox", ".gradle", ".idea", ".terraform", ".eggs", ".DS_Store"),
    )
)
_VENDORED = re.compile(
    r"(?:^|/)(?:node_modules|bower_components|vendor|vendored|_vendor|third[_-]?party|3rdparty"
    r"|external|externals|extern|site-packages|dist-packages|Pods|Carthage|\.?v?env\d*|dist|deps"
    r")/"
)


@dataclass(slots=True)
class Kept:
    """What one listing of a root leaves to the next."""

    refusals: dict[str, str] = field(default_factory=dict)  # by path, "" for none: by the rules
    said: bytes = b""  # by git
    paths: list[str] = field(default_factory=list)  # the same, in order


@dataclass(slots=True)
class Listing:
    """The regular files below a root; paths are relative to it."""

    root: str
    files: dict[str, tuple[int, int]] = field(default_factory=dict)  # mtime in ns, size
    skipped: Counter[str] = field(default_factory=Counter)  # why: how many
    is_cut: bool = False  # the time was over before everything was listed


def is_vendored(path: str) -> bool:
    """Whether a relative path lies among code that others wrote."""
    return bool(_VENDORED.search(path))


Stamp = tuple[int, int]  # when a file last changed in ns, its size


def files_below(
    root: str, rules: Rules, kept: Kept | None = None, deadline: float = math.inf
) -> Listing:
    """The files of a workspace that may be read, at most MOST_FILES.

    `kept` spares the next call with the same rules some of the work. At `deadline`, a value of
    `time.monotonic()`, the listing is cut; what is others' code or lies deep comes last.
    """
    listing, kept = Listing(root), kept or Kept()
    listed, seen = None, {}
    if _is_in_repository(root):
        # git looks for new files while we look at those that were there
        with ThreadPoolExecutor(1) as beside:
            asked = beside.submit(_by_git, root, listing, deadline, kept)
            seen = _looked_at(root, kept.paths, deadline)
            listed = asked.result()
    if not listed:
        # none at all: the root itself is ignored by a repository around it, and yet it was named
        _take(listing, _by_folders(root, listing.skipped), kept, rules, deadline, {})
        return listing
    found = _take(listing, listed, kept, rules, deadline, seen)
    nested = [inner for inner in found if not _is_same_repository(f"{root}/{inner}", root)]
    if len(nested) < len(found):
        listing.skipped["other worktrees"] += len(found) - len(nested)
    for at, inner in enumerate(nested):  # it grows
        if at < _MOST_NESTED and not listing.is_cut:
            held = _by_git(f"{root}/{inner}", listing, deadline, Kept()) or ()
            below = [f"{inner}/{path}" for path in held]
            nested += _take(listing, below, kept, rules, deadline, {})
    return listing


def _looked_at(root: str, paths: Sequence[str], deadline: float) -> dict[str, Stamp]:
    """The stamps of those paths that are regular files."""
    seen = {}
    lstat, regular, kind = os.lstat, stat.S_IFREG, stat.S_IFMT
    for at, path in enumerate(paths, 1):
        if not at % _CHECKED and time.monotonic() > deadline:
            break
        try:
            found = lstat(f"{root}/{path}")
        except OSError:
            continue
        if kind(found.st_mode) == regular:
            changed, made = found.st_mtime_ns, found.st_ctime_ns
            seen[path] = (max(made, changed), found.st_size)
    return seen


def files_at(path: str, rules: Rules) -> dict[str, Stamp]:
    """The files below a folder; of a file itself, under the name ""."""
    found = os.lstat(path)
    if not stat.S_ISREG(found.st_mode):
        return files_below(path, rules).files
    return {} if guard.refusal(path, rules) else {"": stamp_of(found)}


def stamp_of(found: os.stat_result) -> Stamp:
    """What tells that a file changed. Its own time may be set back; that this was done may not."""
    return max(found.st_mtime_ns, found.st_ctime_ns), found.st_size


def _take(
    listing: Listing,
    paths: Iterable[str],
    kept: Kept,
    rules: Rules,
    deadline: float,
    seen: Mapping[str, Stamp],
) -> list[str]:
    """Puts files on the list; the folders among them: repositories within the repository."""
    # thousands of paths a call: one loop, and few calls but the system's
    root, files, refusals, lstat = listing.root, listing.files, kept.refusals, os.lstat
    folders = []
    for at, path in enumerate(paths, 1):
        stamp = seen.get(path)
        if stamp is not None and refusals.get(path) == "" and len(files) < MOST_FILES:
            files[path] = stamp
            continue
        if not at % _CHECKED and time.monotonic() > deadline:
            listing.is_cut = True
            break
        try:
            found = lstat(f"{root}/{path}")
        except OSError:  # deleted, and git has not been told
            continue
        if not stat.S_ISREG(found.st_mode):
            if stat.S_ISDIR(found.st_mode):
                folders.append(path.rstrip("/"))
            else:
                is_link = stat.S_ISLNK(found.st_mode)
                listing.skipped["link" if is_link else "not a regular file"] += 1
            continue
        reason = refusals.get(path)
        if reason is None:
            reason = refusals[path] = guard.refusal(f"{root}/{path}", rules)
        if reason:
            listing.skipped[reason] += 1
        elif len(files) < MOST_FILES:
            files[path] = stamp_of(found)
        else:
            listing.skipped["beyond the first 100,000"] += 1
    return folders


def _is_same_repository(folder: str, root: str) -> bool:
    """Whether a folder is another worktree of the root's repository: the same code once more."""
    if not Path(folder, ".git").is_file():
        return False
    return project.resolve(folder).common_dir == project.resolve(root).common_dir != ""


def _is_in_repository(folder: str) -> bool:
    here = Path(folder)
    return any((above / ".git").exists() for above in (here, *here.parents))


def _by_git(root: str, listing: Listing, deadline: float, kept: Kept) -> list[str] | None:
    """What git lists, other repositories as one entry; None where it cannot say.

    Where its search for new files takes too long, only those that it has been told of.
    """
    left = deadline - time.monotonic()
    try:
        said = _git(root, _UNTRACKED, min(_GIT_S, left * _GIT_SHARE))
    except subprocess.TimeoutExpired:
        listing.is_cut = True
        try:
            said = _git(root, (), min(_GIT_S, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            said = None
    if said is None:
        return None
    if said != kept.said:
        paths = list(map(os.fsdecode, filter(None, said.split(b"\0"))))
        paths.sort(key=lambda path: (is_vendored(path), path.count("/")))
        kept.said, kept.paths = said, paths
    return kept.paths


def _git(root: str, options: Iterable[str], seconds: float) -> bytes | None:
    """The files that git lists. Raises TimeoutExpired."""
    env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    if "HOME" in os.environ:
        env["HOME"] = os.environ["HOME"]  # where the user's own ignore file is named
    try:
        done = subprocess.run(
            (*_GIT, *options),
            cwd=root,
            env=env,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=max(seconds, 0.01),
            check=False,
        )
    except OSError:
        return None
    return None if done.returncode else done.stdout


def _by_folders(root: str, skipped: Counter[str]) -> Iterator[str]:
    """The files that no ignore file of their folders hides: level by level, others' code last."""
    waiting: deque[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = deque([("", ())])
    vendored: deque[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = deque()
    while waiting or vendored:
        folder, specs = (waiting or vendored).popleft()
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                found = list(entries)
        except OSError:
            skipped["folder that cannot be read"] += 1
            continue
        own = _ignore_file(root, folder) if any(e.name == ".gitignore" for e in found) else None
        if own is not None:
            specs = (*specs, (folder, own))
        for entry in sorted(found, key=_name):
            path = folder + entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and entry.name in _NEVER:
                continue
            if specs and _is_ignored(path, is_folder, specs):
                skipped["ignored"] += 1
            elif is_folder:
                (vendored if is_vendored(path + "/") else waiting).append((path + "/", specs))
            else:
                yield path


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _ignore_file(root: str, folder: str) -> GitIgnoreSpec | None:
    try:
        text = Path(root, folder, ".gitignore").read_text("utf-8", "replace")
        return GitIgnoreSpec.from_lines(text.splitlines())
    except (OSError, ValueError):
        return None


def _is_ignored(path: str, is_folder: bool, specs: Iterable[tuple[str, GitIgnoreSpec]]) -> bool:
    """By the ignore file nearest to it that says anything."""
    result = False
    for folder, spec in specs:
        said = spec.check_file(path[len(folder) :] + ("/" if is_folder else "")).include
        result = result if said is None else said
    return result
