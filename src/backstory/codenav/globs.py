"""Patterns for paths, as people write them: `*.py`, `src/**/*.ts`, `*.{c,h}`, `!**/test_*`."""

from __future__ import annotations

import re
from collections.abc import Callable

from pathspec import GitIgnoreSpec

from backstory.errors import BadInput

_BRACES = re.compile(r"\{([^{}]*)\}")
_BETWEEN = re.compile(r",(?![^{]*\})")
_MOST = 64


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a relative path fits a pattern. Raises BadInput for one that cannot be read.

    A pattern without a slash is for names in any folder; several are separated by commas, and one
    after "!" takes away.
    """
    parts = [part.strip() for part in _BETWEEN.split(pattern) if part.strip()]
    lines = [line for part in parts for line in _spread(part)][:_MOST]
    if not lines:
        return lambda _: True
    if all(line.startswith("!") for line in lines):
        lines.insert(0, "*")
    try:
        compiled = GitIgnoreSpec.from_lines(lines).patterns
    except ValueError:
        raise BadInput(
            f"file_pattern {pattern!r} cannot be read", hint="write for example *.py or src/**/*.ts"
        ) from None
    rules = [(re.compile(one.regex), bool(one.include)) for one in compiled if one.regex]

    def fits(path: str) -> bool:
        result = False
        for regex, include in rules:
            if result != include and regex.match(path):
                result = include
        return result

    return fits


def _spread(part: str) -> list[str]:
    """Without braces: one pattern for each choice."""
    found = _BRACES.search(part)
    if found is None:
        return [part]
    before, after = part[: found.start()], part[found.end() :]
    return [
        line for choice in found[1].split(",")[:_MOST] for line in _spread(before + choice + after)
    ][:_MOST]
