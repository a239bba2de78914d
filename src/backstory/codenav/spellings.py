"""Names as compilers, debuggers and stack traces print them, brought to the form of an outline.

What stands for another type or package is never dropped: `Order.total` is not `Cart.total`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_RECEIVER = re.compile(
    r"^(?:func\s*)?\(\s*(?:\w+\s+)?[*&]?\s*([\w.]+)(?:\[[^\]]*\])?\s*\)\s*\.?\s*(?=\w)"
)
_POINTER = re.compile(r"(?<=\.)\(\*(\w+)\)(?=\.)")
_AS_TRAIT = re.compile(r"<\s*([\w:]+)(?:<[^<>]*>)?\s+as\s+[\w:<>, ]+>")
_START = re.compile(
    r"^(?:crate|super|self|\$this|module\.exports|exports|global|globalThis|window)(?:::|->|\.)(?=\w)"
)
_INNER = re.compile(r"\.(?:<locals>|prototype)(?=\.)")
_PACKAGE = re.compile(r"^(?:[a-z_][\w$]*(?:\.|::|/))+(?=[A-Z])")
_OPERATOR = re.compile(r"\boperator\b\s*")
_ARGUMENTS = re.compile(r"\(([^()]*)\)\s*(?:const)?\s*;?$")
_WORD = re.compile(r"[^\W\d]\w*")
_PAIRS = {"<": ">", "[": "]"}
_MOST = 500  # characters


def others(name: str) -> Iterator[str]:
    """Other ways to write a name, the nearest first; each once, and never the name itself."""
    text = name.strip()[:_MOST]
    seen = {text}
    for change in (_trait, _receiver, _start, _without_types, _package):
        text = change(text)
        if text and text not in seen:
            seen.add(text)
            yield text
    if text.endswith("!") and text[:-1]:
        yield text[:-1]
    if found := _OPERATOR.search(text):
        before, after = text[: found.start()], text[found.end() :]
        for gap in ("", " "):
            if (other := f"{before}operator{gap}{after}") not in seen:
                yield other


def _trait(text: str) -> str:
    return _AS_TRAIT.sub(r"\1", text)


def _receiver(text: str) -> str:
    return _POINTER.sub(r"\1", _RECEIVER.sub(r"\1.", text))


def _start(text: str) -> str:
    return _INNER.sub("", _START.sub("", text))


def _package(text: str) -> str:
    """Without the package before a type: a part in small letters is no type."""
    return _PACKAGE.sub("", text)


def _without_types(text: str) -> str:
    """Without what stands between angle or square brackets: arguments of types."""
    if _OPERATOR.search(text) or not any(opening in text for opening in _PAIRS):
        return text
    kept: list[str] = []
    open_: list[str] = []
    for at, char in enumerate(text):
        if char in _PAIRS and not text.startswith(("<=", "<<", "[]"), at):
            open_.append(_PAIRS[char])
        elif open_ and char == open_[-1] and text[at - 1] not in "-=":
            open_.pop()
        elif not open_:
            kept.append(char)
    return "" if open_ else "".join(kept).replace("::::", "::").replace("..", ".").strip(": .")


def arguments(name: str) -> list[str] | None:
    """The words of the types in a name's own brackets, `m(String, int)`; None without brackets."""
    found = _ARGUMENTS.search(name.strip())
    return _WORD.findall(found[1]) if found else None


def takes(signature: str, words: list[str]) -> bool:
    """Whether a signature's parameters hold these words, in this order."""
    opened = signature.find("(")
    rest = iter(_WORD.findall(signature[opened:])) if opened >= 0 else iter(())
    return all(any(word == one for one in rest) for word in words)


def count(text: str) -> int:
    """How many parameters stand in the first round brackets of a signature or a name."""
    inside = text[text.find("(") + 1 :]
    depth = commas = 0
    for char in inside:
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
            if depth < 0:
                break
        elif char == "," and not depth:
            commas += 1
    return commas + 1 if inside.strip(") ") else 0


def is_head(signature: str, text: str) -> bool:
    """Whether a text is how a signature begins, up to the end of a word."""
    wanted = " ".join(text.split()).rstrip("{:; ")
    said = " ".join(signature.split())
    if len(wanted.split()) < 2 or not said.startswith(wanted):
        return False
    return not said[len(wanted) : len(wanted) + 1].strip("({[<:;, =")
