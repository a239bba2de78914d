"""Where things are: the data directory and the names in it. Thin: hook processes load it.

`BACKSTORY_HOME` (empty = unset) names the data directory; else it is the per-user folder, which
always holds the runtime and the recorded interpreter, whatever the data directory.
"""

import os
import sys

DATABASE = "backstory.db"
SETTINGS = "settings.json"
HOOK_FACTS = "hook.json"
WORKER_FACTS = "worker.json"
SOCKET = "worker.sock"
SPOOL = "spool"
LOGS = "logs"
HOOKS_LOG = "logs/hooks.log"
WORKER_LOG = "logs/worker.log"
INCOGNITO = "incognito"
SEEN = "seen"  # a folder a session, an empty file for each file that it read or wrote
WORKER_FAILURE = "worker.failure"  # why the newest worker could not start; absent when it did
ASK_STAMP = "worker.timeout"  # its mtime: when a question to the worker last timed out
TOLD = "told.txt"  # the last announcement of who distils
WARNED = "warned.txt"  # the day on which each kind of notice was last told
MODEL_MARK = "model.mark"  # a hash of the settings that calls of a model were made with
CODE = "code"  # indexes of the workspaces that were searched
MODEL = "model"  # an empty folder: where `claude` runs as a model
CHILD = "BACKSTORY_CHILD"  # set in every process that we start: we never observe ourselves


def base_dir(env: "os._Environ[str] | dict[str, str] | None" = None) -> str:
    """The per-user folder (platformdirs' user_data_dir("backstory"), without importing it)."""
    env = os.environ if env is None else env
    home = env.get("HOME") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return home + "/Library/Application Support/backstory"
    data = env.get("XDG_DATA_HOME", "")
    # the specification says that a relative XDG path is to be ignored
    return (data if data.startswith("/") else home + "/.local/share") + "/backstory"


def data_dir(env: "os._Environ[str] | dict[str, str] | None" = None) -> str:
    """The data directory, absolute."""
    env = os.environ if env is None else env
    named = env.get("BACKSTORY_HOME", "")
    if not named:
        return base_dir(env)
    if named == "~" or named.startswith("~/"):
        named = (env.get("HOME") or os.path.expanduser("~")) + named[1:]
    return os.path.abspath(named)


def plugin_root() -> str:
    """The root of the checkout that this code runs from."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def make_private_dir(path: str) -> None:
    """Makes the folder and its parents, readable by the user alone; an existing one is left."""
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        make_private_dir(parent)  # makedirs would give the mode to the last one alone
    os.makedirs(path, mode=0o700, exist_ok=True)
