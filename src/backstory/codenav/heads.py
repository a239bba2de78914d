"""The short texts of a definition: its signature, and the first sentence of its documentation."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from backstory.codenav.captures import DETAILS, Definition, Range

SIGNATURE_LENGTH = 1_000
DETAIL_LENGTH = 120
DOC_LENGTH = 120

# what leads on to a body
_LAST_COMMA = re.compile(r",\s*\n\s*([)\]])")  # of a list with a line for each element
_CONTINUED = re.compile(r"\\(?=\r?\n)")  # a line that goes on in the next one
_STOPS = " {;,:"
_LEADS_ON = (" =", " do", " is", " begin", " then", " with")
# other heads of the same body, between #else and #endif, and the lines that tell them apart
_OTHER_HEADS = re.compile(
    rb"^[ \t]*#[ \t]*el(?:se|if|ifdef|ifndef)\b.*?(?:^[ \t]*#[ \t]*endif\b[^\n]*|\Z)"
    rb"|^[ \t]*#[ \t]*(?:if|ifdef|ifndef|endif)\b[^\n]*",
    re.MULTILINE | re.DOTALL,
)
_STRING = re.compile(r"\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'")
_ATOMIC = re.compile(r"<<[^<>]*>>|\$\S")  # Erlang's binaries and characters, with commas in them
_COLON = re.compile(rb":[ \t]*(?:#[^\n]*)?\r?\n")
_BRACKETS = re.compile(rb"[()\[\]\n]")
_DOC_BYTES = 1_000
# what comments are made of, at the beginning and at the end of their lines
_COMMENT_MARK = re.compile(
    r"^\s*(?:=(?:begin|end)\b|/\*[*!]*<?|\*+/|\*+|///?!?<?|//|#'|#+|--+\[*=*\[?|\{-+|;+|%+|\(\*+|<!--)?\s?\|?\s*"
)
_COMMENT_ENDS = ("*/", "*)", "-}", "-->", "]]", "]=]")
_DIRECTIVE = re.compile(  # is said to a tool
    r"\s*(?://(?:[a-z]+:\S|export |line |nolint\b|\+build )|(?://|#|/\*)\s*(?:NOLINT|eslint-|@ts-"
    r"|clang-format|swiftlint:|noinspection |rubocop:|pylint:|shellcheck |frozen_string_literal:))"
)
_STRING_MARK = re.compile(r"[A-Za-z~]{0,2}(?:\"\"\"|'''|\"|'|`)")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
_COMMAND = re.compile(r"^[@\\](?:brief|short|summary|title|notice|desc|description|doc)\b\s*")
_ORNAMENT = re.compile(r"^[\W_]*$")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")


def signature(
    one: Definition,
    code: bytes,
    comments: Sequence[Range],
    starts: Sequence[int],
    *,
    by_indent: bool = False,
) -> str:
    """The head of a definition in one line, without its decorators, its comments and its body.

    `starts` are those of the comments. by_indent: blocks are indents, and begin behind a ":".
    """
    head, stop, limit = one.head, one.body, SIGNATURE_LENGTH
    is_detail = one.plan.kind in DETAILS
    if stop < head or stop > one.end:
        stop = one.end
        if is_detail:
            limit = DETAIL_LENGTH
        elif not one.plan.whole:
            stop = _end_of_head(code, head, stop)
    # four bytes a character at most; a signature with more white space than text is cut early
    stop = min(stop, head + limit * 8)
    if by_indent and not is_detail:
        stop = _end_of_line_with_colon(code, head, stop)
    at = bisect_left(starts, head)
    if at < len(starts) and starts[at] < stop:
        raw = _without_comments(code, head, stop, comments, at)
    else:
        raw = code[head:stop]
    if b"\n" in raw and b"#" in raw:
        raw = _OTHER_HEADS.sub(b"", raw)
    text = _one_line(raw)[:limit].rstrip()
    if text.endswith(" end") and not is_detail:  # of a body without anything in it
        text = text[: -len(" end")].rstrip(_STOPS)
    return text


def _end_of_line_with_colon(code: bytes, start: int, stop: int) -> int:
    """Where a head ends at the latest: what is half typed below it may have no body."""
    for found in _COLON.finditer(code, start, stop):
        count = code[start : found.start()].count
        if count(b"(") + count(b"[") + count(b"{") <= count(b")") + count(b"]") + count(b"}"):
            return found.start()
    return stop


def arity(name: str, head: str) -> int:
    """How many arguments stand in round brackets right behind a name; -1 where none do."""
    found = re.search(rf"(?<!\w){re.escape(name)}\(", head)
    if found is None:
        return -1
    depth, count, empty = 0, 1, True
    for mark in _ATOMIC.sub("s", _STRING.sub("s", head[found.end() - 1 :])):
        if mark in "([{":
            depth += 1
            empty = empty and depth == 1
        elif mark in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif not mark.isspace():
            empty = False
        count += mark == "," and depth == 1
    return 0 if empty and count == 1 else count


def doc(one: Definition, code: bytes) -> str:
    """The first sentence of the documentation of a definition, or ""."""
    if not one.docs:
        return ""
    raw = b"\n".join(code[start : min(end, start + _DOC_BYTES)] for start, end in one.docs[:20])
    text = raw[:_DOC_BYTES].decode("utf-8", "ignore").strip()
    opening = _STRING_MARK.match(text)
    if opening:
        text = text[opening.end() :].rstrip("\"'`")
    words: list[str] = []
    for line in text.splitlines():
        said = "" if _DIRECTIVE.match(line) else _said(line)
        if not said[:1].isalnum() and _ORNAMENT.match(said):
            if words:
                break
            continue
        if said[0] in "@\\" and (words or said[1:2].isalpha()):
            break
        words.append(said)
        if _SENTENCE_END.search(said):
            break
    sentence = " ".join(" ".join(words).split())
    if found := _SENTENCE_END.search(sentence):
        sentence = sentence[: found.end()]
    if len(sentence) <= DOC_LENGTH:
        return sentence
    return sentence[: DOC_LENGTH - 1].rstrip() + "…"


def _said(line: str) -> str:
    """A line of documentation without the marks of a comment."""
    mark = _COMMENT_MARK.match(line)
    said = line[mark.end() :].rstrip() if mark else line.strip()
    if said.endswith(_COMMENT_ENDS):
        said = said.rstrip("*/)-}>=]").rstrip()
    if "<" in said:
        said = _TAG.sub("", said).strip()
    return _COMMAND.sub("", said) if said[:1] in ("@", "\\") else said


def statement(code: bytes, start: int, end: int) -> str:
    """The beginning of a statement in one line."""
    raw = code[start : min(end, start + DETAIL_LENGTH * 8)]
    return _one_line(raw)[:DETAIL_LENGTH].rstrip()


def _one_line(raw: bytes) -> str:
    said = raw.decode("utf-8", "replace")
    is_broken = "\n" in said
    if is_broken:
        if "," in said:
            said = _LAST_COMMA.sub(r"\1", said)
        if "\\" in said:
            said = _CONTINUED.sub(" ", said)
    text = " ".join(said.split()).rstrip(_STOPS)
    while text.endswith(_LEADS_ON):
        text = text.rpartition(" ")[0].rstrip(_STOPS)
    if is_broken:
        text = text.replace("( ", "(").replace("[ ", "[").replace(" )", ")").replace(" ]", "]")
    return text


def _end_of_head(code: bytes, start: int, end: int) -> int:
    """The end of the first line at which every round and square bracket is closed."""
    depth = 0
    for found in _BRACKETS.finditer(code, start, min(end, start + SIGNATURE_LENGTH * 8)):
        mark = found[0]
        if mark in b"([":
            depth += 1
        elif mark in b")]":
            depth -= 1
        elif depth <= 0:
            return found.start()
    return end


def _without_comments(
    code: bytes, start: int, stop: int, comments: Sequence[Range], index: int
) -> bytes:
    parts: list[bytes] = []
    while index < len(comments) and comments[index][0] < stop:
        parts.append(code[start : comments[index][0]])
        start = comments[index][1]
        index += 1
    parts.append(code[start:stop])
    return b" ".join(parts)
