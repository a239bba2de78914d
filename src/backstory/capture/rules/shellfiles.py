"""What shell commands did to files: moved, removed, copied, written, edited in place."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Literal

from backstory.capture.rules.paths import is_certain, is_scratch, name, relative
from backstory.capture.rules.shell import Command
from backstory.capture.rules.steps import Step

Action = Literal["create", "modify", "move", "remove", "folder", "download"]


@dataclass(frozen=True, slots=True)
class FileEffect:
    """One file that a command changed; paths relative to the root."""

    action: Action
    path: str
    source: str = ""  # where it came from, for a move or a copy
    content: str | None = None  # what was written, where the script shows it
    swap: tuple[str, str] | None = None  # what was replaced by what
    note: str = ""  # what the command did, in words


_ANNOUNCED = (  # files that a tool says it wrote
    ("Generating ", re.compile(r"Generating\s+(/?[\w./ -]+?\.py)\s*\.\.\."), "create"),
    (
        "migrations/",
        re.compile(r"^\s+([\w./-]*migrations/\d{4}_\w+\.py)\s*$", re.MULTILINE),
        "create",
    ),
    ("create", re.compile(r"^\s+create\s+((?:[\w.-]+/)+[\w.-]+\.\w+)$", re.MULTILINE), "create"),
    ("reformatted ", re.compile(r"^reformatted (\S+\.\w+)$", re.MULTILINE), "modify"),
    ("patching file", re.compile(r"^patching file '?([^'\n]+?)'?$", re.MULTILINE), "modify"),
    ("CREATE ", re.compile(r"^CREATE ((?:[\w.-]+/)+[\w.-]+\.\w+) \(", re.MULTILINE), "create"),
    ("migrations/", re.compile(r"(prisma/migrations/\w+/migration\.sql)"), "create"),
)
_SUBSTITUTION = re.compile(
    r"^(?:\d*,?\d*\s*)?s(.)(.*?)(?<!\\)\1(.*?)(?<!\\)\1[gIip\d]*$", re.DOTALL
)


def effects(step: Step, root: str) -> list[FileEffect]:
    """What a successful shell step changed; what may not have happened is left out."""
    if not step.ok:
        return []
    found: list[FileEffect] = []
    for index, command in enumerate(step.commands):
        if not _ran(command, step):
            continue
        here = posixpath.join(step.cwd, command.folder)
        handler = _HANDLERS.get(command.program)
        if handler is not None:
            found += handler(command, here, root)
        found += _written(step.commands, index, here, root)
    for needle, pattern, action in _ANNOUNCED:
        if needle in step.text:
            for match in pattern.findall(step.text)[:8]:
                path = relative(match, root, step.cwd)
                found.append(FileEffect("create" if action == "create" else "modify", path))
    return [effect for effect in found if effect.path and not is_scratch(effect.path)]


def _ran(command: Command, step: Step) -> bool:
    """Whether the command did its work: not the other branch of `||`, and no complaint of it."""
    if command.joined == "||" or not (command.words or command.redirects):
        return False
    complaint = re.compile(rf"^(?:\S*/)?{re.escape(command.program)}: (?!warning)", re.MULTILINE)
    return not (
        command.program and f"{command.program}: " in step.text and complaint.search(step.text)
    )


def _place(word: str, here: str, root: str) -> str:
    return relative(word, root, here) if is_certain(word) else ""


def _move(command: Command, here: str, root: str) -> list[FileEffect]:
    words = list(command.arguments)
    if command.program == "git":
        words = words[1:]
    if len(words) < 2:
        return []
    *sources, target = words
    folder = target.endswith("/") or len(sources) > 1 or target == "."
    found: list[FileEffect] = []
    for source in sources:
        old = _place(source, here, root)
        if not old or not is_certain(target):
            continue
        if not folder and "." in name(old) and "." not in name(target):
            # Without a look at the disk the target may be a folder or a new name.
            found.append(FileEffect("remove", old, note=f"Moved {old} to {target}"))
            continue
        new = _place(posixpath.join(target, name(source)) if folder else target, here, root)
        found.append(FileEffect("move", new, source=old, note=f"Moved {old} to {new}"))
    return found


def _remove(command: Command, here: str, root: str) -> list[FileEffect]:
    words = command.arguments[1:] if command.program == "git" else command.arguments
    paths = [_place(word, here, root) for word in words]
    return [FileEffect("remove", path, note=f"Removed {path}") for path in paths if path]


def _copy(command: Command, here: str, root: str) -> list[FileEffect]:
    if len(command.arguments) != 2:
        return []
    source, target = (_place(word, here, root) for word in command.arguments)
    if not source or not target:
        return []
    if command.arguments[1].endswith("/") or ("." in name(source) and "." not in name(target)):
        return []
    return [FileEffect("create", target, source=source, note=f"Copied {source} to {target}")]


def _folders(command: Command, here: str, root: str) -> list[FileEffect]:
    paths = [_place(word, here, root) for word in command.arguments if not word.isdigit()]
    return [FileEffect("folder", path, note=f"Created folder {path}") for path in paths if path]


def _touch(command: Command, here: str, root: str) -> list[FileEffect]:
    paths = [_place(word, here, root) for word in command.arguments]
    return [FileEffect("create", path, note=f"Created {path}") for path in paths if path]


def _in_place(command: Command, here: str, root: str) -> list[FileEffect]:
    options = [word for word in command.words[1:] if word.startswith("-")]
    perl = command.program in ("perl", "ruby")
    if not any(re.match(r"-\w*i|--in-place", word) for word in options):
        return []
    script = command.option("-e", "-pe", "-pie", "--expression")
    words = [word for word in command.arguments if word not in (script, "")]
    if not script and words and not perl:
        script, words = words[0], words[1:]
    found = _SUBSTITUTION.match(script)
    swap = (found[2], found[3]) if found and not re.search(r"[\\\[(*^+]", found[2]) else None
    note = f"Replaced {found[2]} with {found[3]}" if found else ""
    paths = [_place(word, here, root) for word in words]
    return [
        FileEffect("modify", path, swap=swap, note=note)
        for path in paths
        if path and "/" + path != script
    ]


def _download(command: Command, here: str, root: str) -> list[FileEffect]:
    target = command.option("-o", "--output") if command.program == "curl" else command.option("-O")
    path = _place(target, here, root) if target and "://" not in target else ""
    return [FileEffect("download", path, note=f"Downloaded {path}")] if path else []


def _git(command: Command, here: str, root: str) -> list[FileEffect]:
    if command.starts("git", "mv"):
        return _move(command, here, root)
    if command.starts("git", "rm"):
        return _remove(command, here, root) if "--cached" not in command.words else []
    if command.starts("git", "restore") and "--staged" not in command.words:
        paths = [_place(word, here, root) for word in command.arguments[1:]]
    elif command.starts("git", "checkout") and "--" in command.words:
        paths = [_place(w, here, root) for w in command.words[command.words.index("--") + 1 :]]
    else:
        return []
    return [FileEffect("modify", path, note=f"Restored {path} from git") for path in paths if path]


_HANDLERS = {
    "mv": _move,
    "rm": _remove,
    "unlink": _remove,
    "rmdir": _remove,
    "cp": _copy,
    "mkdir": _folders,
    "touch": _touch,
    "sed": _in_place,
    "gsed": _in_place,
    "perl": _in_place,
    "curl": _download,
    "wget": _download,
    "git": _git,
}


def _written(commands: tuple[Command, ...], index: int, here: str, root: str) -> list[FileEffect]:
    """Files that a redirection or `tee` wrote, with the text where the script holds it."""
    command = commands[index]
    found: list[FileEffect] = []
    targets = [(redirect.operator, redirect.target) for redirect in command.redirects]
    if command.program == "tee":
        append = any(word in ("-a", "--append") for word in command.words)
        targets += [(">>" if append else ">", word) for word in command.arguments]
    for operator, target in targets:
        path = _place(target, here, root)
        if not path:
            continue
        source = command
        if command.program == "tee" and not command.heredoc and command.joined == "|" and index:
            source = commands[index - 1]
        content = _text(source)
        found.append(FileEffect("create" if operator == ">" else "modify", path, content=content))
    return found


def _text(command: Command) -> str | None:
    if command.heredoc and command.program in ("cat", "tee", ""):
        return command.heredoc
    if command.program in ("echo", "printf") and len(command.words) > 1:
        words = [word for word in command.words[1:] if word not in ("-e", "-n", "-ne", "-en")]
        text = " ".join(words)
        return None if "$(" in text or "`" in text else text.replace("\\n", "\n")
    return None
