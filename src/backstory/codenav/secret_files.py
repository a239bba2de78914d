"""Files that hold secrets, by their names and by how they begin. Source code is none of them."""

from __future__ import annotations

import re

_CODE = (
    r"(?:py|pyi|pyx|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|go|rs|java|kt|kts|scala|groovy|c|h|cc|"
    r"cpp|cxx|hh|hpp|hxx|cs|fs|fsx|m|mm|swift|rb|erb|php|pl|pm|lua|r|jl|hs|ml|mli|ex|exs|erl|hrl|"
    r"clj|cljs|elm|zig|nim|d|dart|sol|sh|bash|zsh|fish|ps1|psm1|sql|proto|graphql|md|mdx|rst|adoc|"
    r"html|css|scss|tf|hcl|nix|cmake|dockerfile|snap|svg|ipynb)"
)
_EXAMPLE = re.compile(
    r"^\.env\.(?:.*[._-])?(?:example|sample|template|tmpl|dist|defaults?|schema|d\.ts)$"
    rf"|\.(?:example|sample|template|tmpl|dist)(?:\.\w+)?$|^id_\w+\.pub$|^id_\w+\.{_CODE}$"
)
_NAME = re.compile(
    r"^\.env(?:$|[.rc_~-].*)|.\.env$|^\.flaskenv$|^env\.(?:local|prod\w*|dev\w*|stag\w*)$"
    r"|\.tfvars(?:\.json)?$|^dotenv$|^(?:keystore|signing|release)\.properties$|^cookies\.txt$"
    r"|^(?:.*[._-])?(?:access|root)[_-]?keys?(?:[._-].*)?\.csv$|^kaggle\.json$"
    r"|\.(?:pem|key|p8|p12|pfx|pkcs12|jks|bks|keystore|truststore|keytab|kdbx?|ppk|agekey|gpg|pgp"
    r"|ovpn|secrets?|tfstate(?:\.backup)?)$"
    r"|^id_(?:rsa|dsa|ecdsa|ed25519)|^ssh_host_\w+_key$"
    r"|^[._]netrc$|^\.pgpass(?:$|\.)|^\.my\.cnf$|^\.mylogin\.cnf$|^\.pypirc$|^\.git-credentials$"
    r"|^\.?htpasswd$|\.htpasswd$|^\.dockercfg$|^\.s3cfg$|^\.boto$|^\.vault-token$|^\.?vault[_-]pass(?:word)?"
    r"|^\.(?:ba|z|k|tc)?sh_history$|^\.\w+_history$|^\.claude\.json$|^\.?kubeconfig(?:$|\.)"
    r"|^client_secrets?(?:_.*)?\.json$|^(?:.*[-_.])?service[-_]?account(?:[-_.].*)?\.json$"
    r"|firebase-adminsdk.*\.json$"
)
_OLDER = re.compile(r"(?:\.(?:bak|backup|old|orig|save|swp|copy|\d{1,8})|~)+$")  # a copy of another
# these words name code as well: only what is no source is taken for the secret itself
_WORD = re.compile(
    r"(?:^|[._-])(?:credentials?|creds|secrets?|passwords?|passwd|(?:api|private|secret)[_-]?keys?"
    r"|(?:access|auth|refresh)[_-]?tokens?)(?:$|[._-])|^\.?token(?:$|\.)"
)
_SOURCE = re.compile(rf"\.{_CODE}$")
_FOLDER = re.compile(
    r"/(?:\.envs|\.aws|\.ssh|\.gnupg|\.azure|\.kube|\.docker|\.password-store|\.config/(?:gcloud|gh|op|hub))"
    r"(?:/|$)"
)
_TELLING = re.compile(  # files that hold a token, or do not
    r"(?:^|/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|\.gitconfig|\.git/config|nuget\.config"
    r"|auth\.json|\.curlrc|\.wgetrc)(?:\.\w+)?$"
)
_TOKEN = re.compile(
    r"(?:_auth(?:token)?|npmauthtoken|npmauthident|password|cleartextpassword|oauth|bearer|token)"
    r"[\"']?\s*[=:]|\w://[^/\s:@]+:[^/\s@]+@|authorization",
    re.IGNORECASE,
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-\d")
_CLOUD_KEY = re.compile(
    r"aws_secret_access_key[\"']?\s{0,4}[=:]\s{0,4}[\"']?[A-Za-z0-9/+]{30}", re.IGNORECASE
)
_KEY_WORDS = (b"PRIVATE KEY", b"PuTTY-User-Key", b"aws_secret_access_key", b"AWS_SECRET_ACCESS_KEY")
_HEAD = 100_000  # characters of a file that may tell


def by_name(path: str) -> bool:
    """Whether a file of this absolute path is one that holds secrets, whatever is in it."""
    lowered = path.lower()
    name = _OLDER.sub("", lowered.rsplit("/", 1)[-1])
    if _FOLDER.search(lowered):
        return True
    if _EXAMPLE.search(name):
        return False
    return bool(_NAME.search(name)) or bool(_WORD.search(name) and not _SOURCE.search(name))


def by_text(path: str, text: str) -> bool:
    """Whether the text shows it: a private key, or a token where tools keep theirs.

    In source, what is no key at its beginning is a test or an example.
    """
    lowered = path.lower()
    is_source = _SOURCE.search(lowered)
    if _PRIVATE_KEY.match(text[:200].lstrip()):
        return True
    if not is_source and (_PRIVATE_KEY.search(text[:_HEAD]) or _CLOUD_KEY.search(text[:_HEAD])):
        return True
    return bool(_TELLING.search(lowered) and _TOKEN.search(text[:_HEAD]))


def by_bytes(path: str, data: bytes) -> bool:
    """The same of a file as it was read."""
    may_be_key = any(one in data for one in _KEY_WORDS)
    if not may_be_key and not _TELLING.search(path.lower()):
        return False
    return by_text(path, data[: 4 * _HEAD].decode("utf-8", "replace"))
