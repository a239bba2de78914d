"""The one door before every sink: whatever is stored, sent or shown went through here.

In order: control characters, recalled blocks, private tags, blobs, credentials, size. Control
characters go first, because an invisible one can hide a tag or split a key; size comes last, so
that a cut never leaves half a key.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from backstory.sanitize import private
from backstory.sanitize.blobs import shrink_blobs, shrink_image
from backstory.sanitize.credentials import Promise, could_be, promise
from backstory.sanitize.secrets import closes_private_key, opens_private_key, redact

Counts = dict[str, int]

MAX_DEPTH = 100
MAX_ITEMS = 2_000  # elements of one list, keys of one object
MAX_NODES = 100_000
MAX_KEY = 256  # characters of an object's key
_MARGIN = 16_384  # characters behind a limit that are looked at too: no key is longer

_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours and cursor
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\|(?=\n)|$)"  # titles, links
    r"|\x1b[ -/]*[0-~]"
)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_ASCII_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_URL = re.compile(r"(?i)\b(?:[a-z][a-z0-9+.-]*://|www\.|mailto:|javascript:|data:)\S*")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_ARROWS = {"<->": "↔", "<=>": "⇔", "->": "→", "<-": "←", "=>": "⇒", ">=": "≥", "<=": "≤"}
_BRACKETS = str.maketrans(dict.fromkeys("<>＜＞〈〉《》«»‹›⟨⟩", " "))


def clean_text(text: str, limit: int = 65_536) -> str:
    """`text` as it may be stored: at most `limit` characters, the middle cut out of longer ones."""
    return _clean(text, limit, {})


def clean_value(
    value: Any, *, field_limit: int = 65_536, total_limit: int = 524_288
) -> tuple[Any, Counts]:
    """A JSON value as it may be stored, and how many credentials of each kind were masked.

    `field_limit` bounds each string and `total_limit` all of them together, in characters. Never
    raises: what is no JSON becomes text, what is too deep or too many becomes a marker.
    """
    counts: Counts = {}
    tree = _Plain().read(value)
    if _mentions(tree, "private"):
        tree = private.cut_private_value(tree)
    tree = _clean_tree(tree, field_limit, counts)
    return _fit(tree, total_limit), counts


def clean_title(text: str, limit: int = 100) -> str:
    """One line that can do nothing but be read: no markup, links or invisible characters."""
    text = _LINK.sub(r"\1", clean_text(text, 4_096))
    text = _URL.sub(" ", text)
    for arrow, sign in _ARROWS.items():
        text = text.replace(arrow, sign)
    text = " ".join(text.translate(_BRACKETS).split())
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 0)]
    if not text[len(head)].isspace() and " " in head[limit // 2 :]:
        head = head[: head.rindex(" ")]
    return head.rstrip(" ,;:.-–—") + "…"


def plain(text: str) -> str:
    """`text` without control, bidi and zero-width characters and terminal colours."""
    if text.isascii():
        if not _ASCII_CONTROL.search(text):
            return text
    elif not _INVISIBLE.search(text) and not _SURROGATE.search(text):
        return text
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _INVISIBLE.sub("", text))


def cut_middle(text: str, limit: int) -> str:
    """At most `limit` characters of `text`: its head, its tail, and what was cut between."""
    if len(text) <= limit:
        return text
    room = limit - len(_cut_mark(len(text)))
    if room < 16:
        return text[: max(limit, 0)]
    head = room * 2 // 3
    tail = room - head
    return f"{text[:head]}{_cut_mark(len(text) - room)}{text[-tail:]}"


def _cut_mark(count: int) -> str:
    return f"\n[… {count} characters cut …]\n"


def _clean(text: str, limit: int, counts: Counts) -> str:
    text = _without_recalled(plain(text))
    text = shrink_blobs(private.cut_private_text(text))
    window = limit + _MARGIN
    if len(text) <= 2 * window:
        return cut_middle(_redact(text, counts), limit)
    # Only the ends are kept, so only they are searched. What lies next to the gap is dropped
    # again: there a key may have lost the end that it is known by.
    cut = len(text) - 2 * window
    head, tail = _redact(text[:window], counts), _redact(text[-window:], counts)
    head, tail = head[: -_MARGIN // 2], tail[_MARGIN // 2 :]
    room = max(limit - len(_cut_mark(len(text))), 0)
    cut += 2 * window - room
    head_room = min(len(head), room * 2 // 3)
    tail_room = min(len(tail), room - head_room)
    kept_tail = tail[len(tail) - tail_room :]
    return f"{head[:head_room]}{_cut_mark(cut)}{kept_tail}"[: max(limit, 0)]


def _redact(text: str, counts: Counts) -> str:
    text, found = redact(text)
    for kind, count in found.items():
        counts[kind] = counts.get(kind, 0) + count
    return text


def _without_recalled(text: str) -> str:
    """Without what memory itself put into the session: it must not come back as new."""
    if "backstory-memory" not in text.lower():
        return text
    kept: list[str] = []
    at = depth = 0
    for tag in private.tag_pattern("backstory-memory").finditer(text):
        if not depth:
            kept.append(text[at : tag.start()])
        at = tag.end()
        if tag["close"]:
            depth = max(depth - 1, 0) if tag["whole"] else depth
        else:
            depth += 1
    return "".join(kept) + ("" if depth else text[at:])


class _Plain:
    """Reads any value into a JSON tree of bounded depth and size, its strings cleaned."""

    def __init__(self) -> None:
        self.nodes = 0

    def read(self, value: Any, depth: int = 0) -> Any:
        self.nodes += 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return plain(str(value))
        if isinstance(value, int):
            return int(value) if abs(value) < 10**300 else "[a huge number]"
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return plain(bytes(value).decode("utf-8", "replace"))
        if depth >= MAX_DEPTH or self.nodes > MAX_NODES:
            return "[… nested too deeply or too large …]"
        if isinstance(value, dict):
            return self._dict(value, depth)
        if isinstance(value, (list, tuple, set, frozenset)):
            return self._list(list(value), depth)
        return f"[{type(value).__name__}]"

    def _dict(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        items = list(value.items())
        tree = {
            self._key(key): self.read(item, depth + 1)
            for key, item in items[:MAX_ITEMS]
            if self.nodes <= MAX_NODES
        }
        if len(tree) < len(items) and len(items) > MAX_ITEMS:
            tree[f"[… {len(items) - MAX_ITEMS} keys cut …]"] = None
        return tree

    def _key(self, key: Any) -> str:
        text = key if isinstance(key, str) else str(self.read(key, MAX_DEPTH))
        return plain(text)

    def _list(self, items: list[Any], depth: int) -> list[Any]:
        head = tail = items
        if len(items) > MAX_ITEMS:
            head, tail = items[: MAX_ITEMS * 2 // 3], items[-(MAX_ITEMS // 3) :]
        tree = [self.read(item, depth + 1) for item in head if self.nodes <= MAX_NODES]
        if len(items) > MAX_ITEMS:
            tree.append(f"[… {len(items) - len(head) - len(tail)} elements cut …]")
            tree += [self.read(item, depth + 1) for item in tail if self.nodes <= MAX_NODES]
        return tree


def _mentions(tree: Any, word: str) -> bool:
    if isinstance(tree, str):
        return word in tree.lower() or "\\u00" in tree
    if isinstance(tree, dict):
        return any(_mentions(key, word) or _mentions(item, word) for key, item in tree.items())
    return isinstance(tree, list) and any(_mentions(item, word) for item in tree)


def _clean_tree(tree: Any, limit: int, counts: Counts, promised: Promise | None = None) -> Any:
    if isinstance(tree, str):
        if promised and could_be(tree, promised):
            counts[promised.kind] = counts.get(promised.kind, 0) + 1
            return f"[redacted:{promised.kind}]"
        return _clean(tree, limit, counts)
    if isinstance(tree, dict):
        return _clean_object(tree, limit, counts)
    if promised and promised.kind == "password" and type(tree) is int and abs(tree) > 999:
        return _clean_tree(f"#{tree}", limit, counts, promised)  # the sign makes it no number
    if isinstance(tree, list):
        return _clean_list(tree, limit, counts, promised)
    return tree


def _clean_object(tree: dict[str, Any], limit: int, counts: Counts) -> dict[str, Any]:
    named = tree.get("name", tree.get("key", tree.get("header")))
    pair = promise(named[:MAX_KEY]) if isinstance(named, str) else None
    cleaned = {}
    for key, item in shrink_image(tree).items():
        promised = pair if key == "value" else promise(key[:MAX_KEY])
        cleaned[_clean(key, MAX_KEY, counts)] = _clean_tree(item, limit, counts, promised)
    return cleaned


def _clean_list(tree: list[Any], limit: int, counts: Counts, promised: Promise | None) -> list[Any]:
    cleaned: list[Any] = []
    if len(tree) == 2 and isinstance(tree[0], str):  # a header as a pair
        promised = promised or promise(tree[0][:MAX_KEY])
    in_key = False  # a private key whose lines are the elements of this list
    for item in tree:
        if in_key and isinstance(item, str):
            in_key = not closes_private_key(item)
            cleaned.append("[redacted:private_key]")
            continue
        if isinstance(item, str) and opens_private_key(item):
            in_key = True
            counts["private_key"] = counts.get("private_key", 0) + 1
        cleaned.append(_clean_tree(item, limit, counts, promised))
    return cleaned


def _fit(tree: Any, limit: int) -> Any:
    """Cuts the longest strings first, all to one length, until everything fits."""
    sizes: list[int] = []
    fixed = _measure(tree, sizes)
    if fixed + sum(sizes) <= limit:
        return tree
    room = limit - fixed
    cap = 0
    for index, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - index)
        if size > share:
            cap = max(share, 0)
            break
        room -= size
    if cap >= 32:
        return _cap_strings(tree, cap)
    text = cut_middle(json.dumps(tree, ensure_ascii=False), limit)
    return {"cut": text} if isinstance(tree, dict) else text


def _measure(tree: Any, sizes: list[int]) -> int:
    """The characters that are not in string values; the lengths of those go to `sizes`."""
    if isinstance(tree, str):
        sizes.append(len(tree))
        return 3
    if isinstance(tree, dict):
        return 2 + sum(len(key) + 4 + _measure(item, sizes) for key, item in tree.items())
    if isinstance(tree, list):
        return 2 + sum(_measure(item, sizes) for item in tree)
    return len(str(tree)) + 1


def _cap_strings(tree: Any, cap: int) -> Any:
    if isinstance(tree, str):
        return cut_middle(tree, cap)
    if isinstance(tree, dict):
        return {key: _cap_strings(item, cap) for key, item in tree.items()}
    if isinstance(tree, list):
        return [_cap_strings(item, cap) for item in tree]
    return tree
