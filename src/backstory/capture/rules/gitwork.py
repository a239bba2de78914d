"""What the turn did with git and its host: commits, branches, tags, pushes, pull requests."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backstory.capture.rules.shell import Command
from backstory.capture.rules.steps import Step
from backstory.capture.rules.titles import plain, shorten

_MADE = re.compile(r"^\[([^\]\s]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.*)$", re.MULTILINE)
_LOGGED = re.compile(r"^([0-9a-f]{7,40}) (?:\([^)\n]*\) )?(\S.*)$", re.MULTILINE)
_VERBS = {
    "branch": "Created branch",
    "merge": "Merged",
    "rebase": "Rebased onto",
    "tag": "Tagged",
    "revert": "git revert",
    "cherry-pick": "git cherry-pick",
}
_LISTING = frozenset({"-d", "-D", "-l", "-n", "--list", "--delete", "--abort"})
_COMMITS = (("commit",), ("revert",), ("cherry-pick",), ("merge",), ("am",))
_NOTHING = re.compile(
    r"nothing to commit|nothing added to commit|no changes added to commit", re.IGNORECASE
)
_TRAILER = re.compile(
    r"^(?:Co-Authored-By|Signed-off-by|Change-Id|🤖|Generated with)", re.IGNORECASE
)
_PULL = re.compile(r"https?://\S+/(?:pull|merge_requests)/(\d+)")
_BAD = re.compile(
    r"^([0-9a-f]{7,40}) is the first bad commit(?:[\s\S]*?^    (\S.*)$)?", re.MULTILINE
)
_CONFLICT = re.compile(r"^CONFLICT \([^)]*\): .*?(?:in|of) (\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit that was made; what git did not print is ""."""

    step: Step
    subject: str
    hash: str = ""
    branch: str = ""
    body: str = ""

    def text(self) -> str:
        """The commit in one line."""
        return f"Commit {self.hash}: {self.subject}" if self.hash else f"Commit: {self.subject}"


@dataclass(frozen=True, slots=True)
class GitEvent:
    """Another thing done with git, in words."""

    step: Step
    text: str
    weight: int = 1


def commits(steps: list[Step]) -> list[Commit]:
    """The commits of the turn, in order."""
    found: list[Commit] = []
    for step in steps:
        for command in step.commands:
            made = command.program == "git" and command.arguments[:1] in _COMMITS
            commit = _commit(command, step, steps) if made else None
            known = {(c.step.index, c.subject) for c in found}
            if commit and (step.index, commit.subject) not in known:
                found.append(commit)
    return found


def _commit(command: Command, step: Step, steps: list[Step]) -> Commit | None:
    message = _message(command)
    if not command.starts("git", "commit") and not _MADE.search(step.text):
        return None
    printed_all = _MADE.findall(step.text)
    made = [m for m in printed_all if not message or m[2][:30] == message[:30]]
    if not made and sum(c.starts("git", "commit") for c in step.commands) < 2:
        made = printed_all
    if not made and (not step.ok or _NOTHING.search(step.text) or "--dry-run" in command.words):
        return None
    branch, number, printed = made[-1] if made else ("", "", "")
    subject, _, body = message.partition("\n")
    subject = subject.strip() or printed.strip()
    if not number:
        number = _logged(subject, step, steps)
    if not subject:
        return None
    lines = [
        line.strip() for line in body.splitlines() if line.strip() and not _TRAILER.match(line)
    ]
    return Commit(step, plain(subject), number, branch, plain(" ".join(lines))[:400])


def _message(command: Command) -> str:
    words = command.words
    parts: list[str] = []
    for index, word in enumerate(words):
        if re.fullmatch(r"-[a-zA-Z]*m|--message", word) and index + 1 < len(words):
            parts.append(words[index + 1])
        elif word.startswith("--message="):
            parts.append(word.partition("=")[2])
        elif re.match(r"-m\S", word):
            parts.append(word[2:])
    text = "\n\n".join(parts) or (command.heredoc if "-" in words else "")
    return "" if text.startswith(("$(", "`")) else text.strip()


def _logged(subject: str, step: Step, steps: list[Step]) -> str:
    """The hash that a later `git log` printed beside this very subject."""
    for later in steps[step.index : step.index + 12]:
        if later.kind == "shell" and "git" in later.script:
            for number, text in _LOGGED.findall(later.text):
                if subject and text.strip() == subject:
                    return str(number)
    return ""


def events(steps: list[Step]) -> list[GitEvent]:
    """Branches, merges, tags, pushes, pull requests and findings of the turn, in order."""
    found: list[GitEvent] = []
    for step in steps:
        if step.kind != "shell" or step.use.status == "refused":
            continue
        for command in step.commands:
            if command.program in ("git", "gh", "glab") and command.joined != "||":
                found += [GitEvent(step, *event) for event in _event(command, step)]
    unique = {event.text: event for event in reversed(found)}
    return list(reversed(unique.values()))


def _event(command: Command, step: Step) -> list[tuple[str, int]]:
    """What a command came to in words, and how much that weighs."""
    words = command.arguments
    verb = words[0] if words else ""
    if conflicts := _CONFLICT.findall(step.text):
        return [(f"git {verb} conflict in {', '.join(dict.fromkeys(conflicts))}", 2)]
    if verb == "bisect" and (bad := _BAD.search(step.text)):
        return [(f"git bisect: first bad commit is {bad[1]} {bad[2] or ''}".strip(), 3)]
    if not step.ok:
        return []
    if command.program in ("gh", "glab"):
        return _hosted(command, step)
    name = words[1] if len(words) > 1 else ""
    text = ""
    if verb in ("checkout", "switch"):
        branch = command.option("-b", "-c", "-B", "-C", "--create")
        text = f"Created branch {branch}" if branch else ""
    elif verb == "push":
        text = f"Pushed {' '.join(words[1:]) or _pushed(step.text)}".strip()
    elif name and verb in _VERBS and not _LISTING.intersection(command.words):
        text = f"{_VERBS[verb]} {name}" if not _MADE.search(step.text) else ""
    elif verb == "reset" and "--hard" in command.words:
        text = f"git reset --hard {name}".strip()
    return [(text, 1 if verb in ("checkout", "switch", "push", "branch") else 2)] if text else []


def _pushed(text: str) -> str:
    found = re.search(r"\S+ -> (\S+)$", text, re.MULTILINE)
    return found[1] if found else ""


def _hosted(command: Command, step: Step) -> list[tuple[str, int]]:
    words = command.arguments
    title = command.option("--title", "-t")
    pull = _PULL.search(step.text)
    if words[:2] in (("pr", "create"), ("mr", "create")):
        number = f" #{pull[1]}" if pull else ""
        return [(f"Opened pull request{number}{': ' + shorten(title, 90) if title else ''}", 2)]
    if words[:2] in (("pr", "merge"), ("mr", "merge")):
        return [(f"Merged pull request {words[2] if len(words) > 2 else ''}".strip(), 2)]
    if words[:2] == ("issue", "create"):
        opened = re.search(r"/issues/(\d+)", step.text)
        return [
            (f"Opened issue{' #' + opened[1] if opened else ''}{': ' + title if title else ''}", 2)
        ]
    if words[:2] == ("release", "create") and len(words) > 2:
        return [(f"Released {words[2]}", 2)]
    return []
