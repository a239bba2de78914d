"""Which names promise a credential, and which values could be one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple


class Promise(NamedTuple):
    """What a name says about its value."""

    kind: str  # "password", "token", "secret", "key", "cookie", "authorization"
    sure: bool  # False: only a value that looks random is taken for a credential


def words(text: str) -> frozenset[str]:
    """The set of the words in `text`."""
    return frozenset(text.split())


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# "DB_PASSWORD_PROD", "SECRET_KEY_BASE": what may follow the word that counts.
_TAILS = words(
    "base value prod production dev staging live test main old new current str string text plain "
    "plaintext b64 base64 default"
)
_PASSWORDS = words("password passwd pwd passphrase passcode passw pw")
_SURE_TOKENS = words(
    "access auth refresh bearer session id bot api personal secret security user admin app oauth "
    "github gitlab npm slack deploy ci vault jwt pat hf webhook telegram discord x"
)
_OTHER_TOKENS = words(
    "next page pad eos bos unk sep cls mask stop start end special continuation cancellation "
    "cancel sync cursor max min num total input output prompt first last peek parse prev"
)
_SURE_KEYS = words(
    "api access secret private client auth account encryption signing master storage service "
    "license admin deploy webhook app server jwt hmac aes ssh shared subscription consumer "
    "function crypt crypto bot openai anthropic stripe"
)
_OTHER_KEYS = words(
    "public primary foreign cache sort partition unique index row group hash map dict idempotency "
    "lookup object query route react translation config dedup compound composite natural "
    "surrogate storage record item registry"
)
_COMPACT = re.compile(
    r"(?:(?P<key>(?:api|access|secret|private|auth|account|client)key)"
    r"|(?P<token>(?:access|auth|refresh|bearer|session|api|bot)token)"
    r"|(?P<password>password|passwd|passphrase)|(?P<secret>secret))$"
)

# A value made of nothing but such words is a name, a type or a stand-in.
_FILLER = words(
    "a access admins an any api app array auth authorization b bar basic baz be bearer bool boolean"
    " buffer byte bytes c change changed changeme char client cls confirm confirmation cookie"
    " credential credentials current db default dummy empty encrypted enter env environ example"
    " fake false field file foo forgot from generated get goes here hidden id in input insert int"
    " invalid is key keys label local login masked me missing mock must my name needed never new"
    " nil no none not null number object off old omitted on optional option or os pass passphrase"
    " passwd password passwords path placeholder plain private process prompt public pwd random"
    " redacted removed repeat replace required reset sample secret secrets self server set some"
    " something str string tbd test text the this to todo token tokens true type undefined unknown"
    " unset user username value varchar var variable void with wrong x y yes you your z"
)
_TEMPLATE = re.compile(
    r"<[^>]*>?|\$\w+|%\w+%?|\{.*|\(.*|\[[\w -]*\]?|[&*]\w+|[#@]\{.*|.*\$[({].*|.*\$[A-Z_]{3,}.*"
    r"|.*(?:\{\{|<%|%s|%\(|\{\w*\}).*|.*<[\w -]+>.*|[.…]{2,}"
    r"|(?:os|process|import|env|secrets|vars|var|local|data|self|this)\.\w.*",
    re.DOTALL,
)
_NAME_PATH = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+[!?]?")
_CALL = re.compile(r"[\w.:>?-]*\w[!?]?[(\[].*", re.DOTALL)
_PROSE = re.compile(
    r"(?i)\b(?:your|the|must|please|enter|is|are|invalid|required|should|cannot|can't|not|for|and"
    r"|password|token|secret)\b|[.!?…:]$"
)
_SCHEME = re.compile(
    r"(?i)(?:bearer|basic|token|digest|api-?key|negotiate|ntlm|aws4-hmac-sha256|hmac|oauth|key|mac"
    r"|signature|jwt|hawk|sso-key|splunk|bot)[\s=:]+(?P<rest>\S.*)"
)
_SEGMENT = re.compile(r"[^._/:\s-]+")

Style = Literal["quoted", "env", "bare"]


@lru_cache(maxsize=4096)
def promise(name: str) -> Promise | None:
    """What `name`, an identifier, key or header name, promises; None if nothing."""
    parts = [word.lower() for word in _WORD.findall(name)]
    while len(parts) > 1 and (parts[-1] in _TAILS or parts[-1].isdigit()):
        parts.pop()
    if not parts:
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last in _PASSWORDS:
        return Promise("password", True)
    if last in ("secret", "credential", "credentials"):
        return Promise("secret", True)
    if last == "authorization":
        return Promise("authorization", True)
    if last in ("pass", "auth"):
        return Promise("password" if last == "pass" else "token", False)
    if last in ("cookie", "cookies"):
        return Promise("cookie", False)
    if last == "token":
        return None if before in _OTHER_TOKENS else Promise("token", before in _SURE_TOKENS)
    if last == "key" and before:
        if before in _SURE_KEYS:
            return Promise("key", True)
        return None if before in _OTHER_KEYS else Promise("key", False)
    compact = _COMPACT.search(last)
    return Promise(str(compact.lastgroup), True) if compact else None


def is_placeholder(value: str) -> bool:
    """Whether `value` only stands where a credential would: `<your-key>`, `$TOKEN`, `xxxx`."""
    if len(set(value)) <= 2 or _TEMPLATE.fullmatch(value) or "[redacted:" in value:
        return True
    parts = re.findall(r"[A-Za-z]+|\d+", value)
    if not parts or not value.isascii() or re.search(r"[^\w\s.,:;/-]", value):
        return False
    lowered = [piece.lower() for word in parts for piece in (_WORD.findall(word) or [word])]
    return all(word in _FILLER for word in lowered) or all(
        word.lower() in _FILLER for word in parts
    )


def looks_random(value: str) -> bool:
    """Whether no person would have chosen `value` as a name: letters and digits mixed."""
    if len(value) < 8 or any(c.isspace() for c in value) or "://" in value or value[0] in "./~":
        return False
    return any(_is_mixed(part, len(value)) for part in _SEGMENT.findall(value))


def could_be(value: str, promised: Promise, style: Style = "quoted") -> bool:
    """Whether `value`, under a name that promises this, is to be masked.

    `quoted` is a string literal or JSON string, `env` stands behind `NAME=` in an environment,
    `bare` anywhere else, where it may be code.
    """
    value = value[:256].strip()
    if promised.kind in ("authorization", "cookie"):
        return is_header_value(value, promised.kind) or (
            promised.kind == "cookie" and looks_random(value) and not is_placeholder(value)
        )
    if len(value) < 3 or is_placeholder(value):
        return False
    if not promised.sure and style != "env":
        return looks_random(value) and not _is_code(value, style)
    if style == "quoted":
        return not _is_label(value)
    if _is_code(value, style):
        return False
    if style == "env":
        return promised.kind != "key" or promised.sure or looks_random(value)
    if value.isdecimal():
        return promised.kind == "password" and len(value) >= 4
    if re.fullmatch(r"[A-Za-z_]\w*", value):
        return len(value) >= 6 and has_both(value)
    return any(c.isdigit() for c in value) or not re.fullmatch(r"[\w.,/|\[\]:?-]+", value)


def is_header_value(value: str, kind: str) -> bool:
    """Whether a header of this kind, "authorization" or "cookie", carries a credential."""
    if "[redacted:" in value[:10]:
        return False
    if kind == "cookie":
        return bool(re.match(r"[\w.%-]+=[^\s;$<{]{3,}", value))
    scheme = _SCHEME.match(value)
    if scheme:
        return not is_placeholder(scheme["rest"].split()[0].strip("\"'`,;"))
    return looks_random(value) and not is_placeholder(value) and "(" not in value


def has_both(value: str) -> bool:
    """Whether `value` has a letter and a digit."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_mixed(part: str, whole: int) -> bool:
    if len(part) < 6 or has_both(part):
        return len(part) >= 6
    # Without a digit only a wild change of case is random: "someCamelCaseName" is not.
    return min(whole, len(part)) >= 16 and len(part) < 3 * len(_WORD.findall(part))


def _is_code(value: str, style: Style) -> bool:
    if style == "quoted":
        return bool(_NAME_PATH.fullmatch(value))
    if style == "env":
        return bool(re.match(r"[A-Za-z_][\w.]*\(.*\)$", value))
    return bool(_NAME_PATH.fullmatch(value) or _CALL.match(value))


def _is_label(value: str) -> bool:
    """Text for people ("Enter your password", "Passwort") and paths of names, not a credential."""
    if " " in value:
        return bool(_PROSE.search(value)) or (value[0].isupper() and value[1:].islower())
    if value.isalpha():
        return not value.isascii() or (value[0].isupper() and value[1:].islower())
    if _NAME_PATH.fullmatch(value) and not any(c.isdigit() for c in value):
        return True
    return bool(re.match(r"(?:\.{0,2}|~|[A-Za-z]:)[/\\][\w./\\ -]*$", value))
