"""The single failures in an output: which test or place, with which message."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LIMIT = 12
_MESSAGE = 240


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that failed; each part "" where the output does not tell."""

    name: str = ""  # the test, or a rule's code
    message: str = ""
    where: str = ""  # "tests/test_cart.py:15"

    def text(self) -> str:
        """All that is known in one line."""
        head = " at ".join(part for part in (self.name, self.where) if part)
        return f"{head}: {self.message}" if head and self.message else head or self.message


def none(_text: str) -> list[Failure]:
    """For tools that do not name what failed."""
    return []


def _kept(found: list[Failure]) -> list[Failure]:
    return list(dict.fromkeys(found))[:_LIMIT]


def _short(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:_MESSAGE]


def pytest(text: str) -> list[Failure]:
    """pytest: the short summary, with the messages and places from the long part."""
    details: dict[str, tuple[str, str]] = {}
    for block in re.split(r"^_{3,} (?=\S)", text, flags=re.MULTILINE)[1:]:
        name = block.split(" ", 1)[0].strip("_")
        messages = re.findall(r"^E\s{1,8}(\S.*)$", block, re.MULTILINE)
        place = re.findall(r"^(\S+\.py:\d+): [\w.]*", block, re.MULTILINE)
        first = next(
            (m for m in messages if re.match(r"[\w.]*(?:Error|Exception|assert|Failed)", m)), ""
        )
        details[name.rsplit(".", 1)[-1]] = (first or (messages or [""])[0], (place or [""])[-1])
    found: list[Failure] = []
    for kind, node, brief in re.findall(
        r"^(FAILED|ERROR) (\S+?(?:\[[^\n]*?\])?)(?: - (.*))?$", text, re.MULTILINE
    ):
        name = node.rsplit("::", 1)[-1]
        message, at = details.get(name, ("", ""))
        where = at or node.split("::", 1)[0]
        said = message or brief if brief.endswith("...") or not brief else brief
        found.append(
            Failure(name if "::" in node else kind.lower(), _short(said or message), where)
        )
    if not found:
        found = [Failure(name, _short(text), place) for name, (text, place) in details.items()]
    if not found:
        found = [
            Failure("", _short(m), "")
            for m in re.findall(r"^E\s{1,8}(\S.*)$", text, re.MULTILINE)[:3]
        ]
    return _kept(found)


def unittest(text: str) -> list[Failure]:
    """unittest: its FAIL and ERROR blocks, or a bare traceback where the head was cut off."""
    found: list[Failure] = []
    for block in re.split(r"^(?=(?:FAIL|ERROR): )", text, flags=re.MULTILINE):
        head = re.match(r"(?:FAIL|ERROR): (\w+)", block)
        where, message = traceback(block)
        if message or head:
            found.append(Failure(head[1] if head else _method(block), _short(message), where))
    return _kept(found)


def _method(block: str) -> str:
    names = re.findall(r", in (test\w*)", block)
    return names[-1] if names else ""


def traceback(text: str) -> tuple[str, str]:
    """Place and message of the last Python traceback in a text; "" for what is missing."""
    frames = re.findall(r'File "([^"\n]+)", line (\d+)', text)
    said = re.findall(
        r"^((?:[A-Za-z_][\w.]*)?(?:Error|Exception|Warning|Interrupt|Exit)\b(?:: .*)?)$",
        text,
        re.MULTILINE,
    )
    own = [
        frame
        for frame in frames
        if "site-packages" not in frame[0] and "/lib/python" not in frame[0]
    ]
    path, line = (own or frames or [("", "")])[-1]
    return (f"{path}:{line}" if path else ""), (said[-1] if said else "")


def javascript(text: str) -> list[Failure]:
    """jest, vitest, mocha, playwright: the named tests with the first message under each."""
    found: list[Failure] = []
    heads = re.compile(
        r"^\s*● (?P<jest>.+ › .+|\S.*)$|^\s*(?:FAIL|✗|×|✖)\s+(?P<vi>\S.*? > .+)$|^\s{2}\d+\) "
        r"(?P<mocha>\S.*)$",
        re.MULTILINE,
    )
    marks = list(heads.finditer(text))
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        block = text[mark.end() : end][:3_000]
        name = next(part for part in mark.groups() if part).strip().rstrip(":")
        name = re.sub(r"\s+(?:\(?[\d.]+ ?m?s\)?)$", "", name)
        said = re.search(r"^\s*(?:→ )?((?:\w*Error\b|expect\(|expected\b).*)$", block, re.MULTILINE)
        values = re.findall(
            r"^\s*[-+]?\s*((?:Expected|Received)[^\n]{0,20}: .*)$", block, re.MULTILINE
        )
        message = "; ".join([*([said[1]] if said else []), *values[:2]])
        place = re.search(r"([\w@./-]+\.(?:[cm]?[jt]sx?|vue|svelte)):(\d+)", block)
        found.append(Failure(name, _short(message), f"{place[1]}:{place[2]}" if place else ""))
    if not found:
        found = [
            Failure(name.strip())
            for name in re.findall(r"^\s*[✕✗×] (.+?)(?: \(\d+ m?s\))?$", text, re.MULTILINE)
        ]
    best: dict[str, Failure] = {}
    for one in found:
        # vitest names a test twice, once with its file before it
        same = next(
            (name for name in best if name.endswith(one.name) or one.name.endswith(name)), ""
        )
        if not same:
            best[one.name] = one
        elif not best[same].message or (one.where and not best[same].where):
            best[same] = Failure(min(same, one.name, key=len), one.message, one.where)
    return _kept(list(best.values()))


