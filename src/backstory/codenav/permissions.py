"""What the user's own rules keep from being read: the deny and ask rules for Read.

The host asks its user before it reads such a file. Our tools run without a question, so they
refuse what these rules name, in every settings file that the host would look at. Rules that were
given on the host's command line are known to the host alone.

Patterns follow .gitignore; where a spelling could mean two places, it means both.
"""

from __future__ import annotations

import json
import os
import pwd
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pathspec

from backstory.errors import Forbidden

MANAGED = ("/etc/claude-code", "/Library/Application Support/ClaudeCode")
_RULE = re.compile(r"\s*([\w*]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_EVERYTHING = frozenset({"", "*", "**", "/**", "//**", "./**", "**/*"})
_LARGEST = 4_000_000  # bytes of a settings file
_KEPT = 32  # settings files that stay read, sets of rules that stay compiled

Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule that keeps files from being read."""

    kind: str  # "deny" or "ask"
    text: str  # as it was written: "Read(./secrets/**)"
    source: str  # the settings file


@dataclass(frozen=True, slots=True)
class _Below:
    """The rules whose patterns are relative to one folder."""

    folder: str  # in small letters, with a slash at its end
    spec: pathspec.GitIgnoreSpec
    rules: tuple[Rule, ...]  # one for each pattern of the spec

    def match(self, path: str) -> Rule | None:
        if not path.startswith(self.folder) or path == self.folder:
            return None
        found = self.spec.check_file(path[len(self.folder) :])
        return self.rules[found.index] if found.include and found.index is not None else None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that hold for a workspace."""

    of_all: Rule | None = None  # one that names every file
    below: tuple[_Below, ...] = ()

    def match(self, path: str) -> Rule | None:
        """The rule that keeps an absolute path from being read, itself or a folder above it.

        A folder is given with a slash at its end.
        """
        if self.of_all:
            return self.of_all
        lowered = path.lower()  # the host does not look at case either
        for group in self.below:
            if found := group.match(lowered):
                return found
        return None


NO_RULES = Rules()
_read: dict[str, tuple[Stamp, tuple[Rule, ...]]] = {}
_compiled: dict[tuple[object, ...], Rules] = {}


def rules_for(
    roots: Sequence[str], cwd: str = "", *, config_dir: str = "", managed: Sequence[str] = MANAGED
) -> Rules:
    """The rules of the user's, the project's and the managed settings, as they are now.

    config_dir: the host's own folder where it is not `~/.claude`; $CLAUDE_CONFIG_DIR of this
    process counts as well. Raises Forbidden where a settings file cannot be understood: nobody
    knows then what it protects.
    """
    folders = tuple(dict.fromkeys(filter(None, (*roots, cwd))))
    files = [
        (path, base, stamp)
        for path, base in dict.fromkeys(_settings(folders, config_dir, managed))
        if (stamp := _stamp(path))
    ]
    key = (folders, homes(), *files)
    found = _compiled.get(key)
    if found is None:
        rules = [(rule, base) for path, base, stamp in files for rule in _rules(path, stamp)]
        found = _compile(rules, folders)
        _keep(_compiled, key, found)
    return found


def homes() -> tuple[str, ...]:
    """The user's home folders: of the environment and of the system, which cannot be talked into
    another one."""
    named = [os.environ.get("HOME", "")]
    with suppress(KeyError):  # a user that the system does not know
        named.append(pwd.getpwuid(os.getuid()).pw_dir)
    return tuple(dict.fromkeys(os.path.realpath(one) for one in named if one.startswith("/")))


def _settings(
    folders: Iterable[str], config_dir: str, managed: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """(settings file, folder that its `/patterns` are relative to)."""
    of_host = [home + "/.claude" for home in homes()]
    for folder in filter(None, (*of_host, config_dir, os.environ.get("CLAUDE_CONFIG_DIR", ""))):
        for name in ("settings.json", "settings.local.json", "remote-settings.json"):
            yield f"{folder}/{name}", folder
    for folder in managed:
        yield folder + "/managed-settings.json", folder
        try:
            names = sorted(os.listdir(folder + "/managed-settings.d"))
        except OSError:
            names = []
        for name in names:
            if name.endswith(".json"):
                yield f"{folder}/managed-settings.d/{name}", folder
    for folder in folders:
        for above in _up_to_repository(os.path.realpath(folder)):
            for name in ("settings.json", "settings.local.json"):
                yield f"{above}/.claude/{name}", above


def _up_to_repository(folder: str) -> list[str]:
    """The folder and those above it, up to the top of its repository; it alone outside of one."""
    above = [folder]
    while not os.path.lexists(above[-1] + "/.git"):
        parent = os.path.dirname(above[-1])
        if parent == above[-1]:
            return [folder]
        above.append(parent)
    return above


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _rules(path: str, stamp: Stamp) -> tuple[Rule, ...]:
    """The deny and ask rules for Read of one settings file. Raises Forbidden."""
    known = _read.get(path)
    if known and known[0] == stamp:
        return known[1]
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            text = file.read(_LARGEST)
    except OSError:
        return ()  # the host, which runs as the same user, cannot read it either
    try:
        found = tuple(_found(json.loads(text) if text.strip() else {}, path))
    except (ValueError, RecursionError):
        raise Forbidden(
            f"{path} is no valid settings file, so the rules in it that protect files are unknown",
            hint="mend that settings file; until then use Read, which the host guards itself",
        ) from None
    _keep(_read, path, (stamp, found))
    return found


def _found(settings: object, path: str) -> Iterator[Rule]:
    """Raises ValueError where the settings are not shaped as the host's are."""
    if settings is None:
        return
    permissions = (settings.get("permissions") or {}) if isinstance(settings, dict) else None
    if not isinstance(permissions, dict):
        raise ValueError("permissions must be an object")
    for kind in ("deny", "ask"):
        written = permissions.get(kind) or []
        if not isinstance(written, list):
            raise ValueError(f"{kind} must be a list")
        for text in written:
            if isinstance(text, str) and _pattern(text) is not None:
                yield Rule(kind, text, path)


def _pattern(rule: str) -> str | None:
    """The pattern of a rule for Read, "" for all files; None where it is for something else."""
    match = _RULE.fullmatch(rule)
    if match is None or not fnmatchcase("Read", match[1]):
        return None
    return (match[2] or "").strip()


def _compile(rules: Sequence[tuple[Rule, str]], folders: Sequence[str]) -> Rules:
    by_folder: dict[str, list[tuple[str, Rule]]] = {}
    for rule, base in rules:
        pattern = _pattern(rule.text) or ""
        if pattern in _EVERYTHING:
            return Rules(of_all=rule)
        for folder, below in _places(pattern, base, folders):
            if _is_sound(below):
                by_folder.setdefault(folder, []).append((below, rule))
    return Rules(
        below=tuple(
            _Below(
                folder.rstrip("/") + "/",
                pathspec.GitIgnoreSpec.from_lines(pattern for pattern, _ in found),
                tuple(rule for _, rule in found),
            )
            for folder, found in by_folder.items()
        )
    )


def _places(pattern: str, base: str, folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(folder, pattern relative to it), in small letters, for all that a pattern may mean."""
    # the host takes `x/**` for `x`, which means any folder of that name, at whatever depth
    pattern = pattern.lower().removesuffix("/**")
    if pattern.startswith("//"):
        starts = ["/"]
        pattern = pattern[1:]
    elif pattern == "~" or pattern.startswith("~/"):
        starts = list(homes())
        pattern = pattern[1:].rstrip("/") or "/**"
    elif pattern.startswith("/"):
        # of the settings file's folder, as the host has it; many write it for the whole disk
        starts = [base, "/"]
    else:
        starts = [base, *folders]
    real = [os.path.realpath(start) for start in starts]
    for start in dict.fromkeys(start.lower() for start in (*starts, *real)):
        rest = re.sub("/{2,}", "/", pattern)
        while rest.startswith(("./", "../")):
            step, _, rest = rest.partition("/")
            start = os.path.normpath(f"{start}/{step}")  # noqa: PLW2901  where the pattern leads
        yield start, rest


def _is_sound(pattern: str) -> bool:
    """Whether git would take the pattern for one that names files."""
    try:
        made = pathspec.GitIgnoreSpec.from_lines([pattern])
    except (ValueError, re.error):
        return False
    return [one.include for one in made.patterns] == [True]


def _keep(cache: dict[Any, Any], key: object, value: object) -> None:
    while len(cache) >= _KEPT:
        cache.pop(next(iter(cache)), None)
    cache[key] = value
