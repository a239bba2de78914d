"""The size of what the rules read, so that no turn, however odd, keeps them busy for long.

A pattern that tries every place of a run of n characters takes n² steps. Texts that people and
tools write have short runs; here the longest word, line and gap are cut to what a row could show.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from backstory.records import ToolUse, Turn

_TEXT = 40_000  # characters of a text: its head and its tail
_FILE = 65_536  # of a file's content, which is parsed as a whole
_PROSE = 20_000  # of a prompt, of a closing message
_LINE = 2_000
_WORD = 500
_RUN = 160  # characters of one sort in a word that is longer than `_WORD`
_SPACES = 200
_EMPTY_LINES = 8
_TOTAL = 600_000  # characters of all texts of a turn
_PATHS = frozenset(("file_path", "notebook_path", "path", "filePath"))
_PATH = 1_000
_FILES = frozenset(
    ("content", "originalFile", "old_string", "new_string", "oldString", "newString")
)

_WORDS = re.compile(r"\S+")
_RUNS = re.compile(r"\w+|[^\w\s]+")
_GAPS = re.compile(r"[^\S\n]+")
_EMPTY = re.compile(r"\n\s*\n")


def bounded(turn: Turn) -> Turn:
    """The turn with every text cut to a length that any rule can read quickly."""
    room = _Room(_TOTAL)
    return replace(
        turn,
        prompt=bounded_text(turn.prompt, _PROSE),
        last_message=bounded_text(turn.last_message, _PROSE),
        error=bounded_text(turn.error, _LINE),
        earlier_errors=tuple(bounded_text(text, _LINE) for text in turn.earlier_errors[:20]),
        tool_uses=tuple(room.use(use) for use in turn.tool_uses),
    )


def bounded_text(text: str, limit: int = _TEXT) -> str:
    """`text` with its middle, overlong words and lines, and gaps cut; most texts come as they are.

    `limit` is in characters.
    """
    if len(text) > limit:
        head = limit // 2
        text = f"{text[:head]}\n{text[head - limit :]}"
    if max(map(len, text.split()), default=0) > _WORD:
        text = _WORDS.sub(_word, text)
    if len(text) > _SPACES and max(map(len, text.splitlines()), default=0) > _SPACES:
        text = _GAPS.sub(lambda gap: gap[0][:_SPACES], text)
        text = "\n".join(_line(line) for line in text.split("\n"))
    if "\n\n" in text or "\n " in text or "\n\t" in text or "\n\r" in text:
        text = _EMPTY.sub(_gap, text)
    return text


class _Room:
    """Bounds tool uses until the room of the turn is used up; later ones are cut to their ends."""

    def __init__(self, characters: int) -> None:
        self.left = characters

    def use(self, use: ToolUse) -> ToolUse:
        return replace(use, input=self._value(use.input), output=self._value(use.output))

    def _value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            limit = _PATH if key in _PATHS else _FILE if key in _FILES else _TEXT
            text = bounded_text(value, min(limit, max(self.left, _LINE)))
            self.left -= len(text)
            return text
        if isinstance(value, Mapping):
            return {
                name[:_PATH] if isinstance(name, str) else name: self._value(
                    item, name if isinstance(name, str) else ""
                )
                for name, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._value(item, key) for item in value]
        return value


def _word(found: re.Match[str]) -> str:
    word = found[0]
    if len(word) <= _WORD:
        return word
    if word.isascii():
        return f"{word[: _WORD - _RUN]}…{word[-_RUN:]}"
    # Chinese and Japanese have no spaces: a word is a paragraph.
    return _RUNS.sub(lambda run: run[0][:_RUN], word)


def _line(line: str) -> str:
    """The line, a long one broken behind a sentence, or in the middle of what has none."""
    if len(line) <= _LINE:
        return line
    parts = []
    while len(line) > _LINE:
        ends = (line.rfind(stop, _LINE // 2, _LINE) + 1 for stop in (". ", "。", "; ", ", ", " "))
        at = next((end for end in ends if end), _LINE)
        parts.append(line[:at])
        line = line[at:]
    return "\n".join([*parts, line])


def _gap(found: re.Match[str]) -> str:
    gap = found[0]
    if gap.count("\n") <= _EMPTY_LINES:
        return gap
    return "\n" * _EMPTY_LINES
