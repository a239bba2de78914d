"""What of a turn proves its rows."""

from __future__ import annotations

import pytest

from backstory.capture.rules import distill
from backstory.capture.rules.proofs import admits_failure
from tests.support.turns import Session

FAILS = "FAILED tests/test_cli.py::test_flag - assert 0\n1 failed in 0.1s"
PASSES = "5 passed in 0.1s"
COMMITTED = "[main 1a2b3c4] Rename the flag"


def evidence(session: Session) -> set[str]:
    """How sure the rows are that hold a change, or a commit."""
    found = distill(session.done("")).observations
    return {row.evidence for row in found if row.files_modified or "1a2b3c4" in row.title}


def renaming() -> Session:
    """A session with one edit."""
    s = Session().prompt("rename the flag")
    s.files["cli.py"] = "FLAG = '--fast'\n"
    s.edit("cli.py", "--fast", "--quick")
    return s


def test_a_linter_proves_no_behaviour() -> None:
    """It is told all the same, and it does prove what it had found itself."""
    s = renaming()
    s.bash("ruff check", "All checks passed!")
    assert evidence(s) == {"stated"}
    assert any("ruff" in row.narrative for row in distill(s.done("")).observations)
    s = renaming()
    s.fail("ruff check", "cli.py:1:1: F401 unused import\nFound 1 error.")
    s.edit("cli.py", "--quick", "--rapid")
    s.bash("ruff check", "All checks passed!")
    assert evidence(s) == {"verified"}


def test_a_commit_of_what_fails_proves_nothing() -> None:
    """Whether the check failed before or behind the edit; a pass in between makes it good."""
    s = renaming()
    s.fail("pytest -q", FAILS)
    s.bash("git commit -qam 'Rename the flag'", COMMITTED)
    assert evidence(s) == {"stated"}
    s = renaming()
    s.bash("git commit -qam 'Rename the flag'", COMMITTED)
    assert evidence(s) == {"verified"}
    s = renaming()
    s.fail("pytest -q", FAILS)
    s.edit("cli.py", "--quick", "--rapid")
    s.bash("pytest -q", PASSES)
    s.bash("git commit -qam 'Rename the flag'", COMMITTED)
    assert evidence(s) == {"verified"}


def test_a_fix_that_was_written_again_is_not_verified() -> None:
    """What passed was another text."""
    s = renaming()
    s.fail("pytest -q", FAILS)
    s.edit("cli.py", "--quick", "--rapid")
    s.bash("pytest -q", PASSES)
    assert evidence(s) == {"verified"}
    s.edit("cli.py", "--rapid", "--slow")
    assert evidence(s) == {"stated"}
    s.bash("pytest -q", PASSES)
    assert evidence(s) == {"verified"}


@pytest.mark.parametrize(
    "text",
    [
        "Cart.total still fails",
        "The tests are failing.",
        "It keeps crashing",
        "round_half_up still doesn't help",
        "test_round remains unfixed",
        "The cause is not yet fixed",
        "Die Tests schlagen weiterhin fehl",
        "La prueba sigue fallando",
        "Le test échoue toujours",
        "Тест всё ещё падает",
        "测试仍然失败",
        "まだテストが失敗する",
    ],
)
def test_a_text_may_admit_that_it_does_not_work(text: str) -> None:
    """Then no check proves it."""
    assert admits_failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "The tests failed; they pass now",
        "pytest fails when run from another folder, so the path is absolute",
        "The queue keeps failed jobs for a day",
        "It fails on empty carts",
        "A failing test was mended",
        "Login did not work on Safari; setSession now sends Secure. 12 tests pass.",
        "Saving didn't work when the title was empty; it is checked now.",
        "The build fails fast on a missing key, as intended.",
        "Without the patch the tests fail.",
        "Dialogs remain open on Escape no longer.",
        "The first attempt did not work: the lock was taken twice. A queue mended it.",
        "It still failed on Windows; now it passes there.",
        "Three tests for untested code",
        "Unresolved import fixed",
        "Der Import las auch noch nicht fertige Zeilen.",
        "Der Test schlug immer noch fehl, jetzt besteht er.",
        "Der Test schlägt ohne den Patch fehl.",
        "之前测试没有通过,现在全部通过。",
        "仍然报错的问题已修复",
        "未解决的导入已修复。",
        "Todavía sin índice, la consulta tardaba 8 s; ahora 40 ms.",
    ],
)
def test_telling_of_a_failure_is_no_admission(text: str) -> None:
    """Most fixes begin with one."""
    assert not admits_failure(text)
