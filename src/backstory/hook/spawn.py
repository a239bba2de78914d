"""Starting the worker from a hook: detached, with an environment that we build."""

import os
import sys

from backstory import __version__, paths

LAUNCH = "plugin/launch.py"
CODE_ROOT = "code-root"  # in the data directory: version and folder of the newest code

# A project's own settings can put any variable into our environment, so the child gets these
# and nothing else.
KEPT = (
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "XDG_DATA_HOME",
    "BACKSTORY_HOME",
    "BACKSTORY_PROVIDER",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)


def environment(cwd: str) -> "dict[str, str]":
    """The worker's environment. PATH loses its relative entries and those inside the project."""
    built = {name: os.environ[name] for name in KEPT if os.environ.get(name)}
    inside = os.path.realpath(cwd) + "/" if cwd else ""
    entries = [
        entry
        for entry in os.environ.get("PATH", "").split(":")
        if entry.startswith("/") and not (inside and (entry + "/").startswith(inside))
    ]
    built["PATH"] = ":".join(entries) or "/usr/local/bin:/usr/bin:/bin"
    return built


def is_newer(version: str, than: str) -> bool:
    """Whether a version "1.10.2" is newer than another; what is no version is never newer."""
    return _parts(version) > _parts(than)


def newest_root(project: str = "") -> str:
    """The code to start: the newest on record whose folder is still there, else our own.

    A session that began before an update goes on with the old code, and would start an old worker.
    Code inside the project is never started: the project can say where our data directory is.
    """
    own = paths.plugin_root()
    try:
        with open(CODE_ROOT, encoding="utf-8") as file:
            version, root = file.read().splitlines()[:2]
    except (OSError, ValueError):
        return own
    inside = project and _is_below(root, project)
    if not inside and is_newer(version, __version__) and os.path.exists(root + "/" + LAUNCH):
        return root
    return own


def _is_below(path: str, folder: str) -> bool:
    return (os.path.realpath(path) + "/").startswith(os.path.realpath(folder).rstrip("/") + "/")


def record_root() -> None:
    """Puts our own code on record, unless newer code is there. In the data directory."""
    if newest_root() != paths.plugin_root():
        return
    part = "%s.%d.part" % (CODE_ROOT, os.getpid())
    with open(part, "w", encoding="utf-8") as file:
        file.write("%s\n%s\n" % (__version__, paths.plugin_root()))
    os.replace(part, CODE_ROOT)


def _parts(version: str) -> "tuple[int, ...]":
    numbers = []
    for word in version.split("."):
        digits = word.split("-")[0].split("+")[0]
        if not digits.isdecimal():
            return ()
        numbers.append(int(digits))
    return tuple(numbers)


def start_worker(cwd: str = "") -> int:
    """Starts `launch.py worker-spawn` in a session of its own and does not wait for it.

    Its process id, 0 where the code is gone. The launcher builds the runtime where it is missing
    and becomes the worker, which ends at once where another one holds the lock and answers; so
    calling this too often is harmless.
    """
    launch = os.path.join(newest_root(cwd), LAUNCH)
    if not os.path.exists(launch):
        return 0
    if not os.path.isdir(paths.LOGS):
        paths.make_private_dir(paths.LOGS)
    env = environment(cwd)
    here = os.getcwd()
    # a relative name would mean another folder to the child
    if env.get("BACKSTORY_HOME") or here != os.path.realpath(paths.base_dir()):
        env["BACKSTORY_HOME"] = here
    appending = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.posix_spawn(
        sys.executable,
        [
            sys.executable,
            "-I",
            "-X",
            "pycache_prefix=" + (sys.pycache_prefix or paths.base_dir() + "/pycache"),
            launch,
            "worker-spawn",
        ],
        env,
        # a child that kept the host's pipes would make the host wait for it
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, paths.WORKER_LOG, appending, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
