"""How a run went, read from its output; counts are kept as printed, nothing is added up here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from backstory.capture.rules import problems
from backstory.capture.rules.problems import Failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a text says about one run."""

    ok: bool
    counts: str = ""
    failures: tuple[Failure, ...] = ()
    sure: bool = False  # the text alone proves success, whatever the exit code of the whole script


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return matches[-1] if matches else None


def counted(
    summary: str,
    bad: str,
    failures: Callable[[str], list[Failure]] = problems.none,
    say: str = r"\g<0>",
) -> Callable[[str], Outcome | None]:
    """Reads a summary line; the run failed when `bad` matches in it."""
    line, wrong = re.compile(summary, re.MULTILINE), re.compile(bad, re.MULTILINE)

    def read(text: str) -> Outcome | None:
        found = _last(line, text)
        if found is None:
            return None
        counts = re.sub(r"\s+", " ", found.expand(say)).strip(" =-─✖✓|")
        failed = bool(wrong.search(found.group()))
        return Outcome(not failed, counts, tuple(failures(text)) if failed else (), sure=True)

    return read


def worst(*readers: Callable[[str], Outcome | None]) -> Callable[[str], Outcome | None]:
    """Reads several summaries; the first that tells of a failure counts, else the first."""

    def read(text: str) -> Outcome | None:
        found = [outcome for reader in readers if (outcome := reader(text))]
        return next((outcome for outcome in found if not outcome.ok), found[0] if found else None)

    return read


def unittest(text: str) -> Outcome | None:
    found = _last(
        re.compile(
            r"^Ran (\d+ tests?) in [\d.]+s\s*\n\s*\n?(OK.*|FAILED.*|NO TESTS RAN)$", re.MULTILINE
        ),
        text,
    )
    if found is None:
        return None
    ok = found[2].startswith("OK")
    if ok:
        return Outcome(True, f"{found[1]} OK", sure=True)
    return Outcome(
        False,
        f"{found[1]}, {found[2][6:].strip(' ()') or 'failed'}",
        tuple(problems.unittest(text)),
    )


def go_test(text: str) -> Outcome | None:
    if (
        not re.search(r"^(?:ok|FAIL|---|PASS|\?)\s", text, re.MULTILINE)
        and "[build failed]" not in text
    ):
        return None
    failed = re.search(
        r"^(?:FAIL\b|--- FAIL|panic:)|\[(?:build|setup) failed\]", text, re.MULTILINE
    )
    passed = re.findall(r"^ok\s+(\S+)", text, re.MULTILINE)
    if failed:
        packages = re.findall(r"^FAIL[ \t]+(\S+)", text, re.MULTILINE)
        return Outcome(False, " ".join(f"FAIL {p}" for p in packages[:4]), tuple(problems.go(text)))
    if not passed and not re.search(r"^PASS$", text, re.MULTILINE):
        return None
    return Outcome(True, " ".join(f"ok {name}" for name in passed[:4]), sure=bool(passed))


def go_build(text: str) -> Outcome | None:
    """What the compiler or `go vet` complains of; failed tests are `go test`'s to tell."""
    if re.search(r"^(?:--- FAIL|FAIL|ok)\s", text, re.MULTILINE):
        return None
    failures = tuple(one for one in problems.go(text) if one.where and not one.name)
    return Outcome(False, "", failures) if failures else None


def cargo(text: str) -> Outcome | None:
    results = re.findall(r"^test result: (\w+)\. (\d+ passed; \d+ failed)", text, re.MULTILINE)
    failures = tuple(problems.rust(text))
    if results:
        failed = [counts for verdict, counts in results if verdict != "ok"]
        ok = not failed and not re.search(r"^error", text, re.MULTILINE)
        return Outcome(
            ok, "; ".join(failed or [counts for _, counts in results[:2]]), failures, sure=True
        )
    if re.search(r"^error(?:\[E\d+\])?: ", text, re.MULTILINE):
        found = re.search(r"due to (\d+ previous errors?)", text)
        return Outcome(False, found[1] if found else "", failures)
    if re.search(r"^\s*Finished (?:`|dev|release|test)", text, re.MULTILINE):
        return Outcome(True, "", sure=True)
    return None


def compiler(text: str) -> Outcome | None:
    failures = tuple(problems.compiler(text))
    return Outcome(False, "", failures) if failures else None