def tap(text: str) -> list[Failure]:
    """TAP and node's own reporter."""
    names = re.findall(
        r"^\s*not ok \d+ - (.+?)(?: #.*)?$|^✖ (?!failing)(.+?) \([\d.]+ms\)$", text, re.MULTILINE
    )
    said = re.search(r"^\s*(?:error: '?|(?=\w*Error\b))(.+?)'?$", text, re.MULTILINE)
    return _kept([Failure(a or b, _short(said[1]) if said else "") for a, b in names])


def go(text: str) -> list[Failure]:
    """go test and go build: failed tests, panics, compile errors."""
    found: list[Failure] = []
    for block in re.split(r"^\s*(?=--- FAIL: )", text, flags=re.MULTILINE)[1:]:
        name = block.split()[2]
        said = re.search(r"^\s+(\S+_test\.go:\d+): (.+)$", block, re.MULTILINE)
        found.append(Failure(name, _short(said[2]) if said else "", said[1] if said else ""))
    if said := re.search(r"^(panic: .+)$", text, re.MULTILINE):
        found.append(Failure("", _short(said[1])))
    if "DATA RACE" in text:
        found.append(Failure("", "WARNING: DATA RACE"))
    found += [
        Failure("", _short(message), f"{path}:{line}")
        for path, line, message in re.findall(
            r"^(?:\./|vet: )?(\S+\.go):(\d+):\d+: (.+)$", text, re.MULTILINE
        )
    ]
    return _kept([one for one in found if one.message] or found)


def rust(text: str) -> list[Failure]:
    """cargo: failed tests with their panics, compiler errors with their places."""
    names = re.findall(r"^test (\S+) \.\.\. FAILED$", text, re.MULTILINE)
    panics = re.findall(
        r"^thread '(\S+)'.*? panicked at (\S+?):?\n((?:.+\n?){1,4}?)(?=note:|\n|$)",
        text,
        re.MULTILINE,
    )
    older = re.findall(r"^thread '(\S+)' panicked at '(.+?)', (\S+)$", text, re.MULTILINE)
    by_name = {name: (_short(said), place) for name, place, said in panics}
    by_name |= {name: (_short(said), place) for name, said, place in older}
    found = [Failure(name, *by_name.get(name, ("", ""))) for name in names]
    if not names:
        found = [Failure("", said, place) for said, place in by_name.values()]
    found += [
        Failure(code, _short(message), place or "")
        for code, message, place in re.findall(
            r"^error(?:\[(E\d+)\])?: (?!could not compile|aborting|test failed)(.+)(?:\n\s+--> "
            r"(\S+))?",
            text,
            re.MULTILINE,
        )
    ]
    return _kept(found)


def rspec(text: str) -> list[Failure]:
    """RSpec's list of failed examples."""
    messages = re.findall(r"^\s+(?:Failure/Error: .+\n\s*\n?)\s*(\S.+)$", text, re.MULTILINE)
    found = re.findall(r"^rspec (\S+:\d+) # (.+)$", text, re.MULTILINE)
    return _kept(
        [
            Failure(name, _short(messages[i]) if i < len(messages) else "", place)
            for i, (place, name) in enumerate(found)
        ]
    )


def minitest(text: str) -> list[Failure]:
    """Minitest and Rails."""
    found = re.findall(
        r"^\s*(?:\d+\) )?(?:Failure|Error):\n(\S+?)(?: \[(\S+)\])?:\n(.+)$", text, re.MULTILINE
    )
    return _kept([Failure(name, _short(said), where) for name, where, said in found])


