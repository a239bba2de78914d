"""What the turn looked at: files read, searches, and what commands showed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from backstory.capture.rules.figures import brief, figure
from backstory.capture.rules.paths import is_certain, is_config, is_scratch, relative
from backstory.capture.rules.problems import traceback
from backstory.capture.rules.results import show
from backstory.capture.rules.shell import Command
from backstory.capture.rules.steps import Step
from backstory.capture.rules.steps import field as text_field
from backstory.capture.rules.terms import WORD, terms, weight
from backstory.capture.rules.titles import is_order, plain, shorten
from backstory.capture.rules.wordlist import wordlist

_LINES = 1_500
_FACT_LINES = 3
_BRIEF = 4  # lines of an output that are all told
_LOOKS = 300  # in one turn; nobody asks for more of what was only looked at
_WIDEST = 400  # characters of a line that are looked at

_SEARCHERS = frozenset(["grep", "rg", "ag", "ack", "egrep", "fgrep"])
_VIEWERS = wordlist("cat head tail less more sed bat nl view")
_MUTE = wordlist(
    "ls pwd cd echo true false export source . which type clear sleep wait kill mkdir touch "
    "chmod chown set history whoami date tree printf test [ alias unset rm mv cp ln open code "
    "exit"
)
_MUTE_GIT = wordlist(
    "status add diff commit log show checkout switch branch push pull fetch stash merge bisect "
    "revert tag"
)
_HIT = re.compile(r"^([\w@.][^\s:]*?|/[^\s:]+?):(\d+)[:-]\s*(.*)$")
_RULING = re.compile(r"[\s=+|─-]*(?:\(\d+ rows?\))?")  # lines that only rule a table
_BORING = re.compile(r"(?:import|from|use|using|package|#include|require)\b[^=]*$")
_ONLY_PATH = re.compile(r"^\.?/?[\w@.][\w@./-]*\.\w+$")
_SALIENT = re.compile(
    r"\d\s?(?:ms|µs|us|s|secs?|seconds?|min|minutes|[KMGT]i?B|%|req/s|rps|qps|ops/s(?:ec)?|fps|"
    r"x)(?![\w])"
    r"|\b[A-Z]\w+ v?\d+\.\d+\b|\b(?:version|real|total|elapsed|mean|median|p9\d|latency|"
    r"throughput|execution time|"
    r"planning time|rows?)\b"
    r"|\bv?\d+\.\d+\.\d+\b|\b(?:error|warn(?:ing)?|fatal|exception|refused|denied|killed|oom\w*|"
    r"crash\w*|"
    r"unhealthy|exited|failed|timeout|panic)\b|\b[A-Z][A-Z0-9_]{3,}=\S|\bHTTP/\d|\bport\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Look:
    """One thing looked at, with the lines of it that matter."""

    step: Step
    subject: str  # "config/app.yml", "grep 'round('"
    files: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    score: int = 0  # how much its lines have to do with the prompt and the closing message
    headline: str = ""  # what a row of its own would be called
    figure: tuple[str, str, str] | None = None  # what its output measured: name, number, unit
    measured: bool = False  # a command's short output: versions, timings, states


class Interest:
    """What the turn is about: the words of the prompt and of the closing message."""

    def __init__(self, prompt: str, message: str) -> None:
        self.asked = terms(prompt[:4_000])
        self.said = terms(message[:12_000])
        self.all = self.asked | self.said
        self._points: dict[str, int] = {}  # of words met before: lines repeat them

    def score(self, line: str) -> int:
        """How much a line has to do with it; what was said in the end counts more."""
        points = 0
        for word in set(WORD.findall(line[:_WIDEST])):
            known = self._points.get(word)
            if known is None:
                found = terms(word)
                known = weight(found & self.all) + weight(found & self.said)
                self._points[word] = known
            points += known
        return points


def looks(steps: list[Step], root: str, interest: Interest, taken: set[int]) -> list[Look]:
    """What was looked at, in order; `taken` steps are told of elsewhere. The same thing once."""
    found: list[Look] = []
    seen: set[tuple[str, str]] = set()  # what was read again without a change tells nothing new
    for step in steps:
        if len(found) >= _LOOKS:
            break
        if not step.ok or step.index in taken or (step.use.name + step.path, step.text) in seen:
            continue
        seen.add((step.use.name + step.path, step.text))
        look: Look | None = None
        if step.kind == "read":
            look = _read(step, interest)
        elif step.kind == "search":
            look = _tool_search(step, root, interest)
        elif step.kind == "shell":
            look = _shell(step, root, interest)
        if look is not None:
            found.append(look)
    merged = _merged(found)
    opened = {look.subject for look in found if look.step.kind == "read"}
    for look in merged.values():
        if look.step.kind != "read" and opened.intersection(look.files):
            look.score += 2  # the search led somewhere
    return list(merged.values())


def _merged(found: list[Look]) -> dict[str, Look]:
    """The looks by what they looked at; what was measured twice is told as before and after."""
    merged: dict[str, Look] = {}
    for look in found:
        if (same := merged.get(look.subject)) is None:
            merged[look.subject] = look
            continue
        if look.figure and same.figure and look.figure[::2] == same.figure[::2]:
            (named, old, unit), new = same.figure, look.figure[1]
            if new != old:
                same.headline = f"{named} {old} → {new} {unit}".strip()
        same.facts += [fact for fact in look.facts if fact not in same.facts]
        same.score = max(same.score, look.score)
    return merged


def _read(step: Step, interest: Interest) -> Look | None:
    if not step.path or is_scratch(step.path):
        return None
    out = step.output.get("file")
    content = text_field(out, "content") or (step.text if not isinstance(out, dict) else "")
    if not isinstance(step.use.output, dict):
        content = re.sub(r"^\s*\d+[\t→]", "", content, flags=re.MULTILINE)
    lines = content.splitlines()
    look = Look(step, step.path, [step.path])
    best = _best(lines, interest, 1 if is_config(step.path) else 3)
    look.score = max((score for score, _, _ in best), default=0)
    for _, _, line in sorted(best, key=lambda item: item[1])[:_FACT_LINES]:
        look.facts.append(f"{step.path}: {shorten(line, 160)}")
    return look


def _best(lines: list[str], interest: Interest, least: int) -> list[tuple[int, int, str]]:
    """The lines that have most to do with the turn: score, place, text."""
    scored = [(interest.score(line), number) for number, line in enumerate(lines[:_LINES])]
    scored = sorted((s for s in scored if s[0] >= least), key=lambda item: (-item[0], item[1]))
    found: list[tuple[int, int, str]] = []
    for score, number in scored[: _FACT_LINES * 4]:
        text = plain(lines[number][:_WIDEST])
        if len(text) >= 4 and not is_order(text) and not _BORING.match(text):
            found.append((score, number, text))
    return found[:_FACT_LINES]


def _tool_search(step: Step, root: str, interest: Interest) -> Look:
    pattern = text_field(step.use.input, "pattern")
    found = step.output
    names = found.get("filenames")
    text = (
        step.text
        if not isinstance(names, list)
        else "\n".join(n for n in names if isinstance(n, str))
    )
    text = text_field(found, "content") or text
    return _hits(step, f"{step.use.name} {pattern}".strip(), pattern, text, root, interest)


def _hits(step: Step, subject: str, pattern: str, text: str, root: str, interest: Interest) -> Look:
    look = Look(step, subject)
    told: list[tuple[int, str, str]] = []
    known: dict[str, str] = {}
    for line in text.splitlines()[:200]:
        if hit := _HIT.match(line):
            path = known.get(hit[1]) or known.setdefault(hit[1], relative(hit[1], root, step.cwd))
            look.files.append(path)
            told.append((interest.score(hit[3]), f"{path}:{hit[2]}", hit[3]))
        elif _ONLY_PATH.match(line.strip()):
            look.files.append(relative(line, root, step.cwd))
    look.files = list(dict.fromkeys(look.files))
    told.sort(key=lambda item: -item[0])
    look.score = max((score for score, _, _ in told), default=0)
    for _, place, line in told[: _FACT_LINES * 2]:
        said = plain(line[:_WIDEST])
        if said and not is_order(said) and len(look.facts) < _FACT_LINES:
            look.facts.append(f"{place} {shorten(said, 130)}")
    if not told and look.files and len(look.files) <= 8:
        look.facts = [f"{pattern} found in {', '.join(look.files[:5])}"]
    return look


def _shell(step: Step, root: str, interest: Interest) -> Look | None:
    command = _telling(step)
    if command is None or not step.text.strip():
        return None
    if command.program in _SEARCHERS or command.starts("git", "grep"):
        words = [word for word in command.arguments if word != "grep" or command.program != "git"]
        pattern = words[0] if words else ""
        text = step.text
        if (
            len(words) == 2 and is_certain(words[1]) and "." in words[1]
        ):  # one file: no name in the hits
            path = relative(words[1], root, step.cwd)
            text = re.sub(r"^(?=\d+[:-])", path + ":", text, flags=re.MULTILINE)
        return _hits(step, f"search {pattern}", pattern, text, root, interest)
    if command.program in _VIEWERS and (names := _named_files(command, root, step.cwd)):
        return _viewed(step, names, interest)
    return _shown(step, command, interest)


def _telling(step: Step) -> Command | None:
    """The command of a script whose output is worth a look."""
    for command in step.commands:
        if not command.words or command.joined == "|" or command.program in _MUTE:
            continue
        if command.program == "git" and command.arguments[:1] and command.arguments[0] in _MUTE_GIT:
            continue
        return command
    return None


def _named_files(command: Command, root: str, cwd: str) -> list[str]:
    words = [
        w
        for w in command.arguments
        if is_certain(w) and not w.isdigit() and not re.match(r"\d+,?\d*p?$", w)
    ]
    return [path for word in words if (path := relative(word, root, cwd)) and not is_scratch(path)]


def _viewed(step: Step, names: list[str], interest: Interest) -> Look:
    look = Look(step, names[0], names)
    best = _best(step.text.splitlines(), interest, 2)
    look.score = max((score for score, _, _ in best), default=0)
    where = f"{names[0]}: " if len(names) == 1 else ""
    look.facts = [f"{where}{shorten(line, 160)}" for _, _, line in sorted(best, key=lambda b: b[1])]
    place, raised = traceback(step.text)
    if raised and not is_order(raised):
        # A log that was looked at for the error in it.
        at = f" at {place}" if place else ""
        look.facts.insert(0, f"{where}{shorten(raised, 160)}{at}")
        look.score, look.measured = look.score + 5, True
        look.headline = f"{raised} ({names[0]})"
    return look


def _shown(step: Step, command: Command, interest: Interest) -> Look | None:
    lines = [line[:_WIDEST].strip() for line in step.text.splitlines()[:_LINES]]
    lines = [line for line in lines if not _RULING.fullmatch(line)]
    lines = list(dict.fromkeys(line for line in lines if "[redacted:" not in line))
    if not lines:
        return None
    scored = [
        (interest.score(line) + 2 * bool(_SALIENT.search(line)), number, line)
        for number, line in enumerate(lines)
    ]
    if len(lines) > 4:
        least = 1 if len(lines) <= 12 else 2
        scored = sorted((s for s in scored if s[0] >= least), key=lambda item: (-item[0], item[1]))[
            :4
        ]
    chosen = [plain(line) for _, _, line in sorted(scored, key=lambda item: item[1])]
    chosen = [line for line in chosen if line and not is_order(line)]
    if not chosen:
        return None
    name = show(command)
    short = command.program if "://" in name else name  # a title holds no address
    head = f"{step.purpose} (`{name}`)" if step.purpose else f"`{name}`"
    look = Look(step, head, measured=True)
    look.score = 2 + max(score for score, _, _ in scored)
    joined = "; ".join(shorten(line, 110) for line in chosen)
    look.facts = [f"{shorten(head, 110)}: {joined}"]
    ranked = [plain(line) for _, _, line in sorted(scored, key=lambda item: (-item[0], item[1]))]
    look.figure = next((found for line in ranked if (found := figure(line))), None)
    said = brief(ranked if len(lines) > _BRIEF else chosen)
    name = step.purpose or f"`{short}`"
    look.headline = (
        f"{name}: {said}"
        if said
        else name
        if step.purpose
        else f"Output of `{shorten(short.split(' --')[0], 60)}`"
    )
    return look