def mypy(text: str) -> Outcome | None:
    found = re.search(
        r"^Found \d+ errors? in \d+ files?.*$|^Success: no issues found in .*$", text, re.MULTILINE
    )
    if found is None:
        return None
    ok = found.group().startswith("Success")
    return Outcome(ok, found.group(), () if ok else tuple(problems.located(text)), sure=True)


def tsc(text: str) -> Outcome | None:
    failures = tuple(problems.typescript(text))
    if not failures:
        return None
    found = re.search(r"Found \d+ errors?.*", text)
    return Outcome(False, found.group() if found else "", failures)


def docker(text: str) -> Outcome | None:
    if found := re.search(
        r"^(?:ERROR: )?failed to (?:solve|build): .*$|^ERROR: failed to .*$|^The command .* "
        r"returned "
        r"a non-zero code: \d+$",
        text,
        re.MULTILINE,
    ):
        inner = re.findall(
            r"^#\d+ [\d.]+ +((?:error|ERROR|E|fatal|npm ERR!|npm error)\b:? .+)$",
            text,
            re.MULTILINE,
        )
        told = [Failure("", line[:240]) for line in (*inner[-2:], found.group())]
        return Outcome(False, "", tuple(told))
    if found := re.search(
        r"^Successfully (?:built|tagged) \S+$|naming to (\S+)", text, re.MULTILINE
    ):
        return Outcome(True, found.group()[:100], sure=True)
    return None


def terraform(text: str) -> Outcome | None:
    if found := re.search(r"^\W*Error: (.+)$", text, re.MULTILINE):
        lock = re.findall(r"^\W*((?:ID|Path|Who|Operation): +\S.*)$", text, re.MULTILINE)
        told = "; ".join([found[1], *(re.sub(r"\s+", " ", line) for line in lock)])
        return Outcome(False, "", (Failure("", told[:300], ""),))
    found = _last(
        re.compile(
            r"Plan: \d+ to add, \d+ to change, \d+ to destroy|Apply complete! .*|No changes\. .*"
        ),
        text,
    )
    return Outcome(True, found.group().strip(), sure=True) if found else None


def make(text: str) -> Outcome | None:
    found = re.search(
        r"^g?make(?:\[\d+\])?: \*\*\* (.+)$|^ninja: build stopped: .*$", text, re.MULTILINE
    )
    if found is None:
        return None
    failures = problems.compiler(text) or [Failure("", found.group()[:200], "")]
    return Outcome(False, "", tuple(failures))


def tox(text: str) -> Outcome | None:
    found = re.findall(r"^\s{2}(\S+): (OK|FAIL|SKIP)\b.*$", text, re.MULTILINE)
    sessions = re.findall(r"^(?:nox > )\* ([\w.()-]+): (success|failed)", text, re.MULTILINE)
    if not found and not sessions:
        return None
    failed = [name for name, verdict in (*found, *sessions) if verdict in ("FAIL", "failed")]
    names = [f"{name} {verdict}" for name, verdict in (*found, *sessions)]
    return Outcome(
        not failed, ", ".join(names[:6]), tuple(Failure(name) for name in failed), sure=True
    )


def npm(text: str) -> Outcome | None:
    found = re.search(
        r"^npm (?:ERR!|error) (?!code|errno|path|A complete log)(.+)$", text, re.MULTILINE
    )
    return Outcome(False, "", (Failure("", found[1], ""),)) if found else None


_PYTEST = (
    r"^=*\s*(?P<counts>(?:\d+ (?:failed|passed|errors?|skipped|xfailed|xpassed|warnings?|"
    r"deselected)(?:, )?)+)"
    r" in [\d.]+s.*$|^=+ (?:no tests ran|.*\d+ (?:failed|passed|error)s?.*) (?:in [\d.]+s)?.*=+$"
)


def pytest(text: str) -> Outcome | None:
    found = _last(re.compile(_PYTEST, re.MULTILINE), text)
    if found is None:
        if "FAILED " in text and re.search(r"^FAILED \S+::", text, re.MULTILINE):
            return Outcome(False, "", tuple(problems.pytest(text)))
        return None
    counts = re.sub(r" in [\d.]+s.*", "", found["counts"] or found.group()).strip(" =")
    ok = not re.search(r"\d+ (?:failed|errors?)\b|no tests ran", counts)
    return Outcome(ok, counts, () if ok else tuple(problems.pytest(text)), sure=True)