def phpunit(text: str) -> list[Failure]:
    """PHPUnit's numbered failures."""
    found = re.findall(r"^\d+\) (\S+)\n(.+)(?:\n(?:.*\n)*?(\S+\.php:\d+))?", text, re.MULTILINE)
    return _kept([Failure(name, _short(said), where) for name, said, where in found])


def numbered(text: str) -> list[Failure]:
    """A numbered list of names, as ExUnit prints it."""
    return _kept(
        [Failure(name.strip()) for name in re.findall(r"^\s+\d+\) (\S.*)$", text, re.MULTILINE)]
    )


def java(text: str) -> list[Failure]:
    """Maven and Gradle: failed tests and compile errors."""
    found = [
        Failure(name, _short(said))
        for name, said in re.findall(
            r"^\[ERROR\]\s+(\w[\w.]*[.:]\w+)[^\s]*\s+(.*)$", text, re.MULTILINE
        )
    ]
    found += [
        Failure(f"{group} {name}", _short(said))
        for group, name, said in re.findall(
            r"^(\w+) > (.+?) FAILED\n\s+(\S.*)$", text, re.MULTILINE
        )
    ]
    found += [
        Failure("", _short(said), f"{path}:{line}")
        for path, line, said in re.findall(
            r"(?:^\[ERROR\] |^e: |^)(\S+\.(?:java|kt)):\[?(\d+)[^\s]*:? (?:error: )?(.+)$",
            text,
            re.MULTILINE,
        )
    ]
    return _kept(found)


def dotnet(text: str) -> list[Failure]:
    """dotnet: failed tests and compiler errors."""
    found = [
        Failure(n, _short(m))
        for n, m in re.findall(
            r"^\s+Failed (\S+) \[.*\]\n\s+Error Message:\n\s+(.+)$", text, re.MULTILINE
        )
    ]
    found += [
        Failure(code, _short(said), f"{path}:{line}")
        for path, line, code, said in re.findall(
            r"(\S+\.cs)\((\d+),\d+\): error (\w+): (.+?)(?: \[.*)?$", text, re.MULTILINE
        )
    ]
    return _kept(found)


def ctest(text: str) -> list[Failure]:
    """CTest's list of failed tests."""
    return _kept(
        [
            Failure(n, m)
            for n, m in re.findall(r"^\s*\d+ - (\S+) \((\w[\w ]*)\)", text, re.MULTILINE)
        ]
    )


def typescript(text: str) -> list[Failure]:
    """tsc errors, in both of its forms."""
    found = re.findall(
        r"^(\S+?\.(?:[cm]?tsx?|vue))[(:](\d+)[,:]\d+\)?(?: -|:) error (TS\d+): (.+)$",
        text,
        re.MULTILINE,
    )
    return _kept(
        [Failure(code, _short(said), f"{path}:{line}") for path, line, code, said in found]
    )


def located(text: str) -> list[Failure]:
    """`file:line: error: message`, as mypy and pyright print it."""
    found = re.findall(r"^\s*(\S+?\.\w+):(\d+)(?::\d+)?(?: -|:) error: (.+)$", text, re.MULTILINE)
    return _kept([Failure("", _short(said), f"{path}:{line}") for path, line, said in found])


def lint(text: str) -> list[Failure]:
    """Linters that print `file:line:column: code message`, and ruff's longer form."""
    found = re.findall(
        r"^(\S+?\.\w+):(\d+):(?:\d+:)? \[?([A-Z]+\d+|[\w/-]+)\]?:? (.+)$", text, re.MULTILINE
    )
    long = re.findall(r"^([A-Z]+\d+) (?:\[\*\] )?(.+)\n\s*--> (\S+?:\d+)", text, re.MULTILINE)
    return _kept(
        [Failure(code, _short(said), f"{path}:{line}") for path, line, code, said in found]
        + [Failure(code, _short(said), where) for code, said, where in long]
    )


def eslint(text: str) -> list[Failure]:
    """eslint's default form: a path, then indented findings."""
    found: list[Failure] = []
    path = ""
    for line in text.splitlines():
        if re.match(r"^(?:/|\w|\.)\S*\.\w+$", line):
            path = line
        elif match := re.match(r"^\s+(\d+):\d+\s+error\s+(.+?)\s{2,}(\S+)$", line):
            found.append(Failure(match[3], _short(match[2]), f"{path}:{match[1]}" if path else ""))
    return _kept(found)


def compiler(text: str) -> list[Failure]:
    """C, C++, Java, Swift: `file:line:column: error: message`."""
    found = re.findall(r"^(\S+?\.\w+):(\d+):(?:\d+:)? (?:fatal )?error: (.+)$", text, re.MULTILINE)
    return _kept([Failure("", _short(said), f"{path}:{line}") for path, line, said in found])
