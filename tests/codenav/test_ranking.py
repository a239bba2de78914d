"""Which answers come first."""

from __future__ import annotations

import pytest

from backstory.codenav.ranking import is_test


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/cart.py", True),
        ("src/jvmTest/kotlin/A.kt", True),
        ("client-node-tests/src/a.ts", True),
        ("Newtonsoft.Json.Tests/A.cs", True),
        ("testdata/a.go", True),
        ("pkg/cart_test.go", True),
        ("src/CartTest.java", True),
        ("src/latest/a.py", False),
        ("src/contest.py", False),
        ("src/attestation/a.py", False),
    ],
)
def test_files_about_testing_are_known_by_their_paths(path: str, expected: bool) -> None:
    """Their symbols come after those that they test."""
    assert is_test(path) == expected
