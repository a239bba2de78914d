"""Which files a code tool may open, and what it answers where it may not.

The tools run without the host's question to its user, so a path is followed to its end, symbolic
links resolved, and must lie in the workspace, be no keeper of secrets, and be named by none of
the user's rules. What lies outside is answered alike whether it is there or not.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from backstory import project
from backstory.codenav import near, secret_files
from backstory.codenav.permissions import Rule, Rules, homes
from backstory.errors import BackstoryError, BadInput, Forbidden, NotFound

_PLACE_IN_FILE = re.compile(r"(?:[:#]L?\d+(?:[-:,]L?\d+)*|\(\d+(?:,\d+)?\))$")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")
_AROUND = "\"'`<> \t\r\n"  # what a path that was copied may bring along
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder that may be read."""

    path: str  # real and absolute
    shown: str  # relative to its root, every character printable; "." for the root itself
    root: str
    is_folder: bool


def workspace_roots(roots: Iterable[str] = (), cwd: str = "") -> tuple[str, ...]:
    """The real folders that may be read: the host's roots, else the git root of cwd, else cwd.

    The home folder and what is above it are never a workspace. Raises Forbidden where none is left.
    """
    named = [root for root in roots if root.startswith("/")]
    if not named and cwd.startswith("/"):
        found = project.resolve(cwd)
        top = os.path.realpath(found.worktree or found.root if found.git_dir else cwd)
        named = [cwd if _is_too_wide(top) else top]
    real = [os.path.realpath(root) for root in named]
    own = [root for root in dict.fromkeys(real) if not _is_too_wide(root)]
    left = tuple(root for root in own if os.path.isdir(root))
    if left:
        return left
    if not named:
        raise Forbidden("this call names no workspace", hint="start the session in a project")
    if own:
        raise Forbidden(
            f"the workspace {shown_as(own[0])} is no folder any more",
            hint="start the session in the project's folder",
        )
    raise Forbidden(
        f"{shown_as(real[0])} is no workspace: it is the home folder, or above it",
        hint="start the session (or the command) in the project's own folder",
    )


def resolve(path: str, roots: Sequence[str], rules: Rules, cwd: str = "") -> Place:
    """The file or folder that `path` means; relative to cwd, then to each of the roots.

    roots are those of `workspace_roots`. Raises BadInput, NotFound and Forbidden; each answer
    says what to do.
    """
    given = _meant(_candidates(path, roots, cwd), roots)
    real = os.path.realpath(given)
    root = next((root for root in roots if is_below(real, root)), "")
    if not root:
        raise _outside(given, real, roots)
    end = "/" if os.path.isdir(real) else ""
    for one in (given, real):
        if rule := rules.match(one) or rules.match(one + "/"):
            raise _ruled_out(given, rule, roots)
    if secret_files.by_name(given + end) or secret_files.by_name(real + end):
        raise secret(shown_below(given, roots))
    try:
        mode = os.stat(real).st_mode
    except OSError as error:
        raise _missing(given, real, roots, rules, error) from None
    shown = shown_below(real, (root,))
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise BadInput(
            f"{shown} is {_sort(mode)}, no regular file: it is never opened",
            hint="name a file of text",
        )
    return Place(real, shown, root, stat.S_ISDIR(mode))


def refusal(path: str, rules: Rules) -> str:
    """Why a walk leaves a real path out, in few words; "" where it may be read.

    A folder is given with a slash at its end.
    """
    if rules.match(path):
        return "denied by your rules"
    return "secret-like" if secret_files.by_name(path) else ""


def secret(shown: str) -> Forbidden:
    """The answer for a file that holds secrets."""
    return Forbidden(
        f"{shown} looks like a keeper of secrets (keys, passwords, tokens): it is not opened here",
        hint="if its content is truly needed, ask the user to show the part that matters",
    )


