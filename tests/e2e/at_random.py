"""Sequences of file work drawn at random, and an agent that carries them out.

The agent does what the refusal of a Read offers first: the same Read again. So a sequence with the
plugin may take one call more for each refusal, and no more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.api import Block, Request, call, text

OUTLINE = "its outline comes first (Backstory)"
LINE = "    return found * (1 + rate) + {0}\n"
SIZES = (3, 60, 160, 320)  # functions; 150 are some 10,000 tokens
FILES = ("a.py", "b.py", "c.go", "d.ts", "e.json", "f.md")
# Some clients run subagents beside their caller: what both edit could be lost by that alone.
FILES_OF_SUBAGENT = tuple(f"sub_{name}" for name in FILES)
_ONE = {
    ".py": "def total_{0}(lines, rate):\n    found = 0\n    for line in lines:\n"
    "        found += line.amount_of_that_kind if line.amount > {0} else 0\n" + LINE + "\n\n",
    ".go": "func total{0}(lines []Line, rate int) int {{\n    found := 0\n"
    "    for _, line := range lines {{ found += line.AmountOfThatKind + {0} }}\n" + LINE + "}}\n\n",
    ".ts": "export function total{0}(lines: Line[], rate: number) {{\n    let found = 0\n"
    "    for (const line of lines) {{ found += line.amountOfThatKind + {0} }}\n" + LINE + "}}\n\n",
    ".json": '{{"number": {0}}}\n' + LINE,
    ".md": "# Part {0}\n\nSome words about it.\n" + LINE + "\n",
}


def source(name: str, functions: int) -> str:
    """A file's text; the line of each number can be edited."""
    one = _ONE[Path(name).suffix]
    return "".join(one.format(number) for number in range(functions))


@dataclass(frozen=True)
class Work:
    """What is done to which files."""

    sizes: dict[str, int]
    steps: list[list[Block]]
    subagent: list[list[Block]]  # [] for none
    faults: dict[int, str]  # before which step the worker is killed or stopped


def draw(seed: int, project: Path) -> Work:
    """The sequence of a seed."""
    chance = random.Random(seed)
    sizes = {name: chance.choice(SIZES) for name in (*FILES, *FILES_OF_SUBAGENT)}
    steps = _steps(chance, project, {name: sizes[name] for name in FILES}, chance.randint(6, 12))
    own = {name: sizes[name] for name in FILES_OF_SUBAGENT}
    subagent = _steps(chance, project, own, 5) if chance.random() < 0.4 else []
    faults = {}
    if chance.random() < 0.4:
        faults[chance.randrange(len(steps))] = chance.choice(("kill", "stop"))
    return Work(sizes, steps, subagent, faults)


def _steps(
    chance: random.Random, project: Path, sizes: dict[str, int], count: int
) -> list[list[Block]]:
    steps: list[list[Block]] = []
    while len(steps) < count:
        name = chance.choice(list(sizes))
        path, number = str(project / name), chance.randrange(sizes[name])
        edit = call(
            "Edit",
            file_path=path,
            old_string=LINE.format(number),
            new_string=f"    return {chance.randrange(10**9)}\n",
        )
        start = chance.randint(1, 40)
        whole = call("Read", file_path=path)
        part = call("Read", file_path=path, offset=start, limit=chance.randint(1, 60))
        new = project / f"new{chance.randrange(10**9)}.py"
        grown = f"printf '# {number}\\n' >> {path}"
        makes: list[Callable[[], list[list[Block]]]] = [
            lambda: [[whole]],  # noqa: B023  each is called before the next round
            lambda: [[whole], [edit]],  # noqa: B023
            lambda: [[whole, edit]],  # noqa: B023
            lambda: [[part], [edit]],  # noqa: B023
            lambda: [[edit]],  # noqa: B023
            lambda: [[whole], [whole]],  # noqa: B023
            lambda: [[whole, part, whole]],  # noqa: B023
            lambda: [[call("Bash", command=f"cat {path}", description="Show")]],  # noqa: B023
            lambda: [[call("Bash", command=grown, description="Grow")]],  # noqa: B023
            lambda: [
                [call("Write", file_path=str(new), content=source("n.py", 200))],  # noqa: B023
                [call("Read", file_path=str(new))],  # noqa: B023
            ],
        ]
        steps += chance.choice(makes)()
    return steps


@dataclass
class Agent:
    """Takes one step after the other; a Read that was refused is done again, once."""

    steps: list[list[Block]]
    before: Callable[[int], None] = lambda _: None  # told each new step's number
    prefix: str = "toolu"
    edits: list[bool] = field(default_factory=list)  # whether each went well
    again: int = 0  # calls that were made twice
    stuck: list[str] = field(default_factory=list)  # what was refused though it was done again
    _sent: list[Block] = field(default_factory=list)
    _turn: int = 0
    _is_again: bool = False
    _next: int = 0

    def turn(self, request: Request) -> Sequence[Block]:
        """The next blocks, after a look at what came of the last."""
        refused = []
        for place, block in enumerate(self._sent):
            answer = f"{self.prefix}_{self._turn - 1}_{place}"
            if OUTLINE in request.tool_result(answer):
                refused.append(block)
            elif block["name"] == "Edit":
                self.edits.append(not request.tool_failed(answer))
        if refused and self._is_again:
            self.stuck += [str(block["input"]) for block in refused]
            refused = []
        self._is_again = bool(refused)
        self.again += len(refused)
        if refused:
            return self._send(refused)
        if self._next == len(self.steps):
            return self._send([])
        self.before(self._next)
        self._next += 1
        return self._send(self.steps[self._next - 1])

    def _send(self, blocks: list[Block]) -> Sequence[Block]:
        self._sent = blocks
        self._turn += 1
        return blocks or [text("End.")]

    @property
    def turns(self) -> list[Callable[[Request], Sequence[Block]]]:
        """As a script takes them: more than are ever needed."""
        return [self.turn] * (2 * len(self.steps) + 2)
