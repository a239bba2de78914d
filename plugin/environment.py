"""The environments that we build for our own processes; none is inherited whole.

A project's settings can put any variable into a hook's environment without a prompt, so what a
hook starts takes from it only what names the user, the language and the way to the network.
"""

import os

from plugin import interpreter

USER = ("HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE", "XDG_DATA_HOME")
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
OURS = ("BACKSTORY_HOME", "BACKSTORY_DISABLED")
# whom to trust on the way: what a build fetches is checked by hash, so it may come from anybody;
# the worker never gets these, since with a proxy they would let a project read its keys
CERTIFICATES = ("SSL_CERT_DIR", "SSL_CERT_FILE")
# where packages come from: only from a command that the user typed
REGISTRY = (
    "CURL_CA_BUNDLE",
    "NETRC",
    "PIP_CACHE_DIR",
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_CONFIG_FILE",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_NO_INDEX",
    "PIP_PROXY",
    "PIP_TRUSTED_HOST",
    "REQUESTS_CA_BUNDLE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
)


def search_path() -> str:
    """The user's PATH without what is relative or belongs to the project, and the usual folders."""
    project = interpreter.workspace()
    entries = [e for e in os.environ.get("PATH", "").split(":") if e.startswith("/")]
    entries += ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin"]
    kept = [
        e for e in entries if not project or not interpreter.is_below(os.path.realpath(e), project)
    ]
    return ":".join(dict.fromkeys(kept))


def _taken(names: "tuple[str, ...]") -> "dict[str, str]":
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def for_worker() -> "dict[str, str]":
    """What the worker sees."""
    env = {"PATH": search_path(), **_taken(USER), **_taken(OURS)}
    env.update(_taken(PROXIES + tuple(name.upper() for name in PROXIES)))
    if os.environ.get("BACKSTORY_PROVIDER") == "rules":  # the one value that costs nothing
        env["BACKSTORY_PROVIDER"] = "rules"
    env.setdefault("HOME", os.path.expanduser("~"))
    return env


def for_build(*, by_user: bool) -> "dict[str, str]":
    """What pip and uv see; the user's own registry settings only when the user started it."""
    env = {**for_worker(), **_taken(CERTIFICATES)}
    if by_user:
        env.update(_taken(REGISTRY))
        env.update({k: v for k, v in os.environ.items() if k.startswith("UV_")})
        for name in ("UV_TARGET", "UV_PREFIX", "UV_CONSTRAINT", "UV_OVERRIDE", "UV_PYTHON"):
            env.pop(name, None)
    env.update(
        PIP_USER="0",
        PIP_REQUIRE_VIRTUALENV="0",
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PIP_NO_INPUT="1",
        UV_NO_PROGRESS="1",
    )
    env.setdefault("UV_SYSTEM_CERTS", "true")  # a company's own certificates live there
    env.setdefault("UV_NATIVE_TLS", "true")  # the older name of the same
    return env


def started_by_user() -> bool:
    """Whether a person typed the command, as far as can be told: Claude's own shell says so."""
    return not os.environ.get("CLAUDECODE")
