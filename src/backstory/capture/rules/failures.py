"""Commands that failed, and what made the failure go away."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from backstory.capture.rules.problems import traceback
from backstory.capture.rules.results import Run, show
from backstory.capture.rules.shell import Command
from backstory.capture.rules.steps import Step
from backstory.capture.rules.titles import shorten
from backstory.capture.rules.wordlist import wordlist

_ERROR_LINE = 220

_SYSTEM = (
    "command not found|No such file or directory|Permission denied|Connection refused|"
    "not recognized|No space left|address already in use|timed out|denied|no such host"
)
# From the most telling to the least; the first that matches a line is the error.
_SIGNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:ERROR:\s+)?[\w.]*(?:Error|Exception)\b: .+$",
        r"^\s*(?:[A-Za-z]+Error|Uncaught \w+|Caused by): .+$",
        r"^(?:error(?:\[\w+\])?|Error|ERROR|fatal|FATAL|panic|Fatal error)\b ?:? ?.+$",
        r"^.*\b(?:ERROR|FATAL|CRITICAL)\b.*\w.*$",
        rf"^(?:\S+: )?.*(?:{_SYSTEM}).*$",
        r"^npm (?:ERR!|error) (?!code|errno|path|A complete)\S.*$",
        r"^\w[\w./-]*: .+$",
        r"^.*\b(?:[Ee]rror|[Ff]ailed|[Cc]annot|[Cc]ould not|[Uu]nable|[Ii]nvalid|not found)\b.*$",
    )
)
# An error in the output of a script that "succeeded", because a pipe or `|| true` hid its code.
_HIDDEN = re.compile(
    r"^(?:Traceback \(most recent call last\):|curl: \(\d+\) .*|fatal: .*|psql: error: .*|"
    r"(?:bash|sh|zsh|/bin/\w+): .*command not found|.*: command not found|npm (?:ERR!|error) .*|"
    r"Error response from daemon: .*|ModuleNotFoundError: .*|panic: .*|Killed|Segmentation "
    r"fault.*)$",
    re.MULTILINE,
)
_COMPLAINS = re.compile(
    r"not found\b|No such file|[Pp]ermission denied|\b[A-Z]\w*Error: |\b[Ee]rror: |refused|"
    r"cannot |fatal: |\\bpeer |incompatible"
)
_PREFIX = re.compile(r"\AExit code \d+\n?|^(?:psql|mysql|sqlite3):\S+?:\d+: ", re.MULTILINE)
_MISSING = re.compile(
    r"No module named '?([\w.]+)|Cannot find (?:module|package) '([^'\n]+)'|(?:^|"
    r"[\s:])([\w.-]+): command not found"
    r"|command not found: ([\w.-]+)|no required module provides package ([\w./-]+)"
    r"|unresolved import `([\w:]+)`|Package '?([\w.-]+)'? (?:was )?not found",
    re.MULTILINE,
)
_LOOKING = wordlist(
    "cat ls grep rg find head tail less test which command stat file wc diff ag fd tree sed "
    "awk [ cd echo pwd"
)
_IDLE = _LOOKING | {"sleep", "printf", "export", "true"}
_ASKING = wordlist(  # verbs of many programs that change nothing
    "ls list view show info status describe logs log get ps outdated why explain images inspect "
    "current history diff"
)
_SHOWS_LOGS = wordlist("cat tail head less grep rg journalctl git sed awk")


@dataclass(slots=True)
class Trouble:
    """One command that failed, with what came of it."""

    steps: list[Step]  # every time it failed
    command: Command
    error: str  # the telling line
    more: tuple[str, ...] = ()  # other lines that tell of errors
    code: str = ""  # the exit code as printed, "" when unknown
    fixed: Step | None = None  # the later success
    between: list[Step] = field(default_factory=list)  # what was done before that success

    @property
    def trivial(self) -> bool:
        """Only looking around: a file that is not there, a search without hits."""
        return self.command.program in _LOOKING

    @property
    def shown(self) -> str:
        """The command as a person would name it."""
        return show(self.command)

    @property
    def missing(self) -> str:
        """The module, package or program that was not there, "" for other errors."""
        found = _MISSING.search(self.error)
        return next((part for part in found.groups() if part), "") if found else ""


def troubles(steps: list[Step], known: list[Run]) -> list[Trouble]:
    """The failed commands of the turn that are no test or build runs, each kind once."""
    taken = {run.step.index for run in known}
    found: list[Trouble] = []
    for step in steps:
        if step.kind != "shell" or step.index in taken or step.use.status == "refused":
            continue
        if step.ok and not _hides_error(step):
            continue
        error = key_error(step.text)
        command = _guilty(step, error)
        if command is None or (command.program in _LOOKING and not error):
            continue
        code = re.match(r"Exit code (\d+)", step.text)
        same = next((t for t in found if alike(t.command, command) and t.fixed is None), None)
        if same is not None:
            same.steps.append(step)
            if error and error != same.error:
                same.error = error if same.trivial else same.error
        else:
            more = _other_errors(step.text, error)
            found.append(Trouble([step], command, error, more, code[1] if code else ""))
    for trouble in found:
        _resolve(trouble, steps, found)
    return found


def _hides_error(step: Step) -> bool:
    if not _HIDDEN.search(step.text):
        return False
    return not all(c.program in _SHOWS_LOGS for c in step.commands if c.joined != "|")


def key_error(text: str) -> str:
    """The line of an output that tells what went wrong."""
    text = _PREFIX.sub("", text)
    _, raised = traceback(text)
    if raised:
        return shorten(raised, _ERROR_LINE)
    for sign in _SIGNS:
        if found := sign.search(text):
            return shorten(re.sub(r"\s+", " ", found.group()).strip(), _ERROR_LINE)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return shorten(lines[-1], _ERROR_LINE) if lines and len(lines) <= 5 else ""


def _other_errors(text: str, error: str) -> tuple[str, ...]:
    found = [line.strip() for line in text.splitlines()[:200] if _COMPLAINS.search(line)]
    others = [line[:_ERROR_LINE] for line in found if error not in line and line not in error]
    return tuple(dict.fromkeys(others))[:2]


def _guilty(step: Step, error: str) -> Command | None:
    """The command of a script that failed: the one the error names, else the last that works."""
    commands = [
        c for c in step.commands if c.words and c.program not in ("cd", "export", "set", "true")
    ]
    for command in commands:
        if error.startswith((f"{command.program}:", f"{command.words[0]}:")):
            return command
    heads = [c for c in commands if c.joined != "|"]
    working = [c for c in heads if c.program not in _LOOKING]
    return (working or heads)[-1] if heads else None


def alike(one: Command, other: Command) -> bool:
    """Whether two commands are tries at the same thing."""
    if one.program != other.program or not one.words:
        return one.words[-1:] == other.words[-1:] and len(one.words) == len(other.words) == 2
    if one.words == other.words:
        return True
    if one.program in _LOOKING:
        return bool(set(one.arguments[-1:]) & set(other.arguments[-1:]))
    first, second = set(one.words[1:]), set(other.words[1:])
    if not first or not second:
        return True
    if one.arguments[:1] != other.arguments[:1]:
        return False
    return len(first & second) / min(len(first), len(second)) >= 0.5


def _resolve(trouble: Trouble, steps: list[Step], found: list[Trouble]) -> None:
    failed = {step.index for other in found for step in other.steps}
    later = [
        step
        for step in steps[trouble.steps[-1].index + 1 :]
        if step.kind == "shell" and step.ok and step.index not in failed
    ]
    # The very same command proves most; one like it will do.
    same = [s for s in later if any(c.words == trouble.command.words for c in s.commands)]
    near = [s for s in later if any(c.words and alike(trouble.command, c) for c in s.commands)]
    if not (same or near):
        return
    trouble.fixed = (same or near)[0]
    first, last = trouble.steps[0].index, trouble.fixed.index
    trouble.between = [step for step in steps[first + 1 : last] if _acts(step, failed)]
    if not trouble.between and len(acts([trouble.fixed])) > 1:
        trouble.between = [trouble.fixed]


def acts(steps: list[Step]) -> list[str]:
    """The commands of some steps that did something, as a person would name them."""
    told = [
        show(command)
        for step in steps
        if step.kind == "shell"
        for command in step.commands
        if command.words and command.joined != "|" and not _idle(command)
    ]
    return list(dict.fromkeys(told))


def _acts(step: Step, failed: set[int]) -> bool:
    if not step.ok or step.index in failed:
        return False
    if step.kind == "edit":
        return True
    return step.kind == "shell" and any(c.words and not _idle(c) for c in step.commands)


def _idle(command: Command) -> bool:
    """Whether a command only looks or waits."""
    asks = command.arguments[:1] and command.arguments[0] in _ASKING
    return command.program in _IDLE or bool(asks) or "--version" in command.words
