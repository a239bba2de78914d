"""The rules, at-rules, mixins and variables of CSS, SCSS and Less, whatever is new in them."""

from __future__ import annotations

import re
import time
from bisect import bisect_left

from backstory.codenav import keys
from backstory.codenav.languages import Language
from backstory.codenav.parts import Part, shown
from backstory.codenav.symbols import Reading

_TOKENS = (
    r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
    r"|\burl\([^)\"'\n]{0,9000}\)|[#@]\{[^{}\n]{0,300}\}|[{};()]"
)
_LINE_COMMENT = r"(?<!:)//[^\n]*"
_TOKEN = re.compile(_TOKENS, re.DOTALL)
_SCSS_TOKEN = re.compile(f"{_LINE_COMMENT}|{_TOKENS}", re.DOTALL)
_BLOCK_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?|(?<!:)//[^\n]*")
_MARK = re.compile(r"^[\s/*!#=-]+|[\s*/=-]+$")
_MIXIN = re.compile(r"@mixin\s+([\w-]+)|=([\w-]+)")
_FUNCTION = re.compile(r"@function\s+([\w-]+)")
_KEYFRAMES = re.compile(r"@(?:-\w+-)?keyframes\s+(\S.*)", re.DOTALL)
_PASSED = re.compile(r"@(?:include|if|else|each|for|while|at-root|nest)\b|(?:from|to|[\d.,%\s]+)$")
_CUSTOM = re.compile(r"(--[^\s:]+)\s*:")
_VARIABLE = re.compile(r"([$@][\w-]+)\s*:")
_IMPORT = re.compile(r"@(?:import|use|forward|require|plugin|tailwind)\b")
_QUOTED = re.compile(r"\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'|url\(([^)\"'\n]{1,300})\)")
_LESS_MIXIN = re.compile(r"([.#][\w-]+)\s*\([^{}]*\)(?:\s+when\b.*)?$", re.DOTALL)
_SIGNATURE = 300
_DEPTH = 30
_EACH = 4_096  # tokens between two looks at the clock


