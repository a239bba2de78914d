"""Passwords that a sentence tells, in other languages than English: "密码是 …", "Passwort: …"."""

from __future__ import annotations

import re

from backstory.sanitize.credentials import Promise, could_be, has_both, is_placeholder

_WORDS = (
    "password",  # as a loan word
    "密码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "金鑰",
    "令牌",
    "パスワード",
    "パスフレーズ",
    "暗証番号",
    "トークン",
    "비밀번호",
    "패스워드",
    "암호",
    "토큰",
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
_IS = "就是|是|为|為|は|が|는|은|이|가|هي|है|(?<=пароль )[—–-]"  # with or without a space behind
_IS_WORD = "ist|lautet|war|est|était|es|era|é|è|foi|это|был|is|was|jest|är|je|là"
_TOLD = re.compile(
    rf"(?P<word>{'|'.join(map(re.escape, _WORDS))})[\"'」』]?[ \t\u3000]*"
    rf"(?:(?P<sign>[:=\uff1a\uff1d])|(?:{_IS}|(?:{_IS_WORD})(?!\w))[ \t]*[:\uff1a]?)"
    r"[ \t\u3000]*[\"'`“‘「『„«]?[ \t]*(?P<secret>[!-~]{4,200})"
)
_ENDS = "\"'`.,;:)]}>!?"
_PASSWORD = Promise("password", True)
_LEAST = 6  # characters, where only a verb says that it is one


def redact_sentences(text: str, low: str, counts: dict[str, int]) -> str:
    """Masks what a sentence calls a password. low: the text in lower case, of the same length."""
    if not any(word in low for word in _WORDS):
        return text
    pieces, at = [], 0
    for match in _TOLD.finditer(low):
        start, end = match.span("secret")
        value = text[start:end].rstrip(_ENDS)
        if match["word"] == _WORDS[0] and match["sign"] and match["sign"] in ":=":
            continue  # those are looked at as assignments
        if not _is_secret(value, bool(match["sign"])):
            continue
        pieces += [text[at:start], "[redacted:password]"]
        counts["password"] = counts.get("password", 0) + 1
        at = start + len(value)
    return "".join(pieces) + text[at:]


def _is_secret(value: str, has_sign: bool) -> bool:
    if has_sign:
        return could_be(value, _PASSWORD, "bare")
    if len(value) < _LEAST or is_placeholder(value):
        return False
    return value.isdecimal() or has_both(value)
