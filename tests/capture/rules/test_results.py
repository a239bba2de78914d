"""Results of many test runners, linters and build tools, from what they print."""

from __future__ import annotations

import pytest

from backstory.capture.rules.results import Run, runs
from backstory.capture.rules.steps import read_steps
from tests.support.turns import Session

_JEST = """FAIL src/sum.test.js
  ● sum › adds negatives

    expect(received).toBe(expected) // Object.is equality

    Expected: -3
    Received: 3

      at Object.<anonymous> (src/sum.test.js:12:18)

Test Suites: 1 failed, 2 passed, 3 total
Tests:       1 failed, 8 passed, 9 total"""
_MOCHA = """
  cart
    ✔ starts empty
    1) adds an item

  1 passing (8ms)
  1 failing

  1) cart
       adds an item:
     AssertionError: expected 0 to equal 1
      at Context.<anonymous> (test/cart.spec.js:9:20)"""
_GO = """--- FAIL: TestParse (0.00s)
    parse_test.go:18: got 3, want 4
FAIL
FAIL\texample.com/m/parse\t0.004s"""
_CARGO = """running 2 tests
test tests::adds ... FAILED
test tests::subs ... ok

failures:

---- tests::adds stdout ----
thread 'tests::adds' panicked at src/lib.rs:14:9:
assertion `left == right` failed
  left: 3
 right: 4
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out"""
_MAVEN = """[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0
[ERROR] com.acme.CartTest.total  expected: <4> but was: <5>
[INFO] BUILD FAILURE"""
_RSPEC = """Failures:

  1) Cart sums
     Failure/Error: expect(cart.total).to eq(4)

       expected: 4

Finished in 0.1 seconds
3 examples, 1 failure

Failed examples:

rspec ./spec/cart_spec.rb:7 # Cart sums"""
_PHPUNIT = """There was 1 failure:

1) Tests\\CartTest::testTotal
Failed asserting that 5 matches expected 4.

/app/tests/CartTest.php:21

FAILURES!
Tests: 6, Assertions: 9, Failures: 1."""
_ESLINT = """/home/dev/app/src/a.js
  3:7  error  'x' is assigned a value but never used  no-unused-vars

✖ 1 problem (1 error, 0 warnings)"""
_DOTNET = """  Failed Shop.Tests.CartTests.Total [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Failed!  - Failed:     1, Passed:     5, Skipped:     0, Total:     6, Duration: 40 ms"""
_CTEST = """80% tests passed, 1 tests failed out of 5

The following tests FAILED:
\t  3 - parse_utf8 (Failed)"""
_NODE = "not ok 2 - splits lines\n  error: 'boom'\n# pass 4\n# fail 1"
_UNIT = """ERROR: test_x (t.T.test_x)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/dev/app/t.py", line 5, in test_x
    f()
ValueError: bad value 7

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (errors=1)"""
_RUFF = "F401 [*] `os` imported but unused\n --> src/a.py:1:8\n\nFound 1 error."
_MYPY = """src/a.py:3: error: Incompatible return value type (got "int")  [return-value]
Found 1 error in 1 file (checked 9 source files)"""
_GRADLE = """CartTest > total() FAILED
    org.opentest4j.AssertionFailedError

4 tests completed, 1 failed

BUILD FAILED in 3s"""