def style_rules(text: str, language: Language, deadline: float) -> Reading:
    """The rules of a style sheet, with what is nested in them; its variables and imports."""
    reader = _Reader(text, language.name)
    pattern = _TOKEN if language.name == "css" else _SCSS_TOKEN
    for number, token in enumerate(pattern.finditer(text)):
        if number % _EACH == 0 and time.monotonic() > deadline:
            reader.cut = True
            break
        reader.read(token)
    return reader.reading()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.cut = False
        self._text = text
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._has_lines = name != "css"  # whether // begins a comment
        self._parts: list[Part] = []
        self._imports: list[tuple[tuple[str, ...], int, int]] = []
        self._problems: list[int] = []
        self._open: list[int] = []  # the parts around, or the part around what is none
        self._opened: list[bool] = []  # whether it is a part of its own
        self._start = 0  # where the present statement begins
        self._round = 0  # round brackets that are open
        self._comments: list[tuple[int, int]] = []  # those since the last statement

    def read(self, token: re.Match[str]) -> None:
        """Take in one token."""
        mark = token[0]
        if mark.startswith(("/*", "//")):
            if not self._text[self._start : token.start()].strip():
                self._note_comment(token.start(), token.end())
                self._start = token.end()
        elif mark == "(":
            self._round += 1
        elif mark == ")":
            self._round = max(self._round - 1, 0)
        elif mark == "{":
            self._open_one(token.start())
        elif mark == "}":
            self._close(token.start())
        elif mark == ";" and not self._round:
            self._statement(token.start())
            self._start = token.end()
            self._comments.clear()

    def reading(self) -> Reading:
        """All that was found."""
        self._statement(len(self._text))
        last = self._line(max(len(self._text.rstrip()) - 1, 0))
        if self._open:
            self._problems.append(last)
        for place, is_own in zip(self._open, self._opened, strict=True):
            if is_own:
                self._parts[place].end = last
        lines = sorted(set(self._problems))[:20]
        symbols = keys.placed_few(self._parts)
        return Reading(symbols, tuple(self._imports), tuple((one, one) for one in lines), self.cut)

    def _line(self, position: int) -> int:
        return bisect_left(self._breaks, position) + 1

    def _note_comment(self, start: int, end: int) -> None:
        line_start = self._breaks[self._line(start) - 2] + 1 if self._line(start) > 1 else 0
        is_alone = not self._text[line_start:start].strip()
        if self._comments and self._line(self._comments[-1][1] - 1) + 1 < self._line(start):
            self._comments.clear()
        if is_alone:
            self._comments.append((start, end))

    def _said(self, end: int) -> tuple[str, int]:
        """The present statement up to a place, without comments, and where it begins."""
        raw = self._text[self._start : min(end, self._start + 8_000)]
        start = self._start + len(raw) - len(raw.lstrip())
        if "/*" in raw or (self._has_lines and "//" in raw):
            raw = (_COMMENT if self._has_lines else _BLOCK_COMMENT).sub(" ", raw)
        return raw.strip(), start

    def _add(self, name: str, kind: str, start: int, end: int, said: str) -> int:
        line = first = self._line(start)
        doc = ""
        if self._comments and self._line(self._comments[-1][1] - 1) + 1 >= line:
            first = self._line(self._comments[0][0])
            doc = self._doc()
        parent = self._open[-1] if self._open else -1
        joined = " > " if kind == "section" else "."
        part = Part(shown(name), kind, first, self._line(max(end - 1, start)), parent, "", joined)
        part.signature, part.doc, part.line = shown(said, _SIGNATURE), doc, line
        self._parts.append(part)
        return len(self._parts) - 1

    def _doc(self) -> str:
        for start, end in self._comments:
            for line in self._text[start : min(end, start + 600)].split("\n"):
                if words := _MARK.sub("", line):
                    return shown(words)
        return ""

    def _open_one(self, position: int) -> None:
        said, start = self._said(position)
        around = self._open[-1] if self._open else -1
        named = _rule(said) if len(self._open) < _DEPTH else None
        place = self._add(*named, start, position, said) if named else around
        self._open.append(place)
        self._opened.append(named is not None)
        self._start, self._round = position + 1, 0
        self._comments.clear()

    def _close(self, position: int) -> None:
        self._statement(position)
        self._start, self._round = position + 1, 0
        self._comments.clear()
        if not self._open:
            self._problems.append(self._line(position))
            return
        place = self._open.pop()
        if self._opened.pop():
            self._parts[place].end = self._line(position)

    def _statement(self, end: int) -> None:
        """A declaration or an at-rule without a block."""
        said, start = self._said(end)
        if not said or said[0] not in "-$@":
            return
        if _IMPORT.match(said):
            names = tuple(next(filter(None, one.groups())) for one in _QUOTED.finditer(said))
            lines = self._line(start), self._line(max(end - 1, start))
            self._imports.append((names or (shown(said),), *lines))
        elif custom := _CUSTOM.match(said):
            self._add(custom[1], "property", start, end, shown(said))
        elif not self._open and (variable := _VARIABLE.match(said)):
            self._add(variable[1], "variable", start, end, shown(said))


def _rule(said: str) -> tuple[str, str] | None:
    """The name and the kind of what a block belongs to; None for what is no symbol."""
    if not said or _PASSED.match(said) or said.endswith(":"):
        return None
    if mixin := _MIXIN.match(said):
        return mixin[1] or mixin[2], "macro"
    if function := _FUNCTION.match(said):
        return function[1], "function"
    if frames := _KEYFRAMES.match(said):
        return frames[1], "section"
    if mixin := _LESS_MIXIN.match(said):
        return mixin[1], "macro"
    return said, "section"
