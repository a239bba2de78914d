"""What SQL creates, statement by statement, in whatever dialect: a grammar knows one or two."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from dataclasses import dataclass

from backstory.codenav import keys
from backstory.codenav.languages import Language
from backstory.codenav.parts import Part, shown
from backstory.codenav.symbols import Reading

_NAME = r"(?:\"(?:[^\"]|\"\")+\"|`[^`]+`|\[[^\]\n]+\]|[\w$#@]+)"
_STRING = r"'(?:[^']|'')*+'?"
_MYSQL_STRING = r"'(?:[^'\\]|\\.|'')*+'?"  # others know no backslash, and say ESCAPE '\'
_TOKENS = (
    r"(?P<comment>--[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|#[ \t][^\n]*)"
    r"|(?P<text><string>|\"(?:[^\"]|\"\")*+\"?|`[^`]*+`?|\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z)"
    r"|(?<![\w\]])\[[^\]\n]{0,200}\])"
    r"|(?P<mark>[();,\0])|(?P<line>^[ \t]*(?:go|/)[ \t]*\r?$)"
    r"|(?P<word>\b(?:create|begin|end|case|as|is|declare)\b)"
)
_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL
_TOKEN = re.compile(_TOKENS.replace("<string>", _STRING), _FLAGS)
_MYSQL_TOKEN = re.compile(_TOKENS.replace("<string>", _MYSQL_STRING), _FLAGS)
_KINDS = {
    **dict.fromkeys(("table", "dictionary"), "struct"),
    **dict.fromkeys(("view", "type", "domain", "type body"), "type"),
    **dict.fromkeys(
        (
            *("function", "procedure", "proc", "aggregate", "aggregate function", "trigger"),
            *("table function", "event", "macro", "script", "task"),
        ),
        "function",
    ),
    **dict.fromkeys(("package", "package body"), "module"),
    **dict.fromkeys(("schema", "database", "catalog"), "namespace"),
    **dict.fromkeys(
        (
            *("index", "policy", "rule", "synonym", "statistics", "projection", "scheme"),
            *("role", "user", "login", "group", "server", "extension", "library", "credential"),
            *("publication", "subscription", "source", "sink", "stage", "stream", "pipe", "flow"),
            *("file format", "integration", "connection", "warehouse", "volume", "model"),
            *("configuration", "secret", "datashare", "monitor"),
        ),
        "property",
    ),
    "sequence": "variable",
}
_HEAD = re.compile(
    r"create\s+(?:or\s+(?:replace|alter|refresh)\s+)?(?:(?!on\b|any\b)\w+(?:\s*=\s*\S+)?\s+){0,6}?"
    rf"(?P<what>{'|'.join(sorted(_KINDS, key=len, reverse=True))})\s+".replace(" ", r"\s+")
    + r"(?:(?:if\s+not\s+exists|concurrently)\s+)*+"
    rf"(?P<name>{_NAME}(?:\s*\.\s*{_NAME})*|'[^'\n]{{1,80}}')",
    re.IGNORECASE,
)
_ROUTINES = frozenset(
    {
        *("function", "procedure", "proc", "trigger", "event", "table function", "script", "task"),
        *("package", "package body", "type body"),
    }
)
_WITH_AS = frozenset({"table", "view"}) | _ROUTINES  # a body follows the word
_NO_NAMES = frozenset(  # what follows where there is none, or where a right is meant
    {"on", "as", "if", "using", "to", "for", "from", "with", "is", "set", "authorization", "in"}
)
_DELIMITER = re.compile(r"^[ \t]*delimiter[ \t]+(\S+)[^\n]*", re.IGNORECASE | re.MULTILINE)
_QUOTE_NEXT = re.compile(r"\s*['\"$]")
_NO_BLOCK = re.compile(r"\s*(?:;|tran\b|transaction\b|work\b|distributed\b)", re.IGNORECASE)
_INNER_END = re.compile(r"\s+(?:if|loop|while|repeat|for)\b", re.IGNORECASE)
_TO_COLUMNS = re.compile(r"\s*(?:(?:using|of)\s+[\w.]+\s*)?(?:--[^\n]*\s*)*", re.IGNORECASE)
_COLUMN = re.compile(rf"\s*(?P<name>{_NAME})")
_NO_COLUMN = re.compile(
    r"\s*(?:constraint|primary\s+key|foreign\s+key|unique|check\s*\(|exclude\s*(?:using\b|\()|like"
    r"|period\s+for|partition\s+by|fulltext|spatial)(?:\b|(?<=\())"
    r"|\s*\w+\s*="
    r"|\s*(?:key|index)\b\s*(?!(?:big|small|tiny|medium)?(?:int|integer|text|blob)\b"
    r"|(?:n?var)?n?char|uuid|bytea|json|numeric|decimal|float|double|real|date|time|bool)"
    rf"(?:{_NAME}\s*)?(?:using\s+\w+\s*)?\(",
    re.IGNORECASE,
)
_MEMBER = re.compile(
    rf"^[ \t]*(?:procedure|function)\s+({_NAME})[^;]*?(?=;|\b[ai]s\b)", re.IGNORECASE | re.MULTILINE
)
_MARKS = re.compile(r"^[\s/*#!=-]+|[\s*/=-]+$", re.MULTILINE)
_SENTENCE = re.compile(r".*?(?:[.!?](?=\s|$)|\n\s*\n|\Z)", re.DOTALL)
_SIGNATURE, _COLUMN_LENGTH = 300, 120
_STATEMENT_ENDS = (";", "*/", "\ufeff", "$$", "//")
_REACH = 400  # characters of a line that are looked at
_EACH = 4_096  # tokens between two looks at the clock


def sql_statements(text: str, _language: Language, deadline: float) -> Reading:
    """What the statements of a script create: tables with their columns, routines, views …"""
    reader = _Reader(text)
    pattern = _MYSQL_TOKEN if "`" in text else _TOKEN
    for number, token in enumerate(pattern.finditer(_delimited(text))):
        if number % _EACH == 0 and time.monotonic() > deadline:
            reader.cut = True
            break
        reader.read(token)
    reader.close(len(text))
    return Reading(keys.placed_few(reader.parts), (), (), reader.cut)


def _delimited(text: str) -> str:
    """The text with a NUL for each end of a statement that MySQL's DELIMITER makes one."""
    found = list(_DELIMITER.finditer(text))
    if not found:
        return text
    pieces = [text[: found[0].start()]]
    for at, one in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        mark, piece = one[1], text[one.end() : end]
        if mark != ";":
            piece = piece.replace(mark, "\0" + " " * (len(mark) - 1)).replace(";", " ")
        pieces += [" " * len(one[0]), piece]
    return "".join(pieces)


