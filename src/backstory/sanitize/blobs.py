"""Images and other binary data in text become `[image/png, n bytes]`: what it was, and how big."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_LEAST = 512  # characters of base64 in one run; shorter runs may be anything
_LEAST_HEX = 1024

_DATA_URL = re.compile(
    r"data:(?P<mime>[\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,(?P<body>[A-Za-z0-9+/=_%-]*)"
)
_RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{_LEAST},}}={{0,2}}")
_HEX_RUN = re.compile(
    rf"(?<![A-Za-z0-9])(?:0x)?(?P<body>[0-9A-Fa-f]{{{_LEAST_HEX},}})(?![A-Za-z0-9])"
)
_BREAK = r"(?:\r?\n[ \t]*|(?:\\r)?\\n)"
_LINES = re.compile(
    rf"(?:(?<![A-Za-z0-9+/])|(?<=\\n))[A-Za-z0-9+/]{{60,76}}(?:{_BREAK}[A-Za-z0-9+/]{{60,76}}){{19,}}"
    rf"(?:{_BREAK}[A-Za-z0-9+/]{{1,76}}={{0,2}}(?![A-Za-z0-9+/=]))?"
)
_HEX_LINES = re.compile(
    r"(?:^[0-9A-Fa-f]{6,16}:?[ \t]+(?:[0-9A-Fa-f]{2,8}[ \t]{1,3}){4,17}[^\n]*\n?){32,}",
    re.MULTILINE,
)
_HEX_PAIRS = re.compile(rf"(?:\b(?:0x)?[0-9A-Fa-f]{{2}}\b[\s:,]{{1,3}}){{{_LEAST_HEX // 2},}}")
# In every dump there is such a stretch; looking for it is cheaper than looking for a dump.
_HEX_HINT = re.compile(
    r"(?:[0-9A-Fa-f]{2}){1,4}[\s:,]{1,3}(?:(?:0x)?(?:[0-9A-Fa-f]{2}){1,4}[ \t\n:,]{1,3}){3}"
)
_MAGIC = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi": "application/pdf",
    "UEsDB": "application/zip",
    "H4sI": "application/gzip",
    "AGFzbQ": "application/wasm",
}
_MIME_KEYS = ("media_type", "mimeType", "mime_type", "mediaType", "type")
_DATA_KEYS = ("base64", "data", "blob")
_BASE64_ONLY = re.compile(r"[A-Za-z0-9+/_=\s-]+")


def shrink_blobs(text: str) -> str:
    """`text` with data URLs, long base64 and hex dumps replaced by their type and size."""
    if ";base64," in text:
        text = _DATA_URL.sub(_data_url, text)
    if len(text) < _LEAST:
        return text
    longest = max(map(len, text.split()), default=0)
    if longest >= _LEAST:
        text = _RUN.sub(_run, text)
        text = _HEX_RUN.sub(_hex_run, text)
    if longest >= 60 and (text.count("\n") >= 19 or text.count("\\n") >= 19):
        text = _LINES.sub(_lines, text)
    if _HEX_HINT.search(text):
        text = _HEX_LINES.sub(_hex_lines, text)
        text = _HEX_PAIRS.sub(lambda match: _label("hex", _pairs(match[0])) + match[0][-1], text)
    return text


def shrink_image(block: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON object whose base64 field (an image block's, a Read's) is replaced by its label."""
    mime = next(
        (
            block[key]
            for key in _MIME_KEYS
            if isinstance(block.get(key), str) and "/" in block[key] and len(block[key]) < 100
        ),
        "",
    )
    shrunk = dict(block)
    if mime or "base64" in (block.get("type"), block.get("encoding")) or "base64" in block:
        for key in _DATA_KEYS:
            body = block.get(key)
            if isinstance(body, str) and len(body) >= 16 and _BASE64_ONLY.fullmatch(body):
                shrunk[key] = _label(mime or _type_of(body), _decoded_size(body))
    return shrunk


def _label(what: str, size: int) -> str:
    return f"[{what}, {size} bytes]"


def _type_of(body: str) -> str:
    return next((mime for magic, mime in _MAGIC.items() if body.startswith(magic)), "base64")


def _decoded_size(body: str) -> int:
    digits = len("".join(body.split()).rstrip("="))
    return digits * 3 // 4


def _data_url(match: re.Match[str]) -> str:
    body = match["body"].replace("%2B", "+").replace("%2F", "/").replace("%3D", "=")
    return _label(match["mime"] or _type_of(body), _decoded_size(body))


def _run(match: re.Match[str]) -> str:
    body = match[0]
    sample = body[:4096]
    has_all = any(c.isdigit() for c in sample) and sample.upper() != sample != sample.lower()
    # A long path or one letter many times over is text.
    if not has_all or len(set(sample)) < 24 or sample.count("/") > len(sample) // 12:
        return body
    return _label(_type_of(body), _decoded_size(body))


def _hex_run(match: re.Match[str]) -> str:
    body = match["body"]
    return _label("hex", len(body) // 2) if len(set(body[:4096])) > 8 else match[0]


def _lines(match: re.Match[str]) -> str:
    body = match[0]
    sample = body[:4096]
    if not any(c.isdigit() for c in sample) or sample.upper() == sample:
        return body
    digits = re.sub(r"\\[rn]|\s", "", body)
    return _label(_type_of(body), _decoded_size(digits))


def _hex_lines(match: re.Match[str]) -> str:
    size = sum(
        len(re.sub(r"[ \t]", "", re.split(r" {2,}\S*$|\t", line.split(None, 1)[1])[0])) // 2
        for line in match[0].splitlines()
        if " " in line.strip()
    )
    return _label("hex", size) + ("\n" if match[0].endswith("\n") else "")


def _pairs(text: str) -> int:
    return len(re.findall(r"\b(?:0x)?[0-9A-Fa-f]{2}\b", text))
