"""Made-up sessions of realistic size: files of some hundred lines, test runs, diffs, searches.

Every tool use holds a word of its own (`u00017`) in what it is about, so that a test can count
how often it was sent. The same seed gives the same work.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.home import event

Payload = dict[str, Any]
_MARK = re.compile(r"^t\d+e\d+ .*?\b(?:test_|part_)?(u\d{5})\b", re.MULTILINE)
_WORDS = [
    *("cart", "order", "total", "price", "tax", "parse", "cache", "retry", "token", "user"),
    *("session", "index", "query", "batch", "limit", "window", "buffer", "handler", "report"),
    *("export", "import", "sync", "merge", "diff", "schema", "column", "value", "error", "state"),
]
_ASKED = (
    "Find out why {0} and {1} disagree for some {2}s, and fix it.",
    "Add a {0} for each {1}; keep the {2} as it is.",
    "The {0} is slow when there are many {1}s. What takes so long in {2}?",
)


def marks(batch: str) -> list[str]:
    """The words of the tool uses that a batch tells of, as often as it does."""
    return _MARK.findall(batch)


def mark(number: int) -> str:
    """The word of a tool use."""
    return f"u{number:05d}"


class Work:
    """Sessions of one project, event by event."""

    def __init__(self, root: Path, seed: int = 1) -> None:
        self.root = root
        self.chance = random.Random(seed)
        self.count = 0  # tool uses so far

    def turn(self, session: str, number: int, uses: int) -> Iterator[Payload]:
        """A turn: what was asked, the tool uses, and what Claude said in the end."""
        words = self.chance.sample(_WORDS, 3)
        here = {"session_id": session, "prompt_id": f"{session}-{number}", "cwd": str(self.root)}
        asked = self.chance.choice(_ASKED).format(*words)
        yield event("UserPromptSubmit", prompt=asked, **here)
        for _ in range(uses):
            yield {**self.use(), **here}
        said = (
            f"The {words[0]} was rounded before the {words[1]} was summed. I changed `{words[0]}` "
            f"in src/{words[0]}.py to round once, at the end, and added a test for it; all pass. "
            f"Decision: the {words[2]} keeps its format because the export reads it."
        )
        yield event("Stop", last_assistant_message=said, stop_hook_active=False, **here)

    def use(self) -> Payload:
        """The next tool use, of the kinds that a session has."""
        self.count += 1
        word = mark(self.count)
        make = self.chance.choices(
            (self.read, self.bash, self.edit, self.grep, self.failure), (30, 28, 22, 12, 8)
        )[0]
        return {**make(word), "tool_use_id": f"toolu_{word}", "duration_ms": 40}

    def read(self, word: str) -> Payload:
        """A file was read."""
        path = str(self.root / f"src/part_{word}.py")
        count = self.chance.randint(60, 320)
        content = "\n".join(self.code() for _ in range(count))
        file = {
            "filePath": path,
            "content": content,
            "numLines": count,
            "startLine": 1,
            "totalLines": count,
        }
        return event(
            "PostToolUse",
            tool_name="Read",
            tool_input={"file_path": path},
            tool_response={"type": "text", "file": file},
        )

    def bash(self, word: str) -> Payload:
        """A command ran: tests, mostly."""
        count = self.chance.randint(3, 60)
        lines = [f"tests/test_{self.word()}.py::test_{self.word()} PASSED" for _ in range(count)]
        lines.append(f"{count} passed in {self.chance.random() * 9:.2f}s")
        given = {"command": f"pytest -v tests/test_{word}.py", "description": "Run the tests"}
        shape = {"stdout": "\n".join(lines), "stderr": "", "interrupted": False, "isImage": False}
        return event("PostToolUse", tool_name="Bash", tool_input=given, tool_response=shape)

    def failure(self, word: str) -> Payload:
        """A command failed, with a traceback."""
        frames = [
            f'  File "src/{self.word()}.py", line {self.chance.randint(5, 300)}, in {self.word()}\n'
            f"    {self.code().strip()}"
            for _ in range(self.chance.randint(3, 20))
        ]
        error = "\n".join(
            [
                "Exit code 1",
                "Traceback (most recent call last):",
                *frames,
                f"ValueError: {self.word()} is not a {self.word()}",
            ]
        )
        return event(
            "PostToolUseFailure",
            tool_name="Bash",
            tool_input={"command": f"python src/part_{word}.py"},
            error=error,
        )

    def edit(self, word: str) -> Payload:
        """A file was changed."""
        path = str(self.root / f"src/part_{word}.py")
        lines = [self.code() for _ in range(self.chance.randint(80, 300))]
        at = self.chance.randint(4, len(lines) - 8)
        old = lines[at : at + self.chance.randint(1, 6)]
        new = [self.code() for _ in range(self.chance.randint(1, 9))]
        around = (lines[at - 3 : at], lines[at + len(old) : at + len(old) + 3])
        patch = {
            "oldStart": at - 2,
            "oldLines": len(old) + 6,
            "newStart": at - 2,
            "newLines": len(new) + 6,
            "lines": [
                *(f" {line}" for line in around[0]),
                *(f"-{line}" for line in old),
                *(f"+{line}" for line in new),
                *(f" {line}" for line in around[1]),
            ],
        }
        texts = {"old_string": "\n".join(old), "new_string": "\n".join(new), "replace_all": False}
        shape = {
            "filePath": path,
            "oldString": texts["old_string"],
            "newString": texts["new_string"],
            "originalFile": "\n".join(lines),
            "structuredPatch": [patch],
            "userModified": False,
            "replaceAll": False,
        }
        given = {"file_path": path, **texts}
        return event("PostToolUse", tool_name="Edit", tool_input=given, tool_response=shape)

    def grep(self, word: str) -> Payload:
        """The code was searched."""
        count = self.chance.randint(2, 50)
        lines = [f"src/{self.word()}.py:{n * 7}:{self.code()}" for n in range(1, count)]
        shape = {
            "mode": "content",
            "numFiles": 0,
            "filenames": [],
            "content": "\n".join(lines),
            "numLines": len(lines),
        }
        given = {"pattern": word, "output_mode": "content"}
        return event("PostToolUse", tool_name="Grep", tool_input=given, tool_response=shape)

    def word(self) -> str:
        """A name as code has them."""
        return "_".join(self.chance.sample(_WORDS, self.chance.randint(1, 2)))

    def code(self) -> str:
        """A line of code."""
        indent = "    " * self.chance.randint(0, 3)
        form = self.chance.choice(
            (
                "{0} = {1}({2}, {3})",
                "if {0} and not {1}.{2}:",
                "return {0}.{1}[{2}]",
                "def {0}({1}: int, {2}: str) -> None:",
                'raise ValueError(f"{0} has no {1}")',
                "for {0} in {1}.{2}({3}):",
            )
        )
        return indent + form.format(*(self.word() for _ in range(4)))
