"""What is shown of an event's input and output: the lines that matter most, within a budget."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backstory.capture.rules import edits, failures, results
from backstory.capture.rules.declared import declarations
from backstory.capture.rules.foreign import is_foreign
from backstory.capture.rules.paths import relative
from backstory.capture.rules.reads import Interest
from backstory.capture.rules.steps import Kind, Step, text_of
from backstory.capture.rules.steps import field as text_field
from backstory.capture.rules.symbols import by_pattern
from backstory.capture.rules.titles import plain, shorten
from backstory.capture.trimming import WIDTH, lines_of, one_line, trim

COMMAND = 240  # characters of a script that stands in the event's first line

# Tokens of what is shown of an output, by what it is.
_FAILED, _PASSED, _SHELL, _LOOKED = 300, 80, 220, 130
_SCRIPT, _DIFF, _HEAD = 130, 280, 150
_READ, _SEARCH, _FOREIGN, _REPORT, _ASKED, _ANSWER, _REASON = 110, 110, 150, 450, 80, 150, 60

_DECLARED = 240  # characters that say what a new file declares
_SCORED = 400  # lines that are compared with what the turn is about
_DUMP = 4_000  # characters of a result that has no text of its own
_PROSE = 500  # characters of a line that a person or a model wrote
_ALONE = 600  # characters of a line in an output of one or two

_WRONG = re.compile(
    r"\b(?:errors?|fail(?:ed|ures?|s)?|traceback|panic(?:ked)?|fatal|critical|cannot|could not|"
    r"denied|refused|not found|no such|timed out|timeout|unable|warn(?:ing)?|assert\w*|expected|"
    r"undefined|unresolved|killed|conflict|fehler|erreur|ошибк\w*)\b"
    r"|\w(?:Error|Exception)\b|^E\s{2,}\S|[✗✕✖×●]|错误|失败|エラー|失敗",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b\d+ (?:passed|failed|passing|failing|errors?|warnings?|tests?|problems?|"
    r"vulnerabilit\w+)\b"
    r"|^(?:OK|FAILED|Ran \d+|Tests?:|test result:|\[\S+(?: \(root-commit\))? [0-9a-f]{7,40}\])"
    r"|\bBUILD (?:SUCCESS\w*|FAILED)",
)
_CHANGED = re.compile(r"^(?:[+-](?![+-]{2})|@@ |diff --git )")
_ROUTINE = re.compile(
    r"\s*(?:import|from|use|using|package|#include|require|#!|//|/?\*|[{}()\[\]])"
)
_NUMBERED = re.compile(r"^\s*\d+[\t→]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Scene:
    """An event and what is known around it."""

    step: Step  # its texts bounded
    text: str  # all that is left of its output, more than the rules look at
    interest: Interest  # what its turn is about
    root: str
    missing: int = 0  # lines of the output that were cut before


def shown(scene: Scene) -> list[str]:
    """The lines to show of an event, not yet marked as data."""
    return _BY_KIND[scene.step.kind](scene)


def is_short(script: str) -> bool:
    """Whether a script fits into the event's first line."""
    return len(script) <= COMMAND * 2 and len(" ".join(script.split())) <= COMMAND


def ends_first(count: int, head: int = 8, tail: int = 4) -> list[float]:
    """Ranks of lines of which the beginning and the end say most."""
    return [0.0 if at < head else 1.0 if at >= count - tail else 2.0 for at in range(count)]


def _shell(scene: Scene) -> list[str]:
    step = scene.step
    script = [] if is_short(step.script) else _script(step.script)
    if step.use.status == "refused":
        return script + _top(step)
    lines = lines_of(scene.text)
    runs = results.runs([step])
    telling = [run.counts for run in runs]
    wrong = not step.ok or any(not run.ok for run in runs)
    if wrong:
        failed = [failure for run in runs for failure in run.failures]
        telling += [failures.key_error(step.text)[:80]]
        telling += [text for one in failed for text in (one.name, one.message[:80])]
    if is_foreign(step):
        budget = _FOREIGN
    elif wrong:
        budget = _FAILED
    elif runs:
        budget = _PASSED
    else:
        budget = _SHELL if failures.acts([step]) else _LOOKED
    ranks = _shell_ranks(lines, [text for text in telling if len(text) > 2], scene.interest)
    return script + trim(lines, ranks, budget, width=_width(lines), missing=scene.missing)


def _script(text: str) -> list[str]:
    lines = [f"$ {line}" for line in lines_of(text)]
    return trim(lines, ends_first(len(lines), 4, 3), _SCRIPT)


def _shell_ranks(lines: list[str], telling: list[str], interest: Interest) -> list[float]:
    """Results first, errors, what changed, the end, the beginning, then what the turn is about."""
    ranks: list[float] = []
    seen: set[str] = set()
    for index, line in enumerate(lines):
        bare = " ".join(line[: _ALONE * 2].split())
        if bare in seen:
            rank = 9.0
        elif any(text in bare for text in telling) or _COUNTED.search(bare):
            rank = 0.0
        elif _WRONG.search(bare):
            rank = 1.0
        elif _CHANGED.match(line):
            rank = 1.5
        elif index >= len(lines) - 3:
            rank = 2.0
        elif index < 2:
            rank = 3.0
        else:
            rank = 5.0 - _points(interest, line, index)
        seen.add(bare)
        ranks.append(rank)
    return ranks


def _points(interest: Interest, line: str, index: int) -> float:
    """How much a line has to do with the turn, 0 to 1; of many lines only the first are asked."""
    return min(interest.score(line), 20) / 20 if index < _SCORED else 0.0


