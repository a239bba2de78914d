"""Results of tests, linters, type checks and builds, as their output tells them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backstory.capture.rules.runners import RUNNERS, Failure, Outcome, Runner
from backstory.capture.rules.shell import Command
from backstory.capture.rules.steps import Step
from backstory.capture.rules.wordlist import wordlist

# Programs that show what others wrote: a result in their output is old news.
_SHOWING = wordlist(
    "cat less more head tail grep rg ag ack sed awk ls find git gh echo printf bat jq diff "
    "journalctl"
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a test suite, linter, type check or build."""

    step: Step
    tool: str  # "pytest"
    kind: str  # "test", "lint", "types", "build", "plan"
    ok: bool
    counts: str = ""  # as printed: "2 failed, 5 passed"
    failures: tuple[Failure, ...] = ()
    command: str = ""  # the command that ran it, without wrappers and pipes

    @property
    def key(self) -> str:
        """What a later run must share to count as the same check."""
        return self.tool


def runs(steps: list[Step]) -> list[Run]:
    """The runs of the turn in order; one for each tool that a step ran."""
    found: list[Run] = []
    for step in steps:
        if step.kind == "shell" and step.use.status != "refused":
            mine = _step_runs(step)
            found += mine or _again(step, found)
    return found


def _again(step: Step, earlier: list[Run]) -> list[Run]:
    """The same command that failed before now succeeds, whatever it prints."""
    if not step.ok:
        return []
    shown = {show(command) for command in step.commands if command.words}
    failed = {run.tool: run for run in earlier if not run.ok and run.command in shown}
    return [Run(step, tool, run.kind, True, command=run.command) for tool, run in failed.items()]


def _step_runs(step: Step) -> list[Run]:
    commands = [
        c for c in step.commands if c.words and c.program not in _SHOWING and c.joined != "|"
    ]
    if not commands or not step.text.strip():
        return _silent(step, commands)
    found: list[Run] = []
    for runner in RUNNERS:
        if not any(needle in step.text for needle in runner.needles):
            continue
        outcome = runner.read(step.text)
        if outcome is None:
            continue
        command = _command(commands, runner)
        if command is None and runner.only_named:
            continue
        found.append(_run(step, runner, outcome, command or commands[-1]))
    found = _without_echoes(found)
    return found or _silent(step, commands) or _scripts(step, commands)


def _run(step: Step, runner: Runner, outcome: Outcome, command: Command) -> Run:
    ok = outcome.ok and (step.ok or outcome.sure)
    return Run(
        step, runner.tool, runner.kind, ok, outcome.counts, outcome.failures[:12], show(command)
    )


def _command(commands: list[Command], runner: Runner) -> Command | None:
    for command in commands:
        if runner.named.search(" ".join(command.words[:6])):
            return command
    return None


def _without_echoes(found: list[Run]) -> list[Run]:
    """`make` repeats that a check failed; where the check itself is known, that says nothing."""
    told = [run for run in found if run.tool not in ("make", "npm", "ninja")]
    return told or found


def _silent(step: Step, commands: list[Command]) -> list[Run]:
    """Checks that print nothing when all is well."""
    found: list[Run] = []
    if step.ok and not step.text.strip():
        for runner in RUNNERS:
            command = _command(commands, runner) if runner.silent else None
            if command is not None:
                found.append(Run(step, runner.tool, runner.kind, True, command=show(command)))
    return found


_SCRIPT = re.compile(
    r"^(?:(?:npm|pnpm|yarn|bun)(?: run)?|make|just|task|rake|tox|nox|mvn|\./gradlew|gradle|"
    r"invoke|mix|\./\S+\.sh)"
    r" (?:-\S+ )*(?P<what>[\w:.-]*(?:test|check|lint|build|type|verify|ci)[\w:.-]*)"
)


def _scripts(step: Step, commands: list[Command]) -> list[Run]:
    """A named script, such as `npm run lint`, whose output is in no form that is known."""
    for command in commands:
        found = _SCRIPT.match(" ".join(command.words[:5]))
        if found:
            what = found["what"]
            kind = "lint" if "lint" in what else "test" if "test" in what else "build"
            failures = () if step.ok else (Failure("", _complaint(step.text), ""),)
            return [Run(step, show(command), kind, step.ok, "", failures, show(command))]
    return []


def _complaint(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [
        line
        for line in lines
        if re.search(r"\b(?:error|failed|failure|cannot|not found)\b", line, re.IGNORECASE)
    ]
    return (telling or lines[-1:] or [""])[0][:240]


def show(command: Command) -> str:
    """A command as a person would name it: the program and its first arguments."""
    words: list[str] = []
    for word in command.words:
        if len(" ".join(words)) > 60 or "\n" in word:
            break
        words.append(f"'{word}'" if " " in word else word)
    return " ".join(words)