@dataclass(slots=True)
class _Statement:
    """One that creates something, while it is read."""

    what: str
    part: Part
    place: int  # of the part
    start: int
    body: int = 0  # behind its name
    head: int = -1  # where its signature ends
    brackets: int = 0
    blocks: int = 0
    has_begun: bool = False
    goes_on: bool = False  # a semicolon is no end: declarations, or T-SQL
    column: int = -1  # where the column begins that is being read; -1 outside of them
    last: int = 0  # behind the last token that belongs to it


class _Reader:
    def __init__(self, text: str) -> None:
        self.parts: list[Part] = []
        self.cut = False
        self._text = text
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._one: _Statement | None = None
        self._comment = (-1, -1, "")  # first and last line of the one above, its text

    def read(self, token: re.Match[str]) -> None:
        """Take in one token."""
        kind, said = token.lastgroup, token[0].lower()
        if token["comment"] is not None:
            self._note_comment(token)
            return
        one = self._one
        if said == "create" and (one is None or self._is_new(one, token.start())):
            self.close(token.start())
            self._open(token.start())
        elif one is None:
            return
        elif kind == "line" or said == "\0":
            self.close(token.start())
        elif kind == "mark":
            self._mark(one, said, token.start())
        elif kind == "word":
            self._word(one, said, token)
        elif one.what in _ROUTINES and said[0] in "$'" and not one.brackets and one.head < 0:
            one.head = token.start()

    def close(self, at: int) -> None:
        """A statement ends before a place."""
        one, self._one = self._one, None
        if one is None:
            return
        text = self._text[one.start : at].rstrip()
        end = one.start + len(text)
        one.part.end = max(self._line(max(end - 1, one.start)), one.part.start)
        head = self._text[one.start : one.head if one.head >= 0 else end].rstrip(" \t\r\n;")
        one.part.signature = shown(head, _SIGNATURE)
        if one.what.startswith("package"):
            self._add_members(one, end)

    def _line(self, at: int) -> int:
        return bisect_right(self._breaks, at - 1) + 1

    def _before(self, at: int) -> str:
        """What stands before a place on its line; of much, the end."""
        first = max(0, at - _REACH)
        start = self._text.rfind("\n", first, at) + 1
        return self._text[start or first : at]

    def _note_comment(self, token: re.Match[str]) -> None:
        start, end = self._line(token.start()), self._line(max(token.end() - 1, token.start()))
        if self._before(token.start()).strip():
            return  # behind something on its line
        first, last, text = self._comment
        if last == start - 1:
            start, said = first, f"{text}\n{token[0]}"
        else:
            said = token[0]
        self._comment = (start, end, said[:2_000])

    def _is_new(self, one: _Statement, at: int) -> bool:
        """Whether this CREATE begins a statement, though none was ended before it."""
        before = self._before(at)
        if before.strip() or one.brackets > 0:
            return False
        found = _HEAD.match(self._text, at)
        if found is None or found["name"].startswith("#"):
            return False
        if one.what not in _ROUTINES or (one.has_begun and not one.blocks):
            return True
        return not before and " ".join(found["what"].lower().split()) in _ROUTINES

    def _open(self, at: int) -> None:
        before = self._before(at).rstrip()
        if before and not before.endswith(_STATEMENT_ENDS):
            return  # GRANT CREATE TABLE TO …
        found = _HEAD.match(self._text, at)
        what = " ".join(found["what"].lower().split()) if found else ""
        if found is None or what not in _KINDS:
            return
        is_called = (
            what in _ROUTINES and self._text[found.end() : found.end() + 2].strip()[:1] == "("
        )
        if found["name"].lower() in _NO_NAMES and not is_called:
            return
        names = [_bare(name) for name in re.findall(_NAME, found["name"])] or [found["name"]]
        line = self._line(at)
        first, last, text = self._comment
        doc = _MARKS.sub("", text).strip() if last == line - 1 else ""
        part = Part(
            names[-1],
            _KINDS[what],
            first if doc else line,
            path=".".join(names),
            joined=".",
            doc=shown(_sentence(doc)),
            line=self._line(found.start("name")),
        )
        one = self._one = _Statement(what, part, len(self.parts), at)
        one.blocks = int(what in ("package", "package body", "type body"))
        one.goes_on = bool(one.blocks)
        one.body = found.end()
        self.parts.append(part)

    def _mark(self, one: _Statement, said: str, at: int) -> None:
        if said == "(":
            one.brackets += 1
            is_first = one.what == "table" and one.brackets == 1 and one.head < 0
            if is_first and _TO_COLUMNS.fullmatch(self._text, one.body, at):
                one.head, one.column = at, at + 1
        elif said == ")":
            one.brackets -= 1
            if one.brackets == 0 and one.column >= 0:
                self._add_column(one, at)
                one.column = -1
        elif said == ",":
            if one.column >= 0 and one.brackets == 1:
                self._add_column(one, at)
                one.column = at + 1
        elif one.brackets <= 0 and not one.blocks and not one.goes_on:
            self.close(at + 1)

    def _word(self, one: _Statement, said: str, token: re.Match[str]) -> None:
        if one.brackets > 0:
            return
        if said in ("as", "is", "declare"):
            has_body = one.what in _WITH_AS and not one.has_begun and one.head < 0
            if has_body and (said != "declare" or one.what in _ROUTINES):
                one.head = token.start()
                is_quoted = _QUOTE_NEXT.match(self._text, token.end())
                one.goes_on = one.what in _ROUTINES and not is_quoted
        elif one.what not in _ROUTINES:
            return
        elif said == "begin":
            opens = not _NO_BLOCK.match(self._text, token.end())
            if one.blocks or opens:
                one.blocks += opens
                one.has_begun = True
                one.head = token.start() if one.head < 0 else one.head
        elif said == "case":
            one.blocks += one.blocks > 0
        elif said == "end" and one.blocks and not _INNER_END.match(self._text, token.end()):
            one.blocks -= 1
            one.goes_on = one.goes_on and one.blocks > 0

    def _add_column(self, one: _Statement, end: int) -> None:
        text = self._text[one.column : end]
        start = one.column + _blank(text)
        text = self._text[start:end]
        found = None if _NO_COLUMN.match(text) else _COLUMN.match(text)
        if not found:
            return
        name, line = _bare(found["name"]), self._line(start)
        last = self._line(start + len(text.rstrip()) - 1)
        part = Part(name, "field", line, last, one.place, joined=".", line=line)
        part.signature = shown(re.sub(r"--[^\n]*|/\*.*?\*/", " ", text), _COLUMN_LENGTH)
        self.parts.append(part)

    def _add_members(self, one: _Statement, end: int) -> None:
        found = list(_MEMBER.finditer(self._text, one.start, end))
        for at, member in enumerate(found):
            start = member.start(1)
            until = found[at + 1].start() if at + 1 < len(found) else end
            body = self._text[start:until].rstrip()
            head = self._text[member.start() : member.end()]
            line, last = self._line(start), self._line(start + len(body) - 1)
            last = max(line, last - (at + 1 == len(found) and last == one.part.end))
            part = Part(_bare(member[1]), "method", line, last, one.place, joined=".")
            part.signature = shown(head, _SIGNATURE)
            self.parts.append(part)


def _blank(text: str) -> int:
    """How many characters of white space and comments a text begins with."""
    found = re.match(r"(?:\s|--[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)*+", text)
    return found.end() if found else 0


def _bare(name: str) -> str:
    return name[1:-1] if name[:1] in '"`[' and len(name) > 2 else name


def _sentence(text: str) -> str:
    found = _SENTENCE.match(text)
    return found[0] if found else text
