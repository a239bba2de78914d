"""Finds a Python to run on and records it, for `plugin/run` and for the runtime.

It must itself run on any Python 3: the one that a user's PATH happens to name may be older than
what the plugin needs, or a version manager's shim that takes a tenth of a second to start.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OLDEST = (3, 9)
REMOVED = 3  # exit code: there is an interpreter, and `uninstall` has run
PROBE = (
    "import sys; print(sys.implementation.name, getattr(sys, 'abiflags', '') or '-',"
    " *sys.version_info[:2]); print(getattr(sys, '_base_executable', None) or sys.executable)"
)


def workspace() -> str:
    """The project that the caller works in: nothing below it may be run or recorded.

    "" where that would say too much: the home folder, one that holds it, or the root.
    """
    try:
        folder = os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())
    except OSError:  # the current folder is gone
        return ""
    start = folder
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            folder = start
            break
        folder = parent
    home = os.path.realpath(os.path.expanduser("~"))
    return "" if is_below(home, folder) else folder


def is_below(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it; both real paths."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def usable(path: str) -> bool:
    """Whether `path` is absolute, may be executed and is none of the project's own files."""
    if not path.startswith("/") or not os.path.isfile(path) or not os.access(path, os.X_OK):
        return False
    project = workspace()
    return not project or not (is_below(path, project) or is_below(os.path.realpath(path), project))


def probe(path: str) -> "tuple[tuple[int, int], str]":
    """The version of the interpreter at `path` and the real one behind it; (0, 0) for none."""
    import subprocess

    try:
        done = subprocess.run(
            [path, "-I", "-S", "-c", PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=10,
            cwd="/",
            check=False,
        )
        first, base = done.stdout.decode("utf-8", "surrogateescape").splitlines()[:2]
        name, flags, major, minor = first.split()
    except (OSError, ValueError, subprocess.SubprocessError):
        return (0, 0), ""
    # other implementations and free-threaded builds have no wheels of all that we need
    if name != "cpython" or "t" in flags:
        return (0, 0), ""
    return (int(major), int(minor)), base


def own() -> "tuple[tuple[int, int], str]":
    """The same for the interpreter that runs this: never a virtual environment, which may go."""
    if sys.implementation.name != "cpython" or "t" in getattr(sys, "abiflags", ""):
        return (0, 0), ""
    base = getattr(sys, "_base_executable", None) or sys.executable or ""
    return (sys.version_info[0], sys.version_info[1]), base


def places() -> "list[str]":
    """The folders where interpreters are usually installed, then the user's PATH."""
    import glob

    home = os.path.expanduser("~")
    found = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", home + "/.local/bin"]
    for pattern in (
        "/Library/Frameworks/Python.framework/Versions/*/bin",
        base_dir() + "/pythons/*/bin",
        home + "/.local/share/uv/python/*/bin",
        home + "/.pyenv/versions/*/bin",
    ):
        found += sorted(glob.glob(pattern), reverse=True)
    found += [entry for entry in os.environ.get("PATH", "").split(":") if entry.startswith("/")]
    return list(dict.fromkeys(found))


def find(oldest: "tuple[int, int]" = OLDEST, newest: "tuple[int, int]" = (3, 99)) -> str:
    """An interpreter between these versions, "" where there is none: the running one if it fits."""
    version, base = own()
    if oldest <= version <= newest and usable(base):
        return base
    folders = places()
    names = ["python3.%d" % minor for minor in range(15, oldest[1] - 1, -1)]
    seen = set()
    for name in ["python3", *names]:
        for folder in folders:
            path = folder + "/" + name
            if os.path.realpath(path) not in seen and usable(path):
                seen.add(os.path.realpath(path))
                version, base = probe(path)
                if oldest <= version <= newest and usable(base):
                    return base
    return ""


def base_dir() -> str:
    """The per-user folder."""
    if ROOT + "/src" not in sys.path:
        sys.path.insert(0, ROOT + "/src")
    from backstory import paths

    return paths.base_dir()


def is_removed() -> bool:
    """Whether `uninstall` ran: then nothing is put on record until something starts on purpose."""
    base_dir()
    from backstory.hook import removed

    return removed.is_marked()


def recorded() -> str:
    """The interpreter on record, "" where there is none that can still be used."""
    try:
        with open(base_dir() + "/python", encoding="utf-8", errors="surrogateescape") as file:
            path = file.readline().rstrip("\n")
    except OSError:
        return ""
    return path if usable(path) else ""


def record() -> str:
    """Makes sure that an interpreter is on record and gives its path, "" where none is found.

    That nothing can be written is no failure: the next event looks again.
    """
    path = recorded()
    if path:
        return path
    path = find()
    if path and not is_removed():
        base = base_dir()
        try:
            os.makedirs(base, mode=0o700, exist_ok=True)
            part = "%s/.python.%d" % (base, os.getpid())
            with open(part, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(path + "\n")
            os.replace(part, base + "/python")
            os.unlink(base + "/told-no-python")
        except OSError:
            pass
    return path


if __name__ == "__main__":
    chosen = record()
    sys.stdout.buffer.write(os.fsencode(chosen))
    sys.exit((REMOVED if is_removed() else 0) if chosen else 1)
