"""The sections and keys of TOML, INI and .properties files, read line by line."""

from __future__ import annotations

import re
import time
import tomllib

from backstory.codenav import keys
from backstory.codenav.languages import Language
from backstory.codenav.parts import Comment, Part, shown
from backstory.codenav.symbols import Reading

_SECTION = re.compile(r"\s*(\[{1,2})\s*([^\n]*?)\s*\](\])?\s*(?:[#;][^\n]*)?$")
_KEYS = {
    "toml": re.compile(
        r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=\s*"
    ),
    "ini": re.compile(r"([^\s=:\[#;][^=:\n]{0,200}?)\s*(?:[=:]|$)\s*|[ \t]+([\w.*-]{1,80})\s*=\s*"),
    "properties": re.compile(r"\s*((?:[^\s=:\\#!]|\\.)+)\s*(?:[=:]|\s|$)\s*"),
}
_COMMENTS = {"toml": "#", "ini": "#;", "properties": "#!"}
_LONGEST = 2_000  # characters of a line that are looked at
_EACH = 2_000  # lines between two looks at the clock
_CHECKED = 200_000  # characters that are read once more by the parser that knows all faults
_AT_LINE = re.compile(r"at line (\d+)")
_QUOTES = ('"""', "'''")
_BRACKETS = re.compile(
    r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"{3,5}|'''(?:[^']|'(?!''))*+'{3,5}|'''|\"\"\"|\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*|[\[\]{}]"
)


def settings_keys(text: str, language: Language, deadline: float) -> Reading:
    """The sections of a file of settings, and their keys."""
    reader = _Reader(language.name)
    cut = False
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if number % _EACH == 0 and time.monotonic() > deadline:
            cut = True
            break
        reader.read(number, line)
    problems = _faults(text) if language.name == "toml" and not cut else ()
    return Reading(keys.placed_few(reader.parts), (), problems, cut)


class _Reader:
    def __init__(self, name: str) -> None:
        self.parts: list[Part] = []
        self._name = name
        self._key = _KEYS[name]
        self._section = -1
        self._comment = Comment(_COMMENTS[name])
        self._until = ""  # what ends a value of several lines
        self._depth = 0  # brackets that are open in a value

    def read(self, number: int, whole: str) -> None:
        """Take in one line."""
        line = whole[:_LONGEST]
        plain = line.strip()
        if self._until or self._depth or self._goes_on(line, plain):
            self._value(whole.strip())
            self._extend(number)
            return
        if not plain or self._comment.take(number, plain):
            if not plain:
                self._comment.clear()
            return
        section = _SECTION.match(line) if self._name != "properties" else None
        key = None if section else self._key.match(line)
        start, doc = self._comment.leave(number)
        if section:
            self._section = len(self.parts)
            name = shown(_bare(section[2])) or "[]"
            self.parts.append(
                Part(name, "section", start, number, signature=shown(plain), doc=doc, line=number)
            )
        elif key:
            name = shown(_bare((key[1] or key[2] if key.lastindex else key[0]).strip())) or plain
            part = Part(name, "property", start, number, self._section, "", ".")
            part.signature, part.doc, part.line = shown(plain), doc, number
            self.parts.append(part)
            self._name_section(name, line[key.end() :])
            self._value(whole[key.end() :].strip(), is_first=True)
        self._extend(number)

    def _goes_on(self, line: str, plain: str) -> bool:
        """Whether a line is more of the value before it."""
        if not self.parts or self.parts[-1].kind == "section":
            return False
        if self._name == "properties":
            return self._is_continued
        is_more = line[:1] in (" ", "\t") and plain[:1] not in ("#", ";") and bool(plain)
        return self._name == "ini" and is_more and not self._key.match(line)

    _is_continued = False

    def _value(self, value: str, is_first: bool = False) -> None:
        """Look whether a value ends on its line."""
        if self._name == "properties":
            self._is_continued = value.endswith("\\") and not value.endswith("\\\\")
        if self._name != "toml":
            return
        if self._until:
            _, quote, value = value.partition(self._until)
            if not quote:
                return
            self._until = ""
        elif not is_first and not self._depth:
            return
        for found in _BRACKETS.finditer(value):
            if found[0] in _QUOTES:
                self._until = found[0]
                return
            if found[0] in "[{":
                self._depth += 1
            elif found[0] in "]}":
                self._depth = max(self._depth - 1, 0)

    def _extend(self, number: int) -> None:
        if self.parts:
            self.parts[-1].end = number

    def _name_section(self, key: str, value: str) -> None:
        """An entry of a list of tables is called by the name in it."""
        if self._name != "toml" or self._section < 0 or key not in ("name", "id"):
            return
        part = self.parts[self._section]
        said = re.match(r"\"([^\"]{1,80})\"|'([^']{1,80})'", value)
        if said and part.signature.startswith("[[") and not part.path:
            part.path = f"{part.name}.{said[1] or said[2]}"
            part.name = said[1] or said[2]


def _bare(name: str) -> str:
    """A name without the quotes around all of it."""
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'" else name


def _faults(text: str) -> tuple[tuple[int, int], ...]:
    """Where a TOML text has its first fault."""
    if len(text) > _CHECKED:
        return ()
    try:
        tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found else max(text.count("\n") + (not text.endswith("\n")), 1)
        return ((line, line),)
    return ()
