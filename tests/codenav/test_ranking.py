"""Which answers come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from backstory.codenav.ranking import is_test
from tests.codenav.searching import workspace


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


def test_a_question_is_answered_by_code_before_its_tests(tmp_path: Path) -> None:
    """However well the names of these fit; a question about tests has them first."""
    place = workspace(
        tmp_path,
        {
            **{f"noise{n}.py": f"def other{n}(x):\n    return x + {n}\n" for n in range(30)},
            "tests/test_cart.py": "def test_cart_lines_merged():\n    assert merge(cart).lines\n",
            "src/a.py": "def both(one, other):\n    # merges the lines of carts\n"
            "    cart = one.lines\n" + "    x = 1\n" * 6 + "    return cart\n",
        },
    )
    assert place.names("how are the lines of a cart merged")[0] == "both"
    asked = "which test covers that the lines of a cart are merged"
    assert place.names(asked)[0] == "test_cart_lines_merged"


def test_all_that_was_asked_for_comes_before_a_part_of_it_repeated(tmp_path: Path) -> None:
    """One word said often is not the answer to a question of four."""
    noise = {f"noise{n}.py": f"def other{n}(x):\n    return cookie_of(x, {n})\n" for n in range(30)}
    place = workspace(
        tmp_path,
        {
            **noise,
            "session.py": "def prepare(request, jar):\n    # request, session\n"
            "    found = dict(jar)\n    for name, value in request.items():\n"
            "        if name not in found:\n            found[name] = value\n"
            "    cookies = merged(found, session=True)\n    return send(cookies)\n",
            "merging.py": "def merge_merge(merge):\n    merge.merge(merge)\n    return merge\n",
        },
    )
    assert place.names("where are request cookies merged with the session")[0] == "prepare"
