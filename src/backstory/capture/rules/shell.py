"""A shell script taken apart into simple commands; enough to know what ran, not a shell.

Quotes, escapes, substitutions, here-documents, redirections and lists are understood; loops and
functions fall apart into their simple commands. Nothing here ever raises on odd input.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace

from backstory.capture.rules.wordlist import wordlist

_SCRIPT_LIMIT = 20_000
_MOST_COMMANDS = 200  # of a script: rules compare commands with each other
_OPERATORS = ("&&", "||", "|&", ";;", "|", ";", "&", "\n", "(", ")")
_REDIRECT = re.compile(r"(?:&|\d)?(>>|>\||>&|>|<<<|<<-|<<|<&|<)")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*\+?=")
_KEYWORDS = wordlist("if then else elif fi for while until do done case esac { } ! function")

# Programs that only run another one, with the options that take a value.
_WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": frozenset({"-u", "-g"}),
    "time": frozenset({"-f", "-o"}),
    "env": frozenset({"-u", "-C"}),
    "nohup": frozenset(),
    "nice": frozenset({"-n"}),
    "timeout": frozenset({"-s", "-k"}),
    "command": frozenset(),
    "exec": frozenset(),
    "xargs": frozenset({"-n", "-P", "-I", "-d", "-L"}),
    "stdbuf": frozenset({"-o", "-e", "-i"}),
    "npx": frozenset({"-p", "--package"}),
    "bunx": frozenset(),
    "pnpx": frozenset(),
    "uvx": frozenset({"--from", "--with"}),
}
_RUNNERS = {  # "uv run pytest" runs pytest
    ("uv", "run"): frozenset({"--with", "--extra", "--group", "--python", "-p", "--env-file"}),
    ("poetry", "run"): frozenset(),
    ("pipenv", "run"): frozenset(),
    ("pdm", "run"): frozenset(),
    ("hatch", "run"): frozenset(),
    ("rye", "run"): frozenset(),
    ("pnpm", "exec"): frozenset(),
    ("pnpm", "dlx"): frozenset(),
    ("npm", "exec"): frozenset(),
    ("yarn", "exec"): frozenset(),
    ("bundle", "exec"): frozenset(),
    ("bun", "x"): frozenset(),
    ("docker", "exec"): frozenset({"-e", "-u", "-w", "--env", "--user", "--workdir"}),
    ("kubectl", "exec"): frozenset({"-n", "-c", "--namespace", "--container"}),
}


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where output goes to: the operator and the word after it."""

    operator: str
    target: str


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command of a script."""

    words: tuple[str, ...]  # the program and its arguments, quotes removed, wrappers left out
    joined: str = ""  # how it follows the one before: "", "&&", "||", ";", "|", "&"
    redirects: tuple[Redirect, ...] = ()
    heredoc: str = ""
    folder: str = ""  # what `cd` before it led to, "" for where the script started
    env: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The program's name without its folder."""
        return self.words[0].rsplit("/", 1)[-1] if self.words else ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words after the program that are no options."""
        return tuple(word for word in self.words[1:] if not word.startswith("-"))

    def starts(self, *words: str) -> bool:
        """Whether it is this program with these first arguments, options between them aside."""
        return self.program == words[0] and self.arguments[: len(words) - 1] == words[1:]

    def option(self, *names: str) -> str:
        """The value of an option, given as `-m x`, `--message x` or `--message=x`; else ""."""
        for index, word in enumerate(self.words[1:], 1):
            head, equals, value = word.partition("=")
            if head in names and (equals or index + 1 < len(self.words)):
                return value if equals else self.words[index + 1]
        return ""


def parse(script: str) -> tuple[Command, ...]:
    """The simple commands of a script, in order, with `cd` followed."""
    found = _Scanner(script[:_SCRIPT_LIMIT]).commands()[:_MOST_COMMANDS]
    return tuple(_follow_cd(found))


def _follow_cd(commands: list[Command]) -> list[Command]:
    folder = ""
    out: list[Command] = []
    for command in commands:
        here = replace(command, folder=folder)
        out.append(here)
        target = here.arguments[0] if here.arguments else ""
        if here.program in ("cd", "pushd") and target and not re.search(r"[$*`]|^~", target):
            folder = posixpath.normpath(posixpath.join(folder, target))
    return out


def unwrap(words: list[str]) -> list[str]:
    """The words of the program that does the work: without sudo, env, `uv run`, `npx` …"""
    for _ in range(6):
        if len(words) < 2:
            return words
        head = words[0].rsplit("/", 1)[-1]
        if head in _WRAPPERS:
            rest = _skip_options(words[1:], _WRAPPERS[head])
            if head == "timeout" and rest:
                rest = rest[1:]
        elif (head, words[1]) in _RUNNERS:
            rest = _skip_options(words[2:], _RUNNERS[head, words[1]])
            if words[1] == "exec" and head in ("docker", "kubectl"):
                rest = [word for word in rest[1:] if word != "--"] if len(rest) > 1 else []
        elif head in ("docker", "docker-compose") and (at := _compose_run(words)):
            rest = words[at:]
        else:
            return words
        while rest and (_ASSIGNMENT.match(rest[0]) or rest[0] == "--"):
            rest = rest[1:]
        if not rest:
            return words
        words = rest
    return words


def _compose_run(words: list[str]) -> int:
    """Where the inner command of `docker compose exec SERVICE cmd` begins; 0 = there is none."""
    if words[0].endswith("docker") and words[1] != "compose":
        return 0
    for verb in ("exec", "run"):
        if verb in words[1:5]:
            rest = _skip_options(words[words.index(verb) + 1 :], frozenset({"-e", "-u", "-w"}))
            if len(rest) > 1:
                return len(words) - len(rest) + 1
    return 0


def _skip_options(words: list[str], valued: frozenset[str]) -> list[str]:
    index = 0
    while index < len(words) and words[index].startswith("-") and words[index] != "--":
        index += 2 if words[index] in valued else 1
    return words[index:]


class _Scanner:
    def __init__(self, script: str) -> None:
        self.script = script
        self.at = 0
        self.found: list[Command] = []
        self.words: list[str] = []
        self.redirects: list[Redirect] = []
        self.joined = ""
        self.waiting: list[tuple[str, bool]] = []  # here-documents whose body is still to come
        self.bodies: list[str] = []

    def commands(self) -> list[Command]:
        while self.at < len(self.script):
            char = self.script[self.at]
            if char in " \t\r":
                self.at += 1
            elif self.script.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                line = self.script.find("\n", self.at)
                self.at = len(self.script) if line < 0 else line
            elif redirect := _REDIRECT.match(self.script, self.at):
                self._redirect(redirect)
            elif operator := self._operator():
                self._operate(operator)
            else:
                self.words.append(self._word())
        self._close("")
        return self.found

    def _operator(self) -> str:
        return next((op for op in _OPERATORS if self.script.startswith(op, self.at)), "")

    def _operate(self, operator: str) -> None:
        self.at += len(operator)
        if operator == "\n" and self.waiting:
            self._heredocs()
        kind = {"\n": ";", ";;": ";", "(": ";", ")": ";", "|&": "|"}.get(operator, operator)
        self._close(kind)

    def _close(self, joined: str) -> None:
        words = [] if self.words[:1] in (["for"], ["case"], ["select"]) else self.words
        while words and words[0] in _KEYWORDS:
            words = words[1:]
        env: list[str] = []
        while words and _ASSIGNMENT.match(words[0]):
            env.append(words[0])
            words = words[1:]
        if words or self.redirects:
            self.found.append(
                Command(
                    words=tuple(unwrap(words)),
                    joined=self.joined,
                    redirects=tuple(self.redirects),
                    heredoc="\n".join(self.bodies),
                    env=tuple(env),
                )
            )
            self.joined = joined
        elif env or self.joined != "||":
            self.joined = joined or self.joined
        self.words, self.redirects, self.bodies = [], [], []

    def _redirect(self, found: re.Match[str]) -> None:
        self.at = found.end()
        operator = found[1]
        while self.at < len(self.script) and self.script[self.at] in " \t":
            self.at += 1
        if self.at >= len(self.script) or self._operator():
            return
        target = self._word()
        if operator in ("<<", "<<-"):
            self.waiting.append((target, operator == "<<-"))
            line = self.script.find("\n", self.at)
            if line >= 0:  # the body is read now, so that it belongs to this command
                rest, resume = self.script[self.at : line], self.at
                self.at = line + 1
                self._heredocs()
                self.script = self.script[:resume] + rest + "\n" + self.script[self.at :]
                self.at = resume
        elif operator in (">", ">>", ">|", ">&") and not target.isdigit() and target != "-":
            self.redirects.append(Redirect(">>" if operator == ">>" else ">", target))

    def _heredocs(self) -> None:
        for mark, strip in self.waiting:
            lines: list[str] = []
            while self.at < len(self.script):
                end = self.script.find("\n", self.at)
                end = len(self.script) if end < 0 else end
                line = self.script[self.at : end]
                self.at = min(end + 1, len(self.script))
                if (line.lstrip("\t") if strip else line).strip() == mark:
                    break
                lines.append(line)
            self.bodies.append("\n".join(lines))
        self.waiting = []

    def _word(self) -> str:
        script, end = self.script, len(self.script)
        out: list[str] = []
        while self.at < end:
            char = script[self.at]
            if char == "\\":
                if script[self.at : self.at + 2] != "\\\n":
                    out.append(script[self.at + 1 : self.at + 2])
                self.at += 2
            elif char == "'":
                close = script.find("'", self.at + 1)
                close = end if close < 0 else close
                out.append(script[self.at + 1 : close])
                self.at = close + 1
            elif char == '"':
                out.append(self._double())
            elif script.startswith("$(", self.at):
                out.append(self._substitution())
            elif char == "`":
                close = script.find("`", self.at + 1)
                close = end if close < 0 else close
                out.append(script[self.at : close + 1])
                self.at = close + 1
            elif char in " \t\r\n;|&()<>":
                break
            else:
                out.append(char)
                self.at += 1
        if not out and self.at < end and script[self.at] in "<>&":
            self.at += 1  # a stray sign: step over it, or the scan would stand still
        return "".join(out)

    def _double(self) -> str:
        self.at += 1
        out: list[str] = []
        while self.at < len(self.script):
            char = self.script[self.at]
            if char == '"':
                self.at += 1
                break
            if char == "\\":
                following = self.script[self.at + 1 : self.at + 2]
                out.append(
                    following
                    if following in '"\\$`'
                    else ""
                    if following == "\n"
                    else "\\" + following
                )
                self.at += 2
            elif self.script.startswith("$(", self.at):
                out.append(self._substitution())
            else:
                out.append(char)
                self.at += 1
        return "".join(out)

    def _substitution(self) -> str:
        """`$(…)` as it stands; `$(cat <<'EOF' … EOF)` as the text that it makes."""
        start, depth = self.at, 0
        quote = ""
        while self.at < len(self.script):
            char = self.script[self.at]
            heredoc = None if quote else _HEREDOC.match(self.script, self.at)
            if heredoc and (body := self._inner_heredoc(heredoc)) is not None:
                if self.script[start + 2 : heredoc.start()].strip() == "cat":
                    close = self.script.find(")", self.at)
                    self.at = len(self.script) if close < 0 else close + 1
                    return body
                continue
            if char == "\\":
                self.at += 2
                continue
            if quote:
                quote = "" if char == quote else quote
            elif char in "'\"":
                quote = char
            elif char == "(":
                depth += 1
            elif char == ")":
                depth -= 1
                if depth == 0:
                    self.at += 1
                    break
            self.at += 1
        return self.script[start : self.at]

    def _inner_heredoc(self, found: re.Match[str]) -> str | None:
        line = self.script.find("\n", found.end())
        if line < 0:
            return None
        close = re.compile(rf"^[ \t]*{re.escape(found[1])}[ \t]*$", re.MULTILINE).search(
            self.script, line + 1
        )
        if close is None:
            return None
        self.at = close.end()
        return self.script[line + 1 : close.start()].rstrip("\n")
