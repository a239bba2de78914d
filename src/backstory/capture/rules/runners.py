"""The test runners, linters, type checkers and build tools that are understood.

A runner is one row: its name, cheap signs, the commands that start it, and how to read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from backstory.capture.rules import outcomes, problems
from backstory.capture.rules.outcomes import Outcome
from backstory.capture.rules.problems import Failure

__all__ = ["RUNNERS", "Failure", "Outcome", "Runner"]


@dataclass(frozen=True, slots=True)
class Runner:
    """One tool whose output is understood."""

    tool: str
    kind: str
    needles: tuple[str, ...]  # one of them is in every output of the tool
    named: re.Pattern[str]  # commands that run it
    read: Callable[[str], Outcome | None]
    silent: bool = False  # prints nothing on success
    only_named: bool = False  # its output is too plain to be believed of any command


def _r(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[\s/])(?:{pattern})\b")


RUNNERS: tuple[Runner, ...] = (
    Runner(
        "pytest",
        "test",
        (" passed", " failed", " error", "no tests ran", "FAILED "),
        _r(r"py\.?test|tox|nox"),
        outcomes.pytest,
    ),
    Runner(
        "unittest", "test", ("Ran ",), _r(r"unittest|manage\.py test|python3?"), outcomes.unittest
    ),
    Runner(
        "vitest",
        "test",
        ("Tests ", "Test Files"),
        _r("vitest"),
        outcomes.counted(
            r"^\s*Tests\s{1,3}(?P<c>[^:\n]*\d+ (?:passed|failed|skipped)[^\n]*?\(\d+\))",
            "failed",
            problems.javascript,
            r"\g<c>",
        ),
    ),
    Runner(
        "jest",
        "test",
        ("Tests:",),
        _r("jest"),
        outcomes.counted(
            r"^Tests:\s+(?P<c>[^\n]*\d+ total)", "failed", problems.javascript, r"\g<c>"
        ),
    ),
    Runner(
        "mocha",
        "test",
        (" passing",),
        _r("mocha|cypress"),
        outcomes.counted(
            r"^\s+\d+ passing.*(?:\n\s+\d+ (?:pending|failing).*)*", "failing", problems.javascript
        ),
    ),
    Runner(
        "node test",
        "test",
        ("pass ",),
        _r("node"),
        outcomes.counted(
            r"^(?:#|ℹ) pass (?P<p>\d+)\n(?:#|ℹ) fail (?P<f>\d+)",
            r"fail [1-9]",
            problems.tap,
            r"\g<p> pass, \g<f> fail",
        ),
    ),
    Runner(
        "playwright",
        "test",
        (" passed (", " failed"),
        _r("playwright"),
        outcomes.counted(
            r"^\s+\d+ failed\n(?:.*\n)*?\s+\d+ passed.*$|^\s+\d+ (?:passed|failed) \(.*\)$",
            "failed",
            problems.javascript,
        ),
        only_named=True,
    ),
    Runner(
        "go test",
        "test",
        ("ok  ", "FAIL", "PASS", "[build failed]"),
        _r("go test"),
        outcomes.go_test,
        only_named=True,
    ),
    Runner(
        "cargo test",
        "test",
        ("test result:", "error", "Finished"),
        _r("cargo (?:test|nextest)"),
        outcomes.cargo,
        only_named=True,
    ),
    Runner(
        "cargo build",
        "build",
        ("error", "Finished"),
        _r("cargo (?:build|check|run|clippy)"),
        outcomes.cargo,
        only_named=True,
    ),
    Runner(
        "rspec",
        "test",
        (" example",),
        _r("rspec"),
        outcomes.counted(r"^\d+ examples?, \d+ failures?.*$", r"[1-9]\d* failure", problems.rspec),
    ),
    Runner(
        "minitest",
        "test",
        (" runs, ",),
        _r("rake|rails|ruby"),
        outcomes.counted(
            r"^\d+ runs, \d+ assertions, .*$", r"[1-9]\d* (?:failures|errors)", problems.minitest
        ),
    ),
    Runner(
        "phpunit",
        "test",
        ("Tests: ", "OK ("),
        _r("phpunit|pest|composer"),
        outcomes.counted(
            r"^OK \(\d+ tests?, .*\)$|^Tests: \d+, Assertions: .*$",
            r"Failures: [1-9]|Errors: [1-9]",
            problems.phpunit,
        ),
    ),
    Runner(
        "maven",
        "test",
        ("Tests run:", "BUILD "),
        _r(r"mvnw?"),
        outcomes.worst(
            outcomes.counted(
                r"Tests run: \d+, Failures: \d+, Errors: \d+(?:, Skipped: \d+)?",
                r"Failures: [1-9]|Errors: [1-9]",
                problems.java,
            ),
            outcomes.counted(r"BUILD (?:SUCCESS|FAILURE)\b", "FAILURE", problems.java),
        ),
    ),
    Runner(
        "gradle",
        "test",
        ("BUILD SUCCESSFUL", "BUILD FAILED", "tests completed"),
        _r(r"gradlew?"),
        outcomes.worst(
            outcomes.counted(r"^\d+ tests completed, \d+ failed", "failed", problems.java),
            outcomes.counted(r"^BUILD (?:SUCCESSFUL|FAILED)", "FAILED", problems.java),
        ),
    ),
    Runner(
        "dotnet test",
        "test",
        ("Failed:", "error "),
        _r("dotnet (?:test|build)"),
        outcomes.counted(
            r"(?:Failed|Passed)!\s+- Failed:\s+\d+, Passed:\s+\d+, Skipped:\s+\d+, Total:\s+\d+",
            "^Failed!",
            problems.dotnet,
        ),
    ),
    Runner(
        "ctest",
        "test",
        ("tests passed",),
        _r("ctest|make|ninja"),
        outcomes.counted(
            r"^\d+% tests passed, \d+ tests failed out of \d+",
            r", [1-9]\d* tests failed",
            problems.ctest,
        ),
    ),
    Runner(
        "mix test",
        "test",
        (" tests, ",),
        _r("mix test"),
        outcomes.counted(
            r"^(?:\d+ doctests?, )?\d+ tests, \d+ failures?.*$",
            r"[1-9]\d* failure",
            problems.numbered,
        ),
    ),
    Runner(
        "tox", "test", (": OK", ": FAIL", "nox >"), _r("tox|nox"), outcomes.tox, only_named=True
    ),
    Runner("mypy", "types", ("Success: no issues", "Found "), _r("d?mypy"), outcomes.mypy),
    Runner(
        "pyright",
        "types",
        (" errors, ", " error, "),
        _r("(?:based)?pyright"),
        outcomes.counted(r"^\d+ errors?, \d+ warnings?.*$", r"^[1-9]", problems.located),
    ),
    Runner("tsc", "types", ("error TS",), _r(r"(?:vue-)?tsc"), outcomes.tsc, silent=True),
    Runner(
        "ruff",
        "lint",
        ("All checks passed", "Found "),
        _r("ruff"),
        outcomes.counted(r"^All checks passed!|^Found \d+ errors?.*$", "^Found", problems.lint),
        only_named=True,
    ),
    Runner(
        "eslint",
        "lint",
        (" problem",),
        _r("eslint|lint"),
        outcomes.counted(r"^✖ \d+ problems? \(.*\)", r"[1-9]\d* error", problems.eslint),
        silent=True,
    ),
    Runner(
        "flake8",
        "lint",
        (":",),
        _r("flake8|pylint|golangci-lint|shellcheck|rubocop"),
        lambda text: (
            Outcome(False, "", tuple(problems.lint(text))) if problems.lint(text) else None
        ),
        silent=True,
        only_named=True,
    ),
    Runner(
        "terraform",
        "plan",
        ("Plan:", "Apply complete", "No changes", "Error:"),
        _r("terraform|tofu"),
        outcomes.terraform,
        only_named=True,
    ),
    Runner(
        "docker build",
        "build",
        ("failed to", "Successfully", "naming to", "non-zero code"),
        _r("docker|buildx|podman"),
        outcomes.docker,
        only_named=True,
    ),
    Runner(
        "nginx",
        "lint",
        ("nginx: ",),
        _r("nginx"),
        outcomes.counted(
            r"^nginx: configuration file .* test (?:is successful|failed)$", "failed$"
        ),
    ),
    Runner(
        "vite build",
        "build",
        ("built in",),
        _r("vite|npm|pnpm|yarn"),
        outcomes.counted(r"✓ built in [\d.]+m?s", "(?!)"),
    ),
    Runner(
        "compiler",
        "build",
        ("error:",),
        _r(r"gcc|g\+\+|clang(?:\+\+)?|cc|make|cmake|ninja|go (?:build|vet)|swiftc?|javac"),
        outcomes.compiler,
        only_named=True,
    ),
    Runner(
        "go build",
        "build",
        (".go:",),
        _r("go (?:build|vet|run|install)"),
        outcomes.go_build,
        silent=True,
        only_named=True,
    ),
    Runner("make", "build", ("*** ", "ninja:"), _r("g?make|ninja"), outcomes.make),
    Runner(
        "npm",
        "build",
        ("npm ERR!", "npm error"),
        _r(r"npm (?:run|test|t|start|ci\b.*run)"),
        outcomes.npm,
        only_named=True,
    ),
)