def is_below(path: str, root: str) -> bool:
    """Whether an absolute path is a folder or lies in it."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def shown_as(path: str) -> str:
    """A path with everything printable: control characters and bytes that are no UTF-8 escaped."""
    if path.isprintable():
        return path
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def shown_below(path: str, roots: Iterable[str]) -> str:
    """A path as it is shown: relative to the first root that it lies below."""
    for root in roots:
        if path == root:
            return "."
        if is_below(path, root):
            return shown_as(path[len(root.rstrip("/")) + 1 :])
    return shown_as(path)


def _is_too_wide(root: str) -> bool:
    return any(is_below(home, root) for home in (*homes(), "/"))


def _meant(candidates: Sequence[str], roots: Sequence[str]) -> str:
    """The first that is in the workspace, else the first that is anywhere, else the first."""
    there = [one for one in candidates if os.path.lexists(one)]
    for one in there:
        if any(is_below(os.path.realpath(one), root) for root in roots):
            return one
    return (there or candidates)[0]


def _candidates(path: str, roots: Sequence[str], cwd: str) -> list[str]:
    """The absolute paths that a path may mean, the likeliest first. Raises BadInput."""
    if not path.strip():
        raise BadInput("the path is empty", hint="name a file, relative to the workspace")
    if "\0" in path or len(path) > _LONGEST or any("\ud800" <= one < "\udc80" for one in path):
        raise BadInput(
            "that is no path: it has characters that no name of a file has, or too many",
            hint="name a file, relative to the workspace",
        )
    if _ADDRESS.match(path):
        path = _of_address(path)
    bare = path.strip(_AROUND)
    bases = [base for base in (cwd, *roots) if base.startswith("/")]
    found = []
    for spelling in filter(None, (path, bare, bare.replace("\\", "/"))):
        full = spelling
        if full == "~" or full.startswith("~/"):
            full = (homes() or ("/",))[0] + full[1:]
        found += [os.path.normpath(os.path.join(base, full)) for base in bases or ("/",)]
    return list(dict.fromkeys(found))


def _of_address(address: str) -> str:
    """The path of a file:// address. Raises BadInput for any other."""
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    if scheme.lower() != "file" or host.lower() not in ("", "localhost") or not slash:
        raise BadInput(
            f"{shown_as(address)} is an address, no file of this workspace",
            hint="name a file by its path",
        )
    found = unquote("/" + path, errors="surrogateescape")
    if "\0" in found:
        raise BadInput("that address names no file", hint="name a file by its path")
    return found


def _outside(given: str, real: str, roots: Sequence[str]) -> Forbidden:
    led = f" (it leads to {shown_as(real)})" if real != given else ""
    return Forbidden(
        f"{shown_as(given)} is outside the workspace{led}",
        hint=f"only files below {', '.join(map(shown_as, roots))} are read here; "
        "use Read, which asks the user, for others",
    )


def _ruled_out(given: str, rule: Rule, roots: Sequence[str]) -> Forbidden:
    shown, source = shown_below(given, roots), shown_as(rule.source)
    if rule.kind == "ask":
        return Forbidden(
            f"{shown} may be read only after the user was asked: {rule.text} in {source}",
            hint="use Read, which asks the user",
        )
    return Forbidden(
        f"{shown} is denied by the user's own rule {rule.text} in {source}",
        hint="do without it, or ask the user to change the rule",
    )


def _missing(
    given: str, real: str, roots: Sequence[str], rules: Rules, error: OSError
) -> BackstoryError:
    """The answer for a path of the workspace that the system does not find, or does not give."""
    shown = shown_below(given, roots)
    if error.errno in (errno.EACCES, errno.EPERM):
        return refused_by_system(shown)
    if error.errno == errno.ENAMETOOLONG:
        return BadInput("a name in that path is too long", hint="name a file of the workspace")
    if error.errno == errno.ELOOP:
        return NotFound(f"{shown} is a symbolic link that leads in a circle", hint="mend the link")
    if os.path.lexists(given):
        return NotFound(
            f"{shown} is a symbolic link, and its target {shown_below(real, roots)} is not there",
            hint="name another file, or mend the link",
        )
    place = _PLACE_IN_FILE.search(given)
    if place and os.path.lexists(given[: place.start()]):
        alone = shown_below(given[: place.start()], roots)
        return BadInput(f"there is no file {shown}", hint=f"give the path alone: {alone}")
    return _nowhere(given, shown, roots, rules)


def _nowhere(given: str, shown: str, roots: Sequence[str], rules: Rules) -> NotFound:
    """The answer for a path that is not there, with what may have been meant."""
    above = os.path.dirname(given)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    held_by = shown_below(above, roots)
    if not os.path.isdir(above):
        return NotFound(f"{held_by} is a file: nothing lies below it", hint=f"name {held_by} alone")
    found = near.names(given, roots, lambda one: not refusal(one, rules))
    if found:
        hint = "did you mean " + ", ".join(shown_below(one, roots) for one in found) + "?"
    elif above != os.path.dirname(given):
        hint = f"there is no folder {shown_below(os.path.dirname(given), roots)} either"
    else:
        hint = "nothing in the workspace is called so, or nearly so"
    return NotFound(f"there is no file {shown}", hint=hint)


def refused_by_system(shown: str) -> Forbidden:
    """The answer for what the system keeps from the user that we run as."""
    return Forbidden(
        f"the system does not let us read {shown}: permission denied",
        hint="ask the user to allow reading it (chmod u+r)",
    )


def _sort(mode: int) -> str:
    """What a thing that is neither a file nor a folder is."""
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"