def _head_first(lines: list[str], interest: Interest) -> list[float]:
    """Ranks of lines of which the first two are shown, then those about the turn."""
    return [
        0.0 if index < 2 else 2.0 - _points(interest, line, index)
        for index, line in enumerate(lines)
    ]


def _edit(scene: Scene) -> list[str]:
    step = scene.step
    if not step.ok:
        return _top(step)
    change = edits.change_by(step)
    if change.created and change.after:
        return _written(step.path, change.after, scene.interest)
    lines: list[str] = []
    ranks: list[float] = []
    for place, (removed, added) in enumerate(change.pairs):
        for sign, part, most in (("-", removed, 3), ("+", added, 6)):
            for index, line in enumerate(lines_of("\n".join(part))):
                lines.append(sign + line)
                # the first lines of every place before the rest of any
                ranks.append(min(place, 50) / 100 + (index >= most) + (index >= most * 4))
    return trim(lines, ranks, _DIFF)


def _written(path: str, content: str, interest: Interest) -> list[str]:
    lines = lines_of(content)
    said = [", ".join(by_pattern("", content).added[:20]), *declarations(path, lines)[:6]]
    told = shorten(plain("; ".join(filter(None, said))), _DECLARED)
    return ([f"declares {told}"] if told else []) + trim(lines, _read_ranks(lines, interest), _HEAD)


def _read(scene: Scene) -> list[str]:
    step = scene.step
    if not step.ok:
        return _top(step)
    text = text_field(step.output.get("file"), "content") or scene.text
    if not isinstance(step.use.output, Mapping):
        text = _NUMBERED.sub("", text)
    lines = lines_of(text)
    return trim(lines, _read_ranks(lines, scene.interest), _READ, missing=scene.missing)


def _read_ranks(lines: list[str], interest: Interest) -> list[float]:
    """The first lines that say something, then those that have to do with the turn."""
    ranks: list[float] = []
    first = 0
    for index, line in enumerate(lines):
        routine = bool(_ROUTINE.match(line))
        if first < 2 and not routine:
            first += 1
            ranks.append(0.0)
        elif (points := _points(interest, line, index)) >= 0.15:
            ranks.append(2.0 - points)
        else:
            ranks.append(3.0 + routine)
    return ranks


def _search(scene: Scene) -> list[str]:
    step = scene.step
    if not step.ok:
        return _top(step)
    names = step.output.get("filenames")
    text = text_field(step.output, "content")
    if not text and isinstance(names, list):
        found = (name for name in names if isinstance(name, str))
        text = "\n".join(relative(name, scene.root, step.cwd) for name in found)
    lines = lines_of(text or scene.text)
    return trim(lines, _head_first(lines, scene.interest), _SEARCH, missing=scene.missing)


def _agent(scene: Scene) -> list[str]:
    step = scene.step
    asked = lines_of(text_field(step.use.input, "prompt"))
    found = lines_of(text_of(step.output.get("content", step.use.output)))
    asked = trim(asked, ends_first(len(asked)), _ASKED, width=_PROSE)
    ranks = ends_first(len(found))
    report = trim(found, ranks, _REPORT, width=_PROSE, missing=scene.missing)
    return _labelled("asked", asked) + _labelled("reported", report)


def _labelled(label: str, lines: list[str]) -> list[str]:
    return [f"{label}: {lines[0]}", *lines[1:]] if lines else []


def _web(scene: Scene) -> list[str]:
    asked = text_field(scene.step.use.input, "prompt")
    told = [one_line(f"asked: {asked}", COMMAND)] if asked else []
    return told + _foreign(scene)


def _foreign(scene: Scene) -> list[str]:
    text = scene.text.strip() or _dumped(scene.step.use.output)
    lines = lines_of(text)
    ranks = _head_first(lines, scene.interest)
    return trim(lines, ranks, _FOREIGN, width=_width(lines), missing=scene.missing)


def _dumped(output: object) -> str:
    """A result without a text of its own, as JSON."""
    if not isinstance(output, (Mapping, list)) or not output:
        return ""
    return json.dumps(output, ensure_ascii=False, skipkeys=True, default=str)[:_DUMP]


def _ask(scene: Scene) -> list[str]:
    step = scene.step
    given = step.output.get("answers")
    if not isinstance(given, Mapping):
        return _top(step)
    told = [
        f"asked: {one_line(str(question), 300)} chosen: {one_line(text_of(answer), 300)}"
        for question, answer in list(given.items())[:6]
    ]
    told += _options(step.use.input.get("questions"))
    return trim(told, range(len(told)), _ANSWER, width=_PROSE)


def _options(questions: object) -> list[str]:
    found: list[str] = []
    for one in questions[:6] if isinstance(questions, list) else []:
        options = one.get("options") if isinstance(one, Mapping) else None
        options = options[:8] if isinstance(options, list) else []
        labels = [label for option in options if (label := text_field(option, "label"))]
        if labels:
            found.append(f"options: {one_line(', '.join(labels), 300)}")
    return found


def _nothing(_scene: Scene) -> list[str]:
    """A list of tasks, or a tool's complaint about itself: nothing about the project."""
    return []


def _top(step: Step) -> list[str]:
    """What a refusal or a tool's error says."""
    lines = lines_of(step.text)
    return trim(lines, range(len(lines)), _REASON)


def _width(lines: Sequence[str]) -> int:
    return _ALONE if len(lines) <= 2 else WIDTH


_BY_KIND: dict[Kind, Callable[[Scene], list[str]]] = {
    "shell": _shell,
    "edit": _edit,
    "read": _read,
    "search": _search,
    "agent": _agent,
    "web": _web,
    "mcp": _foreign,
    "ask": _ask,
    "noise": _nothing,
}
