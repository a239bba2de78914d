"""Named queries from the .sql files beside this module. Thin: hook processes load it.

A file is a series of blocks, each opened by a line `-- name --`; a comment under the name says
what the query is for.
"""

import os

_LOADED: "dict[str, dict[str, str]]" = {}
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sql")


def read(name: str) -> str:
    """The text of one .sql file, by its name without the suffix."""
    with open(os.path.join(_FOLDER, name + ".sql"), encoding="utf-8") as file:
        return file.read()


def load(name: str) -> "dict[str, str]":
    """The queries of one .sql file, by name; read once, since later it may be a newer version's."""
    if name in _LOADED:
        return _LOADED[name]
    queries: "dict[str, list[str]]" = {}
    lines: "list[str]" = []
    for line in read(name).splitlines():
        if line.startswith("-- ") and line.endswith(" --"):
            lines = queries.setdefault(line[3:-3].strip(), [])
        else:
            lines.append(line)
    _LOADED[name] = {key: "\n".join(text).strip() for key, text in queries.items()}
    return _LOADED[name]


def migration_files() -> "list[tuple[int, str, str]]":
    """(version, name, text) of every migration, in order."""
    folder = os.path.join(_FOLDER, "migrations")
    found = []
    for entry in sorted(os.listdir(folder)):
        if entry.endswith(".sql"):
            number, _, name = entry[: -len(".sql")].partition("_")
            with open(os.path.join(folder, entry), encoding="utf-8") as file:
                found.append((int(number), name, file.read()))
    return found