FAILING = [
    ("npx jest", _JEST, "jest", "1 failed, 8 passed, 9 total", "sum › adds negatives"),
    ("npx mocha", _MOCHA, "mocha", "1 passing (8ms) 1 failing", "AssertionError: expected 0"),
    ("go test ./...", _GO, "go test", "FAIL example.com/m/parse", "TestParse at parse_test.go:18"),
    ("cargo test", _CARGO, "cargo test", "1 passed; 1 failed", "tests::adds at src/lib.rs:14"),
    ("mvn -q test", _MAVEN, "maven", "Failures: 1", "CartTest"),
    ("bundle exec rspec", _RSPEC, "rspec", "3 examples, 1 failure", "./spec/cart_spec.rb:7"),
    ("vendor/bin/phpunit", _PHPUNIT, "phpunit", "Tests: 6", "CartTest::testTotal"),
    (
        "npx eslint src",
        _ESLINT,
        "eslint",
        "1 problem",
        "no-unused-vars at /home/dev/app/src/a.js:3",
    ),
    ("dotnet test", _DOTNET, "dotnet test", "Failed: 1, Passed: 5", "Shop.Tests.CartTests.Total"),
    ("ctest", _CTEST, "ctest", "80% tests passed", "parse_utf8"),
    ("node --test", _NODE, "node test", "4 pass, 1 fail", "splits lines"),
    ("python -m unittest", _UNIT, "unittest", "3 tests, errors=1", "ValueError: bad value 7"),
    ("uv run ruff check .", _RUFF, "ruff", "Found 1 error", "F401 at src/a.py:1"),
    (
        "mypy src",
        _MYPY,
        "mypy",
        "Found 1 error in 1 file",
        "src/a.py:3: Incompatible return value",
    ),
    (
        "npx tsc --noEmit",
        "src/a.ts:4:7 - error TS2322: Type 'string' is not assignable to type 'number'.",
        "tsc",
        "",
        "TS2322 at src/a.ts:4",
    ),
    (
        "make",
        "gcc -c a.c\na.c:9:5: error: unknown type name 'foo'\nmake: *** [Makefile:3: a.o] Error 1",
        "compiler",
        "",
        "a.c:9: unknown type name 'foo'",
    ),
    (
        "go build ./...",
        "# example.com/m\n./main.go:7:2: undefined: run",
        "go build",
        "",
        "main.go:7: undefined: run",
    ),
    (
        "./gradlew test",
        _GRADLE,
        "gradle",
        "1 failed",
        "CartTest total()",
    ),
    ("terraform plan", "Error: Invalid reference\n  on main.tf line 4", "terraform", "", "Invalid"),
    ("npm run lint", "src/x.css\n  bad indent error here", "npm run lint", "", "bad indent"),
    (
        "tox",
        "  py311: OK (3.1 seconds)\n  py312: FAIL code 1 (2.0 seconds)",
        "tox",
        "py311 OK",
        "py312",
    ),
]
PASSING = [
    ("npx jest", "Tests:       9 passed, 9 total", "jest", "9 passed, 9 total"),
    (
        "npx vitest run",
        " Test Files  5 passed (5)\n      Tests  32 passed (32)",
        "vitest",
        "32 passed",
    ),
    ("go test ./...", "ok  \texample.com/m\t0.01s", "go test", "ok example.com/m"),
    ("cargo test", "test result: ok. 9 passed; 0 failed; 0 ignored", "cargo test", "9 passed"),
    ("python -m unittest", "Ran 3 tests in 0.001s\n\nOK", "unittest", "3 tests OK"),
    ("pytest", "===== 3 passed, 1 warning in 0.10s =====", "pytest", "3 passed, 1 warning"),
    ("mypy .", "Success: no issues found in 9 source files", "mypy", "9 source files"),
    ("ruff check", "All checks passed!", "ruff", "All checks passed"),
    ("npx tsc --noEmit", "", "tsc", ""),
    ("terraform plan", "Plan: 1 to add, 0 to change, 2 to destroy.", "terraform", "2 to destroy"),
    ("docker build .", "#9 naming to docker.io/library/x:1 done", "docker build", "library/x:1"),
    ("./gradlew build", "BUILD SUCCESSFUL in 4s", "gradle", "BUILD SUCCESSFUL"),
]


def _run(session: Session) -> Run:
    (run,) = runs(read_steps(session.done("")))
    return run


@pytest.mark.parametrize(("command", "out", "tool", "counts", "failure"), FAILING)
def test_a_failing_run_names_counts_and_what_failed(
    command: str, out: str, tool: str, counts: str, failure: str
) -> None:
    """Tool, counts as printed, test or place with its message."""
    run = _run(Session().fail(command, out))
    assert (run.tool, run.ok) == (tool, False)
    assert counts in run.counts
    assert failure in "\n".join(one.text() for one in run.failures)


@pytest.mark.parametrize(("command", "out", "tool", "counts"), PASSING)
def test_a_passing_run_gives_its_counts(command: str, out: str, tool: str, counts: str) -> None:
    """A pass is known by what the tool prints, or by its silence."""
    run = _run(Session().bash(command, out))
    assert (run.tool, run.ok) == (tool, True)
    assert counts in run.counts


def test_a_pipe_does_not_hide_a_failure() -> None:
    """`pytest | tail` succeeds as a command and failed as a check."""
    run = _run(Session().bash("pytest -q 2>&1 | tail -2", "FAILED a.py::t - x\n1 failed in 0.1s"))
    assert not run.ok


def test_results_in_a_file_that_is_shown_are_old_news() -> None:
    """Reading a log is not running the tests."""
    s = Session().bash("cat build.log | tail -3", "===== 3 failed in 0.10s =====")
    assert runs(read_steps(s.done(""))) == []


def test_one_script_may_run_several_checks() -> None:
    """Each tool has its own result."""
    s = Session().fail("ruff check . ; pytest -q", "All checks passed!\n1 failed, 2 passed in 0.1s")
    found = {run.tool: run.ok for run in runs(read_steps(s.done("")))}
    assert found == {"pytest": False, "ruff": True}
