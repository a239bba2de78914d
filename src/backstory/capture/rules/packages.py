"""Dependencies that the turn installed, upgraded or removed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backstory.capture.rules.shell import Command
from backstory.capture.rules.steps import Step
from backstory.capture.rules.wordlist import wordlist

# program -> verbs that add, verbs that take away
_MANAGERS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "pip": (frozenset({"install"}), frozenset({"uninstall"})),
    "pip3": (frozenset({"install"}), frozenset({"uninstall"})),
    "uv": (frozenset({"add"}), frozenset({"remove"})),
    "poetry": (frozenset({"add"}), frozenset({"remove"})),
    "pdm": (frozenset({"add"}), frozenset({"remove"})),
    "pipenv": (frozenset({"install"}), frozenset({"uninstall"})),
    "conda": (frozenset({"install"}), frozenset({"remove", "uninstall"})),
    "npm": (frozenset({"install", "i", "add"}), frozenset({"uninstall", "remove", "rm"})),
    "pnpm": (frozenset({"add", "install", "i"}), frozenset({"remove", "rm"})),
    "yarn": (frozenset({"add"}), frozenset({"remove"})),
    "bun": (frozenset({"add", "install"}), frozenset({"remove"})),
    "cargo": (frozenset({"add", "install"}), frozenset({"remove"})),
    "go": (frozenset({"get", "install"}), frozenset()),
    "gem": (frozenset({"install"}), frozenset({"uninstall"})),
    "bundle": (frozenset({"add"}), frozenset({"remove"})),
    "composer": (frozenset({"require"}), frozenset({"remove"})),
    "apt": (frozenset({"install"}), frozenset({"remove", "purge"})),
    "apt-get": (frozenset({"install"}), frozenset({"remove", "purge"})),
    "apk": (frozenset({"add"}), frozenset({"del"})),
    "dnf": (frozenset({"install"}), frozenset({"remove"})),
    "brew": (frozenset({"install"}), frozenset({"uninstall"})),
    "dotnet": (frozenset({"package"}), frozenset()),
}
_VALUED = wordlist(
    "-r -c -e -t -i --index-url --extra-index-url --requirement --group --extra --target "
    "--features -F --prefix --registry -C"
)
_VERSIONS = (
    re.compile(r"Successfully installed (.+)"),  # pip: name-1.2.3 name-4.5
    re.compile(r"^\s*\+ ([@\w./-]+?)(?:==| |@)v?(\d[\w.+-]*)", re.MULTILINE),  # uv, pnpm, npm
    re.compile(r"(?:Adding|Installing|Using) ([\w-]+) v?\(?(\d[\w.+-]*)"),  # cargo, poetry, bundler
    re.compile(r"go: (?:added|upgraded) (\S+) (?:v\S+ => )?(v\S+)"),
)


@dataclass(frozen=True, slots=True)
class Install:
    """One command that changed what is installed."""

    step: Step
    manager: str
    names: tuple[str, ...]  # as asked for: "requests", "react@18"
    versions: tuple[str, ...]  # as reported: "requests 2.32.3"
    removed: bool = False

    def text(self) -> str:
        """The installation in one line."""
        verb = "Uninstalled" if self.removed else "Installed"
        return f"{verb} {', '.join(self.versions or self.names)} ({self.manager})"


def installs(steps: list[Step]) -> list[Install]:
    """The successful installations of the turn, in order."""
    found: list[Install] = []
    for step in steps:
        if step.kind == "shell" and step.ok:
            tries = [_install(command, step) for command in step.commands if command.joined != "||"]
            found += [install for install in tries if install]
    return found


def _install(command: Command, step: Step) -> Install | None:
    words = list(command.words)
    if command.program.startswith("python") and words[1:3] == ["-m", "pip"]:
        words = words[2:]
    program = words[0].rsplit("/", 1)[-1] if words else ""
    if program == "uv" and words[1:2] == ["pip"]:
        words, program = words[1:], "pip"
    if program == "dotnet" and words[1:2] == ["add"]:
        words = [words[0], *[w for w in words[2:] if not w.endswith("proj")]]
    adds, removes = _MANAGERS.get(program, (frozenset(), frozenset()))
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    if verb not in adds and verb not in removes:
        return None
    names = _names(words[words.index(verb) + 1 :])
    if not names:
        return None
    if re.search(r"^(?:ERROR|error|E): ", step.text, re.MULTILINE):
        return None
    return Install(step, program, names, _reported(step.text, names), verb in removes)


def _names(words: list[str]) -> tuple[str, ...]:
    names: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _VALUED:
            skip = True
        elif not word.startswith(("-", "$")) and word not in (".", "") and "*" not in word:
            names.append(word)
    return tuple(names[:12])


def _reported(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    asked = {
        re.split(r"[=<>~@\[!]", name.lstrip("@"))[0].lower().replace("_", "-") for name in names
    }
    found: dict[str, str] = {}
    if line := _VERSIONS[0].search(text):
        for word in line[1].split():
            name, _, version = word.rpartition("-")
            found[name] = version
    for pattern in _VERSIONS[1:]:
        found.update(dict(pattern.findall(text)))
    told = [
        f"{name} {version}"
        for name, version in found.items()
        if name.lstrip("@").lower().replace("_", "-") in asked and version
    ]
    return tuple(told[:12]) if len(told) == len(asked) else ()
