"""Text that is safe to keep as a title or a fact: plain, short, and no order to anyone."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from backstory.estimate import estimate_tokens as tokens

__all__ = [
    "TITLE_LIMIT",
    "fact",
    "is_order",
    "mark",
    "plain",
    "shorten",
    "strip_ansi",
    "title",
    "tokens",
]

TITLE_LIMIT = 100
FACT_LIMIT = 280
ASK_LIMIT = 220

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][A-Z0-9])")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_SPACE = re.compile(r"\s+")
_URL = re.compile(r"\b(?:https?|ftp|wss?)://[^\s<>\"'`)\]]+", re.IGNORECASE)
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*")
_ITALIC = re.compile(r"(?<![\w*`/.])\*(\w[\w' -]{0,60}?)(?<=\w)\*(?![\w*])")
_MARKUP = re.compile(r"^#+\s+|^>\s+", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\n]{1,120})\]\((?:[^()\s]|\([^()\s]*\)){1,300}\)")

# Text in a tool's output may be addressed to the model. None of it is worth remembering as a
# sentence: it would be read back later as if somebody had asked for it.
_ORDERS = tuple(  # cheap signs in lower case, and what they must stand in
    (signs, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for signs, pattern in (
        (
            ("system", "assistant", "developer", "human"),
            r"\b(?:system|assistant|developer|human)(?:\s+(?:prompt|message|note|rule))?\s*[:>\]]",
        ),
        (
            ("instruction", "prompt", "rules", "message", "context"),
            (
                r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|earlier|all)\b"
                r".{0,30}\b(?:instructions?|prompts?|rules|messages?|context)"
                r"|\bnew\s+instructions?\s*:"
            ),
        ),
        (
            ("system", "instruction", "human>", "user>", "assistant>", "tool_result"),
            (
                r"</?\s*(?:system|system-reminder|instructions?|assistant|human|user|tool_result)"
                r"\b[^>\n]{0,40}>"
            ),
        ),
        (("now",), r"\byou\s+(?:are\s+now|must\s+now|should\s+now)\b"),
        (
            ("the user",),
            r"\b(?:do\s+not|don't|never)\s+(?:tell|inform|warn|mention\s+\w+\s+to)\s+the\s+user",
        ),
        (("curl", "wget"), r"\b(?:curl|wget)\b[^\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b"),
        (("指令", "指示", "提示"), r"忽略.{0,8}(?:之前|以上|所有|先前).{0,8}(?:指令|指示|提示)"),
        (("инструкци",), r"(?:игнорируй|забудь)\w*.{0,20}инструкци"),
    )
)
_SYSTEM_WORD = re.compile(r"(?:system|assistant|developer|human)\s*[:>\]]", re.IGNORECASE)


def strip_ansi(text: str) -> str:
    """The text without colours and cursor moves."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def plain(text: str) -> str:
    """One line without control, bidi and zero-width characters, markdown emphasis or links."""
    text = _INVISIBLE.sub(" ", strip_ansi(text))
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    if "*" in text:
        text = _ITALIC.sub(r"\1", text)
    return _SPACE.sub(" ", _MARKUP.sub("", text)).strip()


def is_order(text: str) -> bool:
    """Whether the text reads as an instruction to a model rather than as a finding."""
    low = text.lower()
    for signs, pattern in _ORDERS:
        if not any(sign in low for sign in signs):
            continue
        for found in pattern.finditer(text):
            # "system: linux" in a listing is no order; "SYSTEM:" in capitals is
            if not _SYSTEM_WORD.fullmatch(found.group()) or found.group().isupper():
                return True
    return False


def _wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words where there is one."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    if not _wide(text[limit - 1]):
        space = cut.rfind(" ")
        if space > limit * 0.6:
            cut = cut[:space]
    return cut.rstrip(" ,;:-–(、，") + "…"


def title(text: str) -> str:
    """A row's title: one line, at most 100 characters, no address and no angle brackets."""
    text = _URL.sub("", plain(text)).replace("<", "‹").replace(">", "›")
    text = _SPACE.sub(" ", text).lstrip(" 。;；,，:-").rstrip(" .。;；,，:-")
    return shorten(text, TITLE_LIMIT)


def fact(text: str, limit: int = FACT_LIMIT) -> str:
    """One finding as a line; "" when it is empty or reads as an order."""
    text = plain(text)
    if not text or is_order(text):
        return ""
    return shorten(text, limit)


def mark(text: str) -> str:
    """A short, stable name for a text: letter case, width and spacing do not change it."""
    same = _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()
    return hashlib.sha256(same.encode("utf-8", "replace")).hexdigest()[:12]
