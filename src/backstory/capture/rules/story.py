"""Everything that the rules read out of one turn, before it becomes rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from backstory.capture.rules import (
    edits,
    failures,
    foreign,
    gitwork,
    operations,
    packages,
    reads,
    results,
    statements,
)
from backstory.capture.rules.edits import FileChange
from backstory.capture.rules.failures import Trouble
from backstory.capture.rules.gitwork import Commit, GitEvent
from backstory.capture.rules.packages import Install
from backstory.capture.rules.reads import Look
from backstory.capture.rules.results import Run
from backstory.capture.rules.shell import Command
from backstory.capture.rules.statements import Statement
from backstory.capture.rules.steps import Step, read_steps
from backstory.capture.rules.terms import same, terms
from backstory.capture.rules.titles import ASK_LIMIT
from backstory.capture.rules.wordlist import wordlist
from backstory.records import Turn

_LOOKING = wordlist(
    "ls pwd cd cat head tail less more sed awk grep rg ag find fd tree wc stat file echo git "
    "nl bat which type sort uniq cut jq xargs diff column tr"
)
_HOST_MADE = ("<task-notification", "<system-reminder", "<local-command")
_SHORT = 4  # lines of output that fit on the row of what was mended
_GIT_LOOKING = wordlist(
    "status log diff show blame branch grep ls-files remote rev-parse describe shortlog"
)


@dataclass(frozen=True, slots=True)
class Story:
    """One turn, taken apart."""

    turn: Turn
    steps: list[Step]
    changes: dict[str, FileChange]
    runs: list[Run]
    troubles: list[Trouble]
    commits: list[Commit]
    git: list[GitEvent]
    installs: list[Install]
    acted: list[tuple[Step, Command]]  # what changed running systems or data
    looks: list[Look]  # of the main agent, from the project itself
    foreign_looks: list[Look]  # from other hosts, by way of the shell
    interest: reads.Interest  # what the turn is about
    said: list[Statement]  # the closing message
    rules: list[Statement]  # what the prompt lays down
    given: list[str]  # what the prompt says about how things are
    intent: str  # "fix", "add", "reshape" or ""
    reported: str  # the error that the prompt holds, "" for none
    request: str  # the prompt in short, "" for a greeting

    @property
    def reads_only(self) -> bool:
        """Whether the turn did nothing but look."""
        acted = self.changes or self.runs or self.commits or self.git or self.installs or self.acted
        return bool(self.steps) and not acted and all(_looks(step) for step in self.steps)

    @property
    def outside(self) -> str:
        """The text that came from the web or from foreign servers."""
        return "\n".join(s.text[:4_000] for s in self.steps if foreign.is_foreign(s))[:40_000]


def tell(turn: Turn) -> Story:
    """Takes a turn apart."""
    steps = read_steps(turn)
    if turn.prompt.lstrip().startswith(_HOST_MADE):
        turn = replace(turn, prompt="")  # a notice of the host, nothing that the user said
    # A message that the host made up about its own failure is nothing that Claude said.
    message = "" if turn.error else turn.last_message
    changes = edits.collect(steps, turn.root)
    runs = results.runs(steps)
    troubles = failures.troubles(steps, runs)
    commits, git = gitwork.commits(steps), gitwork.events(steps)
    installs = packages.installs(steps)
    told: set[int] = {step.index for step in steps if step.use.agent_id}
    told.update(step.index for change in changes.values() for step in change.steps)
    told.update(item.step.index for group in (runs, commits, git, installs) for item in group)
    acted = [pair for pair in operations.acting_steps(steps) if pair[0].index not in told]
    for trouble in troubles:
        told.update(step.index for step in trouble.steps)
        if trouble.fixed is not None and trouble.fixed.text.count("\n") < _SHORT:
            told.add(trouble.fixed.index)
    acted = [pair for pair in acted if pair[0].index not in told]
    told.update(step.index for step, _ in acted)
    interest = reads.Interest(turn.prompt, message)
    seen = reads.looks(steps, turn.root, interest, told)
    rules, given = statements.wishes(turn.prompt)
    trivial = statements.is_trivial(turn.prompt)
    return Story(
        turn=turn,
        steps=steps,
        changes=changes,
        runs=runs,
        troubles=troubles,
        commits=commits,
        git=git,
        installs=installs,
        acted=acted,
        looks=[look for look in seen if not foreign.is_foreign(look.step)],
        foreign_looks=[look for look in seen if foreign.is_foreign(look.step)],
        interest=interest,
        said=_without_rules(statements.closing(message), rules),
        rules=rules,
        given=given,
        intent=statements.intent(turn.prompt, message),
        reported=statements.reported(turn.prompt),
        request="" if trivial else statements.request(turn.prompt, ASK_LIMIT),
    )


def _without_rules(said: list[Statement], rules: list[Statement]) -> list[Statement]:
    """The closing message without what only repeats the prompt."""
    laid = [terms(rule.text) for rule in rules]
    return [one for one in said if not any(same(terms(one.text), words) for words in laid)]


def _looks(step: Step) -> bool:
    if step.kind in ("read", "search", "noise"):
        return True
    return step.kind == "shell" and all(_only_looks(c) for c in step.commands if c.words)


def _only_looks(command: Command) -> bool:
    if "--version" in command.words or "-V" in command.words:
        return True
    if command.program == "git":
        return bool(command.arguments) and command.arguments[0] in _GIT_LOOKING
    return command.program in _LOOKING
