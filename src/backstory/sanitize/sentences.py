"""Passwords that a sentence tells, in other languages than English: "密码是 …", "Passwort: …"."""

from __future__ import annotations

import re

from backstory.sanitize.credentials import Promise, could_be, has_both, looks_random

_WORDS = (
    "password",  # as a loan word
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "パスフレーズ",
    "暗証番号",
    "비밀번호",
    "패스워드",
    "암호",
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "senha",
    "palavra-passe",
    "parola d'ordine",
    "пароль",
    "wachtwoord",
    "hasło",
    "lösenord",
    "heslo",
    "şifre",
    "mật khẩu",
    "كلمة المرور",
    "كلمة السر",
    "पासवर्ड",
)
_TOKENS = ("令牌", "トークン", "토큰", "密钥", "密鑰", "金鑰")  # counted and configured every day
_IS = "就是|是|为|為|は|が|는|은|이|가|هي|है|(?<=пароль )[—–-]"  # with or without a space behind
_IS_WORD = "ist|lautet|war|est|était|es|era|é|è|foi|это|был|is|was|jest|är|je|là"
_TOLD = re.compile(
    rf"(?P<word>{'|'.join(map(re.escape, _WORDS + _TOKENS))})[\"'」』]?[ \t\u3000]*+"
    rf"(?:(?P<sign>[:=\uff1a\uff1d])|(?:{_IS}|(?:{_IS_WORD})(?!\w))[ \t]*+[:\uff1a]?)"
    r"[ \t\u3000]*+[\"'`“‘「『„«]?[ \t]*+"
    r"(?P<secret>(?![\"'`])[!-~\u00c0-\u024f][!-~\u00c0-\u024f\u1e00-\u1eff]{3,199})"
)
_ENDS = "\"'`.,;:)]}>!?"
_PASSWORD = Promise("password", True)
_LEAST = 6  # characters, where only a verb says that it is one

# What a password is said to be made by, checked in or stored as: no password itself.
_ALGORITHM = re.compile(
    r"(?:md[245]|sha[-_]?\d{0,3}|(?:[hrep]s|p-?|nist-?p-?|sm)\d{1,3}|3?des|aes[-_]?\d{0,3}"
    r"|rsa[-_]?\d{0,4}|ecdsa|eddsa|(?:ed|x|curve)(?:25519|448)|secp\d{3}[kr]1|x?chacha20"
    r"|poly1305|hmac|pbkdf2|bcrypt|scrypt|argon2(?:id|[id])?|blake[23][bs]?|ripemd\d{3}|crc\d{2}"
    r"|base\d{2}|utf-?\d{1,2}|oauth[12]?|oidc|saml2?|jwt|jwe|jws|pkcs\d*|fido2?|[ht]otp|ntlm"
    r"v?2?|tls|ssl|pgp|gpg)(?:[-_/.+:,][a-z\u00c0-\u024f]*(?:\d{1,4}[a-z]{0,2})?)*"
)
_PLACE = re.compile(
    r"[\w./@-]*\w\.(?:[cm]?[jt]sx?|pyi?|ipynb|go|rs|java|kts?|rb|php|c|h|cc|cpp|hpp|cs|swift|scala"
    r"|exs?|dart|lua|proto|tf|gradle|sql|sh|bash|vue|svelte|md|txt|rst|json|ya?ml|toml|ini|env|cfg"
    r"|conf|properties|lock|html?|s?css|xml|csv|log|pem|pub|key|crt|cer|p12|jks)"
    r"(?:[:#]l?\d+(?:[:-]l?\d+)?)?|https?://[^@\s]*"
)
_AMOUNT = re.compile(
    r"v?\d+(?:\.\d+)+(?:[-+][\w.]+)?|\d{4}-\d\d-\d\d.*"
    r"|\d+-?(?:bits?|bytes?|chars?|days?|hours?|h|d|s|ms|min|mins?|kb|mb)"
)
_NAME = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+\d?|[a-z]+(?:_[a-z]+)+_?v?\d{1,2}")
_OF_CODE = re.compile(
    r"(?i)hash|field|column|salt|digest|input|form|key|id(?![a-z])|token|valid|service|reset|user"
    r"|request|encod|crypt"
)
_MODEL = re.compile(
    r"[a-z]*(?:\d{1,3}[a-z]?)?(?:[-._/:@][a-z]*(?:\d{1,3}[a-z]?)?)*"
)  # and its version


def redact_sentences(text: str, low: str, counts: dict[str, int]) -> str:
    """Masks what a sentence calls a password. low: the text in lower case, of the same length."""
    if not any(word in low for word in _WORDS + _TOKENS):
        return text
    pieces, at = [], 0
    for match in _TOLD.finditer(low):
        start, end = match.span("secret")
        value = text[start:end].rstrip(_ENDS)
        sign, is_token = match["sign"] or "", match["word"] in _TOKENS
        if match["word"] == _WORDS[0] and sign and sign in ":=":
            continue  # those are looked at as assignments
        if is_told_of(value) or not (_is_token(value) if is_token else _is_password(value, sign)):
            continue
        kind = "token" if is_token else "password"
        pieces += [text[at:start], f"[redacted:{kind}]"]
        counts[kind] = counts.get(kind, 0) + 1
        at = start + len(value)
    return "".join(pieces) + text[at:] if pieces else text


def is_told_of(value: str) -> bool:
    """Whether `value` is what is told of passwords every day: an algorithm, a place in the source,
    a version, an amount, the name of something in code."""
    low = value.lower()
    if any(shape.fullmatch(low) for shape in (_ALGORITHM, _PLACE, _AMOUNT)):
        return True
    return bool(_NAME.fullmatch(value) and _OF_CODE.search(value))


def _is_token(value: str) -> bool:
    return looks_random(value) and not _MODEL.fullmatch(value.lower())


def _is_password(value: str, sign: str) -> bool:
    if not could_be(value, _PASSWORD, "bare"):
        return False
    return bool(sign) or (len(value) >= _LEAST and (value.isdecimal() or has_both(value)))
