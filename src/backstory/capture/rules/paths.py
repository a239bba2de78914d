"""Paths as they are stored: relative to the project's root, with forward slashes."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_UNCERTAIN = re.compile(r"[*?$`{}<>|\n\x00]|^~|^-|^&|\s{2}")
_SCRATCH = re.compile(r"/(?:private/)?(?:var/)?tmp/|/dev/|/proc/")


@lru_cache(maxsize=4096)  # the hits of searches name the same files again and again
def relative(path: str, root: str, cwd: str = "") -> str:
    """The path below the root, or absolute where it lies elsewhere; "" for no path."""
    path = (
        path.strip().replace("\\", "/") if _DRIVE.match(path) or "/" not in path else path.strip()
    )
    if not path or len(path) > 1_000 or "\x00" in path:
        return ""
    root = _normal(root)
    absolute = path.startswith("/") or bool(_DRIVE.match(path))
    full = _normal(path if absolute else posixpath.join(_normal(cwd) or root, path))
    if root and full.startswith(root.rstrip("/") + "/"):
        return full[len(root.rstrip("/")) + 1 :]
    if full == root:
        return "."
    return full if absolute or full.startswith("/") else full.removeprefix("./")


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/")) if path else ""


def is_certain(path: str) -> bool:
    """Whether a shell word names one file as it stands: no glob, variable or substitution."""
    return bool(path) and not _UNCERTAIN.search(path) and len(path) < 300


def is_scratch(path: str) -> bool:
    """A temporary file or a device: nothing a project would want to know of."""
    return bool(_SCRATCH.match(path))


def name(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rsplit("/", 1)[-1]


def folder(path: str) -> str:
    """What contains the path, "" for the root."""
    return path.rpartition("/")[0]


_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|testing)/|(?:^|/)test_[^/]+$|_test\.\w+$|_spec\.\w+$"
    r"|\.(?:test|spec)\.\w+$|Tests?\.(?:java|cs|kt|swift|php)$"
)
_DOC = re.compile(r"\.(?:md|mdx|rst|adoc|txt)$|(?:^|/)(?:LICENSE|CHANGELOG|README)", re.IGNORECASE)
_CONFIG = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|conf|env|properties|json|jsonc|tf|tfvars|lock|xml|gradle|kts)$"
    r"|(?:^|/)(?:\.env[\w.]*|Dockerfile[\w.]*|Makefile|Procfile|go\.mod|requirements[\w.-]*\.txt|"
    r"Gemfile|Pipfile|nginx[\w.]*|\.\w+rc)$",
    re.IGNORECASE,
)


def is_test(path: str) -> bool:
    """Whether the file holds tests, by its name."""
    return bool(_TEST.search(path))


def is_doc(path: str) -> bool:
    """Whether the file is prose, by its name."""
    return bool(_DOC.search(path)) and not is_config(path)


def is_config(path: str) -> bool:
    """Whether the file holds settings rather than code, by its name."""
    return bool(_CONFIG.search(path))
