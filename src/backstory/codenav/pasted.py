"""A pasted signature, or a sentence about one symbol: which name it means.

A signature is told by its beginning alone, since what people paste is often cut short.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PART = r"[^\W\d][\w$]*[?!]?"
_NAME = rf"[~@$]?{_PART}(?:(?:::~?|\.|#|->|\\){_PART})*"
# annotations and heads of templates, before the first word that tells
_BEFORE = re.compile(
    r"(?:@(?!interface\b)[\w.:]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s+|#\[[^\]]*\]\s*"
    r"|\[[A-Z]\w*(?:\([^()]*\))?\]\s*|template\s+(?=\w))+"
)
_GENERIC = re.compile(r"(?<!operator)\s?<[^<>(){};]*>")
_MODIFIER = (
    r"(?:async|export|default|declare|pub(?:\s*\([^()]*\))?|public|private|protected|internal"
    r"|fileprivate|open|static|abstract|final|sealed|override|virtual|inline|extern(?:\s+\"C\")?"
    r"|unsafe|const|constexpr|explicit|suspend|data|inner|operator|infix|tailrec|local|partial"
    r"|readonly|typedef|mutating|required|indirect|case|implicit|lazy|synchronized|default)"
)
_KEYWORDS = {
    "type": "class struct interface trait enum record union object protocol actor module namespace"
    " package defmodule mixin extension contract library @interface message service type typealias",
    "callable": "def defp defmacro fn func fun function sub proc macro method procedure #define",
    "value": "const let var val",
}
_KINDS = {word: kinds for kinds, words in _KEYWORDS.items() for word in words.split()}
_KEYWORD = re.compile(
    rf"(?:{_MODIFIER}\s+)*?(?P<word>{'|'.join(map(re.escape, _KINDS))})\b(?:\s+class\b)?\*?\s+"
    rf"(?P<name>{_NAME})(?P<rest>.*)",
    re.DOTALL,
)
_GOES_ON = re.compile(
    r"\s*(?:[(\[{:=;,|]|(?:extends|implements|with|where|do|as|permits|struct|interface|func|map)\b)"
)
_GO_METHOD = re.compile(rf"func\s*\(\s*(?:\w+\s+)?\*?\s*(?P<owner>\w+)[^()]*\)\s*(?P<name>{_PART})")
_IMPL = re.compile(
    rf"(?:unsafe\s+)?impl\s+(?:!?[\w:]+\s+for\s+)?(?:&\s*)?(?:mut\s+|dyn\s+)?(?P<name>{_NAME})"
    r"\s*(?:[{]|where\b|$)"
)
_SELECTOR = re.compile(rf"[-+]\s*\([^()]*\)\s*(?P<name>{_PART})")
_ASSIGNED = re.compile(
    rf"(?P<name>{_NAME})\s*(?::?=|:)\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>|lambda\b)"
)
_HASKELL = re.compile(r"(?P<name>[a-z_][\w']*)\s+::\s+\S")
_TABLE = re.compile(
    r"create\s+(?:or\s+replace\s+)?(?:\w+\s+)?(?P<word>table|view|function|procedure|trigger|type)"
    rf"\s+(?:if\s+not\s+exists\s+)?[`\"\[]?(?P<name>{_NAME})",
    re.IGNORECASE,
)
_TYPED = re.compile(
    rf"(?P<head>(?:[\w$.:*&?\[\]~,']+\s+[*&]*)*)(?P<name>{_NAME})(?P<space>\s*)(?P<end>[({{;=])"
    r"(?P<rest>.*)",
    re.DOTALL,
)
_AFTER = re.compile(
    r"\s*(?:$|[{;:=]|->|(?:const|noexcept|override|final|throws?|where|async|volatile)\b)"
)
_NO_TYPES = re.compile(
    r"(?:how|what|where|when|which|who|why|does|do|is|are|the|a|an|of|to|in|on|for|from|by|and|or|"
    r"not|if|else|while|return|new|delete|throw|raise|await|yield|assert|print|call|calls|use|"
    r"uses|find|show|import|include|with|elif|switch|match|case|except|catch|go|defer|echo)$",
    re.IGNORECASE,
)
_STATEMENTS = frozenset(("if", "for", "while", "switch", "catch", "return", "new"))
_PLAIN_TYPE = re.compile(
    r"(?:unsigned|signed|void|u?int(?:\d+(?:_t)?)?|char|bool(?:ean)?|long|short|float|double|size_t"
    r"|string|byte|static|const|struct|enum|extern|inline|public|private|protected)\b"
)
_SUBJECT = rf"[`']?(?P<name>{_NAME})[`']?\s*(?:\([^()]*\)?)?"
_ARTICLE = r"(?:(?:the|a)\s+)?(?:(?:function|method|class|type|interface|struct|symbol)\s+)?"
_DONE = "(?P<done>defined|declared|implemented|located|called|used|set|created)"
_DOES = "(?P<done>calls|uses|invokes|references|defines|implements|overrides)"
_SHOW = r"(?:(?:find|show|get|go\s+to|jump\s+to|open|see|me|the|all)\s+)*"
_ITS = (
    "(?P<done>definitions?|declarations?|implementations?|source|callers|usages?|uses|references)"
)
_SENTENCES = tuple(
    re.compile(rf"{one}(?:\s+in\s+th(?:e|is)\s+\w+)?\s*[?.!]*", re.IGNORECASE)
    for one in (
        rf"where\s+(?:is|are|was)\s+{_ARTICLE}{_SUBJECT}(?:\s+(?:being\s+)?{_DONE}(?:\s+from)?)?",
        rf"where\s+do\s+(?:we|i)\s+(?P<done>define|declare|call|use)\s+{_ARTICLE}{_SUBJECT}",
        rf"{_SHOW}{_ITS}\s+(?:of|to|for)\s+{_ARTICLE}{_SUBJECT}",
        rf"(?:who|what)\s+{_DOES}\s+{_ARTICLE}{_SUBJECT}",
        rf"(?:what|how)\s+does\s+{_ARTICLE}{_SUBJECT}\s+(?:do|work)",
        rf"{_SUBJECT}\s+{_ITS}",
    )
)
_CODE = re.compile(r"[_.:#()`$]|->|[a-z\d][A-Z]|\w+\d")
_MOST = 300  # characters of a text that are looked at


@dataclass(frozen=True, slots=True)
class Pasted:
    """The symbol that is meant."""

    name: str  # what it stands in before it
    kinds: str  # "type", "callable", "value", "impl"; "code" for types and what is called
    is_sure: bool = True  # no plain word of a question


def pasted(text: str) -> Pasted | None:
    """The symbol whose signature a text is, or about which it asks; None for any other text."""
    text = text[:_MOST].strip()
    for sentence in _SENTENCES:
        found = sentence.fullmatch(text)
        if found:
            is_sure = bool(_CODE.search(text))
            is_said = found.groupdict().get("done") is not None
            return Pasted(found["name"], "code", is_sure) if is_sure or is_said else None
    return _signature(text)


def _signature(text: str) -> Pasted | None:
    plain, count = text, 1
    while count:
        plain, count = _GENERIC.subn(" ", plain)
    plain = " ".join(plain.split()).replace(" (", "(") if plain != text else text
    plain = _BEFORE.sub("", plain, 1) if _BEFORE.match(plain) else plain
    for pattern, kinds in ((_GO_METHOD, "callable"), (_IMPL, "impl"), (_SELECTOR, "callable")):
        found = pattern.match(plain)
        if found:
            owner = found.groupdict().get("owner")
            return Pasted(f"{owner}.{found['name']}" if owner else found["name"], kinds)
    if found := _TABLE.match(plain):
        is_called = found["word"].lower() in ("function", "procedure")
        return Pasted(found["name"], "callable" if is_called else "type")
    found = _KEYWORD.match(plain)
    if found and _GOES_ON.match(found["rest"]):
        kinds = _KINDS[found["word"]]
        is_function = kinds == "value" and _ASSIGNED.match(found["name"] + found["rest"])
        return Pasted(found["name"], "callable" if is_function else kinds)
    for pattern in (_ASSIGNED, _HASKELL):
        if found := pattern.match(plain):
            return Pasted(found["name"].replace(".prototype.", "."), "callable")
    return _typed(plain, plain != text)


def _typed(text: str, was_generic: bool) -> Pasted | None:
    """A name that follows its type, as in C or Java."""
    found = _TYPED.match(text)
    if found is None or not (found["head"] or was_generic):
        return None
    is_typed = bool(_PLAIN_TYPE.match(text))
    if found["name"] in _STATEMENTS or any(_NO_TYPES.match(word) for word in found["head"].split()):
        return None
    if found["end"] != "(":
        return Pasted(found["name"], "value") if is_typed and found["head"] else None
    if found["space"] and not is_typed:
        return None
    rest = _behind(found["rest"])
    return Pasted(found["name"], "callable") if rest is None or _AFTER.match(rest) else None


def _behind(text: str) -> str | None:
    """What follows the bracket that closes the one before a text; None where it is cut short."""
    depth = 1
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if not depth:
            return text[at + 1 :]
    return None
